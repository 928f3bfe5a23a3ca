/* finding.c: what a report says first: sentences made from its figures */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "metrics/expression.h"
#include "session/report/report.h"

/* Least cells of a history for a lasting change, and on either side of it; number of things that a sentence lists. */
enum { STEP_CELLS = 8, STEP_SIDE = 3, LISTED = 3 };

/* Least share of the variance that a lasting change explains, and its least size relative to the larger value. */
#define STEP_SHARE 0.6
#define STEP_SIZE  0.15

typedef char number[24];

static const char *si(double value, number buf)
{
	return num_si(value, 4, 8, buf, sizeof(number));
}

/* Finish a sentence. @sentence  emptied; "": none */
static void finding_put(struct text *sentence, report_remark_fn *put, struct text *out)
{
	out->failed |= sentence->failed;
	if (sentence->n && !sentence->failed) {
		text_printf(sentence, ".");
		put(sentence->bytes, out);
	}
	text_clear(sentence);
}

/* ---- which cores lost how much to what ---- */

/* What the cores of a type lost. */
struct loss {
	const struct summary_row *row;
	double share, cycles; /* %; lost per second, for the order */
	struct text parts;
};

static void add_losses(const struct metrics *metrics, struct loss *loss)
{
	for (unsigned i = 0; i < metrics->n_parts; i++) {
		const struct metric_part *part = &metrics->part[i];
		const struct summary_figure *is = report_figure_of_metric(loss->row, part->number);

		if (!part->known->preset || !is || !quality_has_value(is->mean.quality))
			continue;
		loss->share += is->mean.value;
		text_printf(&loss->parts, "%s%s %.1f %%", loss->parts.n ? ", " : "",
			    part->known->name, is->mean.value);
	}
	for (size_t i = 0; i < loss->row->n; i++) {
		const struct summary_figure *is = &loss->row->figure[i];

		if (is->event && !loss->cycles && metric_input_is(is->event, "cycles"))
			loss->cycles = is->mean.value * loss->share / 100;
	}
}

static int by_cycles(const void *a, const void *b)
{
	double x = ((const struct loss *)a)->cycles, y = ((const struct loss *)b)->cycles;

	return (x < y) - (x > y);
}

/* Describe the metric that was beyond its threshold most often. */
static void describe_alarm(const struct summary *summary, const struct summary_row *row,
			   struct text *sentence)
{
	const struct summary_figure *most = NULL;
	number value;

	for (size_t i = 0; i < row->n; i++)
		if (!row->figure[i].event && row->figure[i].alarm == ALARM_BEYOND &&
		    (!most || row->figure[i].n_beyond > most->n_beyond))
			most = &row->figure[i];
	if (most)
		text_printf(sentence, "%s%s of %s is %s%s%s, beyond its threshold",
			    sentence->n ? "; " : "", summary->metrics->metric[most->metric].name,
			    row->name, si(most->mean.value, value),
			    *summary_figure_unit(summary, most) ? " " : "",
			    summary_figure_unit(summary, most));
}

static void describe_losses(const struct summary *summary, struct text *sentence)
{
	struct loss loss[TYPES_MAX] = { 0 };
	size_t n = 0;
	number rate;

	for (size_t i = 0; i < summary->n_rows && n < TYPES_MAX; i++)
		if (summary->row[i].by == BY_TYPE) {
			loss[n].row = &summary->row[i];
			add_losses(summary->metrics, &loss[n++]);
		}
	qsort(loss, n, sizeof(*loss), by_cycles);
	for (size_t i = 0; i < n; i++) {
		if (loss[i].parts.n && !loss[i].parts.failed)
			text_printf(sentence, "%s%s lost %.1f %% of its cycles, %s/s: %s",
				    sentence->n ? "; " : "", loss[i].row->name, loss[i].share,
				    si(loss[i].cycles, rate), loss[i].parts.bytes);
		else
			describe_alarm(summary, loss[i].row, sentence);
		text_fini(&loss[i].parts);
	}
}

/* ---- which command had most ---- */

/* Find the figure of a type to rank its commands by: cycles, else the first. @return n_figures: none */
static size_t main_figure(const struct task_sums *sums, unsigned type)
{
	size_t first = sums->n_figures;

	for (size_t i = sums->n_figures; i-- > 0;) {
		if (sums->figure[i].type != type)
			continue;
		if (metric_input_is(sums->figure[i].event, "cycles"))
			return i;
		first = i;
	}
	return first;
}

static const struct hot_row *top_function(const struct summary *summary,
					  const struct task_figure *like)
{
	for (size_t i = 0; i < summary->functions.n; i++) {
		const struct function_figure *is = &summary->functions.figure[i];

		if (is->sum.type == like->type && event_is_same(is->sum.event, like->event) &&
		    is->rows->n)
			return is->rows->row;
	}
	return NULL;
}

