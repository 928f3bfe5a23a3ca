#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "sampler/excursions.h"
#include "tui/counters/rotation.h"
#include "tui/keys.h"
#include "tui/model/event_list.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/terminal.h"
#include "tui/settings.h"
#include "tui/view/views.h"

static const char ascending[] = " ascending", all[] = "all", unfolded[] = "none";

static void take_text(char *ret, const char *text)
{
	snprintf(ret, SETTING_TEXT_MAX, "%s", text);
}

/* @return false: no such column on this machine */
static bool settings_parse(const struct model *model, const char *text, struct shown *ret)
{
	uint64_t slot;
	int metric;

	*ret = (struct shown){ .is_hidden = *text == '-' };
	text += ret->is_hidden;
	for (; ret->number < model->columns.n_fixed; ret->number++)
		if (strcmp(text, model->columns.fixed[ret->number]->key) == 0)
			return true;
	if (num_parse_u64(text, &slot) == 0) {
		ret->kind = SHOWN_SLOT;
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

	if (shown->kind == SHOWN_FIXED)
		return label_printf("%s%s", hidden, model->columns.fixed[shown->number]->key);
	if (shown->kind == SHOWN_SLOT)
		return label_printf("%s%u", hidden, shown->number);
	return label_printf("%s%s", hidden, model->metrics->metric[shown->number].name);
}

/*
 * Apply the columns of Cores and Tasks in their order: fixed ones by key, counters by number, metrics by
 * name; "-" in front hides one. Columns not listed keep their default; those that this
 * machine does not have are skipped.
 */
static void apply_columns(struct tui *tui, const void *value)
{
	static const struct metric_list none;
	const struct setting_list *list = value;
	struct model *model = &tui->model;
	struct columns *columns = &model->columns;

	if (!list->n)
		return;
	columns->n = 0;
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

/* Read back the columns: fixed ones that are not as at first, counters except activity events, visible metrics. */
static void take_columns(const struct tui *tui, void *ret)
{
	const struct model *model = &tui->model;
	const struct columns *columns = &model->columns;

	setting_list_clear(ret);
	for (unsigned i = 0; i < columns->n; i++) {
		const struct shown *shown = &columns->item[i];

		if (shown->kind == SHOWN_FIXED
			    ? shown->is_hidden != columns->fixed[shown->number]->is_hidden
		    : shown->kind == SHOWN_SLOT ? !is_activity(model->set, shown->number)
						: !shown->is_hidden)
			setting_list_add(ret, settings_print(model, shown).text);
	}
}

/* Sort rows by a column: "ipc", "5", "branch_mpki", largest first, or with " ascending" appended
 * smallest first; "": the machine's order. */
static void apply_sort(struct tui *tui, const void *value)
{
	const char *text = value;
	enum order_by by;
	struct model *model = &tui->model;
	size_t n = strlen(text), tail = strlen(ascending);
	bool is_ascending = n > tail && strcmp(text + n - tail, ascending) == 0;
	char name[SETTING_TEXT_MAX];
	struct shown shown;

	snprintf(name, sizeof(name), "%.*s", (int)(is_ascending ? n - tail : n), text);
	if (!*name || !settings_parse(model, name, &shown))
		return;
	by = shown.kind == SHOWN_FIXED  ? model->columns.fixed[shown.number]->order
	     : shown.kind == SHOWN_SLOT ? ORDER_SLOT
					: ORDER_METRIC;
	if (by == ORDER_HEADLINE && model->primary_metric < 0)
		return;
	model->rows.order = (struct order){ .by = by,
					    .number = shown.kind == SHOWN_FIXED ? 0 : shown.number,
					    .is_ascending = is_ascending };
	rows_make(model);
}

/* Read back the order of the rows. */
static void take_sort(const struct tui *tui, void *ret)
{
	const struct columns *columns = &tui->model.columns;
	const struct order *order = &tui->model.rows.order;
	struct shown shown = { .kind = order->by == ORDER_SLOT     ? SHOWN_SLOT
				       : order->by == ORDER_METRIC ? SHOWN_METRIC
								   : SHOWN_FIXED,
			       .number = order->number };

	take_text(ret, "");
	while (shown.kind == SHOWN_FIXED && shown.number < columns->n_fixed &&
	       columns->fixed[shown.number]->order != order->by)
		shown.number++;
	if (order->by != ORDER_MACHINE)
		snprintf(ret, SETTING_TEXT_MAX, "%s%s", settings_print(&tui->model, &shown).text,
			 order->is_ascending ? ascending : "");
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

static int check_stay(const char *seconds, struct err *err)
{
	double stay_s;

	if (num_parse_double(seconds, &stay_s) == 0 && stay_s >= ROTATION_MIN_S &&
	    stay_s <= ROTATION_MAX_S)
		return 0;
	return err_set(err, EINVAL, "must be %d to %d seconds", ROTATION_MIN_S, ROTATION_MAX_S);
}

static int check_folded(const char *text, struct err *err)
{
	struct cpus clusters;

	if (strcmp(text, all) == 0 || strcmp(text, unfolded) == 0 ||
	    cpus_parse(text, &clusters, NULL) == 0)
		return 0;
	return err_set(err, EINVAL, "must be all, none or numbers of headings such as 0,3-5");
}

/* Tick the presets that this machine has. The others stay in the configuration for other machines. */
static void apply_ticks(struct tui *tui, const void *value)
{
	const struct setting_list *list = value;

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

static void take_ticks(const struct tui *tui, void *value)
{
	const struct presets *presets = &tui->presets;
	struct setting_list *ret = value, before = *ret;

	*ret = (struct setting_list){ 0 };
	for (unsigned i = 0; i < presets->n; i++)
		if (presets->preset[i].is_ticked)
			setting_list_add(ret, presets->preset[i].known->name);
	for (size_t i = 0; i < before.n; i++)
		if (presets_find(presets, before.item[i]) < 0)
			setting_list_add(ret, before.item[i]);
	setting_list_clear(&before);
}

static void apply_recent(struct tui *tui, const void *value)
{
	const struct setting_list *recent = value;

	recents_set(&tui->recents, (const char *const *)recent->item, recent->n);
}

static void take_recent(const struct tui *tui, void *ret)
{
	setting_list_clear(ret);
	for (unsigned i = 0; i < tui->recents.n; i++)
		setting_list_add(ret, tui->recents.name[i]);
}

static void apply_folded(struct tui *tui, const void *value)
{
	struct cpus headings;

	if (cpus_parse(value, &headings, NULL) < 0)
		rows_fold_all(&tui->model, strcmp(value, all) == 0);
	else if (*(const char *)value)
		rows_fold_as(&tui->model, &headings);
}

static void apply_filter(struct tui *tui, const void *value)
{
	rows_filter(&tui->model, value);
	if (!rows_n_cores(&tui->model))
		rows_filter(&tui->model, "");
}

static void take_filter(const struct tui *tui, void *ret)
{
	take_text(ret, tui->model.rows.filter.text);
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
	AUTO_TEXT struct text text = { 0 };

	text_printf(&text, metric->own ? "%s=%s" : "%s", metric->name, metric->expr);
	if (text.failed)
		ret->failed = true;
	else
		setting_list_add(ret, text.bytes);
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
static void take_folded(const struct tui *tui, void *ret)
{
	const struct model *model = &tui->model;
	struct cpus headings = { 0 };

	for (unsigned i = 0; i < rows_n_headings(model); i++)
		if (rows_is_folded(model, i))
			cpus_add(&headings, i);
	if (cpus_count(&headings) == rows_n_headings(model))
		take_text(ret, all);
	else if (cpus_count(&headings))
		cpus_format(&headings, ret, SETTING_TEXT_MAX);
	else
		take_text(ret, rows_begins_folded(model) ? unfolded : "");
}

/* ---- settings with one of several values ---- */

static const char *no_or_yes(unsigned value)
{
	return value < 2 ? value ? "yes" : "no" : NULL;
}

static const char *theme_name(unsigned value)
{
	return theme_table[value].name;
}

static unsigned get_theme(const struct tui *tui)
{
	return (unsigned)((tui->theme ? tui->theme : tui->config->theme) - theme_table);
}

static void set_theme(struct tui *tui, unsigned value)
{
	tui->theme = &theme_table[value];
	theme_set(tui->theme);
	terminal_repaint();
	if (!has_colors())
		tui_say(tui, ROLE_WARN, "this terminal (TERM) has no colours");
}

static unsigned get_ascii(const struct tui *tui UNUSED)
{
	return draw_is_ascii();
}

static void set_ascii(struct tui *tui, unsigned value)
{
	if (terminal_needs_ascii())
		tui_say(tui, ROLE_WARN, "without a UTF-8 locale and on the Linux console: always");
	else
		draw_start(value);
}

static unsigned get_mouse(const struct tui *tui UNUSED)
{
	return terminal_has_mouse();
}

static void set_mouse(struct tui *tui, unsigned value)
{
	terminal_set_mouse(value);
	if (value && !terminal_has_mouse())
		tui_say(tui, ROLE_WARN, "this terminal (TERM) has no mouse");
}

static unsigned get_graph_below(const struct tui *tui)
{
	return !tui->hides_graph;
}

static void set_graph_below(struct tui *tui, unsigned value)
{
	tui->hides_graph = !value;
}

static unsigned get_tasks_below(const struct tui *tui)
{
	return !tui->hides_tasks;
}

static void set_tasks_below(struct tui *tui, unsigned value)
{
	tui->hides_tasks = !value;
}

static const char *row_kind_name(unsigned value)
{
	return value < N_FRAME_BY ? frame_by_name((enum frame_by)value) : NULL;
}

static unsigned get_row_kind(const struct tui *tui)
{
	return tui->model.by;
}

static const char *figures_name(unsigned value)
{
	static const char *const name[N_SHOW] = {
		[SHOW_RATE] = "rate",
		[SHOW_COUNT] = "count",
		[SHOW_PER_KI] = "per-1000-instructions",
	};

	return value < N_SHOW ? name[value] : NULL;
}

static unsigned get_figures(const struct tui *tui)
{
	return tui->model.show;
}

static void set_figures(struct tui *tui, unsigned value)
{
	tui->model.show = (enum show)value;
}

/* Return the views' names in lower case, as in the configuration. */
static const char *view_name(unsigned value)
{
	static char lower[N_VIEWS][SETTING_TEXT_MAX];

	for (unsigned i = 0; value < N_VIEWS && view_table[value]->name[i]; i++)
		lower[value][i] = ascii_lower(view_table[value]->name[i]);
	return value < N_VIEWS ? lower[value] : NULL;
}

/* The first view is the one that is shown when settings are saved, if none was chosen. */
static unsigned get_view(const struct tui *tui)
{
	return tui->has_first_view ? tui->first_view : tui->view;
}

static void set_view(struct tui *tui, unsigned value)
{
	tui->has_first_view = true;
	tui->first_view = (enum view_id)value;
}

static const char *metric_order_name(unsigned value)
{
	static const char *const name[N_METRIC_ORDERS] = {
		[METRICS_AS_CHOSEN] = "chosen",
		[METRICS_BY_NAME] = "name",
		[METRICS_BY_ALARM] = "threshold",
	};

	return value < N_METRIC_ORDERS ? name[value] : NULL;
}

static unsigned get_metric_order(const struct tui *tui)
{
	return tui->metrics->order;
}

static void set_metric_order(struct tui *tui, unsigned value)
{
	tui->metrics->order = (enum metric_order)value;
}

static const struct setting_values row_kinds = { row_kind_name, get_row_kind, NULL },
				   views = { view_name, get_view, set_view },
				   figures = { figures_name, get_figures, set_figures },
				   themes = { theme_name, get_theme, set_theme },
				   ascii_values = { no_or_yes, get_ascii, set_ascii },
				   mouse_values = { no_or_yes, get_mouse, set_mouse },
				   graph_below = { no_or_yes, get_graph_below, set_graph_below },
				   tasks_below = { no_or_yes, get_tasks_below, set_tasks_below },
				   metric_orders = { metric_order_name, get_metric_order,
						     set_metric_order };

/* @return -1: there is no such value */
static int find_value(const struct setting_values *values, const char *name)
{
	for (unsigned i = 0; values->name(i); i++)
		if (strcmp(values->name(i), name) == 0)
			return (int)i;
	return -1;
}

static void apply_view(struct tui *tui, const void *name)
{
	int view = find_value(&views, name);

	if (view >= 0)
		tui_show(tui, (enum view_id)view);
}

static void take_metric_order(const struct tui *tui, void *ret)
{
	take_text(ret, tui->metrics->order ? metric_order_name(tui->metrics->order) : "");
}

/* ---- numbers ---- */

/* @return the next larger number of an ascending table that ends with 0, or the next smaller one; else the last, or the
 * first */
static double next_number(const double *number, double now, int step)
{
	while (number[1] > 0 && (step > 0 ? number[0] <= now : number[1] < now))
		number++;
	return *number;
}

static const char *text_interval(const struct tui *tui, char *buf, size_t size)
{
	return interval_text(sampler_interval(tui->config->sampler), buf, size);
}

static void take_interval(const struct tui *tui, void *ret)
{
	*(double *)ret = (double)watch_requested_interval(tui->config->watch) / NS_PER_S;
}

static void apply_budget(struct tui *tui, const void *pct)
{
	if (tui->config->watch)
		watch_set_budget(tui->config->watch, *(const double *)pct);
}

static void take_budget(const struct tui *tui, void *ret)
{
	if (tui->config->watch) /* a replay has none */
		*(double *)ret = watch_budget_pct(tui->config->watch);
}

/* Return the next size by doubling or halving, from least to most. */
static uint64_t next_size(uint64_t bytes, int step, uint64_t least, uint64_t most)
{
	if (step > 0)
		return bytes <= most / 2 ? bytes * 2 : bytes;
	return bytes / 2 >= least ? bytes / 2 : bytes;
}

/* Format a size with the largest exact unit: "64M". */
static void take_size(uint64_t bytes, char *ret)
{
	static const char *const unit[] = { "", "k", "M", "G" };
	size_t i = 0;

	for (; bytes && i < 3 && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(ret, SETTING_TEXT_MAX, "%" PRIu64 "%s", bytes, unit[i]);
}

static void change_history(struct tui *tui, int step)
{
	model_set_history_bytes(&tui->model,
				next_size(tui->model.history_bytes, step, 256 << 10, 1 << 30));
}

static void take_history(const struct tui *tui, void *ret)
{
	take_size(tui->model.history_bytes, ret);
}

/* Change the limit of the next log: beyond the largest size it has none. */
static void change_log_limit(struct tui *tui, int step)
{
	const uint64_t least = UINT64_C(1) << 20, none = UINT64_C(1) << 40;
	struct log_control *log = tui->config->log;
	uint64_t limit = log && log->limits.max_bytes ? log->limits.max_bytes : none;

	limit = next_size(limit, step, least, none);
	if (log)
		log->limits.max_bytes = limit == none ? 0 : limit;
	if (log && log->log)
		tui_say(tui, ROLE_TEXT, "the next log has this limit");
}

static void take_log_limit(const struct tui *tui, void *ret)
{
	if (tui->config->log) /* a replay has none */
		take_size(tui->config->log->limits.max_bytes, ret);
}

static void apply_stay(struct tui *tui, const void *stay_s)
{
	if (*(const double *)stay_s > 0)
		tui->rotation->stay_ns = (uint64_t)(*(const double *)stay_s * NS_PER_S);
}

static void take_stay(const struct tui *tui, void *ret)
{
	*(double *)ret = (double)rotation_stay_ns(tui) / NS_PER_S;
}

static int check_busy(const char *pct, struct err *err)
{
	double busy_pct;

	if (num_parse_double(pct, &busy_pct) == 0 && busy_pct > 0 && busy_pct <= 100)
		return 0;
	return err_set(err, EINVAL, "must be more than 0, and 100 percent at most");
}

static void apply_busy(struct tui *tui, const void *busy_pct)
{
	if (*(const double *)busy_pct > 0)
		tui->config->excursions->busy_pct = *(const double *)busy_pct;
}

static void take_busy(const struct tui *tui, void *ret)
{
	*(double *)ret = tui->config->excursions->busy_pct;
}

/* ---- all settings ----
 * Without a title: what takes effect only at the start (on, real-time), and what only grows by use (recent). */

static const double budgets_pct[] = { .1, .2, .5, 1, 2, 5, 10, 20, 50, 100, 0 },
		    busy_pct[] = { .1, 1, 2, 5, 10, 20, 50, 90, 0 },
		    stays_s[] = { 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 0 };

#define AT(field) offsetof(struct settings, field)

const struct setting setting_table[] = {
	{ "interval", SETTING_NUMBER, AT(interval_s), "0.5", "seconds between reads, as -d",
	  .options = "interval interval-ms", .title = "interval", .key = { '-', '+' },
	  .text = text_interval, .take = take_interval },
	{ "by", SETTING_TEXT, AT(by), "\"cluster\"",
	  "one row per core, physical-core, cluster, llc, node, socket or core type, or one for "
	  "the whole system",
	  .options = "by", .title = "rows", .values = &row_kinds, .key = { 't', 't' } },
	{ "preset", SETTING_TEXT, AT(preset), "\"branch\"", "what is counted, as -P",
	  .options = "preset event metrics", .title = "preset", .key = { 'P', 'P' } },
	{ "events", SETTING_LIST, AT(events), "[\"cycles\", \"PMC5=INST_BRANCH\"]",
	  "what is counted, as -e", .options = "event preset metrics", .title = "events",
	  .key = { 'e', 'e' } },
	{ "metrics", SETTING_LIST, AT(metrics), "[\"IPC\", \"branch_mpki\"]",
	  "what is counted and shown, as -M", .options = "metrics event preset", .title = "metrics",
	  .key = { 'M', 'M' } },
	{ "on", SETTING_LIST, AT(on), "[\"branch_mpki>10 for 200ms do mark\"]",
	  "conditions and what to do when they begin to hold, as --on", .options = "on" },
	{ "view", SETTING_TEXT, AT(view), "\"metrics\"", "the first view", .title = "first view",
	  .values = &views, .apply = apply_view },
	{ "figures", SETTING_TEXT, AT(figures), "\"rate\"",
	  "figures as rate, count or per-1000-instructions", .title = "units", .values = &figures,
	  .key = { 'r', 'r' } },
	{ "theme", SETTING_TEXT, AT(theme), "\"colour-blind\"",
	  "colours: default, high-contrast, colour-blind or monochrome, as --theme",
	  .options = "theme no-color", .title = "theme", .values = &themes, .if_changed = true },
	{ "ascii", SETTING_FLAG, AT(ascii), "true", "only ASCII characters, as --ascii",
	  .options = "ascii", .title = "ASCII", .values = &ascii_values, .if_changed = true },
	{ "mouse", SETTING_FLAG, AT(mouse), "false",
	  "the mouse selects, opens and scrolls; false as --no-mouse", .options = "no-mouse",
	  .title = "mouse", .values = &mouse_values, .if_changed = true },
	{ "graph", SETTING_FLAG, AT(graph_below), "false", "a graph below the cores",
	  .title = "graph", .values = &graph_below, .if_changed = true },
	{ "tasks", SETTING_FLAG, AT(tasks_below), "false", "tasks below the cores",
	  .title = "tasks", .values = &tasks_below, .if_changed = true },
	{ "budget", SETTING_NUMBER, AT(budget_pct), "5",
	  "percent of a core that m1top may use, as --budget", .options = "budget",
	  .title = "budget", .numbers = budgets_pct, .unit = " % of a core", .apply = apply_budget,
	  .take = take_budget },
	{ "busy", SETTING_NUMBER, AT(busy_pct), "10",
	  "least utilisation, percent, of cores with excursions and ▲", .check = check_busy,
	  .title = "busy", .numbers = busy_pct, .unit = " %", .apply = apply_busy,
	  .take = take_busy, .if_changed = true },
	{ "real-time", SETTING_FLAG, AT(real_time), "false", "false as --no-real-time",
	  .options = "no-real-time" },
	{ "history", SETTING_TEXT, AT(history), "\"64M\"", "memory for history, as --history",
	  .options = "history", .title = "history", .change = change_history, .take = take_history,
	  .if_changed = true },
	{ "log-limit", SETTING_TEXT, AT(log_limit), "\"1G\"",
	  "largest size of a log with its older files, as --log-limit; 0: no limit",
	  .options = "log-limit max-size", .title = "log limit", .change = change_log_limit,
	  .take = take_log_limit, .if_changed = true },
	{ "columns", SETTING_LIST, AT(columns), "[\"ipc\", \"-bar\", \"5\", \"branch_mpki\"]",
	  "columns of Cores and Tasks in order: ipc, bar, history, task, pid, user, cpu%, on, "
	  "counters by number, metrics by name; - before one hides it",
	  .title = "columns", .key = { 'C', 'C' }, .apply = apply_columns, .take = take_columns,
	  .of_machine = true },
	{ "sort", SETTING_TEXT, AT(sort), "\"branch_mpki ascending\"",
	  "the column to sort rows by, largest first, or ascending", .title = "sort",
	  .key = { '<', '>' }, .apply = apply_sort, .take = take_sort, .of_machine = true },
	{ "filter", SETTING_TEXT, AT(filter), "\"cluster 1\"",
	  "the cores to show: 0-3,8 or words of their names", .title = "filter",
	  .key = { '\\', '\\' }, .apply = apply_filter, .take = take_filter, .of_machine = true,
	  .needs_height = true },
	{ "folded", SETTING_TEXT, AT(folded), "\"0,3-5\"",
	  "clusters or caches to fold: numbers of their rows from 0, all or none",
	  .title = "folded", .key = { 'F', 'F' }, .check = check_folded, .apply = apply_folded,
	  .take = take_folded, .of_machine = true, .needs_height = true },
	{ "rotate", SETTING_LIST, AT(rotate), "[\"overview\", \"branch\"]",
	  "ticked presets, which R rotates through", .title = "rotate", .key = { 'P', 'P' },
	  .apply = apply_ticks, .take = take_ticks, .of_machine = true },
	{ "rotate-every", SETTING_NUMBER, AT(rotate_s), "5",
	  "seconds per preset of the rotation, at least three intervals", .check = check_stay,
	  .title = "rotation", .numbers = stays_s, .unit = " s", .apply = apply_stay,
	  .take = take_stay, .if_changed = true },
	{ "metric-order", SETTING_TEXT, AT(metric_order), "\"threshold\"",
	  "order of the Metrics view: chosen, name, or threshold (those beyond it first)",
	  .title = "metric order", .values = &metric_orders, .take = take_metric_order },
	{ "recent", SETTING_LIST, AT(recent), "[\"INST_BRANCH\"]",
	  "recently chosen events, at the top of lists", .apply = apply_recent, .take = take_recent,
	  .of_machine = true },
	{ .title = "save", .what = "write all settings to the configuration", .key = { 'W', 'W' } },
};

int setting_check(const struct setting *setting, const char *text, struct err *err)
{
	const struct setting_values *values = setting->options ? NULL : setting->values;
	struct text names = { 0 };

	if (setting->check)
		return setting->check(text, err);
	if (!values || find_value(values, text) >= 0)
		return 0;
	for (unsigned i = 0; values->name(i); i++)
		text_printf(&names, "%s%s", i ? ", " : "must be one of ", values->name(i));
	return text_to_err(&names, EINVAL, err);
}

/* Apply one that is among its values. */
static void apply_value(const struct setting *setting, const void *field, struct tui *tui)
{
	const enum setting_flag *flag = field;
	int value = setting->kind == SETTING_TEXT ? find_value(setting->values, field)
						  : (int)*flag - SETTING_NO;

	if (value >= 0)
		setting->values->set(tui, (unsigned)value);
}

void settings_apply(const struct settings *settings, struct tui *tui, bool needs_height)
{
	for (const struct setting *setting = setting_table; setting->name; setting++) {
		const void *field = (const char *)settings + setting->offset;

		if (setting->needs_height != needs_height || setting->options)
			continue;
		if (setting->apply)
			setting->apply(tui, field);
		else if (setting->values)
			apply_value(setting, field, tui);
	}
}

const char *setting_text(const struct setting *setting, const struct tui *tui,
			 char buf[SETTING_TEXT_MAX])
{
	double number = 0;

	buf[0] = '\0';
	if (setting->text)
		return setting->text(tui, buf, SETTING_TEXT_MAX);
	if (setting->values)
		return setting->values->name(setting->values->get(tui));
	if (setting->numbers)
		setting->take(tui, &number);
	if (number > 0)
		snprintf(buf, SETTING_TEXT_MAX, "%g%s", number, setting->unit);
	if (setting->take && setting->kind == SETTING_TEXT)
		setting->take(tui, buf);
	return *buf ? buf : NULL;
}

void setting_change(const struct setting *setting, struct tui *tui, int step)
{
	const struct setting_values *values = setting->values;
	int key = setting->key[step > 0];
	unsigned n = 1;
	double now = 0;

	tui->settings_changed |= UINT32_C(1) << (setting - setting_table);
	if (key) {
		keys_act(tui, keys_find(tui->keys, key), key);
	} else if (setting->change) {
		setting->change(tui, step);
	} else if (setting->numbers) {
		setting->take(tui, &now);
		now = next_number(setting->numbers, now, step);
		setting->apply(tui, &now);
	} else {
		while (values->name(n))
			n++;
		values->set(tui, (values->get(tui) + n + (unsigned)step) % n);
	}
}

static void take_value(const struct setting *setting, const struct tui *tui, void *ret)
{
	unsigned value = setting->values->get(tui);

	if (setting->kind == SETTING_TEXT)
		take_text(ret, setting->values->name(value));
	else
		*(enum setting_flag *)ret = value ? SETTING_YES : SETTING_NO;
}

static bool list_has_failed(const struct settings *settings)
{
	for (const struct setting *setting = setting_table; setting->name; setting++)
		if (setting->kind == SETTING_LIST &&
		    ((const struct setting_list *)((const char *)settings + setting->offset))
			    ->failed)
			return true;
	return false;
}

/* Read back what is counted, unless it is as at the start: then the setting stays, even if it is empty. */
static void take_changed_counts(const struct tui *tui, struct settings *ret)
{
	const struct model *model = &tui->model;
	/* sets of a rotation are not saved; any change after its start would have stopped it */
	const struct change *before =
		tui->rotation->is_on && model->n_undo ? &model->undo[model->n_undo - 1] : NULL;
	const struct set *counted = before ? &before->set : &model->loaded;

	if (!set_counts_same(tui->config->first, counted))
		take_counted(model, counted, before ? &before->chosen : &model->chosen, ret);
}

int settings_take(const struct tui *tui, bool of_machine, struct settings *ret)
{
	for (const struct setting *setting = setting_table; setting->name; setting++) {
		void *field = (char *)ret + setting->offset;
		bool is_changed = tui->settings_changed >> (setting - setting_table) & 1;

		if (setting->of_machine != of_machine || (setting->if_changed && !is_changed))
			continue;
		if (setting->take)
			setting->take(tui, field);
		else if (setting->values)
			take_value(setting, tui, field);
	}
	if (of_machine)
		take_changed_counts(tui, ret);
	return list_has_failed(ret) ? -ENOMEM : 0;
}
