/* mouse.h: what a click means where: areas of the picture, told while it is drawn */
#ifndef TUI_TERM_MOUSE_H
#define TUI_TERM_MOUSE_H

#include <stdbool.h>

enum mouse_button {
	MOUSE_NONE, /* released, moved, a button that means nothing here */
	MOUSE_LEFT,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

struct mouse {
	enum mouse_button button;
	int y, x; /* from 0 */
};

/** How a terminal tells of the mouse: with the sequence that begins a report. */
enum mouse_report {
	MOUSE_SGR, /* "\033[<" then "0;10;5M" */
	MOUSE_X10, /* "\033[M" then three bytes, each plus 32 */
};

/** What is behind the sequence that begins a report. @text  all of it, and nothing more
 * @return false: not the whole of one */
bool mouse_parse(enum mouse_report report, const char *text, struct mouse *ret);

/** What a click does. @screen  as given to mouse_dispatch  @value  as given with the area */
typedef void mouse_act(void *screen, int value);

/** Take a key, KEYS_WHEEL_UP and KEYS_WHEEL_DOWN too. @return false: it is nobody's */
typedef bool mouse_press(void *screen, int key);

/** While a click is acted upon: how far right of its area's left edge it is. */
int mouse_column(void);

/** A picture begins: no areas. */
void mouse_clear(void);

/** These cells do something. Where areas lie upon each other, as a row and a column do, each acts,
 * the one told last first; beyond the table's end an area does nothing. */
void mouse_area(int y, int x, int height, int width, mouse_act *act, int value);

/** These cells are in front of all that was told before: nothing behind is reached. */
void mouse_cover(int y, int x, int height, int width);

/** A hint that can be clicked: it does what its key does. @key  as it is shown: "Tab", "] [" */
void mouse_hint(int y, int x, int width, const char *key);

/** Do what a click or the wheel means in the picture: to who does not know the wheel it is an
 * arrow, a few times. @return false: nothing was meant */
bool mouse_dispatch(const struct mouse *mouse, mouse_press *press, void *screen);

#endif
