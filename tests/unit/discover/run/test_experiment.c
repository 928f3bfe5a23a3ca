/* test_experiment.c: runs on a core, what disturbs them, and experiments made of them */
#include "rig/sim_control.h"
#include "rig/sweep_rig.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "discover/kernel/workspace.h"
#include "discover/run/experiment.h"
#include "discover/run/runner.h"
#include "rig/sim_rig.h"

/* ---- interrupts ---- */

static const char table[] =
	"            CPU0       CPU2       \n"
	"  24:          1         20  IO-APIC   5-edge      ACPI:Ged\n"
	" 112:        300       4000  PCI-MSIX-0000:00:03.0   0-edge      7 of 9\n"
	" LOC:   50000000  600000000  Local timer interrupts\n"
	" ERR:          7\n"
	" MIS:          9\n";

static void test_interrupts_of_a_cpu(void **state)
{
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(interrupts_sum(table, 0, &sum), 0);
	assert_int_equal(sum, 50000301);
	assert_int_equal(interrupts_sum(table, 2, &sum), 0);
	assert_int_equal(sum, 600004020);
	assert_int_equal(interrupts_sum(table, 1, &sum), -ENODEV);
	assert_int_equal(interrupts_sum("", 0, &sum), -ENODEV);
}

/* @return false: this machine does not say */
static bool read_interrupts(uint64_t *ret)
{
	static char text[1 << 22];
	FILE *file = fopen("/proc/interrupts", "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[n] = '\0';
	return !interrupts_sum(text, 0, ret);
}

/* This machine's own: they only grow, and time passes not without them. */
static void test_interrupts_here(void **state)
{
	uint64_t before, after, from_ns = clock_now_ns();

	(void)state;
	if (!read_interrupts(&before))
		skip();
	do
		assert_true(read_interrupts(&after));
	while (after == before && clock_now_ns() - from_ns < 120 * NS_PER_S);
	assert_true(after > before);
}

/* ---- lengths ---- */

static void test_lengths(void **state)
{
	static const struct {
		double triggers;
		uint64_t n_max;
		uint64_t length[LENGTHS_MAX];
	} rows[] = {
		{ 1, 1000000, { 1, 100, 1000, 10000, 100000 } },
		{ 1, 10000, { 1, 100, 1000, 10000 } },
		{ 1, 1024, { 1, 100, 1024 } },
		{ 0.5, 100000, { 1, 100, 1000, 10000, 50000 } },
		{ 2, 1000, { 1, 100, 2000 } },
		{ 1, 100, { 1, 50, 100 } },
		{ 1, 400, { 1, 100, 400 } },
		{ 1, 50, { 1, 25, 50 } },
		{ 1, 3, { 1, 3 } },
		{ 1, 1, { 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct kernel kernel = { .triggers = rows[i].triggers,
					       .n_max = rows[i].n_max };
		struct experiment_plan plan;
		unsigned n = 0;

		experiment_plan_init(false, &plan);
		experiment_cap(&kernel, &plan);
		while (n < LENGTHS_MAX && rows[i].length[n])
			n++;
		if (plan.n_lengths != n ||
		    memcmp(plan.length, rows[i].length, n * sizeof(*plan.length)) != 0)
			fail_msg("row %zu: %u lengths, the last %llu", i, plan.n_lengths,
				 (unsigned long long)plan.length[plan.n_lengths - 1]);
		for (unsigned j = 0; j < n; j++)
			assert_true(runner_triggers(&kernel, plan.length[j]) / kernel.triggers <=
				    (double)kernel.n_max);
	}
}

static void test_whole_units(void **state)
{
	const struct kernel half = { .triggers = 0.5 }, most = { .triggers = 0.875 };
	const struct kernel two = { .triggers = 2 };

	(void)state;
	assert_true(runner_triggers(&half, 1) == 1);
	assert_true(runner_triggers(&most, 700) == 700);
	assert_true(runner_triggers(&most, 1) == 1.75);
	assert_true(runner_triggers(&two, 1) == 2);
}

/* ---- runs of a simulated core ---- */

static struct runner *open_runner(struct sim_rig *rig, const char *events, const char *kernel)
{
	struct set set = sim_rig_set(rig, events);
	struct runner *runner = NULL;

	rig->sim->is_probing = true;
	assert_int_equal(runner_open(rig->sim, 4, &runner, &rig->err), 0);
	assert_int_equal(runner_load(runner, &set, &rig->err), 0);
	assert_int_equal(runner_use(runner, kernel_find(kernel), &rig->err), 0);
	return runner;
}

/* Slots 0 and 1 are cycles and instructions. Counters begin just before they wrap. */
static void test_run_counts(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1,wrap=near");
	struct runner *runner = open_runner(&rig, "PMC5=r95", "load");
	unsigned n_undisturbed = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct run run;

		assert_int_equal(runner_run(runner, i % 2, 5000, &run), 0);
		if (run.disturbance)
			continue;
		n_undisturbed++;
		assert_int_equal(run.state[5], RAW_OK);
		assert_int_equal(run.state[4], RAW_EMPTY);
		assert_in_range(run.count[5], i % 2 ? 5000 : 0, i % 2 ? 5100 : 100);
		assert_true(run.count[0] >= 10000);
	}
	assert_true(n_undisturbed > 40);
	runner_close(runner);
	sim_rig_close(&rig);
}

static void test_run_disturbed(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct runner *runner = open_runner(&rig, "PMC5=r95", "load");
	struct run run = { 0 };
	unsigned n_interrupted = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(runner_run(runner, true, 10, &run), 0);
		n_interrupted += run.disturbance == DISTURBED_INTERRUPTED;
	}
	assert_in_range(n_interrupted, 5, 100);

	sim_steal(rig.sim, 4, 5, true);
	do /* an interrupt is told first */
		assert_int_equal(runner_run(runner, true, 10, &run), 0);
	while (run.disturbance == DISTURBED_INTERRUPTED);
	assert_int_equal(run.disturbance, DISTURBED_LOST);
	sim_steal(rig.sim, 4, 5, false);
	sim_lose(rig.sim, 4, NS_PER_S);
	do
		assert_int_equal(runner_run(runner, true, 10, &run), 0);
	while (run.disturbance == DISTURBED_INTERRUPTED);
	sim_core_offline(rig.sim, 4, true);
	assert_int_equal(runner_run(runner, true, 10, &run), -ENODEV);
	runner_close(runner);
	sim_rig_close(&rig);
}

/* ---- experiments ---- */

static struct experiment_result experiment(struct runner *runner, const char *kernel, uint64_t seed)
{
	struct experiment_plan plan;
	struct experiment_result result;

	experiment_plan_init(false, &plan);
	plan.seed = seed;
	experiment_cap(kernel_find(kernel), &plan);
	assert_int_equal(experiment_run(runner, kernel_find(kernel), 6, 0, &plan, NULL, &result),
			 0);
	return result;
}

static void test_experiment(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct runner *runner = open_runner(&rig, "PMC5=r95", "load");
	struct experiment_result result = experiment(runner, "load", 3);
	const struct estimate *e = &result.estimate[5];

	(void)state;
	assert_true(fabs(e->slope - 1) < 0.001);
	assert_true(e->low <= 1 && e->high >= 1);
	assert_true(e->n_pairs >= 5 * 7 - 3 && e->n_pairs <= 5 * 7);
	assert_true(result.n_runs >= 2 * 5 * 7);
	assert_int_equal(result.rejected[UNDISTURBED], 0);
	assert_int_equal(result.estimate[4].verdict, VERDICT_UNKNOWN);
	assert_true(isnan(result.typical[4][0]));
	assert_true(fabs(result.typical[5][1] - 100000) < 100);
	assert_true(result.typical[5][0] < 100);
	/* untold interrupts show in cycles alone: half a percent of runs by a third */
	assert_true(result.estimate[0].slope > 0.7 && result.estimate[0].slope < 0.84);
	runner_close(runner);
	sim_rig_close(&rig);
}

/* Over many experiments the runs that were held up are found out. */
static void test_slow_runs(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=2");
	struct runner *runner = open_runner(&rig, "PMC5=r95", "load");
	uint64_t n_slow = 0, n_runs = 0;

	(void)state;
	for (unsigned seed = 0; seed < 30; seed++) {
		struct experiment_result result = experiment(runner, "load", seed);

		n_slow += result.rejected[DISTURBED_SLOW];
		n_runs += result.n_runs;
		assert_true(fabs(result.estimate[0].slope - 0.77) < 0.03);
	}
	assert_true(n_slow >= n_runs / 400);
	assert_true(n_slow < n_runs / 10);
	runner_close(runner);
	sim_rig_close(&rig);
}

static void test_stop(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=1");
	struct runner *runner = open_runner(&rig, "PMC5=r95", "load");
	struct experiment_plan plan;
	struct experiment_result result;
	const atomic_bool stop = true;

	(void)state;
	experiment_plan_init(true, &plan);
	assert_int_equal(experiment_run(runner, kernel_find("load"), 6, 0, &plan, &stop, &result),
			 -ECANCELED);
	runner_close(runner);
	sim_rig_close(&rig);
}

/* ---- this machine ---- */

static struct backend *open_perf(void)
{
	struct backend_config config = { .name = "perf" };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_perf.probe(&config, &err) || backend_open(&config, &backend, &err)) {
		print_message("# %s\n", err.text);
		skip();
	}
	return backend;
}

