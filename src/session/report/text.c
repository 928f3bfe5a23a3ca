/* text.c: write a report as tables */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "pmu/sensors.h"
#include "session/report/report.h"

/* Columns: total, mean or change, any other; names. */
enum { TOTAL_WIDTH = 18, MEAN_WIDTH = 10, CELL_WIDTH = 9, LABEL_MIN = 24, LABEL_MAX = 48 };

/* Characters of a mean, and of other numbers. */
enum { WIDE = 7, NARROW = 6 };

/* ---- cells ---- */

__attribute__((format(printf, 3, 4))) static void put_cell(struct text *out, int width,
							   const char *fmt, ...)
{
	char cell[64];
	va_list args;

	va_start(args, fmt);
	vsnprintf(cell, sizeof(cell), fmt, args);
	va_end(args);
	text_right(out, cell, width);
}

/* @value  NaN: none */
static void put_number(struct text *out, int width, unsigned most, const char *before, double value)
{
	char number[24];

	num_si(value, 4, most, number, sizeof(number));
	put_cell(out, width, "%s%s", before, *number ? number : "-");
}

static void put_name(struct text *out, const char *name, int width)
{
	text_printf(out, "  ");
	text_left(out, name, width);
}

/* Write the name of a table, and the headings of its columns, which stand as its cells do. */
static void put_heading(struct text *out, const char *name, int width, const char *headings)
{
	put_name(out, name, width);
	text_printf(out, "%s\n", headings);
}

static const char *estimate_mark(const struct reading *reading)
{
	return quality_has_value(reading->quality) ? quality_mark(reading->quality) : "";
}

/* @sum  raw and exact, unless it is an estimate */
static void put_total(struct text *out, const struct event *event, const struct count *sum,
		      const struct reading *total)
{
	if (!quality_has_value(total->quality))
		text_right(out, "-", TOTAL_WIDTH);
	else if (total->quality == QUALITY_SCALED || *event->unit)
		put_cell(out, TOTAL_WIDTH, "%s%.0f", estimate_mark(total), total->value);
	else
		put_cell(out, TOTAL_WIDTH, "%s%" PRIu64, estimate_mark(total), sum->value);
}

/* ---- one row ---- */

static void full_name(const struct report *report, const struct summary *summary,
		      const struct summary_figure *figure, char *buf, size_t size)
{
	char name[EVENT_NAME_MAX + 4];
	const char *unit = summary_figure_unit(summary, figure);
	bool plain = report->request.ascii && strcmp(unit, "µs") == 0;

	summary_figure_name(summary, figure, name, sizeof(name));
	snprintf(buf, size, "%s%s%s", name, *unit ? "  " : "", plain ? "us" : unit);
}

static int name_width(const struct report *report, const struct summary *summary)
{
	int widest = LABEL_MIN;

	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct summary_row *row = &summary->row[i];

		for (size_t k = 0; report_has_row(report, summary, row) && k < row->n; k++) {
			char name[EVENT_NAME_MAX + 40];

			full_name(report, summary, &row->figure[k], name, sizeof(name));
			if (summary_figure_is_shown(row, &row->figure[k]) &&
			    text_columns(name) > widest)
				widest = text_columns(name);
		}
	}
	return widest < LABEL_MAX ? widest : LABEL_MAX;
}

static const char *beyond_mark(const struct report *report, const struct summary_figure *figure)
{
	if (figure->event || figure->alarm != ALARM_BEYOND)
		return "";
	return report->request.ascii ? "!" : "▲";
}

/* Write the share of intervals that were beyond the threshold, if there is one. */
static void put_beyond(struct text *out, const struct summary_figure *figure)
{
	if (figure->alarm_inputs.count && figure->distribution.n)
		put_cell(out, CELL_WIDTH, "%.1f %%",
			 100 * (double)figure->n_beyond / (double)figure->distribution.n);
}

