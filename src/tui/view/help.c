#include "tui/view.h"

#include <string.h>

#include "base/cleanup.h"
#include "tui/draw.h"
#include "tui/keymap.h"
#include "tui/keys.h"
#include "tui/moment.h"
#include "tui/pager.h"
#include "tui/paper.h"
#include "tui/state.h"

/* What one wants at first. Keys by the names that hints have. */
static const struct hint first_steps[] = {
	{ "e", "count something else: type a word of what it is, such as mispred" },
	{ "s", "sort by what is selected: which core does most of it" },
	{ "a", "put it into the Graph view" },
	{ "Tab", "the views, one after the other" },
	{ "l", "log everything to a file; once more: close it" },
};

static const struct {
	const char *mark, *meaning;
} legend[] = {
	{ "~", "an estimate: the counter ran for part of the time" },
	{ "-", "not counted, or nothing to divide by" },
	{ "n/s", "this core cannot count the event" },
	{ "off", "the core is offline" },
	{ "…", "the event has just changed" },
	{ "▲", "before a metric: beyond its threshold" },
	{ "▾ ▴", "beside a heading: sorted by it, the largest, the smallest first" },
	{ "k M G T", "thousands, millions and so on; about 1.00G also 0.98G, as it was before" },
};

static const struct {
	const char *where, *what;
} clicks[] = {
	{ "row, column", "selects it" },
	{ "heading", "sorts by it; once more: the other way round" },
	{ "view, hint", "goes there, does it" },
	{ "in a list", "selects; once more is Enter" },
	{ "wheel", "three rows up or down" },
	{ "with Shift", "the terminal selects text, as ever" },
};

/* Keys that mean something else, or only there. */
static const struct {
	const char *key, *what;
} in_lists[] = {
	{ "type", "names, words in any order, 0x8d or 8d, letters of a name" },
	{ "Tab", "the next counter that may count the event" },
	{ "Ctrl-R", "no previews: an event on which the cursor rests is counted" },
	{ "", "for one interval, in turn with the others: these are ~ then" },
	{ "/", "in Events: search; Esc shows all again" },
	{ "t", "in Events: by topic, or one list by name" },
	{ "Enter", "count the event on the selected counter, else on one that can" },
};

/* A recorded session has other things on some keys, and nothing on others. */
static bool is_gone(const struct tui *tui, const struct key *table, const struct key *key)
{
	if (!playing_is_on(tui))
		return false;
	return keys_changes(key) || (table == key_table && keys_find(playing_keys, key->code[0]));
}

static void print_keys(const struct tui *tui, const struct key *table, struct paper *paper)
{
	const char *group = "";
	char keys[128];

	for (const struct key *key = table; key->name; key++) {
		if (is_gone(tui, table, key))
			continue;
		if (strcmp(group, key->group) != 0) {
			group = key->group;
			paper_print(paper, ROLE_TITLE, group, NULL);
		}
		paper_print(paper, ROLE_KEY,
			    keymap_row_text(tui->config->keymap, key, keys, sizeof(keys)),
			    key->help);
	}
}

/* Is it a table of a view that comes before? */
static bool is_printed(const struct key *table, const struct view *const *view)
{
	for (const struct view *const *other = view_table; other < view; other++)
		for (size_t i = 0; (*other)->keys[i]; i++)
			if ((*other)->keys[i] == table)
				return true;
	return false;
}

/* Keys of views: what several of them share once. */
static void print_views(const struct tui *tui, struct paper *paper)
{
	for (const struct view *const *view = view_table; *view; view++)
		for (size_t i = 0; (*view)->keys[i]; i++)
			if (!is_printed((*view)->keys[i], view))
				print_keys(tui, (*view)->keys[i], paper);
}

static void print_first_steps(const struct tui *tui, struct paper *paper)
{
	char keys[32];

	paper_print(paper, ROLE_TITLE, "First steps", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(first_steps); i++)
		paper_print(paper, ROLE_KEY,
			    keymap_hint_text(tui->config->keymap, first_steps[i].key, keys,
					     sizeof(keys)),
			    first_steps[i].what);
}

static void print_all(const struct tui *tui, struct paper *paper)
{
	char text[128];

	if (!playing_is_on(tui))
		print_first_steps(tui, paper);
	else
		print_keys(tui, playing_keys, paper);
	print_keys(tui, key_table, paper);
	print_views(tui, paper);
	paper_print(paper, ROLE_TITLE, "Lists of events: to choose from, and the Events view",
		    NULL);
	for (size_t i = 0; i < ARRAY_SIZE(in_lists); i++)
		paper_print(paper, ROLE_KEY, in_lists[i].key, in_lists[i].what);
	paper_print(paper, ROLE_TITLE, "Mouse", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(clicks); i++)
		paper_print(paper, ROLE_KEY, clicks[i].where, clicks[i].what);
	paper_print(paper, ROLE_TITLE, "Beside a figure or in its place", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(legend); i++)
		paper_print(paper, ROLE_KEY, legend[i].mark, legend[i].meaning);
	paper_print(paper, ROLE_TITLE, "The past that is kept", NULL);
	paper_print(paper, ROLE_TEXT, "", moment_depth_text(tui, text, sizeof(text)));
}

static void help_draw(struct tui *tui)
{
	int y = pager_title(tui, "Help   Esc or q: back   j k PgDn PgUp: scroll");
	struct paper count = { .end = 0 };

	print_all(tui, &count);

	struct paper paper = { .y = y, .end = tui->layout.status_y };

	paper.first = pager_fit(tui, y, count.line);
	print_all(tui, &paper);
}

const struct view view_help = {
	.name = "Help",
	.what = "keys and marks",
	.is_aside = true,
	.hint = { { "Esc", "back" }, { "Tab", "view" } },
	.draw = help_draw,
	.key = pager_key,
};
