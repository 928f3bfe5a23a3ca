#include "tui/settings/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "tui/settings/columns.h"
#include "tui/counting/rotation.h"
#include "tui/screen/state.h"
#include "tui/view/metrics_view.h"
#include "tui/view/table.h"
#include "tui/model/event_list.h"
#include "tui/model/scrub.h"

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

/* The views' names in lower case, as the configuration has them. */
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

/* @return -1: it is none of them */
static int find(const char *const *names, int n, const char *name)
{
	while (n-- > 0 && strcmp(names[n], name) != 0)
		;
	return n;
}

static int check(const char *const *names, int n, const char *name, struct err *err)
{
	struct text text = { 0 };

	if (find(names, n, name) >= 0)
		return 0;
	for (int i = 0; i < n; i++)
		text_printf(&text, "%s%s", i ? ", " : "must be one of ", names[i]);
	return text_to_err(&text, EINVAL, err);
}

int settings_check_view(const char *name, struct err *err)
{
	return check(view_names(), N_VIEWS, name, err);
}

int settings_check_figures(const char *name, struct err *err)
{
	return check(figures_name, N_SHOW, name, err);
}

int settings_check_order(const char *name, struct err *err)
{
	return check(metric_order_name, N_METRIC_ORDERS, name, err);
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
	return err_set(err, EINVAL, "must be all, none or cluster numbers such as 0,3-5");
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
	int view = find(view_names(), N_VIEWS, settings->view);
	int show = find(figures_name, N_SHOW, settings->figures);
	int order = find(metric_order_name, N_METRIC_ORDERS, settings->metric_order);
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

static void apply_folded(const char *text, struct model *model)
{
	struct cpus clusters;

	if (!*text)
		return;
	rows_fold_all(model, strcmp(text, all) == 0);
	if (cpus_parse(text, &clusters, NULL) < 0)
		return;
	cpus_each(&clusters, cluster)
		if (cluster < CORES_MAX)
			model->rows.folds.cluster[cluster / 64] |= UINT64_C(1) << cluster % 64;
	rows_make(model);
}

void settings_apply_rows(const struct settings *settings, struct tui *tui)
{
	apply_folded(settings->folded, &tui->model);
	rows_filter(&tui->model, settings->filter);
	if (!rows_n_cores(&tui->model))
		rows_filter(&tui->model, "");
}

/* An event as -e takes it: where its columns are the counters of some type it keeps its own. */
static void take_event(const struct machine *machine, const struct set *set, unsigned slot,
		       struct setting_list *ret)
{
	const struct event *event = set_event(set, slot);
	unsigned counter = set_slot_of(set, slot);
	char text[EVENT_NAME_MAX + 16];

	if (!event || event_is_activity(event)) /* the screen counts it anyway */
		return;
	if (event->needs_counter && counter < columns_n_counters(machine))
		snprintf(text, sizeof(text), "PMC%u=%s", counter, event->name);
	else
		snprintf(text, sizeof(text), "%s", event->name);
	setting_list_add(ret, text);
}

/* A metric of one's own takes its expression along. */
static void take_metric(const struct metric *metric, struct setting_list *ret)
{
	struct text text = { 0 };

	text_printf(&text, metric->own ? "%s=%s" : "%s", metric->name, metric->expr);
	if (text.failed)
		ret->failed = true;
	else
		setting_list_add(ret, text.bytes);
	text_fini(&text);
}

/* What is counted: a preset, or metrics, or else events. */
static void take_counted(const struct model *model, const struct set *set,
			 const struct metric_list *chosen, struct settings *ret)
{
	ret->preset[0] = '\0';
	setting_list_clear(&ret->events);
	setting_list_clear(&ret->metrics);
	for (unsigned i = 0; i < chosen->n; i++)
		take_metric(&model->metrics->metric[chosen->number[i]], &ret->metrics);
	if (!chosen->n)
		snprintf(ret->preset, sizeof(ret->preset), "%s", set->preset);
	for (unsigned slot = 0; !chosen->n && !*set->preset && slot < set->n_slots; slot++)
		take_event(model->machine, set, slot, &ret->events);
}

static void take_recent(const struct recents *recents, struct setting_list *ret)
{
	setting_list_clear(ret);
	for (unsigned i = 0; i < recents->n; i++)
		setting_list_add(ret, recents->name[i]);
}

/* "" where nothing is folded, "none" where that is not how it begins. */
static void take_folded(const struct model *model, char *ret, size_t size)
{
	const struct machine *machine = model->machine;
	struct cpus clusters = { 0 };

	for (unsigned cluster = 0; cluster < machine->n_clusters; cluster++)
		if (rows_is_folded(model, cluster))
			cpus_add(&clusters, cluster);
	if (cpus_count(&clusters) == machine->n_clusters)
		snprintf(ret, size, "%s", all);
	else if (cpus_count(&clusters))
		cpus_format(&clusters, ret, size);
	else
		snprintf(ret, size, "%s", rows_begins_folded(model) ? none : "");
}

void settings_take_screen(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;

	ret->interval_s = (double)watch_asked_interval(tui->config->watch) / 1e9;
	snprintf(ret->by, sizeof(ret->by), "%s", frame_by_name[model->by]);
	snprintf(ret->view, sizeof(ret->view), "%s", view_names()[tui->view]);
	snprintf(ret->figures, sizeof(ret->figures), "%s", figures_name[model->show]);
	snprintf(ret->metric_order, sizeof(ret->metric_order), "%s",
		 tui->metrics->order ? metric_order_name[tui->metrics->order] : "");
}

int settings_take_machine(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;
	const struct change *before = rotation_before(tui); /* whose sets nobody chose */
	const struct set *counted = before ? &before->set : &model->loaded;

	settings_take_sort(model, ret->sort, sizeof(ret->sort));
	take_folded(model, ret->folded, sizeof(ret->folded));
	snprintf(ret->filter, sizeof(ret->filter), "%s", model->rows.filter.text);
	take_recent(&tui->recents, &ret->recent);
	take_ticked(&tui->presets, &ret->rotate);
	settings_take_columns(model, &ret->columns);
	/* where nobody has asked for anything else it stays, be it nothing */
	if (!set_counts_same(tui->config->first, counted))
		take_counted(model, counted, before ? &before->chosen : &model->chosen, ret);
	return ret->recent.failed || ret->rotate.failed || ret->columns.failed ||
			       ret->events.failed || ret->metrics.failed
		       ? -ENOMEM
		       : 0;
}