static void describe_command(const struct summary *summary, size_t figure, struct text *sentence)
{
	const struct task_sums *sums = &summary->commands;
	const struct task_figure *is = &sums->figure[figure];
	const struct hot_row *function = top_function(summary, is);
	const struct task_sum *top[N_TASK_KINDS];
	size_t n = task_sums_top(sums, figure, ARRAY_SIZE(top), top), i = 0;

	while (i < n && top[i]->task.kind != TASK_THREAD)
		i++;
	if (i == n)
		return;
	text_printf(sentence, "%s%s had %.1f %% of %s on %s", sentence->n ? "; " : "",
		    top[i]->task.comm, 100 * task_sums_share(sums, top[i], figure), is->event->name,
		    summary->machine->type[is->type].name);
	if (function) {
		text_printf(sentence, ", function ");
		function_full_name(function->function, sentence);
		text_printf(sentence, " %.1f %%", 100 * function->share);
	}
}

static void describe_commands(const struct summary *summary, struct text *sentence)
{
	for (unsigned type = 0; type < summary->machine->n_types; type++) {
		size_t figure = main_figure(&summary->commands, type);

		if (figure < summary->commands.n_figures)
			describe_command(summary, figure, sentence);
	}
}

/* ---- what changed when ---- */

/* A figure of a core type over time: where it changed most lastingly. */
struct step {
	const struct summary_row *row;
	const struct summary_figure *figure;
	uint64_t t_ns;
	double before, after;
	double size; /* relative to the larger of both; 0: no lasting change */
};

/* Find the place that divides the values into two parts with the most different means. @return 0: there is none */
static size_t find_step(const double *value, size_t n, struct step *step)
{
	double all = 0, squares = 0, before = 0, most = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		all += value[i];
	for (size_t i = 0; i < n; i++)
		squares += (value[i] - all / (double)n) * (value[i] - all / (double)n);
	for (size_t i = 1; i + STEP_SIDE <= n; i++) {
		before += value[i - 1];

		double left = before / (double)i, right = (all - before) / (double)(n - i);
		double between =
			(right - left) * (right - left) * (double)i * (double)(n - i) / (double)n;

		if (i < STEP_SIDE || between <= most || between < STEP_SHARE * squares)
			continue;
		most = between;
		at = i;
		step->before = left;
		step->after = right;
	}
	return at;
}

/* @value, @at  room for all cells  @return 0: too few cells */
static size_t read_cells(const struct history *history, const struct step *step, double *value,
			 size_t *at)
{
	const struct history_query query = { .by = BY_TYPE,
					     .index = step->row->index,
					     .metric = (int)step->figure->metric };
	size_t n = 0;

	for (size_t i = 0; i < history_n(history); i++) {
		struct history_value is = history_value(history, i, &query);

		if (!quality_has_value(is.quality))
			continue;
		value[n] = is.mean;
		at[n++] = i;
	}
	return n < STEP_CELLS ? 0 : n;
}

static void judge_step(const struct history *history, struct step *step, struct text *out)
{
	AUTO_FREE double *value = calloc(history_n(history) + 1, sizeof(*value));
	AUTO_FREE size_t *at = calloc(history_n(history) + 1, sizeof(*at));

	if (!value || !at) {
		out->failed = true;
		return;
	}

	size_t i = find_step(value, read_cells(history, step, value, at), step);
	double size =
		fabs(step->after - step->before) / fmax(fabs(step->after), fabs(step->before));

	if (!i || !(size >= STEP_SIZE))
		return;
	step->size = size;
	step->t_ns = history_bucket(history, at[i])->begin_ns;
}

/* Describe within what limits the headline was, where nothing changed for good. */
static void describe_range(const struct summary *summary, const struct step *step,
			   struct text *sentence)
{
	struct distribution *is = (struct distribution *)&step->figure->distribution;
	number low, high;

	if (is->n < STEP_CELLS)
		return;
	si(distribution_percentile(is, 5), low);
	si(distribution_percentile(is, 95), high);
	if (!sentence->n)
		text_printf(sentence, "No lasting change: in 90 %% of the intervals %s is ",
			    summary->metrics->metric[step->figure->metric].name);
	else
		text_printf(sentence, ", ");
	text_printf(sentence, "%s%s%s on %s", low, strcmp(low, high) ? " to " : "",
		    strcmp(low, high) ? high : "", step->row->name);
}

