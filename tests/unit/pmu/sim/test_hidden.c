/* test_hidden.c: sim:hidden: what the seed draws, and that workloads count just that */
#include "rig/sim_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 20, IDS = 256, E_CORE = 0, P_CORE = 4 };

struct workload_run {
	uint64_t count[SLOTS_MAX];
	unsigned n_told; /* interrupts */
};

/* Open a group that counts cycles, instructions, and an id on PMC2-9. */
static struct group *play_open(struct sim_rig *rig, unsigned core, uint64_t id,
			       enum privilege privilege)
{
	const struct core_type *type = &rig->sim->machine.type[rig->sim->machine.core[core].type];
	struct event event[3] = {
		{ .name = "cycles", .pmu = type->pmu, .config = { 0x02 } },
		{ .name = "instructions", .pmu = type->pmu, .config = { 0x8c } },
		{ .name = "id", .pmu = type->pmu, .config = { id } },
	};
	struct set set = { .number = 1, .n_slots = 10 };
	struct placement *place = &set.type[rig->sim->machine.core[core].type];
	struct group *group = NULL;

	for (unsigned slot = 0; slot < 10; slot++) {
		event[slot < 2 ? slot : 2].privilege = privilege;
		place->event[slot] = &event[slot < 2 ? slot : 2];
		place->counter[slot] = (uint8_t)slot;
		place->order[place->n_order++] = (uint16_t)slot;
	}
	if (rig->sim->ops->group_open(rig->sim, core, &set, &group, &rig->err) < 0)
		fail_msg("core %u, id 0x%x: %s", core, (unsigned)id, rig->err.text);
	assert_int_equal(rig->sim->ops->group_enable(group), 0);
	return group;
}

static struct workload_run run_workload(struct sim_rig *rig, struct group *group,
					const char *kernel, bool is_trigger, uint64_t n)
{
	const struct workload workload = { kernel, is_trigger, (double)n };
	struct workload_run run = { { 0 }, 0 };
	struct sample before = sim_rig_read(rig, group);

	run.n_told = rig->sim->ops->run_workload(group, &workload);

	struct sample after = sim_rig_read(rig, group);

	for (unsigned slot = 0; slot < 10; slot++)
		run.count[slot] = sim_rig_gain(&before, &after, slot);
	return run;
}

/* names as discover could have them; none of them is known to the simulation */
static const char *const kernels[] = {
	"k0",  "k1",  "k2",  "k3",  "k4",  "k5",  "k6",  "k7",  "k8",  "k9",
	"k10", "k11", "k12", "k13", "k14", "k15", "k16", "k17", "k18", "k19",
	"k20", "k21", "k22", "k23", "k24", "k25", "k26", "k27", "k28", "k29",
};

static struct sim_rig open_seed(unsigned seed)
{
	char options[64];

	snprintf(options, sizeof(options), "seed=%u,hidden", seed);

	struct sim_rig rig = sim_rig_open(options);

	rig.sim->is_probing = true;
	return rig;
}

static unsigned first_counter(uint16_t counters)
{
	return (unsigned)__builtin_ctz(counters & 0x3fcU);
}

static void the_seed_draws_everything(void **state)
{
	unsigned n_other = 0;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct sim_rig one = open_seed(seed), same = open_seed(seed), other = open_seed(99);

		for (unsigned id = 0; id < IDS; id++) {
			struct sim_answer a = sim_truth_of_id(one.sim, 1, id, "load");
			struct sim_answer b = sim_truth_of_id(same.sim, 1, id, "load");
			struct sim_answer c = sim_truth_of_id(other.sim, 1, id, "load");

			assert_true(a.kind == b.kind && a.counters == b.counters && a.k == b.k);
			n_other += a.kind != c.kind || a.counters != c.counters || a.k != c.k;
		}
		sim_rig_close(&one);
		sim_rig_close(&same);
		sim_rig_close(&other);
	}
	assert_true(n_other > SEEDS * IDS / 2);
}