static void put_counted(struct text *out, const struct summary_figure *figure, bool ascii)
{
	char error[32];

	num_error(figure->total.value, count_error_below(&figure->sum), count_error(&figure->sum),
		  ascii, error, sizeof(error));
	put_cell(out, CELL_WIDTH, "%s%.1f %%%s%s",
		 figure->total.quality == QUALITY_PARTIAL ? "" : estimate_mark(&figure->total),
		 figure->counted_pct, *error ? " " : "", error);
}

static void figure_cells(const struct report *report, const struct summary_figure *figure,
			 struct text *out)
{
	struct distribution *is =
		(struct distribution *)&figure->distribution; /* sorted on demand */
	const double spread[] = { distribution_percentile(is, 50), distribution_percentile(is, 95),
				  distribution_percentile(is, 99), is->n ? is->min : NAN,
				  is->n ? is->max : NAN };
	char before[8];

	if (figure->event)
		put_total(out, figure->event, &figure->sum, &figure->total);
	else
		text_right(out, "", TOTAL_WIDTH);
	snprintf(before, sizeof(before), "%s%s", beyond_mark(report, figure),
		 estimate_mark(&figure->mean));
	put_number(out, MEAN_WIDTH, WIDE, before,
		   quality_has_value(figure->mean.quality) ? figure->mean.value : NAN);
	for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
		put_number(out, CELL_WIDTH, NARROW, "", spread[i]);
	if (figure->event)
		put_counted(out, figure, report->request.ascii);
	else
		put_beyond(out, figure);
}

/* Write the numbers of intervals without a figure: "3 lost, 2 not_counted". */
static void bad_intervals(const struct summary_figure *figure, struct text *out)
{
	unsigned n = 0;

	for (enum quality i = QUALITY_PENDING; i < QUALITY_OFF; i++)
		if (figure->n_intervals[i])
			text_printf(out, "%s%" PRIu64 " %s", n++ ? ", " : "  ",
				    figure->n_intervals[i], quality_name(i));
}

static void figure_line(const struct report *report, const struct summary *summary,
			const struct summary_figure *figure, int width, struct text *out)
{
	char name[EVENT_NAME_MAX + 40];

	full_name(report, summary, figure, name, sizeof(name));
	put_name(out, name, width);
	if (summary_figure_is_counted(figure))
		figure_cells(report, figure, out);
	else
		text_right(out, figure->n_intervals[QUALITY_NOT_SUPPORTED] ? "n/s" : "-",
			   TOTAL_WIDTH);
	if (!summary_figure_is_counted(figure) && figure->event && *figure->event->refused)
		text_printf(out, "  %s", figure->event->refused);
	bad_intervals(figure, out);
	text_printf(out, "\n");
}

/* Write the names of the metrics that are the same as this one. */
static void same_line(const struct summary *summary, const struct summary_row *row,
		      const struct summary_figure *figure, struct text *out)
{
	unsigned n = 0;

	for (const struct summary_figure *is = figure + 1; is < row->figure + row->n; is++)
		if (report_figure_same_as(summary, row, is) == figure)
			text_printf(out, "%s%s", n++ ? ", " : "    = ",
				    summary->metrics->metric[is->metric].name);
	text_printf(out, n ? "\n" : "");
}

/* @is_event  events or metrics  @return number of lines */
static unsigned figure_lines(const struct report *report, const struct summary *summary,
			     const struct summary_row *row, bool is_event, int width,
			     struct text *out)
{
	static const char *const headings[] = {
		"                     session      p50      p95      p99      min      max   "
		"beyond",
		"             total    mean/s      p50      p95      p99      min      max  "
		"counted",
	};
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure) ||
		    report_figure_same_as(summary, row, figure))
			continue;
		if (!n++)
			put_heading(out, is_event ? "event" : "metric", width, headings[is_event]);
		figure_line(report, summary, figure, width, out);
		same_line(summary, row, figure, out);
	}
	return n;
}

