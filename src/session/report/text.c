/* text.c: write a report as tables */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "pmu/sensors.h"
#include "session/report/report.h"

enum { TOTAL_WIDTH = 18, CELL_WIDTH = 9, LABEL_MIN = 24, LABEL_MAX = 48 };

static const int figure_width[REPORT_CELLS] = {
	TOTAL_WIDTH, CELL_WIDTH + 1, CELL_WIDTH, CELL_WIDTH,
	CELL_WIDTH,  CELL_WIDTH,     CELL_WIDTH, CELL_WIDTH
};

static const int change_width[REPORT_CHANGES] = { CELL_WIDTH + 1, CELL_WIDTH + 1, CELL_WIDTH + 1,
						  CELL_WIDTH,     CELL_WIDTH,     CELL_WIDTH };
/* by `ascii` */
static const struct report_numbers numbers[2] = {
	{ "-", CELL_WIDTH - 3, CELL_WIDTH - 2, false },
	{ "-", CELL_WIDTH - 3, CELL_WIDTH - 2, true },
};

/* ---- cells ---- */

static void text_heading(const char *name, int name_width, const char *const *cell,
			 const int *width, size_t n, struct text *out)
{
	text_printf(out, "  ");
	text_left(out, name, name_width);
	for (size_t i = 0; i < n; i++)
		text_right(out, cell[i], width[i]);
	text_printf(out, "\n");
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

static void figure_cells(const struct report *report, const struct summary_figure *figure,
			 struct text *out)
{
	bool is_beyond = !figure->event && figure->alarm == ALARM_BEYOND;
	report_cell cell[REPORT_CELLS];
	char mean[sizeof(report_cell) + 4];

	report_figure_cells(figure, &numbers[report->request.ascii], cell);
	snprintf(mean, sizeof(mean), "%s%s",
		 !is_beyond              ? ""
		 : report->request.ascii ? "!"
					 : "▲",
		 cell[REPORT_MEAN]);
	for (size_t i = 0; i < REPORT_CELLS; i++)
		if (i < REPORT_LAST || *cell[i])
			text_right(out, i == REPORT_MEAN ? mean : cell[i], figure_width[i]);
}

/* Write a line for a figure that was never counted, with the reason if it is known. */
static void nothing_line(const struct summary_figure *figure, struct text *out)
{
	text_right(out, figure->n_intervals[QUALITY_NOT_SUPPORTED] ? "n/s" : "-", TOTAL_WIDTH);
	if (figure->event && *figure->event->refused)
		text_printf(out, "  %s", figure->event->refused);
}

static void figure_line(const struct report *report, const struct summary *summary,
			const struct summary_figure *figure, int width, struct text *out)
{
	char name[EVENT_NAME_MAX + 40];

	full_name(report, summary, figure, name, sizeof(name));
	text_printf(out, "  ");
	text_left(out, name, width);
	if (!summary_figure_is_counted(figure))
		nothing_line(figure, out);
	else
		figure_cells(report, figure, out);
	report_bad_intervals(figure, "  ", out);
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
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure) ||
		    report_figure_same_as(summary, row, figure))
			continue;
		if (!n++)
			text_heading(*report_heading[is_event], width, report_heading[is_event] + 1,
				     figure_width, REPORT_CELLS, out);
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

static const int survey_width[REPORT_EXPLAINED] = { 8, 7, 7, 7, 9, 7 };
static const int metric_width[] = { 9, 8, 8, 9 };

/* Write the parts of the core's time as a bar of characters, and their names. */
static void bar_lines(const struct report *report, const struct summary *summary,
		      const struct summary_row *row, struct text *out)
{
	static const char *const mark[2][METRIC_PARTS_MAX] = { { "█", "▓", "▒", "░" },
							       { "#", "=", "+", "-" } };
	const struct metrics *metrics = summary->metrics;
	struct text legend = { 0 };
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
	text_fini(&legend);
}

