/* power.h: the line of power, instructions per joule, clocks, temperature, fans and batteries */
#ifndef TUI_VIEW_POWER_H
#define TUI_VIEW_POWER_H

#include "tui/model/model.h"

/** Draw as much of the line as fits, the most important first. What is missing is left out. */
void power_draw(const struct model *model, int y);

#endif
