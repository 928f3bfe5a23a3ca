/* preset_chooser.c: choosing a preset, and the presets of a rotation */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/counters/assign.h"
#include "tui/counters/rotation.h"
#include "tui/overlay/chooser.h"
#include "tui/term/key.h"
#include "tui/term/draw.h"
#include "tui/screen/state.h"

enum { NAME_WIDTH = 14 };

static const struct catalog_preset *known(const struct tui *tui, unsigned item)
{
	return tui->presets.preset[item].known;
}

static unsigned rank_list(const char *const *name, const char *word)
{
	unsigned rank = 0;

	for (; name && *name; name++)
		rank = match_better(rank, match_text(*name, word));
	return rank;
}

static unsigned preset_chooser_rank_word(const void *item, const char *word)
{
	const struct catalog_preset *preset = item;
	unsigned rank =
		match_better(match_name(preset->name, word), match_text(preset->brief, word));

	rank = match_better(rank, rank_list(preset->metric, word));
	return match_better(rank, rank_list(preset->event, word));
}

static unsigned preset_chooser_rank(const struct tui *tui, unsigned item, const char *search)
{
	return match_words(search, preset_chooser_rank_word, known(tui, item));
}

static bool preset_chooser_is_counted(const struct tui *tui, unsigned item)
{
	return strcmp(tui->model.set->preset, known(tui, item)->name) == 0;
}

static void draw_preset(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			int width)
{
	const struct catalog_preset *preset = known(tui, item);
	bool is_ticked = tui->presets.preset[item].is_ticked;
	int end = x + width;

	draw_text(y, x, 1, ROLE_KEY, is_ticked ? "●" : "·");
	draw_text(y, x + 2, NAME_WIDTH, is_chosen ? ROLE_SELECTED : ROLE_TEXT, preset->name);
	x += 2 + NAME_WIDTH + 1;
	if (preset_chooser_is_counted(tui, item))
		x += draw_text(y, x, end - x, ROLE_GOOD, "counted now  ");
	draw_text(y, x, end - x, ROLE_TEXT, preset->brief);
}

/* List the metrics, "gives IPC, branch_mpki, …"; the events of a preset that names no metrics. */
static void list_parts(const struct catalog_preset *preset, struct text *ret)
{
	const char *const *name = preset->metric ? preset->metric : preset->event;
	const char *before = preset->metric ? "gives " : "counts ";

	for (; *name; name++) {
		if (!**name)
			continue;
		text_printf(ret, "%s%s", before, *name);
		before = ", ";
	}
}

static void preset_chooser_draw_detail(const struct tui *tui, unsigned item, int y, int x,
				       int width, int n_lines)
{
	const struct catalog_preset *preset = known(tui, item);
	AUTO_TEXT struct text parts = { 0 };

	list_parts(preset, &parts);
	if (parts.bytes && !parts.failed)
		chooser_texts(y, x, width, n_lines, preset->what, parts.bytes);
}

static void preset_chooser_draw_foot(const struct tui *tui, int y, int x, int width)
{
	int end = x + width;
	unsigned n_ticked = presets_n_ticked(&tui->presets);
	char text[64];

	x = chooser_hint(y, x, end, "Enter", "count it");
	x = chooser_hint(y, x, end, "Tab", "tick for R");
	if (n_ticked)
		snprintf(text, sizeof(text), "rotate through %u", n_ticked);
	x = chooser_hint(y, x, end, "R", n_ticked ? text : "rotate through all");
	chooser_hint(y, x, end, "Esc", "leave");
}

static const char *say_none(const struct tui *tui)
{
	if (tui->presets.n)
		return "no preset matches";
	return machine_has_core_pmu(tui->model.machine)
		       ? "there are no presets for this processor: choose metrics or events"
		       : "presets are made of hardware counters, and this machine has none: choose "
			 "metrics or events";
}

static void preset_tick(struct tui *tui, unsigned item)
{
	struct preset *preset = &tui->presets.preset[item];

	preset->is_ticked = !preset->is_ticked;
}

static void preset_untick(struct tui *tui)
{
	for (unsigned i = 0; i < tui->presets.n; i++)
		tui->presets.preset[i].is_ticked = false;
}

static bool preset_key(struct tui *tui, int key)
{
	int item = chooser_item(tui);
	const char *aside;

	if (key_is_enter(key)) {
		if (item < 0 || assign_preset(tui, known(tui, (unsigned)item)->name, &aside) < 0)
			return true;
		tui_say(tui, ROLE_TEXT, "counting preset %s%s", known(tui, (unsigned)item)->name,
			aside);
		chooser_close(tui);
	} else if (key == 'R') {
		chooser_close(tui);
		act_rotate(tui, key);
	} else {
		return false;
	}
	return true;
}

static bool preset_is_folded(const struct tui *tui, unsigned item)
{
	return catalog_is_variant(known(tui, item)->group) &&
	       !preset_chooser_is_counted(tui, item) && !tui->presets.preset[item].is_ticked;
}

static const struct chooser_ops ops = {
	.name = "Presets",
	.rank = preset_chooser_rank,
	.is_folded = preset_is_folded,
	.folded = "xscale",
	.draw = draw_preset,
	.foot = preset_chooser_draw_foot,
	.detail = preset_chooser_draw_detail,
	.none = say_none,
	.tick = preset_tick,
	.untick = preset_untick,
	.key = preset_key,
};

void act_preset(struct tui *tui, int key UNUSED)
{
	int at = presets_find(&tui->presets, tui->model.set->preset);

	if (chooser_open(tui, &ops, tui->presets.n) == 0 && at >= 0)
		chooser_select(tui, (unsigned)at);
}
