/* settings.h: settings, one row each: configuration, options, list on the screen (F2); no curses */
#ifndef TUI_SETTINGS_H
#define TUI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

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
	double interval_s, budget_pct, busy_pct;
	char by[SETTING_TEXT_MAX];
	char preset[SETTING_TEXT_MAX];
	struct setting_list events, metrics; /* in the syntax of -e and -M */
	struct setting_list on;              /* in the syntax of --on */
	char view[SETTING_TEXT_MAX], figures[SETTING_TEXT_MAX];
	char theme[SETTING_TEXT_MAX];
	char history[SETTING_TEXT_MAX],
		log_limit[SETTING_TEXT_MAX]; /* in the syntax of --history */
	enum setting_flag ascii, mouse, real_time, graph_below, tasks_below;
	struct setting_list columns; /* columns of the Cores view: columns.h */
	char sort[SETTING_TEXT_MAX]; /* column to sort by, in the same syntax */
	char filter[SETTING_TEXT_MAX];
	char folded[SETTING_TEXT_MAX];       /* clusters: "all", "none" or their numbers */
	struct setting_list recent;          /* chosen events, newest first */
	struct setting_list rotate;          /* presets ticked for the rotation */
	double rotate_s;                     /* time that each of them stays, s */
	char metric_order[SETTING_TEXT_MAX]; /* order of the Metrics view */
};

enum setting_kind {
	SETTING_NUMBER, /* double */
	SETTING_TEXT,   /* char[SETTING_TEXT_MAX] */
	SETTING_LIST,   /* struct setting_list */
	SETTING_FLAG,   /* enum setting_flag */
};

enum { SETTING_ROWS_MAX = 32 };

/** Values of a setting on the screen; a flag's are 0 and 1. */
struct setting_values {
	const char *(*name)(unsigned value); /* NULL: there is no such value */
	unsigned (*get)(const struct tui *tui);
	void (*set)(struct tui *tui, unsigned value);
};

/** One setting. The configuration, its list on the screen, the manual page and docs/config.md use this row. */
struct setting {
	const char *name; /* key in the file */
	enum setting_kind kind;
	size_t offset;       /* offset in struct settings */
	const char *example; /* value as written in the file */
	const char *what;    /* one sentence without a final point */
	/* Long options that override it, separated by blanks. The first one takes its value; for a
	 * flag it means true, and one that begins with "no-" means false. NULL: none. */
	const char *options;
	/* Without an option: check a text or number. 0, or -EINVAL with the expected form in err. May be NULL. */
	int (*check)(const char *text, struct err *err);
	const char *title;                   /* name in the list on the screen; NULL: not there */
	const struct setting_values *values; /* NULL: changed otherwise */
	int key[2];                          /* keys that change it by -1 and 1; 0: none */
	const double *numbers; /* values, ascending, then 0; NULL: changed otherwise */
	const char *unit;      /* of numbers, with a blank before it */
	void (*change)(struct tui *tui, int step);
	/* Get its value. NULL: that of `values`, else what `take` reads. @return buf or a constant */
	const char *(*text)(const struct tui *tui, char *buf, size_t size);
	/* Apply a value to the screen: at the start, unless it has options, and when it changes; read it. NULL: not there. */
	void (*apply)(struct tui *tui, const void *value);
	void (*take)(const struct tui *tui, void *ret);
	bool if_changed;   /* taken only if setting_change was called for it */
	bool of_machine;   /* depends on the machine: a demo's is not kept */
	bool needs_height; /* applied when the terminal's height is known */
};

/** All settings except "keys", in the order of writing; ends with a NULL name, an action of the list on the screen. */
extern const struct setting setting_table[];

/** Release. NULL is accepted. */
void settings_fini(struct settings *settings);

/** Add a copy of a text. @return 0 or -ENOMEM */
int setting_list_add(struct setting_list *list, const char *text);

/** Release all texts; the list is empty then. */
void setting_list_clear(struct setting_list *list);

/** Check a text or number of the file. @return 0; -EINVAL with the expected form */
int setting_check(const struct setting *setting, const char *text, struct err *err);

/** Apply settings to the screen; what is unset stays as it is.
 * @needs_height  those that need the terminal's height, which is known; else the others */
void settings_apply(const struct settings *settings, struct tui *tui, bool needs_height);

/** Get a setting's value on the screen. @return buf or a constant; NULL: it has none */
const char *setting_text(const struct setting *setting, const struct tui *tui,
			 char buf[SETTING_TEXT_MAX]);

/** Change a setting to its next or previous value. @step  1 or -1 */
void setting_change(const struct setting *setting, struct tui *tui, int step);

/**
 * Read back the settings of the screen, except those that only the command knows.
 *
 * @of_machine  those for this machine: counted events, columns, rows and their order; else the others
 * @ret         these fields are replaced
 * @return      0 or -ENOMEM
 */
int settings_take(const struct tui *tui, bool of_machine, struct settings *ret);

#endif
