/* wrapped.h: text on lines of 80 columns, for what is printed */
#ifndef CMD_SHARED_WRAPPED_H
#define CMD_SHARED_WRAPPED_H

#include <stddef.h>
#include <stdio.h>

/**
 * Print the words of a text and end the line. Paragraphs keep their empty line between them.
 *
 * @column  where the first one goes; what stands before it has been printed
 * @indent  blanks before each line after the first
 */
void wrapped_print(const char *text, size_t column, size_t indent, FILE *out);

#endif
