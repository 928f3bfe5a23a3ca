/* theme.h: how each role of text looks: the themes, and the colours that the terminal has */
#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

enum { THEME_LINES = 6, THEME_LEVELS = 4, THEME_PARTS = 4, THEME_RAMP = 9 };

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
	ROLE_TITLE, /* the program's name, titles of views and boxes */
	ROLE_KEY,   /* a key that can be pressed */
	ROLE_GOOD,  /* a log runs */
	ROLE_ALARM, /* a metric beyond its threshold */
	ROLE_WARN,  /* estimates, warnings, SIMULATED */
	ROLE_ERROR,
	ROLE_INPUT, /* what is being typed */
	N_ROLES,
	ROLE_LINE = N_ROLES,                   /* ROLE_LINE + n: line n of a graph */
	ROLE_LEVEL = ROLE_LINE + THEME_LINES,  /* ROLE_LEVEL + n: of a bar, from low to high */
	ROLE_PART = ROLE_LEVEL + THEME_LEVELS, /* ROLE_PART + n: of a stacked bar, part n */
	ROLE_RAMP = ROLE_PART + THEME_PARTS,   /* ROLE_RAMP + n: of an area, from low to high */
	N_LOOKS = ROLE_RAMP + THEME_RAMP,
};

/** One colour in the four ways that terminals know; all -1: the terminal's own. */
struct theme_color {
	int32_t rgb;         /* 0xRRGGBB */
	short c256, c16, c8; /* a number of that palette */
};

struct theme {
	const char *name;
	bool has_color;                /* false: bold, reverse and underline alone */
	struct theme_color text, back; /* of everything that has no colour of its own */
};

struct theme_look {
	struct theme_color color;
	attr_t attr;
};

/** Every theme, the default first; ends with a NULL name. */
extern const struct theme theme_table[];

/** How a theme of the table shows a role, from ROLE_TEXT to below N_LOOKS. */
const struct theme_look *theme_look(const struct theme *theme, int role);

/** By name. @return NULL when there is none */
const struct theme *theme_find(const char *name);

/** The one for --no-color and for terminals without colours. */
const struct theme *theme_monochrome(void);

/** Choose a theme; after curses has started. */
void theme_start(const struct theme *theme);

/** Has it changed the terminal's palette, which must be restored? */
bool theme_has_own_palette(void);

/** Has the theme colours for ROLE_RAMP here? Else shades have to tell low from high. */
bool theme_has_ramp(void);

/** ROLE_LEVEL + n for a share of what there can be, 0 … 1; beyond it the nearest. */
enum role theme_level(double share);

/** Attributes of a role in the chosen theme. */
attr_t theme_attr(enum role role);

#endif
