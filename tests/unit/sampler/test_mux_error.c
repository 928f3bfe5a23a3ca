/* How far multiplexed figures are from the truth, and whether the error they state holds it. With the argument
 * "table" (make accuracy) all intervals, numbers of mux groups and kinds of work, else some of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/planner.h"
#include "rig/mux_rig.h"

enum {
	GROUPS_MAX = 8,
	FIGURES = 60000,      /* of a row of the table, roughly */
	FIGURES_SHORT = 8000, /* of a row of the test */
	WARM_ROUNDS = 20,     /* rounds before the first figure */
	NOISY_WINDOWS = 20000,
	TRUTH_MIN = 1000, /* fewest events for a relative error */
};

/* What every mux group counts, and its other events. */
#define COMMON "cycles,instructions,"

static const char *const group[GROUPS_MAX] = {
	COMMON "INST_BRANCH,BRANCH_MISPRED_NONSPEC,MAP_STALL,SCHEDULE_EMPTY,L1D_TLB_FILL",
	COMMON "L1D_CACHE_MISS_LD,L1D_CACHE_MISS_ST,L1D_TLB_MISS,LD_UNIT_UOP,"
	       "L1D_CACHE_MISS_LD_NONSPEC",
	COMMON "INST_INT_LD,INST_SIMD_LD,INST_LDST,MAP_INT_UOP,MAP_SIMD_UOP",
	COMMON "INST_INT_ALU,INST_BRANCH_TAKEN,BRANCH_COND_MISPRED_NONSPEC,MAP_DISPATCH_BUBBLE,"
	       "FETCH_RESTART",
	COMMON "MMU_TABLE_WALK_DATA,L2_TLB_MISS_DATA,L1D_TLB_MISS_NONSPEC,L1D_TLB_ACCESS,"
	       "MAP_REWIND",
	COMMON "RETIRE_UOP,MAP_LDST_UOP,ST_UNIT_UOP,L1D_CACHE_WRITEBACK,INST_BRANCH_CALL",
	COMMON "L1I_TLB_FILL,L1I_CACHE_MISS_DEMAND,INTERRUPT_PENDING,ATOMIC_OR_EXCLUSIVE_SUCC,"
	       "INST_BARRIER",
	COMMON "SCHEDULE_UOP,MAP_STALL_DISPATCH,LDST_X64_UOP,INST_SIMD_ALU,INST_SIMD_ST",
};

/* Kinds of work. Rates differ between phases of 0.5 ms, within the same kind, too. */
static const struct work {
	const char *name, *options; /* NULL: two kinds alternate in each round */
} works[] = {
	{ "steady", "phase=500,same=1000000000" },
	{ "steps", "phase=500,same=600" },
	{ "periodic", NULL },
	{ "bursts", "phase=1000,same=2,idle=75" },
	{ "tasks", "tasks=64,short=300" },
};

/* Row of the table: distances from the truth by time and as shown, as shares of it. */
struct row {
	const struct work *work;
	unsigned interval_ms, n_mux, n_figures;
	unsigned n, n_held; /* all figures, and those whose stated error holds the truth */
	unsigned n_common;  /* those of TRUTH_MIN events or more, for what is relative: */
	double *by_time, *off, stated; /* stated: sum */
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @value  sorted afterwards */
static double percentile_95(double *value, unsigned n)
{
	qsort(value, n, sizeof(*value), compare);
	return value[(size_t)n * 95 / 100];
}

static double mean(const double *value, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += value[i];
	return sum / n;
}

static void take_figure(const struct count *count, double truth, struct row *row)
{
	double scale = (double)count->enabled_ns / (double)count->running_ns;
	double off = fabs(count_total(count).value - truth);

	assert_int_equal(count->quality, QUALITY_SCALED);
	assert_true(count->error > 0);
	row->n++;
	row->n_held += off <= count->error * scale;
	if (truth < TRUTH_MIN)
		return;
	row->by_time[row->n_common] = fabs((double)count->value * scale - truth) / truth;
	row->off[row->n_common++] = off / truth;
	row->stated += count->error * scale / truth;
}

/* Take the figures of the events that only one mux group counts. */
static void take_frame(const struct rig *rig, const struct frame *frame, struct row *row)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		const struct frame_core *fc = &frame->core[core];
		uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns;
		unsigned type = rig->backend->machine.core[core].type;

