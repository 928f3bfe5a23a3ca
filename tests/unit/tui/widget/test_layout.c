/* Which columns and lines a terminal of some size gets, and what gives way first. */
#include "rig/harness.h"

#include "tui/widget/layout.h"

/* @return NULL: it is dropped */
static const struct column *layout_find(const struct layout *layout, enum column_kind kind)
{
	for (unsigned i = 0; i < layout->n_columns; i++)
		if (layout->column[i].kind == kind)
			return &layout->column[i];
	return NULL;
}

static const struct column slots[] = {
	{ COLUMN_SLOT, .slot = 0 }, { COLUMN_SLOT, .slot = 1 }, { COLUMN_SLOT, .slot = 2 },
	{ COLUMN_SLOT, .slot = 3 }, { COLUMN_SLOT, .slot = 4 }, { COLUMN_SLOT, .slot = 5 },
	{ COLUMN_SLOT, .slot = 6 }, { COLUMN_SLOT, .slot = 7 }, { COLUMN_SLOT, .slot = 8 },
	{ COLUMN_SLOT, .slot = 9 },
};

static const struct layout_want m1 = {
	.height = 24,
	.name_min = 6,
	.name_max = 11,
	.has_primary_metric = true,
	.has_bar = true,
	.has_sparkline = true,
	.slot = slots,
	.n_slots = 10,
	.selected = 5,
};

static struct layout made(int width, int height, unsigned selected, unsigned first)
{
	struct layout_want want = m1;
	struct layout layout;

	want.width = width;
	want.height = height;
	want.selected = selected;
	want.first = first;
	layout_make(&want, &layout);
	return layout;
}

static unsigned n_of_slots(const struct layout *layout)
{
	unsigned n = 0;

	for (unsigned i = 0; i < layout->n_columns; i++)
		n += layout->column[i].kind == COLUMN_SLOT;
	return n;
}

static const struct column *slot_column(const struct layout *layout, unsigned slot)
{
	for (unsigned i = 0; i < layout->n_columns; i++)
		if (layout->column[i].kind == COLUMN_SLOT && layout->column[i].slot == slot)
			return &layout->column[i];
	return NULL;
}

/* One free column at both ends and between two, in any width and selection. */
static void nothing_overlaps(void **state)
{
	(void)state;
	for (int width = LAYOUT_MIN_WIDTH; width <= 400; width++) {
		for (unsigned selected = 0; selected < 10; selected++) {
			struct layout layout = made(width, 24, selected, selected / 2);
			int free_x = 1;

			assert_false(layout.too_small);
			for (unsigned i = 0; i < layout.n_columns; i++) {
				assert_true(layout.column[i].x >= free_x);
				free_x = layout.column[i].x + layout.column[i].width + 1;
			}
			assert_true(free_x <= width);
		}
	}
}

/* Whatever they count, so that none moves when another event is chosen. */
static void columns_are_all_as_wide(void **state)
{
	(void)state;
	for (int width = LAYOUT_MIN_WIDTH; width <= 400; width++) {
		struct layout layout = made(width, 24, 5, 0);

		for (unsigned i = 0; i < layout.n_columns; i++) {
			const struct column *column = &layout.column[i];

			if (column->kind != COLUMN_SLOT)
				continue;
			assert_int_equal(column->width, LAYOUT_COLUMN_WIDTH);
		}
	}
}

/* name, IPC, selected: always; history only with all slots and the bar */
static void what_gives_way_first(void **state)
{
	(void)state;
	for (int width = LAYOUT_MIN_WIDTH; width <= 400; width++) {
		struct layout layout = made(width, 24, 5, 0);
		const struct column *bar = layout_find(&layout, COLUMN_BAR);
		const struct column *history = layout_find(&layout, COLUMN_HISTORY);
		const struct column *name = layout_find(&layout, COLUMN_NAME);

		assert_non_null(name);
		assert_non_null(layout_find(&layout, COLUMN_HEADLINE));
		assert_non_null(slot_column(&layout, 5));
		if (history)
			assert_non_null(bar);
		if (history)
			assert_int_equal(n_of_slots(&layout), 10);
		if (name->width > m1.name_min)
			assert_non_null(history);
	}
}

/* A stacked bar is never too small to be read, and costs no line. */
static void a_stacked_bar_has_room(void **state)
{
	struct layout_want want = m1;
	struct layout with, without;

	(void)state;
	for (want.width = 80; want.width <= 400; want.width++) {
		want.has_parts = true;
		layout_make(&want, &with);
		want.has_parts = false;
		layout_make(&want, &without);
		assert_in_range(layout_find(&with, COLUMN_BAR)->width, 9, 17);
		assert_int_equal(with.n_rows, without.n_rows);
		assert_int_equal(with.n_detail, without.n_detail + 1);
	}
}

/* How busy the cores are stands before IPC at 80 columns, how fast they are where there is room for it
 * beside six counters. */
static void activity_leads(void **state)
{
	struct layout_want want = m1;
	struct layout layout;

	(void)state;
	want.has_parts = true;
	want.n_leading = LAYOUT_LEADING_MAX;
	want.leading[0] = 7;
	want.leading[1] = 9;
	for (want.width = LAYOUT_MIN_WIDTH; want.width <= 400; want.width++) {
		layout_make(&want, &layout);
		assert_true((int)layout.n_leading >= (want.width >= 80) + (want.width >= 100));
		assert_true(layout.n_leading < 2 || want.width > 80);
		assert_true(n_of_slots(&layout) >= 3 * layout.n_leading);
		for (unsigned i = 0; i < layout.n_leading; i++) {
			assert_int_equal(layout.column[1 + i].kind, COLUMN_METRIC);
			assert_int_equal(layout.column[1 + i].slot, want.leading[i]);
		}
		assert_int_equal(layout.column[1 + layout.n_leading].kind, COLUMN_HEADLINE);
	}
}

