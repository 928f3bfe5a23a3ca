/* input.h: one line of text being typed */
#ifndef TUI_WIDGET_INPUT_H
#define TUI_WIDGET_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
	char text[160]; /* UTF-8 */
	size_t n;
};

/** Handle a key. @key  as keys_read returns it  @return whether the text has changed */
bool input_key(struct input *input, int key);

#endif
