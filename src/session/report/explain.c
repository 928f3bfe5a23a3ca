#include "session/report/explain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/num.h"
#include "pmu/event.h"

/* Windows needed for a result; number of events that a preset should have. */
enum { WINDOWS_ENOUGH = 8, TOP = 5 };

/* normal deviate of a two-sided 95 % interval */
#define Z95 1.96

/* ---- windows ---- */

/* Find the column of an input in the mux group of another column, else anywhere. @return -1: not counted */
static int find_column(const struct set *set, unsigned type, const char *input, unsigned other)
{
	int best = -1;

	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set->type[type].event[i];

		if (!event || !metric_input_is(event, input))
			continue;
		if (set_mux_of(set, i) == set_mux_of(set, other))
			return (int)i;
		best = best < 0 ? (int)i : best;
	}
	return best;
}

/* Find or add an event. @return its index; -1: it is counted in an earlier column, or out of memory */
static int take_event(struct explain *explain, unsigned type, const struct event *event,
		      unsigned column)
{
	const struct explained one = { .event = event, .type = type };
	size_t at = 0;

	while (at < explain->n &&
	       !(explain->event[at].type == type && event_is_same(explain->event[at].event, event)))
		at++;
	for (unsigned i = 0; i < column; i++)
		if (explain->column[type][i].event == (int)at)
			return -1;
	if (at == explain->n && ARRAY_APPEND(explain->event, explain->cap, explain->n, one)) {
		explain->failed = true;
		return -1;
	}
	return (int)at;
}

static void map_set(struct explain *explain, const struct set *set)
{
	for (unsigned t = 0; t < explain->machine->n_types; t++)
		for (unsigned i = 0; i < set->n_slots; i++) {
			const struct event *event = set->type[t].event[i];
			int instructions = find_column(set, t, "instructions", i);
			int cycles = find_column(set, t, "cycles", i);
			bool is_it = event && !event_is_of_device(event) &&
				     !event_is_activity(event) && instructions >= 0 &&
				     cycles >= 0 && instructions != (int)i && cycles != (int)i;

			explain->column[t][i] = (struct explain_column){
				is_it ? (int16_t)take_event(explain, t, event, i) : -1,
				(int16_t)instructions, (int16_t)cycles
			};
		}
	explain->set = set;
}

/* Add a window. @return 0 or -ENOMEM */
static int add_window(struct explained *to, const struct count *event,
		      const struct count *instructions, const struct count *cycles)
{
	struct reading of[] = { count_rate(event), count_rate(instructions), count_rate(cycles) };
	double rate = 1000 * to->event->scale * of[0].value / of[1].value;
	double cpi = of[2].value / of[1].value, before = rate - to->rate.mean;

	for (unsigned i = 0; i < 3; i++)
		if (!quality_has_value(of[i].quality) || (i && !(of[i].value > 0)))
			return 0;
	if (distribution_add(&to->rate, rate) || distribution_add(&to->cpi, cpi))
		return -ENOMEM;
	to->together += (to->rate.n > 1 ? before : 0) * (cpi - to->cpi.mean);
	count_add_window(&to->sum[0], event);
	count_add_window(&to->sum[1], instructions);
	return 0;
}

void explain_add(struct explain *explain, const struct frame *frame)
{
	if (explain->set != frame->set)
		map_set(explain, frame->set);
	for (unsigned type = 0; type < explain->machine->n_types; type++) {
		struct frame_row row;

		frame_row(frame, explain->machine, explain->metrics, BY_TYPE, type, &row);
		for (unsigned i = 0; row.state == CORE_ON && i < frame->n_slots; i++) {
			const struct explain_column *is = &explain->column[type][i];

			if (is->event >= 0)
				explain->failed |=
					add_window(&explain->event[is->event], &row.count[i],
						   &row.count[is->instructions],
						   &row.count[is->cycles]) != 0;
		}
	}
}

/* ---- results ---- */

/* Calculate the share and the slope. Neighbouring windows are correlated: n of them count as n (1 - ab) / (1 + ab), with
 * the correlations a and b of each series with its next. Source: M. S. Bartlett, J. R. Stat. Soc. 98 (1935), 536 */
static void correlate(struct explained *is)
{
	double both = distribution_correlation(&is->rate) * distribution_correlation(&is->cpi);
	double n = (double)is->rate.n * (1 - both) / (1 + both), half = Z95 / sqrt(fmax(n - 3, 1));
	double r = is->together / sqrt(is->rate.squares * is->cpi.squares);
	double middle = atanh(fmin(fabs(r), 0.999999));

	if (n < WINDOWS_ENOUGH || !isfinite(r))
		return;
	is->cycles = 1000 * is->together / is->rate.squares;
	is->cycles_error =
		student_t(Z95, n - 2) * fabs(is->cycles / r) * sqrt((1 - r * r) / (n - 2));
	/* cycles by another name explain nothing */
	if (r * r > 0.99 &&
	    fabs(is->cpi.mean - is->cycles * is->rate.mean / 1000) < 0.02 * is->cpi.mean)
		return;
	is->share = r * r;
	is->low = pow(tanh(fmax(middle - half, 0)), 2);
	is->high = pow(tanh(middle + half), 2);
}

static void finish(struct explained *is)
{
	double median = distribution_percentile(&is->rate, 50);

	is->peak = is->share = is->low = is->high = is->cycles = is->cycles_error = NAN;
	is->per_kinst = 1000 * is->event->scale * count_total(&is->sum[0]).value /
			count_total(&is->sum[1]).value;
	is->per_kinst_error = Z95 * distribution_error(&is->rate);
	if (is->rate.n >= WINDOWS_ENOUGH && median > 0)
		is->peak = distribution_percentile(&is->rate, 95) / median;
	correlate(is);
}

static int compare_events(const void *one, const void *two)
{
	const struct explained *a = one, *b = two;
	double x = a->low > 0 ? 1e6 * a->share : fmax(a->peak, 0);
	double y = b->low > 0 ? 1e6 * b->share : fmax(b->peak, 0);

	return a->type != b->type ? (a->type > b->type) - (a->type < b->type) : (x < y) - (x > y);
}

void explain_end(struct explain *explain)
{
	for (size_t i = 0; i < explain->n; i++)
		finish(&explain->event[i]);
	if (explain->n)
		qsort(explain->event, explain->n, sizeof(*explain->event), compare_events);
}

static double share_in(const struct explain *explain, unsigned type,
		       const struct catalog_preset *preset)
{
	double sum = 0;

	for (size_t i = 0, n = 0; i < explain->n && n < TOP; i++) {
		const struct explained *is = &explain->event[i];

		if (is->type != type || !(is->low > 0))
			continue;
		n++;
		for (const char *const *name = preset->event; *name; name++)
			sum += ascii_casecmp(*name, is->event->name) == 0 ? is->share : 0;
	}
	return sum;
}

const struct catalog_preset *explain_preset(const struct explain *explain, unsigned type)
{
	const struct catalog *catalog = explain->machine->type[type].catalog;
	const struct catalog_preset *best = NULL;
	double most = 0;

	for (size_t i = 0; catalog && i < catalog->n_presets; i++) {
		double share = share_in(explain, type, &catalog->preset[i]);

		if (share <= most)
			continue;
		most = share;
		best = &catalog->preset[i];
	}
	return best;
}

void explain_fini(struct explain *explain)
{
	for (size_t i = 0; i < explain->n; i++) {
		distribution_fini(&explain->event[i].rate);
		distribution_fini(&explain->event[i].cpi);
	}
	free(explain->event);
	*explain = (struct explain){ 0 };
}
