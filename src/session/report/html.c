/* html.c: the report as HTML: tables that work without a script, and the data of the plots */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "session/report.h"

/* Files built into the program; each ends with a NUL. */
extern const char asset_uplot_js[], asset_uplot_css[], asset_uplot_license[];
extern const char asset_page_js[], asset_page_css[];

/* Limit for plots, which keeps the whole page below 5 MB. */
enum { PLOTS_BYTES = 3500 * 1000, ROWS_MANY = 64 };

/* ---- cells ---- */

static const struct report_numbers numbers = { "–", 8, 8, false };

/* Append text from a file between markup. */
static void html_text(struct text *out, const char *before, const char *s, const char *behind)
{
	text_string(out, before);
	text_html(out, s);
	text_string(out, behind);
}

static void name_cell(struct text *out, const struct summary *summary,
		      const struct summary_figure *figure, const char *behind)
{
	char name[EVENT_NAME_MAX + 4];
	const char *brief = figure->event && figure->event->known ? figure->event->known->brief
			    : figure->event                       ? ""
					    : summary->metrics->metric[figure->metric].brief;

	html_text(out, "<tr><th scope=row title=\"", brief, "\">");
	text_html(out, summary_figure_name(summary, figure, name, sizeof(name)));
	html_text(out, " <i>", summary_figure_unit(summary, figure), "");
	text_printf(out, "%s</i>", behind);
}

/* ---- rows of a table ---- */

static void figure_cells(struct text *out, const struct summary_figure *figure)
{
	bool is_beyond = !figure->event && figure->alarm == ALARM_BEYOND;
	report_cell cell[REPORT_CELLS];

	report_figure_cells(figure, &numbers, cell);
	for (size_t i = 0; i < REPORT_CELLS; i++)
		text_printf(out, "<td%s%s",
			    is_beyond && i == REPORT_MEAN ? " class=beyond>▲ " : ">", cell[i]);
}

static void figure_row(struct text *out, const struct summary *summary,
		       const struct summary_figure *figure)
{
	name_cell(out, summary, figure, "");
	if (!summary_figure_is_counted(figure))
		text_printf(out, "<td colspan=8 class=none>%s",
			    figure->n_intervals[QUALITY_NOT_SUPPORTED] ? "not supported"
								       : "not counted");
	else
		figure_cells(out, figure);
	text_printf(out, "<td class=bad>");
	report_bad_intervals(figure, "", out);
}

static void html_heading(struct text *out, bool is_event)
{
	text_printf(out, "<tr>");
	for (size_t i = 0; i <= REPORT_CELLS; i++)
		text_printf(out, "<th scope=col>%s", report_heading[is_event][i]);
	text_printf(out, "<th scope=col>");
}

static void figure_rows(struct text *out, const struct summary *summary,
			const struct summary_row *row, bool is_event)
{
	bool is_first = true;

	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (!figure->event == is_event || !summary_figure_is_shown(row, figure))
			continue;
		if (is_first)
			html_heading(out, is_event);
		is_first = false;
		figure_row(out, summary, figure);
	}
}

static void row_title(struct text *out, const struct summary_row *row)
{
	char cpus[128];

	text_printf(out, "<details%s><summary>", row->by == BY_TYPE ? " open" : "");
	text_html(out, row->name);
	if (row->by > BY_PHYSICAL && cpus_count(&row->cpus))
		text_printf(out, " <i>cpu %s</i>", cpus_format(&row->cpus, cpus, sizeof(cpus)));
	text_printf(out, "</summary><div class=wide><table>\n");
}

/* Whether tables of a level are omitted: with very many cores or clusters they need --by. */
static bool is_left_out(const struct report *report, const struct machine *machine,
			enum frame_by by)
{
	if (report->has_by)
		return false;
	return (by == BY_CORE && machine->n_cores > ROWS_MANY) ||
	       (by == BY_CLUSTER && machine->n_clusters > ROWS_MANY);
}

