/* draw.h: putting text, bars and small curves on the screen; nothing ever leaves its columns */
#ifndef TUI_TERM_DRAW_H
#define TUI_TERM_DRAW_H

#include "tui/term/theme.h"

/** @ascii  replace every character beyond ASCII as utf8_ascii does */
void draw_start(bool ascii);

/** Terminal columns that UTF-8 text takes. Text may be anybody's: it is drawn as base/shown.h has it,
 * a new line or a tab as a blank. */
int draw_columns(const char *text);

/**
 * Text from column x, cut with "…" where it does not fit into `width`.
 *
 * @return columns used
 */
int draw_text(int y, int x, int width, enum role role, const char *text);

/** Text from here on is of the selected row, which is highlighted as a whole; bars and curves keep
 * their colours. @x, @width  of the row, which is cleared */
void draw_select_row(int y, int x, int width);

/** That was all of it. */
void draw_select_end(void);

/**
 * Underline letters of a text that was drawn.
 *
 * @used    columns that draw_text took
 * @letter  for each of the text's first `n` bytes: this one?
 */
void draw_marks(int y, int x, int used, const char *text, const bool *letter, size_t n);

/** draw_text, set against the right edge of its columns. @return columns used */
int draw_right(int y, int x, int width, enum role role, const char *text);

/** draw_text of printf-formatted text. */
int draw_printf(int y, int x, int width, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/** draw_text that keeps the end of what does not fit: "…20.csv". @return columns used */
int draw_tail(int y, int x, int width, enum role role, const char *text);

/** Bytes of a text that one line of so many columns takes, broken at a blank where there is one. */
size_t draw_fitting(const char *text, int width);

/**
 * Text over several lines, broken at blanks; the last line is cut where it does not fit.
 *
 * @n_lines  at most so many
 * @return   lines that it takes, drawn or not when y is negative
 */
int draw_wrapped(int y, int x, int width, int n_lines, enum role role, const char *text);

/** In place of a picture: how large the terminal must be, which even a small one has room for. */
void draw_too_small(int width, int height);

/** A bar over `share` of the columns, in eighths. @share  below 0 or NaN: nothing; above 1: all */
void draw_bar(int y, int x, int width, enum role role, double share);

/**
 * A curve of one character a value in the colour of its level, the newest at the right edge.
 *
 * @value  oldest first, as many as columns; NaN leaves its column empty
 * @max    the value that fills a character
 */
void draw_spark(int y, int x, int width, const float *value, double max);

/** Characters, one a column, from x on. */
void draw_glyphs(int y, int x, int width, enum role role, const wchar_t *glyph);

/** Is every character replaced that is beyond ASCII? */
bool draw_is_ascii(void);

/** Has the terminal's font eighths of blocks and braille? The console of Linux has neither. */
bool draw_has_eighths(void);

/** An empty box with a frame and a title. */
void draw_box(int y, int x, int height, int width, const char *title);

#endif
