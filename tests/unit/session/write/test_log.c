/* test_log.c: sessions of the simulated machine logged to files: every row accounted for */
#include "rig/harness.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/shared/setup.h"
#include "session/write/log.h"

static const struct sink_limits no_limits;

static char folder[64];
static struct setup setup;
static char path[128];

static int make_folder(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	snprintf(folder, sizeof(folder), "/tmp/m1top-log-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/log.csv", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void open_sim(const char *sim_options, uint64_t interval_ms)
{
	struct options options = { .backend = "sim",
				   .backend_options = sim_options,
				   .interval_ns = interval_ms * NS_PER_MS,
				   .budget_pct = 100 };
	struct err err = { "" };

	if (setup_open(&options, 0, &setup, &err))
		fail_msg("%s", err.text);
}

static struct log *start(void)
{
	struct log *log = NULL;
	struct err err = { "" };

	if (sampler_start(setup.sampler, &setup.first, &err) ||
	    log_start(setup.sampler, &setup.metrics, path, SINK_NEW, &no_limits, &log, &err))
		fail_msg("%s", err.text);
	return log;
}

static void step(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sampler_step(setup.sampler), 0);
}

/* Until all that is queued is in the file. */
static void end(struct log *log, struct log_status *ret)
{
	do {
		log_end(log, NS_PER_S);
		log_status(log, ret);
	} while (ret->running);
}

static void change(unsigned slot, const char *event)
{
	struct set next;
	struct err err = { "" };

	if (set_change(setup.events, sampler_set(setup.sampler), slot, event, PRIVILEGE_BOTH, &next,
		       &err) ||
	    sampler_load(setup.sampler, &next, &err))
		fail_msg("%s", err.text);
}

/* What a reader finds in the file. */
struct found {
	unsigned rows, headers, sets, marks, gaps, off, on, own, others;
	unsigned bad; /* rows that have not twelve columns */
	unsigned long last_set;
	uint64_t gap_frames, first_tick, last_tick, ticks;
	double last_s;
	bool ends_whole;
};

static unsigned commas(const char *line)
{
	unsigned n = 0;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static void read_row(const char *line, struct found *found)
{
	char *end;
	uint64_t tick = strtoull(line, &end, 10);
	double t_s = *end == ',' ? strtod(end + 1, &end) : -1;

	found->rows++;
	found->bad += commas(line) != 11 || t_s < 0 || *end != ',';
	if (!found->first_tick)
		found->first_tick = tick;
	found->ticks += tick != found->last_tick;
	found->last_tick = tick;
	found->last_s = t_s;
}

/* What follows the word of a note. @return NULL when it is another note */
static char *behind(char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 ? line + n : NULL;
}

static void read_note(char *line, struct found *found)
{
	char *rest;

	if ((rest = behind(line, "# gap "))) {
		strtod(rest, &rest);
		found->gaps++;
		found->gap_frames += strtoull(rest, NULL, 10);
	} else if ((rest = behind(line, "# set "))) {
		unsigned long set = strtoul(rest, NULL, 10);

		found->sets += set != found->last_set;
		found->last_set = set;
	} else {
		found->marks += behind(line, "# mark ") != NULL;
		found->off += behind(line, "# off ") != NULL;
		found->on += behind(line, "# on ") != NULL;
		found->own += behind(line, "# own ") != NULL;
	}
}

static struct found read_log(void)
{
	FILE *file = fopen(path, "r");
	struct found found = { .ends_whole = true };
	char line[512];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		found.ends_whole = strchr(line, '\n') != NULL;
		if (*line == '#')
			read_note(line, &found);
		else if (strncmp(line, "tick,", 5) == 0)
			found.headers++;
		else
			read_row(line, &found);
	}
	fclose(file);
	return found;
}

static void every_row_is_accounted_for(void **state)
{
	(void)state;
	struct err err = { "" };
	struct log_status status;

	open_sim("seed=7,clock=virtual", 100);

	struct log *log = start();

	step(10);
	change(5, "BRANCH_COND_MISPRED_NONSPEC");
	step(10);
	log_mark(log, "one");
	change(5, "INST_BRANCH_RET");
	step(10);
	log_mark(log, "two, with a comma");
	change(9, "");
	step(10);
	log_status(log, &status);
	assert_true(status.running);
	sampler_stop(setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&setup);

	struct found found = read_log();

	assert_int_equal(found.headers, 1);
	assert_int_equal(found.sets, 4);
	assert_int_equal(found.marks, 2);
	assert_int_equal(found.gaps, 0);
	assert_int_equal(found.bad, 0);
	assert_true(found.ends_whole);
	assert_int_equal(found.first_tick, 1);
	/* one frame a tick, and one in which a change closed the windows before it where time had
	 * passed: every number from the first to the last is there */
	assert_true(found.ticks >= 40);
	assert_int_equal(found.ticks, found.last_tick - found.first_tick + 1);
	/* ten events on eight cores, nine after slot 9 was cleared */
	assert_int_equal(found.rows, found.ticks * 80 - UINT64_C(10) * 8);
	assert_int_equal(found.own, 0); /* virtual time costs nothing that could be stated */
}

static void offline_cores_are_noted(void **state)
{
	(void)state;
	struct err err = { "" };

	open_sim("seed=7,clock=virtual,offline=3@1-2", 100);

	struct log *log = start();

	step(30);
	sampler_stop(setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&setup);

	struct found found = read_log();

	assert_int_equal(found.off, 1);
	assert_int_equal(found.on, 1);
	assert_int_equal(found.bad, 0);
	assert_true(found.rows < 30 * 80 && found.rows > 30 * 70);
}

/* However fast frames come: what was not written is told, in the file and in the status. */
static void lost_frames_become_gaps(void **state)
{
	(void)state;
	enum { STEPS = 12000 };
	struct err err = { "" };
	struct log_status status;

	open_sim("seed=7,clock=virtual,cores=2", 1);

	struct log *log = start();

	step(STEPS);
	sampler_stop(setup.sampler);
	end(log, &status);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&setup);

	struct found found = read_log();

	assert_int_equal(found.bad, 0);
	assert_int_equal(status.frames + status.lost_frames, STEPS);
	assert_int_equal(found.gap_frames, status.lost_frames);
	assert_int_equal(found.gaps > 0, status.lost_frames > 0);
	assert_int_equal(found.ticks + found.gap_frames, STEPS);
}

