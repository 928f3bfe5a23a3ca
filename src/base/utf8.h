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
 * Copy untrusted text with "\001" for the bytes of hidden characters and for those that are not UTF-8, so that two texts
 * are never alike: a backslash before three such digits is "\134". Text that does not fit is cut at a character.
 *
 * @size    at least 1
 * @return  buf
 */
char *utf8_copy(const char *text, char *buf, size_t size);

/** Turn a copy into what it was copied from. */
void utf8_restore(char *text);

/** Return the terminal columns of a shown character, in any locale: 2 if it is wide, 0 if it combines. */
int utf8_columns(wchar_t c);

/** Return the replacement of a character in ASCII, for each of its columns. */
char utf8_ascii(wchar_t c);

#endif