/* A wider terminal never shows fewer counters. */
static void wider_is_never_less(void **state)
{
	unsigned before = 0;

	(void)state;
	for (int width = LAYOUT_MIN_WIDTH; width <= 400; width++) {
		struct layout layout = made(width, 24, 5, 0);

		assert_true(n_of_slots(&layout) >= before);
		before = n_of_slots(&layout);
	}
	assert_int_equal(before, 10);
}

static void known_sizes(void **state)
{
	static const struct {
		int width;
		unsigned n_slots;
		bool bar, history, more_right;
	} row[] = {
		{ 40, 2, true, false, true },   { 80, 6, true, false, true },
		{ 100, 8, true, false, true },  { 120, 10, true, true, false },
		{ 200, 10, true, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct layout layout = made(row[i].width, 24, 5, 0);

		print_message("width %d\n", row[i].width);
		assert_int_equal(n_of_slots(&layout), row[i].n_slots);
		assert_int_equal(layout_find(&layout, COLUMN_BAR) != NULL, row[i].bar);
		assert_int_equal(layout_find(&layout, COLUMN_HISTORY) != NULL, row[i].history);
		assert_int_equal(layout.more_right, row[i].more_right);
		assert_int_equal(layout.more_left, layout.first > 0);
	}
}

/* Never 0 to 5 and then 8: what is hidden is at the ends, where marks say so. */
static void slots_stand_side_by_side(void **state)
{
	(void)state;
	for (int width = LAYOUT_MIN_WIDTH; width < 200; width++)
		for (unsigned selected = 0; selected <= m1.n_slots; selected++)
			for (unsigned first = 0; first < m1.n_slots; first++) {
				struct layout layout = made(width, 24, selected, first);
				unsigned n = n_of_slots(&layout);

				for (unsigned i = 0; i < n; i++)
					assert_non_null(slot_column(&layout, layout.first + i));
				assert_true(selected == m1.n_slots ||
					    slot_column(&layout, selected));
				assert_int_equal(layout.more_left, layout.first > 0);
				assert_int_equal(layout.more_right, layout.first + n < m1.n_slots);
			}
}

static void scrolling_stops_at_the_end(void **state)
{
	struct layout layout = made(80, 24, 10, 4);

	(void)state;
	assert_int_equal(layout.first, 4);
	assert_false(layout.more_right);
	/* what was scrolled too far comes back: the room at the right is not wasted */
	layout = made(80, 24, 10, 9);
	assert_true(layout.first < 9);
	assert_true(n_of_slots(&layout) >= 6);
}

static void lines_never_overlap(void **state)
{
	(void)state;
	for (int height = LAYOUT_MIN_HEIGHT; height < 100; height++) {
		struct layout layout = made(80, height, 5, 0);

		assert_true(layout.heading_y >= layout.n_header);
		assert_int_equal(layout.number_y + 1, layout.heading_y);
		if (layout.units_y >= 0)
			assert_int_equal(layout.units_y, layout.heading_y + 1);
		assert_true(layout.rows_y > layout.heading_y && layout.rows_y > layout.units_y);
		assert_true(layout.n_rows >= 4);
		assert_true(layout.rows_y + layout.n_rows <= layout.detail_y);
		assert_int_equal(layout.detail_y + layout.n_detail, layout.status_y);
		assert_int_equal(layout.status_y, height - 1);
	}
}

static void all_ten_rows_of_an_m1_fit_80_by_24(void **state)
{
	struct layout layout = made(80, 24, 5, 0);

	(void)state;
	assert_true(layout.n_rows >= 10);
}

static void too_small_is_said(void **state)
{
	static const int size[][2] = { { 39, 24 }, { 80, 9 }, { 39, 9 }, { 1, 1 }, { 0, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		assert_true(made(size[i][0], size[i][1], 5, 0).too_small);
	assert_false(made(40, 10, 5, 0).too_small);
}

static void without_ipc_there_is_no_bar(void **state)
{
	struct layout_want want = m1;
	struct layout layout;

	(void)state;
	want.width = 200;
	want.has_primary_metric = want.has_bar = false;
	layout_make(&want, &layout);
	assert_null(layout_find(&layout, COLUMN_HEADLINE));
	assert_null(layout_find(&layout, COLUMN_BAR));
	assert_non_null(layout_find(&layout, COLUMN_HISTORY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overlaps),
		cmocka_unit_test(columns_are_all_as_wide),
		cmocka_unit_test(what_gives_way_first),
		cmocka_unit_test(a_stacked_bar_has_room),
		cmocka_unit_test(activity_leads),
		cmocka_unit_test(wider_is_never_less),
		cmocka_unit_test(known_sizes),
		cmocka_unit_test(slots_stand_side_by_side),
		cmocka_unit_test(scrolling_stops_at_the_end),
		cmocka_unit_test(lines_never_overlap),
		cmocka_unit_test(all_ten_rows_of_an_m1_fit_80_by_24),
		cmocka_unit_test(too_small_is_said),
		cmocka_unit_test(without_ipc_there_is_no_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
