/* report_text.c: the tables of a report */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "session/report.h"
#include "session/rows.h"

enum { TOTAL_WIDTH = 18, CELL_WIDTH = 9, NAME_MIN = 24, NAME_MAX = 48 };

static const double percentiles[] = { 50, 95, 99 };

/* ---- cells ---- */

static void left(struct text *out, const char *s, int width)
{
	int room = width - text_columns(s);

	text_printf(out, "%s%*s", s, room > 0 ? room : 0, "");
}

static void right(struct text *out, const char *s, int width)
{
	int room = width - 1 - text_columns(s);

	text_printf(out, " %*s%s", room > 0 ? room : 0, "", s);
}

static void number_cell(struct text *out, double value, const char *before, int width)
{
	char number[24], cell[40];

	num_si(value, 4, (unsigned)width - 3, number, sizeof(number));
	snprintf(cell, sizeof(cell), "%s%s", before, *number ? number : "-");
	right(out, cell, width);
}

static void spread_cells(struct text *out, const struct digest *is)
{
	struct digest *digest = (struct digest *)is; /* which is sorted when it is first asked */

	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		number_cell(out, digest_percentile(digest, percentiles[i]), "", CELL_WIDTH);
	number_cell(out, digest->n ? digest->min : NAN, "", CELL_WIDTH);
	number_cell(out, digest->n ? digest->max : NAN, "", CELL_WIDTH);
}

static const char *estimate_mark(const struct reading *reading)
{
	return reading->quality == QUALITY_SCALED ? "~" : "";
}

/* "3 lost, 2 not_counted": intervals without a figure. */
static void bad_intervals(const struct summary_figure *figure, struct text *out)
{
	const char *join = "  ";

	for (enum quality i = QUALITY_PENDING; i < QUALITY_OFF; i++) {
		if (!figure->n_intervals[i])
			continue;
		text_printf(out, "%s%" PRIu64 " %s", join, figure->n_intervals[i], quality_name(i));
		join = ", ";
	}
}

/* ---- one row ---- */

static void full_name(const struct report *report, const struct summary *summary,
		      const struct summary_figure *figure, char *buf, size_t size)
{
	char name[EVENT_NAME_MAX + 4];
	const char *unit = summary_figure_unit(summary, figure);
	bool plain = report->ascii && strcmp(unit, "µs") == 0;

	summary_figure_name(summary, figure, name, sizeof(name));
	snprintf(buf, size, "%s%s%s", name, *unit ? "  " : "", plain ? "us" : unit);
}

static int name_width(const struct report *report, const struct summary *summary)
{
	int widest = NAME_MIN;

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
	return widest < NAME_MAX ? widest : NAME_MAX;
}

static void total_cell(struct text *out, const struct summary_figure *figure)
{
	bool is_scaled = figure->total.quality == QUALITY_SCALED;
	char cell[40];

	if (is_scaled || *figure->event->unit)
		snprintf(cell, sizeof(cell), "%s%.0f", is_scaled ? "~" : "", figure->total.value);
	else
		snprintf(cell, sizeof(cell), "%" PRIu64, figure->sum.value);
	right(out, cell, TOTAL_WIDTH);
}

static void event_line(const struct summary_figure *figure, struct text *out)
{
	char cell[24];

	total_cell(out, figure);
	number_cell(out, figure->mean.value, estimate_mark(&figure->mean), CELL_WIDTH + 1);
	spread_cells(out, &figure->digest);
	snprintf(cell, sizeof(cell), "%s%.1f %%", figure->n_intervals[QUALITY_SCALED] ? "~" : "",
		 figure->counted_pct);
	right(out, cell, CELL_WIDTH);
}

static void metric_line(const struct report *report, const struct summary_figure *figure,
			struct text *out)
{
	bool is_beyond = figure->alarm == ALARM_BEYOND;
	const char *beyond = !is_beyond ? "" : report->ascii ? "!" : "▲";
	char mark[16], cell[24] = "";

