#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "tui/counters/rotation.h"
#include "tui/model/event_list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/settings.h"
#include "tui/view/views.h"

static const char ascending[] = " ascending";

/* @return false: no such column on this machine */
static bool settings_parse(const struct model *model, const char *text, struct shown *ret)
{
	uint64_t slot;
	int metric;

	*ret = (struct shown){ .is_hidden = *text == '-' };
	text += ret->is_hidden;
	for (; (int)ret->kind < SHOWN_FIXED; ret->kind++)
		if (strcmp(text, fixed_column[ret->kind].key) == 0)
			return true;
	if (num_parse_u64(text, &slot) == 0) {
		ret->number = (unsigned)slot;
		return slot < COLUMNS_MAX;
	}
	metric = metrics_find(model->metrics, text);
	ret->kind = SHOWN_METRIC;
	ret->number = (unsigned)metric;
	return metric >= 0;
}

static struct label settings_print(const struct model *model, const struct shown *shown)
{
	const char *hidden = shown->is_hidden ? "-" : "";

	if ((int)shown->kind < SHOWN_FIXED)
		return label_printf("%s%s", hidden, fixed_column[shown->kind].key);
	if (shown->kind == SHOWN_SLOT)
		return label_printf("%s%u", hidden, shown->number);
	return label_printf("%s%s", hidden, model->metrics->metric[shown->number].name);
}

/*
 * Apply the columns of Cores and Tasks in their order: fixed ones by key, counters by number, metrics by
 * name; "-" in front hides one. Columns not listed keep their default; those that this
 * machine does not have are skipped.
 */
