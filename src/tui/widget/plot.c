#include "tui/widget/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Dots per cell. */
static const struct {
	unsigned columns, rows;
} dots_of[N_PLOT_KINDS] = {
	[PLOT_BRAILLE] = { 2, 4 },
	[PLOT_BLOCKS] = { 1, 2 },
	[PLOT_ASCII] = { 1, 1 },
};

/* Styles that distinguish lines without colour; columns: which of 8 columns of dots are drawn on a level
 * line. */
static const struct {
	uint8_t columns;
	const char *sample;
	char ascii[2];
} style[PLOT_LINES_MAX] = {
	{ 0xff, "━", "*" }, { 0x77, "╍", "+" }, { 0x55, "┅", "o" },
	{ 0x5f, "╾", "x" }, { 0x0f, "╺", "#" }, { 0x11, "┉", "@" },
};

unsigned plot_columns(enum plot_kind kind)
{
	return dots_of[kind].columns;
}

const char *plot_sample(enum plot_kind kind, unsigned line)
{
	return kind == PLOT_ASCII ? style[line].ascii : style[line].sample;
}

int plot_init(struct plot *plot, enum plot_kind kind, unsigned width, unsigned height, double low,
	      double high)
{
	struct plot_cell *cell = calloc((size_t)width * height + 1, sizeof(*cell));

	if (!cell)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)width * height; i++)
		cell[i].line = PLOT_EMPTY;
	*plot = (struct plot){ kind, width, height, low, high, cell };
	return 0;
}

void plot_fini(struct plot *plot)
{
	if (plot)
		free(plot->cell);
}

/* ---- dots ---- */

static int n_rows(const struct plot *plot)
{
	return (int)(plot->height * dots_of[plot->kind].rows);
}

/* Return the row of dots of a value, 0 at the top; outside the plot if the value is. */
static int dot_row(const struct plot *plot, double value)
{
	double share = (plot->high - value) / (plot->high - plot->low);

	return (int)lround(fmin(fmax(share, -1), 2) * (n_rows(plot) - 1));
}

static void set_dot(struct plot *plot, unsigned line, bool is_band, unsigned x, int y)
{
	unsigned columns = dots_of[plot->kind].columns, rows = dots_of[plot->kind].rows;

	if (y < 0 || y >= n_rows(plot))
		return;

	struct plot_cell *cell = &plot->cell[(unsigned)y / rows * plot->width + x / columns];

	if (is_band && cell->line != PLOT_EMPTY && !cell->is_band)
		return; /* a line is drawn there */
	if (!is_band && cell->is_band)
		cell->dots = 0;
	cell->dots |= (uint8_t)(1U << ((unsigned)y % rows * columns + x % columns));
	cell->line = (uint8_t)line;
	cell->is_band = is_band;
}

void plot_band(struct plot *plot, unsigned line, const struct plot_value *value)
{
	for (unsigned x = 0; x < plot->width * plot_columns(plot->kind); x++) {
		if (isnan(value[x].mean) || !(value[x].max > value[x].min))
			continue;

		int top = dot_row(plot, (double)value[x].max);
		int bottom = dot_row(plot, (double)value[x].min);

		/* every second dot, so that lines stand out; none if it is only the line's dot */
		for (int y = top; y <= bottom && top < bottom; y++)
			if (plot->kind != PLOT_BRAILLE || ((unsigned)y + x) % 2 == 0)
				set_dot(plot, line, true, x, y);
	}
}

void plot_line(struct plot *plot, unsigned line, const struct plot_value *value)
{
	unsigned columns = plot->kind == PLOT_ASCII ? 0xff : style[line].columns;
	bool has_before = false;
	int before = 0;

	for (unsigned x = 0; x < plot->width * plot_columns(plot->kind); x++) {
		bool has = !isnan(value[x].mean);
		int now = has ? dot_row(plot, (double)value[x].mean) : 0;
		int step = now > before ? 1 : -1;

		if (has && (columns >> x % 8 & 1))
			set_dot(plot, line, false, x, now);
		/* join two levels, without their ends */
		for (int y = before; has && has_before && abs(now - y) > 1; y += step)
			set_dot(plot, line, false, x, y + step);
		before = now;
		has_before = has;
	}
}

void plot_letters(struct plot *plot, unsigned line, const struct plot_value *value, char letter,
		  unsigned first, unsigned every)
{
	for (unsigned x = first; x < plot->width; x += every) {
		float mean = value[x * plot_columns(plot->kind)].mean;
		int y = isnan(mean) ? -1 : plot_row(plot, (double)mean);

		if (y < 0 || y >= (int)plot->height)
			continue;
		plot->cell[(unsigned)y * plot->width + x] =
			(struct plot_cell){ .line = (uint8_t)line, .letter = letter };
	}
}

int plot_row(const struct plot *plot, double value)
{
	int y = dot_row(plot, value), rows = (int)dots_of[plot->kind].rows;

	return y < 0 ? -1 : y / rows;
}

/* ---- characters ---- */

/* Return a braille character. Its dots are numbered down the first column, then the second, the lowest
 * row last. Source: Unicode, block 2800. */
static wchar_t braille(uint8_t dots)
{
	static const uint8_t bit[8] = { 0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80 };
	unsigned code = 0x2800;

	for (unsigned i = 0; i < 8; i++)
		if (dots >> i & 1)
			code |= bit[i];
	return (wchar_t)code;
}

wchar_t plot_glyph(const struct plot *plot, unsigned x, unsigned y)
{
	static const wchar_t half[] = L" ▀▄█";
	const struct plot_cell *cell = &plot->cell[y * plot->width + x];

	if (cell->line == PLOT_EMPTY)
		return L' ';
	if (cell->letter)
		return (wchar_t)cell->letter;
	switch (plot->kind) {
	case PLOT_BRAILLE: return braille(cell->dots);
	case PLOT_BLOCKS: return cell->is_band ? L'░' : half[cell->dots & 3];
	default: return cell->is_band ? L'.' : (wchar_t)style[cell->line].ascii[0];
	}
}