static bool is_one_of(double value, const double *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return false;
}

static void shares_are_a_machine_s(void **state)
{
	static const double factors[] = { 0.5, 1, 2, 3, 4 };
	static const double classes[] = { 0x080, 0x0e0, 0x0fc, 0x3fc, 0x054, 0x3fd, 0x082 };
	unsigned n_ids = 0, n_responses = 0, n_differ = 0;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct sim_rig rig = open_seed(seed);
		unsigned n = 0;

		for (unsigned id = 0; id < IDS; id++) {
			struct sim_answer any = sim_truth_of_id(rig.sim, 0, id, "");

			assert_true(is_one_of(any.counters, classes, ARRAY_SIZE(classes)));
			n += any.kind == SIM_COUNTS;
			for (unsigned k = 0; k < ARRAY_SIZE(kernels); k++) {
				double e = sim_truth_of_id(rig.sim, 0, id, kernels[k]).k;
				double p = sim_truth_of_id(rig.sim, 1, id, kernels[k]).k;

				assert_true((e > 0) == (p > 0));
				if (e <= 0)
					continue;
				assert_true(any.kind == SIM_COUNTS || any.kind == SIM_SPECULATES);
				assert_true(is_one_of(e, factors, ARRAY_SIZE(factors)));
				assert_true(is_one_of(p, factors, ARRAY_SIZE(factors)));
				n_responses++;
				n_differ += e != p;
			}
		}
		assert_in_range(n, IDS * 20 / 100, IDS * 42 / 100);
		n_ids += n;
		sim_rig_close(&rig);
	}
	assert_in_range(n_responses, n_ids, 3 * n_ids);
	assert_in_range(n_differ, n_responses / 50, n_responses / 8);
}

/* Nobody gets a name, and what counts an id on the live screen is what the truth says of it. */
static void there_are_no_names(void **state)
{
	struct sim_rig rig = open_seed(7);

	(void)state;
	for (unsigned type = 0; type < 2; type++) {
		const struct catalog *catalog = rig.sim->machine.type[type].catalog;

		for (size_t i = 0; i < catalog->n_events; i++)
			assert_true(catalog->event[i].pmu[0]);
		assert_int_equal(catalog->n_presets, 0);
	}
	sim_rig_close(&rig);
}

static void raw_ids_count_live(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=5,hidden,clock=virtual");
	unsigned n_counting = 0;

	(void)state;
	for (unsigned id = 1; id < IDS; id++) {
		struct sim_answer answer = sim_truth_of_id(rig.sim, 1, id, "");
		uint64_t start_ns = (uint64_t)id * NS_PER_S;

		sim_rig_advance(&rig, start_ns);

		struct group *group = play_open(&rig, P_CORE, id, PRIVILEGE_BOTH);
		struct sample before = sim_rig_read(&rig, group);

		sim_rig_advance(&rig, start_ns + 100 * NS_PER_MS);

		struct sample after = sim_rig_read(&rig, group);
		uint64_t truth =
			sim_truth(rig.sim, P_CORE, id, PRIVILEGE_BOTH, before.t_ns, after.t_ns);

		for (unsigned slot = 2; slot < 10; slot++)
			assert_int_equal(sim_rig_gain(&before, &after, slot),
					 answer.counters >> slot & 1 ? truth : 0);
		assert_true(answer.kind != SIM_NEVER || !truth);
		assert_true(sim_rig_gain(&before, &after, 0) > 0);
		n_counting += truth > 0;
		rig.sim->ops->group_close(group);
	}
	assert_true(n_counting > 70);
	sim_rig_close(&rig);
}

