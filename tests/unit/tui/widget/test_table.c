/* A table of text: what gives way to the width, order, search, the row that stays selected. */
#include "rig/harness.h"

#include "tui/widget/match.h"
#include "tui/widget/sheet.h"

static const struct sheet_column columns[] = {
	{ .title = "id" },
	{ .title = "counters", .drop_order = 1 },
	{ .title = "label", .drop_order = 2, .least = 10 },
	{ .title = "responds to", .least = 12 },
};

enum { N = ARRAY_SIZE(columns) };

static void columns_give_way_to_the_width(void **state)
{
	static const struct {
		int line, width;
		int want[N], fit[N];
	} row[] = {
		{ __LINE__, 80, { 4, 10, 20, 30 }, { 4, 10, 20, 30 } },
		{ __LINE__, 70, { 4, 10, 20, 30 }, { 4, 10, 20, 30 } },
		{ __LINE__, 65, { 4, 10, 20, 30 }, { 4, 10, 20, 25 } },
		{ __LINE__, 45, { 4, 10, 20, 30 }, { 4, 10, 13, 12 } },
		{ __LINE__, 42, { 4, 10, 20, 30 }, { 4, 10, 10, 12 } },
		/* the one that gives way first goes altogether */
		{ __LINE__, 41, { 4, 10, 20, 30 }, { 4, 10, 0, 23 } },
		{ __LINE__, 30, { 4, 10, 20, 30 }, { 4, 10, 0, 12 } },
		{ __LINE__, 29, { 4, 10, 20, 30 }, { 4, 0, 0, 23 } },
		{ __LINE__, 10, { 4, 10, 20, 30 }, { 4, 0, 0, 12 } },
		/* narrower than the least that would be left to it */
		{ __LINE__, 80, { 4, 10, 5, 11 }, { 4, 10, 5, 11 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		int fit[N];

		sheet_fit(columns, N, row[i].want, row[i].width, fit);
		for (unsigned c = 0; c < N; c++)
			if (fit[c] != row[i].fit[c])
				fail_msg("line %d: column %u is %d wide", row[i].line, c, fit[c]);
	}
}

static void add(struct text_table *table, uint64_t key, double id, uint64_t dots, const char *label,
		const char *what)
{
	text_table_row(table, key, SHEET_NO_PARENT);
	text_table_cell(table, ROLE_TEXT, id, "0x%02x", (unsigned)id);
	text_table_cell(table, ROLE_ALARM, (double)dots, "%s", key == 30 ? "▲" : "");
	text_table_cell(table, ROLE_DIM, 0, "%s", label);
	text_table_cell(table, ROLE_TEXT, 0, "%s", what);
}

static struct text_table make(bool with_more)
{
	struct text_table table;

	text_table_init(&table, columns, N);
	add(&table, 10, 0x8d, 0xe0, "INST_BRANCH", "branch-taken ×1");
	if (with_more)
		add(&table, 40, 0x02, 0x3fc, "CORE_ACTIVE_CYCLE", "cycles ×1");
	add(&table, 20, 0x9b, 0x80, "INST_LDST", "load ×1, store ×1");
	add(&table, 30, 0x8d, 0x80, "INST_BRANCH", "branch-taken ×1");
	assert_false(table.failed);
	return table;
}

static void rows_are_sorted(void **state)
{
	static const struct {
		int line;
		unsigned column;
		bool is_descending;
		uint64_t key[4];
	} row[] = {
		{ __LINE__, 0, false, { 40, 10, 30, 20 } },
		/* equal ones stay as they are, in either direction */
		{ __LINE__, 0, true, { 20, 10, 30, 40 } },
		{ __LINE__, 1, false, { 20, 30, 10, 40 } },
		{ __LINE__, 2, false, { 40, 10, 30, 20 } },
		{ __LINE__, 3, true, { 20, 40, 10, 30 } },
	};
	struct text_table table = make(true);
	unsigned order[4];

	(void)state;
	assert_int_equal(table.n, 4);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		text_table_sort(&table, row[i].column, row[i].is_descending, order);
		for (unsigned r = 0; r < 4; r++)
			if (table.row[order[r]].key != row[i].key[r])
				fail_msg("line %d: row %u is %d", row[i].line, r,
					 (int)table.row[order[r]].key);
	}
	text_table_fini(&table);
}

/* Children stand below their parents in either direction, sorted among themselves. */
static void children_stay_below_their_parents(void **state)
{
	static const struct {
		uint64_t key;
		unsigned parent;
		double id;
	} row[] = {
		{ 1, SHEET_NO_PARENT, 5 }, { 2, 0, 2 }, { 3, 1, 9 }, { 4, 1, 8 }, { 5, 0, 3 },
		{ 6, SHEET_NO_PARENT, 7 }, { 7, 5, 1 },
	};
	static const uint64_t expected[2][7] = { { 1, 2, 4, 3, 5, 6, 7 }, { 6, 7, 1, 5, 2, 3, 4 } };
	struct text_table table;
	unsigned order[ARRAY_SIZE(row)];

	(void)state;
	text_table_init(&table, columns, 1);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		text_table_row(&table, row[i].key, row[i].parent);
		text_table_cell(&table, ROLE_TEXT, row[i].id, "%g", row[i].id);
	}
	assert_false(table.failed);
	assert_int_equal(table.row[2].depth, 2);
	for (unsigned is_descending = 0; is_descending < 2; is_descending++) {
		text_table_sort(&table, 0, is_descending, order);
		for (size_t i = 0; i < ARRAY_SIZE(row); i++)
			assert_int_equal(table.row[order[i]].key, expected[is_descending][i]);
	}
	text_table_fini(&table);
}

