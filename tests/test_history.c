/* The ring of figures behind the small curves. */
#include "harness.h"

#include <math.h>

#include "tui/history.h"

static void cells_are_means(void **state)
{
	struct history *history = history_new(2, 1, 4);

	(void)state;
	history_add(history, 0, 0, 1);
	history_add(history, 0, 0, 2);
	history_add(history, 1, 0, 7);
	assert_int_equal(history_n(history), 0);
	history_close(history);
	assert_int_equal(history_n(history), 1);
	assert_float_equal(history_at(history, 0, 0, 0), 1.5, 1e-6);
	assert_float_equal(history_at(history, 1, 0, 0), 7, 1e-6);
	history_free(history);
}

static void nothing_is_not_zero(void **state)
{
	struct history *history = history_new(1, 1, 4);

	(void)state;
	assert_true(isnan(history_at(history, 0, 0, 0)));
	history_add(history, 0, 0, NAN);
	history_close(history);
	assert_true(isnan(history_at(history, 0, 0, 0)));
	assert_true(isnan(history_at(history, 0, 0, 1)));
	history_free(history);
}

static void the_oldest_goes(void **state)
{
	struct history *history = history_new(1, 2, 4);

	(void)state;
	for (int i = 0; i < 10; i++) {
		history_add(history, 0, 0, i);
		history_add(history, 0, 1, 100 + i);
		history_close(history);
	}
	for (uint64_t cell = 0; cell < 6; cell++)
		assert_true(isnan(history_at(history, 0, 0, cell)));
	for (uint64_t cell = 6; cell < 10; cell++) {
		assert_float_equal(history_at(history, 0, 0, cell), (float)cell, 1e-6);
		assert_float_equal(history_at(history, 0, 1, cell), 100 + (float)cell, 1e-6);
	}
	history_free(history);
}

static void a_changed_event_forgets_its_series_only(void **state)
{
	struct history *history = history_new(2, 2, 4);

	(void)state;
	for (unsigned row = 0; row < 2; row++)
		for (unsigned series = 0; series < 2; series++)
			history_add(history, row, series, 5);
	history_close(history);
	history_add(history, 0, 1, 5);
	history_forget(history, 1);
	history_close(history);
	assert_float_equal(history_at(history, 0, 0, 0), 5, 1e-6);
	assert_float_equal(history_at(history, 1, 0, 0), 5, 1e-6);
	assert_true(isnan(history_at(history, 0, 1, 0)));
	assert_true(isnan(history_at(history, 1, 1, 0)));
	assert_true(isnan(history_at(history, 0, 1, 1)));
	history_free(history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_means),
		cmocka_unit_test(nothing_is_not_zero),
		cmocka_unit_test(the_oldest_goes),
		cmocka_unit_test(a_changed_event_forgets_its_series_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