		for (unsigned i = 0; i < frame->n_slots; i++) {
			const struct event *event = frame->set->type[type].event[i];

			if (event && !event->is_cycles && !event->is_instructions)
				take_figure(&frame_counts(frame, core)[i],
					    (double)sim_truth(rig->backend, core, event->config[0],
							      PRIVILEGE_BOTH, from, to),
					    row);
		}
	}
}

static void rig_start_groups(struct rig *rig, unsigned n)
{
	struct set mux[GROUPS_MAX];
	struct err err = { "" };

	for (unsigned i = 0; i < n; i++) {
		struct event_spec *spec;
		size_t n_specs;

		must(event_specs_parse(group[i], &spec, &n_specs, &err), &err);
		must(set_make(rig->events, spec, n_specs, PRIVILEGE_BOTH, &mux[i], &err), &err);
		free(spec);
	}
	must(set_join(mux, n, &rig->first, &err), &err);
	rig_start(rig);
}

static void measure(struct row *row)
{
	unsigned n_rounds = mux_rounds(row->interval_ms * NS_PER_MS, row->n_mux);
	unsigned in_frame = row->n_mux * 5 * 8, n_warm = 1 + WARM_ROUNDS / n_rounds;
	unsigned n_frames = n_warm + 30 + row->n_figures / in_frame;
	size_t most = (size_t)n_frames * in_frame;
	char options[128], period[32];
	struct rig rig;

	snprintf(period, sizeof(period), "period=%u", row->interval_ms * 1000 / n_rounds);
	snprintf(options, sizeof(options), "clock=virtual,seed=7,%s",
		 row->work->options ? row->work->options : period);
	row->by_time = calloc(most, sizeof(double));
	row->off = calloc(most, sizeof(double));
	rig_make(&rig, options, row->interval_ms * NS_PER_MS);
	rig_start_groups(&rig, row->n_mux);
	for (unsigned i = 0; i < n_frames; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);

		const struct frame *frame = queue_pop(rig.queue, NULL);

		if (i >= n_warm)
			take_frame(&rig, frame, row);
		frame_unref(frame);
	}
	rig_down(&rig);
}

/* @return whether the errors hold what docs/accuracy.md promises */
static bool report(struct row *row)
{
	unsigned n = row->n_common;
	double by_time = percentile_95(row->by_time, n), off = percentile_95(row->off, n);
	double held = (double)row->n_held / row->n, stated = row->stated / n;
	bool is_steady = strcmp(row->work->name, "steady") == 0;
	bool ret = held >= 0.93 && (!is_steady || stated <= 2 * off);

	print_message("# %5u ms, %u groups, %-8s by time %6.2f %6.2f   by cycles %6.2f %6.2f   "
		      "stated %8.2f   held %6.2f %% of %u%s\n",
		      row->interval_ms, row->n_mux, row->work->name, 100 * mean(row->by_time, n),
		      100 * by_time, 100 * mean(row->off, n), 100 * off, 100 * stated, 100 * held,
		      row->n, ret ? "" : "  FAILS");
	free(row->by_time);
	free(row->off);
	return ret;
}

static bool measure_row(const struct work *work, unsigned interval_ms, unsigned n_mux,
			unsigned n_figures)
{
	struct row row = {
		.work = work, .interval_ms = interval_ms, .n_mux = n_mux, .n_figures = n_figures
	};

	measure(&row);
	assert_true(mean(row.off, row.n_common) < mean(row.by_time, row.n_common));
	return report(&row);
}

static void errors(void **state)
{
	static const unsigned row[][2] = {
		{ 5, 3 }, { 10, 2 }, { 100, 6 }, { 1000, 3 }, { 1000, 8 }
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++)
		for (unsigned k = 0; k < ARRAY_SIZE(works); k++)
			assert_true(measure_row(&works[k], row[i][0], row[i][1], FIGURES_SHORT));
}

