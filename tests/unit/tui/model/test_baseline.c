/* The change of each figure from a baseline: on a simulated machine, against what the history says. */
#include "rig/model_rig.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tui/model/baseline.h"
#include "tui/model/model.h"
#include "tui/model/series.h"

static void end_all(struct screen *screen)
{
	baseline_free(screen->model.baseline);
	screen_end(screen);
}

static void keep(struct screen *screen, uint64_t most_ns, uint64_t span_ns)
{
	uint64_t is_ns;

	assert_int_equal(
		baseline_of_shown(&screen->model, most_ns, &screen->model.baseline, &is_ns), 0);
	assert_int_equal(is_ns, span_ns);
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-6 * (fabs(a) + fabs(b) + 1))
		fail_msg("%.9g is not %.9g", a, b);
}

/* What a figure was over buckets of the history, as Graph and Heat have it. */
static double was(const struct model *model, const struct series *series, size_t first, size_t n)
{
	const struct history_query query = series_query(model, series);
	struct history_value value = history_value_over(model->history, first, n, &query);

	assert_true(quality_has_value(value.quality));
	return value.mean * quantity_scale(model, &series->quantity, &series->line);
}

/* A cell's change against the history, of a column. @return were there figures to compare? */
static bool check_slot(const struct model *model, const struct line *line, unsigned slot,
		       size_t first, size_t n)
{
	const struct series series = { .line = *line, .quantity = quantity_of_slot(model, slot) };
	struct frame_row row;

	assert_true(model_row(model, line, &row));

	struct reading now = model_figure(model, &row, slot, SHOW_RATE);
	struct reading cell = baseline_slot_cell(model, &row, slot);

	if (!quality_has_value(now.quality))
		return false;
	assert_int_equal(cell.quality, now.quality);
	assert_near(cell.value, (now.value / was(model, &series, first, n) - 1) * 100);
	return true;
}

static void check_metric(const struct model *model, const struct line *line, unsigned number,
			 size_t first, size_t n)
{
	const struct series series = { .line = *line, .quantity = quantity_of_metric(number) };
	const char *unit = model->metrics->metric[number].unit;
	struct frame_row row;

	assert_true(model_row(model, line, &row));

	struct reading now = model_metric_cell(model, &row, number);
	struct reading cell = baseline_metric_cell(model, &row, number);

	if (!quality_has_value(now.quality))
		return;

	double before = was(model, &series, first, n);

	if (strcmp(unit, "%") == 0)
		assert_near(cell.value, now.value - before);
	else if (before != 0)
		assert_near(cell.value, (now.value / before - 1) * 100);
}

/* Rows of every kind, columns and metrics. @first, @n  buckets of the baseline */
static void check_all(struct screen *screen, size_t first, size_t n)
{
	struct model *model = &screen->model;
	unsigned n_checked = 0;

	for (unsigned by = 0; by < BY_SYSTEM; by++) {
		for (unsigned i = 0; i < frame_n_rows(model->machine, model->set, by); i++) {
			const struct line line = { .by = by, .index = i };

			for (unsigned slot = 0; slot < model->set->n_slots; slot++)
				n_checked += check_slot(model, &line, slot, first, n);
			for (unsigned m = 0; m < model->metric.n; m++)
				check_metric(model, &line, model->metric.number[m], first, n);
		}
	}
	assert_true(n_checked >= 10 * model->machine->n_cores);
}

static void cells_show_the_change_from_the_mean(void **state)
{
	struct screen screen;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual,offline=2@3-5", 1);
	screen_look(&screen, 20);
	keep(&screen, NS_PER_S, NS_PER_S);
	check_all(&screen, 10, 10);
	screen_look(&screen, 5);
	check_all(&screen, 10, 10);
	/* raw counts are of windows: their rates are compared */
	model_show(&screen.model, SHOW_COUNT);
	check_all(&screen, 10, 10);
	end_all(&screen);
}

/* Inputs lost in different windows: a metric is of those windows that have all, as in the history. */
static void a_metric_keeps_to_its_own_windows(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;

	(void)state;
	screen_begin(&screen,
		     "seed=7,clock=virtual,steal=4.6@1.2-1.5,steal=4.5@1.6-1.7,steal=1.6@1.1-1.4,"
		     "steal=1.8@1.5-1.8",
		     1);
	screen_look(&screen, 20);
	keep(&screen, NS_PER_S, NS_PER_S);
	for (unsigned i = 0; i < model->machine->n_cores; i++) {
		const struct line line = { .by = BY_CORE, .index = i };

		for (unsigned m = 0; m < model->metric.n; m++)
			check_metric(model, &line, model->metric.number[m], 10, 10);
	}
	end_all(&screen);
}

