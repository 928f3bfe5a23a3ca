/* What frames say against what the simulation did: counts equal, ratios to 1e-9. */
#include <math.h>
#include <string.h>

#include "rig/sim_control.h"
#include "rig/sampler_rig.h"

/* What was checked in a run, so that a test cannot pass by comparing nothing. */
struct running_stats {
	unsigned n_frames, n_counts, n_ratios, n_off, n_not_counted, n_lost, n_late;
	uint64_t end_ns[CORES_MAX]; /* where each core's last window ended */
	uint64_t covered_ns[CORES_MAX];
	uint64_t most_per_ns; /* of any event, in whole ones */
};

static void check_metric(const struct rig *rig, const struct frame *frame, unsigned core,
			 struct running_stats *running_stats)
{
	int ipc = metrics_find(&rig->metrics, "IPC");
	uint64_t start = rig->sampler->start_ns;
	const struct frame_core *fc = &frame->core[core];
	uint64_t to = start + fc->t_ns, from = to - fc->window_ns;
	uint64_t cycles = sim_truth(rig->backend, core, 0x02, PRIVILEGE_BOTH, from, to);
	uint64_t instructions = sim_truth(rig->backend, core, 0x8c, PRIVILEGE_BOTH, from, to);
	struct reading reading = frame_metrics(frame, core)[metrics_column(frame->bound, ipc)];

	if (reading.quality != QUALITY_OK || !cycles)
		return;
	double truth = (double)instructions / (double)cycles;

	assert_true(fabs(reading.value - truth) <= 1e-9 * truth);
	running_stats->n_ratios++;
}

static void check_core(const struct rig *rig, const struct frame *frame, unsigned core,
		       struct running_stats *running_stats)
{
	const struct frame_core *fc = &frame->core[core];
	const struct placement *placement =
		&frame->set->type[rig->backend->machine.core[core].type];
	uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns;

	running_stats->n_off += fc->state == CORE_OFF;
	running_stats->n_late += fc->state == CORE_LATE;
	if (fc->state != CORE_ON)
		return;
	/* no window overlaps the one before */
	assert_true(fc->t_ns - fc->window_ns >= running_stats->end_ns[core]);
	running_stats->end_ns[core] = fc->t_ns;
	running_stats->covered_ns[core] += fc->window_ns;
	for (unsigned i = 0; i < frame->n_slots; i++) {
		const struct count *count = &frame_counts(frame, core)[i];
		const struct event *event = placement->event[i];

		running_stats->n_not_counted += count->quality == QUALITY_NOT_COUNTED;
		running_stats->n_lost += count->quality == QUALITY_LOST;
		if (count->quality != QUALITY_OK)
			continue;
		uint64_t truth =
			sim_truth(rig->backend, core, event->config[0], event->privilege, from, to);

		if (count->value != truth)
			fail_msg("frame %lu core %u %s: %lu, truth %lu", frame->number, core,
				 event->name, count->value, truth);
		assert_int_equal(count->enabled_ns, fc->window_ns);
		running_stats->n_counts++;
		if (count->value / fc->window_ns > running_stats->most_per_ns)
			running_stats->most_per_ns = count->value / fc->window_ns;
	}
	check_metric(rig, frame, core, running_stats);
}

static void check_frame(const struct rig *rig, const struct frame *frame,
			struct running_stats *running_stats)
{
	assert_int_equal(frame->number, running_stats->n_frames + 1);
	running_stats->n_frames++;
	for (unsigned core = 0; core < frame->n_cores; core++)
		check_core(rig, frame, core, running_stats);
	frame_unref(frame);
}

static void check_frames(const struct rig *rig, struct running_stats *running_stats)
{
	const struct frame *frame;

	while ((frame = queue_pop(rig->queue, NULL)))
		check_frame(rig, frame, running_stats);
}

