/* csv_text.h: text and numbers in rows and notes of the session format */
#ifndef SESSION_FORMAT_CSV_TEXT_H
#define SESSION_FORMAT_CSV_TEXT_H

#include "base/text.h"

/** Append a field and a comma: RFC 4180, and '#' also quoted, because readers take it as the start of a comment. */
void csv_field(struct text *out, const char *s);

/** Append in quotes, with quotes doubled, on one line. */
void csv_quoted(struct text *out, const char *s);

/** Append a value of a # line, which ends at a blank: quoted if it contains one. */
void csv_value(struct text *out, const char *s);

/** Append the shortest decimal that reads back as the same number. */
void csv_number(struct text *out, double number);

/**
 * Append a metric's value: 6 significant digits, all digits before the point, no trailing zeros. 50 times as fast as
 * printf. @figure  finite
 */
void csv_figure(struct text *out, double figure);

#endif
