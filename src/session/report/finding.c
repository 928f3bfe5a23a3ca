/* finding.c: what a report says first: sentences made from its figures */
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

/* Append the unit of a figure after a blank, if it has one. */
static void put_unit(const struct summary *summary, const struct summary_figure *figure,
		     struct text *sentence)
{
	const char *unit = summary_figure_unit(summary, figure);

	text_printf(sentence, "%s%s", *unit ? " " : "", unit);
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
	if (!most)
		return;
	text_printf(sentence, "%s%s of %s is %s", sentence->n ? "; " : "",
		    summary->metrics->metric[most->metric].name, row->name,
		    si(most->mean.value, value));
	put_unit(summary, most, sentence);
	text_string(sentence, ", beyond its threshold");
}

/* Describe the parts of the row's cycles that were lost, or without them the metric that needs attention. */
static void describe_loss(const struct summary *summary, const struct summary_row *row,
			  struct text *sentence)
{
	const struct metrics *metrics = summary->metrics;
	double lost = 0, cycles = 0;
	AUTO_TEXT struct text parts = { 0 };
	bool is_whole = true;
	number rate;

	for (unsigned i = 0; i < metrics->n_parts; i++) {
		const struct metric_part *part = &metrics->part[i];
		const struct summary_figure *is = report_figure_of_metric(row, part->number);

		is_whole &= is && quality_has_value(is->mean.quality);
		if (!part->known->preset || !is_whole)
			continue;

		double share = metrics_share_of(metrics, i, is->mean.value);

		lost += share;
		text_printf(&parts, "%s%s %.1f %%", parts.n ? ", " : ": ", part->known->name,
			    100 * share);
	}
	for (size_t i = 0; i < row->n && cycles <= 0; i++)
		if (row->figure[i].event && metric_input_is(row->figure[i].event, "cycles") &&
		    quality_has_value(row->figure[i].mean.quality))
			cycles = row->figure[i].mean.value;
	if (is_whole && parts.n && !parts.failed) {
		text_printf(sentence, "%s%s lost %.1f %% of its cycles", sentence->n ? "; " : "",
			    row->name, 100 * lost);
		if (cycles > 0)
			text_printf(sentence, ", %s/s", si(cycles * lost, rate));
		text_string(sentence, parts.bytes);
	} else
		describe_alarm(summary, row, sentence);
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

static void describe_command(const struct summary *summary, size_t figure, struct text *sentence)
{
	const struct task_sums *sums = &summary->commands;
	const struct task_figure *is = &sums->figure[figure];
	const struct task_sum *top[N_TASK_KINDS];
	size_t n = task_sums_top(sums, figure, ARRAY_SIZE(top), top), i = 0;

	while (i < n && top[i]->task.kind != TASK_THREAD)
		i++;
	if (i == n)
		return;
	text_printf(sentence, "%s%s had %s%.1f %% of %s on %s", sentence->n ? "; " : "",
		    top[i]->task.comm,
		    top[i]->count[figure].quality == QUALITY_PARTIAL ? "at least " : "",
		    100 * task_sums_share(sums, top[i], figure), is->event->name,
		    summary->machine->type[is->type].name);
	for (i = 0; i < summary->functions.n; i++) {
		const struct function_figure *of = &summary->functions.figure[i];

		if (of->sum.type != is->type || !event_is_same(of->sum.event, is->event) ||
		    !of->rows->n)
			continue;
		text_printf(sentence, "; of all functions %s of %s had most, %.1f %%",
			    of->rows->row->function->name, of->rows->row->function->object->name,
			    100 * of->rows->row->share);
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

/* Where a metric of a core type changed most lastingly. */
struct step {
	const struct summary_row *row;
	const struct summary_figure *figure;
	uint64_t t_ns;
	double before, after;
	double size; /* relative to the larger of both; 0: no lasting change */
};

/* Find the place that divides the figure's values into two parts with the most different means.
 * @best  replaced by a larger change */
static void find_step(const struct history *history, const struct summary_row *row,
		      const struct summary_figure *figure, struct step *best)
{
	const struct history_query query = { .by = BY_TYPE,
					     .index = row->index,
					     .metric = (int)figure->metric };
	AUTO_FREE double *value = calloc(history_n(history) + 1, sizeof(*value));
	AUTO_FREE uint64_t *begin_ns = calloc(history_n(history) + 1, sizeof(*begin_ns));
	double all = 0, squares = 0, before = 0, most = 0;
	struct step step = { .row = row, .figure = figure };
	size_t n = 0;

	for (size_t i = 0; value && begin_ns && i < history_n(history); i++) {
		struct history_value is = history_value(history, i, &query);

		if (!quality_has_value(is.quality))
			continue;
		all += value[n] = is.mean;
		begin_ns[n++] = history_bucket(history, i)->begin_ns;
	}
	for (size_t i = 0; i < n; i++)
		squares += (value[i] - all / (double)n) * (value[i] - all / (double)n);
	for (size_t i = 1; n >= STEP_CELLS && i + STEP_SIDE <= n; i++) {
		before += value[i - 1];

		double left = before / (double)i, right = (all - before) / (double)(n - i);
		double between =
			(right - left) * (right - left) * (double)i * (double)(n - i) / (double)n;

		if (i < STEP_SIDE || between <= most || between < STEP_SHARE * squares)
			continue;
		most = between;
		step.before = left;
		step.after = right;
		step.t_ns = begin_ns[i];
		step.size = fabs(right - left) / fmax(fabs(left), fabs(right));
	}
	if (step.size >= STEP_SIZE && step.size > best->size)
		*best = step;
}

/* Describe in what range the headline was. */
static void describe_range(const struct summary *summary, const struct summary_row *row,
			   const struct summary_figure *figure, struct text *sentence)
{
	struct distribution *is = (struct distribution *)&figure->distribution;
	number low, high;

	if (is->n < STEP_CELLS)
		return;
	si(distribution_percentile(is, 5), low);
	si(distribution_percentile(is, 95), high);
	if (!sentence->n)
		text_printf(sentence, "No lasting change: in 90 %% of the intervals %s is ",
			    summary->metrics->metric[figure->metric].name);
	else
		text_printf(sentence, ", ");
	text_string(sentence, low);
	if (strcmp(low, high) != 0)
		text_printf(sentence, " to %s", high);
	put_unit(summary, figure, sentence);
	text_printf(sentence, " on %s", row->name);
}

/* Look at the headline and the parts of the cycles: other metrics follow them. */
static void describe_change(const struct report *report, unsigned session, struct text *sentence)
{
	const struct summary *summary = report->summary[session];
	struct step best = { 0 };
	number before, after;

	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; summary->row[i].by == BY_TYPE && k < summary->row[i].n; k++) {
			const struct summary_row *row = &summary->row[i];
			const struct summary_figure *is = &row->figure[k];

			if (is->event ||
			    (is->metric && !metrics_is_part(summary->metrics, is->metric)))
				continue;
			find_step(report->history[session], row, is, &best);
			if (!is->metric)
				describe_range(summary, row, is, sentence);
		}
	if (!best.figure)
		return;
	text_clear(sentence);
	text_printf(sentence, "At %.1f s %s of %s %s from %s to %s", (double)best.t_ns / 1e9,
		    summary->metrics->metric[best.figure->metric].name, best.row->name,
		    best.after > best.before ? "rose" : "fell", si(best.before, before),
		    si(best.after, after));
	put_unit(summary, best.figure, sentence);
}

/* ---- what differs between two sessions ---- */

static void describe_verdicts(const struct comparison *is, struct text *sentence)
{
	size_t n[VERDICT_BEYOND_SPREAD + 1] = { 0 };

	for (size_t i = 0; i < is->n; i++)
		n[is->difference[i].change.verdict] += is->difference[i].row[0]->by == BY_TYPE;
	text_printf(sentence,
		    "Of the core types %zu figures differ beyond the spread of intervals, %zu "
		    "beyond error alone",
		    n[VERDICT_BEYOND_SPREAD], n[VERDICT_WITHIN_SPREAD]);
}

/* Rank a difference: the headline, other metrics, events; each by its size in errors. */
static double rank_of(const struct difference *is)
{
	double size = fmin(fabs(is->change.delta) / is->change.error, 1e6);

	if (is->row[0]->by != BY_TYPE || is->change.verdict != VERDICT_BEYOND_SPREAD)
		return 0;
	return size + (is->figure[0]->event ? 0 : is->figure[0]->metric ? 1e7 : 1e8);
}

/* @per  "/s" after the name and unit of an event */
static void describe_difference(const char *name, const char *unit, const char *per, const char *of,
				const struct mean_change *is, struct text *sentence)
{
	number first, second;

	text_printf(sentence, "%s%s%s of %s %s", sentence->n ? "; " : "", name, per, of,
		    is->delta > 0 ? "rose" : "fell");
	if (isfinite(is->delta_pct))
		text_printf(sentence, " by %.1f %%", fabs(is->delta_pct));
	text_printf(sentence, " (%s to %s%s%s%s)", si(is->mean[0].value, first),
		    si(is->mean[1].value, second), *unit ? " " : "", unit, *unit ? per : "");
}

static void describe_differences(const struct comparison *is, struct text *sentence)
{
	double below = INFINITY;
	size_t last = 0; /* index of a difference; of those of equal rank the first is first */

	for (unsigned n = 0; n < LISTED; n++) {
		const struct difference *next = NULL;
		char name[EVENT_NAME_MAX + 4];

		for (size_t i = 0; i < is->n; i++) {
			double rank = rank_of(&is->difference[i]);

			if (rank > 0 && (rank < below || (rank == below && i > last)) &&
			    (!next || rank > rank_of(next)))
				next = &is->difference[i];
		}
		if (!next)
			return;
		below = rank_of(next);
		last = (size_t)(next - is->difference);
		describe_difference(
			summary_figure_name(is->summary[0], next->figure[0], name, sizeof(name)),
			summary_figure_unit(is->summary[0], next->figure[0]),
			next->figure[0]->event ? "/s" : "", next->row[0]->name, &next->change,
			sentence);
	}
}

/* Compare commands by the main figure of each type. */
static void describe_command_changes(const struct comparison *is, struct text *sentence)
{
	const struct task_sums *sums = &is->summary[0]->commands;
	size_t n = 0, n_all = 0, last = SIZE_MAX;
	AUTO_TEXT struct text figures = { 0 };

	for (size_t i = 0; i < is->n_tasks; i++) {
		const struct task_difference *task = &is->task[i];
		const struct task_figure *figure = &sums->figure[task->figure[0]];
		const char *type = is->summary[0]->machine->type[figure->type].name;
		char name[EVENT_NAME_MAX + TASK_COMM_SIZE];

		if (task->figure[0] != main_figure(sums, figure->type))
			continue;
		n_all++;
		if (task->change.verdict != VERDICT_UNKNOWN && task->figure[0] != last) {
			text_printf(&figures, "%s%s/s of %s", figures.n ? ", " : "",
				    figure->event->name, type);
			last = task->figure[0];
		}
		if (task->change.verdict != VERDICT_BEYOND_SPREAD || n == LISTED)
			continue;
		n++;
		snprintf(name, sizeof(name), "%s's %s", task->like->task.comm, figure->event->name);
		describe_difference(name, figure->event->unit, "/s", type, &task->change, sentence);
	}
	if (n_all && !figures.n)
		text_printf(sentence, "There are too few intervals to compare commands");
	else if (n_all && !n && !figures.failed)
		text_printf(sentence,
			    "All commands are within error or the spread of intervals: %s",
			    figures.bytes);
}

void report_finding(const struct report *report, unsigned session, report_remark_fn *put,
		    struct text *out)
{
	AUTO_TEXT struct text sentence = { 0 };

	if (session < 2) {
		for (size_t i = 0; i < report->summary[session]->n_rows; i++)
			if (report->summary[session]->row[i].by == BY_TYPE)
				describe_loss(report->summary[session],
					      &report->summary[session]->row[i], &sentence);
		finding_put(&sentence, put, out);
		describe_commands(report->summary[session], &sentence);
		finding_put(&sentence, put, out);
		describe_change(report, session, &sentence);
	} else {
		describe_verdicts(report->comparison, &sentence);
		finding_put(&sentence, put, out);
		describe_differences(report->comparison, &sentence);
		finding_put(&sentence, put, out);
		describe_command_changes(report->comparison, &sentence);
	}
	finding_put(&sentence, put, out);
}
