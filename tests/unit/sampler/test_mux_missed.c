/* Ticks that are missed, samples that are dropped, groups: multiplexing when it gets tight. */
#include <string.h>

#include "rig/sim_control.h"
#include "rig/mux_rig.h"

enum { PART_MS = 3 }; /* of a mux group; too short for more than one round */

/* Time goes on by one mux group, in which the cores of some core threads do not wake. */
static void miss_tick(const struct rig *rig, unsigned first_thread, unsigned n_core_threads)
{
	struct sampler *sampler = rig->sampler;
	uint64_t tick = sampler->core_thread[0].next_tick;

	for (unsigned i = 1; i < sampler->n_core_threads; i++)
		tick = tick < sampler->core_thread[i].next_tick ? sampler->core_thread[i].next_tick
								: tick;
	sampler->virtual_ns = plan_deadline_ns(plan_newest(sampler), tick);
	sampler->backend->ops->advance(sampler->backend, sampler->virtual_ns);
	for (unsigned i = 0; i < sampler->n_core_threads; i++) {
		if (i < first_thread || i >= first_thread + n_core_threads)
			core_thread_step(&sampler->core_thread[i], tick);
		sampler->core_thread[i].next_tick = tick + 1;
	}
	collector_drain(sampler, false);
}

static void expect_share(const struct frame *frame, unsigned core, unsigned mux, uint64_t ran_ms,
			 uint64_t window_ms)
{
	const struct count *count = &frame_counts(frame, core)[frame->set->first[mux]];

	assert_int_equal(frame->core[core].state, CORE_ON);
	assert_int_equal(frame->core[core].window_ns, window_ms * NS_PER_MS);
	assert_int_equal(count->enabled_ns, window_ms * NS_PER_MS);
	assert_int_equal(count->running_ns, ran_ms * NS_PER_MS);
	assert_int_equal(count->quality, !ran_ms              ? QUALITY_NOT_COUNTED
					 : ran_ms < window_ms ? QUALITY_SCALED
							      : QUALITY_OK);
	assert_int_equal(count->value > 0, ran_ms > 0);
}

/* Every mux group against what a core is to have counted in a window: by part, the tick that it
 * began to count what it counted at. */
static void expect_parts(const struct plan *plan, const struct frame *frame, unsigned core,
			 const unsigned *tick, unsigned n_parts)
{
	for (unsigned mux = 0; mux < plan->n_mux; mux++) {
		unsigned n = 0;

		for (unsigned i = 0; i < n_parts; i++)
			n += mux_of_tick(plan->t0_ns, tick[i], plan->n_mux) == mux;
		expect_share(frame, core, mux, n * PART_MS, n_parts * PART_MS);
	}
}