/* A minute in steps of 100 ms with everything that may happen to it. */
static void truth_for_a_minute(void **state)
{
	struct rig rig;
	struct running_stats running_stats = { 0 };

	(void)state;
	rig_up(&rig, "clock=virtual,seed=7,wrap=near", 100 * NS_PER_MS);
	for (unsigned tick = 1; tick <= 600; tick++) {
		if (tick == 100 || tick == 150)
			assert_int_equal(sim_core_offline(rig.backend, 3, tick == 100), 0);
		if (tick == 200)
			rig_change(&rig, 5, "INST_BRANCH_TAKEN");
		if (tick == 300 || tick == 350)
			assert_int_equal(sim_steal(rig.backend, 6, 7, tick == 300), 0);
		if (tick == 400)
			rig_change(&rig, 5, NULL);
		if (tick == 450)
			rig_change(&rig, 5, "INST_BARRIER");
		if (tick == 500)
			assert_int_equal(sim_lose(rig.backend, 1, 100 * NS_PER_MS + 1), 0);
		assert_int_equal(sampler_step(rig.sampler), 0);
		check_frames(&rig, &running_stats);
	}
	sampler_stop(rig.sampler);
	check_frames(&rig, &running_stats);

	print_message("# %u counts and %u ratios compared in %u frames\n", running_stats.n_counts,
		      running_stats.n_ratios, running_stats.n_frames);
	assert_int_equal(running_stats.n_frames, 600);
	assert_int_equal(running_stats.n_not_counted, 50);
	assert_int_equal(running_stats.n_lost,
			 2 * 10); /* one failed read spoils the windows on both sides */
	/* off from tick 100 on; back at 150: asked at 150, reopened, first window ends at 152 */
	assert_in_range(running_stats.n_off, 50, 52);
	/* 8 cores × 600 frames × 10 slots, less 50 slots unused for 50 frames and the faults above */
	unsigned whole = 8 * 600 * 10;
	unsigned missing = (running_stats.n_off + running_stats.n_late) * 10 + 50 + 20 + 50 * 8;

	assert_int_equal(running_stats.n_counts, whole - missing);
	for (unsigned core = 0; core < 8; core++)
		assert_int_equal(running_stats.covered_ns[core],
				 60 * NS_PER_S - (core == 3 ? 5200 : 0) * NS_PER_MS);
	rig_down(&rig);
}

/* The id that counts how full the integer schedulers are. */
static unsigned occupancy_id(const struct rig *rig)
{
	for (unsigned id = 1; id <= UINT8_MAX; id++) {
		const struct sim_event *event = sim_event_of(sim_control(rig->backend), id);

		if (event && event->id == 0x59)
			return id;
	}
	fail_msg("no id counts occupancy");
	return 0;
}

/* A queue's entries are more in each cycle than a core could execute, known by name or not. */
static void occupancy_is_counted(void **state)
{
	static const char *const options[] = { "clock=virtual,seed=1",
					       "clock=virtual,seed=1,hidden" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
		struct rig rig;
		struct running_stats running_stats = { 0 };
		char name[8];

		rig_up(&rig, options[i], NS_PER_S);
		snprintf(name, sizeof(name), "r%02x", occupancy_id(&rig));
		rig_change(&rig, 6, name);
		for (unsigned tick = 1; tick <= 60; tick++) {
			assert_int_equal(sampler_step(rig.sampler), 0);
			check_frames(&rig, &running_stats);
		}
		assert_int_equal(running_stats.n_lost, 0);
		assert_true(running_stats.most_per_ns > 32);
		rig_down(&rig);
	}
}

/* Real threads, real time: whatever the windows turn out to be, the counts in them are true. */
static void truth_in_real_time(void **state)
{
	struct rig rig;
	struct running_stats running_stats = { 0 };

	(void)state;
	rig_up(&rig, "seed=3", 5 * NS_PER_MS);
	for (unsigned i = 0; i < 20 || !running_stats.n_ratios; i++) {
		check_frame(&rig, wait_for_frame(&rig), &running_stats);
		if (i % 5 == 4)
			rig_change(&rig, 5, i % 2 ? "INST_BRANCH_RET" : "INST_BRANCH");
	}
	sampler_stop(rig.sampler);
	check_frames(&rig, &running_stats);
	assert_true(running_stats.n_counts > 0);
	assert_true(running_stats.n_ratios > 0);
	rig_down(&rig);
}

