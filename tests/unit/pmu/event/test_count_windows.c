/* test_count_windows.c: sums of windows in which columns were lost at random: within a part all columns are of the same
 * windows, however many choices of columns there were. */
#include "rig/harness.h"

#include <math.h>
#include <string.h>

#include "pmu/count.h"

enum { COLUMNS = 8, WINDOWS = 2000 };

static unsigned next(unsigned *state, unsigned below)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % below;
}

/* Column i counts (i + 1) times as much as column 0 in every window. */
static void make_window(unsigned *state, unsigned lost_pct, struct count *ret)
{
	uint64_t rate = 1 + next(state, 30000);

	for (unsigned i = 0; i < COLUMNS; i++) {
		bool is_lost = next(state, 100) < lost_pct;

		ret[i] = (struct count){ .value = is_lost ? 0 : rate * (i + 1),
					 .enabled_ns = 1000,
					 .running_ns = is_lost ? 0 : 1000,
					 .quality = is_lost ? QUALITY_NOT_COUNTED : QUALITY_OK };
	}
}

static void check_part(const struct count *part)
{
	const struct count *first = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < COLUMNS; i++) {
		assert_int_equal(part[i].enabled_ns, part[0].enabled_ns);
		if (!quality_has_value(part[i].quality))
			continue;
		if (!n++)
			first = &part[i];
		assert_int_equal(part[i].running_ns, first->running_ns);
		assert_int_equal(part[i].value % (i + 1), 0);
		assert_int_equal(part[i].value / (i + 1),
				 first->value / (unsigned)(first - part + 1));
	}
}

static void ratios_are_of_the_same_windows(void **state)
{
	static const unsigned lost_pct[] = { 0, 2, 20, 50, 90 };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(lost_pct); k++) {
		struct count_windows windows = { 0 }, joined = { 0 };
		unsigned random = (unsigned)k + 1;
		uint64_t enabled_ns = 0;

		for (unsigned i = 0; i < WINDOWS; i++) {
			struct count window[COLUMNS];

			make_window(&random, lost_pct[k], window);
			assert_int_equal(count_windows_add(&windows, window, COLUMNS), 0);
		}
		assert_int_equal(count_windows_join(&joined, &windows), 0);
		assert_true(windows.n <= COUNT_WINDOWS_PARTS && (lost_pct[k] || windows.n == 1));
		assert_int_equal(joined.n, windows.n);
		for (unsigned i = 0; i < windows.n; i++) {
			check_part(count_windows_part(&windows, i));
			enabled_ns += count_windows_part(&windows, i)->enabled_ns;
		}
		assert_int_equal(enabled_ns, WINDOWS * 1000);
		count_windows_fini(&windows);
		count_windows_fini(&joined);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_are_of_the_same_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
