/* input.h: one line of text being typed */
#ifndef TUI_WIDGET_INPUT_H
#define TUI_WIDGET_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
	char text[160]; /* UTF-8 */
	size_t n;
};

/** Take a key as keys_read gives it. @return true when the text has changed by it */
bool input_key(struct input *input, int key);

/** Draw a line of input: what is asked, what was typed, a hint, how to end it. */
void input_draw_line(int y, const char *question, const struct input *input, const char *hint);

#endif
