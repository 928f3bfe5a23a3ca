#include "tui/screen/pager.h"

#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"

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

bool pager_key(struct tui *tui, int key)
{
	unsigned page = LINES > 8 ? (unsigned)LINES - 6 : 2;

	switch (key) {
	case KEYS_ESCAPE:
	case 'q': tui_show(tui, VIEW_CORES); return true;
	case 'j':
	case KEY_DOWN: tui->scroll++; return true;
	case 'k':
	case KEY_UP: tui->scroll -= tui->scroll > 0; return true;
	case KEY_NPAGE: tui->scroll += page; return true;
	case KEY_PPAGE: tui->scroll -= page < tui->scroll ? page : tui->scroll; return true;
	case 'g':
	case KEY_HOME: tui->scroll = 0; return true;
	case 'G':
	case KEY_END: tui->scroll = 1u << 20; return true;
	default: return false;
	}
}
