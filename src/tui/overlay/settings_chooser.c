/* settings_chooser.c: the screen's settings as a list, each changed by its key */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/sampler.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/term/terminal.h"

/* Settings, in the order of their rows. */
enum { THEME, INTERVAL, FIGURES, ROWS_BY, ASCII, CHOOSE_COLUMNS, SAVE };

static const struct setting {
	const char *name, *what;
	int key[2]; /* keys that change it by -1 and 1; 0: setting_key does */
} setting_table[] = {
	[THEME] = { "theme", "colours; colour-blind, mono and others", { 0 } },
	[INTERVAL] = { "interval", "time between two reads", { '-', '+' } },
	[FIGURES] = { "units", "rate, raw count, per 1000 instructions", { 'r', 'r' } },
	[ROWS_BY] = { "rows", "core, cluster, type and so on", { 't', 't' } },
	[ASCII] = { "ASCII", "only ASCII characters", { 0 } },
	[CHOOSE_COLUMNS] = { "columns", "choose the columns of Cores and Tasks", { 'C', 'C' } },
	[SAVE] = { "save", "write all settings to the configuration", { 'W', 'W' } },
};

static const struct theme *theme_now(const struct tui *tui)
{
	return tui->theme ? tui->theme : tui->config->theme;
}

/* Get a setting's value. @return NULL: it is an action; else buf or a constant */
static const char *value_of(const struct tui *tui, unsigned i, char *buf, size_t size)
{
	switch (i) {
	case THEME: return theme_now(tui)->name;
	case INTERVAL: return interval_text(sampler_interval(tui->config->sampler), buf, size);
	case FIGURES: return show_name[tui->model.show];
	case ROWS_BY: return frame_by_name(tui->model.by);
	case ASCII: return draw_is_ascii() ? "yes" : "no";
	default: return NULL;
	}
}

static void change_theme(struct tui *tui, int step)
{
	const struct theme *theme = theme_now(tui), *end = theme_table;

	while (end->name)
		end++;
	theme += step;
	tui->theme = theme < theme_table ? end - 1 : theme == end ? theme_table : theme;
	theme_set(tui->theme);
	clearok(curscr, TRUE);
	if (!has_colors())
		tui_say(tui, ROLE_WARN, "this terminal (TERM) has no colours");
}

static void change_ascii(struct tui *tui)
{
	if (terminal_needs_ascii())
		tui_say(tui, ROLE_WARN, "without a UTF-8 locale and on the Linux console: always");
	else
		draw_start(!draw_is_ascii());
	tui->has_set_ascii = true;
}

static unsigned setting_rank(const struct tui *tui UNUSED, unsigned i, const char *search)
{
	return match_has(setting_table[i].name, search) || match_has(setting_table[i].what, search);
}

static void setting_draw(const struct tui *tui, unsigned i, bool is_chosen, int y, int x, int width)
{
	enum { NAME_WIDTH = 10, VALUE_WIDTH = 18 };
	const struct setting *setting = &setting_table[i];
	int end = x + width;
	const struct key_text key = tui_key(tui, setting->key[0]);
	char buf[64];
	const char *value = value_of(tui, i, buf, sizeof(buf));

	draw_text(y, x, NAME_WIDTH, is_chosen ? ROLE_SELECTED : ROLE_TEXT, setting->name);
	x += NAME_WIDTH + 1;
	draw_text(y, x, VALUE_WIDTH, value ? ROLE_TOTAL : ROLE_KEY, value ? value : key.name);
	x += VALUE_WIDTH + 1;
	chooser_brief(y, x, end, ROLE_DIM, setting->what);
}

static void setting_foot(const struct tui *tui UNUSED, int y, int x, int width)
{
	int end = x + width;

	x = chooser_hint(y, x, end, "← →", "change");
	x = chooser_hint(y, x, end, "Enter", "next value, or do it");
	chooser_hint(y, x, end, "Esc", "done");
}

static bool setting_key(struct tui *tui, int key)
{
	int item = chooser_item(tui), step = key == KEY_LEFT ? -1 : 1;

	if (!key_is_enter(key) && key != KEY_LEFT && key != KEY_RIGHT &&
	    (key != ' ' || *tui->chooser->search.text))
		return false;
	if (item == THEME)
		change_theme(tui, step);
	else if (item == ASCII)
		change_ascii(tui);
	else if (item >= 0) {
		int other = setting_table[item].key[step > 0];

		keys_find(tui->keys, other)->act(tui, other);
	}
	return true;
}

static const struct chooser_ops ops = {
	.name = "Settings",
	.rank = setting_rank,
	.draw = setting_draw,
	.foot = setting_foot,
	.n_foot = 1,
	.key = setting_key,
};

void act_settings(struct tui *tui, int key UNUSED)
{
	chooser_open(tui, &ops, ARRAY_SIZE(setting_table));
}
