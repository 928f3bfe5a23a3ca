/* paper.h: lines of text in two columns, scrolled: the help */
#ifndef TUI_PAPER_H
#define TUI_PAPER_H

#include "tui/theme.h"

/** Draws line by line, those before `first` not. */
struct paper {
	int y, end; /* the first line of the screen, the one behind the last; 0, 0: only count */
	unsigned line, first;
};

/** A key or a mark and what it means. @right  NULL: left is a line of its own */
void paper_print(struct paper *paper, enum role role, const char *left, const char *right);

#endif
