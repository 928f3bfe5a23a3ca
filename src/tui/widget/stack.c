#include "tui/widget/stack.h"

#include <math.h>

#include "tui/term/draw.h"

enum { WIDTH_MAX = 64 };

static const struct {
	const char *text;
	wchar_t glyph;
} marks[THEME_PARTS] = { { "█", L'█' }, { "▓", L'▓' }, { "▒", L'▒' }, { "░", L'░' } };

const char *stack_mark(unsigned part)
{
	return marks[part].text;
}

void stack_fit(const double *share, unsigned n, int width, int *ret)
{
	double all = 0, sum = 0;
	int end = 0;

	for (unsigned i = 0; i < n; i++)
		all += share[i];
	for (unsigned i = 0; i < n; i++) {
		sum += share[i] / fmax(all, 1);

		int next = (int)lround(sum * width);

		ret[i] = next - end;
		end = next;
	}
}

void stack_draw(int y, int x, int width, const double *share, unsigned n)
{
	wchar_t cells[WIDTH_MAX];
	int columns[THEME_PARTS];

	stack_fit(share, n, width < WIDTH_MAX ? width : WIDTH_MAX, columns);
	for (unsigned i = 0; i < n; x += columns[i++]) {
		for (int k = 0; k < columns[i]; k++)
			cells[k] = marks[i].glyph;
		draw_glyphs(y, x, columns[i], (enum role)(ROLE_PART + (int)i), cells);
	}
}
