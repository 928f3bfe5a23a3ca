/* Going back to any frame of a session: plain, compressed, and in several files. */
#include "rig/sampler_rig.h"

#include <string.h>

#include "base/clock.h"
#include "rig/fake_root.h"
#include "session/format/compress.h"
#include "session/reader.h"
#include "session/player.h"

#define INTERVAL_NS (100 * NS_PER_MS)

enum { N_TICKS = 60, N_FILES = 3, ITEMS_MAX = 2 * N_TICKS };

static char root[64];

/* All that a reader must know again: sets, intervals, cores that are off, missing frames. */
static void record(struct text file[N_FILES])
{
	struct rig rig;
	struct format_context context;
	struct err err = { "" };
	const struct frame *frame;
	unsigned at = 0;

	rig_up(&rig, "clock=virtual,seed=5,cores=4,offline=1@0.5-4+2@1-2,steal=3.3@0.5-2",
	       INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &file[0]);
	for (unsigned i = 1; i <= N_TICKS; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		if (i % 13 == 0)
			rig_change(&rig, 5, i % 2 ? "INST_BRANCH_TAKEN" : "INST_BRANCH_CALL");
		if (i == 35)
			must(sampler_set_interval(rig.sampler, 2 * INTERVAL_NS, &err), &err);
		while ((frame = queue_pop(rig.queue, NULL))) {
			format_csv.frame(&context, frame, &file[at]);
			if (i % (N_TICKS / N_FILES) == 0 && at + 1 < N_FILES) {
				format_context_restart(&context, frame);
				format_csv.begin(&context, &file[++at]);
			}
			frame_unref(frame);
		}
		if (i % 10 == 0)
			format_csv.mark(&context, i * INTERVAL_NS, "here", &file[at]);
	}
	rig_down(&rig);
}

static void path_of(const char *name, char *ret, size_t size)
{
	snprintf(ret, size, "%s/%s", root, name);
}

/* Many blocks, whose ends are anywhere in a line. */
static struct text compressed(const struct text *text)
{
	enum { BLOCK_BYTES = 5003 };
	struct compressor *compressor;
	struct text blocks = { 0 };
	struct err err = { "" };

	must(compressor_new("a test", &compressor, &err), &err);
	for (size_t at = 0; at < text->n; at += BLOCK_BYTES) {
		size_t n = text->n - at < BLOCK_BYTES ? text->n - at : BLOCK_BYTES;

		assert_int_equal(compressor_add_block(compressor, text->bytes + at, n, &blocks), 0);
	}
	compressor_free(compressor);
	return blocks;
}

static void store(const char *name, const struct text *text)
{
	struct text blocks = { 0 };
	char path[128];

	if (strstr(name, ".zst")) {
		blocks = compressed(text);
		text = &blocks;
	}
	path_of(name, path, sizeof(path));

	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text->bytes, 1, text->n, file), text->n);
	assert_int_equal(fclose(file), 0);
	text_fini(&blocks);
}

/* The next item as text; "" at the end. */
static char *next(struct reader *reader, bool *ret_is_frame)
{
	static struct format_context context;
	struct text text = { 0 };
	struct session_item item;
	struct err err = { "" };

	reader_format_context(reader, &context);
	context.last_set = 1;
	must(reader_next(reader, &item, &err), &err);
	*ret_is_frame = item.what == SESSION_FRAME;
	if (item.what == SESSION_FRAME)
		format_csv.frame(&context, item.frame, &text);
	if (item.what == SESSION_MARK)
		format_csv.mark(&context, item.t_ns, item.text, &text);
	for (unsigned i = 0; item.frame && i < item.frame->n_cores; i++)
		text_printf(&text, "window %llu state %d\n",
			    (unsigned long long)item.frame->core[i].window_ns,
			    item.frame->core[i].state);
	frame_unref(item.frame);
	return text.bytes ? text.bytes : strdup("");
}

