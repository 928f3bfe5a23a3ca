/* Samples of the simulation, whose functions have known shares: on their way to a frame none changes its task or
 * function, and the counts beside them are those without samples. */
#include <math.h>
#include <stdlib.h>

#include "base/sanitized.h"
#include "pmu/sim/functions.h"
#include "rig/sampler_rig.h"
#include "rig/tasks_check.h"
#include "sampler/hot.h"
#include "sampler/tasks/hits.h"
#include "symbols/symbols.h"

enum { RUNS = SANITIZED ? 40 : 200, FRAMES = 6 };

/* Return the share of samples that the simulation gives function i of n. */
static double function_share(unsigned i, unsigned n)
{
	unsigned all = 100 * n * (n + 1), of = 0; /* whole rounds of any weights */

	for (unsigned drawn = 0; drawn < all; drawn++)
		of += sim_function_draw(drawn, n) == i;
	return (double)of / all;
}

/* Start a rig that samples an event. */
static void up(struct rig *rig, const char *options, const char *event)
{
	rig_make(rig, options, 100 * NS_PER_MS);
	rig->first.by_task = rig->first.samples = true;
	while (!set_event(&rig->first, rig->first.sampled) ||
	       strcmp(set_event(&rig->first, rig->first.sampled)->name, event) != 0)
		assert_true(++rig->first.sampled < rig->first.n_slots);
	rig_start(rig);
}

static const struct frame *next(const struct rig *rig)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(rig->sampler), 0);
	frame = queue_pop(rig->queue, NULL);
	assert_non_null(frame);
	return frame;
}

/* Get the share of a function of all programs together, with its error. */
static double share_of(const struct hot_rows *rows, unsigned function, unsigned n,
		       double *ret_error)
{
	struct sim_function of;
	double share = 0;

	sim_function_of(function, n, 1, "", &of);
	for (size_t i = 0; i < rows->n; i++)
		if (strcmp(rows->row[i].function->name, of.symbol) == 0)
			share += rows->row[i].share;
	*ret_error = hot_rows_error(rows, share);
	return share;
}

/* Check a run's rows. @within  by function: counts the runs in which its share is within its error */
static void check_run(const struct rig *rig, const struct frame *const *frame, unsigned n,
		      unsigned *within)
{
	const struct hot_select all = { 0 };
	struct hot_rows *rows = hot_rows_sum(frame, FRAMES, rig->sampler->machine, 0, &all);
	uint64_t sum = 0;

	assert_non_null(rows);
	assert_true(rows->n >= n);
	for (size_t i = 0; i < rows->n; i++)
		sum += rows->row[i].count.value;
	assert_int_equal(sum, rows->count.value);
	for (unsigned i = 0; i < n; i++) {
		double error, share = share_of(rows, i, n, &error), is = function_share(i, n);

		within[i] += share >= is - error && share <= is + error;
	}
	hot_rows_free(rows);
}

static void shares_are_within_their_errors(void **state)
{
	static const unsigned numbers[] = { SIM_FUNCTIONS, 3 };

	(void)state;
	needs_no_threads();
	for (unsigned k = 0; k < ARRAY_SIZE(numbers); k++) {
		unsigned within[SIM_FUNCTIONS] = { 0 }, n = numbers[k], all = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			const struct frame *frame[FRAMES];
			struct rig rig;
			char options[80];

			snprintf(options, sizeof(options),
				 "clock=virtual,cores=2,tasks=12,functions=%u,seed=%u", n, run);
			up(&rig, options, "INST_ALL");
			for (unsigned i = 0; i < FRAMES; i++)
				frame[i] = next(&rig);
			check_run(&rig, frame, n, within);
			for (unsigned i = 0; i < FRAMES; i++)
				frame_unref(frame[i]);
			rig_down(&rig);
		}
		for (unsigned i = 0; i < n; i++) {
			print_message("# function %u of %u: %u of %d\n", i, n, within[i], RUNS);
			all += within[i];
			/* 95 of 100, less two standard deviations of such a number of runs */
			assert_true(within[i] >= RUNS * 0.95 - 2 * sqrt(RUNS * 0.95 * 0.05));
		}
		assert_true(all >= n * RUNS * 95 / 100);
	}
}

