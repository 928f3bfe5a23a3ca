/* hints.h: keys and marks with their meaning, clickable in the status line, and as lines of the help */
#ifndef TUI_WIDGET_HINTS_H
#define TUI_WIDGET_HINTS_H

#include "tui/theme.h"

struct keymap;

struct hint {
	const char *key, *what; /* "] [" */
};

/**
 * Draw as many hints as fit, from the right edge on.
 *
 * @hint  the first ones are dropped last; a NULL key ends
 * @x     left limit
 * @end   column after the last one
 */
void hints_draw(const struct hint *hint, const struct keymap *keymap, int y, int x, int end);

/** Position in a help text that is printed line by line; lines before `first` are skipped. */
struct help_text {
	int y, end; /* first line of the screen, line after the last; 0, 0: only count */
	unsigned line, first;
};

/** Print a key or a mark and its meaning. @right  NULL: left is a line of its own */
void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right);

/** Print a title, and below it keys or marks with their meaning. @hint  a NULL key ends */
void help_text_hints(struct help_text *help_text, const char *title, const struct hint *hint);

#endif
