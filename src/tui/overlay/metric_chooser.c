/* metric_chooser.c: choosing metrics to count */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/sensors.h"
#include "tui/counters/assign.h"
#include "tui/model/series.h"
#include "tui/overlay/chooser.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"

enum { NAME_WIDTH = 24, GROUP_WIDTH = 18, SETS_WIDTH = 9 /* "16 sets" and a gap of 2 */ };

static const struct metric *metric_chooser_metric_of(const struct tui *tui, unsigned item)
{
	return &tui->model.metrics->metric[item];
}

static unsigned metric_chooser_rank_word(const void *item, const char *word)
{
	const struct metric *metric = item;
	unsigned name =
		match_better(match_name(metric->name, word), match_name(metric->short_name, word));
	unsigned text = match_better(
		match_text(metric->brief, word),
		match_better(match_text(metric->group, word), match_text(metric->expr, word)));

	for (const char *const *alias = metric->alias; alias && *alias; alias++)
		text = match_better(text, match_text(*alias, word));
	return match_better(name, text);
}

/* Return the number of sets, computed once while the list is open. The kernel is not asked before a set
 * is loaded. */
static uint8_t sets_of(const struct tui *tui, unsigned item)
{
	struct planner_request request = *tui->config->plain;
	uint8_t *n_sets = &tui->metric_chooser->n_sets[item];
	unsigned n;

	request.fits = NULL;
	if (*n_sets == METRIC_SETS_UNKNOWN)
		*n_sets = planner_n_sets(&request, item, &n, NULL) < 0 ? METRIC_SETS_NONE
								       : (uint8_t)n;
	return *n_sets;
}

/* Rank a metric; of equal matches those that this machine can count come first. */
static unsigned metric_chooser_rank(const struct tui *tui, unsigned item, const char *search)
{
	unsigned rank =
		match_words(search, metric_chooser_rank_word, metric_chooser_metric_of(tui, item));

	return rank ? match_prefer(rank, sets_of(tui, item) != METRIC_SETS_NONE) : 0;
}

static enum role name_role(const struct tui *tui, unsigned item, bool is_chosen)
{
	if (is_chosen)
		return ROLE_SELECTED;
	if (sets_of(tui, item) == METRIC_SETS_NONE)
		return ROLE_DIM;
	return metric_list_has(&tui->model.metric, item) ? ROLE_GOOD : ROLE_TEXT;
}

static void draw_metric(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			int width)
{
	const struct metric *metric = metric_chooser_metric_of(tui, item);
	bool is_ticked = metric_list_has(&tui->metric_chooser->ticked, item);
	int end = x + width, name = width - 2 - SETS_WIDTH;
	uint8_t n_sets = sets_of(tui, item);

	name = name < NAME_WIDTH ? name : NAME_WIDTH;
	draw_text(y, x, 1, ROLE_KEY, is_ticked ? "●" : "·");
	x += 2;
	draw_text(y, x, name, name_role(tui, item, is_chosen), metric->name);
	x += name + 2;
	if (width >= 90) {
		draw_text(y, x, GROUP_WIDTH, ROLE_DIM, metric->group);
		x += GROUP_WIDTH + 1;
	}
	if (n_sets == METRIC_SETS_NONE)
		x += draw_text(y, x, end - x, ROLE_DIM, "n/s ");
	else if (n_sets > 1)
		x += draw_printf(y, x, end - x, ROLE_WARN, "%u sets ", n_sets);
	chooser_brief(y, x, end, ROLE_TEXT, metric->brief);
}

static void metric_chooser_draw_detail(const struct tui *tui, unsigned item, int y, int x,
				       int width, int n_lines)
{
	const struct metric *metric = metric_chooser_metric_of(tui, item);
	AUTO_TEXT struct text formula = { 0 };

	text_printf(&formula, "= %s", metric->expr);
	if (n_lines == 1)
		draw_text(y, x, width, ROLE_TEXT, metric->brief);
	else if (!formula.failed)
		chooser_texts(y, x, width, n_lines, metric->what, formula.bytes);
}

/* Whether the text is more than words to search for: "x=A/B", "IPC,TLB". */
static bool is_list(const char *text)
{
	return text[strcspn(text, "=,")];
}

static void metric_chooser_draw_foot(const struct tui *tui, int y, int x, int width)
{
	int end = x + width;
	unsigned n = is_list(tui->chooser->search.text) ? 0 : tui->metric_chooser->ticked.n;
	char text[48];

	snprintf(text, sizeof(text), "count the %u ticked", n);
	x = chooser_hint(y, x, end, "Enter", n ? text : "count it");
	x = chooser_hint(y, x, end, "Tab", "tick");
	if (n)
		x = chooser_hint(y, x, end, "S-Tab", "untick all");
	chooser_hint(y, x, end, "Esc", "leave");
}

static void say_loaded(struct tui *tui, const char *aside)
{
	unsigned n = tui->model.chosen.n;
	char what[64];

	if (n == 1)
		snprintf(what, sizeof(what), "%s",
			 metric_chooser_metric_of(tui, tui->model.chosen.number[0])->name);
	else
		snprintf(what, sizeof(what), "%u metrics", n);
	assign_say(tui, what, aside);
}

