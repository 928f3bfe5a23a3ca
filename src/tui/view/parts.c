#include "tui/view/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/counters/assign.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/view/views.h"

static const struct metric *metric_in(const struct tui *tui, unsigned at)
{
	return &tui->model.metrics->metric[tui->metrics->list.number[at]];
}

/* List the metrics that divide one. @type  -1: on any core type */
static struct metric_list parts_of(const struct tui *tui, const struct metric *whole, int type)
{
	const struct metrics *metrics = tui->model.metrics;
	struct metric_list list = { 0 };

	for (unsigned i = 0; i < metrics->n; i++)
		if (metric_divides(&metrics->metric[i], whole, type))
			metric_list_add(&list, i);
	return list;
}

static bool divides_some(const struct metrics *metrics, const struct metric *part)
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (metric_divides(part, &metrics->metric[i], -1))
			return true;
	return false;
}

/* Whether parts of this machine have parts of their own. */
static bool has_levels(const struct metrics *metrics)
{
	for (unsigned i = 0; i < metrics->n; i++)
		if (divides_some(metrics, &metrics->metric[i]))
			return true;
	return false;
}

bool parts_has(const struct tui *tui, unsigned at)
{
	const struct metric *metric = metric_in(tui, at);

	return metric_first_level(metric) || divides_some(tui->model.metrics, metric);
}

/* ---- what is counted ---- */

/* Count the parts beside what was counted before, or that alone if there are none. @return 0 or -errno, with the reason
 * in the status line */
static int count_parts(struct tui *tui, const struct opened_parts *opened, const char **ret_suffix)
{
	struct change next = { .set = opened->set, .chosen = opened->chosen };
	struct metric_list list;
	struct err err = { 0 };
	int rc = metric_list_of_set(tui->model.metrics, &opened->set, &opened->chosen, &list);

	list.n = list.n_leading;
	for (unsigned i = 0; i < opened->parts.n; i++)
		metric_list_add(&list, opened->parts.number[i]);
	if (!rc && opened->parts.n) {
		rc = assign_plan(tui, &list, &opened->set, &next, &err);
		next.opened = *opened;
	}
	if (!rc)
		return assign_change(tui, &next, ret_suffix);
	tui_refuse(tui, &err);
	return rc;
}

void parts_open(struct tui *tui, unsigned at)
{
	const struct metric *metric = metric_in(tui, at);
	struct opened_parts opened = tui->model.opened;
	struct metric_list all = parts_of(tui, metric, -1), parts = { 0 };
	struct err why = { "" };
	const char *suffix;
	char what[96];

	for (unsigned i = 0; i < all.n; i++) {
		const struct metric_list one = { .n = 1, .number = { all.number[i] } };
		struct change unused;

		if (assign_plan(tui, &one, NULL, &unused, &why) == 0)
			metric_list_add(&parts, all.number[i]);
	}
	if (!all.n)
		tui_say(tui, ROLE_WARN, "%s has no parts: %s", metric->name,
			has_levels(tui->model.metrics) ? "it is of the last level"
						       : "those of this processor have one level");
	else if (!parts.n)
		tui_refuse(tui, &why);
	if (!parts.n)
		return;
	if (!opened.parts.n)
		opened = (struct opened_parts){ .set = *tui->model.set,
						.chosen = tui->model.chosen };
	for (unsigned i = 0; i < parts.n; i++)
		metric_list_add(&opened.parts, parts.number[i]);
	if (count_parts(tui, &opened, &suffix) < 0)
		return;
	if (*why.text)
		messages_add(tui->config->messages, MESSAGE_NOTE, "%s", why.text);
	snprintf(what, sizeof(what), "%u of %u parts of %s", parts.n, all.n, metric->name);
	assign_say(tui, what, suffix);
}

bool parts_is_open(const struct tui *tui, unsigned at)
{
	const struct metrics_view *view = tui->metrics;
	bool is_open = false;

	for (unsigned i = at + 1; i < view->list.n && view->depth[i] > view->depth[at]; i++)
		is_open |= metric_list_has(&tui->model.opened.parts, view->list.number[i]);
	return is_open;
}

void parts_close(struct tui *tui, unsigned at)
{
	const struct metrics_view *view = tui->metrics;
	const char *name = metric_in(tui, at)->name, *suffix;
	struct opened_parts opened = tui->model.opened;

	for (unsigned i = at + 1; i < view->list.n && view->depth[i] > view->depth[at]; i++)
		metric_list_remove(&opened.parts, view->list.number[i]);
	if (count_parts(tui, &opened, &suffix) == 0)
		tui_say(tui, ROLE_TEXT, "%s is closed%s", name, suffix);
}

/* ---- the line with the way taken ---- */

