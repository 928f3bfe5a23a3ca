#include "tui/pager.h"

#include "tui/draw.h"
#include "tui/keys.h"
#include "tui/state.h"

int pager_title(const struct tui *tui, const char *title)
{
	int y = tui->layout.n_header + (tui->layout.n_header > 1);

	draw_text(y, 1, COLS - 2, ROLE_TITLE, title);
	return y + 2;
}

unsigned pager_fit(struct tui *tui, int y, unsigned n_items)
{
	unsigned room = tui->layout.status_y > y ? (unsigned)(tui->layout.status_y - y) : 0;
	unsigned last = n_items > room ? n_items - room : 0;

	if (tui->scroll > last)
		tui->scroll = last;
	return tui->scroll;
}

unsigned pager_key(struct tui *tui, int key)
{
	unsigned page = LINES > 8 ? (unsigned)LINES - 6 : 2;

	switch (key) {
	case KEYS_ESCAPE:
	case 'q': tui_show(tui, view_table[0]); return DID_REDRAW;
	case 'j':
	case KEY_DOWN: tui->scroll++; return DID_REDRAW;
	case 'k':
	case KEY_UP: tui->scroll -= tui->scroll > 0; return DID_REDRAW;
	case ' ':
	case KEY_NPAGE: tui->scroll += page; return DID_REDRAW;
	case KEY_PPAGE: tui->scroll -= page < tui->scroll ? page : tui->scroll; return DID_REDRAW;
	case 'g':
	case KEY_HOME: tui->scroll = 0; return DID_REDRAW;
	case 'G':
	case KEY_END: tui->scroll = 1u << 20; return DID_REDRAW;
	default: return DID_NOTHING;
	}
}
