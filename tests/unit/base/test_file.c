/* test_file.c: a file read whole, or refused */
#include "rig/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"

static char path[] = "/tmp/m1top-file-XXXXXX";

static int with_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int without_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *bytes, size_t n)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void files_are_read_whole(void **state)
{
	static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 100000 };
	char bytes[100000];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *got;
		size_t n;

		put(bytes, sizes[i]);
		assert_int_equal(file_read(path, sizes[i], &got, &n), 0);
		assert_int_equal(n, sizes[i]);
		assert_memory_equal(got, bytes, n);
		assert_int_equal(got[n], '\0');
		free(got);
		if (sizes[i])
			assert_int_equal(file_read(path, sizes[i] - 1, &got, &n), -EFBIG);
	}
}

static void what_cannot_be_read(void **state)
{
	char *got;
	size_t n;

	(void)state;
	assert_int_equal(file_read("/nonexistent", 1, &got, &n), -ENOENT);
	assert_int_equal(file_read("/", 1, &got, &n), -EISDIR);
}

/* A FIFO without a writer would hold us for good. */
static void no_file_is_waited_for(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file_open(path), -EINVAL);
	assert_int_equal(unlink(path), 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(file_open(path), -EINVAL);
	close(server);
}

/* As the shell's <(…): waits for its writer. */
static void pipe_without_name(void **state)
{
	int end[2], fd;
	char name[32], *got;
	size_t n;

	(void)state;
	assert_int_equal(pipe(end), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", end[0]);
	fd = file_open(name);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
	assert_int_equal(write(end[1], "abc", 3), 3);
	close(end[1]);
	assert_int_equal(file_read(name, 3, &got, &n), 0);
	assert_string_equal(got, "abc");
	free(got);
	close(end[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(no_file_is_waited_for),
		cmocka_unit_test(pipe_without_name),
	};

	return cmocka_run_group_tests(tests, with_file, without_file);
}