/* The headline and the parts of the cycles are looked at: other metrics follow them. */
static void describe_change(const struct report *report, unsigned session, struct text *sentence)
{
	const struct summary *summary = report->summary[session];
	struct step best = { 0 };
	number before, after;

	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; summary->row[i].by == BY_TYPE && k < summary->row[i].n; k++) {
			struct step step = { .row = &summary->row[i],
					     .figure = &summary->row[i].figure[k] };

			if (step.figure->event ||
			    (step.figure->metric &&
			     !metrics_is_part(summary->metrics, step.figure->metric)))
				continue;
			judge_step(report->history[session], &step, sentence);
			if (step.size > best.size)
				best = step;
		}
	if (best.figure) {
		text_printf(sentence, "At %.1f s %s of %s %s from %s to %s",
			    (double)best.t_ns / 1e9,
			    summary->metrics->metric[best.figure->metric].name, best.row->name,
			    best.after > best.before ? "rose" : "fell", si(best.before, before),
			    si(best.after, after));
		return;
	}
	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct step step = { .row = &summary->row[i],
					   .figure = report_figure_of_metric(&summary->row[i], 0) };

		if (step.row->by == BY_TYPE && step.figure)
			describe_range(summary, &step, sentence);
	}
}

/* ---- what differs between two sessions ---- */

/* Count what has a verdict, of core types alone. */
static size_t n_of(const struct comparison *is, enum change_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < is->n; i++)
		n += is->difference[i].row[0]->by == BY_TYPE &&
		     is->difference[i].change.verdict == verdict;
	return n;
}

/* Rank a difference: the headline, other metrics, events; each by its size in errors. */
static double rank_of(const struct difference *is)
{
	double size = fmin(fabs(is->change.delta) / is->change.error, 1e6);

	if (is->row[0]->by != BY_TYPE || is->change.verdict != VERDICT_BEYOND_SPREAD)
		return 0;
	return size + (is->figure[0]->event ? 0 : is->figure[0]->metric ? 1e7 : 1e8);
}

/* @per  "/s" after the name of an event */
static void describe_difference(const char *name, const char *per, const char *of,
				const struct mean_change *is, struct text *sentence)
{
	number first, second;

	text_printf(sentence, "%s%s%s of %s %s", sentence->n ? "; " : "", name, per, of,
		    is->delta > 0 ? "rose" : "fell");
	if (isfinite(is->delta_pct))
		text_printf(sentence, " by %.1f %%", fabs(is->delta_pct));
	text_printf(sentence, " (%s to %s)", si(is->mean[0].value, first),
		    si(is->mean[1].value, second));
}

static void describe_differences(const struct comparison *is, struct text *sentence)
{
	double below = INFINITY;

	for (unsigned n = 0; n < LISTED; n++) {
		const struct difference *next = NULL;
		char name[EVENT_NAME_MAX + 4];

		for (size_t i = 0; i < is->n; i++) {
			double rank = rank_of(&is->difference[i]);

			if (rank > 0 && rank < below && (!next || rank > rank_of(next)))
				next = &is->difference[i];
		}
		if (!next)
			return;
		below = rank_of(next);
		describe_difference(
			summary_figure_name(is->summary[0], next->figure[0], name, sizeof(name)),
			next->figure[0]->event ? "/s" : "", next->row[0]->name, &next->change,
			sentence);
	}
}

static void describe_command_changes(const struct comparison *is, struct text *sentence)
{
	const struct task_sums *sums = &is->summary[0]->commands;
	size_t n = 0, n_unknown = 0;

	for (size_t i = 0; i < is->n_tasks; i++) {
		const struct task_difference *task = &is->task[i];
		const struct task_figure *figure = &sums->figure[task->figure[0]];
		char name[EVENT_NAME_MAX + TASK_COMM_SIZE];

		n_unknown += task->change.verdict == VERDICT_UNKNOWN;
		if (task->change.verdict != VERDICT_BEYOND_SPREAD || n == LISTED ||
		    task->figure[0] != main_figure(sums, figure->type))
			continue;
		n++;
		snprintf(name, sizeof(name), "%s's %s", task->like->task.comm, figure->event->name);
		describe_difference(name, "/s", is->summary[0]->machine->type[figure->type].name,
				    &task->change, sentence);
	}
	if (is->n_tasks && !n)
		text_printf(sentence,
			    n_unknown ? "There are too few intervals to compare commands"
				      : "All commands are within error or the spread of intervals");
}

void report_finding(const struct report *report, unsigned session, report_remark_fn *put,
		    struct text *out)
{
	struct text sentence = { 0 };

	if (session < 2) {
		describe_losses(report->summary[session], &sentence);
		finding_put(&sentence, put, out);
		describe_commands(report->summary[session], &sentence);
		finding_put(&sentence, put, out);
		describe_change(report, session, &sentence);
	} else {
		text_printf(&sentence,
			    "Of the core types %zu figures differ beyond the spread of intervals, "
			    "%zu beyond error alone",
			    n_of(report->comparison, VERDICT_BEYOND_SPREAD),
			    n_of(report->comparison, VERDICT_WITHIN_SPREAD));
		finding_put(&sentence, put, out);
		describe_differences(report->comparison, &sentence);
		finding_put(&sentence, put, out);
		describe_command_changes(report->comparison, &sentence);
	}
	finding_put(&sentence, put, out);
	text_fini(&sentence);
}
