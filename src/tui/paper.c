#include "tui/paper.h"

#include "tui/draw.h"

enum { KEY_COLUMNS = 16 };

void paper_print(struct paper *paper, enum role role, const char *left, const char *right)
{
	if (paper->line++ < paper->first || paper->y >= paper->end)
		return;
	draw_text(paper->y, right ? 3 : 1, right ? KEY_COLUMNS - 1 : COLS - 4, role, left);
	if (right)
		draw_text(paper->y, 3 + KEY_COLUMNS, COLS - 4 - KEY_COLUMNS, ROLE_TEXT, right);
	paper->y++;
}
