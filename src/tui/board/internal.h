/* internal.h: what the files of a board share; nobody else includes it */
#ifndef TUI_BOARD_INTERNAL_H
#define TUI_BOARD_INTERNAL_H

#include "tui/screen/state.h"
#include "tui/term/key.h"
#include "tui/board/board.h"
#include "tui/widget/sheet.h"

/* Its views, by the numbers that views have. */
#define BOARD_TABLE  VIEW_CORES
#define BOARD_OPENED VIEW_METRICS
#define BOARD_HELP   VIEW_HELP

struct board {
	const struct board_config *config;
	struct board_head head;
	struct sheet table, opened;
	uint64_t opened_key;
	enum view_id behind_help;
	bool shows_all, is_frozen;
	size_t version;        /* of what is shown */
	uint64_t next_fill_ns; /* not before */
};

/** Ends with a NULL name. A row without help says what the board's config says of `all`. */
extern const struct key board_keys[];

/** By enum view_id. */
extern const struct view *const board_views[N_VIEWS];

/** The table in front. @return NULL: the help is */
struct sheet *board_sheet(const struct tui *tui);

/** Fill in what is shown, again; lack of memory is said. */
void board_fill(struct tui *tui);

/** tui->layout, before a picture. */
void board_fit(struct tui *tui);

/** The header, with what goes wrong in the status line. */
void board_draw_header(struct tui *tui);

/** What is in front: a table and the lines about its selected row, or the help. */
void board_draw(struct tui *tui);
void board_draw_help(struct tui *tui);

/** A click on a heading or a row. */
void board_click_heading(void *screen, int column);
void board_click_row(void *screen, int at);

#endif
