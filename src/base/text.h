/* text.h: a growing string, and quoting for output formats */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * Text under construction. `{ 0 }` is the empty text. If memory runs out `failed` is set and
 * further writes do nothing: check once, at the end.
 */
struct text {
	char *bytes; /* NUL-terminated after the first write */
	size_t n;
	size_t cap;
	bool failed;
};

/** Append printf-formatted text. */
void text_printf(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Append printf-formatted text with the arguments of another function, which are used up. */
void text_vprintf(struct text *text, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/** Append n bytes. */
void text_add(struct text *text, const char *bytes, size_t n);

/** Append n bytes of the text itself, from byte `from` on. */
void text_repeat(struct text *text, size_t from, size_t n);

/** Append a string. */
void text_string(struct text *text, const char *s);

/** Append a number as "%" PRIu64 does, in a tenth of the time; zero-padded to min_digits. */
void text_u64(struct text *text, uint64_t number, unsigned min_digits);

enum { TEXT_U64_MAX = 20 };

/** Write a number as text_u64 does, to memory and without a NUL. @to  TEXT_U64_MAX bytes @return the
 * position after it */
char *text_put_u64(char *to, uint64_t number, unsigned min_digits);

/** Append a JSON string with quotes and escapes, also for invisible characters (utf8_is_hidden).
 * @s UTF-8; NULL writes null */
void text_json(struct text *text, const char *s);

/** Append text for HTML, valid in quoted attributes too. */
void text_html(struct text *text, const char *s);

/** Get the number of the line, from 1, that contains `at`. */
unsigned text_line_of(const char *bytes, const char *at);

/**
 * Find the next item of a comma-separated list, without the blanks around it.
 *
 * @rest   moves past it; NULL after the last one, and at the start for no list at all
 * @ret    its start, within the list  @ret_n  its length
 * @return false: no more items
 */
bool text_next_item(const char **rest, const char **ret, size_t *ret_n);

/** Whether it is one of the items. @list  NULL: no items */
bool text_has_item(const char *list, const char *item);

/** Copy the next word, up to a blank; cut to fit. @rest  moves past it @return false: none */
bool text_next_word(const char **rest, char *ret, size_t size);

/** Parse a word of a text as a number. @n  words before it @return false: there is none, or it is no number */
bool text_word_u64(const char *text, unsigned n, uint64_t *ret);

/** Return the length of a list's first item, up to a comma that is not in brackets and that no backslash
 * escapes. @open, @close  may be the same: "/" */
size_t text_item_length(const char *list, char open, char close);

/** Append one word for the shell, quoted only if necessary. */
void text_shell(struct text *text, const char *s);

/** Return the terminal columns of UTF-8 text in printable form (see below), on one line. */
int text_columns(const char *s);

/** Return the width for printf's "%-*s" that leaves `width` columns to the text. */
int text_field(const char *s, int width);

/** Append text on one line, left-aligned in `width` columns, or right-aligned after a blank, which is one of them.
 * Wider text is not cut. */
void text_left(struct text *text, const char *s, int width);
void text_right(struct text *text, const char *s, int width);

/**
 * Append the words of a text and a newline, in lines of 80 columns. Paragraphs stay separated by an empty
 * line.
 *
 * @column  column of the first word; the text before it is there already
 * @indent  blanks before each line after the first
 */
void text_wrapped(struct text *text, const char *s, size_t column, size_t indent);

/** Empty the text and keep its memory. */
void text_clear(struct text *text);

/** Release the memory. NULL is accepted. */
void text_fini(struct text *text);

/** A variable that is released when it goes out of scope: `AUTO_TEXT struct text text = { 0 };` */
#define AUTO_TEXT __attribute__((cleanup(text_fini)))

/** Append printf-formatted text to a string, cut to fit its buffer of `size` bytes. @return buf */
const char *buf_printf(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Store a composed message as err_set does, and release it. @return -code */
int text_to_err(struct text *text, int code, struct err *err);

/* ---- printable form of untrusted text, which cannot control a terminal
 *
 * Names of processes, events and files, and text of a command line or a session, may hold escape
 * sequences. Output for people has three ways out, and each of them uses utf8_shown: standard
 * output and standard error (cmd/shared/standard_output.h), sessions and reports that are written to
 * standard output (session/write/sink.h), and the screen (tui/term/draw.h).
 *
 * Data stay unchanged: files, answers over HTTP, and CSV, perf's format and HTML in a pipe. Of these
 * only what is written to a terminal is converted. JSON has escapes for all that would be replaced
 * (text_json).
 */

/** Delimiter before and after a terminal sequence of m1top's own. Other text is in C strings,
 * which cannot hold it. */
#define PRINTABLE_OWN '\0'

/** A stream of text. `{ 0 }` at its beginning. */
struct printable_stream {
	bool ascii; /* replace everything beyond ASCII */
	bool is_own;
	struct text rest; /* an incomplete character */
};

/** Append the printable form of the stream's next n bytes. @out  `failed` is set without memory */
void printable_add(struct printable_stream *shown, const char *bytes, size_t n, struct text *out);

/** Release the memory. */
void printable_fini(struct printable_stream *shown);

#endif