static void row_title(const struct summary_row *row, struct text *out)
{
	char cpus[128];

	text_printf(out, "\n%s", row->name);
	if (row->by > BY_PHYSICAL && cpus_count(&row->cpus))
		text_printf(out, "  %s %s", row->by == BY_DEVICE ? "read on cpu" : "cpu",
			    cpus_format(&row->cpus, cpus, sizeof(cpus)));
	text_printf(out, "\n");
}

static void row_lines(const struct report *report, const struct summary *summary,
		      const struct summary_row *row, int width, struct text *out)
{
	row_title(row, out);

	unsigned n = figure_lines(report, summary, row, true, width, out);

	n += figure_lines(report, summary, row, false, width, out);
	if (!n)
		text_printf(out, "  never on\n");
}

/* Write wrapped text, indented by two blanks. */
static void wrapped(const char *s, struct text *out)
{
	text_printf(out, "  ");
	text_wrapped(out, s, 2, 2);
}

/* ---- a survey ---- */

enum { BAR_WIDTH = 40, SURVEY_NAME = 33, SURVEY_EVENTS = 24 };

/* Write the parts of the core's time as a bar of characters, and their names. */
static void bar_lines(const struct report *report, const struct summary *summary,
		      const struct summary_row *row, struct text *out)
{
	static const char *const mark[2][METRIC_PARTS_MAX] = { { "█", "▓", "▒", "░" },
							       { "#", "=", "+", "-" } };
	const struct metrics *metrics = summary->metrics;
	AUTO_TEXT struct text legend = { 0 };
	double sum = 0;
	int n = 0;

	for (unsigned i = 0; i < metrics->n_parts; i++) {
		const struct summary_figure *part =
			report_figure_of_metric(row, metrics->part[i].number);

		if (!part || !quality_has_value(part->mean.quality))
			continue;
		sum += part->mean.value;
		text_printf(out, "%s", legend.n ? "" : "  ");
		for (; n < (int)lround(BAR_WIDTH * sum / 100); n++)
			text_printf(out, "%s", mark[report->request.ascii][i]);
		text_printf(&legend, "%s%s %s %.1f %%", legend.n ? "  " : "",
			    mark[report->request.ascii][i], metrics->part[i].known->name,
			    part->mean.value);
	}
	if (legend.n && !legend.failed)
		text_printf(out, "\n  %s\n", legend.bytes);
}

/* Write the metrics that were formed: value, ± at 95 %, 95th percentile, share of intervals beyond the threshold. */
static void metric_lines(const struct report *report, const struct summary *summary,
			 const struct summary_row *row, struct text *out)
{
	bool ascii = report->request.ascii;
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];
		struct distribution *is = (struct distribution *)&figure->distribution;
		char name[EVENT_NAME_MAX + 40], error[24];

		if (figure->event || !quality_has_value(figure->mean.quality) ||
		    report_figure_same_as(summary, row, figure))
			continue;
		if (!n++)
			put_heading(out, "metric", SURVEY_NAME,
				    ascii ? "  session      +-     p95   beyond"
					  : "  session       ±     p95   beyond");
		full_name(report, summary, figure, name, sizeof(name));
		put_name(out, name, SURVEY_NAME);
		put_number(out, 9, WIDE, estimate_mark(&figure->mean), figure->mean.value);
		text_right(out, num_si(2 * distribution_error(is), 2, 7, error, sizeof(error)), 8);
		put_number(out, 8, NARROW, "", distribution_percentile(is, 95));
		put_beyond(out, figure);
		text_printf(out, "%s%s\n", *beyond_mark(report, figure) ? " " : "",
			    beyond_mark(report, figure));
		same_line(summary, row, figure, out);
	}
}

