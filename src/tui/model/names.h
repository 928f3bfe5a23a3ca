/* names.h: display names of rows, counters and changes; pure */
#ifndef TUI_MODEL_NAMES_H
#define TUI_MODEL_NAMES_H

#include "tui/model/model.h"

/** Name a column: "PMC5" if it is a hardware counter, else "column 5". */
struct label name_slot(const struct model *model, unsigned slot);

/** Format a column's number with the privilege level: "PMC5:u"; "5:u" if the column is no hardware
 * counter or PMC does not fit. */
struct label name_number(const struct model *model, unsigned slot, int width);

/** Name a row: "E cluster 0", "P node 1", "  cpu0"; short: "E cl0", "P N1", " cpu0". */
struct label name_line(const struct model *model, const struct line *line, bool is_short);

/** Return the columns to reserve for a row's name; a long list of threads is drawn shorter. */
int name_width(const struct model *model, const struct line *line, bool is_short);

/** Name a row likewise, without the leading blanks that indent cores. */
struct label name_row(const struct model *model, const struct line *line, bool is_short);

/** Format a column's heading: "PMC5 BRANCH"; "PMC5 -" if it is empty. */
struct label name_heading(const struct model *model, unsigned slot);

/** Get a metric's short name, or its name if it has none. */
const char *name_metric(const struct model *model, unsigned number);

/** Get ":k" or the like if the displayed metric is of one privilege level only, else "". */
const char *name_level(const struct model *model, unsigned number);

/** List the events that a new set moves, apart from `slot`: "BR-MISP 5→6, UOPS 7→8"; "" for none.
 * @return buf */
const char *name_moves(const struct set *from, const struct set *to, unsigned slot, char *buf,
		       size_t size);

/** Name a cgroup by its path as users know it: "/system/ssh". */
struct label name_cgroup(const struct cgroup *cgroup);

#endif
