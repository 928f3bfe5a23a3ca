/* packed.h: series of numbers in a page: 16 bits each of the range they have, as base64 */
#ifndef SESSION_REPORT_PACKED_H
#define SESSION_REPORT_PACKED_H

#include <stddef.h>

#include "base/text.h"

enum { PACKED_BYTES = 3 }; /* a number takes, nearly */

/** Append a JSON string: for each number 0: none, 1 … 65535: from low to high. @value  NaN: none */
void packed_numbers(const double *value, size_t n, double low, double high, struct text *out);

#endif
