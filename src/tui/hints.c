#include "tui/hints.h"

#include <string.h>

#include "tui/draw.h"
#include "tui/keymap.h"
#include "tui/mouse.h"

void hints_draw(const struct hint *hint, const struct keymap *keymap, int y, int x, int end)
{
	for (; hint->key; hint++) {
		char key[48];

		keymap_hint_text(keymap, hint->key, key, sizeof(key));
		if (strcmp(key, KEYMAP_NONE) == 0)
			continue;

		int width = draw_columns(key) + 1 + draw_columns(hint->what);

		if (end - width < x)
			return;
		end -= width;
		draw_text(y, end, width, ROLE_KEY, key);
		draw_right(y, end, width, ROLE_DIM, hint->what);
		mouse_hint(y, end, width, key);
		end -= 2;
	}
}
