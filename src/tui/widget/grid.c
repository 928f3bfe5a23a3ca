#include "tui/widget/grid.h"

#include "tui/term/draw.h"
#include "tui/widget/table.h"

enum { APART = 2, GAP_MAX = 3 };

/* Return the width of names and units, with a free column before each. */
static int head_width(int name, int unit)
{
	return 1 + name + (unit ? 1 + unit : 0);
}

/* Return the width that is left for columns; one column after the last cell stays free. */
static int left_for_columns(const struct grid_want *want, int name, int unit)
{
	int left = want->width - 1 - head_width(name, unit);

	return left > 0 ? left : 0;
}

static unsigned n_fit(const struct grid_want *want, int name, int unit)
{
	return lesser((unsigned)(left_for_columns(want, name, unit) / (want->cell + 1)),
		      GRID_COLUMNS_MAX);
}

/* Whether names are shown in full: they may cost a column only if short ones hide columns as well. */
static bool can_be_full(const struct grid_want *want, int unit)
{
	return head_width(want->name_full, want->unit) <= want->width / 3 &&
	       (n_fit(want, want->name_full, unit) >= want->n_columns ||
		n_fit(want, want->name_short, unit) < want->n_columns);
}

static void take_head(const struct grid_want *want, struct grid *grid)
{
	grid->name_x = 1;
	grid->name_width = want->name_short;
	if (head_width(want->name_short, want->unit) <= want->width / 3)
		grid->unit_width = want->unit;
	if (can_be_full(want, grid->unit_width))
		grid->name_width = want->name_full;
}

/* Choose the columns that scroll: as many as fit, including the selected one. */
static void scroll_columns(const struct grid_want *want, unsigned n_fixed, unsigned room,
			   struct grid *grid)
{
	unsigned n = want->n_columns - n_fixed, first = want->cursor->top;
	struct cursor cursor = { .at = first, .top = first };

	if (want->cursor->at >= n_fixed)
		cursor.at = want->cursor->at - n_fixed;
	cursor_follow(&cursor, n, room);
	want->cursor->top = first = cursor.top;
	grid->more_left = first > 0;
	grid->more_right = first + room < n;
	for (unsigned i = 0; i < n_fixed; i++)
		grid->at[grid->n++].column = i;
	for (unsigned i = first; i < n && i < first + room; i++)
		grid->at[grid->n++].column = n_fixed + i;
}

/* Return the number of columns that do not scroll: subtotals, as long as another fits beside them. */
static unsigned fixed(const struct grid_want *want, unsigned n)
{
	if (n >= want->n_columns)
		return lesser(want->n_fixed, want->n_columns);
	return n > want->n_fixed ? want->n_fixed : 0;
}

/* Give spare width to units and full names. */
static void grow_name(const struct grid_want *want, int *left, struct grid *grid)
{
	if (!grid->unit_width && want->unit && *left >= 1 + want->unit) {
		grid->unit_width = want->unit;
		*left -= 1 + want->unit;
	}
	if (*left >= want->name_full - grid->name_width) {
		*left -= want->name_full - grid->name_width;
		grid->name_width = want->name_full;
	}
}

static void grid_place(const struct grid_want *want, unsigned n_fixed, int left, struct grid *grid)
{
	int apart = left < APART ? left : APART, gap = 1;
	int x = head_width(grid->name_width, grid->unit_width);

	if (!n_fixed || n_fixed >= grid->n)
		apart = 0;
	left -= apart;
	while (gap < GAP_MAX && grid->n && left >= (int)grid->n) {
		left -= (int)grid->n;
		gap++;
	}
	grid->unit_x = grid->name_x + grid->name_width + 1;
	for (unsigned i = 0; i < grid->n; i++) {
		x += gap + (i == n_fixed ? apart : 0);
		grid->at[i].x = x;
		x += want->cell;
	}
}

/* Calculate the width of cells: at least that of the widest heading. */
static int cell_width(const struct grid_want *want)
{
	int cell = want->cell;

	for (unsigned i = 0; want->text && i < want->n_columns; i++) {
		int width = draw_columns(want->text(want->data, i).text);

		cell = width > cell ? width : cell;
	}
	return cell;
}

void grid_make(const struct grid_want *wanted, struct grid *ret)
{
	struct grid_want widened = *wanted;
	const struct grid_want *want = &widened;

	widened.cell = cell_width(wanted);
	if (want->cursor->at >= want->n_columns)
		want->cursor->at = want->n_columns - 1;
	*ret = (struct grid){ .cell = want->cell };
	take_head(want, ret);

	int left = left_for_columns(want, ret->name_width, ret->unit_width);
	unsigned n = n_fit(want, ret->name_width, ret->unit_width);
	unsigned n_fixed = fixed(want, n);

	scroll_columns(want, n_fixed, n - n_fixed, ret);
	left -= (int)ret->n * (want->cell + 1);
	if (!ret->more_left && !ret->more_right)
		grow_name(want, &left, ret);
	grid_place(want, n_fixed, left, ret);
}

void grid_headings_draw(const struct grid *grid, const struct grid_headings *headings)
{
	for (unsigned i = 0; i < grid->n; i++) {
		unsigned column = grid->at[i].column;
		struct label text = headings->text(headings->data, column), unit;
		struct table_heading heading = {
			.y = headings->y,
			.x = grid->at[i].x,
			.width = grid->cell,
			.text = text.text,
			.is_selected = column == headings->selected,
			.unit_y = headings->y + 1,
		};

		if (headings->unit) {
			unit = headings->unit(headings->data, column);
			heading.unit = unit.text;
		}
		table_heading_draw(&heading);
		mouse_area(heading.y, heading.x - 1, headings->height, grid->cell + 1,
			   headings->click, (int)column);
	}
	table_more_draw(headings->y, grid->name_x + grid->name_width - 1, grid->more_left,
			grid->more_right);
}