/* An hour's interval does not keep a key waiting, nor the end. */
static void long_interval(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "seed=3", INTERVAL_MAX_NS);
	rig_change(&rig, 6, "INST_BARRIER");

	const struct frame *frame = wait_for_frame(&rig); /* closes the first set's windows */

	assert_int_equal(frame->set->number, 1);
	frame_unref(frame);
	sampler_cut(rig.sampler);
	frame = wait_for_frame(&rig);
	assert_int_equal(frame->set->number, 2);
	assert_string_equal(frame->set->type[0].event[6]->name, "INST_BARRIER");
	frame_unref(frame);

	struct err err = { "" };

	must(sampler_set_interval(rig.sampler, 10 * NS_PER_MS, &err), &err);
	for (int i = 0; i < 3; i++) {
		frame = wait_for_frame(&rig);
		frame_unref(frame);
	}
	assert_int_equal(sampler_set_interval(rig.sampler, NS_PER_MS - 1, &err), -EINVAL);
	assert_int_equal(sampler_set_interval(rig.sampler, INTERVAL_MAX_NS + 1, &err), -EINVAL);
	sampler_stop(rig.sampler);
	rig_down(&rig);
}

/* Each core thread wakes once a tick, and the frames say so. */
static void wakeups_are_counted(void **state)
{
	struct rig rig;
	float seen = 0;

	(void)state;
	rig_up(&rig, "seed=3,cores=2", 20 * NS_PER_MS);
	while (seen == 0) {
		const struct frame *frame = wait_for_frame(&rig);

		seen = frame->own_wakeups_per_s;
		frame_unref(frame);
	}
	/* at most two threads × 50 ticks, some woken early; as many missed as the host is busy */
	assert_true(seen < 200);
	rig_down(&rig);
}

/* Between publishing a plan and waking a thread, main may be preempted by that very thread: it must not spin. */
static void words_of_other_plans_are_slept_on(void **state)
{
	struct rig rig;
	float seen = 0;

	(void)state;
	rig_up(&rig, "seed=3,cores=2", 20 * NS_PER_MS);
	for (unsigned i = 0; i < rig.sampler->n_core_threads; i++)
		atomic_fetch_add(&rig.sampler->core_thread[i].wake, 1000);
	for (unsigned i = 0; i < 20 || seen == 0; i++) {
		const struct frame *frame = wait_for_frame(&rig);

		seen = fmaxf(seen, frame->own_wakeups_per_s);
		frame_unref(frame);
	}
	assert_true(seen < 200);
	rig_down(&rig);
}

/* What a thread apart uses is m1top's, but nothing that the budget could change. */
static void what_is_apart_is_no_cost_of_frames(void **state)
{
	struct rig rig;
	float apart = 0;

	(void)state;
	rig_make(&rig, "seed=3,cores=2", 100 * NS_PER_MS);
	sampler_exclude_thread(rig.sampler, pthread_self());
	rig_start(&rig);
	for (unsigned i = 0; i < 600 && apart < 0.02F; i++) {
		const struct frame *frame = wait_for_frame(&rig);
		uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 20 * NS_PER_MS;

		assert_true(frame->own_budget_share <= frame->own_core_share);
		apart = frame->own_core_share - frame->own_budget_share;
		frame_unref(frame);
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
	}
	assert_true(apart >= 0.02F);
	rig_down(&rig);
}

/* One core answers late: the others' frames do not wait, and it loses nothing. */
static void slow_core(void **state)
{
	struct rig rig;
	struct running_stats running_stats = { 0 };

	(void)state;
	rig_up(&rig, "seed=5,cores=2", 20 * NS_PER_MS);
	assert_int_equal(sim_slow_read(rig.backend, 1, 70 * NS_PER_MS), 0);
	while (!running_stats.n_late || !running_stats.covered_ns[1])
		check_frame(&rig, wait_for_frame(&rig), &running_stats);
	rig_down(&rig);
}

/* Stopping waits for every core's last window, however late it comes. */
static void slow_core_at_the_end(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "seed=5,cores=2", 3600 * NS_PER_S);
	assert_int_equal(sim_slow_read(rig.backend, 1, 300 * NS_PER_MS), 0);
	sampler_stop(rig.sampler);

	const struct frame *frame = queue_pop(rig.queue, NULL);

	assert_non_null(frame);
	for (unsigned core = 0; core < 2; core++) {
		assert_int_equal(frame->core[core].state, CORE_ON);
		assert_true(frame->core[core].window_ns > 0);
	}
	frame_unref(frame);
	assert_null(queue_pop(rig.queue, NULL));
	rig_down(&rig);
}

