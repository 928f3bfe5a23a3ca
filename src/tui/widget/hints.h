/* hints.h: keys and marks with their meaning, as lines of the help */
#ifndef TUI_WIDGET_HINTS_H
#define TUI_WIDGET_HINTS_H

#include "tui/theme.h"

struct hint {
	const char *key, *what; /* "] [" */
};

/** Position in a help text that is printed line by line; lines before `first` are skipped. */
struct help_text {
	int y, end; /* first line of the screen, line after the last; 0, 0: only count */
	unsigned line, first;
	const char *find; /* only lines with all these words, and no titles; "": all */
};

/** Print a key or a mark and its meaning. @right  NULL: left is a line of its own */
void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right);

/** Print a title, and below it keys or marks with their meaning. @hint  a NULL key ends */
void help_text_hints(struct help_text *help_text, const char *title, const struct hint *hint);

#endif
