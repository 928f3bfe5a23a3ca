/* Multiplexed sets: every figure against what the simulation did while its mux group ran. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "session/format.h"
#include "rig/sim_control.h"
#include "rig/mux_rig.h"

/* What was compared in a run, so that a test cannot pass by comparing nothing. */
struct running_stats {
	unsigned n_frames, n_counts, n_scaled, n_ratios, n_off, n_late, n_not_counted;
	uint64_t covered_ns[CORES_MAX];
};

/* Every plan of a run: the sampler frees those before. */
static struct plan plans[16];
static unsigned n_plans;

static void note_plan(const struct rig *rig)
{
	const struct plan *newest = plan_newest(rig->sampler);

	if (n_plans && plans[n_plans - 1].number == newest->number)
		return;
	assert_true(n_plans < ARRAY_SIZE(plans));
	plans[n_plans++] = *newest;
}

/* The plan under which a window began. */
static const struct plan *plan_at(uint64_t t_ns)
{
	unsigned i = n_plans - 1;

	while (i && plans[i].t0_ns > t_ns)
		i--;
	return &plans[i];
}

/* What one event did between two moments while its mux group ran, and for how long that was. */
static uint64_t truth_of_mux(const struct rig *rig, unsigned core, uint64_t id, unsigned mux,
			     uint64_t from, uint64_t to, uint64_t *ret_ns)
{
	const struct plan *plan = plan_at(from);
	uint64_t sum = 0, begin = plan->t0_ns;

	*ret_ns = 0;
	for (uint64_t tick = 0; begin < to; tick++) {
		uint64_t end = plan_deadline_ns(plan, tick + 1);
		uint64_t a = begin > from ? begin : from, b = end < to ? end : to;

		if (mux_of_tick(plan->t0_ns, tick, plan->n_mux) == mux && a < b) {
			sum += sim_truth(rig->backend, core, id, PRIVILEGE_BOTH, a, b);
			*ret_ns += b - a;
		}
		begin = end;
	}
	return sum;
}

static void check_count(const struct rig *rig, const struct frame *frame, unsigned core,
			unsigned column, struct running_stats *running_stats)
{
	const struct frame_core *fc = &frame->core[core];
	const struct event *event =
		frame->set->type[rig->backend->machine.core[core].type].event[column];
	const struct count *count = &frame_counts(frame, core)[column];
	uint64_t to = rig->sampler->start_ns + fc->t_ns, ran_ns;
	uint64_t truth = truth_of_mux(rig, core, event->config[0], set_mux_of(frame->set, column),
				      to - fc->window_ns, to, &ran_ns);

	if (count->value != truth)
		fail_msg("frame %lu core %u column %u %s: %lu, truth %lu", frame->number, core,
			 column, event->name, count->value, truth);
	assert_int_equal(count->running_ns, ran_ns);
	assert_int_equal(count->enabled_ns, fc->window_ns);
	assert_int_equal(count->quality, !ran_ns                  ? QUALITY_NOT_COUNTED
					 : ran_ns < fc->window_ns ? QUALITY_SCALED
								  : QUALITY_OK);
	running_stats->n_counts++;
	running_stats->n_scaled += count->quality == QUALITY_SCALED;
	running_stats->n_not_counted += count->quality == QUALITY_NOT_COUNTED;
}

/* What is divided by INST_ALL (0x8c) in each mux group, by its number. */
static const struct {
	const char *name;
	uint64_t id;
} ratio[PRESETS] = { { "in_0", 0x8d }, { "in_1", 0x9b }, { "in_2", 0x6c } };

/* A ratio's inputs are from one mux group: it is the ratio of what happened while it ran. */
static void check_ratio(const struct rig *rig, const struct frame *frame, unsigned core,
			unsigned mux, struct running_stats *running_stats)
{
	const struct frame_core *fc = &frame->core[core];
	uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns, ran_ns;
	int column = metrics_column(frame->bound, metrics_find(&rig->metrics, ratio[mux].name));

	assert_true(column >= 0);

	struct reading reading = frame_metrics(frame, core)[column];
	uint64_t above = truth_of_mux(rig, core, ratio[mux].id, mux, from, to, &ran_ns);
	uint64_t below = truth_of_mux(rig, core, 0x8c, mux, from, to, &ran_ns);

	if (!ran_ns) {
		assert_int_equal(reading.quality, QUALITY_NOT_COUNTED);
		return;
	}
	if (!below) {
		assert_int_equal(reading.quality, QUALITY_UNDEFINED);
		return;
	}
	assert_int_equal(reading.quality, ran_ns < fc->window_ns ? QUALITY_SCALED : QUALITY_OK);

	double truth = (double)above / (double)below;

	assert_true(fabs(reading.value - truth) <= 1e-9 * truth);
	running_stats->n_ratios++;
}