/* Write what an event explains: per 1000 instructions, ±, peak, share of CPI's variation, its interval, cycles. */
static void explained_line(const struct explained *is, bool ascii, struct text *out)
{
	double share = is->per_kinst_error / is->per_kinst;
	char error[32];

	put_name(out, is->event->name, SURVEY_NAME);
	put_number(out, 8, NARROW, "", is->per_kinst);
	share = isfinite(share) ? share : 0;
	text_right(out, num_error(0, share, share, ascii, error, sizeof(error)), 7);
	put_number(out, 7, NARROW, "", is->peak);
	put_cell(out, 7, isnan(is->share) ? "-" : "%.0f %%", 100 * is->share);
	put_cell(out, 9, isnan(is->low) ? "-" : "%.0f-%.0f %%", 100 * is->low, 100 * is->high);
	put_number(out, 7, NARROW, "", is->cycles);
	text_printf(out, "\n");
}

/* Write the page of a survey for one core type: at most 80 columns. */
static void survey_lines(const struct report *report, const struct summary *summary,
			 const struct summary_row *row, struct text *out)
{
	const struct explain *explain = report->explain[0];
	const struct catalog_preset *preset = explain_preset(explain, row->type);
	bool ascii = report->request.ascii;
	unsigned n = 0;

	row_title(row, out);
	bar_lines(report, summary, row, out);
	metric_lines(report, summary, row, out);
	for (size_t i = 0; i < explain->n && n < SURVEY_EVENTS; i++) {
		if (explain->event[i].type != row->type)
			continue;
		text_printf(out, "%s", n ? "" : "\n");
		if (!n++)
			put_heading(out, "event", SURVEY_NAME,
				    ascii ? "  /Kinst     +-   peak    CPI     95 % cycles"
					  : "  /Kinst      ±   peak    CPI     95 % cycles");
		explained_line(&explain->event[i], ascii, out);
	}
	wrapped(report_explained_note, out);
	if (preset)
		text_printf(out, "  -P %s counts most of what explains CPI together\n",
			    preset->name);
}

/* ---- tasks ---- */

/* Widths of the names of commands, of processes, which include their number, and of cgroups, which lose their beginning. */
enum { COMMAND_WIDTH = 26, PROCESS_WIDTH = 24, CGROUP_WIDTH = 50 };

/* Whether tasks are reported, which belong to the rows of types. */
static bool report_has_tasks(const struct report *report)
{
	return !report->request.has_by || report->request.by == BY_TYPE ||
	       report->request.by == BY_SYSTEM;
}

/* @is_last  with the mean rate */
static void task_cells(const struct task_sums *sums, const struct task_sum *sum, size_t figure,
		       int width, bool is_last, struct text *out)
{
	struct reading total = task_sums_total(sums, sum, figure);
	char name[4 * CGROUP_WIDTH];

	if (sums->tasks.by == BY_CGROUP && sum->task.kind == TASK_THREAD)
		cgroup_names_fit(core_task_cgroup(&sum->task), CGROUP_WIDTH, name, sizeof(name));
	else if (sum->task.pid)
		snprintf(name, sizeof(name), "%s %" PRIu32, sum->task.comm, sum->task.pid);
	else
		snprintf(name, sizeof(name), "%s", sum->task.comm);
	put_name(out, name, width);
	put_total(out, sums->figure[figure].event, &sum->count[figure], &total);
	put_cell(out, CELL_WIDTH, "%.1f %%", 100 * task_sums_share(sums, sum, figure));
	if (is_last)
		put_number(out, CELL_WIDTH, NARROW, estimate_mark(&total),
			   task_sums_rate(sums, sum, figure));
}

/* Write the top commands of an event, and the top processes beside them. */
static void task_lines(const struct summary *summary, size_t figure, struct text *out)
{
	const struct task_sum *command[REPORT_TASKS], *process[REPORT_TASKS];
	size_t n = task_sums_top(&summary->commands, figure, REPORT_TASKS, command);
	size_t n_processes = task_sums_top(&summary->processes, figure, REPORT_TASKS, process);
	char title[EVENT_TITLE_MAX];

	put_name(out, event_title(summary->commands.figure[figure].event, title), COMMAND_WIDTH);
	text_left(out, "             total    share   mean/s  of processes", 38 + PROCESS_WIDTH);
	text_printf(out, "             total    share\n");
	for (size_t i = 0; i < n || i < n_processes; i++) {
		if (i < n)
			task_cells(&summary->commands, command[i], figure, COMMAND_WIDTH, true,
				   out);
		else
			put_name(out, "", COMMAND_WIDTH + TOTAL_WIDTH + 2 * CELL_WIDTH);
		if (i < n_processes)
			task_cells(&summary->processes, process[i], figure, PROCESS_WIDTH, false,
				   out);
		text_printf(out, "\n");
	}
}