/* @return 0; -errno with a message shown */
static int make_change(struct tui *tui, const struct metric_list *list, struct change *ret)
{
	struct err err = { 0 };
	int rc = assign_plan(tui, list, NULL, ret, &err);

	if (rc < 0)
		tui_refuse(tui, &err);
	return rc;
}

static void metric_chooser_load(struct tui *tui, const struct change *next)
{
	const char *aside;
	unsigned n;

	if (assign_change(tui, next, &aside) < 0)
		return;
	chooser_close(tui);
	tui_show(tui, VIEW_METRICS);
	*tui_view(tui)->list(tui, &n) = (struct cursor){ 0 };
	say_loaded(tui, aside);
}

/* Load what was typed, in the syntax of -M. An expression that cannot be counted is forgotten, so that it
 * can be given again in another form. */
static void load_typed(struct tui *tui)
{
	struct metrics *metrics = tui->config->metrics;
	struct metrics_selection selection;
	struct metric_list list = { 0 };
	struct err err = { 0 };
	struct change next;
	unsigned n = metrics->n;

	if (metrics_select(metrics, tui->chooser->search.text, &selection, &err) < 0) {
		tui_refuse(tui, &err);
		return;
	}
	for (size_t i = 0; i < selection.n; i++)
		metric_list_add(&list, selection.number[i]);
	metrics_selection_fini(&selection);
	if (make_change(tui, &list, &next) < 0)
		metrics_forget(metrics, n);
	else
		metric_chooser_load(tui, &next);
}

static void load_chosen(struct tui *tui)
{
	struct metric_list list = tui->metric_chooser->ticked;
	int item = chooser_item(tui);
	struct change next;

	if (is_list(tui->chooser->search.text)) {
		load_typed(tui);
		return;
	}
	if (!list.n && item >= 0)
		metric_list_add(&list, (unsigned)item);
	if (!list.n)
		tui_say(tui, ROLE_WARN, "no metric matches \"%s\"", tui->chooser->search.text);
	else if (make_change(tui, &list, &next) == 0)
		metric_chooser_load(tui, &next);
}

static const char *say_none(const struct tui *tui)
{
	return is_list(tui->chooser->search.text)
		       ? "Enter counts this like -M: names, groups and expressions, separated by "
			 "commas"
		       : "no metric matches; write your own expression with a name: x=A/B";
}

static void metric_tick(struct tui *tui, unsigned item)
{
	struct metric_list *ticked = &tui->metric_chooser->ticked;
	struct err err = { 0 };
	unsigned unused;

	if (sets_of(tui, item) == METRIC_SETS_NONE &&
	    planner_n_sets(tui->config->plain, item, &unused, &err) < 0)
		tui_refuse(tui, &err);
	else if (metric_list_has(ticked, item))
		metric_list_remove(ticked, item);
	else
		metric_list_add(ticked, item);
}

static void metric_untick(struct tui *tui)
{
	tui->metric_chooser->ticked.n = 0;
}

static bool metric_key(struct tui *tui, int key)
{
	if (!key_is_enter(key))
		return false;
	load_chosen(tui);
	return true;
}

static void metric_close(struct tui *tui)
{
	free(tui->metric_chooser->n_sets);
	*tui->metric_chooser = (struct metric_chooser){ 0 };
}

static bool metric_is_folded(const struct tui *tui, unsigned item)
{
	return catalog_is_variant(metric_chooser_metric_of(tui, item)->group) &&
	       !metric_list_has(&tui->metric_chooser->ticked, item);
}

static const struct chooser_ops ops = {
	.name = "Metrics",
	.rank = metric_chooser_rank,
	.is_folded = metric_is_folded,
	.folded = "xscale",
	.draw = draw_metric,
	.foot = metric_chooser_draw_foot,
	.detail = metric_chooser_draw_detail,
	.none = say_none,
	.tick = metric_tick,
	.untick = metric_untick,
	.key = metric_key,
	.close = metric_close,
};

void act_metrics(struct tui *tui, int key UNUSED)
{
	unsigned n = tui->model.metrics->n;
	struct series at[2];
	bool has_one = tui->view == VIEW_METRICS && tui_view(tui)->selected(tui, at) > 0;

	chooser_close(tui);
	if (tui_is_of_this_machine(tui) && !sensors_of_chips(tui->model.machine->sensors))
		tui_say(tui, ROLE_TEXT,
			"no power, temperatures and fans: no sensor is read; see m1top doctor");
	tui->metric_chooser->ticked = tui->model.chosen;
	tui->metric_chooser->n_sets = calloc(n + 1, 1);
	if (!tui->metric_chooser->n_sets)
		tui_say(tui, ROLE_ERROR, "out of memory");
	else if (chooser_open(tui, &ops, n) == 0 && has_one)
		chooser_select(tui, (unsigned)at->quantity.metric);
}