static void check_frame(const struct rig *rig, const struct frame *frame,
			struct running_stats *running_stats)
{
	assert_int_equal(frame->number, running_stats->n_frames + 1);
	running_stats->n_frames++;
	assert_int_equal(frame->n_slots, frame->set->n_slots);
	for (unsigned core = 0; core < frame->n_cores; core++) {
		running_stats->n_off += frame->core[core].state == CORE_OFF;
		running_stats->n_late += frame->core[core].state == CORE_LATE;
		if (frame->core[core].state != CORE_ON)
			continue;
		running_stats->covered_ns[core] += frame->core[core].window_ns;
		for (unsigned i = 0; i < frame->n_slots; i++)
			check_count(rig, frame, core, i, running_stats);
		for (unsigned t = 0; t < set_n_mux(frame->set); t++)
			check_ratio(rig, frame, core, t, running_stats);
	}
}

static void check_frames(const struct rig *rig, struct running_stats *running_stats)
{
	const struct frame *frame;

	if (!running_stats->n_frames)
		n_plans = 0;
	note_plan(rig);
	while ((frame = queue_pop(rig->queue, NULL))) {
		check_frame(rig, frame, running_stats);
		frame_unref(frame);
	}
}

static void add_ratios(struct rig *rig)
{
	struct metrics_selection selection = { 0 };
	struct err err = { "" };

	must(metrics_select(&rig->metrics,
			    "in_0=INST_BRANCH/INST_ALL,in_1=INST_LDST/INST_ALL,"
			    "in_2=INTERRUPT_PENDING/INST_ALL",
			    &selection, &err),
	     &err);
	metrics_selection_fini(&selection);
}

static void rig_ratios(struct rig *rig, const char *options, uint64_t interval_ns, unsigned n)
{
	rig_make(rig, options, interval_ns);
	add_ratios(rig);
	rig->first = make_mux(rig, n);
	rig_start(rig);
}

static void check_undisturbed(unsigned n)
{
	struct rig rig;
	struct running_stats running_stats = { 0 };

	/* 100 ms are no multiple of 3 ns */
	rig_ratios(&rig, "clock=virtual,seed=7,wrap=near", 100 * NS_PER_MS, n);
	for (unsigned i = 1; i <= 100; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		check_frames(&rig, &running_stats);
		assert_int_equal(running_stats.n_frames, i);
	}
	assert_int_equal(running_stats.n_counts, 100 * 8 * 10 * n);
	assert_int_equal(running_stats.n_scaled, running_stats.n_counts);
	assert_true(running_stats.n_ratios > 100 * 8 * n * 9 / 10);
	for (unsigned core = 0; core < 8; core++)
		assert_int_equal(running_stats.covered_ns[core], 10 * NS_PER_S);
	rig_down(&rig);
}

static void two_mux_groups(void **state)
{
	(void)state;
	check_undisturbed(2);
}

static void three_mux_groups(void **state)
{
	(void)state;
	check_undisturbed(3);
}

/* Ten mux groups with an event on PMC7 each: no room for the empty columns between. */
static void without_empty_columns(void **state)
{
	struct set mux[10];
	struct rig rig;
	struct running_stats running_stats = { 0 };
	const struct frame *frame;
	struct err err = { "" };

	(void)state;
	rig_make(&rig, "clock=virtual,seed=5", 100 * NS_PER_MS);
	for (unsigned i = 0; i < 10; i++) {
		struct event_spec spec = { .slot = 7 };

		snprintf(spec.text, sizeof(spec.text), "r%x", 0x8d + i);
		must(set_make(rig.events, &spec, 1, PRIVILEGE_BOTH, &mux[i], &err), &err);
		assert_int_equal(mux[i].n_slots, 8);
	}
	must(set_join(mux, 10, &rig.first, &err), &err);
	rig_start(&rig);
	n_plans = 0;
	note_plan(&rig);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		frame = queue_pop(rig.queue, NULL);
		for (unsigned core = 0; core < frame->n_cores; core++)
			for (unsigned column = 0; column < frame->n_slots; column++)
				check_count(&rig, frame, core, column, &running_stats);
		frame_unref(frame);
	}
	assert_int_equal(running_stats.n_scaled, 20 * 8 * 30);
	rig_down(&rig);
}