/* Write the top cgroups of an event, each without those below it. */
static void cgroup_lines(const struct summary *summary, size_t figure, struct text *out)
{
	const struct task_sum *top[REPORT_TASKS];
	size_t n = task_sums_top(&summary->cgroups, figure, REPORT_TASKS, top);

	put_heading(out, "of cgroups", CGROUP_WIDTH, "             total    share   mean/s");
	for (size_t i = 0; i < n; i++) {
		task_cells(&summary->cgroups, top[i], figure, CGROUP_WIDTH, true, out);
		text_printf(out, "\n");
	}
}

static void tasks_of_types(const struct report *report, const struct summary *summary,
			   struct text *out)
{
	const struct task_sums *sums = &summary->commands;

	for (unsigned type = 0; type < summary->machine->n_types; type++)
		for (size_t i = 0, n = 0; report_has_tasks(report) && i < sums->n_figures; i++) {
			if (sums->figure[i].type != type || !task_sums_n(sums, i))
				continue;
			if (!n++)
				text_printf(out, "\n%s  who had most of it\n",
					    summary->machine->type[type].name);
			task_lines(summary, i, out);
			if (summary->has_cgroups)
				cgroup_lines(summary, i, out);
		}
}

/* ---- functions ---- */

static void function_lines(const struct report *report, const struct summary *summary,
			   const struct function_figure *figure, struct text *out)
{
	char title[EVENT_TITLE_MAX];

	text_printf(out, "\n%s  functions of %s, %" PRIu64 " samples\n",
		    summary->machine->type[figure->sum.type].name,
		    event_title(figure->sum.event, title), figure->rows->n_samples);
	for (size_t i = 0; i < figure->rows->n && i < REPORT_FUNCTIONS; i++) {
		const struct hot_row *row = &figure->rows->row[i];

		text_printf(out, "  %5.1f %% %s%-4.1f %18.0f  ", 100 * row->share,
			    report->request.ascii ? "+-" : "±", 100 * row->error,
			    (double)row->count.value * figure->sum.event->scale);
		function_full_name(row->function, out);
		text_printf(out, "\n");
	}
	if (figure->rows->n > REPORT_FUNCTIONS)
		text_printf(out, "  and %zu more\n", figure->rows->n - REPORT_FUNCTIONS);
}

static void function_differences(const struct report *report, struct text *out)
{
	const struct summary *first = report->comparison->summary[0];

	for (size_t i = 0; i < first->functions.n; i++) {
		const struct function_figure *figure = &first->functions.figure[i];
		struct function_change change[REPORT_FUNCTIONS];
		size_t n;

		if (function_changes(report->comparison, i, change, &n))
			text_printf(out, "\n%s  functions of %s that differ beyond their error%s\n",
				    first->machine->type[figure->sum.type].name,
				    figure->sum.event->name, n ? "" : ": none");
		for (size_t k = 0; k < n; k++) {
			text_printf(out, "  %5.1f %% %s %5.1f %% %s%-4.1f  ", 100 * change[k].first,
				    report->request.ascii ? "->" : "→", 100 * change[k].second,
				    report->request.ascii ? "+-" : "±", 100 * change[k].error);
			function_full_name(change[k].function, out);
			text_printf(out, "\n");
		}
	}
}

/* ---- other parts ---- */

static void remark_line(const char *remark, struct text *out)
{
	text_printf(out, "  %s\n", remark);
}

