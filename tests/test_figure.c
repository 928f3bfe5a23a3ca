/* test_figure.c: what a cell says of the counts of one row */
#include "harness.h"

#include <string.h>

#include "tui/figure.h"

static struct event event(const char *name, enum event_levels levels)
{
	struct event made = { .levels = levels, .scale = 1 };

	snprintf(made.name, sizeof(made.name), "%s", name);
	return made;
}

/* Branches of the program over instructions of the program, not over all. */
static void per_1000_instructions_of_the_same_levels(void **state)
{
	struct event all = event("instructions", LEVELS_BOTH);
	struct event user = event("instructions:u", LEVELS_USER);
	struct event branches = event("branches:u", LEVELS_USER);
	struct placement placement = { .event = { &branches, &user, &all } };
	struct frame_row row = { .n_cores = 1, .n_on = 1, .state = CORE_ON };
	const uint64_t value[] = { 100, 1000, 4000 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		row.count[i] = (struct count){ value[i], 10, 10, QUALITY_OK, 1, 0 };
	assert_true(figure_of(&row, &placement, 0, SHOW_PER_KI).value == 100);
	placement.event[1] = NULL;
	assert_int_equal(figure_of(&row, &placement, 0, SHOW_PER_KI).quality, QUALITY_UNDEFINED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(per_1000_instructions_of_the_same_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
