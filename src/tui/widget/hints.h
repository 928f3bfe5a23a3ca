/* hints.h: keys worth knowing, at the end of the status line; a click presses them */
#ifndef TUI_HINTS_H
#define TUI_HINTS_H

struct keymap;

struct hint {
	const char *key, *what; /* "] [" */
};

/**
 * Draw as many as there is room for, from the right edge on.
 *
 * @hint  the first ones are the last to give way; a NULL key ends
 * @x     no further to the left
 * @end   behind the last one
 */
void hints_draw(const struct hint *hint, const struct keymap *keymap, int y, int x, int end);

#endif
