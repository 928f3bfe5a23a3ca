/* html.c: the report as HTML: tables that work without a script, and the data of the plots */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "pmu/sensors.h"
#include "session/report/report.h"

/* ---- data of the plots ---- */

enum { PACKED_BYTES = 3 }; /* characters of a number in base64, rounded up */

static uint16_t code_of(double value, double low, double high)
{
	if (isnan(value))
		return 0;
	return (uint16_t)(1.5 + (high > low ? (value - low) / (high - low) : 0) * 65534);
}

/* Append numbers as 16 bits each, in base64: 0: none, 1 … 65535: from low to high. @value  NaN: none */
static void json_packed(const struct json *json, const char *name, const double *value, size_t n,
			double low, double high)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned n_bits = 0;
	struct text *out = json->out;

	json_next(json, name);
	text_add(out, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		uint16_t code = code_of(value[i], low, high);

		for (unsigned byte = 0; byte < 2; byte++) { /* little endian */
			bits = bits << 8 | ((uint32_t)code >> (byte * 8) & 0xff);
			for (n_bits += 8; n_bits >= 6; n_bits -= 6)
				text_add(out, &digits[bits >> (n_bits - 6) & 63], 1);
		}
	}
	if (n_bits)
		text_add(out, &digits[bits << (6 - n_bits) & 63], 1);
	for (size_t i = 2 * n % 3; i && i < 3; i++)
		text_add(out, "=", 1);
	text_add(out, "\"", 1);
}

/* ---- stacked rates of the top commands over time ---- */

/* An event of a core type. */
struct stack {
	size_t figure; /* index in the session's sums */
	const struct task_sum *top[REPORT_TASKS];
	size_t n;     /* number of `top`; all others together are stacked on them */
	double *rate; /* [command × cells + cell] */
	double high;  /* maximum of the sum of all */
};

struct stacks {
	const struct task_sums *sums;
	struct stack *stack;
	size_t n, n_cells;
};

/* @return 0 or -ENOMEM */
static int plots_begin(struct stacks *stacks, size_t n_max)
{
	stacks->stack = calloc(n_max + 1, sizeof(*stacks->stack));
	if (!stacks->stack)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->sums->n_figures && stacks->n < n_max; i++) {
		struct stack *stack = &stacks->stack[stacks->n];

		stack->figure = i;
		stack->n = task_sums_top(stacks->sums, i, REPORT_TASKS, stack->top);
		if (!stack->n)
			continue;
		stack->rate = calloc((stack->n + 1) * stacks->n_cells, sizeof(*stack->rate));
		if (!stack->rate)
			return -ENOMEM;
		stacks->n++;
	}
	return 0;
}

/* @return SIZE_MAX: not counted in that cell */
static size_t figure_then(const struct task_sums *then, const struct task_figure *figure)
{
	for (size_t i = 0; i < then->n_figures; i++)
		if (then->figure[i].type == figure->type &&
		    event_is_same(then->figure[i].event, figure->event))
			return i;
	return SIZE_MAX;
}

static double all_rates(const struct task_sums *then, size_t figure)
{
	double sum = 0;

	for (size_t i = 0; i < then->tasks.n; i++)
		sum += task_sums_rate(then, &then->sum[i], figure);
	return sum;
}

static void fill_stack(const struct stacks *stacks, struct stack *stack,
		       const struct task_sums *then, size_t cell)
{
	size_t figure = figure_then(then, &stacks->sums->figure[stack->figure]);
	double rest = figure < SIZE_MAX ? all_rates(then, figure) : NAN;

	stack->high = fmax(stack->high, rest);
	for (size_t i = 0; i < stack->n; i++) {
		const struct task_sum *sum = task_sums_find(then, stack->top[i]);
		double rate = isnan(rest) ? NAN : sum ? task_sums_rate(then, sum, figure) : 0;

		stack->rate[i * stacks->n_cells + cell] = rate;
		rest -= rate;
	}
	stack->rate[stack->n * stacks->n_cells + cell] = isnan(rest) ? NAN : fmax(rest, 0);
}

