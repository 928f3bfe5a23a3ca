/* Lists with commas, and numbers as printf writes them. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_lists),
		cmocka_unit_test(length_of_items),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