static void tables(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];

	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct summary_row *row = &summary->row[i];

		if (!report_has_row(report, summary, row) ||
		    is_left_out(report, summary->machine, row->by))
			continue;
		row_title(out, row);
		figure_rows(out, summary, row, true);
		figure_rows(out, summary, row, false);
		text_printf(out, "</table></div></details>\n");
	}
	if (is_left_out(report, summary->machine, BY_CORE))
		text_printf(out, "<p class=note>Use --by core for tables of every core.</p>\n");
	text_printf(
		out,
		"<p class=note>Rates are per second; p50, p95, p99, min and max are those of "
		"intervals. Metrics of the session are calculated from its summed counts, never "
		"averaged. ~ estimate: counted part of the time. ▲ beyond its threshold.</p>\n");
}

/* ---- tasks ---- */

static void task_cells(struct text *out, const struct task_sums *sums, const struct task_sum *sum,
		       size_t figure)
{
	report_cell cell[REPORT_TASK_CELLS];
	char name[REPORT_TASK_NAME];

	html_text(out, "<th scope=row>", report_task_name(sum, name, sizeof(name)), "");
	report_task_cells(sums, sum, figure, &numbers, cell);
	for (unsigned i = 0; i < REPORT_TASK_CELLS; i++)
		text_printf(out, "<td>%s", cell[i]);
}

static void task_heading(struct text *out, const char *name)
{
	html_text(out, "<th scope=col class=name>", name, "");
	for (unsigned i = 0; i < REPORT_TASK_CELLS; i++)
		text_printf(out, "<th scope=col>%s", report_task_heading[i]);
}

/* Write the top commands of an event, and the top processes beside them. */
static void task_rows(const struct summary *summary, size_t figure, struct text *out)
{
	const struct task_sums *sums[] = { &summary->commands, &summary->processes };
	const struct task_sum *top[2][REPORT_TASKS];
	size_t n[2];

	for (unsigned i = 0; i < 2; i++)
		n[i] = task_sums_top(sums[i], figure, REPORT_TASKS, top[i]);
	if (!n[0])
		return;
	text_printf(out, "<tr>");
	task_heading(out, sums[0]->figure[figure].event->name);
	task_heading(out, "of processes");
	for (size_t k = 0; k < n[0] || k < n[1]; k++) {
		text_printf(out, "\n<tr>");
		for (unsigned i = 0; i < 2; i++)
			if (k < n[i])
				task_cells(out, sums[i], top[i][k], figure);
			else if (!i)
				text_printf(out, "<td colspan=%d>", 1 + REPORT_TASK_CELLS);
	}
}

static void tasks(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];
	const struct task_sums *sums = &summary->commands;

	text_printf(out, "<div class=stacks data-session=%u></div>\n", session);
	for (unsigned type = 0; type < summary->machine->n_types; type++) {
		html_text(out, "<details open><summary>", summary->machine->type[type].name,
			  "</summary><div class=wide><table class=tasks>\n");
		for (size_t i = 0; i < sums->n_figures; i++)
			if (sums->figure[i].type == type)
				task_rows(summary, i, out);
		text_printf(out, "</table></div></details>\n");
	}
}

/* ---- other parts ---- */

static void moments(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];

	text_printf(out, "<div class=wide><table class=moments>"
			 "<tr><th scope=col>s<th scope=col><th scope=col>\n");
	for (size_t i = 0; i < summary->n_moments; i++) {
		const struct moment *moment = &summary->moment[i];

		text_printf(out, "<tr><td>%.3f<td>%s<td>", (double)moment->t_ns / 1e9,
			    moment_name(moment->kind));
		text_html(out, moment->text);
		text_printf(out, "\n");
	}
	text_printf(out, "</table></div>\n");
	if (summary->n_moments_more)
		text_printf(out, "<p>and %" PRIu64 " more</p>\n", summary->n_moments_more);
}

static void own(const struct report *report, unsigned session, struct text *out)
{
	char line[400];

	report_own(report->summary[session], line, sizeof(line));
	html_text(out, "<p>", line, "</p>\n");
}

static void put_remark(const char *remark, struct text *out)
{
	html_text(out, "<p class=remark>", remark, "</p>\n");
}

static void head(const struct summary *summary, struct text *out)
{
	const struct session_head *is = reader_head(summary->reader);
	const char *const words[] = { is->host,    is->kernel,  summary->machine->model,
				      is->backend, is->started, NULL };
	char length[120];

	html_text(out, "<h2>", summary->path, "</h2>\n<p>");
	for (unsigned i = 0; words[i]; i++) {
		text_html(out, words[i]);
		text_printf(out, " · ");
	}
	text_html(out, report_length(summary, length, sizeof(length)));
	text_printf(out, "</p>\n");
	report_remarks(summary, put_remark, out);
}

