/* How far multiplexed figures are from the truth, and whether the error they state holds it. */
#include <math.h>
#include <stdlib.h>

#include "metrics/planner.h"
#include "rig/mux_rig.h"

enum { FRAMES = 300, NOISY_WINDOWS = 20000, TRUTH_MIN = 1000 };

struct cells {
	unsigned n, n_held; /* all, and those whose stated error holds the truth */
	unsigned n_common;  /* those of TRUTH_MIN events or more, for what is relative: */
	double *off, *stated;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(double *value, unsigned n, unsigned percent)
{
	qsort(value, n, sizeof(*value), compare);
	return value[(size_t)n * percent / 100];
}

static void take_cell(const struct count *count, double truth, struct cells *cells)
{
	double scale = (double)count->enabled_ns / (double)count->running_ns;
	double off = fabs(count_total(count).value - truth);

	assert_int_equal(count->quality, QUALITY_SCALED);
	assert_true(count->error > 0);
	cells->n++;
	cells->n_held += off <= count->error * scale;
	if (truth < TRUTH_MIN)
		return;
	cells->off[cells->n_common] = off / truth;
	cells->stated[cells->n_common++] = count->error * scale / truth;
}

static void take_frame(const struct rig *rig, const struct frame *frame, struct cells *cells)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		const struct frame_core *fc = &frame->core[core];
		uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns;
		unsigned type = rig->backend->machine.core[core].type;

		for (unsigned i = 0; i < frame->n_slots; i++) {
			const struct event *event = frame->set->type[type].event[i];

			if (event)
				take_cell(&frame_counts(frame, core)[i],
					  (double)sim_truth(rig->backend, core, event->config[0],
							    PRIVILEGE_BOTH, from, to),
					  cells);
		}
	}
}

/* @off_pct  within which 95 of 100 figures are to be */
static void check(uint64_t interval_ms, unsigned n_mux, double off_pct)
{
	size_t most = FRAMES * 8 * COLUMNS_MAX;
	struct cells cells = { .off = calloc(most, sizeof(double)),
			       .stated = calloc(most, sizeof(double)) };
	struct rig rig;

	rig_mux(&rig, "clock=virtual,seed=7", interval_ms * NS_PER_MS, n_mux);
	for (unsigned i = 0; i < FRAMES; i++) {
		assert_int_equal(sampler_step(rig.sampler), 0);

		const struct frame *frame = queue_pop(rig.queue, NULL);

		take_frame(&rig, frame, &cells);
		frame_unref(frame);
	}
	rig_down(&rig);

	double off = 100 * percentile(cells.off, cells.n_common, 95);

	print_message("# %4lu ms, %u groups: off by %.2f %%, stated %.2f %% (median %.2f %%), held "
		      "in %.2f %% of %u\n",
		      interval_ms, n_mux, off, 100 * percentile(cells.stated, cells.n_common, 95),
		      100 * percentile(cells.stated, cells.n_common, 50),
		      100.0 * cells.n_held / cells.n, cells.n);
	assert_true(off <= off_pct);
	assert_true(cells.n_held >= cells.n * 0.95);
	free(cells.off);
	free(cells.stated);
}

static void errors(void **state)
{
	static const struct {
		uint64_t interval_ms;
		double off_pct;
	} row[] = { { 10, 1 }, { 100, 1 }, { 1000, 6 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		check(row[i].interval_ms, 2, row[i].off_pct);
		check(row[i].interval_ms, 3, row[i].off_pct);
		check(row[i].interval_ms, 6, row[i].off_pct);
	}
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
		count.error = mux_spread_close(&spread, &count);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),       cmocka_unit_test(every_event),
		cmocka_unit_test(work_in_step), cmocka_unit_test(rounds),
		cmocka_unit_test(noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
