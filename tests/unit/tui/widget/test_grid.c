/* The Metrics view's columns: what fits some width, what gives way first, what scrolls. */
#include "rig/harness.h"

#include "tui/widget/grid.h"

/* the overview of an M1: E, P and eight cores */
static const struct grid_want m1 = {
	.name_full = 22,
	.name_short = 8,
	.unit = 6,
	.cell = 5,
	.n_fixed = 2,
	.n_columns = 10,
};

static struct cursor cursor; /* of the grid made last */

static struct grid made(struct grid_want want, int width, unsigned selected, unsigned first)
{
	struct grid grid;

	cursor = (struct cursor){ .at = selected, .top = first };
	want.width = width;
	want.cursor = &cursor;
	grid_make(&want, &grid);
	return grid;
}

static struct grid_want large(unsigned n_columns)
{
	struct grid_want want = m1;

	want.n_columns = n_columns;
	want.cell = 7;
	return want;
}

static void assert_apart(const struct grid *grid, int width)
{
	int free_x = grid->name_x + grid->name_width + 1;

	if (grid->unit_width) {
		assert_true(grid->unit_x >= free_x);
		free_x = grid->unit_x + grid->unit_width + 1;
	}
	for (unsigned i = 0; i < grid->n; i++) {
		assert_true(grid->at[i].x >= free_x);
		free_x = grid->at[i].x + grid->cell + 1;
	}
	assert_true(free_x <= width);
}

/* A free column between any two, for marks, and behind the last, in any width. */
static void nothing_overlaps(void **state)
{
	(void)state;
	for (int width = 40; width <= 400; width++) {
		for (unsigned selected = 0; selected < 10; selected++) {
			struct grid grid = made(m1, width, selected, 0);

			assert_apart(&grid, width);
		}
		for (unsigned selected = 0; selected < 1026; selected += 41) {
			struct grid grid = made(large(1026), width, selected, selected / 2);

			assert_apart(&grid, width);
		}
	}
}

static bool is_seen(const struct grid *grid, unsigned column)
{
	for (unsigned i = 0; i < grid->n; i++)
		if (grid->at[i].column == column)
			return true;
	return false;
}

static void the_selected_column_and_the_subtotals_are_seen(void **state)
{
	(void)state;
	for (int width = 40; width <= 400; width += 3) {
		for (unsigned selected = 0; selected < 1026; selected += 7) {
			struct grid grid =
				made(large(1026), width, selected, 1000 - selected % 900);

			assert_true(is_seen(&grid, selected));
			assert_true(is_seen(&grid, 0));
			assert_true(is_seen(&grid, 1));
			assert_true(grid.more_left == (cursor.top > 0));
		}
	}
}

/* Columns follow each other without a hole, the subtotals first. */
static void columns_are_in_order(void **state)
{
	struct grid grid = made(large(130), 120, 60, 0);

	(void)state;
	assert_int_equal(grid.at[0].column, 0);
	assert_int_equal(grid.at[1].column, 1);
	assert_int_equal(grid.at[2].column, 2 + cursor.top);
	for (unsigned i = 3; i < grid.n; i++)
		assert_int_equal(grid.at[i].column, grid.at[i - 1].column + 1);
	assert_int_equal(grid.at[grid.n - 1].column, 60);
	assert_true(grid.more_left);
	assert_true(grid.more_right);
}

static void scrolling_ends_at_both_ends(void **state)
{
	struct grid first = made(large(130), 120, 0, 0), last = made(large(130), 120, 129, 500);

	(void)state;
	assert_false(first.more_left);
	assert_true(first.more_right);
	assert_int_equal(last.at[last.n - 1].column, 129);
	assert_true(last.more_left);
	assert_false(last.more_right);
}

static void known_sizes(void **state)
{
	static const struct {
		int width;
		unsigned n_columns; /* that are there */
		int name, unit;
		unsigned n; /* that are seen */
	} row[] = {
		{ 40, 10, 8, 0, 5 },   { 60, 10, 8, 6, 7 },     { 80, 10, 8, 6, 10 },
		{ 91, 10, 22, 6, 10 }, { 120, 10, 22, 6, 10 },  { 200, 10, 22, 6, 10 },
		{ 80, 130, 8, 6, 10 }, { 120, 130, 22, 6, 14 }, { 60, 2, 22, 6, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct grid_want want = m1;
		struct grid grid;

		want.n_columns = row[i].n_columns;
		grid = made(want, row[i].width, 0, 0);
		print_message("width %d, %u columns\n", row[i].width, row[i].n_columns);
		assert_int_equal(grid.n, row[i].n);
		assert_int_equal(grid.name_width, row[i].name);
		assert_int_equal(grid.unit_width, row[i].unit);
		assert_int_equal(grid.more_right, row[i].n < row[i].n_columns);
	}
}

/* Full names and units never cost a column that would be seen without them. */
static void names_give_way_before_columns(void **state)
{
	(void)state;
	for (int width = 40; width <= 200; width++) {
		struct grid_want brief = m1;
		struct grid grid = made(m1, width, 0, 0);

		brief.name_full = brief.name_short;
		if (made(brief, width, 0, 0).n == m1.n_columns)
			assert_int_equal(grid.n, m1.n_columns);
	}
}

static void without_columns_or_units(void **state)
{
	struct grid_want want = m1;
	struct grid grid;

	(void)state;
	want.unit = 0;
	want.n_columns = want.n_fixed = 1;
	grid = made(want, 40, 0, 0);
	assert_int_equal(grid.n, 1);
	assert_int_equal(grid.unit_width, 0);
	assert_int_equal(grid.name_width, 22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overlaps),
		cmocka_unit_test(the_selected_column_and_the_subtotals_are_seen),
		cmocka_unit_test(columns_are_in_order),
		cmocka_unit_test(scrolling_ends_at_both_ends),
		cmocka_unit_test(known_sizes),
		cmocka_unit_test(names_give_way_before_columns),
		cmocka_unit_test(without_columns_or_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