static void settings_apply_columns(const struct setting_list *list, struct model *model)
{
	static const struct metric_list none;
	struct columns *columns = &model->columns;

	if (!list->n)
		return;
	*columns = (struct columns){ 0 };
	columns_update(columns, 0, &none); /* the fixed ones come first */
	for (size_t i = 0; i < list->n; i++) {
		struct shown shown;

		if (!settings_parse(model, list->item[i], &shown))
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

/* Read back the columns: counters except activity events, and visible metrics. */
static void settings_take_columns(const struct model *model, struct setting_list *ret)
{
	const struct columns *columns = &model->columns;

	setting_list_clear(ret);
	for (unsigned i = 0; i < columns->n; i++) {
		const struct shown *shown = &columns->item[i];

		if (shown->kind == SHOWN_SLOT ? !is_activity(model->set, shown->number)
					      : shown->kind != SHOWN_METRIC || !shown->is_hidden)
			setting_list_add(ret, settings_print(model, shown).text);
	}
}

/* Sort rows by a column: "ipc", "5", "branch_mpki", largest first, or with " ascending" appended
 * smallest first; "": the machine's order. */
static void settings_apply_sort(const char *text, struct model *model)
{
	static const enum order_by by[] = {
		[SHOWN_HEADLINE] = ORDER_HEADLINE, [SHOWN_BAR] = ORDER_BAR,
		[SHOWN_HISTORY] = ORDER_HEADLINE,  [SHOWN_SLOT] = ORDER_SLOT,
		[SHOWN_METRIC] = ORDER_METRIC,
	};
	size_t n = strlen(text), tail = strlen(ascending);
	bool is_ascending = n > tail && strcmp(text + n - tail, ascending) == 0;
	char name[SETTING_TEXT_MAX];
	struct shown shown;

	snprintf(name, sizeof(name), "%.*s", (int)(is_ascending ? n - tail : n), text);
	if (!*name || !settings_parse(model, name, &shown))
		return;
	if (by[shown.kind] == ORDER_HEADLINE && model->primary_metric < 0)
		return;
	model->rows.order = (struct order){ .by = by[shown.kind],
					    .number = shown.number,
					    .is_ascending = is_ascending };
	rows_make(model);
}

/* Read back the order of the rows. */
static void settings_take_sort(const struct model *model, char *ret, size_t size)
{
	static const enum shown_kind kind[] = {
		[ORDER_HEADLINE] = SHOWN_HEADLINE,
		[ORDER_BAR] = SHOWN_BAR,
		[ORDER_SLOT] = SHOWN_SLOT,
		[ORDER_METRIC] = SHOWN_METRIC,
	};
	const struct order *order = &model->rows.order;
	const struct shown shown = { .kind = kind[order->by], .number = order->number };

	ret[0] = '\0';
	if (order->by != ORDER_MACHINE)
		snprintf(ret, size, "%s%s", settings_print(model, &shown).text,
			 order->is_ascending ? ascending : "");
}

static const char all[] = "all", none[] = "none";

static const char *const metric_order_name[N_METRIC_ORDERS] = {
	[METRICS_AS_CHOSEN] = "chosen",
	[METRICS_BY_NAME] = "name",
	[METRICS_BY_ALARM] = "threshold",
};

static const char *const figures_name[N_SHOW] = {
	[SHOW_RATE] = "rate",
	[SHOW_COUNT] = "count",
	[SHOW_PER_KI] = "per-1000-instructions",
};

/* Return the views' names in lower case, as in the configuration. */
static const char *const *view_names(void)
{
	static char lower[N_VIEWS][SETTING_TEXT_MAX];
	static const char *name[N_VIEWS];

	for (unsigned id = 0; id < N_VIEWS; id++) {
		name[id] = lower[id];
		for (unsigned i = 0; view_table[id]->name[i]; i++)
			lower[id][i] = (char)tolower((unsigned char)view_table[id]->name[i]);
	}
	return name;
}

void setting_list_clear(struct setting_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct setting_list){ 0 };
}

void settings_fini(struct settings *settings)
{
	if (!settings)
		return;
	setting_list_clear(&settings->events);
	setting_list_clear(&settings->metrics);
	setting_list_clear(&settings->on);
	setting_list_clear(&settings->columns);
	setting_list_clear(&settings->recent);
	setting_list_clear(&settings->rotate);
}

int setting_list_add(struct setting_list *list, const char *text)
{
	int rc = array_append_text(&list->item, &list->cap, &list->n, text);

	list->failed |= rc != 0;
	return rc;
}

/* @return -1: not found */
static int settings_find(const char *const *names, int n, const char *name)
{
	while (n-- > 0 && strcmp(names[n], name) != 0)
		;
	return n;
}

static int settings_check(const char *const *names, int n, const char *name, struct err *err)
{
	struct text text = { 0 };

	if (settings_find(names, n, name) >= 0)
		return 0;
	for (int i = 0; i < n; i++)
		text_printf(&text, "%s%s", i ? ", " : "must be one of ", names[i]);
	return text_to_err(&text, EINVAL, err);
}

int settings_check_view(const char *name, struct err *err)
{
	return settings_check(view_names(), N_VIEWS, name, err);
}

int settings_check_figures(const char *name, struct err *err)
{
	return settings_check(figures_name, N_SHOW, name, err);
}

int settings_check_order(const char *name, struct err *err)
{
	return settings_check(metric_order_name, N_METRIC_ORDERS, name, err);
}

int settings_check_stay(const char *seconds, struct err *err)
{
	double stay_s;

	if (num_parse_double(seconds, &stay_s) == 0 && stay_s >= ROTATION_MIN_S &&
	    stay_s <= ROTATION_MAX_S)
		return 0;
	return err_set(err, EINVAL, "must be %d to %d seconds", ROTATION_MIN_S, ROTATION_MAX_S);
}

int settings_check_folded(const char *text, struct err *err)
{
	struct cpus clusters;

	if (strcmp(text, all) == 0 || strcmp(text, none) == 0 ||
	    cpus_parse(text, &clusters, NULL) == 0)
		return 0;
	return err_set(err, EINVAL, "must be all, none or numbers of headings such as 0,3-5");
}

/* Tick the presets that this machine has. The others stay in the configuration for other machines. */
static void tick(const struct setting_list *list, struct tui *tui)
{
	for (size_t i = 0; i < list->n; i++) {
		int at = presets_find(&tui->presets, list->item[i]);

		if (at >= 0)
			tui->presets.preset[at].is_ticked = true;
		else
			messages_add(tui->config->messages, MESSAGE_WARNING,
				     "left out of the rotation: no preset \"%s\" here",
				     list->item[i]);
	}
}

static void take_ticked(const struct presets *presets, struct setting_list *ret)
{
	struct setting_list before = *ret;

	*ret = (struct setting_list){ 0 };
	for (unsigned i = 0; i < presets->n; i++)
		if (presets->preset[i].is_ticked)
			setting_list_add(ret, presets->preset[i].known->name);
	for (size_t i = 0; i < before.n; i++)
		if (presets_find(presets, before.item[i]) < 0)
			setting_list_add(ret, before.item[i]);
	setting_list_clear(&before);
}

void settings_apply(const struct settings *settings, struct tui *tui)
{
	int view = settings_find(view_names(), N_VIEWS, settings->view);
	int show = settings_find(figures_name, N_SHOW, settings->figures);
	int order = settings_find(metric_order_name, N_METRIC_ORDERS, settings->metric_order);
	const struct setting_list *recent = &settings->recent;

	if (view >= 0)
		tui_show(tui, (enum view_id)view);
	recents_set(&tui->recents, (const char *const *)recent->item, recent->n);
	settings_apply_columns(&settings->columns, &tui->model);
	settings_apply_sort(settings->sort, &tui->model);
	tick(&settings->rotate, tui);
	if (settings->rotate_s > 0)
		tui->rotation->stay_ns = (uint64_t)(settings->rotate_s * NS_PER_S);
	if (order >= 0)
		tui->metrics->order = (enum metric_order)order;
	if (show >= 0)
		tui->model.show = (enum show)show;
}

void settings_apply_rows(const struct settings *settings, struct tui *tui)
{
	struct cpus clusters;

	if (cpus_parse(settings->folded, &clusters, NULL) < 0)
		rows_fold_all(&tui->model, strcmp(settings->folded, all) == 0);
	else if (*settings->folded)
		rows_fold_as(&tui->model, &clusters);
	rows_filter(&tui->model, settings->filter);
	if (!rows_n_cores(&tui->model))
		rows_filter(&tui->model, "");
}

/* Add an event in the syntax of -e, with the number of its counter if it has one. */
static void take_event(const struct machine *machine, const struct set *set, unsigned slot,
		       struct setting_list *ret)
{
	const struct event *event = set_event(set, slot);
	unsigned counter = set_slot_of(set, slot);
	char text[EVENT_NAME_MAX + 16];

	if (!event || event_is_activity(event)) /* the screen always counts it */
		return;
	if (event->needs_counter && counter < columns_n_counters(machine))
		snprintf(text, sizeof(text), "PMC%u=%s", counter, event->name);
	else
		snprintf(text, sizeof(text), "%s", event->name);
	setting_list_add(ret, text);
}

/* Add a metric, a user-defined one with its expression. */
static void settings_take_metric(const struct metric *metric, struct setting_list *ret)
{
	struct text text = { 0 };

	text_printf(&text, metric->own ? "%s=%s" : "%s", metric->name, metric->expr);
	if (text.failed)
		ret->failed = true;
	else
		setting_list_add(ret, text.bytes);
	text_fini(&text);
}

/* Read back what is counted: metrics, else a preset, else events. */
static void take_counted(const struct model *model, const struct set *set,
			 const struct metric_list *chosen, struct settings *ret)
{
	ret->preset[0] = '\0';
	setting_list_clear(&ret->events);
	setting_list_clear(&ret->metrics);
	for (unsigned i = 0; i < chosen->n; i++)
		settings_take_metric(&model->metrics->metric[chosen->number[i]], &ret->metrics);
	if (!chosen->n)
		snprintf(ret->preset, sizeof(ret->preset), "%s", set->preset);
	for (unsigned slot = 0; !chosen->n && !*set->preset && slot < set->n_slots; slot++)
		take_event(model->machine, set, slot, &ret->events);
}

/* Write the folded clusters or caches: "all" or their numbers; without any, "none" if they are folded by default,
 * else "". */
static void take_folded(const struct model *model, char *ret, size_t size)
{
	struct cpus headings = { 0 };

	for (unsigned i = 0; i < rows_n_headings(model); i++)
		if (rows_is_folded(model, i))
			cpus_add(&headings, i);
	if (cpus_count(&headings) == rows_n_headings(model))
		snprintf(ret, size, "%s", all);
	else if (cpus_count(&headings))
		cpus_format(&headings, ret, size);
	else
		snprintf(ret, size, "%s", rows_begins_folded(model) ? none : "");
}

void settings_take_screen(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;

	ret->interval_s = (double)watch_asked_interval(tui->config->watch) / 1e9;
	snprintf(ret->by, sizeof(ret->by), "%s", frame_by_name(model->by));
	snprintf(ret->view, sizeof(ret->view), "%s", view_names()[tui->view]);
	snprintf(ret->figures, sizeof(ret->figures), "%s", figures_name[model->show]);
	if (tui->theme)
		snprintf(ret->theme, sizeof(ret->theme), "%s", tui->theme->name);
	if (tui->has_set_ascii)
		ret->ascii = draw_is_ascii() ? SETTING_YES : SETTING_NO;
	snprintf(ret->metric_order, sizeof(ret->metric_order), "%s",
		 tui->metrics->order ? metric_order_name[tui->metrics->order] : "");
}

int settings_take_machine(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;
	/* sets of a rotation are not saved; any change after its start would have stopped it */
	const struct change *before =
		tui->rotation->is_on && model->n_undo ? &model->undo[model->n_undo - 1] : NULL;
	const struct set *counted = before ? &before->set : &model->loaded;

	settings_take_sort(model, ret->sort, sizeof(ret->sort));
	take_folded(model, ret->folded, sizeof(ret->folded));
	snprintf(ret->filter, sizeof(ret->filter), "%s", model->rows.filter.text);
	setting_list_clear(&ret->recent);
	for (unsigned i = 0; i < tui->recents.n; i++)
		setting_list_add(&ret->recent, tui->recents.name[i]);
	take_ticked(&tui->presets, &ret->rotate);
	settings_take_columns(model, &ret->columns);
	/* unchanged since the start: the setting stays, even if it is empty */
	if (!set_counts_same(tui->config->first, counted))
		take_counted(model, counted, before ? &before->chosen : &model->chosen, ret);
	return ret->recent.failed || ret->rotate.failed || ret->columns.failed ||
			       ret->events.failed || ret->metrics.failed
		       ? -ENOMEM
		       : 0;
}
