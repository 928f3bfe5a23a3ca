/* settings_chooser.c: settings as a list (F2), each changed by its key */

#include "base/cleanup.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/state.h"
#include "tui/settings.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* Return the row of an item: settings with a title, in the order of their table; its end is the action. */
static const struct setting *setting_at(unsigned item)
{
	const struct setting *setting = setting_table;

	while (setting->name && (!setting->title || item--))
		setting++;
	return setting;
}

static unsigned setting_rank(const struct tui *tui UNUSED, unsigned i, const char *search)
{
	const struct setting *setting = setting_at(i);

	return match_has(setting->title, search) || match_has(setting->what, search);
}

static void setting_draw(const struct tui *tui, unsigned i, bool is_chosen, int y, int x, int width)
{
	enum { NAME_WIDTH = 12, VALUE_WIDTH = 18 };
	const struct setting *setting = setting_at(i);
	int end = x + width;
	const struct key_text key = tui_key(tui, setting->key[0]);
	char buf[SETTING_TEXT_MAX];
	const char *value = setting_text(setting, tui, buf);

	draw_text(y, x, NAME_WIDTH, is_chosen ? ROLE_SELECTED : ROLE_TEXT, setting->title);
	x += NAME_WIDTH + 1;
	draw_text(y, x, VALUE_WIDTH, value ? ROLE_TOTAL : ROLE_KEY,
		  value             ? value
		  : setting->key[0] ? key.name
				    : "-");
	x += VALUE_WIDTH + 1;
	chooser_brief(y, x, end, ROLE_DIM, setting->what);
}

static bool setting_key(struct tui *tui, int key)
{
	int item = chooser_item(tui);

	if (!key_is_enter(key) && key != KEY_LEFT && key != KEY_RIGHT &&
	    (key != ' ' || *tui->chooser->search.text))
		return false;
	if (item >= 0)
		setting_change(setting_at((unsigned)item), tui, key == KEY_LEFT ? -1 : 1);
	return true;
}

static const struct chooser_ops ops = {
	.name = "Settings",
	.rank = setting_rank,
	.draw = setting_draw,
	.hint = { { "← →", "change" }, { "Enter", "next value, or do it" }, { "Esc", "done" } },
	.key = setting_key,
};

void act_settings(struct tui *tui, int key UNUSED)
{
	unsigned n = 0;

	while (setting_at(n)->name)
		n++;
	chooser_open(tui, &ops, n + 1);
}
