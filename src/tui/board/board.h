/* board.h: a view of a table that grows while something runs; it knows nothing of what */
#ifndef TUI_BOARD_BOARD_H
#define TUI_BOARD_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tui/widget/hints.h"
#include "tui/widget/text_table.h"

struct keymap;

/** What stands above the table. */
struct board_head {
	char what[160];       /* the machine */
	char flag[16];        /* "SIMULATED" */
	char state[160];      /* at the right end: what is being done, or how it ended */
	char left[24];        /* behind it: "42 s left" */
	enum role role;       /* of both */
	double share;         /* of the bar, 0 … 1 */
	size_t version;       /* another number: there is more to be filled in */
	char last_error[200]; /* what goes wrong meanwhile, in the status line; "" */
	bool is_over;         /* that was all: it is filled in at once */
};

/** A row of the table, or of what Enter opened. */
struct board_place {
	bool is_open;
	uint64_t opened; /* by Enter: the key of its row */
	uint64_t key;    /* of the selected row */
};

/** Where it all comes from. Main thread throughout. */
struct board_source {
	void *data;
	/* Begin. The signals that the board takes are blocked by now. */
	int (*start)(void *data, struct err *err);
	/* How it stands; asked five times a second. */
	void (*look)(void *data, struct board_head *ret);
	/* The table. @all  rows too that say nothing  @return 0 or -ENOMEM */
	int (*fill)(void *data, bool all, struct text_table *ret);
	/* What Enter opens of a row. @return 0 or -ENOMEM */
	int (*open)(void *data, uint64_t key, struct text_table *ret);
	/* A few lines about the selected row. */
	void (*tell)(void *data, const struct board_place *place, struct text *ret);
};

struct board_config {
	struct board_source source;
	const char *name;          /* "m1top discover" */
	const char *all;           /* what `v` does, for the help */
	const struct hint *legend; /* marks and their meaning, for the help; ends with NULL */
	const struct theme *theme;
	const struct keymap *keymap; /* NULL: the keys as they are */
	bool ascii, mouse;
};

/**
 * Take the terminal, show the table until the user leaves, give the terminal back. Signals as in
 * tui_run.
 *
 * @return 0; -ENOTTY; what start said
 */
int board_run(const struct board_config *config, struct err *err);

#endif
