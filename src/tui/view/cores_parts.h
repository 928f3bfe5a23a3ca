/* cores_parts.h: what the time of a row's cores was spent on, as shares that a stacked bar shows; pure */
#ifndef TUI_VIEW_CORES_PARTS_H
#define TUI_VIEW_CORES_PARTS_H

#include "tui/model/model.h"

/** By the number of the part: those of struct metrics. */
struct row_parts {
	unsigned n;
	double share[METRIC_PARTS_MAX]; /* 0 … 1 */
	double sum;                     /* of them all: 1 where they divide all time */
	bool is_estimate;
	int loss; /* the largest part that is a loss; -1: nothing was lost */
};

/** Is there a metric for every part? Not without the counters for them. */
bool parts_are_known(const struct metrics *metrics);

/** Does the present set give every part, on some type? */
bool parts_are_counted(const struct model *model);

/** @return false: one of them has no figure here, and so the others say nothing */
bool parts_of_row(const struct model *model, const struct frame_row *row, struct row_parts *ret);

/** The part that the preset explains which is counted now. @return -1: it explains none */
int parts_explained(const struct model *model);

/** The preset that says why a part is large: the first that the machine has; where that is counted now
 * the next one. @return NULL: there is none */
const char *parts_preset(const struct model *model, unsigned part);

#endif
