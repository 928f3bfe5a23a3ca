/* A session in figures: totals against what the simulation did, spread against a sorted list. */
#include "rig/sim_control.h"
#include "rig/summary_rig.h"

#include "session/format.h"

/* Find a row; fail the test if there is none. */
static const struct summary_row *told_row(const struct told *told, const char *name)
{
	for (size_t i = 0; i < told->summary.n_rows; i++)
		if (strcmp(told->summary.row[i].name, name) == 0)
			return &told->summary.row[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* Find a figure of a row; fail the test if there is none. */
static struct summary_figure *told_figure(const struct told *told, const char *row_name,
					  const char *name)
{
	const struct summary_row *row = told_row(told, row_name);

	for (size_t i = 0; i < row->n; i++) {
		char is[EVENT_NAME_MAX + 4];

		summary_figure_name(&told->summary, &row->figure[i], is, sizeof(is));
		if (strcmp(is, name) == 0)
			return &row->figure[i];
	}
	fail_msg("%s has no %s", row_name, name);
	return NULL;
}

#define INTERVAL_NS (100 * NS_PER_MS)

enum { FRAMES = 200 };

/* A recorded session, its frames and the machine it was recorded on. */
struct story {
	struct rig rig;
	struct format_context context;
	struct text text;
	const struct frame *frame[FRAMES + 20];
	size_t n;
};

static void drain(struct story *story)
{
	const struct frame *frame;

	while ((frame = queue_pop(story->rig.queue, NULL))) {
		format_csv.frame(&story->context, frame, &story->text);
		story->frame[story->n++] = frame;
	}
}

static void go(struct story *story, size_t n)
{
	while (n--) {
		assert_int_equal(sampler_step(story->rig.sampler), 0);
		drain(story);
	}
}

static void begin(struct story *story, const char *options)
{
	*story = (struct story){ .n = 0 };
	rig_up(&story->rig, options, INTERVAL_NS);
	format_context_init(&story->context, story->rig.sampler, &story->rig.metrics);
	format_csv.begin(&story->context, &story->text);
}

static void end(struct story *story)
{
	for (size_t i = 0; i < story->n; i++)
		frame_unref(story->frame[i]);
	text_fini(&story->text);
	rig_down(&story->rig);
}

/* Of every core: what happened from the first window's begin to the last one's end. */
static void totals_are_what_happened(void **state)
{
	static struct story story;
	struct told told;

	(void)state;
	begin(&story, "clock=virtual,seed=3");
	go(&story, FRAMES);
	told_make(&told, &story.text, NULL);
	assert_int_equal(told.summary.n_frames, FRAMES);
	for (unsigned core = 0; core < 8; core++) {
		uint64_t start_ns = story.rig.sampler->start_ns;
		uint64_t end_ns = story.frame[FRAMES - 1]->core[core].t_ns;
		uint64_t begin_ns =
			story.frame[0]->core[core].t_ns - story.frame[0]->core[core].window_ns;
		uint64_t truth = sim_truth(story.rig.backend, core, 0x8c, PRIVILEGE_BOTH,
					   start_ns + begin_ns, start_ns + end_ns);
		char name[16];

		snprintf(name, sizeof(name), "%s cpu%u", core < 4 ? "E" : "P", core);

		const struct summary_figure *figure = told_figure(&told, name, "INST_ALL");

		assert_int_equal(figure->sum.value, truth);
		assert_same(figure->total.value, (double)truth);
		assert_same(figure->mean.value, (double)truth * 1e9 / (double)(end_ns - begin_ns));
		assert_same(figure->counted_pct, 100);
	}
	told_end(&told);
	end(&story);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Rates and metrics of each interval, sorted: the percentile is one of them. */
static void percentiles_are_those_of_a_sorted_list(void **state)
{
	static struct story story;
	double rate[FRAMES], ipc[FRAMES];
	struct summary_figure *figure;
	struct told told;

	(void)state;
	begin(&story, "clock=virtual,seed=4");
	go(&story, FRAMES);
	for (size_t i = 0; i < FRAMES; i++) {
		struct frame_row row;

		frame_row(story.frame[i], &story.rig.backend->machine, &story.rig.metrics, BY_TYPE,
			  1, &row);
		rate[i] = count_rate(&row.count[1]).value;
		ipc[i] = frame_row_metric(&row, metrics_find(&story.rig.metrics, "IPC")).value;
	}
	qsort(rate, FRAMES, sizeof(*rate), by_size);
	qsort(ipc, FRAMES, sizeof(*ipc), by_size);
	told_make(&told, &story.text, "IPC");
	for (unsigned pct = 1; pct <= 100; pct++) {
		size_t at = (FRAMES * pct + 99) / 100 - 1;

		figure = told_figure(&told, "P", "INST_ALL");
		assert_same(distribution_percentile(&figure->distribution, pct), rate[at]);
		figure = told_figure(&told, "P", "IPC");
		assert_same(distribution_percentile(&figure->distribution, pct), ipc[at]);
	}
	told_end(&told);
	end(&story);
}

/* Of the summed counts, which is not the mean of the intervals' ratios. */
static void metrics_are_of_summed_counts(void **state)
{
	static const char *const rows[] = { "E", "P", "E cluster 0", "E cpu1", "P cpu7" };
	static struct story story;
	struct told told;

	(void)state;
	begin(&story, "clock=virtual,seed=5,offline=2@3-6");
	go(&story, FRAMES);
	told_make(&told, &story.text, "IPC,mine=1000*INST_BRANCH/INST_ALL");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double cycles = (double)told_figure(&told, rows[i], "CORE_ACTIVE_CYCLE")->sum.value;
		double all = (double)told_figure(&told, rows[i], "INST_ALL")->sum.value;
		double branches = (double)told_figure(&told, rows[i], "INST_BRANCH")->sum.value;
		const struct summary_figure *ipc = told_figure(&told, rows[i], "IPC");

		assert_same(ipc->mean.value, all / cycles);
		assert_int_equal(ipc->mean.quality, QUALITY_OK);
		assert_true(fabs(ipc->distribution.mean - ipc->mean.value) > 1e-6);
		assert_same(told_figure(&told, rows[i], "mine")->mean.value, 1000 * branches / all);
	}
	assert_null(summary_missing_metric(&told.summary, 0));
	/* A core that is away for a while makes the others no faster. When it is back, one of four cores lacks one window. */
	assert_same(told_figure(&told, "E", "INST_ALL")->requested_s, 20 - .1 / 4);
	assert_same(told_figure(&told, "E", "INST_ALL")->mean.value,
		    told_figure(&told, "E", "INST_ALL")->total.value / (20 - .1 / 4));
	told_end(&told);
	end(&story);
}

static bool has_annotation(const struct told *told, enum annotation_kind kind, const char *text)
{
	for (size_t i = 0; i < told->summary.n_annotations; i++)
		if (told->summary.annotation[i].kind == kind &&
		    strstr(told->summary.annotation[i].text, text))
			return true;
	return false;
}

/* An event that was counted for a part of the session: its total and rate are of that part, and a
 * metric takes those windows only in which it had all it needs. */
static void events_may_come_and_go(void **state)
{
	static struct story story;
	const struct summary_figure *old, *new, *density;
	struct told told;

	(void)state;
	begin(&story, "clock=virtual,seed=6,offline=1@2-4");
	go(&story, 50);
	rig_change(&story.rig, 5, "INST_BRANCH_TAKEN");
	format_csv.mark(&story.context, 5 * NS_PER_S, "the \"second\" half", &story.text);
	drain(&story);
	go(&story, 150);
	told_make(&told, &story.text, NULL);
	old = told_figure(&told, "P", "INST_BRANCH");
	new = told_figure(&told, "P", "INST_BRANCH_TAKEN");
	density = told_figure(&told, "P", "branch_share");
	assert_true(fabs(old->counted_pct - 25) < 0.5);
	assert_true(fabs(new->counted_pct - 75) < 0.5);
	assert_same(old->mean.value, old->total.value / 5);
	assert_int_equal(density->inputs.count[0].value, old->sum.value);
	assert_int_equal(density->inputs.count[0].enabled_ns, density->inputs.count[1].enabled_ns);
	assert_int_equal(density->mean.quality, QUALITY_OK);
	assert_true(has_annotation(&told, ANNOTATION_EVENTS,
				   "E, P slot 5: INST_BRANCH → INST_BRANCH_TAKEN"));
	assert_true(has_annotation(&told, ANNOTATION_MARK, "the \"second\" half"));
	assert_true(has_annotation(&told, ANNOTATION_OFF, "cpu1 off"));
	assert_true(has_annotation(&told, ANNOTATION_ON, "cpu1 on"));
	told_end(&told);
	end(&story);
}

static void metrics_that_were_not_counted_are_said(void **state)
{
	static struct story story;
	struct told told;

	(void)state;
	begin(&story, "clock=virtual,seed=6");
	go(&story, 3);
	told_make(&told, &story.text, "IPC,x=INST_SIMD_ALU/INST_ALL");
	assert_non_null(summary_missing_metric(&told.summary, 0));
	assert_string_equal(summary_missing_metric(&told.summary, 0)->name, "x");
	assert_null(summary_missing_metric(&told.summary, 1));
	told_end(&told);
	end(&story);
}

/* Parts of the time, no value, and a core that is away: written by hand, so that each is known. */
static void standing_is_kept(void **state)
{
	const struct summary_figure *a, *b, *both;
	struct text text = { 0 };
	struct told told;

	(void)state;
	tell_head(&text, "M");
	tell_row(&text, 1, 0, 0, "100", 1, "ok");
	tell_row(&text, 1, 0, 1, "50", 0.5, "scaled");
	tell_row(&text, 1, 1, 0, "300", 1, "ok");
	tell_row(&text, 2, 0, 0, NULL, 0, "lost");
	tell_row(&text, 2, 0, 1, "70", 0.5, "scaled");
	tell_row(&text, 2, 1, 0, "500", 1, "ok");
	tell_row(&text, 3, 0, 0, "200", 1, "ok");
	tell_row(&text, 3, 0, 1, NULL, 0, "not_counted");
	told_make(&told, &text, "r=A/B");
	a = told_figure(&told, "cpu0", "A");
	assert_int_equal(a->sum.value, 300);
	assert_int_equal(a->total.quality, QUALITY_SCALED); /* two windows of three */
	assert_same(a->total.value, 300 * 3 / 2.0);
	assert_same(a->mean.value, 1500);
	assert_same(a->counted_pct, 100 * 2.0 / 3);
	assert_int_equal(a->n_intervals[QUALITY_LOST], 1);
	b = told_figure(&told, "cpu0", "B");
	assert_int_equal(b->total.quality, QUALITY_SCALED);
	assert_same(b->total.value, 120 * 3);
	assert_same(b->mean.value, 1200);
	assert_same(b->counted_pct, 100 * 1.0 / 3);
	assert_int_equal(b->n_intervals[QUALITY_NOT_COUNTED], 1);
	/* only the first window has both */
	both = told_figure(&told, "cpu0", "r");
	assert_int_equal(both->mean.quality, QUALITY_SCALED);
	assert_same(both->mean.value, 1);
	assert_int_equal(both->distribution.n, 1);
	/* in the second interval cpu0's was lost, and so the sum of both cores */
	assert_int_equal(told_figure(&told, "cpu", "A")->sum.value, 100 + 300 + 200);
	assert_same(told_figure(&told, "cpu", "A")->total.value, 600 * 5 / 3.0);
	told_end(&told);
	text_fini(&text);
}

/* 0/0 is no ratio of an interval, but part of the session's. */
static void windows_without_events_count(void **state)
{
	static const char *const counts[][2] = { { "0", "0" }, { "6", "2" }, { "0", "1" } };
	struct text text = { 0 };
	struct told told;

	(void)state;
	tell_head(&text, "M");
	for (unsigned i = 0; i < 3; i++) {
		tell_row(&text, i + 1, 0, 0, counts[i][0], 1, "ok");
		tell_row(&text, i + 1, 0, 1, counts[i][1], 1, "ok");
	}
	told_make(&told, &text, "r=A/B");
	assert_same(told_figure(&told, "cpu0", "r")->mean.value, 2);
	assert_int_equal(told_figure(&told, "cpu0", "r")->distribution.n, 2);
	assert_int_equal(told_figure(&told, "cpu0", "r")->n_intervals[QUALITY_UNDEFINED], 1);
	told_end(&told);
	text_fini(&text);
}

/* What a crash left, and what is wrong: the figures are of what stands before it. */
static void broken_files_are_read_as_far_as_they_go(void **state)
{
	static const struct {
		int line;
		const char *tail;
		bool is_cut;
		const char *last_error;
	} rows[] = {
		{ __LINE__, "", false, "" },
		{ __LINE__, "3,0.3,0,cpu,cpu,0,,A,1", true, "" },
		{ __LINE__, "3,0.3,0,cpu,cpu,0,,A,x,1,1,ok\n", false, "count \"x\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text text = { 0 };
		struct told told;

		tell_head(&text, "M");
		tell_row(&text, 1, 0, 0, "1", 1, "ok");
		tell_row(&text, 2, 0, 0, "2", 1, "ok");
		text_printf(&text, "# mark 0.2 \"there\"\n%s", rows[i].tail);
		told_make(&told, &text, NULL);
		if (told.summary.is_cut != rows[i].is_cut || told.summary.n_frames != 2 ||
		    !strstr(told.summary.last_error.text, rows[i].last_error) ||
		    !*rows[i].last_error != !*told.summary.last_error.text)
			fail_msg("line %d: %s", rows[i].line, told.summary.last_error.text);
		told_end(&told);
		text_fini(&text);
	}
}

/* Two events in rows of a core, a cluster and a type: more figures than are kept exactly. */
static void long_sessions_are_within_half_a_percent(void **state)
{
	enum { TICKS = 180000 };
	struct text text = { 0 };
	struct told told;

	(void)state;
	tell_head(&text, "M");
	text_printf(&text, "# off 0.1 cpu 1\n");
	for (unsigned i = 1; i <= TICKS; i++) {
		char count[16];

		snprintf(count, sizeof(count), "%u", 1000 + i * 7919 % TICKS);
		tell_row(&text, i, 0, 0, count, 1, "ok");
		tell_row(&text, i, 0, 1, "5", 1, "ok");
	}
	told_make(&told, &text, NULL);
	assert_true(told.summary.is_coarse);

	struct summary_figure *figure = told_figure(&told, "cpu0", "A");

	assert_int_equal(figure->distribution.n, TICKS);
	for (double pct = 1; pct < 100; pct++) {
		double truth = 10 * (999 + TICKS * pct / 100);

		assert_true(fabs(distribution_percentile(&figure->distribution, pct) - truth) <
			    0.0051 * truth);
	}
	assert_same(figure->distribution.min, 10000);
	assert_same(figure->distribution.max, 10 * (999 + TICKS));
	told_end(&told);
	text_fini(&text);
}

/* A device is read on one core, and its events are in the device's row alone. */
static void devices_have_rows_of_their_own(void **state)
{
	static const char session[] =
		"# m1top session 1\n"
		"# host h kernel k backend perf interval_ms 100 started "
		"2020-11-17T12:00:00.000+00:00\n"
		"# machine M cpuid=x simulated=0\n"
		"# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0\n"
		"# cpu 0 type=cpu cluster=0 midr=0x0\n"
		"# cpu 1 type=cpu cluster=0 midr=0x0\n"
		"# set 1 type=cpu slot=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=1 pmu=dram_0 event=dram_0/rd/ config=0x2 width=64 unit=MiB "
		"scale=0.5\n"
		"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n"
		"1,0.1,0,cpu,cpu,0,,A,7,100000000,100000000,ok\n"
		"1,0.1,1,cpu,cpu,0,,A,8,100000000,100000000,ok\n"
		"1,0.1,1,cpu,dram_0,1,,dram_0/rd/,10,100000000,100000000,ok\n";
	struct text text = { 0 };
	struct told told;

	(void)state;
	text_printf(&text, "%s", session);
	told_make(&told, &text, NULL);
	assert_int_equal(told_row(&told, "dram_0")->by, BY_DEVICE);
	assert_true(cpus_has(&told_row(&told, "dram_0")->cpus, 1));
	assert_int_equal(told_row(&told, "dram_0")->n, 1);
	assert_same(told_figure(&told, "dram_0", "dram_0/rd/")->total.value, 5);
	assert_same(told_figure(&told, "dram_0", "dram_0/rd/")->mean.value, 50);
	assert_same(told_figure(&told, "dram_0", "dram_0/rd/")->counted_pct, 100);
	assert_false(summary_figure_is_shown(told_row(&told, "cpu1"),
					     told_figure(&told, "cpu1", "dram_0/rd/")));
	assert_true(summary_figure_is_shown(told_row(&told, "dram_0"),
					    told_figure(&told, "dram_0", "dram_0/rd/")));
	told_end(&told);
	text_fini(&text);
}

/* What all mux groups count is one figure, of all its time; twice at once is two. */
static void mux_groups_are_put_together(void **state)
{
	static const char session[] =
		"# m1top session 1\n"
		"# host h kernel k backend perf interval_ms 100 started "
		"2020-11-17T12:00:00.000+00:00\n"
		"# machine M cpuid=x simulated=0\n"
		"# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0\n"
		"# cpu 0 type=cpu cluster=0 midr=0x0\n"
		"# set 1 type=cpu slot=0 turn=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=1 turn=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=2 turn=1 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=3 turn=1 pmu=cpu event=B config=0x2 width=64 unit= scale=1\n"
		"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n"
		"1,0.1,0,cpu,cpu,0,,A,30,100000000,30000000,scaled\n"
		"1,0.1,0,cpu,cpu,1,,A,33,100000000,30000000,scaled\n"
		"1,0.1,0,cpu,cpu,2,,A,20,100000000,50000000,scaled\n"
		"1,0.1,0,cpu,cpu,3,,B,7,100000000,50000000,scaled\n"
		"2,0.2,0,cpu,cpu,0,,A,,100000000,0,not_counted\n"
		"2,0.2,0,cpu,cpu,1,,A,,100000000,0,not_counted\n"
		"2,0.2,0,cpu,cpu,2,,A,40,100000000,80000000,scaled\n"
		"2,0.2,0,cpu,cpu,3,,B,7,100000000,80000000,scaled\n";
	struct text text = { 0 };
	struct told told;

	(void)state;
	text_printf(&text, "%s", session);
	told_make(&told, &text, NULL);

	const struct summary_row *row = told_row(&told, "cpu0");

	assert_int_equal(row->n, 3);
	assert_int_equal(row->figure[0].distribution.n, 2);
	assert_same(row->figure[0].distribution.max, 50 / 0.08); /* 30 + 20 in 30 + 50 ms */
	assert_same(row->figure[0].distribution.min, 500);
	assert_same(row->figure[0].total.value, 90 * 200 / 160.);
	assert_same(row->figure[0].counted_pct, 80);
	assert_int_equal(row->figure[1].nth, 1);
	assert_same(row->figure[1].total.value, 33 * 200 / 30.);
	assert_same(told_figure(&told, "cpu0", "B")->counted_pct, 65);
	told_end(&told);
	text_fini(&text);
}

/* IPC is that of the totals, of all mux groups and, as one was lost, of different windows. */
static void ratios_are_those_of_the_totals(void **state)
{
	static const char session[] =
		"# m1top session 1\n"
		"# host h kernel k backend perf interval_ms 100 started "
		"2020-11-17T12:00:00.000+00:00\n"
		"# machine M cpuid=x simulated=0\n"
		"# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0\n"
		"# cpu 0 type=cpu cluster=0 midr=0x0\n"
		"# set 1 type=cpu slot=0 turn=0 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=1 turn=0 pmu=cpu event=B config=0x2 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=2 turn=1 pmu=cpu event=A config=0x1 width=64 unit= scale=1\n"
		"# set 1 type=cpu slot=3 turn=1 pmu=cpu event=B config=0x2 width=64 unit= scale=1\n"
		"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality\n"
		"1,0.1,0,cpu,cpu,0,,A,30,100000000,50000000,scaled\n"
		"1,0.1,0,cpu,cpu,1,,B,60,100000000,50000000,scaled\n"
		"1,0.1,0,cpu,cpu,2,,A,40,100000000,50000000,scaled\n"
		"1,0.1,0,cpu,cpu,3,,B,20,100000000,50000000,scaled\n"
		"2,0.2,0,cpu,cpu,0,,A,,100000000,0,not_counted\n"
		"2,0.2,0,cpu,cpu,1,,B,,100000000,0,not_counted\n"
		"2,0.2,0,cpu,cpu,2,,A,50,100000000,50000000,scaled\n"
		"2,0.2,0,cpu,cpu,3,,B,30,100000000,50000000,scaled\n";
	const struct summary_figure *ratio;
	struct text text = { 0 };
	struct told told;

	(void)state;
	text_printf(&text, "%s", session);
	told_make(&told, &text, "r=A/B");
	ratio = told_figure(&told, "cpu0", "r");
	assert_same(ratio->mean.value, 120 / 110.);
	assert_same(ratio->mean.value, told_figure(&told, "cpu0", "A")->total.value /
					       told_figure(&told, "cpu0", "B")->total.value);
	assert_int_equal(ratio->mean.quality, QUALITY_SCALED);
	assert_int_equal(ratio->distribution.n, 2);
	assert_same(ratio->distribution.min, 70 / 80.);
	assert_same(ratio->distribution.max, 50 / 30.);
	told_end(&told);
	text_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_what_happened),
		cmocka_unit_test(percentiles_are_those_of_a_sorted_list),
		cmocka_unit_test(metrics_are_of_summed_counts),
		cmocka_unit_test(events_may_come_and_go),
		cmocka_unit_test(metrics_that_were_not_counted_are_said),
		cmocka_unit_test(standing_is_kept),
		cmocka_unit_test(windows_without_events_count),
		cmocka_unit_test(broken_files_are_read_as_far_as_they_go),
		cmocka_unit_test(devices_have_rows_of_their_own),
		cmocka_unit_test(mux_groups_are_put_together),
		cmocka_unit_test(ratios_are_those_of_the_totals),
		cmocka_unit_test(long_sessions_are_within_half_a_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
