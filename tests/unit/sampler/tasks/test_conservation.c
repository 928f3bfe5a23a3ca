/*
 * Whatever happens to a set: on each core and in each window the tasks add up to what the core counted.
 * WINDOWS=1000000 in the environment says how many windows of a core are checked.
 */
#include <string.h>

#include "base/array.h"
#include "base/sanitized.h"
#include "rig/mux_rig.h"
#include "rig/tasks_truth.h"
#include "sampler/hot.h"

enum { CORES = 4, WINDOWS = SANITIZED ? 4000 : 20000, FRAMES_A_RUN = 400 };

struct run {
	struct rig rig;
	uint64_t seed, n_drawn;
	bool is_off[CORES], is_stolen[CORES];
	/* so that the test cannot pass by checking nothing */
	size_t n_windows, n_columns, n_true, n_lost, n_unattributed, n_changes, n_samples;
};

static uint64_t draw(struct run *run, uint64_t n)
{
	return sim_hash(run->seed, run->n_drawn++, 0, 0) % n;
}

/* Sample one of the set's events, if it has any that can be. */
static void sample_some(struct run *run, struct set *set)
{
	set->samples = false;
	if (!set->by_task || !set->n_slots || draw(run, 2))
		return;
	set->sampled = (uint16_t)draw(run, set->n_slots);
	set->samples = !event_no_samples(set_event(set, set->sampled));
}

static void load(struct run *run, const struct set *set)
{
	struct err err = { "" };
	struct set next = *set;

	next.by_task = draw(run, 8) > 0;
	sample_some(run, &next);
	if (set_n_mux(&next) > 1 && sampler_interval(run->rig.sampler) < 20 * NS_PER_MS)
		return;
	must(sampler_load(run->rig.sampler, &next, &err), &err);
}

static void change_event(struct run *run)
{
	static const char *const events[] = { "INST_BRANCH", "L1D_CACHE_MISS_LD", "",
					      "INST_INT_ST" };
	struct set next;

	if (set_change(run->rig.events, sampler_set(run->rig.sampler), 5 + (unsigned)draw(run, 3),
		       events[draw(run, 4)], PRIVILEGE_BOTH, &next, &(struct err){ "" }) == 0)
		load(run, &next);
}

static void change_levels(struct run *run)
{
	struct err err = { "" };
	struct set next;

	must(set_privilege(run->rig.events, sampler_set(run->rig.sampler),
			   (enum privilege)draw(run, 3), &next, &err),
	     &err);
	load(run, &next);
}

static void change_mux(struct run *run)
{
	struct set next = make_mux(&run->rig, 1 + (unsigned)draw(run, 4));

	load(run, &next);
}

static void change_interval(struct run *run)
{
	static const uint64_t ms[] = { 1, 10, 20, 50, 100, 250 };
	uint64_t interval_ns = ms[draw(run, ARRAY_SIZE(ms))] * NS_PER_MS;

	if (set_n_mux(sampler_set(run->rig.sampler)) == 1 || interval_ns >= 20 * NS_PER_MS)
		sampler_set_interval(run->rig.sampler, interval_ns, &(struct err){ "" });
}

static void change_core(struct run *run)
{
	unsigned core = (unsigned)draw(run, CORES);
	struct backend *backend = run->rig.backend;

	switch (draw(run, 3)) {
	case 0:
		run->is_off[core] = !run->is_off[core];
		assert_int_equal(sim_core_offline(backend, core, run->is_off[core]), 0);
		break;
	case 1:
		run->is_stolen[core] = !run->is_stolen[core];
		assert_int_equal(sim_steal(backend, core, 6, run->is_stolen[core]), 0);
		break;
	default: assert_int_equal(sim_lose(backend, core, 100 * NS_PER_MS), 0); break;
	}
}

static void yield_counters(struct run *run)
{
	struct set nothing = *sampler_set(run->rig.sampler);

	nothing.n_slots = nothing.n_mux = 0;
	memset(nothing.type, 0, sizeof(nothing.type));
	load(run, &nothing);
	if (draw(run, 2))
		assert_int_equal(sampler_step(run->rig.sampler), 0);
	load(run, &run->rig.first);
}

static void change_something(struct run *run)
{
	switch (draw(run, 8)) {
	case 0: change_event(run); break;
	case 1: change_levels(run); break;
	case 2: change_mux(run); break;
	case 3: change_interval(run); break;
	case 4: change_core(run); break;
	case 5: sampler_cut(run->rig.sampler); break;
	case 6: load(run, &run->rig.first); break;
	default: yield_counters(run); break;
	}
	run->n_changes++;
}

static bool is_plain(const struct frame *frame)
{
	return set_n_mux(frame->set) == 1 && !frame->tasks->n_lost &&
	       !tasks_of_kind(frame, TASK_UNATTRIBUTED, 0);
}

static void check_frames(struct run *run)
{
	const struct frame *frame;

	while ((frame = queue_pop(run->rig.queue, NULL))) {
		if (frame->set->by_task) {
			run->n_columns += check_conservation(frame);
			run->n_windows += frame->n_cores;
			run->n_samples += frame->hot ? frame->hot->n_samples : 0;
			assert_true(!frame->hot == !frame->set->samples);
			run->n_lost += frame->tasks->n_lost;
			run->n_unattributed += tasks_of_kind(frame, TASK_UNATTRIBUTED, 0) > 0;
			if (frame->n_slots && is_plain(frame))
				run->n_true += check_truth(run->rig.sampler, frame);
		}
		frame_unref(frame);
	}
}

static void run_once(struct run *run, const char *options)
{
	char all[128];

	snprintf(all, sizeof(all), "clock=virtual,cores=%d,seed=%lu,%s", CORES, run->seed, options);
	rig_make(&run->rig, all, 50 * NS_PER_MS);
	run->rig.first.by_task = true;
	rig_start(&run->rig);
	for (unsigned i = 0; i < FRAMES_A_RUN; i++) {
		if (!draw(run, 6))
			change_something(run);
		assert_int_equal(sampler_step(run->rig.sampler), 0);
		check_frames(run);
	}
	sampler_stop(run->rig.sampler);
	check_frames(run);
	assert_non_null(run->rig.sampler->collector.tasks);
	assert_int_equal(run->rig.sampler->collector.n_task_faults, 0);
	rig_down(&run->rig);
	memset(run->is_off, 0, sizeof(run->is_off));
	memset(run->is_stolen, 0, sizeof(run->is_stolen));
}

static void always_adds_up(void **state)
{
	static const char *const options[] = {
		"tasks=16",           "tasks=200,short=2000,cgroups=20", "records=64",
		"tasks=50,wrap=near", "tasks=16,records=128,cgroups=3",  "wrap=near"
	};
	const char *asked = getenv("WINDOWS");
	size_t n = asked ? strtoull(asked, NULL, 10) : WINDOWS;
	struct run run = { 0 };

	(void)state;
	needs_no_threads();
	for (; run.n_windows < n; run.seed++)
		run_once(&run, options[run.seed % ARRAY_SIZE(options)]);
	print_message(
		"# %zu windows, %zu columns, %zu tasks as they were, %zu records lost, %zu frames "
		"with [unattributed], %zu changes\n",
		run.n_windows, run.n_columns, run.n_true, run.n_lost, run.n_unattributed,
		run.n_changes);
	assert_true(run.n_columns && run.n_true && run.n_lost && run.n_unattributed &&
		    run.n_samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(always_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
