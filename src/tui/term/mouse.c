#include "tui/term/mouse.h"

#include <string.h>

#include "base/clock.h"
#include "tui/term/key.h"

enum { DOUBLE_MS = 400 };

enum { AREAS_MAX = 512, WHEEL_LINES = 3, X10_OFFSET = 32 };

/* Button numbers of reports, including the bits for modifier keys and motion. */
enum { BUTTON_LEFT = 0, BUTTON_WHEEL_UP = 64, BUTTON_WHEEL_DOWN = 65 };

struct area {
	int y, x, height, width;
	mouse_act *act; /* NULL: press the key, or without one cover the areas behind */
	int value;
	int key;
	int opens; /* key of a double click; 0: none */
};

/* Areas on the screen. */
static struct area areas[AREAS_MAX];
static unsigned n_areas;

static int column; /* column of the click being handled, in its area */

static enum mouse_button button_of(unsigned number)
{
	switch (number) {
	case BUTTON_LEFT: return MOUSE_LEFT;
	case BUTTON_WHEEL_UP: return MOUSE_WHEEL_UP;
	case BUTTON_WHEEL_DOWN: return MOUSE_WHEEL_DOWN;
	default: return MOUSE_NONE;
	}
}

/* Parse a number of at most five digits. @return false: none */
static bool mouse_take_number(const char **text, unsigned *ret)
{
	size_t n = strspn(*text, "0123456789");

	*ret = 0;
	for (size_t i = 0; i < n && n <= 5; i++)
		*ret = *ret * 10 + (unsigned)((*text)[i] - '0');
	*text += n;
	return n >= 1 && n <= 5;
}

static bool parse_sgr(const char *text, struct mouse *ret)
{
	unsigned button, x, y;

	if (!mouse_take_number(&text, &button) || *text++ != ';' || !mouse_take_number(&text, &x) ||
	    *text++ != ';' || !mouse_take_number(&text, &y) || !x || !y)
		return false;
	if (strcmp(text, "M") != 0 && strcmp(text, "m") != 0)
		return false;
	*ret = (struct mouse){ .button = *text == 'M' ? button_of(button) : MOUSE_NONE,
			       .y = (int)y - 1,
			       .x = (int)x - 1 };
	return true;
}

static bool parse_x10(const char *text, struct mouse *ret)
{
	const unsigned char *byte = (const unsigned char *)text;

	if (strlen(text) != 3 || byte[0] < X10_OFFSET || byte[1] <= X10_OFFSET ||
	    byte[2] <= X10_OFFSET)
		return false;
	*ret = (struct mouse){ .button = button_of(byte[0] - X10_OFFSET),
			       .y = byte[2] - X10_OFFSET - 1,
			       .x = byte[1] - X10_OFFSET - 1 };
	return true;
}

bool mouse_parse(enum mouse_report report, const char *text, struct mouse *ret)
{
	return report == MOUSE_SGR ? parse_sgr(text, ret) : parse_x10(text, ret);
}

int mouse_column(void)
{
	return column;
}

void mouse_clear(void)
{
	n_areas = 0;
}

void mouse_area(int y, int x, int height, int width, mouse_act *act, int value)
{
	if (n_areas < AREAS_MAX)
		areas[n_areas++] = (struct area){ y, x, height, width, act, value, 0, 0 };
}

void mouse_opens(int key)
{
	if (n_areas)
		areas[n_areas - 1].opens = key;
}

void mouse_hint(int y, int x, int width, const char *key)
{
	char first[16];
	int code;

	/* the first key of "] [" */
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(key, " "), key);
	if (key_parse(first, &code, NULL) == 0 && n_areas < AREAS_MAX)
		areas[n_areas++] = (struct area){ y, x, 1, width, NULL, 0, code, 0 };
}

/* Whether the click follows another in the same place; a third one begins anew. */
static bool is_double(const struct mouse *mouse)
{
	static struct mouse last;
	static uint64_t last_ns;
	uint64_t now_ns = clock_now_ns();
	bool is = last_ns && now_ns - last_ns < DOUBLE_MS * NS_PER_MS && last.y == mouse->y &&
		  last.x == mouse->x;

	last = *mouse;
	last_ns = is ? 0 : now_ns;
	return is;
}

static void click(const struct mouse *mouse, mouse_press *press, struct tui *tui)
{
	bool opens = is_double(mouse);

	for (unsigned i = n_areas; i-- > 0;) {
		const struct area *area = &areas[i];

		if (mouse->y < area->y || mouse->y >= area->y + area->height ||
		    mouse->x < area->x || mouse->x >= area->x + area->width)
			continue;
		column = mouse->x - area->x;
		if (area->act)
			area->act(tui, area->value);
		else if (area->key)
			press(tui, area->key);
		else
			break;
		if (opens && areas[i].opens)
			press(tui, areas[i].opens);
	}
}

static void turn(int wheel, int arrow, mouse_press *press, struct tui *tui)
{
	bool is_handled = press(tui, wheel);

	for (int i = 0; !is_handled && i < WHEEL_LINES; i++)
		press(tui, arrow);
}

void mouse_dispatch(const struct mouse *mouse, mouse_press *press, struct tui *tui)
{
	switch (mouse->button) {
	case MOUSE_LEFT: click(mouse, press, tui); break;
	case MOUSE_WHEEL_UP: turn(KEYS_WHEEL_UP, KEY_UP, press, tui); break;
	case MOUSE_WHEEL_DOWN: turn(KEYS_WHEEL_DOWN, KEY_DOWN, press, tui); break;
	case MOUSE_NONE: break;
	}
}
