/* wrapped.h: text on lines of 80 columns, for what is printed */
#ifndef CMD_SHARED_WRAPPED_H
#define CMD_SHARED_WRAPPED_H

#include <stddef.h>
#include <stdio.h>

/** Print what text_wrapped makes of it: base/text.h. */
void wrapped_print(const char *text, size_t column, size_t indent, FILE *out);

#endif
