/* mouse.h: areas of the screen that react to clicks, registered while it is drawn */
#ifndef TUI_TERM_MOUSE_H
#define TUI_TERM_MOUSE_H

#include <stdbool.h>

struct tui;

enum mouse_button {
	MOUSE_NONE, /* release, motion, or a button without a function */
	MOUSE_LEFT,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

struct mouse {
	enum mouse_button button;
	int y, x; /* from 0 */
};

/** Encoding of mouse reports, each with the sequence that begins one. */
enum mouse_report {
	MOUSE_SGR, /* "\033[<" then "0;10;5M" */
	MOUSE_X10, /* "\033[M" then three bytes, each plus 32 */
};

/** Parse a mouse report without the sequence that begins it. @text  all of it, and nothing more
 * @return false: incomplete or malformed */
bool mouse_parse(enum mouse_report report, const char *text, struct mouse *ret);

/** Handle a click. @value  as given with the area */
typedef void mouse_act(struct tui *tui, int value);

/** Handle a key, KEYS_WHEEL_UP and KEYS_WHEEL_DOWN too. @return false: not handled */
typedef bool mouse_press(struct tui *tui, int key);

/** Return the column of the click being handled, from the left edge of its area. */
int mouse_column(void);

/** Remove all areas before drawing. */
void mouse_clear(void);

/** Make these cells clickable. If areas overlap, as a row and a column do, each acts, the latest
 * first; areas that exceed the table's size do nothing. @act  NULL: earlier areas are not reached there */
void mouse_area(int y, int x, int height, int width, mouse_act *act, int value);

/** Have a second click in the same place soon after the first press a key, in the area made last. @key  0: none */
void mouse_opens(int key);

/** Make a hint clickable: a click presses its key. @key  as it is shown: "Tab", "] [" */
void mouse_hint(int y, int x, int width, const char *key);

/** Handle a click or the wheel. If a view does not handle the wheel, it is an arrow key pressed a few
 * times. */
void mouse_dispatch(const struct mouse *mouse, mouse_press *press, struct tui *tui);

#endif