#define EXPECT_PARTS(plan, frame, core, ...)                               \
	expect_parts(plan, frame, core, (const unsigned[]){ __VA_ARGS__ }, \
		     sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

/* After ticks that were missed the mux group is the one that the time asks for. */
static void missed_ticks(void **state)
{
	struct rig rig;
	const struct frame *frame;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=5,cores=2", 3 * PART_MS * NS_PER_MS, 3);

	struct plan plan = *plan_newest(rig.sampler);

	for (unsigned i = 0; i < 6; i += 3) { /* the second part's end is missed: it is longer */
		sampler_step_mux(rig.sampler);
		miss_tick(&rig, 0, rig.sampler->n_core_threads);
		assert_null(queue_pop(rig.queue, NULL));
		sampler_step_mux(rig.sampler);
		frame = queue_pop(rig.queue, NULL);
		assert_int_equal(frame->gap, GAP_NONE);
		EXPECT_PARTS(&plan, frame, 0, i, i + 1, i + 1);
		EXPECT_PARTS(&plan, frame, 1, i, i + 1, i + 1);
		frame_unref(frame);
	}
	/* the end of an interval and the first part after it */
	sampler_step_mux(rig.sampler);
	sampler_step_mux(rig.sampler);
	miss_tick(&rig, 0, rig.sampler->n_core_threads);
	miss_tick(&rig, 0, rig.sampler->n_core_threads);
	sampler_step_mux(rig.sampler);
	for (unsigned i = 0; i < 3; i++) { /* until half an interval after the next one's end */
		assert_null(queue_pop(rig.queue, NULL));
		sampler_step_mux(rig.sampler);
	}
	frame = queue_pop(rig.queue, NULL);
	assert_int_equal(frame->gap, GAP_MISSED);
	assert_int_equal(frame->n_missed, 1);
	EXPECT_PARTS(&plan, frame, 0, 6, 7, 8, 8, 8, 11);
	EXPECT_PARTS(&plan, frame, 1, 6, 7, 8, 8, 8, 11);
	frame_unref(frame);
	rig_down(&rig);
}

/* A core that sleeps through the end of an interval has nothing in it, and all in the next. */
static void late_core(void **state)
{
	struct rig rig;
	const struct frame *frame;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=5,cores=2", 2 * PART_MS * NS_PER_MS, 2);
	assert_int_equal(rig.sampler->n_core_threads, 2);

	struct plan plan = *plan_newest(rig.sampler);

	sampler_step_mux(rig.sampler);
	miss_tick(&rig, 1, 1);
	assert_null(queue_pop(rig.queue, NULL)); /* core 1 has half an interval's grace */
	sampler_step_mux(rig.sampler);
	frame = queue_pop(rig.queue, NULL);
	EXPECT_PARTS(&plan, frame, 0, 0, 1);
	assert_int_equal(frame->core[1].state, CORE_LATE);
	assert_int_equal(frame_counts(frame, 1)[0].quality, QUALITY_NONE);
	frame_unref(frame);
	sampler_step_mux(rig.sampler);
	frame = queue_pop(rig.queue, NULL);
	EXPECT_PARTS(&plan, frame, 0, 2, 3);
	EXPECT_PARTS(&plan, frame, 1, 0, 1, 1, 3);
	frame_unref(frame);
	rig_down(&rig);
}

/* Samples that find no room: less is counted, and nothing wrong. */
static void check_full_ring(unsigned n_mux)
{
	struct rig rig;
	const struct frame *frame, *last = NULL;
	unsigned n = 0;

	rig_mux(&rig, "clock=virtual,seed=8,cores=2", 20 * NS_PER_MS, 2);
	for (unsigned i = 0; i < n_mux; i++) { /* nobody empties the rings */
		struct sampler *sampler = rig.sampler;
		uint64_t tick = sampler->core_thread[0].next_tick;

		sampler->virtual_ns = plan_deadline_ns(plan_newest(sampler), tick);
		sampler->backend->ops->advance(sampler->backend, sampler->virtual_ns);
		for (unsigned k = 0; k < sampler->n_core_threads; k++)
			core_thread_step(&sampler->core_thread[k], tick);
	}
	assert_true(ring_dropped(rig.sampler->run[0].ring) > 100);
	for (unsigned i = 0; i < 20; i++)
		sampler_step_mux(rig.sampler);
	while ((frame = queue_pop(rig.queue, NULL))) {
		for (unsigned core = 0; core < 2; core++) {
			if (frame->core[core].state == CORE_ON)
				check_cycles(&rig, frame, core);
		}
		frame_unref(last);
		last = frame;
		n++;
	}
	assert_true(n > 10);
	if (last) {
		expect_share(last, 0, 0, 10, 20); /* as if nothing had been */
		expect_share(last, 1, 1, 10, 20);
	}
	frame_unref(last);
	rig_down(&rig);
}

static void full_ring(void **state)
{
	(void)state;
	check_full_ring(202); /* goes on in the other mux group, */
	check_full_ring(203); /* in the one that was cut off */
}

/* An interval whose end was missed, and then the end of a command: no frame is of the future. */
static void cut_after_missed_ticks(void **state)
{
	struct rig rig;
	const struct frame *frame;

	(void)state;
	rig_mux(&rig, "clock=virtual,seed=5,cores=2", 3 * PART_MS * NS_PER_MS, 3);

	struct plan plan = *plan_newest(rig.sampler);

	sampler_step_mux(rig.sampler);
	miss_tick(&rig, 0, rig.sampler->n_core_threads);
	miss_tick(&rig, 0, rig.sampler->n_core_threads);
	sampler_step_mux(rig.sampler);
	sampler_cut(rig.sampler);
	frame = queue_pop(rig.queue, NULL);
	assert_int_equal(frame->t_ns, 4 * PART_MS * NS_PER_MS);
	EXPECT_PARTS(&plan, frame, 0, 0, 1, 1, 1);
	frame_unref(frame);
	assert_int_equal(sampler_step(rig.sampler), 0);
	frame = queue_pop(rig.queue, NULL);
	assert_int_equal(frame->t_ns, 7 * PART_MS * NS_PER_MS);
	for (unsigned mux = 0; mux < 3; mux++)
		expect_share(frame, 1, mux, PART_MS, 3 * PART_MS);
	frame_unref(frame);
	rig_down(&rig);
}

/* The simulation's operations, counted. */
static struct {
	const struct backend_ops *ops;
	unsigned n_opened, n_closed, n_enabled, n_disabled;
} spy;

static int spy_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err)
{
	int rc = spy.ops->group_open(backend, core, set, ret, err);

	assert_true(set_n_mux(set) == 1 && set->n_slots <= SLOTS_MAX);
	spy.n_opened += !rc;
	return rc;
}

