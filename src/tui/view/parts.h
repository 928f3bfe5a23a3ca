/* parts.h: top-down parts that open in Metrics: counting those that divide one, and the line with the way taken */
#ifndef TUI_VIEW_PARTS_H
#define TUI_VIEW_PARTS_H

#include "tui/model/model.h"

struct tui;

/** Whether the metric in a row of Metrics is a top-down part, of any level. */
bool parts_has(const struct tui *tui, unsigned at);

/** Count the parts that divide the one in a row, beside what is counted. */
void parts_open(struct tui *tui, unsigned at);

/** Stop counting the parts below a row. */
void parts_close(struct tui *tui, unsigned at);

/** Whether parts below a row are counted because parts_open was called. */
bool parts_is_open(const struct tui *tui, unsigned at);

/** Draw the way to the selected part, and the sum of the open parts beside the one that they divide, on a row of cores.
 * @y  -1: draw nothing  @return lines: 1 if parts are open */
int parts_draw(const struct tui *tui, const struct line *line, int y);

#endif
