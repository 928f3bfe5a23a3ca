/* rows.h: what a sweep has found, as rows of a board: what the screen hands to it */
#ifndef CMD_DISCOVER_ROWS_H
#define CMD_DISCOVER_ROWS_H

#include "cmd/config/config.h"
#include "cmd/discover/discover.h"
#include "tui/board/board.h"

enum { DISCOVER_COLUMNS = 5 };

/** The screen of a sweep: the data of the board's source. */
struct discover_screen {
	struct discovery *d;
	struct options options; /* with what the configuration says */
	struct config config;
	struct findings findings; /* as the rows were filled in last */
	struct table_column column[DISCOVER_COLUMNS];
	struct err result;    /* why it ended early; "" it did not */
	char last_error[200]; /* the report could not be written */
	bool is_over;
};

/** Marks in the rows and their meaning; ends with a NULL key. */
extern const struct hint discover_legend[];

/** A row for each id and core type. @all  those too that respond to nothing  @return 0 or -ENOMEM */
int discover_rows_fill(void *data, bool all, struct text_table *ret);

/** A row for each kernel on each type, of the id of a row's key. @return 0 or -ENOMEM */
int discover_rows_open(void *data, uint64_t key, struct text_table *ret);

/** About the selected row, in full. */
void discover_rows_tell(void *data, const struct board_place *at, struct text *ret);

#endif
