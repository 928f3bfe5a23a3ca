/* test_sink.c: files are never written through links, over others, or with rights that the caller
 * has not; a full disk costs the unfinished frame and nothing else */
#include "rig/sink_rig.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void modes(void **state)
{
	(void)state;
	static const struct {
		int line;
		enum sink_mode mode;
		const char *before; /* NULL: no file */
		int rc;
		const char *after, *says;
	} row[] = {
		{ __LINE__, SINK_NEW, NULL, 0, "new\n", "" },
		{ __LINE__, SINK_NEW, "old\n", -EEXIST, "old\n", "--append adds to it" },
		{ __LINE__, SINK_NEW, "", -EEXIST, "", "--force overwrites it" },
		{ __LINE__, SINK_FORCE, NULL, 0, "new\n", "" },
		{ __LINE__, SINK_FORCE, "much longer\n", 0, "new\n", "" },
		{ __LINE__, SINK_APPEND, NULL, 0, "new\n", "" },
		{ __LINE__, SINK_APPEND, "old\n", 0, "old\nnew\n", "" },
		{ __LINE__, SINK_APPEND, "", 0, "new\n", "" },
		{ __LINE__, SINK_APPEND, "old\nhal", -EINVAL, "old\nhal",
		  "in the middle of a line" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const char *path = sink_rig_path("file.csv");
		struct err err = { "" };

		unlink(path);
		if (row[i].before)
			sink_rig_put(path, row[i].before);

		int rc = sink_rig_write_line(path, row[i].mode, &err);

		if (rc != row[i].rc || strcmp(sink_rig_read(path), row[i].after) != 0 ||
		    !strstr(err.text, row[i].says))
			fail_msg("line %d: %d, \"%s\", \"%s\"", row[i].line, rc,
				 sink_rig_read(path), err.text);
	}
}

static void never_through_a_link(void **state)
{
	(void)state;
	const char *target = sink_rig_path("target"), *soft = sink_rig_path("soft"),
		   *hard = sink_rig_path("hard");
	struct err err;

	sink_rig_put(target, "precious\n");
	assert_int_equal(symlink(target, soft), 0);
	assert_int_equal(link(target, hard), 0);
	assert_int_equal(sink_rig_write_line(soft, SINK_FORCE, &err), -ELOOP);
	assert_non_null(strstr(err.text, "symbolic link"));
	assert_int_equal(sink_rig_write_line(soft, SINK_APPEND, &err), -ELOOP);
	assert_int_equal(sink_rig_write_line(hard, SINK_FORCE, &err), -EMLINK);
	assert_int_equal(sink_rig_write_line(hard, SINK_APPEND, &err), -EMLINK);
	assert_string_equal(sink_rig_read(target), "precious\n");

	/* a link that leads nowhere yet must not make a file there */
	unlink(soft);
	assert_int_equal(symlink(sink_rig_path("nowhere"), soft), 0);
	assert_int_equal(sink_rig_write_line(soft, SINK_FORCE, &err), -ELOOP);
	assert_int_equal(access(sink_rig_path("nowhere"), F_OK), -1);
}

static void only_regular_files(void **state)
{
	(void)state;
	const char *fifo = sink_rig_path("fifo");
	struct err err;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(sink_rig_write_line(fifo, SINK_FORCE, &err) <
		    0); /* and does not wait for a reader */
	assert_true(sink_rig_write_line(fifo, SINK_APPEND, &err) < 0);
	assert_true(sink_rig_write_line(sink_rig_folder, SINK_FORCE, &err) < 0);
	assert_int_equal(sink_rig_write_line(fifo, SINK_NEW, &err), -EINVAL);
	assert_non_null(strstr(err.text, "redirect stdout"));
}

static void what_was_made_in_vain_goes(void **state)
{
	(void)state;
	const char *path = sink_rig_path("vain");
	struct sink *sink;

	assert_int_equal(sink_open(path, SINK_NEW, &sink, NULL), 0);
	sink_discard(sink);
	assert_int_equal(access(path, F_OK), -1);
	sink_rig_put(path, "old\n");
	assert_int_equal(sink_open(path, SINK_APPEND, &sink, NULL), 0);
	sink_discard(sink);
	assert_string_equal(sink_rig_read(path), "old\n");
	sink_discard(NULL);
}

static void size_counts_what_is_there(void **state)
{
	(void)state;
	const char *path = sink_rig_path("sized");
	struct sink *sink;

	sink_rig_put(path, "12345\n");
	assert_int_equal(sink_open(path, SINK_APPEND, &sink, NULL), 0);
	assert_int_equal(sink_size(sink), 6);
	assert_int_equal(sink_write(sink, "abc\n", 4, NULL), 0);
	assert_int_equal(sink_size(sink), 10);
	assert_string_equal(sink_path(sink), path);
	assert_int_equal(sink_flush(sink, NULL), 0);
	assert_string_equal(sink_rig_read(path), "12345\nabc\n");
	assert_int_equal(sink_close(sink, NULL), 0);
}

static pid_t write_in_a_child(const char *path)
{
	struct err err = { "" };
	struct sink *sink;
	pid_t child = fork();

	if (child)
		return child;
	if (sink_open(path, SINK_NEW, &sink, &err) || sink_write(sink, "first\n", 6, &err) ||
	    sink_flush(sink, &err))
		_exit(1);
	for (;;)
		pause();
}

static void a_file_has_one_writer(void **state)
{
	(void)state;
	static const enum sink_mode mode[] = { SINK_NEW, SINK_APPEND, SINK_FORCE };
	const struct sink_limits limits = { .max_bytes = 1, .keep = 1 };
	const char *path = sink_rig_path("run.csv"), *older_path = sink_rig_path("run.1.csv");
	struct sink *sink, *older;
	struct err err = { "" };
	pid_t child = write_in_a_child(path);
	struct stat st;
	char who[64];

	snprintf(who, sizeof(who), "being written by test_sink (pid %d)", child);
	while (stat(path, &st) || !st.st_size)
		assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	for (size_t i = 0; i < sizeof(mode) / sizeof(mode[0]); i++) {
		assert_int_equal(sink_rig_write_line(path, mode[i], &err), -EBUSY);
		assert_non_null(strstr(err.text, path));
		assert_non_null(strstr(err.text, who));
	}
	assert_string_equal(sink_rig_read(path), "first\n");
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);

	/* nor is what somebody writes moved as a rotated file */
	assert_int_equal(sink_open(older_path, SINK_NEW, &older, &err), 0);
	assert_int_equal(sink_open(path, SINK_APPEND, &sink, &err), 0);
	assert_int_equal(sink_limit(sink, &limits, &err), -EBUSY);
	assert_non_null(strstr(err.text, older_path));
	assert_non_null(strstr(err.text, "being written by"));
	sink_close(older, NULL);
	sink_close(sink, NULL);
	assert_int_equal(sink_rig_write_line(path, SINK_APPEND, &err), 0);
	assert_string_equal(sink_rig_read(path), "first\nnew\n");
}

