/* Parts of a bar: one scale for all bars, and no column too many. */
#include "rig/harness.h"

#include <stdint.h>

#include "tui/theme.h"
#include "tui/view/topdown.h"

enum { PARTS = THEME_PARTS, WIDTH = 16 };

static void assert_fit(const double *share, const int *expected)
{
	int columns[PARTS];

	topdown_fit(share, PARTS, WIDTH, columns);
	for (unsigned i = 0; i < PARTS; i++)
		assert_int_equal(columns[i], expected[i]);
}

static void ends_are_rounded(void **state)
{
	(void)state;
	assert_fit((double[]){ 0.25, 0.25, 0.25, 0.25 }, (int[]){ 4, 4, 4, 4 });
	assert_fit((double[]){ 0.5, 0, 0.25, 0 }, (int[]){ 8, 0, 4, 0 });
	assert_fit((double[]){ 0.02, 0.02, 0.02, 0.02 }, (int[]){ 0, 1, 0, 0 });
	assert_fit((double[]){ 0, 0, 0, 0 }, (int[]){ 0, 0, 0, 0 });
	assert_fit((double[]){ 0, 0, 0, 1 }, (int[]){ 0, 0, 0, 16 });
}

static void beyond_the_whole_in_proportion(void **state)
{
	(void)state;
	assert_fit((double[]){ 1, 0.5, 0.25, 0.25 }, (int[]){ 8, 4, 2, 2 });
}

/* Whatever the others are, a part is as long as its share, give or take a column's rounding. */
static void all_bars_have_one_scale(void **state)
{
	uint64_t drawn = 1;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		double share[PARTS], sum = 0;
		int columns[PARTS], end = 0;

		for (unsigned p = 0; p < PARTS; p++) {
			drawn = drawn * UINT64_C(6364136223846793005) + 1;
			share[p] = (1 - sum) * (double)(drawn >> 11) / 0x1p53;
			sum += share[p];
		}
		topdown_fit(share, PARTS, WIDTH, columns);
		for (unsigned p = 0; p < PARTS; p++) {
			double exact = share[p] * WIDTH;

			assert_true(columns[p] > exact - 1 && columns[p] < exact + 1);
			end += columns[p];
		}
		assert_true(end > sum * WIDTH - 0.51 && end < sum * WIDTH + 0.51);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_rounded),
		cmocka_unit_test(beyond_the_whole_in_proportion),
		cmocka_unit_test(all_bars_have_one_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
