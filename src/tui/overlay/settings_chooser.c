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

static const struct theme *theme_now(const struct tui *tui)
{
	return tui->theme ? tui->theme : tui->config->theme;
}

static const char *theme_value(const struct tui *tui, char *buf UNUSED, size_t size UNUSED)
{
	return theme_now(tui)->name;
}

static void theme_change(struct tui *tui, int step)
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

static const char *interval_value(const struct tui *tui, char *buf, size_t size)
{
	return interval_text(sampler_interval(tui->config->sampler), buf, size);
}

static const char *figures_value(const struct tui *tui, char *buf UNUSED, size_t size UNUSED)
{
	return show_name[tui->model.show];
}

static const char *rows_value(const struct tui *tui, char *buf UNUSED, size_t size UNUSED)
{
	return frame_by_name[tui->model.by];
}

static const char *ascii_value(const struct tui *tui UNUSED, char *buf UNUSED, size_t size UNUSED)
{
	return draw_is_ascii() ? "yes" : "no";
}

static void ascii_change(struct tui *tui, int step UNUSED)
{
	if (terminal_needs_ascii())
		tui_say(tui, ROLE_WARN, "without a UTF-8 locale and on the Linux console: always");
	else
		draw_start(!draw_is_ascii());
	tui->has_set_ascii = true;
}

static const struct setting {
	const char *name, *what;
	/* Optional. Returns buf or a constant. */
	const char *(*value)(const struct tui *tui, char *buf, size_t size);
	void (*change)(struct tui *tui, int step); /* NULL: by these keys, -1 and 1 */
	int key[2];
} setting_table[] = {
	{ "theme", "colours; colour-blind, mono and others", theme_value, theme_change, { 0 } },
	{ "interval", "time between two reads", interval_value, NULL, { '-', '+' } },
	{ "units",
	  "of figures: rate, raw count, per 1000 instructions",
	  figures_value,
	  NULL,
	  { 'r', 'r' } },
	{ "rows", "core, cluster, type and so on", rows_value, NULL, { 't', 't' } },
	{ "ASCII", "only ASCII characters", ascii_value, ascii_change, { 0 } },
	{ "columns", "choose the columns of Cores and Tasks", NULL, NULL, { 'C', 'C' } },
	{ "save", "write all settings to the configuration", NULL, NULL, { 'W', 'W' } },
};

static unsigned setting_rank_word(const void *item, const char *word)
{
	const struct setting *setting = item;

	return match_better(match_name(setting->name, word), match_text(setting->what, word));
}

static unsigned setting_rank(const struct tui *tui UNUSED, unsigned i, const char *search)
{
	return match_words(search, setting_rank_word, &setting_table[i]);
}

static void setting_draw(const struct tui *tui, unsigned i, bool is_chosen, int y, int x, int width)
{
	enum { NAME_WIDTH = 10, VALUE_WIDTH = 18 };
	const struct setting *setting = &setting_table[i];
	int end = x + width;
	const struct key_text key = tui_key(tui, setting->key[0]);
	char buf[64];

	draw_text(y, x, NAME_WIDTH, is_chosen ? ROLE_SELECTED : ROLE_TEXT, setting->name);
	x += NAME_WIDTH + 1;
	draw_text(y, x, VALUE_WIDTH, setting->value ? ROLE_TOTAL : ROLE_KEY,
		  setting->value ? setting->value(tui, buf, sizeof(buf)) : key.name);
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

static void setting_change(struct tui *tui, const struct setting *setting, int step)
{
	int key = setting->key[step > 0];

	if (setting->change)
		setting->change(tui, step);
	else
		keys_find(tui->keys, key)->act(tui, key);
}

static bool setting_key(struct tui *tui, int key)
{
	int item = chooser_item(tui);

	if (!key_is_enter(key) && key != KEY_LEFT && key != KEY_RIGHT &&
	    (key != ' ' || *tui->chooser->search.text))
		return false;
	if (item >= 0)
		setting_change(tui, &setting_table[item], key == KEY_LEFT ? -1 : 1);
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
