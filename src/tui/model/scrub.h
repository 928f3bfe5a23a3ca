/* scrub.h: back and forth through the history: the picture becomes one of its cells; no curses */
#ifndef TUI_MODEL_SCRUB_H
#define TUI_MODEL_SCRUB_H

#include "tui/model/model.h"

/** Is a cell of the history shown? */
bool scrub_is_on(const struct model *model);

/** Which cell of model->past the picture lies in; not before the first frame. */
size_t scrub_at(const struct model *model);

/** Show a cell of model->past: the picture freezes, and events and metrics are those of then.
 * model_freeze(false) ends it. @return 0 or -ENOMEM */
int scrub_to(struct model *model, size_t i);

/**
 * So many cells forth, or back.
 *
 * @return 0; -ENOENT at that end of the history, where the picture stays what it is; -ENOMEM
 */
int scrub_by(struct model *model, long n);

/** How far the history goes back from the newest frame. */
uint64_t scrub_depth_ns(const struct model *model);

#endif
