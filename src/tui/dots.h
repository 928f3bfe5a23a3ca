/* dots.h: which counters take an event: one column a counter, a dot where it counts there */
#ifndef TUI_DOTS_H
#define TUI_DOTS_H

#include <stdint.h>

/** The digits above: counter 12 is 2. @chosen  this one is selected; UINT_MAX: none */
void dots_head_draw(int y, int x, int width, unsigned first, unsigned chosen);

/** From counter `first` on. @counters  bit n: counter n */
void dots_draw(int y, int x, int width, unsigned first, uint64_t counters);

#endif