static void head_lines(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];
	const struct session_head *head = reader_head(summary->reader);

	text_printf(out, "%s\n", summary->path);
	if (!report->comparison)
		report_finding(report, session, wrapped, out);
	text_printf(out, "  %s\n", summary->machine->model);
	text_printf(out, "  host %s kernel %s backend %s\n", head->host, head->kernel,
		    head->backend);
	text_printf(out, "  %s, %.1f s in %" PRIu64 " interval%s of %g ms\n", head->started,
		    (double)summary->duration_ns / 1e9, summary->n_frames,
		    summary->n_frames == 1 ? "" : "s",
		    (double)head->interval_ns / (double)NS_PER_MS);
	report_remarks(summary, remark_line, out);
}

static void annotation_lines(const struct summary *summary, struct text *out)
{
	if (summary->n_annotations)
		text_printf(out, "\n%10s what happened\n", "s");
	for (size_t i = 0; i < summary->n_annotations; i++) {
		const struct annotation *annotation = &summary->annotation[i];
		bool is_mark = annotation->kind == ANNOTATION_MARK;

		text_printf(out, "%10.3f %-9s%s%s%s\n", (double)annotation->t_ns / 1e9,
			    annotation_name[annotation->kind], is_mark ? "\"" : "",
			    annotation->text, is_mark ? "\"" : "");
	}
	if (summary->n_annotations_more)
		text_printf(out, "%10s and %" PRIu64 " more\n", "", summary->n_annotations_more);
}

static void own_lines(const struct summary *summary, struct text *out)
{
	const struct summary_own *own = &summary->own;
	char line[400] = "not measured";

	text_printf(out, "\nm1top's own cost\n");
	if (own->n)
		snprintf(line, sizeof(line),
			 "%.3f %% of the core it loads most (maximum %.3f %%), %.3f %% of one "
			 "core in total (maximum %.3f %%); %.1f wake-ups/s, late by %.0f us in the "
			 "worst second (99th percentile); %" PRIu64 " samples dropped",
			 own->core_pct, own->core_pct_max, own->total_pct, own->total_pct_max,
			 own->wakeups_per_s, own->late_p99_us_max, own->n_dropped);
	wrapped(line, out);
}

/* ---- two sessions ---- */

static const char change_headings[] = "     first    second    change        %   spread    error";

static void change_line(const char *name, const struct mean_change *change, int width,
			struct text *out)
{
	put_name(out, name, width);
	for (unsigned i = 0; i < 2; i++)
		put_number(out, MEAN_WIDTH, WIDE, estimate_mark(&change->mean[i]),
			   change->mean[i].value);
	put_number(out, MEAN_WIDTH, WIDE, change->delta > 0 ? "+" : "", change->delta);
	put_cell(out, CELL_WIDTH, isnan(change->delta_pct) ? "-" : "%+.2f", change->delta_pct);
	put_number(out, CELL_WIDTH, NARROW, "", change->spread);
	put_number(out, CELL_WIDTH, NARROW, "", change->error);
	text_printf(out, "  %s\n", verdict_name[change->verdict]);
}

static void difference_line(const struct report *report, const struct difference *difference,
			    int width, struct text *out)
{
	const struct event *event = difference->figure[0]->event;
	char plain[EVENT_NAME_MAX + 40], name[sizeof(plain) + 4];

	full_name(report, report->summary[0], difference->figure[0], plain, sizeof(plain));
	snprintf(name, sizeof(name), "%s%s", plain, !event ? "" : *event->unit ? "/s" : "  /s");
	change_line(name, &difference->change, width, out);
}

static void difference_lines(const struct report *report, struct text *out)
{
	const struct comparison *comparison = report->comparison;
	int width = name_width(report, report->summary[0]) + 4;
	const struct summary_row *row = NULL;

	for (size_t i = 0; i < comparison->n; i++) {
		const struct difference *difference = &comparison->difference[i];

		if (!report_has_row(report, report->summary[0], difference->row[0]))
			continue;
		if (row != difference->row[0]) {
			row = difference->row[0];
			row_title(row, out);
			put_heading(out, "", width, change_headings);
		}
		difference_line(report, difference, width, out);
	}
}

