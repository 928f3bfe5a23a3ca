/* stack.h: a bar of several parts, each with a mark and a colour of its own */
#ifndef TUI_WIDGET_STACK_H
#define TUI_WIDGET_STACK_H

#include "tui/term/theme.h"

/** The mark of a part, which tells it from the others without colour: "█". @part  below THEME_PARTS */
const char *stack_mark(unsigned part);

/**
 * How many columns each part takes: ends are rounded, so that all bars have one scale. Pure.
 *
 * @share  by part, 0 … 1; together above 1 they are drawn in proportion
 * @n      THEME_PARTS at most
 */
void stack_fit(const double *share, unsigned n, int width, int *ret);

/** Draw it from the left; what no part takes stays empty. */
void stack_draw(int y, int x, int width, const double *share, unsigned n);

#endif