/* Write the metrics that were formed: value, ± at 95 %, 95th percentile, share of intervals beyond the threshold. */
static void metric_lines(const struct report *report, const struct summary *summary,
			 const struct summary_row *row, struct text *out)
{
	const char *const heading[] = { "session", report->request.ascii ? "+-" : "±", "p95",
					"beyond" };
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];
		report_cell cell[REPORT_CELLS];
		char name[EVENT_NAME_MAX + 40], error[24];

		if (figure->event || !quality_has_value(figure->mean.quality) ||
		    report_figure_same_as(summary, row, figure))
			continue;
		if (!n++)
			text_heading("metric", SURVEY_NAME, heading, metric_width, 4, out);
		full_name(report, summary, figure, name, sizeof(name));
		report_figure_cells(figure, &numbers[report->request.ascii], cell);
		num_si(2 * distribution_error(&figure->distribution), 2, 7, error, sizeof(error));
		text_printf(out, "  ");
		text_left(out, name, SURVEY_NAME);
		text_right(out, cell[REPORT_MEAN], metric_width[0]);
		text_right(out, error, metric_width[1]);
		text_right(out, cell[REPORT_P50 + 1], metric_width[2]);
		if (*cell[REPORT_LAST])
			text_right(out, cell[REPORT_LAST], metric_width[3]);
		text_printf(out, "%s\n",
			    figure->alarm != ALARM_BEYOND ? ""
			    : report->request.ascii       ? " !"
							  : " ▲");
		same_line(summary, row, figure, out);
	}
}

/* Write the page of a survey for one core type: at most 80 columns. */
static void survey_lines(const struct report *report, const struct summary *summary,
			 const struct summary_row *row, struct text *out)
{
	const struct explain *explain = report->explain[0];
	const struct catalog_preset *preset = explain_preset(explain, row->type);
	unsigned n = 0;

	row_title(row, out);
	bar_lines(report, summary, row, out);
	metric_lines(report, summary, row, out);
	for (size_t i = 0; i < explain->n && n < SURVEY_EVENTS; i++) {
		report_cell cell[REPORT_EXPLAINED];

		if (explain->event[i].type != row->type)
			continue;
		text_printf(out, "%s", n ? "" : "\n");
		if (!n++)
			text_heading("event", SURVEY_NAME,
				     report_explained_heading[report->request.ascii], survey_width,
				     REPORT_EXPLAINED, out);
		report_explained_cells(&explain->event[i], &numbers[report->request.ascii], cell);
		text_printf(out, "  ");
		text_left(out, explain->event[i].event->name, SURVEY_NAME);
		for (unsigned k = 0; k < REPORT_EXPLAINED; k++)
			text_right(out, cell[k], survey_width[k]);
		text_printf(out, "\n");
	}
	wrapped(report_explained_note, out);
	if (preset)
		text_printf(out, "  -P %s counts most of what explains CPI together\n",
			    preset->name);
}

/* ---- tasks ---- */

/* Widths of the tables of commands, of processes, whose names include their number, and of cgroups. */
static const struct task_widths {
	int name_width;
	unsigned n_cells;
} task_widths[3] = { { 26, REPORT_TASK_CELLS },
		     { 24, REPORT_TASK_CELLS - 1 },
		     { REPORT_CGROUP_WIDTH, REPORT_TASK_CELLS } };
static const int task_width[REPORT_TASK_CELLS] = { TOTAL_WIDTH, CELL_WIDTH, CELL_WIDTH };

/* @sum  NULL: none */
static void task_cells(const struct report *report, const struct task_sums *sums,
		       const struct task_sum *sum, size_t figure, struct text *out)
{
	const struct task_widths *table = &task_widths[sums->tasks.by == BY_PROCESS  ? 1
						       : sums->tasks.by == BY_CGROUP ? 2
										     : 0];
	report_cell cell[REPORT_TASK_CELLS] = { "", "", "" };
	char name[REPORT_TASK_NAME] = "";

	if (sum) {
		report_task_name(sums, sum, name, sizeof(name));
		report_task_cells(sums, sum, figure, &numbers[report->request.ascii], cell);
	}
	text_printf(out, "  ");
	text_left(out, name, table->name_width);
	for (size_t i = 0; i < REPORT_TASK_CELLS; i++)
		if (i < table->n_cells)
			text_right(out, cell[i], task_width[i]);
}

/* Write the top tasks of an event. */
static void task_lines(const struct report *report, const struct summary *summary, size_t figure,
		       struct text *out)
{
	const struct task_sum *command[REPORT_TASKS], *process[REPORT_TASKS];
	size_t n = task_sums_top(&summary->commands, figure, REPORT_TASKS, command);
	size_t n_processes = task_sums_top(&summary->processes, figure, REPORT_TASKS, process);

	for (size_t i = 0; i < n || i < n_processes; i++) {
		task_cells(report, &summary->commands, i < n ? command[i] : NULL, figure, out);
		if (i < n_processes)
			task_cells(report, &summary->processes, process[i], figure, out);
		text_printf(out, "\n");
	}
}

