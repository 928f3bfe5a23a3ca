/* hints.h: keys and marks and what they mean: at the end of the status line, where a click presses
 * them, and as the lines of the help */
#ifndef TUI_WIDGET_HINTS_H
#define TUI_WIDGET_HINTS_H

#include "tui/term/theme.h"

struct keymap;

struct hint {
	const char *key, *what; /* "] [" */
};

/**
 * Draw as many as there is room for, from the right edge on.
 *
 * @hint  the first ones are the last to give way; a NULL key ends
 * @x     no further to the left
 * @end   behind the last one
 */
void hints_draw(const struct hint *hint, const struct keymap *keymap, int y, int x, int end);

/** Draws line by line, those before `first` not. */
struct help_text {
	int y, end; /* the first line of the screen, the one behind the last; 0, 0: only count */
	unsigned line, first;
};

/** A key or a mark and what it means. @right  NULL: left is a line of its own */
void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right);

/** A title, and beneath it keys or marks and what they mean. @hint  a NULL key ends */
void paper_hints(struct help_text *help_text, const char *title, const struct hint *hint);

#endif
