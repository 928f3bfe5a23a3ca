/* html.c: the report as a page: its JSON, the data of the plots, and the script that draws both */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "session/report/report.h"

/* ---- data of the plots ---- */

enum { PACKED_BYTES = 3 }; /* digits of a number */

/* Append numbers as 18 bits each, in base64: 0: none, 1 … 2^18 - 1: from low to high. @value  NaN: none */
static void json_packed(const struct json *json, const char *name, const double *value, size_t n,
			double low, double high)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	json_next(json, name);
	text_add(json->out, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		double share = high > low ? (value[i] - low) / (high - low) : 0;
		unsigned is = !isfinite(value[i])
				      ? 0
				      : (unsigned)(1.5 + fmin(fmax(share, 0), 1) * 262142);
		const char three[] = { digits[is >> 12], digits[is >> 6 & 63], digits[is & 63] };

		text_add(json->out, three, sizeof(three));
	}
	text_add(json->out, "\"", 1);
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
	size_t figure = report_figure_then(then, &stacks->sums->figure[stack->figure]);
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

static void fill_stacks(const struct task_sums *then, size_t cell, void *data)
{
	const struct stacks *stacks = data;

	for (size_t i = 0; i < stacks->n; i++)
		fill_stack(stacks, &stacks->stack[i], then, cell);
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

	if (!rc && stacks.n)
		rc = report_commands_over_time(history, summary->machine, fill_stacks, &stacks);
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
	bool has_ranges;  /* some cells have several intervals */
	double *value[3]; /* of a series: minimum, mean, maximum; NaN: none */
};

/* ---- selection ---- */

