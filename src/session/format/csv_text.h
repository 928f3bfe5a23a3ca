/* csv_text.h: text and numbers as they stand in rows and notes of the session format */
#ifndef SESSION_FORMAT_CSV_TEXT_H
#define SESSION_FORMAT_CSV_TEXT_H

#include "base/text.h"

/** A field with its comma: RFC 4180, and '#' quoted too, which readers take for the beginning of a
 * comment. */
void csv_field(struct text *out, const char *s);

/** In quotes, quotes doubled, on one line. */
void csv_quoted(struct text *out, const char *s);

/** A value in a # line, which ends at a blank: quoted where it holds one. */
void csv_value(struct text *out, const char *s);

/** The shortest decimal that reads back the same. */
void csv_number(struct text *out, double number);

/** A metric's figure: 6 significant digits, above a million all those before the point; no noughts at
 * the end. In a fiftieth of the time. @figure  finite */
void csv_figure(struct text *out, double figure);

#endif