static void set_interval(struct rig *rig, uint64_t interval_ns)
{
	struct err err = { "" };

	must(sampler_set_interval(rig->sampler, interval_ns, &err), &err);
}

/* Cores that go and come back, other sets and intervals, whenever they like. */
static void disturbed(void **state)
{
	struct rig rig;
	struct running_stats running_stats = { 0 };

	(void)state;
	rig_ratios(&rig, "clock=virtual,seed=11", 9 * NS_PER_MS, 3);
	for (unsigned mux = 1; mux <= 2400; mux++) {
		if (mux == 40 || mux == 61)
			assert_int_equal(sim_core_offline(rig.backend, 3, mux == 40), 0);
		if (mux == 100)
			load_mux(&rig, 2);
		if (mux == 151)
			load_mux(&rig, 3);
		if (mux == 200)
			set_interval(&rig, 30 * NS_PER_MS);
		if (mux == 301)
			set_interval(&rig, 200 * NS_PER_MS);
		if (mux == 352)
			sampler_cut(rig.sampler);
		if (mux == 400 || mux == 460)
			assert_int_equal(sim_core_offline(rig.backend, 5, mux == 400), 0);
		sampler_step_mux(rig.sampler);
		check_frames(&rig, &running_stats);
	}
	sampler_stop(rig.sampler);
	check_frames(&rig, &running_stats);
	print_message("# %u counts (%u scaled, %u of mux groups that did not run), %u ratios\n",
		      running_stats.n_counts, running_stats.n_scaled, running_stats.n_not_counted,
		      running_stats.n_ratios);
	assert_true(running_stats.n_scaled > 20000);
	assert_true(running_stats.n_not_counted > 0); /* of the frames that a change cut short */
	assert_true(running_stats.n_ratios > 2000);
	assert_in_range(running_stats.n_off, 8, 11);
	/* the others were counted without a gap */
	assert_int_equal(running_stats.covered_ns[0], sampler_now_ns(rig.sampler));
	assert_int_equal(running_stats.covered_ns[0], running_stats.covered_ns[7]);
	assert_true(running_stats.covered_ns[3] < running_stats.covered_ns[0]);
	rig_down(&rig);
}

/* The interval has room for each mux group, or says so and stays. */
static void short_intervals(void **state)
{
	static const char needs_2[] =
		"the interval must be at least 2 ms: 2 sets are multiplexed in it";
	static const char needs_3[] =
		"the interval must be at least 3 ms: 3 sets are multiplexed in it";
	struct rig rig;
	struct set three;
	struct err err = { "" };

	(void)state;
	rig_make(&rig, "clock=virtual,seed=1", NS_PER_MS);
	rig.first = make_mux(&rig, 2);
	three = make_mux(&rig, 3);
	assert_int_equal(sampler_start(rig.sampler, &rig.first, &err), -EINVAL);
	assert_string_equal(err.text, needs_2);
	rig_down(&rig);

	rig_mux(&rig, "clock=virtual,seed=1", 2 * NS_PER_MS, 2);
	assert_int_equal(sampler_set_interval(rig.sampler, 2 * NS_PER_MS - 1, &err), -EINVAL);
	assert_string_equal(err.text, needs_2);
	assert_int_equal(sampler_interval(rig.sampler), 2 * NS_PER_MS);
	three = make_mux(&rig, 3);
	assert_int_equal(sampler_load(rig.sampler, &three, &err), -EINVAL);
	assert_string_equal(err.text, needs_3);
	assert_int_equal(set_n_mux(sampler_set(rig.sampler)), 2);
	assert_int_equal(sampler_step(rig.sampler), 0);

	const struct frame *frame = queue_pop(rig.queue, NULL);

	assert_int_equal(frame->n_slots, 20);
	assert_int_equal(frame_counts(frame, 0)[19].running_ns, NS_PER_MS);
	frame_unref(frame);
	rig_down(&rig);
}