static void plots_place(const struct report *report, unsigned session, struct text *out)
{
	(void)report;
	text_printf(out, "<div class=plots data-session=%u></div>\n", session);
}

/* Parts of a session's section, also listed in the contents. */
static const struct part {
	const char *id, *title;
	void (*write)(const struct report *report, unsigned session, struct text *out);
} parts[] = {
	{ "plots", "Over time", plots_place },    { "figures", "Figures", tables },
	{ "tasks", "Who had most of it", tasks }, { "moments", "What happened", moments },
	{ "own", "m1top's own cost", own },
};

static bool has_part(const struct summary *summary, const struct part *part)
{
	if (part->write == tasks)
		return summary->commands.n_figures;
	return part->write != moments || summary->n_moments;
}

static void session(const struct report *report, unsigned i, struct text *out)
{
	text_printf(out, "<section id=session-%u>\n", i);
	head(report->summary[i], out);
	for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
		if (!has_part(report->summary[i], &parts[k]))
			continue;
		text_printf(out, "<h3 id=%s-%u>%s</h3>\n", parts[k].id, i, parts[k].title);
		parts[k].write(report, i, out);
	}
	text_printf(out, "</section>\n");
}

/* ---- two sessions ---- */

static void html_difference(const struct report *report, const struct difference *is,
			    struct text *out)
{
	static const char *const class[] = { "unknown", "error", "within", "spread" };
	report_cell cell[REPORT_CHANGES];

	name_cell(out, report->summary[0], is->figure[0], is->figure[0]->event ? "/s" : "");
	report_change_cells(is, &numbers, cell);
	for (unsigned i = 0; i < REPORT_CHANGES; i++)
		text_printf(out, "<td>%s", cell[i]);
	text_printf(out, "<td class=verdict-%s>%s\n", class[is->verdict],
		    verdict_name(is->verdict));
}

/* Write the top commands below each event and core type. */
static void task_differences(const struct comparison *is, struct text *out)
{
	const struct summary *first = is->summary[0];
	size_t shown = SIZE_MAX;

	text_printf(out, "%s",
		    is->n_tasks ? "<h3>Who had most of it</h3>\n<div class=wide>"
				  "<table class=tasks>\n"
				: "");
	for (size_t i = 0; i < is->n_tasks; i++) {
		const struct task_difference *task = &is->task[i];
		const struct task_figure *figure = &first->commands.figure[task->figure[0]];
		report_cell cell[REPORT_TASK_CHANGES];

		if (task->figure[0] != shown) {
			html_text(out, "<tr><th scope=col>",
				  first->machine->type[figure->type].name, " ");
			text_html(out, figure->event->name);
			text_printf(out, "/s<th scope=col>first<th scope=col>second"
					 "<th scope=col>change<th scope=col>%%\n");
		}
		shown = task->figure[0];
		html_text(out, "<tr><th scope=row>", task->like->task.comm, "");
		report_task_change_cells(task, &numbers, cell);
		for (unsigned k = 0; k < REPORT_TASK_CHANGES; k++)
			text_printf(out, "<td>%s", cell[k]);
		text_printf(out, "\n");
	}
	text_printf(out, "%s", is->n_tasks ? "</table></div>\n" : "");
}

static void only(const struct comparison *is, unsigned which, struct text *out)
{
	struct text line = { 0 };

	if (report_unmatched(is, which, &line)) {
		put_remark(line.failed ? "" : line.bytes, out);
	}
	text_fini(&line);
}

static void comparison(const struct report *report, struct text *out)
{
	const struct comparison *is = report->comparison;
	const struct summary_row *row = NULL;

	text_printf(
		out, "<section id=differences><h2>What differs</h2>\n%s",
		is->same_machine
			? ""
			: "<p class=remark>not the same machine: compared only by core type</p>\n");
	for (size_t i = 0; i < is->n; i++) {
		if (!report_has_row(report, is->summary[0], is->difference[i].row[0]))
			continue;
		if (row != is->difference[i].row[0]) {
			text_printf(out, "%s", row ? "</table></div></details>\n" : "");
			row = is->difference[i].row[0];
			row_title(out, row);
			text_printf(out, "<tr><th><th scope=col>first<th scope=col>second"
					 "<th scope=col>change<th scope=col>%%<th scope=col>spread"
					 "<th scope=col>error<th scope=col>\n");
		}
		html_difference(report, &is->difference[i], out);
	}
	text_printf(out, "%s", row ? "</table></div></details>\n" : "");
	task_differences(is, out);
	only(is, 0, out);
	only(is, 1, out);
	html_text(out, "<p class=note>", report_verdicts, "</p></section>\n");
}

