/* excursion_list.c: list of metrics that exceeded their thresholds; Enter goes to the worst window */
#include <math.h>

#include "base/cleanup.h"
#include "sampler/excursions.h"
#include "sampler/sampler.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* Get an item. @return NULL: a later excursion took its place while the list is open */
static const struct excursion *excursion_item(const struct tui *tui, unsigned item)
{
	const struct excursion *excursion = &tui->config->excursions->item[item];

	return excursion->number <= tui->excursions_seen ? excursion : NULL;
}

/* Format a line: "03:57:34   12 s  cpu4   stall_share 81.2 > 20 %  mcf". */
static struct label excursion_line(const struct tui *tui, unsigned item)
{
	const struct excursion *excursion = excursion_item(tui, item);
	char length[32], what[192];

	if (!excursion)
		return (struct label){ "" };
	excursion_text(tui->config->excursions, excursion, what, sizeof(what));
	if (COLS < 60) /* no room for the length */
		return label_printf("%s %s", time_text(tui, excursion->t_ns).text, what);
	return label_printf("%-9s %10s%s  %s", time_text(tui, excursion->t_ns).text,
			    duration_text(excursion->beyond_ns, length, sizeof(length)),
			    excursion->is_over ? " " : "+", what);
}

/* The most costly one comes first. */
static unsigned excursion_rank(const struct tui *tui, unsigned item, const char *search)
{
	const struct excursion *excursion = excursion_item(tui, item);

	if (!excursion || !match_has(excursion_line(tui, item).text, search))
		return 0;
	return 1 + (unsigned)(1e6 * log1p(excursion->cost)); /* at most 7.1e8 */
}

static void excursion_draw(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			   int width)
{
	draw_text(y, x, width, is_chosen ? ROLE_SELECTED : ROLE_TEXT,
		  excursion_line(tui, item).text);
}

static void excursion_foot(const struct tui *tui UNUSED, int y, int x, int width)
{
	int end = x + width;

	x = chooser_hint(y, x, end, "Enter", "go to its worst window");
	x = chooser_hint(y, x, end, "Esc", "leave");
	draw_text(y, x, end - x, ROLE_DIM, "+ still beyond it");
}

static const char *excursion_none(const struct tui *tui)
{
	return *tui->chooser->search.text
		       ? "no excursion matches"
		       : "none: no busy core was beyond the threshold of a counted metric for 2 s, "
			 "and no row beyond a limit of --on";
}

static bool excursion_key(struct tui *tui, int key)
{
	static const struct cpus none;
	const struct cpus folded = tui->model.rows.folded;
	const struct excursions *list = tui->config->excursions;
	int item = chooser_item(tui);
	const struct excursion *excursion = item < 0 ? NULL : excursion_item(tui, (unsigned)item);
	const struct condition *condition =
		excursion ? &list->condition[excursion->condition] : NULL;

	if (key_is_enter(key) && excursion) {
		chooser_close(tui);
		playing_go(tui, excursion->worst_ns);
		if (tui->model.by != BY_CORE) /* clusters and types are its headings */
			model_group(&tui->model, BY_CORE);
		rows_fold_as(&tui->model, &none);
		rows_select(&tui->model, condition->by, excursion->index);
		model_select(&tui->model, ORDER_METRIC, (unsigned)condition->metric);
		rows_fold_around(&tui->model, &folded);
	}
	return key_is_enter(key);
}

void act_excursions(struct tui *tui, int key UNUSED)
{
	static const struct chooser_ops ops = {
		.name = "Excursions",
		.rank = excursion_rank,
		.draw = excursion_draw,
		.foot = excursion_foot,
		.none = excursion_none,
		.key = excursion_key,
	};
	const struct excursions *list = tui->config->excursions;

	tui->excursions_seen = list->n_begun;
	chooser_open(tui, &ops, list->n_items);
}
