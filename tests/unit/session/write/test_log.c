/* test_log.c: sessions of the simulated machine logged to files: every row accounted for */
#include "rig/log_rig.h"

/* End the log; return when all that is queued has been written. */
static void end(struct log *log, struct log_status *ret)
{
	do {
		log_end(log, NS_PER_S);
		log_status(log, ret);
	} while (ret->running);
}

static void every_row_is_accounted_for(void **state)
{
	(void)state;
	struct err err = { "" };
	struct log_status status;

	log_rig_open("seed=7,clock=virtual", 100);

	struct log *log = log_rig_start();

	log_rig_step(10);
	log_rig_change(5, "BRANCH_COND_MISPRED_NONSPEC");
	log_rig_step(10);
	log_mark(log, "one");
	log_rig_change(5, "INST_BRANCH_RET");
	log_rig_step(10);
	log_mark(log, "two, with a comma");
	log_rig_change(9, "");
	log_rig_step(10);
	log_status(log, &status);
	assert_true(status.running);
	sampler_stop(log_rig_setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&log_rig_setup);

	struct found found = log_rig_read();

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

/* Of each set what it gives, described before the first figures of it. */

static void metrics_of_every_set_are_written(void **state)
{
	(void)state;
	struct session_request asked = { .metrics = "x=INST_ALL/2", .of_sets = true };
	struct metrics_selection selection;
	struct err err = { "" };
	char line[512], described[64][64] = { "" };
	unsigned n = 0, n_of_x = 0;

	log_rig_open("seed=7,clock=virtual", 100);
	assert_int_equal(metrics_select(&log_rig_setup.metrics, asked.metrics, &selection, &err),
			 0);

	struct log *log = log_rig_start_asked(&asked);

	log_rig_step(5);
	log_rig_change(5, "INST_BRANCH_CALL");
	log_rig_step(5);
	sampler_stop(log_rig_setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	metrics_selection_fini(&selection);
	setup_close(&log_rig_setup);

	struct found found = log_rig_read();
	FILE *file = fopen(log_rig_path, "r");

	assert_int_equal(found.bad, 0);
	assert_true(found.metrics > 0 && found.metric_rows > found.ticks * 8);
	while (fgets(line, sizeof(line), file)) {
		char *row = strstr(line, ",metric,,,");
		unsigned i = 0;

		if (strncmp(line, "# metric ", 9) == 0 && n < ARRAY_SIZE(described))
			snprintf(described[n++], 64, "%.*s", (int)strcspn(line + 9, " "), line + 9);
		if (!row || *line == '#')
			continue;
		row[10 + strcspn(row + 10, ",")] = '\0';
		n_of_x += strcmp(row + 10, "x") == 0;
		while (i < n && strcmp(described[i], row + 10) != 0)
			i++;
		assert_true(i < n);
	}
	fclose(file);
	assert_int_equal(n_of_x, found.ticks * 8);
}

static void offline_cores_are_noted(void **state)
{
	(void)state;
	struct err err = { "" };

	log_rig_open("seed=7,clock=virtual,offline=3@1-2", 100);

	struct log *log = log_rig_start();

	log_rig_step(30);
	sampler_stop(log_rig_setup.sampler);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&log_rig_setup);

	struct found found = log_rig_read();

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

	log_rig_open("seed=7,clock=virtual,cores=2", 1);

	struct log *log = log_rig_start();

	log_rig_step(STEPS);
	sampler_stop(log_rig_setup.sampler);
	end(log, &status);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&log_rig_setup);

	struct found found = log_rig_read();

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

	log_rig_open("seed=7,clock=virtual,cores=64", 100);

	struct log *log = log_rig_start();

	log_rig_step(STEPS);
	log_end(log, 0);
	log_rig_step(STEPS);
	end(log, &status);
	assert_int_equal(log_stop(log, NULL, &err), 0);
	setup_close(&log_rig_setup);
	assert_int_equal(status.frames + status.lost_frames, STEPS);

	struct found found = log_rig_read();

	assert_int_equal(found.bad, 0);
	assert_int_equal(found.ticks + found.gap_frames, STEPS);
}

static void existing_file_is_refused(void **state)
{
	(void)state;
	FILE *file = fopen(log_rig_path, "w");
	struct err err = { "" };
	struct log *log;

	fputs("precious\n", file);
	fclose(file);
	log_rig_open("seed=7,clock=virtual", 100);
	assert_int_equal(log_start(log_rig_setup.sampler, &log_rig_setup.metrics, NULL,
				   log_rig_path, SINK_NEW, &log_rig_no_limits, &log, &err),
			 -EEXIST);
	assert_non_null(strstr(err.text, "--append"));
	setup_close(&log_rig_setup);
	assert_int_equal(log_rig_read().headers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_row_is_accounted_for, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(metrics_of_every_set_are_written,
						log_rig_make_folder, log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(offline_cores_are_noted, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(lost_frames_become_gaps, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(it_ends_beside_the_sampler, log_rig_make_folder,
						log_rig_remove_folder),
		cmocka_unit_test_setup_teardown(existing_file_is_refused, log_rig_make_folder,
						log_rig_remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
