/* input.h: one line of text being typed */
#ifndef TUI_INPUT_H
#define TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
	char text[160]; /* UTF-8 */
	size_t n;
};

/** Take a key as keys_read gives it. @return true when the text has changed by it */
bool input_key(struct input *input, int key);

#endif
