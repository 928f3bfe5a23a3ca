#include "tui/view/views.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tui/keys.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"
#include "tui/history/playing.h"
#include "tui/settings.h"

/* Marks by the characters that the screen shows; draw_text replaces those that ASCII lacks. */
static const struct hint legend[] = {
	{ "~", "an estimate: counted for part of the time, or approximate" },
	{ "±", "the error of an estimate: 95 of 100 are within it" },
	{ ">", "at least: a part may be in [unattributed]" },
	{ "-", "not counted, or nothing to divide by" },
	{ "n/s", "this core cannot count the event" },
	{ "off", "the core is offline" },
	{ "…", "a new event or a late core" },
	{ "▲", "before a metric: beyond its threshold" },
	{ "◆", "after a figure: the largest of its column" },
	{ "▸ ◂", "around a heading: the selected column; before a row: the selected row" },
	{ "▾ ▴", "beside a heading: sorted by it, largest or smallest first" },
	{ "‹ ›", "more columns or views to the left, to the right" },
	{ "█ ▓ ▒ ░", "where the cycles of a core go: useful, front end, back end, discarded;"
		     " what stays empty is in none of the four" },
	{ "k", "in Hot, before a function: it is the kernel's" },
	{ "◇", "on a time axis: the events changed" },
	{ "○ ●", "at the top right: no log; a log is being written. In lists ●: chosen" },
	{ "own", "at the top right: what m1top itself takes of the core that it loads most" },
	{ "wake-ups/s", "beside it: how often its threads wake, together" },
	{ "late", "beside it: how long after its time the latest read of the interval was" },
	{ "window", "the time between two reads of a core: what a figure is counted in" },
	{ "k M G T",
	  "thousands, millions and so on; near 1.00G also 0.98G, so that the unit does not flip" },
	{ 0 },
};

static const struct hint clicks[] = {
	{ "row, column", "selects it" },
	{ "heading", "sorts by it; again: reverses" },
	{ "view, hint", "goes there, does it; likewise the interval and others at the top" },
	{ "twice", "opens: the tasks of a core, a task, an event" },
	{ "in a list", "selects; again: Enter" },
	{ "wheel", "three rows up or down" },
	{ "with Shift", "the terminal selects text as usual" },
	{ 0 },
};

/* Keys with another or an additional meaning in lists. */
static const struct hint in_lists[] = {
	{ "type", "names, words in any order, 0x8d or 8d, letters of a name;"
		  " 0x8d! puts it on this counter even if it may count nothing there" },
	{ "Tab", "the next counter that can count the event" },
	{ "Ctrl-R", "previews on or off: the event under the cursor is counted"
		    " for one interval, multiplexed with the others, which are ~ then" },
	{ "/", "in Events: search; Esc shows all again" },
	{ "t", "in Events: by topic, or one list by name" },
	{ "Enter", "count the event on the selected counter, else on one that can" },
	{ 0 },
};

/* Words of other tools, and where m1top has what they name; in backquotes keys, of which those in effect are shown. */
static const struct hint elsewhere[] = {
	{ "flame graph callgraph icicle",
	  "F in Hot (`H`); m1top stat --by function -g --format folded" },
	{ "hotspot profile", "`H`: functions by samples, as in perf top" },
	{ "container pod", "`t` in Tasks, until rows are cgroups; m1top stat --by cgroup" },
	{ "kill renice taskset", "Enter on a task, there F9: signal, n: nice, c: affinity" },
	{ "htop top", "`T`: all tasks by CPU%; F2, F3, F4, F9 and F10 as there" },
	{ "memory swap", "no columns: memory and load stand at the top without counters" },
	{ "disk network", "pressure io below the heading; else iostat, sar" },
	{ "power watt joule energy temperature fan",
	  "the line below the heading, if the machine has sensors; -M package_watts" },
	{ "waiting run-queue schedstat",
	  "`C`: column WAIT% of Tasks; Enter on a task; -M waiting" },
	{ "pressure PSI contention", "the line below the heading; m1top stat --sensors" },
	{ "frequency clock throttled", "column FREQ, in GHz; the line below the heading" },
	{ "utilisation utilization busy idle", "column UTIL of cores, CPU% of tasks" },
	{ "IPC CPI", "`M`: instructions per cycle, and the reciprocal" },
	{ "stall bottleneck top-down", "`b`: the preset that explains the row's largest loss" },
	{ "cache TLB branch latency", "`P`: presets; `M`: metrics" },
	{ "bandwidth DRAM", "`M`: metrics in MB/s; Uncore: memory controllers" },
	{ "NUMA package die", "`t`: rows by node, socket, cluster" },
	{ "SMT hyperthread", "`c`: a row for each core instead of each thread" },
	{ "alarm alert", "`X`: what went beyond its threshold; --on acts on it" },
	{ "compare diff", "`B`: changes from a baseline; two sessions: m1top report A B" },
	{ "record capture", "`l`, or m1top -o FILE, m1top stat -o FILE" },
	{ "replay play open", "m1top replay FILE" },
	{ "report print", "m1top report FILE --html PAGE; whole machine: m1top survey" },
	{ "CSV JSON export", "m1top stat --format csv or json" },
	{ "Prometheus Grafana", "m1top serve" },
	{ "screenshot", "`w`: the history as a file, which m1top replay shows" },
	{ "root sudo permission", "m1top doctor: what cannot be counted, and what to type" },
	{ "copy paste", "with Shift the mouse selects text as usual" },
	{ "exit close", "`q`" },
	{ "color dark light", "`F2`: theme; --no-color" },
	{ 0 },
};

