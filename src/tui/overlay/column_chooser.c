/* column_chooser.c: choosing the columns of Cores and Tasks and their order */

#include "base/cleanup.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/model/names.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/state.h"

static bool column_chooser_is_there(const struct tui *tui, const struct shown *item)
{
	const struct model *model = &tui->model;

	/* same as the headline */
	if (item->kind == SHOWN_METRIC && (int)item->number == model->primary_metric)
		return false;
	return model_has_column(model, item);
}

struct texts {
	struct label name;
	const char *what;
};

static struct texts texts_of(const struct tui *tui, const struct shown *item)
{
	const struct model *model = &tui->model;
	bool is_fixed = item->kind == SHOWN_FIXED;
	const struct sheet_column *fixed = is_fixed ? model->columns.fixed[item->number] : NULL;

	if (item->kind == SHOWN_SLOT) {
		const struct event *event = set_event(model->set, item->number);

		return (struct texts){ name_heading(model, item->number),
				       event ? event->name : "" };
	}
	if (fixed && fixed->title)
		return (struct texts){ label_printf("%s", fixed->title), fixed->what };

	const struct metric *metric =
		&model->metrics->metric[is_fixed ? (unsigned)model->primary_metric : item->number];

	return (struct texts){ label_printf("%s", fixed ? metric->short_name : metric->name),
			       metric->brief };
}

static unsigned column_chooser_rank_word(const void *item, const char *word)
{
	const struct texts *texts = item;

	return match_better(match_name(texts->name.text, word), match_text(texts->what, word));
}

static unsigned column_chooser_rank(const struct tui *tui, unsigned i, const char *search)
{
	const struct shown *item = &tui->model.columns.item[i];
	struct texts texts;

	if (!column_chooser_is_there(tui, item))
		return 0;
	texts = texts_of(tui, item);
	return match_words(search, column_chooser_rank_word, &texts);
}

static void draw_item(const struct tui *tui, unsigned i, bool is_chosen, int y, int x, int width)
{
	enum { NAME_WIDTH = 24 };
	const struct shown *item = &tui->model.columns.item[i];
	const struct texts texts = texts_of(tui, item);
	int end = x + width;

	draw_text(y, x, 1, ROLE_KEY, item->is_hidden ? "·" : "●");
	x += 2;
	draw_text(y, x, NAME_WIDTH, is_chosen ? ROLE_SELECTED : ROLE_TEXT, texts.name.text);
	x += NAME_WIDTH + 2;
	chooser_brief(y, x, end, ROLE_DIM, texts.what);
}

/* Move an item past the next visible one, so that each step has an effect. */
static void move_item(struct tui *tui, unsigned at, int step)
{
	struct columns *columns = &tui->model.columns;
	unsigned to = at, before;

	do {
		before = to;
		to = columns_move(columns, to, step);
	} while (to != before && !column_chooser_is_there(tui, &columns->item[before]));
	chooser_find(tui);
	chooser_select(tui, to);
}

static void reset(struct tui *tui)
{
	model_reset_columns(&tui->model);
	chooser_find(tui);
}

static void column_tick(struct tui *tui, unsigned item)
{
	struct shown *shown = &tui->model.columns.item[item];

	shown->is_hidden = !shown->is_hidden;
}

static bool column_key(struct tui *tui, int key)
{
	int item = chooser_item(tui);

	if (key_is_enter(key)) {
		if (item >= 0)
			column_tick(tui, (unsigned)item);
	} else if (key == KEY_LEFT || key == KEY_RIGHT) {
		if (item >= 0)
			move_item(tui, (unsigned)item, key == KEY_LEFT ? -1 : 1);
	} else {
		return false;
	}
	return true;
}

static const struct chooser_ops ops = {
	.name = "Columns of Cores and Tasks",
	.rank = column_chooser_rank,
	.draw = draw_item,
	.hint = { { "Tab", "show or hide" },
		  { "← →", "move it" },
		  { "S-Tab", "reset" },
		  { "Esc", "done" } },
	.tick = column_tick,
	.untick = reset,
	.key = column_key,
};

void act_columns(struct tui *tui, int key UNUSED)
{
	chooser_open(tui, &ops, tui->model.columns.n);
}
