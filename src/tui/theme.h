/* theme.h: colours and attributes of each role of text, by theme and terminal */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

enum { THEME_LINES = 6, THEME_LEVELS = 4, THEME_PARTS = 4, THEME_RAMP = 9 };

/** Purpose of a piece of text; the theme decides on its look. */
enum role {
	ROLE_TEXT,
	ROLE_DIM,      /* off rows, marks instead of figures, units */
	ROLE_HEADING,  /* column headings */
	ROLE_SELECTED, /* the selected column: heading and figures */
	ROLE_CURSOR,   /* the selected row */
	ROLE_TOTAL,    /* cluster rows: subtotals */
	ROLE_HEADLINE, /* IPC */
	ROLE_BAR,
	ROLE_TITLE, /* program name, titles of views and boxes */
	ROLE_KEY,   /* a key that can be pressed */
	ROLE_GOOD,  /* a result, a running log */
	ROLE_ALARM, /* a metric beyond its threshold */
	ROLE_WARN,  /* estimates, warnings, SIMULATED */
	ROLE_ERROR,
	ROLE_INPUT, /* typed text */
	N_ROLES,
	ROLE_LINE = N_ROLES,                   /* ROLE_LINE + n: line n of a graph */
	ROLE_LEVEL = ROLE_LINE + THEME_LINES,  /* ROLE_LEVEL + n: of a bar, low to high */
	ROLE_PART = ROLE_LEVEL + THEME_LEVELS, /* ROLE_PART + n: part n of a stacked bar */
	ROLE_RAMP = ROLE_PART + THEME_PARTS,   /* ROLE_RAMP + n: of an area, low to high */
	N_LOOKS = ROLE_RAMP + THEME_RAMP,
};

/** One colour at each colour depth of terminals; all -1: the terminal's own. */
struct theme_color {
	int32_t rgb;         /* 0xRRGGBB */
	short c256, c16, c8; /* index into that palette */
};

struct theme {
	const char *name;
	bool has_color;                /* false: bold, reverse and underline alone */
	struct theme_color text, back; /* default foreground and background */
};

struct theme_look {
	struct theme_color color;
	attr_t attr;
};

/** Every theme, the default first; ends with a NULL name. */
extern const struct theme theme_table[];

/** Return how a theme of theme_table shows a role, ROLE_TEXT to N_LOOKS - 1. */
const struct theme_look *theme_look(const struct theme *theme, int role);

/** Find a theme by name. @return NULL: none */
const struct theme *theme_find(const char *name);

/** Return the theme for --no-color and for terminals without colours. */
const struct theme *theme_monochrome(void);

/** Set the first theme; call after curses has started. */
void theme_start(const struct theme *theme);

/** Set another theme. */
void theme_set(const struct theme *theme);

/** Whether the theme has changed the terminal's palette, which must be restored. */
bool theme_has_own_palette(void);

/** Whether the terminal has colours for ROLE_RAMP; if not, shades tell low from high. */
bool theme_has_ramp(void);

/** Return ROLE_LEVEL + n for a share of the maximum, 0 … 1; values outside are clamped. */
enum role theme_level(double share);

/** Return the attributes of a role in the current theme. */
attr_t theme_attr(enum role role);

#endif