static void table(void **state)
{
	static const unsigned interval_ms[] = { 5, 10, 20, 100, 1000 };
	static const unsigned n_mux[] = { 2, 3, 6, 8 };
	unsigned n_failed = 0;

	(void)state;
	print_message("# distance from the truth, %%: mean and 95th percentile; mean stated error, "
		      "%%\n");
	for (unsigned i = 0; i < ARRAY_SIZE(interval_ms); i++)
		for (unsigned g = 0; g < ARRAY_SIZE(n_mux); g++)
			for (unsigned k = 0; k < ARRAY_SIZE(works); k++)
				if (interval_ms[i] >= n_mux[g]) /* 1 ms for each group */
					n_failed += !measure_row(&works[k], interval_ms[i],
								 n_mux[g], FIGURES);
	assert_int_equal(n_failed, 0);
}

enum { SECONDS = 30 };

/* Events of one core in each second, and summed over all. */
struct all_events {
	struct count sum[8][COLUMNS_MAX];
	double truth[8][COLUMNS_MAX];
	unsigned n_cells, n_held;
};

static bool is_held(const struct count *count, double truth)
{
	double scale = (double)count->enabled_ns / (double)count->running_ns;

	return fabs(count_total(count).value - truth) <= count->error * scale;
}

static void add_second(const struct rig *rig, const struct frame *frame, struct all_events *all)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		uint64_t to = rig->sampler->start_ns + frame->core[core].t_ns;
		uint64_t from = to - frame->core[core].window_ns;
		struct frame_row row;

		frame_row(frame, &rig->backend->machine, &rig->metrics, BY_CORE, core, &row);
		for (unsigned i = 0; i < frame->n_slots; i++) {
			const struct count count = frame_row_event(&row, frame->set, i);
			unsigned id = (unsigned)frame->set->type[row.type].event[i]->config[0];
			double truth =
				(double)sim_truth(rig->backend, core, id, PRIVILEGE_BOTH, from, to);

			if (count.quality == QUALITY_NONE || set_slot_of(frame->set, i) < 2)
				continue; /* counted before, or in all groups */
			all->n_cells++;
			all->n_held += is_held(&count, truth);
			count_add_window(&all->sum[core][i], &count);
			all->truth[core][i] += truth;
		}
	}
}

/* -P all for half a minute: how many of the events are within their bar of the truth. */
static void every_event(void **state)
{
	struct all_events *all = calloc(1, sizeof(*all));
	struct planner_request request = { .preset = "all" };
	struct err err = { "" };
	unsigned n = 0, n_held = 0;
	struct rig rig;

	(void)state;
	rig_make(&rig, "clock=virtual,seed=7", NS_PER_S);
	request.events = rig.events;
	request.metrics = &rig.metrics;
	must(planner_make(&request, &rig.first, &err), &err);
	rig_start(&rig);
	for (unsigned i = 0; i < SECONDS; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);

		const struct frame *frame = queue_pop(rig.queue, NULL);

		add_second(&rig, frame, all);
		frame_unref(frame);
	}
	for (unsigned core = 0; core < 8; core++)
		for (unsigned i = 0; i < COLUMNS_MAX; i++) {
			const struct count *sum = &all->sum[core][i];

			n += sum->quality != QUALITY_NONE;
			n_held += sum->quality != QUALITY_NONE && is_held(sum, all->truth[core][i]);
		}
	print_message(
		"# all events, %u sets: within the bar %u of %u in a second, %u of %u in %u s\n",
		set_n_mux(&rig.first), all->n_held, all->n_cells, n_held, n, SECONDS);
	assert_int_equal(n, 8 * 88);
	assert_true(all->n_held >= all->n_cells * 0.93);
	assert_true(n_held >= n * 0.93);
	rig_down(&rig);
	free(all);
}

/* Work that goes on and off with the intervals, in their first half: no group sees more of it. */
static void work_in_step(void **state)
{
	(void)state;
	for (unsigned n_mux = 2; n_mux <= 4; n_mux += 2) {
		unsigned n_first[4] = { 0 };

		for (uint64_t tick = 0; tick < 10000 * n_mux; tick++)
			if (tick % n_mux < n_mux / 2)
				n_first[mux_of_tick(12345, tick, n_mux)]++;
		for (unsigned i = 0; i < n_mux; i++)
			assert_in_range(n_first[i], 4800, 5200);
	}
}

