/* utf8.h: characters of untrusted text, whatever the locale */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/** Replacement for bytes that are not UTF-8, and for hidden characters. */
#define UTF8_REPLACEMENT L'\ufffd'

/** Read the next character of text. @text  moves past it; must not be at its end */
wchar_t utf8_next(const char **text);

/** Whether n bytes, at least one, are an incomplete character. */
bool utf8_is_begun(const char *bytes, size_t n);

/** Whether it is a control character, ASCII or beyond, or invisible but reverses or hides the text
 * around it, such as U+202E. */
bool utf8_is_hidden(wchar_t c);

/** Return the visible form of a character: for a hidden one its picture (␛) or UTF8_REPLACEMENT; a
 * new line and a tab stay. */
wchar_t utf8_shown(wchar_t c);

/**
 * Copy untrusted text with `?` for hidden characters and for bytes that are not UTF-8. Text that does not fit is cut
 * at a character.
 *
 * @size    at least 1
 * @return  buf
 */
char *utf8_copy(const char *text, char *buf, size_t size);

/** Return the replacement of a character in ASCII. */
char utf8_ascii(wchar_t c);

#endif