/* @n_before  number of metrics before it in the row */
static bool has_series(const struct plots *plots, const struct summary_row *row,
		       const struct summary_figure *figure, unsigned n_before)
{
	if (figure->nth || !summary_figure_is_counted(figure) ||
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

/* ---- series ---- */

static void write_series(const struct plots *plots, const struct summary_row *row,
			 const struct summary_figure *figure, const struct json *json)
{
	const struct history_query query = { .by = row->by,
					     .index = row->index,
					     .event = figure->event,
					     .metric = figure->event ? -1 : (int)figure->metric };
	double scale = figure->event ? figure->event->scale : 1, low = INFINITY, high = -INFINITY;
	size_t n = history_n(plots->history);
	char name[EVENT_NAME_MAX + 4];

	for (size_t i = 0; i < n; i++) {
		struct history_value value = history_value(plots->history, i, &query);
		double one = quality_has_value(value.quality) ? scale : NAN;

		low = fmin(low, plots->value[0][i] = value.min * one);
		plots->value[1][i] = value.mean * one;
		high = fmax(high, plots->value[2][i] = value.max * one);
	}
	if (!isfinite(low) || !isfinite(high))
		return;
	json_begin(json, NULL, "\n{");
	json_text(json, "by", frame_by_name(row->by));
	json_text(json, "row", row->name);
	json_text(json, "name", summary_figure_name(plots->summary, figure, name, sizeof(name)));
	json_u64(json, "rate", figure->event != NULL);
	json_text(json, "unit", summary_figure_unit(plots->summary, figure));
	json_number(json, "low", 9, low);
	json_number(json, "high", 9, high);
	json_packed(json, "mean", plots->value[1], n, low, high);
	if (row_has_ranges(plots, row)) {
		json_packed(json, "min", plots->value[0], n, low, high);
		json_packed(json, "max", plots->value[2], n, low, high);
	}
	json_end(json, "}");
}

/* Write the series of the rows that tables have without --by, because a heat map needs cores.
 * @json  NULL: only calculate their size  @return it, bytes */
static size_t put_series(const struct plots *plots, const struct json *json)
{
	size_t size = 0;

	for (size_t i = 0; i < plots->summary->n_rows; i++) {
		const struct summary_row *row = &plots->summary->row[i];
		size_t n_tracks = row_has_ranges(plots, row) ? 3 : 1;
		unsigned n_metrics = 0;

		if (row->by == BY_DEVICE || !report_has_level(plots->summary, row->by))
			continue;
		for (size_t k = 0; k < row->n; k++) {
			bool has = has_series(plots, row, &row->figure[k], n_metrics);

			if (has && json)
				write_series(plots, row, &row->figure[k], json);
			size += has ? history_n(plots->history) * n_tracks * PACKED_BYTES + 160 : 0;
			n_metrics += !row->figure[k].event;
		}
	}
	return size;
}

static size_t plots_size_of(struct plots *plots)
{
	plots->has_ranges = false;
	for (size_t i = 0; i < history_n(plots->history); i++)
		plots->has_ranges |= history_bucket(plots->history, i)->n_frames > 1;
	return put_series(plots, NULL);
}

/* Choose the parts of the plots, and merge cells, until the size fits. */
static void choose_detail(struct plots *plots, size_t max_bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		size_t fewest = i + 1 < ARRAY_SIZE(details) ? CELLS_FEW : CELLS_FEWEST;

		plots->detail = details[i];
		while (history_n(plots->history) > fewest && plots_size_of(plots) > max_bytes)
			history_thin(plots->history);
		if (plots_size_of(plots) <= max_bytes)
			return;
	}
}

/* ---- a session ---- */

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

/*
 * Write one session's figures over time: minimum, mean and maximum of each stretch, as base64 of 18 bits relative to
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
	AUTO_FREE double *value = NULL;
	size_t n, stacks_bytes = summary->commands.n_figures ? max_bytes / 5 : 0;

	choose_detail(&plots, max_bytes - stacks_bytes);
	json_begin(json, NULL, "{");
	n = history_n(history);
	value = calloc(3 * n + 1, sizeof(*value));
	json->out->failed |= !value;
	for (unsigned i = 0; i < 3; i++)
		plots.value[i] = value + i * n;
	times(&plots, json);
	json_begin(json, "series", "[");
	if (value)
		put_series(&plots, json);
	json_end(json, "]");
	report_stacks(summary, history, stacks_bytes, json);
	json_end(json, "}");
}

/* Files built into the program; each ends with a NUL. */
extern const char asset_uplot_js[], asset_uplot_css[], asset_uplot_license[];
extern const char asset_page_js[], asset_page_css[];

/* Size that the page's data should have together, and least size of the plots' part. */
enum { DATA_BYTES = 4500 * 1000, PLOTS_BYTES = 1500 * 1000, PLOTS_MOST = 3500 * 1000 };

/* ---- the page ---- */

/* Write data for the script. '<' could end its element, and is escaped. */
static void put_data(const char *id, const struct text *data, struct text *out)
{
	out->failed |= data->failed;
	text_printf(out, "<script type=\"application/json\" id=%s>", id);
	for (size_t i = 0, n; !data->failed && i < data->n; i += n + 1) {
		const char *end = memchr(data->bytes + i, '<', data->n - i);

		n = end ? (size_t)(end - data->bytes) - i : data->n - i;
		text_add(out, data->bytes + i, n);
		if (end)
			text_printf(out, "\\u003c");
	}
	text_printf(out, "</script>\n");
}

/* Write the figures, then as much of the plots as the page's size allows. */
static void put_all_data(const struct report *report, struct text *out)
{
	AUTO_TEXT struct text figures = { 0 }, plots = { 0 };
	const struct json json = { &plots, "", ":" };

	report_json(report, &figures);
	put_data("report", &figures, out);

	size_t max = DATA_BYTES - PLOTS_BYTES > figures.n ? DATA_BYTES - figures.n : PLOTS_BYTES;

	max = max < PLOTS_MOST ? max : PLOTS_MOST;
	json_begin(&json, NULL, "[");
	for (unsigned i = 0; i < report->n; i++)
		plots_write(report->summary[i], report->history[i], max / report->n, &json);
	json_end(&json, "]");
	put_data("plots", &plots, out);
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
	text_html(out, report_title(report, 0));
	text_printf(out, " – m1top</title>\n<!-- uPlot:\n%s-->\n", asset_uplot_license);
	asset(out, "style", nonce, asset_uplot_css);
	asset(out, "style", nonce, asset_page_css);
	text_printf(out,
		    "</head>\n<body>\n<main>\n<noscript><p>This page needs JavaScript: use m1top "
		    "report -j for its figures.</p></noscript>\n</main>\n"
		    "<footer>m1top " M1TOP_VERSION "</footer>\n");
}

/* Write an explanation that the script puts below its table. */
static void put_note(const char *id, const char *note, struct text *out)
{
	text_printf(out, "<template id=%s><p class=note>", id);
	text_html(out, note);
	text_printf(out, "</p></template>\n");
}

int report_html(const struct report *report, struct text *out, struct err *err)
{
	char nonce[33] = "";
	int rc = make_nonce(nonce, sizeof(nonce), err);

	if (rc)
		return rc;
	page_head(report, nonce, out);
	put_note("explained", report_explained_note, out);
	put_note("verdicts", report_verdicts, out);
	put_all_data(report, out);
	asset(out, "script", nonce, asset_uplot_js);
	asset(out, "script", nonce, asset_page_js);
	text_printf(out, "</body>\n</html>\n");
	return 0;
}
