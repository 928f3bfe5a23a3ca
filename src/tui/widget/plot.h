/* plot.h: lines over time in character cells, drawn with dots smaller than a cell; pure */
#ifndef TUI_WIDGET_PLOT_H
#define TUI_WIDGET_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

enum plot_kind {
	PLOT_BRAILLE, /* 2 × 4 dots per cell */
	PLOT_BLOCKS,  /* 1 × 2: half blocks, for terminals without braille */
	PLOT_ASCII,   /* 1 × 1: one character per line */
	N_PLOT_KINDS
};

enum { PLOT_LINES_MAX = 6, PLOT_EMPTY = 0xff };

/** Values of one column of dots. Without a mean (NaN) it is empty and interrupts the line. */
struct plot_value {
	float min, mean, max;
};

struct plot_cell {
	uint8_t line; /* line of the dots; PLOT_EMPTY: empty */
	uint8_t dots; /* bit y × columns + x, from the top left */
	bool is_band; /* only the band between smallest and largest: drawn dim */
	char letter;  /* instead of dots; 0: none */
};

struct plot {
	enum plot_kind kind;
	unsigned width, height; /* cells */
	double low, high;       /* values of the lowest and the highest dot */
	struct plot_cell *cell; /* [y × width + x] */
};

/** Return the columns of dots per cell. */
unsigned plot_columns(enum plot_kind kind);

/** Return the look of a line in a legend: "━", or in ASCII its character. */
const char *plot_sample(enum plot_kind kind, unsigned line);

/**
 * Create an empty plot; release with plot_fini.
 *
 * @low, @high  low < high
 * @return      0 or -ENOMEM
 */
int plot_init(struct plot *plot, enum plot_kind kind, unsigned width, unsigned height, double low,
	      double high);

/** Release. NULL is accepted. */
void plot_fini(struct plot *plot);

/** Shade between smallest and largest where a value has both. @value  width × plot_columns */
void plot_band(struct plot *plot, unsigned line, const struct plot_value *value);

/** Draw the means, over bands and other lines. @line  0 … PLOT_LINES_MAX - 1: its style */
void plot_line(struct plot *plot, unsigned line, const struct plot_value *value);

/** Put a letter on the line in some columns of cells: first, first + every, … */
void plot_letters(struct plot *plot, unsigned line, const struct plot_value *value, char letter,
		  unsigned first, unsigned every);

/** Return the row of cells of a value, from the top; may be outside the plot. */
int plot_row(const struct plot *plot, double value);

/** Return the character of a cell; L' ' if it is empty. */
wchar_t plot_glyph(const struct plot *plot, unsigned x, unsigned y);

#endif