/* @table  of task_widths */
static void task_heading(const char *name, unsigned table, struct text *out)
{
	text_printf(out, "  ");
	text_left(out, name, task_widths[table].name_width);
	for (size_t k = 0; k < REPORT_TASK_CELLS; k++)
		if (k < task_widths[table].n_cells)
			text_right(out, report_task_heading[k], task_width[k]);
}

/* Write the top cgroups of an event, each without those below it. */
static void cgroup_lines(const struct report *report, const struct summary *summary, size_t figure,
			 struct text *out)
{
	const struct task_sum *top[REPORT_TASKS];
	size_t n = task_sums_top(&summary->cgroups, figure, REPORT_TASKS, top);

	task_heading("of cgroups", 2, out);
	text_printf(out, "\n");
	for (size_t i = 0; i < n; i++) {
		task_cells(report, &summary->cgroups, top[i], figure, out);
		text_printf(out, "\n");
	}
}

static void tasks_of_types(const struct report *report, const struct summary *summary,
			   struct text *out)
{
	const struct task_sums *sums = &summary->commands;
	char title[EVENT_TITLE_MAX];

	for (unsigned type = 0; type < summary->machine->n_types; type++)
		for (size_t i = 0, n = 0; report_has_tasks(report) && i < sums->n_figures; i++) {
			if (sums->figure[i].type != type || !task_sums_n(sums, i))
				continue;
			if (!n++)
				text_printf(out, "\n%s  who had most of it\n",
					    summary->machine->type[type].name);
			task_heading(event_title(sums->figure[i].event, title), 0, out);
			task_heading("of processes", 1, out);
			text_printf(out, "\n");
			task_lines(report, summary, i, out);
			if (summary->has_cgroups)
				cgroup_lines(report, summary, i, out);
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
	char buf[120];

	text_printf(out, "%s\n", summary->path);
	if (!report->comparison)
		report_finding(report, session, wrapped, out);
	text_printf(out, "  %s\n", summary->machine->model);
	text_printf(out, "  host %s kernel %s backend %s\n", head->host, head->kernel,
		    head->backend);
	text_printf(out, "  %s, %s\n", head->started, report_length(summary, buf, sizeof(buf)));
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
			    annotation_name(annotation->kind), is_mark ? "\"" : "",
			    annotation->text, is_mark ? "\"" : "");
	}
	if (summary->n_annotations_more)
		text_printf(out, "%10s and %" PRIu64 " more\n", "", summary->n_annotations_more);
}

static void own_lines(const struct summary *summary, struct text *out)
{
	char line[400];

	text_printf(out, "\nm1top's own cost\n");
	wrapped(report_own(summary, line, sizeof(line)), out);
}

/* ---- two sessions ---- */

static const char *const change_heading[REPORT_CHANGES] = { "first", "second", "change",
							    "%",     "spread", "error" };

static void change_line(const struct report *report, const char *name,
			const struct mean_change *change, int width, struct text *out)
{
	report_cell cell[REPORT_CHANGES];

	text_printf(out, "  ");
	text_left(out, name, width);
	report_change_cells(change, &numbers[report->request.ascii], cell);
	for (unsigned i = 0; i < REPORT_CHANGES; i++)
		text_right(out, cell[i], change_width[i]);
	text_printf(out, "  %s\n", verdict_name(change->verdict));
}

static void difference_line(const struct report *report, const struct difference *difference,
			    int width, struct text *out)
{
	const struct event *event = difference->figure[0]->event;
	char plain[EVENT_NAME_MAX + 40], name[sizeof(plain) + 4];

	full_name(report, report->summary[0], difference->figure[0], plain, sizeof(plain));
	snprintf(name, sizeof(name), "%s%s", plain, !event ? "" : *event->unit ? "/s" : "  /s");
	change_line(report, name, &difference->change, width, out);
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
			text_heading("", width, change_heading, change_width, REPORT_CHANGES, out);
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
			text_heading(name, width, change_heading, change_width, REPORT_CHANGES,
				     out);
		change_line(report, task->like->task.comm, &task->change, width, out);
	}
}

static void only_lines(const struct comparison *comparison, unsigned which, struct text *out)
{
	struct text line = { 0 };

	if (report_unmatched(comparison, which, &line)) {
		text_printf(out, "\n");
		wrapped(line.failed ? "" : line.bytes, out);
	}
	text_fini(&line);
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