static void a_probed_core_does_nothing_else(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=5,hidden,clock=virtual");

	(void)state;
	rig.sim->is_probing = true;

	struct group *group = play_open(&rig, P_CORE, 0x02, PRIVILEGE_BOTH);
	struct sample before = sim_rig_read(&rig, group);

	sim_rig_advance(&rig, NS_PER_S);

	struct sample after = sim_rig_read(&rig, group);

	for (unsigned slot = 0; slot < 10; slot++)
		assert_int_equal(sim_rig_gain(&before, &after, slot), 0);
	assert_int_equal(after.raw[2].running_ns - before.raw[2].running_ns, NS_PER_S);
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

/* ---- workloads against the truth ---- */

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The median over repeats of what a trigger counts beyond its control. */
static double measure(struct sim_rig *rig, unsigned core, uint64_t id, unsigned counter,
		      const char *kernel)
{
	enum { N = 20000, REPEATS = 15 };
	struct group *group = play_open(rig, core, id, PRIVILEGE_USER);
	double slope[REPEATS];

	for (unsigned i = 0; i < REPEATS; i++) {
		struct workload_run trigger = run_workload(rig, group, kernel, true, N);
		struct workload_run control = run_workload(rig, group, kernel, false, N);

		slope[i] = ((double)trigger.count[counter] - (double)control.count[counter]) / N;
	}
	rig->sim->ops->group_close(group);
	qsort(slope, REPEATS, sizeof(*slope), compare_doubles);
	return slope[REPEATS / 2];
}

static void check_answer(struct sim_rig *rig, unsigned core, uint64_t id, const char *kernel)
{
	struct sim_answer answer =
		sim_truth_of_id(rig->sim, rig->sim->machine.core[core].type, id, kernel);
	double slope = measure(rig, core, id, first_counter(answer.counters), kernel);
	bool holds = false;

	switch (answer.kind) {
	case SIM_NEVER: holds = slope == 0; break;
	case SIM_SAME: holds = fabs(slope) < 0.1; break;
	case SIM_COUNTS: holds = fabs(slope - answer.k) < 0.1; break;
	case SIM_SPECULATES:
		holds = answer.k <= 0 ? fabs(slope) < 0.1
				      : slope > answer.k * 1.1 && slope < answer.k * 1.5;
		break;
	case SIM_CYCLES: holds = slope > 0.2; break;
	}
	if (!holds)
		fail_msg("core %u, id 0x%02x, %s: slope %g, kind %d, k %g", core, (unsigned)id,
			 kernel, slope, answer.kind, answer.k);
}

static void slopes_are_the_truth(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 3; seed++) {
		struct sim_rig rig = open_seed(seed);

		for (unsigned id = 0; id < IDS; id++)
			for (unsigned k = seed; k < ARRAY_SIZE(kernels); k += 3)
				check_answer(&rig, k % 2 ? E_CORE : P_CORE, id, kernels[k]);
		sim_rig_close(&rig);
	}
}

static void counts_are_on_the_mask_alone(void **state)
{
	struct sim_rig rig = open_seed(3);

	(void)state;
	for (unsigned id = 0; id < IDS; id++) {
		struct sim_answer answer = sim_truth_of_id(rig.sim, 1, id, "k1");
		struct group *group = play_open(&rig, P_CORE, id, PRIVILEGE_USER);
		struct workload_run run = run_workload(&rig, group, "k1", true, 1000);
		uint64_t seen = run.count[first_counter(answer.counters)];

		for (unsigned slot = 2; slot < 10; slot++)
			assert_int_equal(run.count[slot], answer.counters >> slot & 1 ? seen : 0);
		rig.sim->ops->group_close(group);
	}
	sim_rig_close(&rig);
}

static void the_same_again(void **state)
{
	struct sim_rig one = open_seed(11), two = open_seed(11);

	(void)state;
	for (unsigned id = 0; id < IDS; id += 3) {
		struct group *a = play_open(&one, E_CORE, id, PRIVILEGE_BOTH);
		struct group *b = play_open(&two, E_CORE, id, PRIVILEGE_BOTH);

		for (unsigned i = 0; i < 10; i++) {
			struct workload_run left = run_workload(&one, a, kernels[i], i % 2, 500);
			struct workload_run right = run_workload(&two, b, kernels[i], i % 2, 500);

			assert_int_equal(left.n_told, right.n_told);
			assert_memory_equal(left.count, right.count, sizeof(left.count));
		}
		one.sim->ops->group_close(a);
		two.sim->ops->group_close(b);
	}
	sim_rig_close(&one);
	sim_rig_close(&two);
}

