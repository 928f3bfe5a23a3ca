/* board_internal.h: what the files of the board share; nobody else includes it */
#ifndef TUI_BOARD_INTERNAL_H
#define TUI_BOARD_INTERNAL_H

#include "tui/board.h"
#include "tui/cursor.h"
#include "tui/input.h"

/** A table with what is selected in it. */
struct sheet {
	struct board_table table;
	int width[BOARD_COLUMNS_MAX]; /* of the widest cells */
	unsigned *order;              /* rows as they are shown; NULL: there are none */
	struct cursor cursor;
	unsigned column; /* sorted by */
	bool is_descending;
	unsigned n_seen; /* rows in the picture */
};

enum board_page { PAGE_TABLE, PAGE_OPENED, PAGE_HELP };

struct board {
	const struct board_config *config;
	struct board_head head;
	struct sheet table, opened;
	uint64_t opened_key;
	enum board_page page, behind_help;
	struct cursor help; /* .at: its first line */
	unsigned n_help;    /* lines that do not fit */
	bool shows_all;
	bool asks; /* a search is being typed */
	struct input input;
	char search[64];
	unsigned before; /* the selected row when the search began */
	char status[200];
	enum role status_role;
	size_t version;        /* of what is shown */
	uint64_t next_fill_ns; /* not before */
	bool leave;
};

/** One row of the key table. */
struct board_key {
	const char *name; /* as the help shows it */
	const char *help; /* NULL: what the board's config says of `all` */
	int code[6];      /* 0 ends */
	unsigned (*act)(struct board *board, int key); /* DID_… */
};

/** Ends with a NULL name. */
extern const struct board_key board_key_table[];

/** The table in front, NULL behind the help. */
struct sheet *board_sheet(struct board *board);

/** Key of the selected row. @return false: there is none */
bool sheet_key(const struct sheet *sheet, uint64_t *ret);

/** Put another table in place, the selection and the order stay. @return 0 or -ENOMEM */
int sheet_take(struct sheet *sheet, struct board_table *table);

/** In order again; the selected row stays so. */
void sheet_sort(struct sheet *sheet);

/** Release and empty. */
void sheet_fini(struct sheet *sheet);

/** Fill in what is shown, again. @return 0 or -ENOMEM */
int board_fill(struct board *board);

/** Take a key. @screen  the board  @return DID_… */
unsigned board_press(void *screen, int key);

/** Sort by a column; by the same once more in the other direction. */
void board_sort_by(struct board *board, unsigned column);

/** Say what just happened. */
void board_say(struct board *board, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Draw all of it. */
void board_draw(struct board *board);

#endif
