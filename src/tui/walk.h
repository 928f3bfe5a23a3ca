/* walk.h: back and forth through the past: the picture becomes one of its cells; no curses */
#ifndef TUI_WALK_H
#define TUI_WALK_H

#include "tui/model.h"

/** Is a cell of the past shown? */
bool walk_is_on(const struct model *model);

/** Which cell of model->past the picture lies in; not before the first frame. */
size_t walk_at(const struct model *model);

/** Show a cell of model->past: the picture freezes, and events and metrics are those of then.
 * model_freeze(false) ends it. @return 0 or -ENOMEM */
int walk_to(struct model *model, size_t i);

/**
 * So many cells forth, or back.
 *
 * @return 0; -ENOENT at that end of the past, where the picture stays what it is; -ENOMEM
 */
int walk_by(struct model *model, long n);

/** As model_history, of what came before the cell that is shown. */
void walk_history(const struct model *model, const struct line *line, float *ret, unsigned n);

/** How far the past goes back from the newest frame. */
uint64_t walk_depth_ns(const struct model *model);

/** A column's smallest, mean and largest rate on a line within the cell that is shown. */
struct past_value walk_rate(const struct model *model, const struct line *line, unsigned slot);

/** The same of a metric. */
struct past_value walk_metric(const struct model *model, const struct line *line, unsigned number);

#endif
