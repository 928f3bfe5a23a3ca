/* test_log_loss.c: what a log loses when its disk is full, its process is killed or its file goes */
#include "rig/log_rig.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NO_MOUNT = 77 };

/* A disk of 64 KiB: the log ends by itself, whole lines only, and sampling goes on. */
static int log_to_full_disk(void)
{
	struct log_status status = { .running = true };
	struct err err = { "" };

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", log_rig_folder, "tmpfs", 0, "size=64k"))
		return NO_MOUNT;
	log_rig_open("seed=7,clock=virtual", 100);

	struct log *log = log_rig_start();

	alarm(300); /* instead of a test that never ends */
	while (status.running) {
		log_rig_step(1);
		usleep(1000);
		log_status(log, &status);
	}
	if (!strstr(status.error.text, "No space left"))
		return 1;
	log_rig_step(20);
	if (log_stop(log, NULL, &err) != -EIO)
		return 2;

	struct found found = log_rig_read();

	setup_close(&log_rig_setup);
	return found.ends_whole && !found.bad && found.rows > 300 ? 0 : 3;
}

static void full_disk_ends_the_log_alone(void **state)
{
	(void)state;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(log_to_full_disk());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MOUNT)
		skip();
	assert_int_equal(status, 0);
}

/* One more frame is in the log. @return when it was not yet */
static uint64_t write_one(struct log *log, struct log_status *status)
{
	uint64_t before_ns = clock_now_ns(), n = status->frames + 1;

	log_rig_step(1);
	do {
		usleep(1000);
		log_status(log, status);
	} while (status->running && status->frames < n);
	return before_ns;
}

/* Log frames for ever. @owed  how many were written a second before the newest one was */
static void log_on(atomic_uint *owed)
{
	enum { MANY = 100000 };
	static struct {
		uint64_t t_ns, frames;
	} written[MANY];
	struct log_status status;
	unsigned oldest = 0;

	log_rig_open("seed=7,clock=virtual", 100);

	struct log *log = log_rig_start();

	log_status(log, &status);
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t before_ns = write_one(log, &status);

		written[i].t_ns = clock_now_ns();
		written[i].frames = status.frames;
		while (written[oldest].t_ns + NS_PER_S < before_ns)
			atomic_store(owed, (unsigned)written[oldest++].frames);
		usleep(10000);
	}
}

static void kill_costs_at_most_a_second(void **state)
{
	(void)state;
	atomic_uint *owed = mmap(NULL, sizeof(*owed), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	assert_true(owed != MAP_FAILED);

	pid_t child = fork();

	if (child == 0) {
		log_on(owed);
		_exit(0);
	}
	while (atomic_load(owed) < 20 && waitpid(child, &status, WNOHANG) == 0)
		usleep(1000);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);

	struct found found = log_rig_read();

	assert_int_equal(found.headers, 1);
	assert_int_equal(found.bad, 0);
	assert_true(found.ends_whole);
	assert_true(atomic_load(owed) >= 20);
	assert_true(found.ticks >= atomic_load(owed));
	munmap(owed, sizeof(*owed));
}

/* What was written to a compressed file more than a second ago is in it once the next frame is, also
 * where a block was full between two seconds; `bytes` of its status are those of whole blocks. */
static void a_compressed_log_is_never_a_second_behind(void **state)
{
	(void)state;
	enum { EARLY_US = 300000, PACE_US = 50000 };
	struct log_status status;
	struct err err = { "" };
	uint64_t bytes, pushed_ns;

	needs_feature("zstd");
	snprintf(log_rig_path, sizeof(log_rig_path), "%s/log.csv.zst", log_rig_folder);
	log_rig_open("seed=7,clock=virtual,cores=2", 100);

	struct log *log = log_rig_start();

	log_status(log, &status);
	usleep(EARLY_US);
	write_one(log, &status);
	for (bytes = status.bytes; status.bytes == bytes;)
		write_one(log, &status);
	for (unsigned i = 0; i < 2; i++) {
		pushed_ns = clock_now_ns();
		for (bytes = status.bytes; status.bytes == bytes; usleep(PACE_US))
			assert_true(write_one(log, &status) < pushed_ns + NS_PER_S ||
				    status.bytes != bytes);
	}
	sampler_stop(log_rig_setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&log_rig_setup);
}

/* The file is cut short by others while a change of events and what follows it are still buffered:
 * the new file begins with what was counted before the change, and misses nothing of what was not yet
 * in the old one. */
static void a_lost_log_is_a_session_again(void **state)
{
	(void)state;
	struct log_status status = { 0 };
	struct err said = { "" }, err = { "" };
	char first[sizeof(log_rig_path)];

	log_rig_open("seed=7,clock=virtual,offline=3@0-1000", 100);

	struct log *log = log_rig_start();
	struct stat st = { 0 }, head;

	assert_int_equal(stat(log_rig_path, &head), 0);
	while (st.st_size <= head.st_size) {
		write_one(log, &status);
		assert_int_equal(stat(log_rig_path, &st), 0);
	}

	uint64_t written = log_rig_read().last_tick;

	log_rig_change(5, "BRANCH_COND_MISPRED_NONSPEC");
	log_rig_step(3);
	assert_int_equal(truncate(log_rig_path, 0), 0);
	snprintf(first, sizeof(first), "%s", log_rig_path);
	snprintf(log_rig_path, sizeof(log_rig_path), "%s/log-2.csv", log_rig_folder);
	while (access(log_rig_path, F_OK))
		write_one(log, &status);
	write_one(log, &status); /* which notes again who is off */
	sampler_stop(log_rig_setup.sampler);
	assert_int_equal(log_stop(log, &said, &err), 0);
	setup_close(&log_rig_setup);
	assert_non_null(strstr(said.text, "was truncated"));
	assert_int_equal(stat(first, &st) || st.st_size, 0);

	struct found found = log_rig_read();

	assert_int_equal(found.headers, 1);
	assert_int_equal(found.bad, 0);
	assert_int_equal(found.sets, 2);
	assert_int_equal(found.off, 1);
	assert_int_equal(found.first_tick, written + 1);
	assert_int_equal(found.ticks, found.last_tick - found.first_tick + 1);
	assert_int_equal(found.rows, found.ticks * 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full_disk_ends_the_log_alone, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(kill_costs_at_most_a_second, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_compressed_log_is_never_a_second_behind,
						log_rig_make_folder, log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(a_lost_log_is_a_session_again, log_rig_make_folder,
						log_rig_remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