/* Sets changed as fast as they can be, while cores read each millisecond. */
static void changes_in_a_hurry(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "seed=2", NS_PER_MS);
	for (unsigned i = 0; i < 200; i++) {
		rig_change(&rig, 5 + i % 2, i % 3 ? "INST_BRANCH_CALL" : "INST_BARRIER");
		sampler_service(rig.sampler);
		if (i % 20 == 0)
			frame_unref(wait_for_frame(&rig));
	}
	sampler_stop(rig.sampler);

	const struct frame *frame;
	uint64_t last = 0;

	while ((frame = queue_pop(rig.queue, NULL))) {
		assert_true(frame->number > last);
		last = frame->number;
		frame_unref(frame);
	}
	assert_true(last > 0);
	rig_down(&rig);
}

/* Until the set that was loaded last is in a frame, and no thread reads another. @return its number */
static uint32_t number_counted(const struct rig *rig)
{
	for (;;) {
		const struct frame *frame = wait_for_frame(rig);
		uint32_t number = frame->set->number;
		bool is_it = frame->set == sampler_set(rig->sampler) &&
			     plan_is_seen(rig->sampler, plan_newest(rig->sampler)->number);

		frame_unref(frame);
		if (is_it)
			return number;
	}
}

/* To and fro between two sets, for days: they keep their numbers, and no memory is taken. */
static void sets_come_back(void **state)
{
	struct rig rig;
	uint32_t number[2] = { 0 };

	(void)state;
	rig_up(&rig, "seed=2", 2 * NS_PER_MS);
	for (unsigned i = 0; i < 60; i++) {
		rig_change(&rig, 5, i % 2 ? "INST_BRANCH_RET" : "INST_BRANCH_CALL");

		uint32_t now = number_counted(&rig);

		if (!number[i % 2])
			number[i % 2] = now;
		assert_int_equal(now, number[i % 2]);
		sampler_service(rig.sampler);
	}
	assert_int_equal(rig.sampler->n_sets, 3); /* with the first one */
	assert_int_not_equal(number[0], number[1]);
	rig_down(&rig);
}

static unsigned n_sets_kept(const struct sampler *sampler)
{
	unsigned n = 0;

	for (const struct active_set *active = sampler->active_sets; active; active = active->next)
		n++;
	return n;
}

static unsigned n_plans_kept(const struct sampler *sampler)
{
	unsigned n = 0;

	for (const struct plan *plan = plan_newest(sampler); plan; plan = plan->next)
		n++;
	return n;
}

/* Another set each time, for days: what a frame is of stays, the others do not pile up. */
static void sets_that_nothing_refers_to_are_freed(void **state)
{
	struct rig rig;

	(void)state;
	rig_up(&rig, "seed=2,clock=virtual", NS_PER_MS);
	sampler_step(rig.sampler);

	const struct frame *kept = wait_for_frame(&rig);

	for (unsigned i = 0; i < 768; i++) {
		struct set next;
		char name[8];

		snprintf(name, sizeof(name), "r%02x", i % 256);
		if (set_change(rig.events, sampler_set(rig.sampler), 5 + i / 256, name,
			       PRIVILEGE_BOTH, &next, NULL))
			continue; /* not on that counter */
		assert_int_equal(sampler_load(rig.sampler, &next, NULL), 0);
		sampler_step(rig.sampler);
		frame_unref(wait_for_frame(&rig));
	}
	assert_true(rig.sampler->n_sets > 300);
	assert_in_range(n_sets_kept(rig.sampler), 3, 40);
	assert_in_range(n_plans_kept(rig.sampler), 1, 4);
	assert_int_equal(kept->set->number, 1);
	assert_string_equal(kept->set->type[1].event[0]->name, "CORE_ACTIVE_CYCLE");
	frame_unref(kept);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truth_for_a_minute),
		cmocka_unit_test(truth_in_real_time),
		cmocka_unit_test(long_interval),
		cmocka_unit_test(slow_core),
		cmocka_unit_test(slow_core_at_the_end),
		cmocka_unit_test(changes_in_a_hurry),
		cmocka_unit_test(wakeups_are_counted),
		cmocka_unit_test(words_of_other_plans_are_slept_on),
		cmocka_unit_test(sets_come_back),
		cmocka_unit_test(sets_that_nothing_refers_to_are_freed),
		cmocka_unit_test(what_is_apart_is_no_cost_of_frames),
		cmocka_unit_test(occupancy_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
