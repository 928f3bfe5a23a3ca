/* settings.h: screen settings that are kept between runs; no curses */
#ifndef TUI_SETTINGS_H
#define TUI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/term/keymap.h"

struct tui;

enum { SETTING_TEXT_MAX = 256 };

/** A list of allocated texts. */
struct setting_list {
	char **item;
	size_t n, cap;
	bool failed; /* an allocation failed */
};

/** A yes/no setting that may be unset. */
enum setting_flag { SETTING_UNSET, SETTING_NO, SETTING_YES };

/** All settings. 0, "" and an empty list mean unset: `{ 0 }` sets nothing. */
struct settings {
	double interval_s, budget_pct;
	char by[SETTING_TEXT_MAX];
	char preset[SETTING_TEXT_MAX];
	struct setting_list events, metrics; /* in the syntax of -e and -M */
	struct setting_list on;              /* in the syntax of --on */
	char view[SETTING_TEXT_MAX], figures[SETTING_TEXT_MAX];
	char theme[SETTING_TEXT_MAX];
	char history[SETTING_TEXT_MAX]; /* in the syntax of --history */
	enum setting_flag ascii, mouse;
	struct setting_list columns; /* columns of the Cores view: columns.h */
	char sort[SETTING_TEXT_MAX]; /* column to sort by, in the same syntax */
	char filter[SETTING_TEXT_MAX];
	char folded[SETTING_TEXT_MAX];       /* clusters: "all", "none" or their numbers */
	struct setting_list recent;          /* chosen events, newest first */
	struct setting_list rotate;          /* presets ticked for the rotation */
	double rotate_s;                     /* time that each of them stays, s */
	char metric_order[SETTING_TEXT_MAX]; /* order of the Metrics view */
};

/** Release. NULL is accepted. */
void settings_fini(struct settings *settings);

/** Add a copy of a text. @return 0 or -ENOMEM */
int setting_list_add(struct setting_list *list, const char *text);

/** Release all texts; the list is empty then. */
void setting_list_clear(struct setting_list *list);

/** Check the name of a view. @return 0; -EINVAL with the valid names */
int settings_check_view(const char *name, struct err *err);

/** Check the name of an order of metrics. @return as settings_check_view */
int settings_check_order(const char *name, struct err *err);

/** Check how long a preset of the rotation stays. @return 0; -EINVAL with the valid range */
int settings_check_stay(const char *seconds, struct err *err);

/** Check the name of a display of figures. @return as settings_check_view */
int settings_check_figures(const char *name, struct err *err);

/** Check folded clusters: "all", "none" or their numbers: "0,3-5". @return 0; -EINVAL with the syntax */
int settings_check_folded(const char *text, struct err *err);

/** Apply settings to the screen; what is unset stays as it is. */
void settings_apply(const struct settings *settings, struct tui *tui);

/** Apply the settings of rows; call when the terminal's height is known. */
void settings_apply_rows(const struct settings *settings, struct tui *tui);

/** Read back the settings that do not depend on the machine, except those that only the command knows.
 * @ret  these fields are replaced */
void settings_take_screen(const struct tui *tui, struct settings *ret);

/** Read back the settings for this machine: counted events, columns, rows and their order.
 * @ret  these fields are replaced  @return 0 or -ENOMEM */
int settings_take_machine(const struct tui *tui, struct settings *ret);

#endif