/* @return 0 or -ENOMEM */
static int fill_cell(const struct stacks *stacks, const struct history *history, size_t cell)
{
	struct task_sums then = { .tasks.by = BY_COMMAND, .machine = stacks->sums->machine };
	const struct frame *frame = history_frame(history, cell);
	int rc = !frame ? -ENOMEM : frame->tasks ? task_sums_add(&then, frame) : 0;

	for (size_t i = 0; !rc && i < stacks->n; i++)
		fill_stack(stacks, &stacks->stack[i], &then, cell);
	task_sums_fini(&then);
	frame_unref(frame);
	return rc;
}

static void write_stack(const struct stacks *stacks, const struct stack *stack,
			const struct json *json)
{
	const struct task_figure *figure = &stacks->sums->figure[stack->figure];

	json_begin(json, NULL, "\n{");
	json_text(json, "type", stacks->sums->machine->type[figure->type].name);
	json_text(json, "name", figure->event->name);
	json_text(json, "unit", figure->event->unit);
	json_number(json, "high", 9, stack->high);
	json_begin(json, "names", "[");
	for (size_t i = 0; i < stack->n; i++)
		json_text(json, NULL, stack->top[i]->task.comm);
	json_text(json, NULL, "all others");
	json_end(json, "]");
	json_begin(json, "values", "[");
	for (size_t i = 0; i <= stack->n; i++)
		json_packed(json, NULL, stack->rate + i * stacks->n_cells, stacks->n_cells, 0,
			    stack->high);
	json_end(json, "]}");
}

/* Write the top commands over time, for as many events as fit. @history  its cells are the time axis */
static void report_stacks(const struct summary *summary, const struct history *history,
			  size_t max_bytes, const struct json *json)
{
	struct stacks stacks = { .sums = &summary->commands, .n_cells = history_n(history) };
	size_t bytes = (REPORT_TASKS + 1) * (stacks.n_cells + 1) * PACKED_BYTES;
	int rc = plots_begin(&stacks, max_bytes / bytes);

	for (size_t i = 0; !rc && stacks.n && i < stacks.n_cells; i++)
		rc = fill_cell(&stacks, history, i);
	json_begin(json, "stacks", "[");
	for (size_t i = 0; !rc && i < stacks.n; i++)
		write_stack(&stacks, &stacks.stack[i], json);
	json_end(json, "]");
	json->out->failed |= rc != 0;
	for (size_t i = 0; i < stacks.n; i++)
		free(stacks.stack[i].rate);
	free(stacks.stack);
}

enum { CELLS_FEW = 300, CELLS_FEWEST = 100 };

/* Parts of the plots for cores and clusters; types have all. */
struct detail {
	bool has_ranges, has_rates;
	unsigned n_metrics;
};

static const struct detail details[] = {
	{ true, true, UINT_MAX }, { false, true, UINT_MAX }, { false, false, UINT_MAX },
	{ false, false, 8 },      { false, false, 3 },       { false, false, 1 },
};

struct plots {
	const struct summary *summary;
	struct history *history;
	struct detail detail;
	bool has_ranges; /* some cells have several intervals */
};

/* ---- selection ---- */

/* Whether the row is plotted: as in the tables without --by, because a heat map needs cores. */
static bool has_row(const struct plots *plots, const struct summary_row *row)
{
	return row->by != BY_DEVICE && report_has_level(plots->summary, row->by);
}

/* @n_before  number of metrics before it in the row */
static bool has_series(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, unsigned n_before)
{
	if (!has_row(plots, row) || figure->nth || !summary_figure_is_counted(figure) ||
	    !summary_figure_is_shown(row, figure))
		return false;
	if (row->by == BY_TYPE)
		return true;
	return figure->event ? plots->detail.has_rates : n_before < plots->detail.n_metrics;
}

static bool row_has_ranges(const struct plots *plots, const struct summary_row *row)
{
	return plots->has_ranges && (row->by == BY_TYPE || plots->detail.has_ranges);
}

typedef void series_fn(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, void *data);

static void each_series(const struct plots *plots, series_fn *call, void *data)
{
	for (size_t i = 0; i < plots->summary->n_rows; i++) {
		const struct summary_row *row = &plots->summary->row[i];
		unsigned n_metrics = 0;

		for (size_t k = 0; k < row->n; k++) {
			if (has_series(plots, row, &row->figure[k], n_metrics))
				call(plots, row, &row->figure[k], data);
			n_metrics += !row->figure[k].event;
		}
	}
}

