/* test_num.c: numbers as people read them: within their width, and never 0 for what is not */
#include "rig/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static void read_as_written(void **state)
{
	static const struct {
		int line;
		double value;
		unsigned width;
		const char *text;
	} row[] = {
		{ __LINE__, 0, 7, "0" },
		{ __LINE__, 3.2e9, 7, "3.20G" },
		{ __LINE__, 312.4e6, 7, "312M" },
		{ __LINE__, 0.27, 7, "0.27" },
		{ __LINE__, 0.0997, 7, "0.10" },
		{ __LINE__, 0.0994, 7, "0.099" },
		{ __LINE__, 0.05, 7, "0.050" },
		{ __LINE__, 0.0066, 6, "0.0066" },
		{ __LINE__, 0.0066, 5, ".0066" },
		{ __LINE__, -0.0066, 6, "-.0066" },
		{ __LINE__, 0.0066, 4, "7e-3" },
		{ __LINE__, 0.00093, 7, "0.00093" },
		{ __LINE__, 0.00093, 6, "9.3e-4" },
		{ __LINE__, 0.000999, 6, "0.0010" },
		{ __LINE__, 0.000093, 9, "9.3e-5" },
		{ __LINE__, 3e-12, 5, "3e-12" },
		{ __LINE__, 3e-12, 4, ">0" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		num_si(row[i].value, 3, row[i].width, text, sizeof(text));
		if (strcmp(text, row[i].text) != 0)
			fail_msg("line %d: %s", row[i].line, text);
	}
}

static void sizes_for_sentences(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} row[] = {
		{ 0, "0 B" },          { 512, "512 B" },        { 39400, "39 kB" },
		{ 1234567, "1.2 MB" }, { 999600000, "1.0 GB" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		assert_string_equal(num_bytes(row[i].bytes, text, sizeof(text)), row[i].text);
}

/* Within its width, and within a twentieth of the value where there is room for two digits. */
static void small_ones_are_not_nought(void **state)
{
	char text[32];

	(void)state;
	for (double value = 0.0996; value > 1e-9; value *= 0.93) {
		for (unsigned width = 4; width < 10; width++) {
			num_si(value, 3, width, text, sizeof(text));
			if (strlen(text) > width || !(strtod(text, NULL) > 0))
				fail_msg("%g in %u: %s", value, width, text);
			if (width > 5 && fabs(strtod(text, NULL) / value - 1) > 0.051)
				fail_msg("%g in %u: %s", value, width, text);
		}
	}
}

static void decimals(void **state)
{
	static const struct {
		int line;
		double value;
		unsigned usual, decimals;
	} row[] = {
		{ __LINE__, 0, 2, 2 },        { __LINE__, 12.5, 1, 1 },
		{ __LINE__, 0.12, 1, 1 },     { __LINE__, 0.0996, 1, 1 },
		{ __LINE__, 0.012, 2, 3 },    { __LINE__, -0.012, 1, 3 },
		{ __LINE__, 0.000926, 1, 5 }, { __LINE__, 0.012, 6, 6 },
		{ __LINE__, 1e-300, 1, 18 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		if (num_decimals(row[i].value, row[i].usual) != row[i].decimals)
			fail_msg("line %d: %u", row[i].line,
				 num_decimals(row[i].value, row[i].usual));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_as_written),
		cmocka_unit_test(sizes_for_sentences),
		cmocka_unit_test(small_ones_are_not_nought),
		cmocka_unit_test(decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
