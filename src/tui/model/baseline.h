/* baseline.h: earlier counts, and the change of each figure since then; no curses */
#ifndef TUI_MODEL_BASELINE_H
#define TUI_MODEL_BASELINE_H

#include "tui/model/model.h"
#include "tui/tui.h"

/* Smallest change that is not shown as zero. */
#define BASELINE_SHOWN 0.05

/** Create a baseline from the displayed set: the last `most_ns` up to the displayed frame, at least
 * one frame or bucket.
 * @ret_ns  length of that period  @return 0; -ENOENT: nothing was counted; -ENOMEM */
int baseline_of_shown(const struct model *model, uint64_t most_ns, struct baseline **ret,
		      uint64_t *ret_ns);

/** Get the sum of the period's frames with tasks. @return NULL: it has none, as that of a file */
const struct frame *baseline_tasks(const struct baseline *baseline);

/** Get the baseline of a figure; for raw counts the rate.
 * @row  of the displayed frame @return without a value if there is no baseline */
struct reading baseline_slot(const struct model *model, const struct frame_row *row, unsigned slot,
			     enum show show);
struct reading baseline_metric(const struct model *model, const struct frame_row *row,
			       unsigned number);

/**
 * Get a cell's reading: model_figure or model_metric_cell, or, if the model has a baseline, the
 * change. Metrics in % change in percentage points, all other figures in percent.
 */
struct reading baseline_slot_cell(const struct model *model, const struct frame_row *row,
				  unsigned slot);
struct reading baseline_metric_cell(const struct model *model, const struct frame_row *row,
				    unsigned number);

/** Calculate the change of a figure. UNDEFINED if `before` is 0 and `now` is not. Pure. */
struct reading baseline_change(struct reading now, struct reading before, bool is_share);

/**
 * Get the least change of an event's rate within the errors of both, as the logarithm of a factor; 0: maybe none.
 * Rates below one per second count as one.
 */
double baseline_least_change(const struct model *model, const struct frame_row *row, unsigned slot);

/** Get the unit of a change: "pp" if the figure is in "%", else "%". */
const char *baseline_unit(const char *unit);

/** Format a change: "+3.4", "-12", "×11"; changes of 10x or more are a factor.
 * @width 5 or more */
struct label baseline_text(struct reading change, unsigned width);

#endif