/* Whether a key has another meaning or none in a recorded session. */
static bool is_gone(const struct tui *tui, const struct key *table, const struct key *key)
{
	if (!tui_is_playing(tui))
		return false;
	return key->scope == COUNTS ||
	       (table == tui->keys && keys_find(playing_keys, key->code[0]));
}

static void print_keys(const struct tui *tui, const struct key *table, struct help_text *help_text)
{
	const char *group = "";
	char keys[128];

	for (const struct key *key = table; key->name; key++) {
		if (is_gone(tui, table, key))
			continue;
		if (strcmp(group, key->group) != 0) {
			group = key->group;
			help_text_print(help_text, ROLE_TITLE, group, NULL);
		}
		help_text_key(help_text, key,
			      keymap_row_text(tui->config->keymap, key, keys, sizeof(keys)),
			      key->help);
	}
}

/* Whether the table is printed before this view's: the view that the help was opened from comes first. */
static bool is_printed(const struct tui *tui, const struct key *table, enum view_id before)
{
	for (enum view_id id = 0; id < N_VIEWS; id++)
		for (size_t i = 0; (id < before || id == tui->back) && tui->views[id]->keys[i]; i++)
			if (tui->views[id]->keys[i] == table)
				return true;
	return false;
}

/* Print the keys of the other views; shared tables only once. */
static void print_views(const struct tui *tui, struct help_text *help_text)
{
	for (enum view_id id = 0; id < N_VIEWS; id++) {
		const struct key *const *table = tui->views[id]->keys;

		for (; *table; table++)
			if (!is_printed(tui, *table, id))
				print_keys(tui, *table, help_text);
	}
}

/* Print the keys that the status line of the view hints at, then those of its own. */
static void print_this_view(const struct tui *tui, struct help_text *help_text)
{
	const struct view *view = tui->views[tui->back];
	const struct key *const *table = view->keys;
	char text[128];
	int code;

	snprintf(text, sizeof(text), "%s: %s", view->name, view->what);
	help_text_print(help_text, ROLE_TITLE, text, NULL);
	help_text->heading = "";
	for (const struct hint *hint = view->hint; hint->key; hint++) {
		const struct key *row;

		snprintf(text, sizeof(text), "%.*s", (int)strcspn(hint->key, " "), hint->key);
		row = key_parse(text, &code, NULL) == 0 && !view_find_key(view, code)
			      ? keys_find(tui->keys, code)
			      : NULL;
		if (row && !is_gone(tui, tui->keys, row))
			help_text_key(help_text, row,
				      keymap_row_text(tui->config->keymap, row, text, sizeof(text)),
				      row->help);
	}
	for (; *table; table++)
		print_keys(tui, *table, help_text);
}

static const char *size_text(size_t bytes, char *buf, size_t size)
{
	if (bytes < 1024 * 1024)
		snprintf(buf, size, "%zu KiB", bytes / 1024);
	else
		snprintf(buf, size, "%.1f MiB", (double)bytes / (1024 * 1024));
	return buf;
}

/* Format how much of the history is kept, for the help. @return buf */
static const char *history_text(const struct tui *tui, char *buf, size_t size)
{
	const struct history *history = tui->model.history;
	char kept[32], used[16], most[16];

	snprintf(buf, size, "%s in %s; at most %s (--history)",
		 duration_text(scrub_depth_ns(&tui->model), kept, sizeof(kept)),
		 size_text(history_bytes(history), used, sizeof(used)),
		 size_text(tui->model.history_bytes, most, sizeof(most)));
	return buf;
}