	snprintf(mark, sizeof(mark), "%s%s", beyond, estimate_mark(&figure->mean));
	right(out, "", TOTAL_WIDTH);
	number_cell(out, quality_has_value(figure->mean.quality) ? figure->mean.value : NAN, mark,
		    CELL_WIDTH + 1);
	spread_cells(out, &figure->digest);
	if (figure->alarm_inputs.count && figure->digest.n)
		snprintf(cell, sizeof(cell), "%.1f %%",
			 100 * (double)figure->n_beyond / (double)figure->digest.n);
	if (*cell)
		right(out, cell, CELL_WIDTH);
}

/* Never counted: why, where that is known. */
static void nothing_line(const struct summary_figure *figure, struct text *out)
{
	right(out, figure->n_intervals[QUALITY_NOT_SUPPORTED] ? "n/s" : "-", TOTAL_WIDTH);
	if (figure->event && *figure->event->refused)
		text_printf(out, "  %s", figure->event->refused);
}

static void figure_line(const struct report *report, const struct summary *summary,
			const struct summary_figure *figure, int width, struct text *out)
{
	char name[EVENT_NAME_MAX + 40];

	full_name(report, summary, figure, name, sizeof(name));
	text_printf(out, "  ");
	left(out, name, width);
	if (!summary_figure_is_counted(figure))
		nothing_line(figure, out);
	else if (figure->event)
		event_line(figure, out);
	else
		metric_line(report, figure, out);
	bad_intervals(figure, out);
	text_printf(out, "\n");
}

static void heading(const char *name, const char *total, const char *mean, const char *last,
		    int width, struct text *out)
{
	text_printf(out, "  ");
	left(out, name, width);
	right(out, total, TOTAL_WIDTH);
	right(out, mean, CELL_WIDTH + 1);
	right(out, "p50", CELL_WIDTH);
	right(out, "p95", CELL_WIDTH);
	right(out, "p99", CELL_WIDTH);
	right(out, "min", CELL_WIDTH);
	right(out, "max", CELL_WIDTH);
	right(out, last, CELL_WIDTH);
	text_printf(out, "\n");
}

/* @is_event  events or metrics  @return how many there were */
static unsigned figure_lines(const struct report *report, const struct summary *summary,
			     const struct summary_row *row, bool is_event, int width,
			     struct text *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure))
			continue;
		if (!n++ && is_event)
			heading("event", "total", "mean/s", "counted", width, out);
		else if (n == 1)
			heading("metric", "", "session", "beyond", width, out);
		figure_line(report, summary, figure, width, out);
	}
	return n;
}

static void row_title(const struct summary_row *row, struct text *out)
{
	char cpus[128];

	text_printf(out, "\n%s", row->name);
	if (row->by != BY_CORE && cpus_count(&row->cpus))
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

/* ---- around the rows ---- */

static void head_lines(const struct summary *summary, struct text *out)
{
	const struct session_head *head = reader_head(summary->reader);
	char buf[1200];

	text_printf(out, "%s\n", summary->path);
	text_printf(out, "  %s\n", summary->machine->model);
	text_printf(out, "  host %s kernel %s backend %s\n", head->host, head->kernel,
		    head->backend);
	text_printf(out, "  %s, %s\n", head->started, report_length(summary, buf, sizeof(buf)));
	for (unsigned i = 0;; i++) {
		const char *remark = report_remark(summary, i, buf, sizeof(buf));

		if (!remark)
			break;
		text_printf(out, "  %s\n", remark);
	}
}

static void moment_lines(const struct summary *summary, struct text *out)
{
	if (summary->n_moments)
		text_printf(out, "\n%10s what happened\n", "s");
	for (size_t i = 0; i < summary->n_moments; i++) {
		const struct moment *moment = &summary->moment[i];
		bool is_mark = moment->kind == MOMENT_MARK;

		text_printf(out, "%10.3f %-9s%s%s%s\n", (double)moment->t_ns / 1e9,
			    moment_name(moment->kind), is_mark ? "\"" : "", moment->text,
			    is_mark ? "\"" : "");
	}
	if (summary->n_moments_more)
		text_printf(out, "%10s and %" PRIu64 " more\n", "", summary->n_moments_more);
}

/* Wrapped at 80 columns behind two blanks. */
static void wrapped(const char *text, struct text *out)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + 1 + n > 78) {
			text_printf(out, "\n");
			column = 0;
		}
		text_printf(out, "%s%.*s", column ? " " : "  ", (int)n, text);
		column += n + 1;
		text += n + strspn(text + n, " ");
	}
	text_printf(out, "\n");
}

