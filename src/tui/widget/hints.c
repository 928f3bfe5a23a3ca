#include "tui/widget/hints.h"

#include <stdio.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/widget/match.h"

enum { KEY_COLUMNS = 16 };

/* Print as much as fits; nothing if y is negative. @return the rest */
static const char *print_line(int y, int x, int width, enum role role, const char *text)
{
	size_t n = draw_fitting(text, width);

	draw_printf(y, x, width, role, "%.*s", (int)n, text);
	return text + n + strspn(text + n, " ");
}

void help_text_print(struct help_text *help_text, enum role role, const char *left,
		     const char *right)
{
	const char *rest = right ? right : "";
	char line[512];

	snprintf(line, sizeof(line), "%s %s", left, rest);
	if (*help_text->find && (!right || !match_has(line, help_text->find)))
		return;
	if (role == ROLE_TITLE && help_text->line && help_text->line++ >= help_text->first &&
	    help_text->y < help_text->end)
		help_text->y++; /* a blank line before a heading */
	do {
		bool is_seen =
			help_text->line++ >= help_text->first && help_text->y < help_text->end;
		int y = is_seen ? help_text->y++ : -1;

		left = print_line(y, right ? 3 : 1, right ? KEY_COLUMNS - 1 : COLS - 4, role, left);
		rest = print_line(y, 3 + KEY_COLUMNS, COLS - 4 - KEY_COLUMNS, ROLE_TEXT, rest);
	} while (*left || *rest);
}

void help_text_hints(struct help_text *help_text, const char *title, const struct hint *hint)
{
	help_text_print(help_text, ROLE_TITLE, title, NULL);
	for (; hint->key; hint++)
		help_text_print(help_text, ROLE_KEY, hint->key, hint->what);
}
