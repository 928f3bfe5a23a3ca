#include "tui/paper.h"

#include <string.h>

#include "tui/draw.h"

enum { KEY_COLUMNS = 16 };

/* As much as fits, on no line when y is negative. @return the rest */
static const char *print_line(int y, int x, int width, enum role role, const char *text)
{
	size_t n = draw_fitting(text, width);

	draw_printf(y, x, width, role, "%.*s", (int)n, text);
	return text + n + strspn(text + n, " ");
}

void paper_print(struct paper *paper, enum role role, const char *left, const char *right)
{
	const char *rest = right ? right : "";

	do {
		bool is_seen = paper->line++ >= paper->first && paper->y < paper->end;
		int y = is_seen ? paper->y++ : -1;

		left = print_line(y, right ? 3 : 1, right ? KEY_COLUMNS - 1 : COLS - 4, role, left);
		rest = print_line(y, 3 + KEY_COLUMNS, COLS - 4 - KEY_COLUMNS, ROLE_TEXT, rest);
	} while (*left || *rest);
}
