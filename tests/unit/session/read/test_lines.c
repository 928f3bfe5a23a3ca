/* Lines of files, above all of compressed ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/harness.h"
#include "session/format/compress.h"
#include "session/read/lines.h"

static char path[] = "/tmp/m1top-lines-XXXXXX";

static void add_block(FILE *file, struct compressor *compressor, const char *bytes, size_t n)
{
	static struct text block;

	text_clear(&block);
	assert_int_equal(compressor_add_block(compressor, bytes, n, &block), 0);
	assert_int_equal(fwrite(block.bytes, 1, block.n, file), block.n);
}

static uint64_t count_lines(bool *ret_is_cut)
{
	struct lines *lines;
	struct err err;
	char *line;
	size_t n;

	assert_int_equal(lines_open(path, &lines, &err), 0);
	do {
		assert_int_equal(lines_next(lines, &line, &n, &err), 0);
	} while (line);

	uint64_t number = lines_number(lines);

	*ret_is_cut = lines_are_cut(lines);
	lines_close(lines);
	return number;
}

/* Neither blocks of nothing nor those of one byte take time or memory that grows with their square:
 * of so many it would take longer than a test may. */
static void small_blocks_cost_little(void **state)
{
	enum { BLOCKS = 3000000 };
	struct compressor *compressor;
	struct err err;
	FILE *file = fopen(path, "w");
	bool is_cut;

	(void)state;
	needs_feature("zstd");
	assert_non_null(file);
	assert_int_equal(compressor_new(path, &compressor, &err), 0);
	for (unsigned i = 0; i < BLOCKS; i++)
		add_block(file, compressor, "a", i % 4 == 0);
	add_block(file, compressor, "\n", 1);
	fclose(file);
	compressor_free(compressor);

	assert_int_equal(count_lines(&is_cut), 1);
	assert_false(is_cut);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_blocks_cost_little),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
