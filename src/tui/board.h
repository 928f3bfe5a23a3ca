/* board.h: a view of a table that grows during a run; independent of its contents */
#ifndef TUI_BOARD_H
#define TUI_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tui/widget/hints.h"
#include "tui/widget/sheet.h"

struct keymap;

/** Content of the header above the table. */
struct board_head {
	char what[160];       /* the machine */
	char flag[16];        /* "SIMULATED" or "" */
	char state[160];      /* current step or result, right-aligned */
	char left[24];        /* shown after state: "42 s left" */
	enum role role;       /* role of state and left */
	double share;         /* progress bar, 0 … 1 */
	size_t version;       /* changes when the table has new content */
	char last_error[200]; /* latest error, for the status line; "": none */
	bool is_over;         /* the run has ended: the table is filled at once */
};

/** A row of the table or of the table that Enter opened. */
struct board_place {
	bool is_open;
	uint64_t opened; /* key of the row that Enter opened */
	uint64_t key;    /* key of the selected row */
};

/** Source of the board's content. Main thread throughout. */
struct board_source {
	void *data;
	/* Start. The signals that the board handles are already blocked. */
	int (*start)(void *data, struct err *err);
	/* Write the present state; called five times a second. */
	void (*look)(void *data, struct board_head *ret);
	/* Fill the table. @all  include rows without results  @return 0 or -ENOMEM */
	int (*fill)(void *data, bool all, struct text_table *ret);
	/* Fill the table that Enter opens for a row. @return 0 or -ENOMEM */
	int (*open)(void *data, uint64_t key, struct text_table *ret);
	/* Write a few lines about the selected row. */
	void (*tell)(void *data, const struct board_place *place, struct text *ret);
};

struct board_config {
	struct board_source source;
	const char *name;          /* "m1top discover" */
	const char *all;           /* effect of `v`, for the help */
	const struct hint *legend; /* marks with their meaning, for the help; ends with NULL */
	const struct theme *theme;
	const struct keymap *keymap; /* NULL: default keys */
	bool ascii, mouse;
};

/**
 * Take the terminal, show the table until the user leaves, restore the terminal. Signals as in
 * tui_run.
 *
 * @return 0; -ENOTTY; the error of start
 */
int board_run(const struct board_config *config, struct err *err);

#endif
