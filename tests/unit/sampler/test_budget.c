/* The interval that keeps m1top within its share of a core: longer while it must be, then back. */
#include "rig/harness.h"

#include "base/clock.h"
#include "sampler/threads/budget.h"

#define S NS_PER_S

/* What m1top uses, in percent of a core: some for each read, some however often it reads. */
struct cost {
	double per_read_s; /* CPU time of a read in percent of a second */
	double fixed;
};

struct run {
	struct budget budget;
	uint64_t t_ns, interval_ns, longest_ns;
	unsigned n_changes;
};

/* Let so many seconds pass. */
static void pass(struct run *run, double s, const struct cost *cost)
{
	uint64_t end_ns = run->t_ns + (uint64_t)(s * 1e9);

	while (run->t_ns < end_ns) {
		double used = cost->fixed + cost->per_read_s / ((double)run->interval_ns / 1e9);
		uint64_t next_ns;

		run->t_ns += run->interval_ns;
		next_ns = budget_choose(&run->budget, run->interval_ns, used, run->t_ns);
		if (next_ns == run->interval_ns)
			continue;
		budget_take(&run->budget, next_ns, run->t_ns);
		run->interval_ns = next_ns;
		run->longest_ns = next_ns > run->longest_ns ? next_ns : run->longest_ns;
		run->n_changes++;
	}
}

static struct run begin(uint64_t interval_ns)
{
	return (struct run){ .budget = { .pct = 5 }, .interval_ns = interval_ns };
}

static void it_returns_when_the_cause_has_gone(void **state)
{
	static const struct cost idle = { .per_read_s = 0.1 }, busy = { .fixed = 40 };
	struct run run = begin(S / 10);

	(void)state;
	pass(&run, 20, &idle);
	assert_int_equal(run.n_changes, 0);
	pass(&run, 60, &busy);
	assert_true(run.longest_ns >= S);
	pass(&run, 60, &idle);
	assert_int_equal(run.interval_ns, S / 10);
}

/* Never below what was asked for, nor far above the budget for long. */
static void it_rests_where_the_budget_is_kept(void **state)
{
	static const struct cost dear = { .per_read_s = 1.5 }; /* 15 % at 0.1 s */
	struct run run = begin(S / 10);
	unsigned n;

	(void)state;
	pass(&run, 20, &dear);
	assert_int_equal(run.interval_ns, 4 * S / 10);
	n = run.n_changes;
	pass(&run, 3600, &dear);
	assert_int_equal(run.longest_ns, 4 * S / 10);
	assert_in_range(run.n_changes - n, 1, 40); /* tries that failed, ever more rarely */
}

/* What does not come from reading may take most of the budget: only a try shows that it is kept. */
static void it_tries_where_it_cannot_know(void **state)
{
	static const struct cost fixed = { .fixed = 4, .per_read_s = 0.05 }, busy = { .fixed = 9 };
	struct run run = begin(S / 10);

	(void)state;
	pass(&run, 8, &busy);
	assert_true(run.interval_ns > S / 10);
	pass(&run, 600, &fixed);
	assert_int_equal(run.interval_ns, S / 10);
}

static void another_interval_is_the_one_asked_for(void **state)
{
	static const struct cost idle = { .per_read_s = 0.1 }, busy = { .fixed = 40 };
	struct run run = begin(S / 10);

	(void)state;
	pass(&run, 20, &busy);
	run.interval_ns = S / 2; /* the user's, meanwhile */
	pass(&run, 2, &busy);
	assert_int_equal(run.interval_ns, S / 2); /* given time to show */
	pass(&run, 20, &busy);
	assert_true(run.interval_ns > S / 2);
	pass(&run, 120, &idle);
	assert_int_equal(run.interval_ns, S / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_returns_when_the_cause_has_gone),
		cmocka_unit_test(it_rests_where_the_budget_is_kept),
		cmocka_unit_test(it_tries_where_it_cannot_know),
		cmocka_unit_test(another_interval_is_the_one_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
