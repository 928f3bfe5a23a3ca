/* test_selfcheck.c: known work beside what is counted of it. */
#include "rig/perf_help.h"

#include "discover/sweep.h"

static struct backend *open_sim(const char *options)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_open(&config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

static int check(struct backend *backend, unsigned type, struct selfcheck row[SELFCHECK_ROWS])
{
	struct event_table *events = NULL;
	struct err err = { "" };

	assert_int_equal(event_table_new(&backend->machine, &events), 0);

	int n = selfcheck_counts(backend, events, type, NULL, NULL, row, &err);

	event_table_free(events);
	if (n < 0)
		fail_msg("%s", err.text);
	return n;
}

static const struct selfcheck *row_of(const struct selfcheck *row, int n, const char *kernel,
				      const char *what)
{
	for (int i = 0; i < n; i++)
		if (strcmp(row[i].kernel, kernel) == 0 && strcmp(row[i].what, what) == 0)
			return &row[i];
	fail_msg("no row of %s, %s", kernel, what);
	return NULL;
}

/* What the simulated cores count (backend/sim/known.c), 100000 units of each. */
static void test_simulated(void **state)
{
	static const struct {
		const char *kernel, *what, *event;
		double truth;
	} want[] = {
		{ "nop", "instructions", "INST_ALL", 500000 },
		{ "add", "instructions", "INST_ALL", 400000 },
		{ "branch-not-taken", "branches", "INST_BRANCH", 200000 },
		{ "call-return", "branches", "INST_BRANCH", 300000 },
		{ "load", "loads", "INST_INT_LD", 100000 },
		{ "store", "stores", "INST_INT_ST", 100000 },
	};
	struct backend *backend = open_sim("clock=virtual");
	struct selfcheck row[SELFCHECK_ROWS];

	(void)state;
	for (unsigned type = 0; type < backend->machine.n_types; type++) {
		int n = check(backend, type, row);

		for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
			const struct selfcheck *one = row_of(row, n, want[i].kernel, want[i].what);

			assert_int_equal(one->state, SELFCHECK_MEASURED);
			assert_string_equal(one->event, want[i].event);
			assert_near(one->truth, want[i].truth, 0);
			assert_near(one->measured, want[i].truth, want[i].truth / 1000);
			assert_false(selfcheck_is_off(one));
		}
		assert_int_equal(row_of(row, n, "page-fault", "page-faults")->state,
				 SELFCHECK_NO_EVENT);
	}
	backend_close(backend);
}

/* Names are withheld, but for what a counter is fixed to: nothing else is known or claimed. */
static void test_hidden(void **state)
{
	struct backend *backend = open_sim("hidden,clock=virtual");
	struct selfcheck row[SELFCHECK_ROWS];
	int n = check(backend, 0, row);

	(void)state;
	for (int i = 0; i < n; i++)
		assert_int_equal(row[i].state, strcmp(row[i].what, "instructions") == 0
						       ? SELFCHECK_MEASURED
						       : SELFCHECK_NO_EVENT);
	backend_close(backend);
}

static void test_off(void **state)
{
	static const struct {
		double measured, pct;
		bool is_off;
	} of[] = {
		{ 1000, 0, false },  { 1009, 0.9, false }, { 991, -0.9, false },
		{ 1011, 1.1, true }, { 989, -1.1, true },  { 0, -100, true },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(of); i++) {
		const struct selfcheck row = { .measured = of[i].measured, .truth = 1000 };

		assert_near(selfcheck_off_pct(&row), of[i].pct, 1e-9);
		assert_int_equal(selfcheck_is_off(&row), of[i].is_off);
	}
}

/* On the kernel that is here: its software events, and instructions where a PMU has them. */
static void test_real(void **state)
{
	struct backend *backend = need_backend(state);
	struct selfcheck row[SELFCHECK_ROWS];
	int n = check(backend, 0, row);
	const struct selfcheck *faults = row_of(row, n, "page-fault", "page-faults");
	const struct selfcheck *switches = row_of(row, n, "context-switch", "context-switches");

	if (faults->state == SELFCHECK_MEASURED) {
		assert_true(faults->truth == 1024 || faults->truth == 256 || faults->truth == 64);
		assert_near(faults->measured, faults->truth, 0);
	} else { /* this machine is too busy, and it is said */
		assert_int_equal(faults->state, SELFCHECK_DISTURBED);
	}
	if (switches->state == SELFCHECK_MEASURED) {
		assert_near(switches->truth, 1000, 0);
		/* others that run on the CPU meanwhile are switched to and from as well */
		assert_true(switches->measured >= 1000 && switches->measured < 3000);
	} else {
		assert_int_equal(switches->state, SELFCHECK_DISTURBED);
	}
	if (!machine_has_core_pmu(&backend->machine))
		assert_int_equal(row_of(row, n, "nop", "instructions")->state, SELFCHECK_NO_EVENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_off),
		cmocka_unit_test_setup_teardown(test_real, setup_real, teardown_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