static void sudo_uses_the_callers_rights(void **state)
{
	(void)state;
	const char *closed = sink_rig_path("closed"), *open_to_all = sink_rig_path("open");
	char path[192];
	struct stat st;
	struct err err;

	if (geteuid() != 0)
		skip();
	chmod(sink_rig_folder, 0755);
	mkdir(closed, 0755);
	mkdir(open_to_all, 0755);
	chmod(open_to_all, 0777);
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);

	snprintf(path, sizeof(path), "%s/log.csv", closed);
	assert_int_equal(sink_rig_write_line(path, SINK_NEW, &err), -EACCES);
	assert_int_equal(access(path, F_OK), -1);

	snprintf(path, sizeof(path), "%s/log.csv", open_to_all);
	assert_int_equal(sink_rig_write_line(path, SINK_NEW, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 65534);

	/* a file of root's that the caller could not write stays as it is */
	sink_rig_put(sink_rig_path("roots"), "precious\n");
	assert_int_equal(sink_rig_write_line(sink_rig_path("roots"), SINK_FORCE, &err), -EACCES);
	assert_string_equal(sink_rig_read(sink_rig_path("roots")), "precious\n");

	/* and root is root again afterwards */
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(path, sizeof(path), "%s/again.csv", closed);
	assert_int_equal(sink_rig_write_line(path, SINK_NEW, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 0);
}

enum { NO_MOUNT = 77 };

/* A mount namespace of its own, with 64 KiB of disk as the folder. @return whether there is one */
static bool mount_small(void)
{
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", sink_rig_folder, "tmpfs", 0, "size=64k");
}

/* Frames of seven lines of 100 bytes. Returns an exit status. */
static int fill_a_disk(void)
{
	char frame[700];
	struct sink *sink;
	struct err err = { "" }, again = { "" };
	struct stat st;
	int rc = 0;

	if (!mount_small())
		return NO_MOUNT;
	memset(frame, 'x', sizeof(frame));
	for (size_t i = 99; i < sizeof(frame); i += 100)
		frame[i] = '\n';
	if (sink_open(sink_rig_path("full.csv"), SINK_NEW, &sink, &err))
		return 1;
	for (int i = 0; i < 10000 && !rc; i++)
		rc = sink_write(sink, frame, sizeof(frame), &err);
	if (rc != -EIO || !strstr(err.text, "No space left"))
		return 2;
	if (stat(sink_rig_path("full.csv"), &st) || st.st_size == 0 ||
	    st.st_size % (off_t)sizeof(frame) != 0 || st.st_size < 60000)
		return 3;
	if (sink_write(sink, frame, sizeof(frame), &again) != -EIO ||
	    strcmp(err.text, again.text) != 0)
		return 4;
	return sink_close(sink, &err) == -EIO ? 0 : 5;
}

/* A file of a whole page, so that nothing at all of the first write gets in. Returns an exit status. */
static int append_to_a_full_disk(void)
{
	char page[4096];
	struct err err = { "" };
	struct stat st;
	FILE *old, *fill;

	if (!mount_small())
		return NO_MOUNT;
	memset(page, '\n', sizeof(page));
	old = fopen(sink_rig_path("old.csv"), "w");
	if (fwrite(page, 1, sizeof(page), old) != sizeof(page) || fclose(old))
		return 1;
	fill = fopen(sink_rig_path("fill"), "w");
	while (fwrite(page, 1, sizeof(page), fill) == sizeof(page) && !fflush(fill))
		;
	fclose(fill);
	if (sink_rig_write_line(sink_rig_path("old.csv"), SINK_APPEND, &err) != -EIO)
		return 2;
	return !stat(sink_rig_path("old.csv"), &st) && st.st_size == sizeof(page) ? 0 : 3;
}

static void in_a_child(int (*run)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MOUNT)
		skip();
	assert_int_equal(status, 0);
}