static bool row_has(const struct text_table *table, size_t row, const char *search)
{
	char text[256];

	return match_has(text_table_row_text(table, row, text, sizeof(text)), search);
}

static void search_looks_at_every_cell(void **state)
{
	struct text_table table = make(false);

	(void)state;
	assert_true(row_has(&table, 0, "0x8d"));
	assert_true(row_has(&table, 0, "taken inst_br"));
	assert_false(row_has(&table, 0, "taken load"));
	assert_false(row_has(&table, 0, "▲"));
	assert_true(row_has(&table, 2, "▲"));
	/* nor across two cells as if they were one */
	assert_false(row_has(&table, 1, "LDSTload"));
	assert_string_equal(text_table_text_of(&table, 1, 3), "load ×1, store ×1");
	text_table_fini(&table);
}

/* While the table grows, what one looks at must not jump. */
static void the_selected_row_stays_selected(void **state)
{
	struct sheet sheet = { 0 };
	struct text_table table = make(false);
	uint64_t key = 0;

	(void)state;
	assert_false(sheet_key(&sheet, &key));
	assert_int_equal(sheet_take(&sheet, &table), 0);
	assert_true(sheet_key(&sheet, &key));
	assert_int_equal(key, 10);
	sheet.cursor.at = 2;
	assert_true(sheet_key(&sheet, &key));
	assert_int_equal(key, 20);
	table = make(true);
	assert_int_equal(sheet_take(&sheet, &table), 0);
	assert_int_equal(sheet.cursor.at, 3);
	assert_true(sheet_key(&sheet, &key));
	assert_int_equal(key, 20);
	sheet.column = 2;
	sheet.is_descending = true;
	sheet_sort(&sheet);
	assert_int_equal(sheet.cursor.at, 0);
	assert_true(sheet_key(&sheet, &key));
	assert_int_equal(key, 20);
	/* at the top one wants to see the top */
	table = make(false);
	sheet.is_descending = false;
	assert_int_equal(sheet_take(&sheet, &table), 0);
	assert_true(sheet_key(&sheet, &key));
	assert_int_equal(key, 10);
	sheet_fini(&sheet);
}

static void a_table_without_memory_is_refused(void **state)
{
	struct sheet sheet = { 0 };
	struct text_table table = make(false);
	uint64_t key = 0;

	(void)state;
	assert_int_equal(sheet_take(&sheet, &table), 0);
	table = make(true);
	table.failed = true;
	assert_int_equal(sheet_take(&sheet, &table), -ENOMEM);
	assert_null(table.cell);
	assert_int_equal(sheet.table.n, 3);
	assert_true(sheet_key(&sheet, &key));
	sheet_fini(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_give_way_to_the_width),
		cmocka_unit_test(rows_are_sorted),
		cmocka_unit_test(children_stay_below_their_parents),
		cmocka_unit_test(search_looks_at_every_cell),
		cmocka_unit_test(the_selected_row_stays_selected),
		cmocka_unit_test(a_table_without_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