/* In every round each group counts once. */
static void rounds(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 100; round++) {
		unsigned seen = 0;

		for (uint64_t tick = round * 5; tick < round * 5 + 5; tick++)
			seen |= 1U << mux_of_tick(7, tick, 5);
		assert_int_equal(seen, 0x1f);
	}
	assert_int_equal(mux_rounds(NS_PER_S, 1), 1);
	assert_int_equal(mux_rounds(NS_PER_S, 2), 16);
	assert_int_equal(mux_rounds(NS_PER_S, 11), 4); /* -P all of the M1 */
	assert_int_equal(mux_rounds(100 * NS_PER_MS, 6), 4);
	assert_int_equal(mux_rounds(10 * NS_PER_MS, 2), 1);
	assert_int_equal(mux_rounds(2 * NS_PER_MS, 2), 1);
}

/* Rates that differ at random from each part to the next. @return share of windows whose error held */
static double held_of_noise(unsigned n_mux, unsigned n_rounds)
{
	struct mux_spread spread = { 0 };
	unsigned n_held = 0;

	for (unsigned w = 0; w < NOISY_WINDOWS; w++) {
		struct count count = { .quality = QUALITY_SCALED };
		double truth = 0;

		for (unsigned i = 0; i < n_rounds * n_mux; i++) {
			uint64_t n = (uint64_t)random() % 1000;

			truth += (double)n;
			count.enabled_ns += NS_PER_MS;
			if (i % n_mux)
				continue;
			count.value += n;
			count.running_ns += NS_PER_MS;
			mux_spread_add(&spread, n, NS_PER_MS);
		}
		const struct mux_coverage coverage = {
			(double)count.running_ns, (double)(count.enabled_ns - count.running_ns)
		};

		count.error = mux_spread_close(&spread, &count, &coverage);
		n_held += fabs((double)count.value * n_mux - truth) <= count.error * n_mux;
	}
	return (double)n_held / NOISY_WINDOWS;
}

static void noise(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned n_rounds = 1; n_rounds <= 16; n_rounds *= 2)
		for (unsigned n_mux = 2; n_mux <= 6; n_mux += 4)
			assert_true(held_of_noise(n_mux, n_rounds) >= 0.945);
}

/* Windows of one round each, which counts one of three parts. @return the bar's upper end over the truth, the largest
 * of the windows from `first` on */
static double highest(unsigned (*rate)(unsigned part), unsigned first)
{
	struct mux_spread spread = { 0 };
	double ret = 0;

	for (unsigned w = 0; w < 60; w++) {
		struct count count = { .value = rate(3 * w) * 1000,
				       .enabled_ns = 3 * NS_PER_MS,
				       .running_ns = NS_PER_MS,
				       .quality = QUALITY_SCALED };
		const struct mux_coverage coverage = { 1e6, 2e6 };
		double most = 1000 * rate(6), truth = 0, high;

		for (unsigned part = 0; part < 3; part++)
			truth += 1000 * rate(3 * w + part);
		mux_spread_add(&spread, count.value, 1000000);
		count.error = mux_spread_close(&spread, &count, &coverage);
		if (w < first)
			continue;
		high = count_total(&count).value * (1 + count_error(&count));
		assert_true(truth <= high);
		assert_true(truth >= count_total(&count).value * (1 - count_error_below(&count)));
		assert_true(count_total(&count).value * (1 - count_error_below(&count)) >=
			    0.999 * (double)count.value);
		/* at most the largest rate, with its margin, in what was missed, or as far up as down */
		assert_true(high <= fmax((double)count.value + 1.25 * most * 2,
					 2 * count_total(&count).value - (double)count.value) +
					    10);
		ret = fmax(ret, high / truth);
	}
	return ret;
}

static unsigned periodic_rate(unsigned part)
{
	return part % 2 ? 4 : 1000;
}

/* Steps to an eighth at window 30. */
static unsigned step_rate(unsigned part)
{
	return part < 90 ? 800 + part % 7 : 100 + part % 7;
}

/* The truth is in the range between what was counted and what could have been, and a step is soon forgotten. */
static void range(void **state)
{
	(void)state;
	assert_true(highest(periodic_rate, 20) < 4);
	assert_true(highest(step_rate, 20) > 2);
	assert_true(highest(step_rate, 33) < 1.2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest whole[] = { cmocka_unit_test(table) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),       cmocka_unit_test(every_event),
		cmocka_unit_test(work_in_step), cmocka_unit_test(rounds),
		cmocka_unit_test(noise),        cmocka_unit_test(range),
	};

	if (argc > 1 && strcmp(argv[1], "table") == 0)
		return cmocka_run_group_tests(whole, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
