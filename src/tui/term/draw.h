/* draw.h: text and bars on the screen; nothing ever exceeds its columns */
#ifndef TUI_TERM_DRAW_H
#define TUI_TERM_DRAW_H

#include "tui/theme.h"

/** Set the characters to use. @ascii  replace every character beyond ASCII as utf8_ascii does */
void draw_start(bool ascii);

/** Return the terminal columns of UTF-8 text. Text may be untrusted: it is drawn as base/text.h
 * defines, a new line or a tab as a blank. */
int draw_columns(const char *text);

/**
 * Draw text from column x, cut with "…" if it does not fit into `width`.
 *
 * @return columns used
 */
int draw_text(int y, int x, int width, enum role role, const char *text);

/** Draw text on the colour of its role, which fills the width. */
void draw_filled(int y, int x, int width, enum role role, const char *text);

/** Begin or end the selected row: its text is highlighted as a whole; bars and sparklines keep their
 * colours. */
void draw_select(bool is_row);

/**
 * Underline letters of text that was drawn.
 *
 * @used    columns that draw_text took
 * @letter  by byte, the first `n` of the text: whether to underline it
 */
void draw_marks(int y, int x, int used, const char *text, const bool *letter, size_t n);

/** Draw text right-aligned. @return columns used */
int draw_right(int y, int x, int width, enum role role, const char *text);

/** Draw printf-formatted text. @return columns used */
int draw_printf(int y, int x, int width, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/** Draw the end of a text that does not fit: "…20.csv". @return columns used */
int draw_tail(int y, int x, int width, enum role role, const char *text);

/** Return the bytes of a text that fit into one line, broken at a blank if there is one. */
size_t draw_fitting(const char *text, int width);

/**
 * Draw text over several lines, broken at blanks; the last line is cut if it does not fit.
 *
 * @y        negative: draw nothing
 * @n_lines  maximum
 * @return   lines that it takes
 */
int draw_wrapped(int y, int x, int width, int n_lines, enum role role, const char *text);

/** Draw a bar over `share` of the columns, in eighths. @share  below 0 or NaN: nothing; above 1: all */
void draw_bar(int y, int x, int width, enum role role, double share);

/** Draw characters from x on, one per column. */
void draw_glyphs(int y, int x, int width, enum role role, const wchar_t *glyph);

/** Whether characters beyond ASCII are replaced. */
bool draw_is_ascii(void);

/** Whether the terminal's font has eighth blocks and braille; the Linux console has neither. */
bool draw_has_eighths(void);

#endif