static void test_thread_is_unpinned(void **state)
{
	struct backend *backend = open_perf();
	struct runner *runner = NULL;
	struct err err = { "" };
	cpu_set_t before, during, after;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	if (runner_open(backend, backend->machine.n_cores - 1, &runner, &err))
		fail_msg("%s", err.text);
	sched_getaffinity(0, sizeof(during), &during);
	assert_int_equal(CPU_COUNT(&during), 1);
	assert_int_equal(sched_getcpu(), backend->machine.core[backend->machine.n_cores - 1].cpu);
	runner_close(runner);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	backend_close(backend);
}

static int refuse_memory(struct workspace *workspace, struct err *err)
{
	(void)workspace;
	return err_set(err, ENOMEM, "no memory");
}

/* Of the second kernel than of the first. */
static bool misses_cost_more(const struct costs *costs)
{
	return costs_share(costs, 1, 1) - costs_share(costs, 1, 0) >
	       costs_share(costs, 0, 1) - costs_share(costs, 0, 0);
}

/* A hundred thousand misses take longer than as many instructions that do nothing; a kernel without
 * memory takes no time. */
static void test_costs(void **state)
{
	static const struct workspace_kind no_memory = { .what = "none", .make = refuse_memory };
	struct backend *backend = open_perf();
	struct kernel no_kernel = *kernel_find("load");
	const struct kernel *const kernel[] = { kernel_find("nop"), kernel_find("l2-miss"),
						&no_kernel };
	struct experiment_plan plan;
	struct runner *runner = NULL;
	struct costs costs;
	struct err err = { "" };

	(void)state;
	no_kernel.workspace = &no_memory;
	experiment_plan_init(false, &plan);
	if (runner_open(backend, 0, &runner, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < 20; i++) { /* a busy host may hold up the other */
		costs_measure(runner, kernel, 3, &plan, &costs);
		if (misses_cost_more(&costs))
			break;
	}
	runner_close(runner);
	assert_true(costs.before[1] > 0);
	assert_true(misses_cost_more(&costs));
	assert_true(fabs(costs_share(&costs, 1, 1) - 1) < 1e-12);
	assert_true(fabs(costs_share(&costs, 2, 1) - 1) < 1e-12);
	backend_close(backend);
}

/* A switch goes to the idle task and back, or to whoever else runs there and back, who makes one more. */
static const struct {
	const char *kernel;
	uint64_t id;
	double most;
} caused[] = { { "page-fault", 2, 1 }, { "context-switch", 3, 2 } };

/* @ret_is_known  whether the machine was calm enough to measure both */
static bool is_caused(const struct findings *findings, bool *ret_is_known)
{
	bool is_right = true;

	*ret_is_known = true;

	for (size_t i = 0; i < ARRAY_SIZE(caused); i++) {
		const struct finding *finding =
			sweep_finding(findings, 0, caused[i].kernel, caused[i].id);
		const struct estimate *e = &finding->estimate;
		bool responds = e->verdict == VERDICT_CONSISTENT || e->verdict == VERDICT_RELATED;

		if (responds && e->slope > 0.9 && e->slope < caused[i].most + 0.1)
			continue;
		print_message("# %s: %s, %g (%g to %g)\n", caused[i].kernel,
			      estimate_verdict_name[e->verdict], e->slope, e->low, e->high);
		is_right = false;
		*ret_is_known = *ret_is_known && e->verdict != VERDICT_UNKNOWN;
	}
	return is_right;
}

/* Kernels that software events count, on a real kernel. The events are counted on the whole CPU:
 * when it is very busy, what others do can drown them, so not every attempt need hold. */
static void test_software_events(void **state)
{
	struct backend *backend = open_perf();
	struct sweep *sweep = NULL;
	struct err err = { "" };
	bool is_right = false, is_known = false;

	(void)state;
	if (machine_has_core_pmu(&backend->machine)) {
		print_message("# this machine has a core PMU: its software events are not swept\n");
		backend_close(backend);
		skip();
	}
	for (unsigned i = 0; i < 20 && !is_right; i++) {
		struct findings findings =
			sweep_whole(&(struct sweep_request){ .backend = backend, .ids = "2,3" });

		is_right = is_caused(&findings, &is_known);
		findings_fini(&findings);
	}
	assert_true(is_right || !is_known);

	/* and nothing else can be tried here */
	assert_int_equal(sweep_new(&(struct sweep_request){ .backend = backend, .kernels = "load" },
				   &sweep, &err),
			 -ENODEV);
	assert_non_null(strstr(err.text, "no core PMU"));
	assert_int_equal(
		sweep_new(&(struct sweep_request){ .backend = backend, .only_masks = true }, &sweep,
			  &err),
		-ENODEV);
	backend_close(backend);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupts_of_a_cpu),
		cmocka_unit_test(test_interrupts_here),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_whole_units),
		cmocka_unit_test(test_run_counts),
		cmocka_unit_test(test_run_disturbed),
		cmocka_unit_test(test_experiment),
		cmocka_unit_test(test_slow_runs),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_thread_is_unpinned),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_software_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