/* Print the views that have a heading of their own, and all settings. */
static void print_lists(const struct tui *tui, struct help_text *help_text)
{
	help_text_print(help_text, ROLE_TITLE, "Views", NULL);
	for (enum view_id id = 0; id < N_VIEWS; id++)
		help_text_print(help_text, ROLE_KEY, tui->views[id]->name, tui->views[id]->what);
	help_text_print(help_text, ROLE_TITLE, "Settings, in the configuration and most in F2",
			NULL);
	for (const struct setting *setting = tui->settings; setting->name; setting++)
		help_text_print(help_text, ROLE_KEY, setting->name, setting->what);
}

/* Print the words of other tools with the keys in effect. */
static void print_elsewhere(const struct tui *tui, struct help_text *help_text)
{
	help_text_print(help_text, ROLE_TITLE, "Words of other tools", NULL);
	for (const struct hint *hint = elsewhere; hint->key; hint++) {
		char text[256] = "", part[128], keys[32];
		bool is_key = false;

		for (const char *at = hint->what; *at; is_key = !is_key) {
			size_t n = strcspn(at, "`");

			snprintf(part, sizeof(part), "%.*s", (int)n, at);
			buf_printf(text, sizeof(text), "%s",
				   is_key ? keymap_hint_text(tui->config->keymap, part, keys,
							     sizeof(keys))
					  : part);
			at += n + (at[n] == '`');
		}
		help_text_print(help_text, ROLE_KEY, hint->key, text);
	}
}

static void print_all(const struct tui *tui, struct help_text *help_text)
{
	char text[128];

	if (tui_is_playing(tui))
		print_keys(tui, playing_keys, help_text);
	print_this_view(tui, help_text);
	help_text_hints(help_text, "Marks", legend);
	print_keys(tui, tui->keys, help_text);
	print_views(tui, help_text);
	help_text_hints(help_text, "Lists of events: to choose from, and the Events view",
			in_lists);
	help_text_hints(help_text, "Mouse", clicks);
	print_lists(tui, help_text);
	print_elsewhere(tui, help_text);
	help_text_print(help_text, ROLE_TITLE, "History", NULL);
	help_text_print(help_text, ROLE_TEXT, "", history_text(tui, text, sizeof(text)));
}

static void help_draw(struct tui *tui)
{
	struct help_text count = { .find = tui->find, .first = tui->scroll };

	print_all(tui, &count);

	int y = pager_title(tui, "Help", count.key ? "   Enter: press the marked key" : "");

	struct help_text help_text = { .y = y, .end = tui->layout.status_y, .find = tui->find };

	help_text.first = pager_fit(tui, y, count.line);
	help_text.wants_near = !count.line;
	print_all(tui, &help_text);
	if (!help_text.line)
		draw_printf(y, 1, COLS - 2, ROLE_WARN, "nothing found: %s%s%s", tui->find,
			    *help_text.near ? "; near: " : "", help_text.near);
}

/* Return the view in which a row of its table acts: the one that the help was opened from, if it does there. */
static enum view_id view_of(const struct tui *tui, const struct key *row)
{
	bool is_of_views = row->scope != COUNTS && row->scope & ~tui->views[tui->back]->parts;

	for (unsigned i = 0; i <= N_VIEWS; i++) {
		enum view_id id = i ? (enum view_id)i - 1 : tui->back;

		for (const struct key *const *table = tui->views[id]->keys; *table; table++)
			if (keys_find(*table, row->code[0]) == row)
				return id;
	}
	return is_of_views ? VIEW_CORES : tui->back;
}

const struct key *help_leave(struct tui *tui)
{
	struct help_text help_text = { .find = tui->find, .first = tui->scroll };

	print_all(tui, &help_text);
	if (!help_text.key)
		return NULL;

	enum view_id id = view_of(tui, help_text.key);

	if (id != tui->back && tui_has_nothing_for(tui, id)) {
		tui_say(tui, ROLE_WARN, "%s acts in %s, %s", help_text.key->name,
			tui->views[id]->name, tui->views[id]->what);
		return NULL;
	}
	tui_show(tui, id);
	return help_text.key;
}

const struct view view_help = {
	.name = "Help",
	.what = "keys and marks",
	.is_text = true,
	.hint = { { "Esc", "back" }, { "Tab", "view" } },
	.draw = help_draw,
	.key = pager_key,
};
