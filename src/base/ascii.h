/* ascii.h: letters of names by ASCII's rules, whatever the locale: in Turkish the capital of i is no I
 *
 * The functions of <ctype.h> and <strings.h> with these names, for char; isdigit and isxdigit are the same in
 * all locales. Bytes beyond ASCII are no letters. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

/** Return the small or the capital letter. */
char ascii_lower(char c);
char ascii_upper(char c);

/** Whether it is a letter, a letter or a digit, a blank or another space. */
bool ascii_isalpha(char c);
bool ascii_isalnum(char c);
bool ascii_isspace(char c);

/** Compare without regard to case: all of two strings, or at most n bytes. */
int ascii_casecmp(const char *a, const char *b);
int ascii_ncasecmp(const char *a, const char *b, size_t n);

/** Find a part without regard to case. @return NULL: it is not there */
const char *ascii_casestr(const char *text, const char *part);

/** Whether a pattern of the shell matches all of a text, without regard to case. */
bool ascii_caseglob(const char *pattern, const char *text);

#endif