/* What is queued when the log is told to end is written, while the sampler goes on; nothing that is
 * counted after it is in, nor is that a loss. */
static void it_ends_beside_the_sampler(void **state)
{
	(void)state;
	enum { STEPS = 200 };
	struct log_status status;
	struct err err = { "" };

	open_sim("seed=7,clock=virtual,cores=64", 100);

	struct log *log = start();

	step(STEPS);
	log_end(log, 0);
	step(STEPS);
	end(log, &status);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&setup);
	assert_int_equal(status.frames + status.lost_frames, STEPS);

	struct found found = read_log();

	assert_int_equal(found.bad, 0);
	assert_int_equal(found.ticks + found.gap_frames, STEPS);
}

static void existing_file_is_refused(void **state)
{
	(void)state;
	FILE *file = fopen(path, "w");
	struct err err = { "" };
	struct log *log;

	fputs("precious\n", file);
	fclose(file);
	open_sim("seed=7,clock=virtual", 100);
	assert_int_equal(
		log_start(setup.sampler, &setup.metrics, path, SINK_NEW, &no_limits, &log, &err),
		-EEXIST);
	assert_non_null(strstr(err.text, "--append"));
	setup_close(&setup);
	assert_int_equal(read_log().headers, 0);
}

enum { NO_MOUNT = 77 };

/* A disk of 64 KiB: the log ends by itself, whole lines only, and sampling goes on. */
static int log_to_full_disk(void)
{
	struct log_status status = { .running = true };
	struct err err = { "" };

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=64k"))
		return NO_MOUNT;
	open_sim("seed=7,clock=virtual", 100);

	struct log *log = start();

	alarm(300); /* instead of a test that never ends */
	while (status.running) {
		step(1);
		usleep(1000);
		log_status(log, &status);
	}
	if (!strstr(status.error.text, "No space left"))
		return 1;
	step(20);
	if (log_stop(log, NULL, &err) != -EIO)
		return 2;

	struct found found = read_log();

	setup_close(&setup);
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

	step(1);
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

	open_sim("seed=7,clock=virtual", 100);

	struct log *log = start();

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

	struct found found = read_log();

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

	snprintf(path, sizeof(path), "%s/log.csv.zst", folder);
	open_sim("seed=7,clock=virtual,cores=2", 100);

	struct log *log = start();

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
	sampler_stop(setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&setup);
}

/* The file is cut short by others while a change of events and what follows it are still buffered:
 * the new file begins with what was counted before the change, and misses nothing of what was not yet
 * in the old one. */
static void a_lost_log_is_a_session_again(void **state)
{
	(void)state;
	struct log_status status = { 0 };
	struct err said = { "" }, err = { "" };
	char first[sizeof(path)];

	open_sim("seed=7,clock=virtual,offline=3@0-1000", 100);

	struct log *log = start();
	struct stat st = { 0 }, head;

	assert_int_equal(stat(path, &head), 0);
	while (st.st_size <= head.st_size) {
		write_one(log, &status);
		assert_int_equal(stat(path, &st), 0);
	}

	uint64_t written = read_log().last_tick;

	change(5, "BRANCH_COND_MISPRED_NONSPEC");
	step(3);
	assert_int_equal(truncate(path, 0), 0);
	snprintf(first, sizeof(first), "%s", path);
	snprintf(path, sizeof(path), "%s/log-2.csv", folder);
	while (access(path, F_OK))
		write_one(log, &status);
	write_one(log, &status); /* which notes again who is off */
	sampler_stop(setup.sampler);
	assert_int_equal(log_stop(log, &said, &err), 0);
	setup_close(&setup);
	assert_non_null(strstr(said.text, "was truncated"));
	assert_int_equal(stat(first, &st) || st.st_size, 0);

	struct found found = read_log();

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
		cmocka_unit_test_setup_teardown(every_row_is_accounted_for, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(offline_cores_are_noted, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(it_ends_beside_the_sampler, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(lost_frames_become_gaps, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(existing_file_is_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(full_disk_ends_the_log_alone, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(kill_costs_at_most_a_second, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(a_compressed_log_is_never_a_second_behind,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_lost_log_is_a_session_again, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
