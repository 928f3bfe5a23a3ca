#include "tui/theme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

/* Colour depth of the terminal. */
enum depth {
	DEPTH_NONE,
	DEPTH_8,
	DEPTH_BOLD, /* 8 colours, which bold makes bright: the Linux console */
	DEPTH_16,
	DEPTH_256,
	DEPTH_PALETTE, /* 256 colours that can be redefined */
	DEPTH_DIRECT,  /* red, green and blue of each colour */
};

static const struct theme *chosen;
static enum depth depth;
static bool has_started; /* colours of curses */

const struct theme *theme_find(const char *name)
{
	for (const struct theme *theme = theme_table; theme->name; theme++)
		if (strcmp(theme->name, name) == 0)
			return theme;
	return NULL;
}

const struct theme *theme_monochrome(void)
{
	const struct theme *theme = theme_table;

	while (theme->has_color)
		theme++;
	return theme;
}

static enum depth find_depth(void)
{
	/* the terminfo entry often does not know it */
	const char *says = getenv("COLORTERM");
	bool is_true = says && (strcmp(says, "truecolor") == 0 || strcmp(says, "24bit") == 0);

	if (COLORS >= 1 << 24 && (tigetflag("RGB") > 0 || tigetnum("RGB") > 0))
		return DEPTH_DIRECT;
	if (COLORS >= 256)
		return is_true && can_change_color() ? DEPTH_PALETTE : DEPTH_256;
	if (COLORS >= 16)
		return DEPTH_16;
	return strcmp(termname(), "linux") == 0 ? DEPTH_BOLD : DEPTH_8;
}

/* Convert to thousandths, from which the terminal makes 255ths by truncation. */
static int thousandths(int value)
{
	return (value * 1000 + 254) / 255;
}

/* @return curses' number of the colour; -1: the terminal's own */
static int theme_number_of(const struct theme_color *color)
{
	switch (depth) {
	case DEPTH_DIRECT: return color->rgb;
	case DEPTH_PALETTE:
		if (color->rgb < 0)
			return -1;
		/* redefine the entry of the nearest colour, which stays if the terminal ignores this */
		init_extended_color(color->c256, thousandths(color->rgb >> 16),
				    thousandths(color->rgb >> 8 & 255),
				    thousandths(color->rgb & 255));
		return color->c256;
	case DEPTH_256: return color->c256;
	case DEPTH_16: return color->c16;
	case DEPTH_BOLD: return color->c16 < 0 ? -1 : color->c16 % 8;
	default: return color->c8;
	}
}

/* Whether bold makes the colour bright. Reversed, it would lighten the letters instead. */
static bool is_bright(const struct theme_look *look)
{
	return depth == DEPTH_BOLD && look->color.c16 >= 8 && !(look->attr & A_REVERSE);
}

static int look_number(const struct theme_look *look)
{
	if (depth == DEPTH_BOLD && look->attr & A_REVERSE)
		return look->color.c8;
	return theme_number_of(&look->color);
}

void theme_start(const struct theme *theme)
{
	has_started = false;
	theme_set(theme);
}

void theme_set(const struct theme *theme)
{
	chosen = theme_monochrome();
	depth = DEPTH_NONE;
	if (!theme->has_color || !has_colors())
		return;
	chosen = theme;
	if (has_started)
		reset_color_pairs(); /* curses would leak those that change */
	else
		start_color();
	has_started = true;
	depth = find_depth();

	int back = theme_number_of(&theme->back);

	assume_default_colors(theme_number_of(&theme->text), back);
	for (int i = 0; i < N_LOOKS; i++)
		if (theme_look(theme, i)->color.rgb >= 0)
			init_extended_pair(i + 1, look_number(theme_look(theme, i)), back);
}

bool theme_has_own_palette(void)
{
	return depth == DEPTH_PALETTE;
}

bool theme_has_ramp(void)
{
	return depth >= DEPTH_256;
}

enum role theme_level(double share)
{
	double level = share * THEME_LEVELS;

	return (enum role)(ROLE_LEVEL + (level < 1 ? 0 : (int)fmin(level, THEME_LEVELS - 1)));
}

attr_t theme_attr(enum role role)
{
	const struct theme_look *look = theme_look(chosen, (int)role);
	bool is_colored = depth != DEPTH_NONE && look->color.rgb >= 0;
	attr_t color = is_colored ? (attr_t)COLOR_PAIR((int)role + 1) : 0;

	return look->attr | color | (is_bright(look) ? A_BOLD : 0);
}
