/* The parts of a core's time: which metrics they are on which machine, that they add up, and that on
 * the simulated M1 they say what happened. */
#include <math.h>
#include <string.h>

#include "rig/machines.h"
#include "rig/sampler_rig.h"
#include "rig/sim_control.h"

enum { USEFUL, FRONT_END, BACK_END, DISCARDED, N_PARTS };

static void make_of(struct machine *machine, const char *pmu, const char *arch, const char *cpuid)
{
	machines_begin(machine);
	machines_add_pmu(machine, pmu, PMU_CORE, 0xffff);
	machines_add_type(machine, "cpu", &machine->pmus.pmu[0], arch, cpuid);
	machines_add_cores(machine, 1, 0, 0);
	machine->core[0].midr = strtoull(cpuid, NULL, 0);
}

/* @slots  that a cycle has, as the PMU says; NaN: it does not */
static void metrics_with_slots(const struct machine *machine, double slots, struct metrics *ret)
{
	struct literals literals;

	literals_read("", machine, &literals);
	for (unsigned i = 0; literal_name(i); i++)
		if (strcmp(literal_name(i), "slots") == 0)
			literals.value[0][i] = slots;
	assert_int_equal(metrics_make_with_literals(machine, &literals, ret, NULL), 0);
}

/* Of Arm's cores where the PMU says how many slots there are, of Apple's always, of x86 where data
 * from elsewhere has them. */
static void each_machine_has_its_own(void **state)
{
	static const struct {
		const char *pmu, *arch, *cpuid;
		double slots;
		bool is_there;
	} rows[] = {
		{ "armv8_cortex_x2", "arm64", "0x00000000410fd480", 8, true },
		{ "armv8_cortex_x2", "arm64", "0x00000000410fd480", NAN, false },
		{ "apple_firestorm_pmu", "arm64", "0x00000000611f0230", NAN, true },
		{ "apple_avalanche_pmu", "arm64", "0x00000000610f0330", NAN, true },
		{ "cpu", "x86", "GenuineIntel-6-55-4", NAN, false },
	};
	static const char *const names[] = { "retiring", "frontend_bound", "backend_bound",
					     "bad_speculation" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct metrics metrics;

		make_of(&machine, rows[i].pmu, rows[i].arch, rows[i].cpuid);
		metrics_with_slots(&machine, rows[i].slots, &metrics);
		assert_int_equal(metrics.n_parts, N_PARTS);
		for (unsigned p = 0; p < N_PARTS; p++) {
			int number = metrics.part[p].number;

			assert_int_equal(number >= 0, rows[i].is_there);
			if (number >= 0)
				assert_string_equal(metrics.metric[number].name, names[p]);
		}
		metrics_fini(&metrics);
		machine_fini(&machine);
	}
}

/* A loss has presets that explain it; every one of them is one of the machine's, or of another's. */
static void losses_are_explained(void **state)
{
	struct machine machine;
	struct metrics metrics;

	(void)state;
	machines_m1(&machine, true);
	assert_int_equal(metrics_make(&machine, &metrics, NULL), 0);
	for (unsigned p = 0; p < N_PARTS; p++) {
		const char *const *preset = metrics.part[p].known->preset;

		assert_int_equal(preset == NULL, p == USEFUL);
		if (preset)
			assert_non_null(catalog_preset_find(machine.type[0].catalog, *preset));
	}
	metrics_fini(&metrics);
	machine_fini(&machine);
}

/* One by one its inputs are given counts by name. */
static double value_of(const struct metrics *metrics, unsigned part, const char *const *event,
		       const uint64_t *count)
{
	const struct metric *metric = &metrics->metric[metrics->part[part].number];
	struct count input[METRIC_INPUTS_MAX];
	const char *name;

	for (unsigned i = 0; (name = metric_input(metric->program[0], i)); i++) {
		unsigned at = 0;

		while (strcmp(event[at], name) != 0)
			at++;
		input[i] = (struct count){ .value = count[at],
					   .enabled_ns = 1000,
					   .running_ns = 1000,
					   .quality = QUALITY_OK };
	}
	return metric_eval_inputs(metric->program[0], input, NULL).value * metric->scale;
}

