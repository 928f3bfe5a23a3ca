/* An event for a column as a user means it: what takes no counter goes beside the counters. */
#include "rig/machines.h"

#include <errno.h>

#include "pmu/set.h"

static struct machine m1;
static struct event_table *events;

static int make_machine(void **state)
{
	(void)state;
	machines_m1(&m1, false);
	assert_int_equal(event_table_new(&m1, &events), 0);
	return 0;
}

static int free_machine(void **state)
{
	(void)state;
	event_table_free(events);
	machine_fini(&m1);
	return 0;
}

/* What takes no counter goes beside them, and moves nothing; the rest is as for set_change. */
static void what_takes_no_counter_goes_beside_them(void **state)
{
	struct set from, to, again;
	struct err err = { "" };
	unsigned slot;

	(void)state;
	assert_int_equal(set_preset(events, "overview", PRIVILEGE_BOTH, &from, NULL), 0);
	for (unsigned chosen = 0; chosen < 10; chosen++) {
		assert_int_equal(
			set_choose(events, &from, chosen, "cs", PRIVILEGE_BOTH, &slot, &to, &err),
			0);
		assert_int_equal(slot, 10);
		assert_string_equal(set_event(&to, 10)->name, "context-switches");
		for (unsigned i = 0; i < 10; i++)
			assert_ptr_equal(set_event(&to, i), set_event(&from, i));
	}
	/* once is enough */
	assert_int_equal(set_choose(events, &to, 2, "cs", PRIVILEGE_BOTH, &slot, &again, &err), 0);
	assert_int_equal(slot, 10);
	assert_true(set_counts_same(&to, &again));

	assert_int_equal(
		set_choose(events, &from, 8, "L1D_TLB_MISS", PRIVILEGE_BOTH, &slot, &to, &err), 0);
	assert_int_equal(slot, 8);
	assert_int_equal(
		set_choose(events, &from, 2, "INST_BRANCH", PRIVILEGE_BOTH, &slot, &to, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "only be counted on PMC5-7"));
	assert_int_equal(
		set_choose(events, &from, SLOT_FREE, "MAP_STALL", PRIVILEGE_BOTH, &slot, &to, &err),
		-EINVAL);
	assert_int_equal(set_choose(events, &from, 2, "NO_SUCH", PRIVILEGE_BOTH, &slot, &to, &err),
			 -ENOENT);
	assert_int_equal(
		set_choose(events, &from, 2, "user_time", PRIVILEGE_BOTH, &slot, &to, &err),
		-ENOENT);
	assert_non_null(strstr(err.text, "user_time is not counted: task-clock counts"));
}

static void no_room_beside_the_counters(void **state)
{
	struct set to;
	static const char *const more[] = { "cs",           "faults",       "cpu-migrations",
					    "minor-faults", "major-faults", "task-clock" };
	struct err err = { "" };
	unsigned slot;

	(void)state;
	assert_int_equal(set_preset(events, "overview", PRIVILEGE_BOTH, &to, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		assert_int_equal(set_choose(events, &to, SLOT_FREE, more[i], PRIVILEGE_BOTH, &slot,
					    &to, NULL),
				 0);
	assert_int_equal(
		set_choose(events, &to, 2, "alignment-faults", PRIVILEGE_BOTH, &slot, &to, &err),
		-ENOSPC);
	assert_string_equal(
		err.text,
		"alignment-faults needs 1 column without a counter, and fewer are free: clear one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_takes_no_counter_goes_beside_them),
		cmocka_unit_test(no_room_beside_the_counters),
	};

	return cmocka_run_group_tests(tests, make_machine, free_machine);
}
