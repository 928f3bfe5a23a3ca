/* settings.h: what of the screen can be kept from one run to the next; no curses */
#ifndef TUI_SETTINGS_SETTINGS_H
#define TUI_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct tui;

enum { SETTING_TEXT_MAX = 256 };

/** Texts, allocated. */
struct setting_list {
	char **item;
	size_t n, cap;
	bool failed; /* memory ran out for one of them */
};

/** A yes or no that may be neither. */
enum setting_flag { SETTING_UNSET, SETTING_NO, SETTING_YES };

/** `{ 0 }` is nothing at all: no number is 0, no text or list is empty that was set. */
struct settings {
	double interval_s, budget_pct;
	char by[SETTING_TEXT_MAX];
	char preset[SETTING_TEXT_MAX];
	struct setting_list events, metrics; /* as -e and -M take them */
	char view[SETTING_TEXT_MAX], figures[SETTING_TEXT_MAX];
	char theme[SETTING_TEXT_MAX];
	char history[SETTING_TEXT_MAX]; /* as --history takes it */
	enum setting_flag ascii, mouse;
	struct setting_list columns; /* of the Cores view: columns.h */
	char sort[SETTING_TEXT_MAX]; /* likewise */
	char filter[SETTING_TEXT_MAX];
	char folded[SETTING_TEXT_MAX];       /* clusters: "all", "none", their numbers */
	struct setting_list recent;          /* events that were chosen, the newest first */
	struct setting_list rotate;          /* presets that are ticked for the rotation */
	double rotate_s;                     /* each of them stays so long */
	char metric_order[SETTING_TEXT_MAX]; /* of the Metrics view */
};

/** Release. NULL is accepted. */
void settings_fini(struct settings *settings);

/** Add a copy of a text. @return 0 or -ENOMEM */
int setting_list_add(struct setting_list *list, const char *text);

/** Release its texts: it is empty then. */
void setting_list_clear(struct setting_list *list);

/** Is there a view of this name? @return 0; -EINVAL saying which there are */
int settings_check_view(const char *name, struct err *err);

/** Can metrics stand in this order? Likewise. */
int settings_check_order(const char *name, struct err *err);

/** Can a preset of the rotation stay so long? Likewise. */
int settings_check_stay(const char *seconds, struct err *err);

/** Can figures be shown so? Likewise. */
int settings_check_figures(const char *name, struct err *err);

/** Can it be folded clusters: "all", "none" or their numbers: "0,3-5"? Likewise. */
int settings_check_folded(const char *text, struct err *err);

/** Make the screen what they say; nothing for what they do not. */
void settings_apply(const struct settings *settings, struct tui *tui);

/** The same of the rows there are, once it is known how many the terminal has room for. */
void settings_apply_rows(const struct settings *settings, struct tui *tui);

/** What the screen is, whatever the machine: all but what only the verb knows. @ret in place of what
 * it holds */
void settings_take_screen(const struct tui *tui, struct settings *ret);

/** What the screen is for this machine: what is counted, its columns, which rows, in which order.
 * Likewise. @return 0 or -ENOMEM */
int settings_take_machine(const struct tui *tui, struct settings *ret);

#endif