static void every_place_is_found(const char *name, unsigned part)
{
	char path[128], *item[ITEMS_MAX];
	struct reader_position *place[ITEMS_MAX] = { NULL };
	struct reader *reader;
	struct err err = { "" };
	unsigned n = 0;
	bool is_frame;

	path_of(name, path, sizeof(path));
	must(reader_open(path, part, NULL, &reader, &err), &err);
	do {
		assert_true(n < ITEMS_MAX);
		item[n] = next(reader, &is_frame);
		if (is_frame)
			assert_int_equal(reader_mark_place(reader, &place[n]), 0);
	} while (*item[n++]);
	assert_true(n > N_TICKS);
	for (unsigned i = 0, k = 0; i < n; i++, k = (k + 37) % n) {
		if (!place[k])
			continue;
		must(reader_seek(reader, place[k], &err), &err);
		for (unsigned ahead = k + 1; ahead < n && ahead < k + 20; ahead++) {
			char *again = next(reader, &is_frame);

			assert_string_equal(again, item[ahead]);
			free(again);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		free(place[i]);
		free(item[i]);
	}
	reader_close(reader);
}

static void every_place_of(const char *const name[N_FILES])
{
	struct text file[N_FILES] = { { 0 } };

	record(file);
	for (unsigned i = 0; i < N_FILES; i++) {
		store(name[i], &file[i]);
		text_fini(&file[i]);
	}
	every_place_is_found(name[N_FILES - 1], READER_WITH_OLDER);
}

static void every_place(void **state)
{
	(void)state;
	every_place_of((const char *const[]){ "run.2.csv", "run.1.csv", "run.csv" });
}

static void every_place_of_compressed_files(void **state)
{
	(void)state;
	needs_feature("zstd");
	every_place_of((const char *const[]){ "run.2.csv.zst", "run.1.csv.zst", "run.csv.zst" });
}

/* A session of some megabytes, which is not read from its beginning each time. */
static void any_moment(void **state)
{
	enum { TICKS = 1000 };
	struct rig rig;
	struct format_context context;
	struct text text = { 0 };
	struct player *player;
	struct err err = { "" }, said = { "" };
	uint64_t *end_ns = calloc(TICKS + 1, sizeof(*end_ns));
	char path[128];

	(void)state;
	needs_feature("zstd");
	rig_up(&rig, "clock=virtual,seed=5", INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	for (unsigned i = 0; i < TICKS; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);

		const struct frame *frame = queue_pop(rig.queue, NULL);

		format_csv.frame(&context, frame, &text);
		end_ns[i] = frame->t_ns;
		frame_unref(frame);
	}
	rig_down(&rig);
	assert_true(text.n > 2 * 1024 * 1024);
	store("long.csv.zst", &text);
	path_of("long.csv.zst", path, sizeof(path));
	must(player_open(path, 0, NULL, NULL, &player, &said, &err), &err);
	for (unsigned i = 0, k = 0; i < 200; i++, k = (k + 617) % TICKS) {
		must(player_seek(player, end_ns[k] - (i % 2), &err), &err);
		assert_true(player->next && player->next->t_ns == end_ns[k]);
	}
	player_close(player);
	text_fini(&text);
	free(end_ns);
}

/* A line that is wrong ends the session each time, also when what it says was known by then. */
static void a_mistake_stays(void **state)
{
	struct text file[N_FILES] = { { 0 } };
	struct session_item item;
	struct reader *reader;
	struct err err = { "" };
	char path[128];

	(void)state;
	record(file);

	char *set = strstr(strstr(file[0].bytes, "tick,"), "# set 2 ");

	strstr(set, " config=")[2] = 'a';
	store("bad.csv", &file[0]);
	path_of("bad.csv", path, sizeof(path));
	must(reader_open(path, 0, NULL, &reader, &err), &err);
	for (unsigned pass = 0; pass < 3; pass++) {
		unsigned n = 0;

		while (!reader_next(reader, &item, &err) && item.what != SESSION_END) {
			n++;
			frame_unref(item.frame);
		}
		assert_int_equal(n, 14);
		assert_non_null(strstr(err.text, "config= is missing"));
		must(reader_rewind(reader, &err), &err);
	}
	reader_close(reader);
	for (unsigned i = 0; i < N_FILES; i++)
		text_fini(&file[i]);
}

/* Only what says that it is of the same session. */
static void older_files(void **state)
{
	static const struct {
		const char *name, *head;
	} rows[] = {
		{ "a.csv", "# m1top session 1\n# host h interval_ms 5 started x\n" },
		{ "a.1.csv", "# m1top session 1\n# host h interval_ms 7 started x\n" },
		{ "a.2.csv", "# m1top session 1\n# host h interval_ms 5 started y\n" },
		{ "a.3.csv", "# m1top session 1\n# host h interval_ms 5 started x\n" },
		{ "b.csv", "# m1top session 1\n# host h interval_ms 5 started x\n" },
		{ "b.1.csv", "# m1top session 1\n# host g interval_ms 5 started x\n" },
		{ "c.csv", "rubbish\nmore\n" },
		{ "c.1.csv", "rubbish\nmore\n" },
		{ "d.csv", "" }, /* its head found no room */
		{ "d.1.csv", "# m1top session 1\n# host h interval_ms 5 started x\n" },
		{ "d.2.csv", "" },
		{ "d.3.csv", "# m1top session 1\n# host h interval_ms 5 started x\n" },
		{ "d.4.csv", "# m1top session 1\n# host h interval_ms 5 started y\n" },
		{ "e.csv", "" },
	};
	static const struct {
		const char *name, *last;
		size_t n;
		unsigned n_empty;
	} found[] = { { "a.csv", "a.csv", 3, 0 },
		      { "b.csv", "b.csv", 1, 0 },
		      { "c.csv", "c.csv", 1, 0 },
		      { "d.csv", "d.1.csv", 2, 2 },
		      { "e.csv", "e.csv", 1, 1 } };
	char path[128], **paths;
	struct err err = { "" };
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_put(root, rows[i].name, rows[i].head);
		path_of(rows[i].name, path, sizeof(path));
		assert_int_equal(*rows[i].head ? 0 : truncate(path, 0), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
		struct err said = { "" };

		path_of(found[i].name, path, sizeof(path));
		must(rotated_files_find(path, &paths, &n, &said, &err), &err);
		assert_int_equal(n, found[i].n);
		assert_int_equal(*said.text != '\0', found[i].n_empty > 0);
		assert_true(!found[i].n_empty || strstr(said.text, path));
		assert_int_equal(strstr(said.text, "d.2.csv") != NULL, found[i].n_empty > 1);
		path_of(found[i].last, path, sizeof(path));
		assert_string_equal(paths[n - 1], path);
		rotated_files_free(paths, n);
	}
	path_of("nowhere.csv", path, sizeof(path));
	assert_int_equal(rotated_files_find(path, &paths, &n, NULL, &err), -ENOENT);
}

static int make_root(void **state)
{
	static const struct fake_file none[] = { { NULL, NULL } };

	(void)state;
	fake_root(root, sizeof(root), none);
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	fake_root_remove(root);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_place), cmocka_unit_test(every_place_of_compressed_files),
		cmocka_unit_test(any_moment),  cmocka_unit_test(a_mistake_stays),
		cmocka_unit_test(older_files),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
