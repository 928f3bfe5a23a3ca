/* test_rotation.c: a session that goes on in new files, where one is full or was lost, and what may be
 * in their way */
#include "rig/sink_rig.h"

#include <sys/stat.h>

/* Open a sink with limits; the test fails if it does not open. */
static struct sink *open_limited(const char *path, enum sink_mode mode, uint64_t max_bytes,
				 unsigned keep)
{
	const struct sink_limits limits = { .max_bytes = max_bytes * (keep + 1), .keep = keep };
	struct err err = { "" };
	struct sink *sink;

	if (sink_open(path, mode, &sink, &err) || sink_limit(sink, &limits, &err))
		fail_msg("%s", err.text);
	return sink;
}

/* run.csv is always the present one; as many older ones as were asked for stay. None grows beyond
 * what was asked for, and none is a head alone. */
static void files_are_shifted(void **state)
{
	struct sink *sink = open_limited(sink_rig_path("run.csv"), SINK_NEW, 12, 2);
	struct err err = { "" };

	(void)state;
	assert_false(sink_is_full_with(sink, 100));
	for (int n = '1'; n <= '4'; n++) {
		char line[] = "line x\n";

		line[5] = (char)n;
		assert_int_equal(sink_write(sink, line, 7, &err), 0);
		assert_false(sink_is_full_with(sink, 100));
		assert_int_equal(sink_write(sink, "more\n", 5, &err), 0);
		assert_false(sink_is_full_with(sink, 0));
		assert_true(sink_is_full_with(sink, 1));
		assert_int_equal(sink_rotate(sink, &err), n > '2');
	}
	assert_int_equal(sink_write(sink, "line 5\n", 7, &err), 0);
	assert_int_equal(sink_size(sink), 4 * 12 + 7);
	assert_int_equal(sink_close(sink, &err), 0);
	assert_string_equal(sink_rig_read(sink_rig_path("run.csv")), "line 5\n");
	assert_string_equal(sink_rig_read(sink_rig_path("run.1.csv")), "line 4\nmore\n");
	assert_string_equal(sink_rig_read(sink_rig_path("run.2.csv")), "line 3\nmore\n");
	assert_int_equal(access(sink_rig_path("run.3.csv"), F_OK), -1);
}

/* Files that only happen to be called as older ones would be. */
static void other_files_are_in_the_way(void **state)
{
	const struct sink_limits limits = { .max_bytes = 1, .keep = 2 };
	struct sink *sink;
	struct err err = { "" };

	(void)state;
	sink_rig_put(sink_rig_path("run.2.csv"), "precious\n");
	assert_int_equal(sink_open(sink_rig_path("run.csv"), SINK_NEW, &sink, &err), 0);
	assert_int_equal(sink_limit(sink, &limits, &err), -EEXIST);
	assert_non_null(strstr(err.text, "run.2.csv exists"));
	sink_discard(sink);
	assert_int_equal(access(sink_rig_path("run.csv"), F_OK), -1);

	/* beyond those that are kept, and without a limit, it is none of ours */
	sink_close(open_limited(sink_rig_path("run.csv"), SINK_NEW, 1, 1), NULL);
	sink_close(open_limited(sink_rig_path("run.csv"), SINK_APPEND, 0, 2), NULL);

	sink = open_limited(sink_rig_path("run.csv"), SINK_FORCE, 1, 2);
	assert_int_equal(sink_write(sink, "a\n", 2, &err), 0);
	assert_int_equal(sink_rotate(sink, &err), 0);
	assert_string_equal(sink_rig_read(sink_rig_path("run.2.csv")), "precious\n");
	assert_int_equal(sink_rotate(sink, &err), 1);
	assert_string_equal(sink_rig_read(sink_rig_path("run.2.csv")), "a\n");
	sink_close(sink, NULL);
}

/* One that came since the session began. */
static void a_rotation_that_fails_is_told(void **state)
{
	static const char *const name[] = { "run.1.csv", "run.2.csv", "run.3.csv" };

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *path = sink_rig_path(name[i]);
		struct sink *sink = open_limited(sink_rig_path("run.csv"), SINK_FORCE, 1, 3);
		struct err err = { "" };

		assert_int_equal(sink_write(sink, "line\n", 5, &err), 0);
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(sink_rotate(sink, &err), -EINVAL);
		assert_non_null(strstr(err.text, path));
		assert_int_equal(sink_write(sink, "lost\n", 5, &err), -EINVAL);
		sink_close(sink, NULL);
		assert_string_equal(sink_rig_read(sink_rig_path("run.csv")), "line\n");
		rmdir(path);
	}
	unlink(sink_rig_path("run.csv"));

	struct sink *sink = open_limited(sink_rig_path("run.csv"), SINK_NEW, 1, 3);
	struct err err = { "" };

	assert_int_equal(sink_write(sink, "line\n", 5, &err), 0);
	assert_int_equal(sink_rotate(sink, &err), 0);
	sink_rig_put(sink_rig_path("run.2.csv"), "precious\n");
	assert_int_equal(sink_rotate(sink, &err), -EEXIST);
	sink_close(sink, NULL);
	assert_string_equal(sink_rig_read(sink_rig_path("run.1.csv")), "line\n");
	assert_string_equal(sink_rig_read(sink_rig_path("run.2.csv")), "precious\n");
}

