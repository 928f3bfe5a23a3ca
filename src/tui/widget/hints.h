/* hints.h: keys and marks with their meaning, as lines of the help */
#ifndef TUI_WIDGET_HINTS_H
#define TUI_WIDGET_HINTS_H

#include <stdbool.h>

#include "tui/theme.h"

struct key;

struct hint {
	const char *key, *what; /* "] [" */
};

/** Position in a help text that is printed line by line; lines before `first` are skipped. */
struct help_text {
	int y, end; /* first line of the screen, line after the last; 0, 0: only count */
	unsigned line, first;
	const char *
		find; /* only lines with all these words, in them or their heading; "": all, with headings */
	const char *heading;
	const struct key *key; /* row of the first key found from `first` on */
	bool wants_near;       /* nothing is found: look for the nearest word */
	char near[32];         /* word nearest to `find`; "": none is near */
	unsigned distance;     /* of `near` */
};

/** Print a key or a mark and its meaning. @right  NULL: left is a heading, which must stay alive */
void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right);

/** Likewise a row of a table of keys. @keys  text of the keys in effect  @help  their meaning */
void help_text_key(struct help_text *help_text, const struct key *row, const char *keys,
		   const char *help);

/** Print a title, and below it keys or marks with their meaning. @hint  a NULL key ends */
void help_text_hints(struct help_text *help_text, const char *title, const struct hint *hint);

#endif