/* A thousand samples of each core wait, as in a second: the limit is that of one core. */
static void samples_of_many_cores_wait(void **state)
{
	enum { CORES = 128, EACH = 1000 };
	const struct code_hit hit = { .t_ns = 1, .period = 1, .is_kernel = true };
	static const uint32_t *task[CORES];
	struct frame_core core[CORES] = { { .state = CORE_OFF } };
	struct set set = { .sampled = 0 };
	struct frame frame = { .n_cores = CORES, .core = core, .set = &set };
	struct hits *hits = hits_new(NULL, CORES);
	const struct frame_hot *hot;

	(void)state;
	assert_non_null(hits);
	for (unsigned i = 0; i < CORES * EACH; i++)
		hits_take(hits, i % CORES, &hit, i);
	for (unsigned i = 0; i < CORES; i++)
		core[i].state = CORE_ON;
	hot = hits_close(hits, &frame, task);
	assert_non_null(hot);
	assert_int_equal(hot->n_lost, 0);
	frame_hot_unref(hot);
	hits_free(hits);
}

typedef void drain_fn(struct backend *backend, unsigned core, const struct switch_sink *sink);

static drain_fn *real_drain;

/* Let another function drain the backend, which calls real_drain. @ret_ops  the rig's from now on */
static void drain_by(struct rig *rig, struct backend_ops *ret_ops, drain_fn *drain)
{
	*ret_ops = *rig->backend->ops;
	real_drain = ret_ops->switches_drain;
	ret_ops->switches_drain = drain;
	rig->backend->ops = ret_ops;
}

static void drain_without_hits(struct backend *backend, unsigned core,
			       const struct switch_sink *sink)
{
	struct switch_sink without = *sink;

	without.take_hit = NULL;
	real_drain(backend, core, &without);
}

/* Samples that are still in the ring when sampling ends are dropped; the switches between them are not. */
static void samples_that_nobody_wants_are_dropped(void **state)
{
	struct backend_ops ops;
	struct rig rig;

	(void)state;
	up(&rig, "clock=virtual,cores=2,tasks=12,functions=3,seed=1", "INST_ALL");
	drain_by(&rig, &ops, drain_without_hits);

	const struct frame *frame = next(&rig);

	assert_true(frame->tasks->n_switches > 0);
	assert_int_equal(frame->tasks->n_lost, 0);
	frame_unref(frame);
	rig_down(&rig);
}

/* What the kernel says next of core 0. */
static struct task_note next_note;

static void drain_with_note(struct backend *backend, unsigned core, const struct switch_sink *sink)
{
	real_drain(backend, core, sink);
	if (!core && next_note.t_ns)
		sink->take_note(sink->data, &next_note);
	next_note.t_ns = 0;
}

/* Let the kernel say a note in the next window of core 0. @return ms of it that the sampled event counted */
static uint64_t counted_ms(const struct rig *rig, uint64_t *end_ns, enum task_note_kind kind,
			   uint64_t after_ms)
{
	next_note = (struct task_note){ .kind = kind,
					.t_ns = after_ms ? *end_ns + after_ms * NS_PER_MS : 0 };

	const struct frame *frame = next(rig);
	uint64_t ns = frame_counts(frame, 0)[rig->first.sampled].running_ns;

	*end_ns = frame->core[0].t_ns + rig->sampler->start_ns;
	frame_unref(frame);
	return ns / NS_PER_MS;
}

/* The kernel stops the group at 30 ms of a window, and lets it go on at 50 ms of the next but one. */
static void stops_are_divided_among_windows(void **state)
{
	struct backend_ops ops;
	struct rig rig;
	uint64_t end_ns = 0;

	(void)state;
	up(&rig, "clock=virtual,cores=2,tasks=12,functions=3,seed=1", "INST_ALL");
	drain_by(&rig, &ops, drain_with_note);
	assert_int_equal(counted_ms(&rig, &end_ns, NOTE_RESUME, 0), 100);
	assert_int_equal(counted_ms(&rig, &end_ns, NOTE_THROTTLE, 30), 30);
	assert_int_equal(counted_ms(&rig, &end_ns, NOTE_RESUME, 0), 0);
	assert_int_equal(counted_ms(&rig, &end_ns, NOTE_RESUME, 50), 50);
	assert_int_equal(counted_ms(&rig, &end_ns, NOTE_RESUME, 0), 100);
	rig_down(&rig);
}