/* Most interrupts are told of; the others show as a run that takes far longer than its like. */
static void interrupts_are_told_or_slow(void **state)
{
	enum { RUNS = 4000, N = 10000 };
	struct sim_rig rig = open_seed(2);
	struct group *group = play_open(&rig, P_CORE, 0x10, PRIVILEGE_USER);
	static double cycles[RUNS], sorted[RUNS];
	static bool is_told[RUNS];
	unsigned n_told = 0, n_slow = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++) {
		struct workload_run run = run_workload(&rig, group, "k2", true, N);

		cycles[i] = sorted[i] = (double)run.count[0];
		is_told[i] = run.n_told;
		n_told += is_told[i];
	}
	qsort(sorted, RUNS, sizeof(*sorted), compare_doubles);
	for (unsigned i = 0; i < RUNS; i++) {
		bool is_slow = cycles[i] > 1.2 * sorted[RUNS / 2];

		n_slow += is_slow && !is_told[i];
		/* undisturbed runs are like each other */
		assert_true(is_slow || is_told[i] ||
			    fabs(cycles[i] / sorted[RUNS / 2] - 1) < 0.011);
	}
	assert_in_range(n_told, RUNS * 15 / 1000, RUNS * 35 / 1000);
	assert_in_range(n_slow, RUNS * 2 / 1000, RUNS * 10 / 1000);
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

static void work_is_the_user_s(void **state)
{
	struct sim_rig rig = open_seed(2);
	struct group *group = play_open(&rig, P_CORE, 0x10, PRIVILEGE_KERNEL);
	unsigned n_quiet = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		n_quiet += run_workload(&rig, group, "k2", true, 10000).count[0] == 0;
	assert_in_range(n_quiet, 85, 100);
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

/* ---- without `hidden`: an M1 as far as it has been measured ---- */

static void an_m1_has_its_own_slopes(void **state)
{
	static const struct {
		const char *kernel;
		uint8_t id, counter;
		double k;
	} row[] = {
		{ "nop", 0x01, 7, 1 },         { "nop", 0x95, 5, 0 },
		{ "load", 0x95, 5, 1 },        { "load", 0xa6, 2, 1 },
		{ "load", 0x96, 7, 0 },        { "store", 0x96, 7, 1 },
		{ "load-pair", 0x7d, 3, 2 },   { "barrier", 0x9c, 6, 1 },
		{ "call-return", 0x8e, 5, 1 }, { "nobody's", 0x8d, 5, 0 },
	};
	struct sim_rig rig = sim_rig_open("seed=1");

	(void)state;
	rig.sim->is_probing = true;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		double slope = measure(&rig, P_CORE, row[i].id, row[i].counter, row[i].kernel);

		if (fabs(slope - row[i].k) > 0.01)
			fail_msg("%s 0x%02x: %g", row[i].kernel, row[i].id, slope);
	}
	sim_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_seed_draws_everything),
		cmocka_unit_test(shares_are_a_machine_s),
		cmocka_unit_test(there_are_no_names),
		cmocka_unit_test(raw_ids_count_live),
		cmocka_unit_test(a_probed_core_does_nothing_else),
		cmocka_unit_test(slopes_are_the_truth),
		cmocka_unit_test(counts_are_on_the_mask_alone),
		cmocka_unit_test(the_same_again),
		cmocka_unit_test(interrupts_are_told_or_slow),
		cmocka_unit_test(work_is_the_user_s),
		cmocka_unit_test(an_m1_has_its_own_slopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