/* ---- size ---- */

static void add_size(const struct plots *plots, const struct summary_row *row,
		     const struct summary_figure *figure, void *data)
{
	size_t *n = data;

	(void)figure;
	*n += history_n(plots->history) * (row_has_ranges(plots, row) ? 3 : 1) * PACKED_BYTES + 140;
}

static size_t plots_size_of(struct plots *plots)
{
	size_t n = 0;

	plots->has_ranges = false;
	for (size_t i = 0; i < history_n(plots->history); i++)
		plots->has_ranges |= history_bucket(plots->history, i)->n_frames > 1;
	each_series(plots, add_size, &n);
	return n;
}

static void thin(struct plots *plots, size_t fewest, size_t max_bytes)
{
	while (history_n(plots->history) > fewest && plots_size_of(plots) > max_bytes)
		history_thin(plots->history);
}

static void choose_detail(struct plots *plots, size_t max_bytes)
{
	plots->detail = details[0];
	thin(plots, CELLS_FEW, max_bytes);
	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		plots->detail = details[i];
		if (plots_size_of(plots) <= max_bytes)
			return;
	}
	thin(plots, CELLS_FEWEST, max_bytes);
}

/* Values of one series. */
struct plot_track {
	double *value[3]; /* minimum, mean, maximum; NaN: none */
	double low, high;
	size_t n;
};

static void json_track(const struct json *json, const char *name, const struct plot_track *track,
		       unsigned which)
{
	json_packed(json, name, track->value[which], track->n, track->low, track->high);
}

/* ---- series ---- */

static const struct event *event_in(const struct set *set, unsigned type, const struct event *event)
{
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *other = set->type[type].event[i];

		if (other && event_is_same(other, event))
			return other;
	}
	return NULL;
}

static void plots_fill(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, struct plot_track *track)
{
	struct history_query query = { .by = row->by,
				       .index = row->index,
				       .metric = figure->event ? -1 : (int)figure->metric };
	double scale = figure->event ? figure->event->scale : 1;

	track->low = INFINITY;
	track->high = -INFINITY;
	for (size_t i = 0; i < track->n; i++) {
		if (figure->event)
			query.event = event_in(history_bucket(plots->history, i)->set, row->type,
					       figure->event);

		struct history_value value = history_value(plots->history, i, &query);
		bool has_value = quality_has_value(value.quality);
		double three[] = { value.min * scale, value.mean * scale, value.max * scale };

		for (unsigned k = 0; k < 3; k++)
			track->value[k][i] = has_value ? three[k] : NAN;
		if (has_value) {
			track->low = fmin(track->low, three[0]);
			track->high = fmax(track->high, three[2]);
		}
	}
}

struct series_data {
	struct plot_track track;
	const struct json *json;
};

static void write_series(const struct plots *plots, const struct summary_row *row,
			 const struct summary_figure *figure, void *data_)
{
	struct series_data *data = data_;
	const struct json *json = data->json;
	char name[EVENT_NAME_MAX + 4];

	plots_fill(plots, row, figure, &data->track);
	if (data->track.low > data->track.high)
		return;
	json_begin(json, NULL, "\n{");
	json_u64(json, "row", (size_t)(row - plots->summary->row));
	json_text(json, "name", summary_figure_name(plots->summary, figure, name, sizeof(name)));
	json_u64(json, "rate", figure->event != NULL);
	json_text(json, "unit", summary_figure_unit(plots->summary, figure));
	json_number(json, "low", 9, data->track.low);
	json_number(json, "high", 9, data->track.high);
	json_track(json, "mean", &data->track, 1);
	if (row_has_ranges(plots, row)) {
		json_track(json, "min", &data->track, 0);
		json_track(json, "max", &data->track, 2);
	}
	json_end(json, "}");
}