static void spy_close(struct group *group)
{
	spy.n_closed += group != NULL;
	spy.ops->group_close(group);
}

static int spy_enable(struct group *group)
{
	spy.n_enabled++;
	return spy.ops->group_enable(group);
}

static int spy_disable(struct group *group)
{
	spy.n_disabled++;
	return spy.ops->group_disable(group);
}

/* How often another mux group begins to count, the first one included. */
static unsigned n_changes(const struct plan *plan, unsigned n_steps)
{
	unsigned n = 1;

	for (uint64_t tick = 1; tick <= n_steps * plan->n_ticks; tick++)
		n += mux_of_tick(plan->t0_ns, tick, plan->n_mux) !=
		     mux_of_tick(plan->t0_ns, tick - 1, plan->n_mux);
	return n;
}

/* A mux group counts while enabled, and each is closed in the end. A single one is left on. */
static void check_groups(unsigned n_mux, unsigned n_steps)
{
	struct rig rig;
	struct backend_ops ops;

	rig_make(&rig, "clock=virtual,seed=5,cores=2", 20 * NS_PER_MS);
	memset(&spy, 0, sizeof(spy));
	spy.ops = rig.backend->ops;
	ops = *spy.ops;
	ops.group_open = spy_open;
	ops.group_close = spy_close;
	ops.group_enable = spy_enable;
	ops.group_disable = spy_disable;
	rig.backend->ops = &ops;
	rig.first = make_mux(&rig, n_mux);
	rig_start(&rig);
	for (unsigned i = 0; i < n_steps; i++)
		assert_int_equal(sampler_step(rig.sampler), 0);
	assert_int_equal(spy.n_opened, 2 * n_mux);
	assert_int_equal(spy.n_enabled, 2 * n_changes(plan_newest(rig.sampler), n_steps));
	assert_int_equal(spy.n_disabled, spy.n_enabled - 2);
	assert_int_equal(sim_core_offline(rig.backend, 1, true), 0);
	assert_int_equal(sampler_step(rig.sampler), 0);
	assert_int_equal(sim_core_offline(rig.backend, 1, false), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sampler_step(rig.sampler), 0);
	assert_int_equal(spy.n_opened, 3 * n_mux);
	assert_int_equal(spy.n_closed, n_mux);
	load_mux(&rig, n_mux);
	assert_int_equal(sampler_step(rig.sampler), 0);
	assert_int_equal(spy.n_opened, 5 * n_mux);
	assert_int_equal(spy.n_closed, 3 * n_mux);
	sampler_free(rig.sampler);
	rig.sampler = NULL;
	assert_int_equal(spy.n_closed, spy.n_opened);
	rig.backend->ops = spy.ops;
	rig_down(&rig);
}

static void groups_are_opened_and_closed(void **state)
{
	(void)state;
	check_groups(1, 5);
	check_groups(2, 5);
	check_groups(3, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missed_ticks),
		cmocka_unit_test(late_core),
		cmocka_unit_test(full_ring),
		cmocka_unit_test(cut_after_missed_ticks),
		cmocka_unit_test(groups_are_opened_and_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
