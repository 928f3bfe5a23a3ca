/* utf8.h: characters of text that may be anybody's, whatever the locale */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/** What stands for bytes that are no UTF-8, and for what may not be seen. */
#define UTF8_REPLACEMENT L'\ufffd'

/** The next character of text. @text  moves on behind it; not at its end */
wchar_t utf8_next(const char **text);

/** Are n bytes, one at least, no more than the beginning of a character? */
bool utf8_is_begun(const char *bytes, size_t n);

/** A control character of ASCII or beyond, or one that cannot be seen but turns or hides the text
 * around it: U+202E and its kin. */
bool utf8_is_hidden(wchar_t c);

/** What people see of a character: of one that is hidden its picture (␛) or UTF8_REPLACEMENT, but a
 * new line and a tab are themselves. */
wchar_t utf8_shown(wchar_t c);

/** What stands for a character where there is only ASCII. */
char utf8_ascii(wchar_t c);

#endif