static void a_moment_of_the_past_can_be_it(void **state)
{
	struct screen screen;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 20);
	assert_int_equal(scrub_to(&screen.model, 8), 0);
	keep(&screen, 3 * INTERVAL_NS, 3 * INTERVAL_NS);
	model_freeze(&screen.model, false);
	check_all(&screen, 6, 3);
	end_all(&screen);
}

static void multiplexed_counts_are_compared(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;
	struct frame_row row;
	const struct line line = { .by = BY_TYPE, .index = 1 };

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 2);
	screen_look(&screen, 10);
	keep(&screen, NS_PER_S, NS_PER_S);
	assert_true(model_row(model, &line, &row));
	/* a metric takes its inputs from one mux group, or adds them up: the same in both frames */
	for (unsigned m = 0; m < model->metric.n; m++) {
		struct reading cell = baseline_metric_cell(model, &row, model->metric.number[m]);

		assert_true(!quality_has_value(cell.quality) || isfinite(cell.value));
	}
	for (unsigned slot = 2; slot < model->set->first[1]; slot++) {
		struct reading before = baseline_slot(model, &row, slot, SHOW_RATE);

		assert_true(!set_event(model->set, slot) || before.quality == QUALITY_SCALED);
	}
	end_all(&screen);
}

/* By name: of another event there is no baseline, and it is there again with the event. */
static void an_event_that_was_not_counted_has_none(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;
	const struct line line = { .by = BY_CORE, .index = 4 };
	struct set first, other;
	struct frame_row row;
	struct err err = { "" };

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	first = *sampler_set(screen.rig.sampler);
	screen_look(&screen, 5);
	keep(&screen, NS_PER_S, 5 * INTERVAL_NS);
	must(set_change(screen.rig.events, &first, 6, "INST_BRANCH_CALL", PRIVILEGE_BOTH, &other,
			&err),
	     &err);
	must(sampler_load(screen.rig.sampler, &other, &err), &err);
	assert_int_equal(model_load(model, &other, &model->chosen), 0);
	screen_look(&screen, 4);
	assert_true(model_row(model, &line, &row));
	assert_int_equal(baseline_slot_cell(model, &row, 6).quality, QUALITY_NOT_COUNTED);
	assert_true(quality_has_value(baseline_slot_cell(model, &row, 5).quality));
	assert_int_equal(baseline_n_events(model->baseline, &first), 10);
	assert_int_equal(baseline_n_events(model->baseline, &other), 9);
	end_all(&screen);
}

static void of_yielded_counters_there_is_none(void **state)
{
	static const struct set nothing;
	struct screen screen;
	struct err err = { "" };
	uint64_t is_ns;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 5);
	must(sampler_load(screen.rig.sampler, &nothing, &err), &err);
	screen_look(&screen, 4);
	assert_int_equal(baseline_of_shown(&screen.model, NS_PER_S, &screen.model.baseline, &is_ns),
			 -ENOENT);
	end_all(&screen);
}

static struct frame *next_frame(struct screen *screen)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(screen->rig.sampler), 0);
	frame = queue_pop(screen->rig.queue, NULL);
	assert_non_null(frame);
	return (struct frame *)frame;
}

/* Let the next frame have what a core counted in this one, in which it is late. */
static void make_late(struct frame *frame, struct frame *next, unsigned core)
{
	struct count *count = frame->count + (size_t)core * frame->n_slots,
		     *more = next->count + (size_t)core * next->n_slots;

	next->core[core].window_ns += frame->core[core].window_ns;
	frame->core[core] = (struct frame_core){ .state = CORE_LATE };
	for (unsigned i = 0; i < frame->n_slots; i++) {
		count_add_window(&more[i], &count[i]);
		count[i] = (struct count){ .quality = QUALITY_NONE };
	}
}

/* The rate of a row in Heat's last bucket, and its change from the first ten. */
static void check_rate(struct model *model, const struct line *line, double rate)
{
	const struct series series = { .line = *line, .quantity = quantity_of_slot(model, 0) };
	struct frame_row row;

	assert_near(series_value(model, &series).mean, rate);
	assert_true(model_row(model, line, &row));
	assert_false(row.is_earlier);
	assert_near(baseline_slot_cell(model, &row, 0).value,
		    (rate / was(model, &series, 0, 10) - 1) * 100);
}

