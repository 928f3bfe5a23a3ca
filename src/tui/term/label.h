/* label.h: a short text that a function returns by value, for drawing and sentences */
#ifndef TUI_TERM_LABEL_H
#define TUI_TERM_LABEL_H

/** `name_row(…).text` lives until the end of the statement. */
struct label {
	char text[512]; /* the widest cell, a command line: 120 columns of UTF-8 */
};

/** Format a label; cut if it is longer. */
struct label label_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