struct told {
	unsigned n;
	struct err said;
};

static void tell(void *data, const struct err *said, struct text *head)
{
	struct told *told = data;

	told->n++;
	told->said = *said;
	text_printf(head, "head\n");
}

static void truncate_it(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void remove_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void move_it(const char *path)
{
	assert_int_equal(rename(path, sink_rig_path("moved")), 0);
}

static void replace_it(const char *path)
{
	move_it(path);
	sink_rig_put(path, "of others\n");
}

/* What is still buffered and what follows is in the new file, behind a head of its own; nothing is
 * written to the old place any more. */
static void a_lost_file_is_told_once(void **state)
{
	(void)state;
	static const struct {
		void (*lose)(const char *path);
		const char *says, *left; /* NULL: nothing is there */
	} row[] = {
		{ truncate_it, "was truncated", "" },
		{ remove_it, "was removed or moved", NULL },
		{ move_it, "was removed or moved", NULL },
		{ replace_it, "was replaced by another file", "of others\n" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const char *path = sink_rig_path("run.csv"), *next = sink_rig_path("run-3.csv");
		struct told told = { 0 };
		struct err err = { "" };
		struct sink *sink;

		sink_rig_put(sink_rig_path("run-2.csv"), "precious\n");
		assert_int_equal(sink_open(path, SINK_NEW, &sink, &err), 0);
		sink_watch(sink, tell, &told);
		assert_int_equal(sink_write(sink, "old\n", 4, &err), 0);
		assert_int_equal(sink_flush(sink, &err), 0);
		assert_int_equal(sink_write(sink, "buffered\n", 9, &err), 0);
		row[i].lose(path);
		assert_int_equal(sink_flush(sink, &err), 0);
		assert_int_equal(told.n, 1);
		assert_non_null(strstr(told.said.text, row[i].says));
		assert_non_null(strstr(told.said.text, path));
		assert_non_null(strstr(told.said.text, next));
		assert_string_equal(sink_path(sink), next);
		assert_int_equal(sink_rig_write_line(next, SINK_APPEND, &err), -EBUSY);
		assert_int_equal(sink_write(sink, "more\n", 5, &err), 0);
		assert_int_equal(sink_size(sink), 19);
		assert_int_equal(sink_close(sink, &err), 0);
		assert_int_equal(told.n, 1);
		assert_string_equal(sink_rig_read(next), "head\nbuffered\nmore\n");
		if (row[i].left)
			assert_string_equal(sink_rig_read(path), row[i].left);
		assert_int_equal(access(path, F_OK), row[i].left ? 0 : -1);
		unlink(path);
		unlink(next);
	}
}

/* A new file is not made where names of its older ones are taken, nor shifted into the old ones. */
static void a_lost_file_is_rotated_on(void **state)
{
	(void)state;
	struct sink *sink = open_limited(sink_rig_path("run.csv"), SINK_NEW, 4, 1);
	struct told told = { 0 };
	struct err err = { "" };

	sink_rig_put(sink_rig_path("run-2.1.csv"), "precious\n");
	sink_watch(sink, tell, &told);
	assert_int_equal(sink_write(sink, "old\n", 4, &err), 0);
	assert_int_equal(sink_flush(sink, &err), 0);
	remove_it(sink_rig_path("run.csv"));
	assert_int_equal(sink_rotate(sink, &err), 0); /* whoever rotates writes the head */
	assert_int_equal(told.n, 1);
	assert_int_equal(sink_write(sink, "new\n", 4, &err), 0);
	assert_int_equal(sink_rotate(sink, &err), 0);
	assert_int_equal(sink_write(sink, "newer\n", 6, &err), 0);
	assert_int_equal(sink_close(sink, &err), 0);
	assert_int_equal(told.n, 1);
	assert_string_equal(sink_rig_read(sink_rig_path("run-3.csv")), "newer\n");
	assert_string_equal(sink_rig_read(sink_rig_path("run-3.1.csv")), "new\n");
	assert_int_equal(access(sink_rig_path("run.1.csv"), F_OK), -1);
	assert_string_equal(sink_rig_read(sink_rig_path("run-2.1.csv")), "precious\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_are_shifted, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(other_files_are_in_the_way, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_rotation_that_fails_is_told, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_lost_file_is_told_once, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_lost_file_is_rotated_on, sink_rig_make_folder,
						sink_rig_remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