/* Return the row whose parts are listed: `at` itself, else the one that it divides. @return -1: none */
static int whole_row(const struct tui *tui, unsigned at)
{
	const struct metrics_view *view = tui->metrics;

	if (at + 1 < view->list.n && view->depth[at + 1] > view->depth[at])
		return (int)at;
	return at < view->list.n ? metric_list_above(view->depth, at) : -1;
}

/* Format "TopdownL1 > backend_bound > memory_bound", without the prefix of Intel's names. */
static void way_text(const struct tui *tui, unsigned at, struct text *ret)
{
	const struct metric *metric = metric_in(tui, at);
	const char *level = metric_first_level(metric);
	int above = metric_list_above(tui->metrics->depth, at);

	if (above >= 0)
		way_text(tui, (unsigned)above, ret);
	else if (level)
		text_string(ret, level);
	text_printf(ret, "%s%s", ret->n ? " > " : "",
		    metric->name + (strncmp(metric->name, "tma_", 4) ? 0 : 4));
}

/* Sum of the parts that divide one. */
struct parts_sum {
	struct reading sum;
	double less; /* the one that they divide, without the sum */
	unsigned n;  /* parts with a value */
};

static struct parts_sum sum_of(const struct metrics_bound *bound, const struct reading *metric,
			       const struct metric_list *parts, unsigned whole)
{
	struct parts_sum ret = { .sum = { .quality = QUALITY_NONE } };
	int column = metrics_column(bound, (int)whole);

	ret.less = column < 0 ? 0 : metric[column].value;
	for (unsigned i = 0; i < parts->n; i++) {
		column = metrics_column(bound, parts->number[i]);
		if (column < 0 || !quality_has_value(metric[column].quality))
			continue;
		ret.sum.quality = quality_worst(ret.sum.quality, metric[column].quality);
		ret.sum.value += metric[column].value;
		ret.less -= metric[column].value;
		ret.n++;
	}
	return ret;
}

/* Compute the error of sum and whole together, as if the estimates of their inputs were independent. @return 0: exact, or
 * unknown */
static double error_of(const struct model *model, const struct frame_row *row,
		       const struct metric_list *parts, unsigned whole)
{
	double less = sum_of(row->bound, row->metric, parts, whole).less, error = 0;
	struct reading metric[METRICS_BOUND_MAX];
	struct count moved[COLUMNS_MAX];

	memcpy(moved, row->count, row->bound->n_slots * sizeof(*moved));
	for (unsigned i = 0; i < row->bound->n_slots; i++) {
		if (!(moved[i].error > 0))
			continue;
		moved[i].extra += moved[i].error;
		metrics_eval(model->metrics, row->bound, row->type, moved, metric);
		error = hypot(error, sum_of(row->bound, metric, parts, whole).less - less);
		moved[i] = row->count[i];
	}
	return isfinite(error) ? error : 0;
}

/* Format "P cores: 2 of 2 parts 39.9 of 40.0 ±0.3". */
static void sum_text(const struct tui *tui, const struct line *line, unsigned at, struct text *ret)
{
	const struct model *model = &tui->model;
	unsigned whole = tui->metrics->list.number[at], decimals;
	struct metric_list parts;
	struct frame_row row;
	struct reading of;

	if (!model_row(model, line, &row))
		return;
	of = model_metric_cell(model, &row, whole);
	if (!quality_has_value(of.quality))
		return;
	decimals = figure_decimals(of.value);
	parts = parts_of(tui, metric_in(tui, at), (int)row.type);

	struct parts_sum sum = sum_of(row.bound, row.metric, &parts, whole);
	double error = error_of(model, &row, &parts, whole);

	text_printf(ret, "%s: %u of %u parts %s of %s", name_row(model, line, false).text, sum.n,
		    parts.n, figure_metric(sum.sum, decimals, 8).text,
		    figure_metric(of, decimals, 8).text);
	if (error > 0)
		text_printf(ret, " ±%s",
			    figure_metric((struct reading){ error, QUALITY_OK }, decimals, 8).text);
}

int parts_draw(const struct tui *tui, const struct line *line, int y)
{
	const struct metrics_view *view = tui->metrics;
	AUTO_TEXT struct text way = { 0 }, sum = { 0 };
	int n = 0, open = whole_row(tui, view->metric.at), end = COLS - 1;

	for (unsigned i = 0; i < view->list.n; i++)
		n |= view->depth[i] > 0;
	if (y < 0 || !n || view->metric.at >= view->list.n || !parts_has(tui, view->metric.at))
		return n;
	if (open >= 0)
		sum_text(tui, line, (unsigned)open, &sum);
	if (!sum.failed && sum.n)
		end -= draw_right(y, 1, end - 1, ROLE_TOTAL, sum.bytes) + 2;
	way_text(tui, view->metric.at, &way);
	if (!way.failed)
		draw_tail(y, 1, end - 1, ROLE_KEY, way.bytes);
	return n;
}
