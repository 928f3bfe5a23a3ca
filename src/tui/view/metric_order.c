/* metric_order.c: in which order the Metrics view has its rows */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"
#include "tui/view/metrics_view.h"

struct ranked_metric {
	uint16_t number;
	enum metric_alarm alarm; /* the worst of all columns */
	const char *name;
	unsigned before; /* equal ones stay as they are */
};

static int by_name(const void *one, const void *other)
{
	const struct ranked_metric *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : a->before < b->before ? -1 : 1;
}

static int by_alarm(const void *one, const void *other)
{
	const struct ranked_metric *a = one, *b = other;

	if (a->alarm != b->alarm)
		return a->alarm > b->alarm ? -1 : 1;
	return a->before < b->before ? -1 : 1;
}

static const struct {
	int (*compare)(const void *one, const void *other); /* NULL: as they are */
	const char *said;
} orders[N_METRIC_ORDERS] = {
	[METRICS_AS_CHOSEN] = { NULL, "metrics in the order chosen" },
	[METRICS_BY_NAME] = { by_name, "metrics by name" },
	[METRICS_BY_ALARM] = { by_alarm, "metrics beyond a threshold first" },
};

static void judge_line(const struct model *model, const struct line *line,
		       struct ranked_metric *ranked, unsigned n)
{
	struct frame_row row;

	if (!model_row(model, line, &row) || row.state == CORE_OFF)
		return;
	for (unsigned i = 0; i < n; i++) {
		enum metric_alarm alarm = ALARM_UNKNOWN;

		if (metrics_column(row.bound, ranked[i].number) >= 0)
			alarm = metrics_judge(model->metrics, row.bound, ranked[i].number, row.type,
					      row.count);
		ranked[i].alarm = alarm > ranked[i].alarm ? alarm : ranked[i].alarm;
	}
}

static void judge(const struct model *model, struct ranked_metric *ranked, unsigned n)
{
	for (unsigned type = 0; type < model->machine->n_types; type++)
		judge_line(model, &(struct line){ .by = BY_TYPE, .index = type }, ranked, n);
	for (unsigned i = 0; i < model->n_lines; i++)
		judge_line(model, &model->line[i], ranked, n);
}

static void sort(const struct model *model, enum metric_order order, struct metric_list *list)
{
	struct ranked_metric ranked[METRICS_BOUND_MAX];

	for (unsigned i = 0; i < list->n; i++)
		ranked[i] = (struct ranked_metric){
			.number = list->number[i],
			.alarm = ALARM_UNKNOWN,
			.name = model->metrics->metric[list->number[i]].name,
			.before = i
		};
	if (order == METRICS_BY_ALARM)
		judge(model, ranked, list->n);
	qsort(ranked, list->n, sizeof(*ranked), orders[order].compare);
	list->n_leading = 0;
	for (unsigned i = 0; i < list->n; i++) {
		list->number[i] = ranked[i].number;
		list->n_leading += ranked[i].alarm == ALARM_BEYOND;
	}
}

static bool is_same(const struct metric_list *a, const struct metric_list *b)
{
	return a->n == b->n && a->n_leading == b->n_leading &&
	       memcmp(a->number, b->number, a->n * sizeof(*a->number)) == 0;
}

/* Rows that go by their figures are sorted again once a second. */
static bool is_due(const struct tui *tui)
{
	const struct metrics_view *view = tui->metrics;
	const struct frame *frame = tui->model.shown;

	if (!is_same(&view->of, &tui->model.metric) || view->order != view->ordered_by)
		return true;
	if (view->order != METRICS_BY_ALARM || !frame || frame->t_ns == view->ordered_ns)
		return false;
	return tui->model.frozen || frame->t_ns < view->ordered_ns ||
	       frame->t_ns - view->ordered_ns >= NS_PER_S;
}

void metrics_follow(struct tui *tui)
{
	struct metrics_view *view = tui->metrics;
	struct metric_list list = tui->model.metric;

	if (!is_due(tui))
		return;
	view->of = list;
	view->ordered_by = view->order;
	view->ordered_ns = tui->model.shown ? tui->model.shown->t_ns : 0;
	if (orders[view->order].compare)
		sort(&tui->model, view->order, &list);
	/* who looks at the first one wants to see which one that is */
	for (unsigned i = 0; view->metric.at && i < list.n; i++) {
		if (list.number[i] != view->list.number[view->metric.at])
			continue;
		view->metric.at = i;
		break;
	}
	view->list = list;
}

void metrics_act_order(struct tui *tui, int key)
{
	struct metrics_view *view = tui->metrics;

	(void)key;
	view->order = (view->order + 1) % N_METRIC_ORDERS;
	view->metric = (struct cursor){ 0 };
	metrics_follow(tui);
	tui_say(tui, ROLE_TEXT, "%s", orders[view->order].said);
}
