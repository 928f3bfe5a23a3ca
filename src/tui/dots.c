#include "tui/dots.h"

#include "tui/draw.h"

void dots_head_draw(int y, int x, int width, unsigned first, unsigned chosen)
{
	for (int i = 0; i < width; i++) {
		unsigned counter = first + (unsigned)i;

		draw_printf(y, x + i, 1, counter == chosen ? ROLE_SELECTED : ROLE_HEADING, "%u",
			    counter % 10);
	}
}

void dots_draw(int y, int x, int width, unsigned first, uint64_t counters)
{
	for (int i = 0; i < width; i++) {
		bool is_in = counters >> (first + (unsigned)i) & 1;

		draw_text(y, x + i, 1, is_in ? ROLE_KEY : ROLE_DIM, is_in ? "●" : "·");
	}
}