/* Cycles of which 15, 40 and 5 % were lost; on M4 the rest is useful, on M1 what retired is. */
static void they_add_up(void **state)
{
	static const char *const event[] = { "CORE_ACTIVE_CYCLE", "MAP_DISPATCH_BUBBLE",
					     "MAP_STALL", "MAP_REWIND", "RETIRE_UOP" };
	static const uint64_t count[] = { 1000, 150, 400, 50, 2000 };
	static const struct {
		const char *cpuid;
		double value[N_PARTS];
	} rows[] = {
		{ "0x00000000610f0530", { 40, 15, 40, 5 } },
		{ "0x00000000611f0230", { 25, 15, 40, 5 } },
		{ "0x00000000611f0220", { 50, 15, 40, 5 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct metrics metrics;

		make_of(&machine, "apple_pmu", "arm64", rows[i].cpuid);
		assert_int_equal(metrics_make(&machine, &metrics, NULL), 0);
		for (unsigned p = 0; p < N_PARTS; p++) {
			double value = value_of(&metrics, p, event, count);

			if (fabs(value - rows[i].value[p]) > 1e-9)
				fail_msg("%s: part %u is %g", rows[i].cpuid, p, value);
		}
		metrics_fini(&metrics);
		machine_fini(&machine);
	}
}

struct tally {
	unsigned n_cores, n_largest[N_PARTS];
};

static void check_core(const struct rig *rig, const struct frame *frame, unsigned core,
		       struct tally *tally)
{
	static const uint64_t id[N_PARTS] = { 0x01, 0xd6, 0x76, 0x75 };
	const struct machine *machine = &rig->backend->machine;
	const struct frame_core *fc = &frame->core[core];
	uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns;
	double cycles = (double)sim_truth(rig->backend, core, 0x02, PRIVILEGE_BOTH, from, to);
	double share[N_PARTS], sum = 0;
	unsigned largest = FRONT_END;

	for (unsigned p = 0; p < N_PARTS; p++) {
		double n = (double)sim_truth(rig->backend, core, id[p], PRIVILEGE_BOTH, from, to);
		int column = metrics_column(frame->bound, rig->metrics.part[p].number);
		struct reading shown = frame_metrics(frame, core)[column];

		share[p] = n / cycles;
		if (p == USEFUL) /* in slots: 4 of an E core's cycle, 8 of a P core's */
			share[p] /= machine->core[core].type ? 8 : 4;
		assert_int_equal(shown.quality, QUALITY_SCALED); /* approximate */
		assert_true(fabs(shown.value - 100 * share[p]) < 1e-9);
		sum += share[p];
		if (p != USEFUL && share[p] > share[largest])
			largest = p;
	}
	assert_true(sum > 0.2 && sum <= 1);
	tally->n_largest[largest]++;
	tally->n_cores++;
}

static void the_simulation_tells_the_truth(void **state)
{
	struct tally tally = { 0 };
	const struct frame *frame;
	struct rig rig;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=8,cores=64", 700 * NS_PER_MS);
	for (unsigned tick = 0; tick < 8; tick++) {
		assert_int_equal(sampler_step(rig.sampler), 0);
		while ((frame = queue_pop(rig.queue, NULL))) {
			for (unsigned core = 0; core < frame->n_cores; core++)
				check_core(&rig, frame, core, &tally);
			frame_unref(frame);
		}
	}
	assert_true(tally.n_cores >= 7 * 64);
	assert_true(tally.n_largest[FRONT_END] && tally.n_largest[BACK_END]);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_machine_has_its_own),
		cmocka_unit_test(losses_are_explained),
		cmocka_unit_test(they_add_up),
		cmocka_unit_test(the_simulation_tells_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
