/* Lists with commas, numbers as printf writes them, columns and lines. */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The items of each list, each behind a bar. */
static void items_of_lists(void **state)
{
	static const char *const row[][2] = {
		{ "a,b", "|a|b" }, { " a b , c ", "|a b|c" }, { "a,,b,", "|a||b|" }, { "", "|" },
		{ "  ", "|" },
	};
	const char *none = NULL, *item;
	size_t n;

	(void)state;
	assert_false(text_next_item(&none, &item, &n));
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		const char *rest = row[i][0];
		struct text got = { 0 };

		while (text_next_item(&rest, &item, &n))
			text_printf(&got, "|%.*s", (int)n, item);
		assert_string_equal(got.bytes, row[i][1]);
		text_fini(&got);
	}
}

/* The first item of a list whose brackets and backslashes keep commas. */
static void length_of_items(void **state)
{
	static const struct {
		const char *list, *brackets;
		size_t n;
	} row[] = {
		{ "", "()", 0 },
		{ "a", "()", 1 },
		{ "a,b", "()", 1 },
		{ "f(a,b),c", "()", 6 },
		{ "f(g(a,b),c),d", "()", 11 },
		{ "a\\,b,c", "()", 4 },
		{ "a\\", "()", 2 },
		{ "a),b", "()", 2 },
		{ "p/a=1,b=2/,c", "//", 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		assert_int_equal(
			text_item_length(row[i].list, row[i].brackets[0], row[i].brackets[1]),
			row[i].n);
}

/* As printf writes them, at every number of digits. */
static void numbers(void **state)
{
	static const unsigned width[] = { 1, 2, 9, 20 };

	(void)state;
	for (uint64_t i = UINT64_MAX;; i /= 7) {
		for (size_t w = 0; w < sizeof(width) / sizeof(*width); w++) {
			struct text got = { 0 };
			char expected[40];

			snprintf(expected, sizeof(expected), "n=%0*" PRIu64, (int)width[w], i);
			text_string(&got, "n=");
			text_u64(&got, i, width[w]);
			assert_string_equal(got.bytes, expected);
			text_fini(&got);
		}
		if (!i)
			break;
	}
}

/* Columns are characters, not bytes; what is too wide is whole. */
static void columns(void **state)
{
	struct text got = { 0 };

	(void)state;
	text_left(&got, "aü", 4);
	text_right(&got, "ü", 4);
	text_left(&got, "|", 0);
	text_right(&got, "wide", 2);
	assert_string_equal(got.bytes, "aü     ü| wide");
	text_fini(&got);
}

/* At 80 columns; a word that is longer stands alone; paragraphs stay apart. */
static void wrapped(void **state)
{
#define TEN   "123456789 "
#define SIXTY TEN TEN TEN TEN TEN TEN
#define LONG  "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345"
	static const struct {
		const char *text;
		size_t column;
		const char *wrapped;
	} row[] = {
		{ SIXTY TEN "1234567890", 0, SIXTY TEN "1234567890\n" },
		{ SIXTY TEN "1234567890", 1, SIXTY "123456789\n  1234567890\n" },
		{ "a " LONG " b", 0, "a\n  " LONG "\n  b\n" },
		{ "a\nb\n\nc", 0, "a b\n\n  c\n" },
	};
#undef TEN
#undef SIXTY
#undef LONG

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct text got = { 0 };

		text_wrapped(&got, row[i].text, row[i].column, 2);
		assert_string_equal(got.bytes, row[i].wrapped);
		text_fini(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_lists), cmocka_unit_test(length_of_items),
		cmocka_unit_test(numbers),        cmocka_unit_test(columns),
		cmocka_unit_test(wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
