#include "tui/widget/cursor.h"

#include <curses.h>

int cursor_letter(int key)
{
	switch (key) {
	case 'j': return KEY_DOWN;
	case 'k': return KEY_UP;
	case 'g': return KEY_HOME;
	case 'G': return KEY_END;
	case KEY_HOME:
	case KEY_END: return 0;
	default: return key;
	}
}

bool cursor_key(struct cursor *cursor, int key, unsigned n, unsigned page)
{
	unsigned last = n ? n - 1 : 0, by = key == KEY_PPAGE || key == KEY_NPAGE ? page : 1;

	switch (key) {
	case KEY_HOME: cursor->at = 0; return true;
	case KEY_END: cursor->at = last; return true;
	case KEY_UP:
	case KEY_PPAGE: cursor->at -= by < cursor->at ? by : cursor->at; return true;
	case KEY_DOWN:
	case KEY_NPAGE: cursor->at = cursor->at + by < last ? cursor->at + by : last; return true;
	default: return false;
	}
}

void cursor_follow(struct cursor *cursor, unsigned n, unsigned n_seen)
{
	if (cursor->at >= n)
		cursor->at = n ? n - 1 : 0;
	if (cursor->at < cursor->top)
		cursor->top = cursor->at;
	if (n_seen && cursor->at >= cursor->top + n_seen)
		cursor->top = cursor->at - n_seen + 1;
	if (cursor->top + n_seen > n)
		cursor->top = n > n_seen ? n - n_seen : 0;
}