/* A cluster's rate is the mean core's times its cores, and its ratios are from the sums. */
static void rows_of_several_cores(void **state)
{
	struct rig rig;
	struct frame_row row;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=9", NS_PER_S, 2);
	assert_int_equal(sampler_step(rig.sampler), 0);

	const struct frame *frame = queue_pop(rig.queue, NULL);
	double rates = 0, total = 0;

	for (unsigned core = 4; core < 8; core++) {
		rates += count_rate(&frame_counts(frame, core)[10]).value;
		total += count_total(&frame_counts(frame, core)[10]).value;
	}
	frame_row(frame, &rig.backend->machine, &rig.metrics, BY_CLUSTER, 1, &row);
	assert_int_equal(row.count[10].quality, QUALITY_SCALED);
	assert_int_equal(row.count[10].enabled_ns, 4 * NS_PER_S);
	assert_int_equal(row.count[10].running_ns, 2 * NS_PER_S);
	assert_true(fabs(count_rate(&row.count[10]).value - rates) <= 1e-9 * rates);
	assert_true(fabs(count_total(&row.count[10]).value - total) <= 1e-9 * total);

	/* IPC is of the first mux group: column 1 over column 0 */
	double ipc = (double)row.count[1].value / (double)row.count[0].value;

	assert_true(fabs(row.metric[0].value - ipc) <= 1e-9 * ipc);
	assert_int_equal(row.metric[0].quality, QUALITY_SCALED);
	frame_unref(frame);
	rig_down(&rig);
}

/* Real threads, real time, with everything that may happen. */
static void real_time(void **state)
{
	struct rig rig;
	unsigned n_frames = 0, n_on = 0;

	(void)state;
	rig_mux(&rig, "seed=3,cores=4", 6 * NS_PER_MS, 3);
	while (n_frames < 80) {
		const struct frame *frame = wait_for_frame(&rig);

		for (unsigned core = 0; core < 4; core++) {
			if (frame->core[core].state != CORE_ON)
				continue;
			check_cycles(&rig, frame, core);
			n_on++;
		}
		frame_unref(frame);
		n_frames++;
		if (n_frames % 10 == 0)
			load_mux(&rig, 1 + n_frames / 10 % 3);
		if (n_frames % 10 == 5)
			set_interval(&rig, (5 + n_frames / 10) * NS_PER_MS);
		if (n_frames == 24 || n_frames == 44)
			assert_int_equal(sim_core_offline(rig.backend, 1, n_frames == 24), 0);
	}
	assert_true(n_on > 80);
	sampler_stop(rig.sampler);
	rig_down(&rig);
}

/* A machine that halts counts intervals, and a step is a frame. */
static void halting(void **state)
{
	struct rig rig;
	const struct frame *frame;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=3,halt=4", 30 * NS_PER_MS, 3);
	for (uint64_t i = 1; i <= 4; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		frame = queue_pop(rig.queue, NULL);
		assert_int_equal(frame->number, i);
		assert_int_equal(frame->t_ns, i * 30 * NS_PER_MS);
		frame_unref(frame);
		assert_null(queue_pop(rig.queue, NULL));
	}
	assert_int_equal(sampler_step(rig.sampler), -ENODATA);
	rig_down(&rig);
}

static bool has_line(const char *text, const char *begin, const char *middle)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *end = strchrnul(line += *line == '\n', '\n');
		const char *found = strstr(line, middle);

		if (strncmp(line, begin, strlen(begin)) == 0 && found && found < end)
			return true;
	}
	return false;
}

/* A session log says which mux group a column is of, and nothing of it when there are none. */
static void log_names_mux_groups(void **state)
{
	struct format_context context;
	struct text text = { 0 };
	struct rig rig;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=3", 30 * NS_PER_MS, 3);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	assert_true(has_line(text.bytes, "# set 1 type=E slot=0 turn=0 pmu=", "CORE_ACTIVE_CYCLE"));
	assert_true(has_line(text.bytes, "# set 1 type=P slot=17 turn=1 pmu=", " counter=7"));
	assert_true(
		has_line(text.bytes, "# set 1 type=P slot=20 turn=2 pmu=", "CORE_ACTIVE_CYCLE"));
	text_clear(&text);
	load_mux(&rig, 1);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	assert_true(has_line(text.bytes, "# set 2 type=E slot=0 pmu=", "CORE_ACTIVE_CYCLE"));
	assert_null(strstr(text.bytes, "turn="));
	text_fini(&text);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_mux_groups),
		cmocka_unit_test(three_mux_groups),
		cmocka_unit_test(without_empty_columns),
		cmocka_unit_test(disturbed),
		cmocka_unit_test(short_intervals),
		cmocka_unit_test(rows_of_several_cores),
		cmocka_unit_test(real_time),
		cmocka_unit_test(halting),
		cmocka_unit_test(log_names_mux_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