/* ---- the page ---- */

static void contents(const struct report *report, struct text *out)
{
	text_printf(out, "<nav aria-label=Contents><ul>\n");
	if (report->comparison)
		text_printf(out, "<li><a href=#differences>What differs</a>\n");
	for (unsigned i = 0; i < report->n; i++) {
		text_printf(out, "<li><a href=#session-%u>", i);
		text_html(out, report->summary[i]->path);
		text_printf(out, "</a>");
		for (size_t k = 0; k < ARRAY_SIZE(parts); k++)
			if (has_part(report->summary[i], &parts[k]))
				text_printf(out, " <a href=#%s-%u>%s</a>", parts[k].id, i,
					    parts[k].title);
		text_printf(out, "\n");
	}
	text_printf(out, "</ul></nav>\n");
}

/* Write the plots' data. '<' could end the script element, and is escaped. */
static void plots(const struct report *report, struct text *out)
{
	struct text data = { 0 };
	const struct json json = { &data, "", ":" };

	json_begin(&json, NULL, "[");
	for (unsigned i = 0; i < report->n; i++)
		report_plots(report, report->summary[i], report->history[i],
			     PLOTS_BYTES / report->n, &json);
	json_end(&json, "]");
	out->failed |= data.failed;
	text_printf(out, "<script type=\"application/json\" id=data>");
	for (size_t i = 0, n; !data.failed && i < data.n; i += n + 1) {
		const char *end = memchr(data.bytes + i, '<', data.n - i);

		n = end ? (size_t)(end - data.bytes) - i : data.n - i;
		text_add(out, data.bytes + i, n);
		if (end)
			text_printf(out, "\\u003c");
	}
	text_printf(out, "</script>\n");
	text_fini(&data);
}

/* Create a random nonce for the page's own scripts and styles, which text from the files cannot contain. */
static int make_nonce(char *nonce, size_t size, struct err *err)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, errno, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes) && 2 * i + 2 < size; i++)
		snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static void asset(struct text *out, const char *tag, const char *nonce, const char *bytes)
{
	text_printf(out, "<%s nonce=\"%s\">", tag, nonce);
	text_add(out, bytes, strlen(bytes));
	text_printf(out, "</%s>\n", tag);
}

static void page_head(const struct report *report, const char *nonce, struct text *out)
{
	text_printf(out,
		    "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
		    "script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; form-action "
		    "'none'\">\n"
		    "<meta name=viewport content=\"width=device-width\">\n"
		    "<meta name=color-scheme content=\"light dark\">\n"
		    "<meta name=generator content=\"m1top " M1TOP_VERSION "\">\n<title>",
		    nonce, nonce);
	text_html(out, report->summary[0]->path);
	text_printf(out, " – m1top</title>\n<!-- uPlot:\n%s-->\n", asset_uplot_license);
	asset(out, "style", nonce, asset_uplot_css);
	asset(out, "style", nonce, asset_page_css);
	text_printf(out, "</head>\n<body>\n<main>\n");
}

int report_html(const struct report *report, struct text *out, struct err *err)
{
	char nonce[33] = "";
	int rc = make_nonce(nonce, sizeof(nonce), err);

	if (rc)
		return rc;
	page_head(report, nonce, out);
	contents(report, out);
	if (report->comparison)
		comparison(report, out);
	for (unsigned i = 0; i < report->n; i++)
		session(report, i, out);
	text_printf(out, "</main>\n<footer>m1top " M1TOP_VERSION "</footer>\n");
	plots(report, out);
	asset(out, "script", nonce, asset_uplot_js);
	asset(out, "script", nonce, asset_page_js);
	text_printf(out, "</body>\n</html>\n");
	return 0;
}