static void own_lines(const struct summary *summary, struct text *out)
{
	char line[400];

	text_printf(out, "\nm1top's own cost\n");
	wrapped(report_own(summary, line, sizeof(line)), out);
}

/* ---- two sessions ---- */

static void difference_heading(int width, struct text *out)
{
	text_printf(out, "  ");
	left(out, "", width);
	right(out, "first", CELL_WIDTH + 1);
	right(out, "second", CELL_WIDTH + 1);
	right(out, "change", CELL_WIDTH + 1);
	right(out, "%", CELL_WIDTH);
	right(out, "spread", CELL_WIDTH);
	right(out, "error", CELL_WIDTH);
	text_printf(out, "\n");
}

static void difference_line(const struct report *report, const struct difference *difference,
			    int width, struct text *out)
{
	const struct summary_figure *const *figure = difference->figure;
	char plain[EVENT_NAME_MAX + 40], name[sizeof(plain) + 4], pct[24] = "-";
	const char *per_s = "";

	full_name(report, report->summary[0], figure[0], plain, sizeof(plain));
	if (figure[0]->event)
		per_s = *figure[0]->event->unit ? "/s" : "  /s";
	snprintf(name, sizeof(name), "%s%s", plain, per_s);
	text_printf(out, "  ");
	left(out, name, width);
	for (unsigned i = 0; i < 2; i++)
		number_cell(out, figure[i]->mean.value, estimate_mark(&figure[i]->mean),
			    CELL_WIDTH + 1);
	number_cell(out, difference->delta, difference->delta > 0 ? "+" : "", CELL_WIDTH + 1);
	if (isfinite(difference->delta_pct))
		snprintf(pct, sizeof(pct), "%+.2f", difference->delta_pct);
	right(out, pct, CELL_WIDTH);
	number_cell(out, difference->spread, "", CELL_WIDTH);
	number_cell(out, difference->error, "", CELL_WIDTH);
	text_printf(out, "  %s\n", verdict_name(difference->verdict));
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
			difference_heading(width, out);
		}
		difference_line(report, difference, width, out);
	}
}

static void only_lines(const struct comparison *comparison, unsigned which, struct text *out)
{
	const struct only *only = &comparison->only[which];
	struct text line = { 0 };

	if (!only->n)
		return;
	text_printf(&line, "only in the %s: ", which ? "second" : "first");
	for (size_t i = 0; i < only->n; i++) {
		char name[EVENT_NAME_MAX + 4];

		text_printf(&line, "%s%s", i ? ", " : "",
			    summary_figure_name(comparison->summary[which], only->figure[i], name,
						sizeof(name)));
	}
	text_printf(out, "\n");
	wrapped(line.failed ? "" : line.bytes, out);
	text_fini(&line);
}

static void comparison_text(const struct report *report, struct text *out)
{
	const struct comparison *comparison = report->comparison;

	for (unsigned i = 0; i < 2; i++) {
		text_printf(out, "%s: ", i ? "second" : "first");
		head_lines(report->summary[i], out);
	}
	if (!comparison->same_machine)
		text_printf(out, "\nnot the same machine: compared by type of core only\n");
	difference_lines(report, out);
	if (!comparison->n)
		text_printf(out, "\nno figure is in a row that both have\n");
	only_lines(comparison, 0, out);
	only_lines(comparison, 1, out);
	text_printf(out, "\n");
	wrapped(report_verdicts, out);
}

void report_text(const struct report *report, struct text *out)
{
	const struct summary *summary = report->summary[0];
	int width = name_width(report, summary);

	if (report->comparison) {
		comparison_text(report, out);
		return;
	}
	head_lines(summary, out);
	for (size_t i = 0; i < summary->n_rows; i++)
		if (report_has_row(report, summary, &summary->row[i]))
			row_lines(report, summary, &summary->row[i], width, out);
	moment_lines(summary, out);
	own_lines(summary, out);
}