static void task_difference_lines(const struct report *report, struct text *out)
{
	const struct comparison *comparison = report->comparison;
	const struct summary *first = comparison->summary[0];
	int width = name_width(report, first) + 4;

	for (size_t i = 0; report_has_tasks(report) && i < comparison->n_tasks; i++) {
		const struct task_difference *task = &comparison->task[i];
		const struct task_figure *figure = &first->commands.figure[task->figure[0]];
		const struct task_figure *before =
			i ? &first->commands.figure[task[-1].figure[0]] : NULL;
		char name[EVENT_NAME_MAX + 16];

		if (!before || before->type != figure->type)
			text_printf(out, "\n%s  who had most of it\n",
				    first->machine->type[figure->type].name);
		snprintf(name, sizeof(name), "%s  /s", figure->event->name);
		if (before != figure)
			put_heading(out, name, width, change_headings);
		change_line(task->like->task.comm, &task->change, width, out);
	}
}

/* Write the names of figures of one session only. */
static void only_lines(const struct comparison *comparison, unsigned which, struct text *out)
{
	const struct only *only = &comparison->only[which];
	AUTO_TEXT struct text line = { 0 };

	for (size_t i = 0; i < only->n; i++) {
		char name[EVENT_NAME_MAX + 4];

		text_printf(&line, "%s%s",
			    i       ? ", "
			    : which ? "only in the second: "
				    : "only in the first: ",
			    summary_figure_name(comparison->summary[which], only->figure[i], name,
						sizeof(name)));
	}
	if (line.n) {
		text_printf(out, "\n");
		wrapped(line.failed ? "" : line.bytes, out);
	}
}

static void comparison_text(const struct report *report, struct text *out)
{
	const struct comparison *comparison = report->comparison;

	report_finding(report, 2, wrapped, out);
	for (unsigned i = 0; i < 2; i++) {
		text_printf(out, "%s: ", i ? "second" : "first");
		head_lines(report, i, out);
	}
	if (!comparison->same_machine)
		text_printf(out, "\nnot the same machine: compared only by core type\n");
	difference_lines(report, out);
	task_difference_lines(report, out);
	function_differences(report, out);
	if (!comparison->n)
		text_printf(out, "\n%s\n",
			    report->explain[0] ? "nothing changed beyond error"
					       : "the sessions have no row in common");
	only_lines(comparison, 0, out);
	only_lines(comparison, 1, out);
	text_printf(out, "\n");
	wrapped(report_verdicts, out);
}

static void sensor_lines(const struct summary *summary, struct text *out)
{
	const struct sensors *sensors = summary->machine->sensors;

	if (sensors)
		text_printf(out, "\n%10s%9s%9s  sensor\n", "mean", "min", "max");
	for (unsigned i = 0; sensors && i < sensors->n; i++) {
		const struct distribution *is = &summary->sensor[i];

		if (is->n) /* was ever read */
			text_printf(out, "%10.2f%9.2f%9.2f %s  %s\n", is->mean, is->min, is->max,
				    sensor_forms[sensors->sensor[i].kind].unit,
				    sensors->sensor[i].name);
	}
}

void report_text(const struct report *report, struct text *out)
{
	const struct summary *summary = report->summary[0];
	int width = name_width(report, summary);

	if (report->comparison) {
		comparison_text(report, out);
		return;
	}
	head_lines(report, 0, out);
	for (size_t i = 0; i < summary->n_rows; i++)
		if (report_has_row(report, summary, &summary->row[i]))
			(report->explain[0] && report->explain[0]->n
				 ? survey_lines(report, summary, &summary->row[i], out)
				 : row_lines(report, summary, &summary->row[i], width, out));
	tasks_of_types(report, summary, out);
	for (size_t i = 0; report_has_tasks(report) && i < summary->functions.n; i++)
		function_lines(report, summary, &summary->functions.figure[i], out);
	sensor_lines(summary, out);
	annotation_lines(summary, out);
	own_lines(summary, out);
}