static void full_disk_keeps_whole_frames(void **state)
{
	(void)state;
	in_a_child(fill_a_disk);
}

static void full_disk_keeps_what_was_there(void **state)
{
	(void)state;
	in_a_child(append_to_a_full_disk);
}

static void closed_pipe_is_epipe(void **state)
{
	(void)state;
	int end[2], keep = dup(STDOUT_FILENO);
	struct sink *sink;
	struct err err;

	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	assert_int_equal(pipe(end), 0);
	dup2(end[1], STDOUT_FILENO);
	close(end[0]);
	close(end[1]);

	int opened = sink_open("-", SINK_NEW, &sink, &err);
	int rc = opened ? opened : sink_write(sink, "x\n", 2, &err);
	int flushed = sink_flush(sink, &err);
	int closed = sink_close(sink, &err);

	dup2(keep, STDOUT_FILENO);
	close(keep);
	assert_int_equal(opened, 0);
	assert_int_equal(rc, 0);
	assert_int_equal(flushed, -EPIPE);
	assert_int_equal(closed, -EPIPE);
}

static void a_full_pipe_is_left_when_told_to(void **state)
{
	(void)state;
	static char line[4096];
	struct sink *sink;
	struct err err = { "" };
	int end[2], stop[2], rc = 0;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	assert_int_equal(pipe(end), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(sink_open_fd(end[1], &sink, &err), 0);
	sink_stop_on(sink, stop[0]);
	assert_int_equal(write(stop[1], "x", 1), 1);
	for (unsigned i = 0; !rc && i < 1000; i++)
		rc = sink_write(sink, line, sizeof(line), &err);
	assert_int_equal(rc, -ETIMEDOUT);
	assert_non_null(strstr(err.text, "its reader has gone"));
	assert_int_equal(sink_close(sink, NULL), -ETIMEDOUT);
	assert_int_equal(fcntl(end[1], F_GETFD), 0); /* it stays open: it is not ours */
	close(end[0]);
	close(end[1]);
	close(stop[0]);
	close(stop[1]);
}

static void only_what_can_be_written_to(void **state)
{
	(void)state;
	struct sink *sink;
	struct err err = { "" };
	int end[2];

	assert_int_equal(pipe(end), 0);
	assert_int_equal(sink_open_fd(end[0], &sink, &err), -EINVAL);
	close(end[0]);
	close(end[1]);
	assert_int_equal(sink_open_fd(end[1], &sink, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a file that is open for writing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(modes, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(never_through_a_link, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(only_regular_files, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(what_was_made_in_vain_goes, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(size_counts_what_is_there, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(sudo_uses_the_callers_rights, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(full_disk_keeps_whole_frames, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(full_disk_keeps_what_was_there,
						sink_rig_make_folder, sink_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_file_has_one_writer, sink_rig_make_folder,
						sink_rig_remove_folder),
		cmocka_unit_test(closed_pipe_is_epipe),
		cmocka_unit_test(a_full_pipe_is_left_when_told_to),
		cmocka_unit_test(only_what_can_be_written_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