static void series(const struct plots *plots, const struct json *json)
{
	size_t n = history_n(plots->history);
	AUTO_FREE double *value = calloc(3 * n + 1, sizeof(*value));
	struct series_data data = { .json = json };

	if (!value) {
		json->out->failed = true;
		return;
	}
	data.track.n = n;
	for (unsigned i = 0; i < 3; i++)
		data.track.value[i] = value + i * n;
	json_begin(json, "series", "[");
	each_series(plots, write_series, &data);
	json_end(json, "]");
}

/* ---- other parts ---- */

static void times(const struct plots *plots, const struct json *json)
{
	json_begin(json, "t", "[");
	for (size_t i = 0; i < history_n(plots->history); i++)
		json_printf(json, NULL, "%.3f",
			    (double)history_bucket(plots->history, i)->t_ns / 1e9);
	json_end(json, "]");
	json_begin(json, "gaps", "[");
	for (size_t i = 0; i < history_n(plots->history); i++)
		if (history_bucket(plots->history, i)->gap != GAP_NONE)
			json_u64(json, NULL, i);
	json_end(json, "]");
}

static void plots_rows(const struct plots *plots, const struct json *json)
{
	json_begin(json, "rows", "[");
	for (size_t i = 0; i < plots->summary->n_rows; i++) {
		json_begin(json, NULL, "{");
		json_text(json, "by", frame_by_name(plots->summary->row[i].by));
		json_text(json, "name", plots->summary->row[i].name);
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void plots_annotations(const struct summary *summary, const struct json *json)
{
	json_begin(json, "annotations", "[");
	for (size_t i = 0; i < summary->n_annotations; i++) {
		const struct annotation *annotation = &summary->annotation[i];

		json_begin(json, NULL, "{");
		json_printf(json, "t", "%.3f", (double)annotation->t_ns / 1e9);
		json_text(json, "what", annotation_name(annotation->kind));
		json_text(json, "text", annotation->text);
		json_end(json, "}");
	}
	json_end(json, "]");
}

/*
 * Write one session's figures over time: minimum, mean and maximum of each stretch, as base64 of 16 bits relative to
 * the figure's range. If that exceeds a page's limit, the time resolution is reduced first, then cores and clusters
 * lose their ranges, their rates and all but their first metrics.
 *
 * @history    its cells may be merged
 * @max_bytes  approximate size of the output
 */
static void plots_write(const struct summary *summary, struct history *history, size_t max_bytes,
			const struct json *json)
{
	struct plots plots = { .summary = summary, .history = history };
	size_t stacks_bytes = summary->commands.n_figures ? max_bytes / 5 : 0;

	choose_detail(&plots, max_bytes - stacks_bytes);
	json_begin(json, NULL, "{");
	json_text(json, "name", summary->path);
	times(&plots, json);
	plots_rows(&plots, json);
	plots_annotations(summary, json);
	series(&plots, json);
	report_stacks(summary, history, stacks_bytes, json);
	json_end(json, "}");
}

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
	if (report->request.has_by)
		return false;
	return frame_n_own_rows(machine, by) > ROWS_MANY;
}

/* Write what explains the cycles per instruction of each core type. */
static void explained(const struct report *report, unsigned session, struct text *out)
{
	const struct explain *explain = report->explain[session];

	for (size_t i = 0; i < explain->n; i++) {
		const struct explained *is = &explain->event[i];
		const struct catalog_preset *preset = explain_preset(explain, is->type);
		report_cell cell[REPORT_EXPLAINED];

		if (!i || is->type != is[-1].type) {
			html_text(out, "<details open><summary>",
				  explain->machine->type[is->type].name,
				  "</summary><div class=wide><table>\n<tr><th scope=col>");
			for (unsigned k = 0; k < REPORT_EXPLAINED; k++)
				html_text(out, "<th scope=col>", report_explained_heading[0][k],
					  "");
		}
		html_text(out, "\n<tr><th scope=row>", is->event->name, "");
		report_explained_cells(is, &numbers, cell);
		for (unsigned k = 0; k < REPORT_EXPLAINED; k++)
			html_text(out, "<td>", cell[k], "");
		if (i + 1 < explain->n && is->type == is[1].type)
			continue;
		text_printf(out, "</table></div></details>\n");
		if (preset)
			html_text(out, "<p class=note>-P ", preset->name,
				  " counts most of what explains CPI together</p>\n");
	}
	html_text(out, "<p class=note>", report_explained_note, "</p>\n");
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

	html_text(out, "<th scope=row>", report_task_name(sums, sum, name, sizeof(name)), "");
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

/* Write the top commands of an event, and the top processes and cgroups beside them. */
static void task_rows(const struct summary *summary, size_t figure, struct text *out)
{
	const struct task_sums *sums[] = { &summary->commands, &summary->processes,
					   &summary->cgroups };
	const struct task_sum *top[3][REPORT_TASKS];
	unsigned n_tables = summary->has_cgroups ? 3 : 2;
	char title[EVENT_TITLE_MAX];
	size_t n[3] = { 0 };

	for (unsigned i = 0; i < n_tables; i++)
		n[i] = task_sums_top(sums[i], figure, REPORT_TASKS, top[i]);
	if (!n[0])
		return;
	text_printf(out, "<tr>");
	task_heading(out, event_title(sums[0]->figure[figure].event, title));
	task_heading(out, "of processes");
	if (summary->has_cgroups)
		task_heading(out, "of cgroups");
	for (size_t k = 0; k < n[0] || k < n[1] || k < n[2]; k++) {
		text_printf(out, "\n<tr>");
		for (unsigned i = 0; i < n_tables; i++)
			if (k < n[i])
				task_cells(out, sums[i], top[i][k], figure);
			else if (i + 1 < n_tables)
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

static void annotations(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];

	text_printf(out, "<div class=wide><table class=annotations>"
			 "<tr><th scope=col>s<th scope=col><th scope=col>\n");
	for (size_t i = 0; i < summary->n_annotations; i++) {
		const struct annotation *annotation = &summary->annotation[i];

		text_printf(out, "<tr><td>%.3f<td>%s<td>", (double)annotation->t_ns / 1e9,
			    annotation_name(annotation->kind));
		text_html(out, annotation->text);
		text_printf(out, "\n");
	}
	text_printf(out, "</table></div>\n");
	if (summary->n_annotations_more)
		text_printf(out, "<p>and %" PRIu64 " more</p>\n", summary->n_annotations_more);
}

static void sensor_rows(const struct report *report, unsigned session, struct text *out)
{
	const struct summary *summary = report->summary[session];
	const struct sensors *sensors = summary->machine->sensors;

	text_printf(out, "<div class=wide><table><tr><th><th scope=col>mean<th scope=col>min"
			 "<th scope=col>max<th scope=col>\n");
	for (unsigned i = 0; i < sensors->n; i++) {
		const struct distribution *is = &summary->sensor[i];

		if (!is->n) /* never read */
			continue;
		html_text(out, "<tr><th scope=row>", sensors->sensor[i].name, "");
		text_printf(out, "<td>%.2f<td>%.2f<td>%.2f<td>%s\n", is->mean, is->min, is->max,
			    sensor_forms[sensors->sensor[i].kind].unit);
	}
	text_printf(out, "</table></div>\n");
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
	{ "explained", "What explains the cycles per instruction", explained },
	{ "plots", "Over time", plots_place },
	{ "figures", "Figures", tables },
	{ "tasks", "Who had most of it", tasks },
	{ "functions", "In which functions", functions_html },
	{ "sensors", "Power, heat, fans", sensor_rows },
	{ "annotations", "What happened", annotations },
	{ "own", "m1top's own cost", own },
};

static bool has_part(const struct report *report, unsigned session, const struct part *part)
{
	const struct summary *summary = report->summary[session];

	if (part->write == explained)
		return report->explain[session] && report->explain[session]->n;
	if (part->write == functions_html)
		return summary->functions.n > 0;
	return part->write == tasks         ? summary->commands.n_figures > 0
	       : part->write == sensor_rows ? summary->machine->sensors != NULL
					    : part->write != annotations || summary->n_annotations;
}

static void session(const struct report *report, unsigned i, struct text *out)
{
	text_printf(out, "<section id=session-%u>\n", i);
	head(report->summary[i], out);
	for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
		if (!has_part(report, i, &parts[k]))
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
	function_changes_html(is, out);
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
			if (has_part(report, i, &parts[k]))
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
		plots_write(report->summary[i], report->history[i], PLOTS_BYTES / report->n, &json);
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