/* Functions of a program with a rhythm, near the samples' own: 64 runs of four functions. */
static void no_rhythm_meets_the_samples(void **state)
{
	enum { RHYTHMS = 64, N = 4 };
	/* none near the simulation's turns of 4 ms */
	static const unsigned rhythm_us[] = { 257, 509, 761, 997, 1003, 1511, 1709, 3001 };
	unsigned within[N] = { 0 }, all = 0;

	(void)state;
	needs_no_threads();
	for (unsigned run = 0; run < RHYTHMS; run++) {
		const struct frame *frame[FRAMES];
		struct rig rig;
		char options[120];

		snprintf(options, sizeof(options),
			 "clock=virtual,cores=2,phase=2500000,same=100,functions=%d,rhythm=%u,seed="
			 "%u",
			 N, rhythm_us[run % ARRAY_SIZE(rhythm_us)], run);
		up(&rig, options, "INST_ALL");
		frame_unref(next(&rig)); /* its period is the first one */
		for (unsigned i = 0; i < FRAMES; i++)
			frame[i] = next(&rig);
		check_run(&rig, frame, N, within);
		for (unsigned i = 0; i < FRAMES; i++)
			frame_unref(frame[i]);
		rig_down(&rig);
	}
	for (unsigned i = 0; i < N; i++)
		all += within[i];
	print_message("# %u of %d within their error\n", all, RHYTHMS * N);
	assert_true(all >= 243); /* 95 of 100 */
}

/* A sample is of its core and task, whose program has that function. */
static void check_spots(const struct frame *frame)
{
	const struct frame_hot *hot = frame->hot;
	uint64_t n = 0;

	for (size_t i = 0; i < hot->n; i++) {
		const struct hot_spot *spot = &hot->spot[i];
		const struct function *function = place_function(spot->place);
		const struct core_task *task;

		n += spot->n;
		assert_true(!i || spot[-1].core <= spot->core);
		assert_true(spot->task < frame->tasks->n);
		task = &frame->tasks->task[spot->task];
		assert_int_equal(task->core, spot->core);
		if (task->kind == TASK_THREAD && !function->is_kernel)
			assert_string_equal(function->object->name, task->comm);
	}
	assert_int_equal(n, hot->n_samples);
}

static void counts_are_those_without_samples(void **state)
{
	static const char options[] = "clock=virtual,cores=4,tasks=16,cgroups=3,seed=5";
	struct rig with, without;
	uint64_t n = 0;

	(void)state;
	up(&with, options, "INST_BRANCH");
	rig_make(&without, options, 100 * NS_PER_MS);
	without.first.by_task = true;
	rig_start(&without);
	for (unsigned i = 0; i < 40; i++) {
		const struct frame *a = next(&with), *b = next(&without);

		assert_null(b->hot);
		assert_non_null(a->hot);
		check_spots(a);
		n += a->hot->n_samples;
		for (unsigned core = 0; core < a->n_cores; core++)
			for (unsigned column = 0; column < a->n_slots; column++)
				assert_int_equal(frame_counts(a, core)[column].value,
						 frame_counts(b, core)[column].value);
		assert_int_equal(a->tasks->n, b->tasks->n);
		assert_memory_equal(a->tasks->value, b->tasks->value,
				    a->tasks->n * a->n_slots * sizeof(uint64_t));
		frame_unref(a);
		frame_unref(b);
	}
	assert_true(n > 4000);
	rig_down(&with);
	rig_down(&without);
}

