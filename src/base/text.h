/* text.h: a string that grows, and the quoting that output formats ask for */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * Text under construction. `{ 0 }` is the empty text. When memory runs out `failed` is set and
 * further writes do nothing: check once, at the end.
 */
struct text {
	char *bytes; /* NUL-terminated once anything was written */
	size_t n;
	size_t cap;
	bool failed;
};

/** Append printf-formatted text. */
void text_printf(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** The same with the arguments of another function; they are used up. */
void text_vprintf(struct text *text, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/** Append n bytes. */
void text_add(struct text *text, const char *bytes, size_t n);

/** Append n bytes that stand in it already, from byte `from` on. */
void text_again(struct text *text, size_t from, size_t n);

/** Append a string. */
void text_string(struct text *text, const char *s);

/** Append a number as "%" PRIu64 does, in a tenth of the time; with noughts in front of it up to so
 * many digits. */
void text_u64(struct text *text, uint64_t number, unsigned min_digits);

enum { TEXT_U64_MAX = 20 };

/** The same into memory, without a NUL. @to  TEXT_U64_MAX bytes @return behind it */
char *text_put_u64(char *to, uint64_t number, unsigned min_digits);

/** Append a JSON string, quotes and escapes included, also of what cannot be seen (utf8_is_hidden).
 * @s UTF-8; NULL writes null */
void text_json(struct text *text, const char *s);

/** Append text for HTML, fit for quoted attributes too. */
void text_html(struct text *text, const char *s);

/** Append one CSV field by RFC 4180: quoted only where it must be. */
void text_csv(struct text *text, const char *s);

/**
 * The next item of a list with commas, without the blanks around it.
 *
 * @rest   moves on behind it; NULL behind the last one, and at the start for no list at all
 * @ret    where it begins, within the list  @ret_n  its length
 * @return false where there is none any more
 */
bool text_next_item(const char **rest, const char **ret, size_t *ret_n);

/** Is it one of the items? @list  NULL: of none */
bool text_has_item(const char *list, const char *item);

/** The next word, blanks between words; cut to fit. @rest  moves on @return false: there is none */
bool text_next_word(const char **rest, char *ret, size_t size);

/** How long a list's first item is, up to a comma that is in no brackets and that no backslash
 * escapes. @open, @close  may be the same: "/" */
size_t text_item_length(const char *list, char open, char close);

/** Append one word for the shell: quoted only where it must be. */
void text_shell(struct text *text, const char *s);

/** Terminal columns that UTF-8 text takes as people see it (base/shown.h); nothing of ours is wide. */
int text_columns(const char *s);

/** Append text on the left of so many columns, or on the right of them with a blank before it, which
 * is one of them. What is wider is not cut. */
void text_left(struct text *text, const char *s, int width);
void text_right(struct text *text, const char *s, int width);

/**
 * Append the words of a text and a newline, on lines of 80 columns. Paragraphs keep their empty line
 * between them.
 *
 * @column  where the first word goes; what stands before it is there already
 * @indent  blanks before each line after the first
 */
void text_wrapped(struct text *text, const char *s, size_t column, size_t indent);

/** Make it empty again and keep the memory. */
void text_clear(struct text *text);

/** Release the memory. NULL is accepted. */
void text_fini(struct text *text);

/** A message that was put together: store it as err_set does, and release it. @return -code */
int text_to_err(struct text *text, int code, struct err *err);

#endif
