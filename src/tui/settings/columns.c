#include "tui/settings/columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "tui/model/model.h"

static const char *const fixed[SHOWN_FIXED] = {
	[SHOWN_HEADLINE] = "ipc",
	[SHOWN_BAR] = "bar",
	[SHOWN_HISTORY] = "history",
	[SHOWN_TASK] = "task",
};

static const char ascending[] = " ascending";

/* @return false: there is no such column on this machine */
static bool parse(const struct model *model, const char *text, struct shown *ret)
{
	struct shown shown = { .is_hidden = *text == '-' };
	uint64_t slot;

	text += shown.is_hidden;
	for (int kind = 0; kind < SHOWN_FIXED; kind++)
		if (strcmp(text, fixed[kind]) == 0) {
			shown.kind = (enum shown_kind)kind;
			*ret = shown;
			return true;
		}
	if (num_parse_u64(text, &slot) == 0) {
		shown.kind = SHOWN_SLOT;
		shown.number = (unsigned)slot;
		*ret = shown;
		return slot < COLUMNS_MAX;
	}

	int metric = metrics_find(model->metrics, text);

	shown.kind = SHOWN_METRIC;
	shown.number = (unsigned)metric;
	*ret = shown;
	return metric >= 0;
}

static const char *print(const struct model *model, const struct shown *shown, char *buf,
			 size_t size)
{
	const char *hidden = shown->is_hidden ? "-" : "";

	if ((int)shown->kind < SHOWN_FIXED)
		snprintf(buf, size, "%s%s", hidden, fixed[shown->kind]);
	else if (shown->kind == SHOWN_SLOT)
		snprintf(buf, size, "%s%u", hidden, shown->number);
	else
		snprintf(buf, size, "%s%s", hidden, model->metrics->metric[shown->number].name);
	return buf;
}

void settings_apply_columns(const struct setting_list *list, struct model *model)
{
	static const struct metric_list none;
	struct columns *columns = &model->columns;

	if (!list->n)
		return;
	*columns = (struct columns){ 0 };
	columns_update(columns, 0, &none); /* the fixed ones stand first */
	for (size_t i = 0; i < list->n; i++) {
		struct shown shown;

		if (!parse(model, list->item[i], &shown))
			continue;

		int at = columns_find(columns, shown.kind, shown.number);

		if (at >= 0)
			columns->item[at].is_hidden = shown.is_hidden;
		else if (columns->n < SHOWN_MAX)
			columns->item[columns->n++] = shown;
	}
	columns_update(columns, model_n_slots(model), &model->metric);
}

static bool is_activity(const struct set *set, unsigned slot)
{
	const struct event *event = set_event(set, slot);

	return event && event_is_activity(event);
}

void settings_take_columns(const struct model *model, struct setting_list *ret)
{
	const struct columns *columns = &model->columns;
	char text[128];

	setting_list_clear(ret);
	for (unsigned i = 0; i < columns->n; i++) {
		const struct shown *shown = &columns->item[i];

		if (shown->kind == SHOWN_SLOT ? !is_activity(model->set, shown->number)
					      : shown->kind != SHOWN_METRIC || !shown->is_hidden)
			setting_list_add(ret, print(model, shown, text, sizeof(text)));
	}
}

void settings_apply_sort(const char *text, struct model *model)
{
	static const enum order_by by[] = {
		[SHOWN_HEADLINE] = ORDER_HEADLINE, [SHOWN_BAR] = ORDER_HEADLINE,
		[SHOWN_HISTORY] = ORDER_HEADLINE,  [SHOWN_SLOT] = ORDER_SLOT,
		[SHOWN_METRIC] = ORDER_METRIC,
	};
	size_t n = strlen(text), tail = strlen(ascending);
	bool is_ascending = n > tail && strcmp(text + n - tail, ascending) == 0;
	char name[SETTING_TEXT_MAX];
	struct shown shown;

	snprintf(name, sizeof(name), "%.*s", (int)(is_ascending ? n - tail : n), text);
	if (!*name || !parse(model, name, &shown))
		return;
	if (by[shown.kind] == ORDER_HEADLINE && model->primary_metric < 0)
		return;
	model->rows.order = (struct order){ .by = by[shown.kind],
					    .number = shown.number,
					    .is_ascending = is_ascending };
	rows_make(model);
}

void settings_take_sort(const struct model *model, char *ret, size_t size)
{
	static const enum shown_kind kind[] = {
		[ORDER_HEADLINE] = SHOWN_HEADLINE,
		[ORDER_SLOT] = SHOWN_SLOT,
		[ORDER_METRIC] = SHOWN_METRIC,
	};
	const struct order *order = &model->rows.order;
	const struct shown shown = { .kind = kind[order->by], .number = order->number };
	char text[128];

	ret[0] = '\0';
	if (order->by != ORDER_MACHINE)
		snprintf(ret, size, "%s%s", print(model, &shown, text, sizeof(text)),
			 order->is_ascending ? ascending : "");
}
