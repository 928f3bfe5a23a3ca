/* theme.h: how each role of text looks, with colour and without */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <curses.h>
#include <stdbool.h>

enum { THEME_LINES = 6, THEME_RAMP = 9 };

/** What a piece of text is, not how it looks. */
enum role {
	ROLE_TEXT,
	ROLE_DIM,      /* off rows, marks instead of figures, units */
	ROLE_HEADING,  /* column headings */
	ROLE_SELECTED, /* the selected column: heading and figures */
	ROLE_CURSOR,   /* the selected row */
	ROLE_TOTAL,    /* cluster rows: subtotals */
	ROLE_HEADLINE, /* IPC */
	ROLE_BAR,
	ROLE_SPARK,
	ROLE_TITLE, /* the program's name, titles of views and boxes */
	ROLE_KEY,   /* a key that can be pressed */
	ROLE_GOOD,  /* a log runs */
	ROLE_ALARM, /* a metric beyond its threshold */
	ROLE_WARN,  /* estimates, warnings, SIMULATED */
	ROLE_ERROR,
	ROLE_INPUT, /* what is being typed */
	N_ROLES,

	ROLE_LINE = N_ROLES,                 /* ROLE_LINE + n: line n of a graph */
	ROLE_RAMP = ROLE_LINE + THEME_LINES, /* ROLE_RAMP + n: from low to high */
};

/** Choose the table; after curses has started. @color  false: bold, reverse and underline only */
void theme_start(bool color);

/** Has the terminal colours for ROLE_RAMP? Else shades have to tell low from high. */
bool theme_has_ramp(void);

/** Attributes of a role in the chosen table. */
attr_t theme_attr(enum role role);

#endif