static void rates_beside_a_late_core_are_of_own_windows(void **state)
{
	enum { LATE = 2 };
	struct screen screen;
	struct model *model = &screen.model;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 10);
	keep(&screen, NS_PER_S, NS_PER_S);

	struct frame *frame = next_frame(&screen), *next = next_frame(&screen);
	const unsigned type = model->machine->core[LATE].type;
	const struct series of_type = { .line = { .by = BY_TYPE, .index = type },
					.quantity = quantity_of_slot(model, 0) };
	struct frame_row row;
	double sum = 0;

	make_late(frame, next, LATE);
	model_feed(model, frame);
	assert_int_equal(series_value(model, &of_type).quality, QUALITY_PENDING);
	assert_true(model_row(model, &of_type.line, &row));
	assert_true(row.is_earlier);
	check_rate(model, &(struct line){ .by = BY_CORE, .index = LATE + 1 },
		   count_rate(&frame_counts(frame, LATE + 1)[0]).value);
	model_feed(model, next);
	for (unsigned core = 0; core < next->n_cores; core++) {
		double rate = (double)frame_counts(next, core)[0].value * 1e9 /
			      (double)next->core[core].window_ns;

		check_rate(model, &(struct line){ .by = BY_CORE, .index = core }, rate);
		sum += model->machine->core[core].type == type ? rate : 0;
	}
	check_rate(model, &of_type.line, sum);
	end_all(&screen);
}

static void rows_are_sorted_by_their_change(void **state)
{
	struct screen screen;
	struct model *model = &screen.model;
	double before = INFINITY;

	(void)state;
	screen_begin(&screen, "seed=7,clock=virtual", 1);
	screen_look(&screen, 20);
	keep(&screen, NS_PER_S, NS_PER_S);
	rows_sort(model, ORDER_SLOT, 5);
	for (unsigned i = 0; i < model->n_lines; i++) {
		struct frame_row row;

		assert_true(model_row(model, &model->line[i], &row));

		struct reading cell = baseline_slot_cell(model, &row, 5);

		assert_true(quality_has_value(cell.quality));
		assert_true(cell.value <= before);
		before = cell.value;
	}
	end_all(&screen);
}

static void a_change_in_few_characters(void **state)
{
	static const struct {
		int line;
		double now, before;
		bool is_share;
		const char *text;
	} row[] = {
		{ __LINE__, 110, 100, false, "+10" },    { __LINE__, 103.44, 100, false, "+3.4" },
		{ __LINE__, 99.52, 100, false, "-0.5" }, { __LINE__, 100.04, 100, false, "0.0" },
		{ __LINE__, 99.97, 100, false, "0.0" },  { __LINE__, 0, 100, false, "-100" },
		{ __LINE__, 899, 100, false, "+799" },   { __LINE__, 1000, 100, false, "×10" },
		{ __LINE__, 1e9, 1, false, "×1.0G" },    { __LINE__, 0, 0, false, "0.0" },
		{ __LINE__, 1, 0, false, "-" },          { __LINE__, 2.4, 2.1, true, "+0.3" },
		{ __LINE__, 12, 45, true, "-33" },       { __LINE__, -3, -2, false, "-50" },
	};
	struct label text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading change = baseline_change(
			(struct reading){ row[i].now, QUALITY_OK },
			(struct reading){ row[i].before, QUALITY_OK }, row[i].is_share);

		text = baseline_text(change, 5);
		if (strcmp(text.text, row[i].text) != 0)
			fail_msg("line %d: \"%s\"", row[i].line, text.text);
	}

	const struct reading now = { 12, QUALITY_SCALED }, off = { 0, QUALITY_OFF };
	const struct reading before = { 10, QUALITY_OK };

	assert_string_equal(baseline_text(baseline_change(now, before, false), 5).text, "~+20");
	assert_string_equal(baseline_text(baseline_change(off, before, false), 5).text, "off");
	assert_string_equal(baseline_text(baseline_change(before, off, false), 5).text, "-");
	assert_string_equal(baseline_unit("%"), "pp");
	assert_string_equal(baseline_unit("/Kinst"), "%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_show_the_change_from_the_mean),
		cmocka_unit_test(a_metric_keeps_to_its_own_windows),
		cmocka_unit_test(a_moment_of_the_past_can_be_it),
		cmocka_unit_test(multiplexed_counts_are_compared),
		cmocka_unit_test(an_event_that_was_not_counted_has_none),
		cmocka_unit_test(of_yielded_counters_there_is_none),
		cmocka_unit_test(rates_beside_a_late_core_are_of_own_windows),
		cmocka_unit_test(rows_are_sorted_by_their_change),
		cmocka_unit_test(a_change_in_few_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
