/* names.h: what rows, counters and changes are called on the screen; pure */
#ifndef TUI_MODEL_NAMES_H
#define TUI_MODEL_NAMES_H

#include "tui/model/model.h"

/** "PMC5" where the columns are hardware counters, else "column 5". @return buf */
const char *name_slot(const struct model *model, unsigned slot, char *buf, size_t size);

/** A row's name: "E cluster 0", "P socket 1", "  cpu0"; short: "E cl0", "P S1", " cpu0". @return buf */
const char *name_line(const struct model *model, const struct line *line, bool is_short, char *buf,
		      size_t size);

/** Likewise, without the blanks by which cores stand beneath their cluster. @return in buf */
const char *name_row(const struct model *model, const struct line *line, bool is_short, char *buf,
		     size_t size);

/** A column's heading: "5 BRANCH"; "5 -" when it is empty. @return buf */
const char *name_heading(const struct model *model, unsigned slot, char *buf, size_t size);

/** A metric's short name, or its name where it has none. */
const char *name_metric(const struct model *model, unsigned number);

/** ":k" where the picture has the metric of one level alone, else "". */
const char *name_level(const struct model *model, unsigned number);

/** "0x8d", or "" for an event without a number of its own. @return buf */
const char *name_id(const struct event *event, char *buf, size_t size);

/** What a new set moves besides `slot`: "BR-MISP 5→6, UOPS 7→8"; "" for nothing. @return buf */
const char *name_moves(const struct set *from, const struct set *to, unsigned slot, char *buf,
		       size_t size);

#endif