/* The first period is safe for the fastest event; later ones follow the rate. */
static void period_follows_the_rate(void **state)
{
	static const char *const events[] = { "CORE_ACTIVE_CYCLE", "INST_ALL", "INST_BRANCH",
					      "L1D_CACHE_MISS_LD" };

	(void)state;
	for (unsigned k = 0; k < ARRAY_SIZE(events); k++) {
		const struct frame *frame;
		uint64_t n_before, count;
		struct rig rig;

		up(&rig, "clock=virtual,cores=2,phase=2500000,same=100,seed=3", events[k]);
		frame = next(&rig);
		n_before = frame->hot->n_samples;
		for (unsigned i = 0; i < 4; i++) {
			frame_unref(frame);
			frame = next(&rig);
		}
		count = frame_counts(frame, 0)[rig.first.sampled].value +
			frame_counts(frame, 1)[rig.first.sampled].value;
		print_message("# %s: %lu, then %lu samples of %lu in 0.1 s\n", events[k], n_before,
			      frame->hot->n_samples, count);
		/* two cores, each with up to 1000 a second, or 4000 of its busy time */
		assert_in_range(n_before, 0, 800);
		assert_in_range(frame->hot->n_samples, count > 200 * 101 ? 40 : 0, 800);
		frame_unref(frame);
		rig_down(&rig);
	}
}

static void periods_are_not_round(void **state)
{
	static const struct pmu core = { .kind = PMU_CORE }, software = { .kind = PMU_SOFTWARE };
	static const struct sample_rate any, limited = { .limit = 1000 },
					     many = { .wanted = 10000 };
	const struct event cycles = { .pmu = &core },
			   faults = { .pmu = &software, .config = { 2 } };

	(void)state;
	for (double rate = 1e3; rate < 1e11; rate *= 1.7) {
		uint64_t period = event_next_period(&cycles, 1, rate, rate, &any);

		assert_true(period % 2 && period % 3 && period % 5 && period % 7);
		assert_true(period >= 101 && rate / (double)period <= 1000);
		/* half of the time idle: still at most 4000 a second while it works */
		assert_true(rate / (double)event_next_period(&cycles, 1, rate / 20, rate, &any) <=
			    4000);
		assert_int_equal(event_next_period(&cycles, period, rate * 1.1, 0, &any), period);
	}
	assert_int_equal(event_next_period(&faults, 101, 500, 900, &any), 1);
	/* the kernel allows 1000 a second */
	assert_in_range(event_next_period(&cycles, 1, 3e9, 3e9, &limited), 24000000, 24000020);
	assert_int_equal(event_next_period(&faults, 101, 0, 0, &any), 101);
	assert_in_range(event_next_period(&cycles, 1, 3e9, 3e9, &many), 300000, 300020);
}

/* A fixed period is exact where the core takes its samples without harm, else as short as it may be. */
static void fixed_period_where_it_is_safe(void **state)
{
	static const struct pmu core = { .kind = PMU_CORE }, software = { .kind = PMU_SOFTWARE };
	static const struct sample_rate fixed = { .period = 1000, .limit = 100000 },
					long_one = { .period = 5000000, .limit = 100000 };
	const struct event cycles = { .pmu = &core }, clock = { .pmu = &software },
			   faults = { .pmu = &software, .config = { 2 } };

	(void)state;
	assert_in_range(event_first_period(&clock, &fixed), 80000, 80020);
	assert_in_range(event_first_period(&cycles, &fixed), 640000, 640020);
	assert_int_equal(event_first_period(&faults, &fixed), 1000);
	assert_int_equal(event_first_period(&cycles, &long_one), 5000000);
	assert_int_equal(event_next_period(&cycles, 640001, 1e6, 1e6, &fixed), 1000);
	assert_in_range(event_next_period(&cycles, 1000, 3e9, 3e9, &fixed), 240000, 240020);
	assert_int_equal(event_next_period(&cycles, 240001, 1e6, 1e6, &fixed), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_within_their_errors),
		cmocka_unit_test(samples_of_many_cores_wait),
		cmocka_unit_test(samples_that_nobody_wants_are_dropped),
		cmocka_unit_test(stops_are_divided_among_windows),
		cmocka_unit_test(no_rhythm_meets_the_samples),
		cmocka_unit_test(counts_are_those_without_samples),
		cmocka_unit_test(period_follows_the_rate),
		cmocka_unit_test(periods_are_not_round),
		cmocka_unit_test(fixed_period_where_it_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
