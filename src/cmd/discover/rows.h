/* discover_rows.h: what a sweep has found, as rows of a board */
#ifndef CMD_DISCOVER_ROWS_H
#define CMD_DISCOVER_ROWS_H

#include "discover/sweep.h"
#include "tui/board.h"

enum { DISCOVER_COLUMNS = 5 };

struct discover_rows {
	bool has_core_pmu;        /* of the machine; to be set before the first filling */
	struct findings findings; /* as they were filled in last */
	struct board_column column[DISCOVER_COLUMNS];
};

/** Marks in the rows and their meaning; ends with a NULL key. */
extern const struct hint discover_legend[];

/** A row for each id and core type. @all  those too that respond to nothing  @return 0 or -ENOMEM */
int discover_rows_fill(struct discover_rows *rows, struct sweep *sweep, bool all,
		       struct board_table *ret);

/** A row for each kernel on each type, of the id of a row's key. @return 0 or -ENOMEM */
int discover_rows_open(const struct discover_rows *rows, uint64_t key, struct board_table *ret);

/** About the selected row, in full. */
void discover_rows_tell(const struct discover_rows *rows, const struct board_place *at,
			struct text *ret);

/** Release. */
void discover_rows_fini(struct discover_rows *rows);

#endif
