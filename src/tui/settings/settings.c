#include "tui/settings.h"

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
#include "tui/settings_columns.h"
#include "tui/settings_rows.h"
#include "tui/state.h"
#include "tui/walk.h"

static const char *const figures_name[N_SHOW] = {
	[SHOW_RATE] = "rate",
	[SHOW_COUNT] = "count",
	[SHOW_PER_KI] = "per-1000-instructions",
};

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
	setting_list_clear(&settings->columns);
	setting_list_clear(&settings->recent);
	setting_list_clear(&settings->rotate);
}

int setting_list_add(struct setting_list *list, const char *text)
{
	char *copy = strdup(text);

	if (!copy || array_reserve((void **)&list->item, &list->cap, list->n, sizeof(copy)) < 0) {
		free(copy);
		return -ENOMEM;
	}
	list->item[list->n++] = copy;
	return 0;
}

/* A view goes by its name in lower case. */
static const char *view_name(const struct view *view, char *buf, size_t size)
{
	snprintf(buf, size, "%s", view->name);
	for (char *at = buf; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return buf;
}

static const struct view *find_view(const char *name)
{
	char buf[32];

	for (const struct view *const *view = view_table; *view; view++)
		if (strcmp(view_name(*view, buf, sizeof(buf)), name) == 0)
			return *view;
	return NULL;
}

int settings_check_view(const char *name, struct err *err)
{
	struct text names = { 0 };
	char buf[32];
	int rc;

	if (find_view(name))
		return 0;
	for (const struct view *const *view = view_table; *view; view++)
		text_printf(&names, "%s%s", view == view_table ? "" : ", ",
			    view_name(*view, buf, sizeof(buf)));
	rc = err_set(err, EINVAL, "must be one of %s", names.failed ? "?" : names.bytes);
	text_fini(&names);
	return rc;
}

static int find_figures(const char *name)
{
	for (int show = 0; show < N_SHOW; show++)
		if (strcmp(figures_name[show], name) == 0)
			return show;
	return -1;
}

int settings_check_figures(const char *name, struct err *err)
{
	if (find_figures(name) >= 0)
		return 0;
	return err_set(err, EINVAL, "must be one of %s, %s, %s", figures_name[SHOW_RATE],
		       figures_name[SHOW_COUNT], figures_name[SHOW_PER_KI]);
}

int settings_check_order(const char *name, struct err *err)
{
	if (metrics_order_find(name) >= 0)
		return 0;
	return err_set(err, EINVAL, "must be one of %s, %s, %s",
		       metrics_order_name(METRICS_AS_CHOSEN), metrics_order_name(METRICS_BY_NAME),
		       metrics_order_name(METRICS_BY_ALARM));
}

int settings_check_stay(const char *seconds, struct err *err)
{
	double stay_s;

	if (num_parse_double(seconds, &stay_s) == 0 && stay_s >= ROTATION_MIN_S &&
	    stay_s <= ROTATION_MAX_S)
		return 0;
	return err_set(err, EINVAL, "must be %d to %d seconds", ROTATION_MIN_S, ROTATION_MAX_S);
}

/* Those that this machine has. Another may have the others: they stay in the configuration. */
static void tick(const struct setting_list *list, struct tui *tui)
{
	for (size_t i = 0; i < list->n; i++) {
		int at = presets_find(&tui->presets, list->item[i]);

		if (at >= 0)
			tui->presets.preset[at].is_ticked = true;
		else
			messages_add(tui->config->messages, MESSAGE_WARNING,
				     "left out of the rotation: there is no preset \"%s\" here",
				     list->item[i]);
	}
}

static int take_ticked(const struct presets *presets, struct setting_list *ret)
{
	struct setting_list before = *ret;
	int rc = 0;

	*ret = (struct setting_list){ 0 };
	for (unsigned i = 0; i < presets->n && !rc; i++)
		if (presets->preset[i].is_ticked)
			rc = setting_list_add(ret, presets->preset[i].known->name);
	for (size_t i = 0; i < before.n && !rc; i++)
		if (presets_find(presets, before.item[i]) < 0)
			rc = setting_list_add(ret, before.item[i]);
	setting_list_clear(&before);
	return rc;
}

void settings_apply(const struct settings *settings, struct tui *tui)
{
	const struct view *view = find_view(settings->view);
	int show = find_figures(settings->figures);

	const struct setting_list *recent = &settings->recent;

	if (view)
		tui_show(tui, view);
	recents_set(&tui->recents, (const char *const *)recent->item, recent->n);
	settings_apply_columns(&settings->columns, &tui->model);
	settings_apply_sort(settings->sort, &tui->model);
	tick(&settings->rotate, tui);
	if (settings->rotate_s > 0)
		tui->rotation.stay_ns = (uint64_t)(settings->rotate_s * NS_PER_S);
	if (*settings->metric_order)
		tui->metrics.order = (enum metric_order)metrics_order_find(settings->metric_order);
	if (show >= 0)
		tui->model.show = (enum show)show;
}

void settings_apply_rows(const struct settings *settings, struct tui *tui)
{
	settings_apply_folded(settings->folded, &tui->model);
	settings_apply_filter(settings->filter, &tui->model);
}

/* Where its columns are the counters of some type, an event keeps its own. */
static bool is_counter(const struct machine *machine, unsigned slot)
{
	for (unsigned type = 0; type < machine->n_types; type++)
		if (slot < machine->type[type].n_counters)
			return true;
	return false;
}

/* An event as -e takes it. */
static int take_event(const struct machine *machine, const struct set *set, unsigned slot,
		      struct setting_list *ret)
{
	const struct event *event = set_event(set, slot);
	unsigned counter = set_slot_of(set, slot);
	char text[EVENT_NAME_MAX + 16];

	if (!event)
		return 0;
	if (event->needs_counter && is_counter(machine, counter))
		snprintf(text, sizeof(text), "PMC%u=%s", counter, event->name);
	else
		snprintf(text, sizeof(text), "%s", event->name);
	return setting_list_add(ret, text);
}

/* A metric of one's own takes its expression along. */
static int take_metric(const struct metric *metric, struct setting_list *ret)
{
	struct text text = { 0 };
	int rc;

	text_printf(&text, metric->own ? "%s=%s" : "%s", metric->name, metric->expr);
	rc = text.failed ? -ENOMEM : setting_list_add(ret, text.bytes);
	text_fini(&text);
	return rc;
}

/* What is counted: a preset, or metrics, or else events. */
static int take_counted(const struct model *model, const struct set *set,
			const struct metric_list *chosen, struct settings *ret)
{
	int rc = 0;

	ret->preset[0] = '\0';
	setting_list_clear(&ret->events);
	setting_list_clear(&ret->metrics);
	for (unsigned i = 0; i < chosen->n && !rc; i++)
		rc = take_metric(&model->metrics->metric[chosen->number[i]], &ret->metrics);
	if (chosen->n)
		return rc;
	if (*set->preset) {
		snprintf(ret->preset, sizeof(ret->preset), "%s", set->preset);
		return 0;
	}
	for (unsigned slot = 0; slot < set->n_slots && !rc; slot++)
		rc = take_event(model->machine, set, slot, &ret->events);
	return rc;
}

static int take_recent(const struct recents *recents, struct setting_list *ret)
{
	int rc = 0;

	setting_list_clear(ret);
	for (unsigned i = 0; i < recents->n && !rc; i++)
		rc = setting_list_add(ret, recents->name[i]);
	return rc;
}

int settings_take(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;
	const struct change *before = rotation_before(tui); /* whose sets nobody chose */
	const struct set *counted = before              ? &before->set
				    : walk_is_on(model) ? model->live_set
							: model->set;

	ret->interval_s = (double)sampler_interval(tui->config->sampler) / 1e9;
	snprintf(ret->by, sizeof(ret->by), "%s", frame_by_name[model->by]);
	view_name(tui->view, ret->view, sizeof(ret->view));
	snprintf(ret->figures, sizeof(ret->figures), "%s", figures_name[model->show]);
	settings_take_sort(model, ret->sort, sizeof(ret->sort));
	settings_take_folded(model, ret->folded, sizeof(ret->folded));
	snprintf(ret->filter, sizeof(ret->filter), "%s", model->rows.filter.text);
	snprintf(ret->metric_order, sizeof(ret->metric_order), "%s",
		 tui->metrics.order ? metrics_order_name(tui->metrics.order) : "");
	if (take_recent(&tui->recents, &ret->recent) < 0 ||
	    take_ticked(&tui->presets, &ret->rotate) < 0 ||
	    settings_take_columns(model, &ret->columns) < 0)
		return -ENOMEM;
	/* nobody has asked for anything else: so it stays, be it nothing */
	if (set_counts_same(tui->config->first, counted))
		return 0;
	return take_counted(model, counted, before ? &before->chosen : &model->chosen, ret);
}
