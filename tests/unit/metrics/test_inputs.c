/* Inputs of a metric: what they are called, how many there may be, and those of two core types. */
#include "base/text.h"
#include "metrics/metrics.h"
#include "rig/sim_rig.h"

static const struct pmu core_pmu = { .name = "cpu", .kind = PMU_CORE };

/* On the simulated M1 both types work a free expression out with their own events. */
static void free_expression_on_two_types(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=3");
	struct metrics metrics;
	struct metrics_selection selection;

	(void)state;
	assert_int_equal(metrics_make(&rig.sim->machine, &metrics, &rig.err), 0);
	assert_int_equal(metrics.n_refused, 0);
	if (metrics_select(&metrics, "x=1000*INST_BRANCH/instructions", &selection, &rig.err))
		fail_msg("%s", rig.err.text);
	assert_non_null(metrics.metric[selection.number[0]].program[0]);
	assert_non_null(metrics.metric[selection.number[0]].program[1]);
	metrics_selection_fini(&selection);
	metrics_fini(&metrics);
	sim_rig_close(&rig);
}

/* By input, as over several sets: as many as there may be, and the last one is the worst. */
static void many_inputs(void **state)
{
	struct count input[METRIC_INPUTS_MAX];
	struct text expr = { 0 };
	struct metric_program *program;

	(void)state;
	for (unsigned i = 0; i < METRIC_INPUTS_MAX; i++) {
		text_printf(&expr, "%se%u", i ? " + " : "", i);
		input[i] = (struct count){
			.value = 2, .enabled_ns = 1000, .running_ns = 1000, .quality = QUALITY_OK
		};
	}
	/* there are no columns here, so none that units were gathered in; more inputs than bits */
	text_printf(&expr, " + source_count(e%u)", METRIC_INPUTS_MAX - 1);
	assert_int_equal(metric_compile(expr.bytes, NULL, &program, NULL), 0);
	assert_int_equal(metric_eval_inputs(program, input, NULL).quality, QUALITY_OK);
	assert_true(metric_eval_inputs(program, input, NULL).value == 2 * METRIC_INPUTS_MAX + 1);
	input[METRIC_INPUTS_MAX - 1].enabled_ns = input[METRIC_INPUTS_MAX - 1].running_ns = 999;
	assert_int_equal(metric_eval_inputs(program, input, NULL).quality, QUALITY_SCALED);
	input[METRIC_INPUTS_MAX - 1].quality = QUALITY_LOST;
	assert_int_equal(metric_eval_inputs(program, input, NULL).quality, QUALITY_LOST);
	metric_program_free(program);
	text_fini(&expr);
}

static void input_names(void **state)
{
	static const struct pmu msr = { .name = "msr" }, imc = { "imc_0", .kind = PMU_UNCORE };
	static const struct {
		int line;
		struct event event;
		const char *input;
		bool is;
	} rows[] = {
		{ __LINE__, { .name = "cycles" }, "cpu-cycles", true },
		{ __LINE__, { .name = "cycles" }, "cycles:u", false },
		{ __LINE__, { .name = "cycles:u", .privilege = PRIVILEGE_USER }, "cycles:u", true },
		{ __LINE__, { .name = "cycles", .privilege = PRIVILEGE_USER }, "cycles:u", true },
		{ __LINE__,
		  { .name = "cycles:u", .privilege = PRIVILEGE_USER },
		  "cycles:k",
		  false },
		{ __LINE__, { .name = "tsc", .pmu = &msr }, "msr/tsc/", true },
		{ __LINE__, { .name = "msr/tsc/", .pmu = &msr }, "msr/tsc/", true },
		{ __LINE__, { .name = "tsc", .pmu = &core_pmu }, "msr/tsc/", false },
		{ __LINE__, { .name = "A.B", .pmu = &core_pmu }, "cpu/A.B/", true },
		{ __LINE__, { .name = "A.B", .pmu = &core_pmu }, "cpu/A.B,cmask=1/", false },
		{ __LINE__, { .name = "cpu/A.B,cmask=1/" }, "cpu/A.B,cmask=1/", true },
		{ __LINE__,
		  { .name = "cpu/A.B,cmask=1/", .pmu = &core_pmu },
		  "A.B/cmask=1/",
		  true },
		{ __LINE__,
		  { .name = "A.B/cmask=1/", .pmu = &core_pmu },
		  "cpu/A.B,cmask=1/",
		  true },
		{ __LINE__, { .name = "A.B/cmask=1/", .pmu = &core_pmu }, "A.B/cmask=1/", true },
		{ __LINE__, { .name = "A.B/cmask=1/", .pmu = &core_pmu }, "A.B/cmask=2/", false },
		{ __LINE__, { .name = "A.B/cmask=1/", .pmu = &core_pmu }, "C/cmask=1/", false },
		{ __LINE__, { .name = "A.B/cmask=1/", .pmu = &core_pmu }, "A.B", false },
		{ __LINE__, { .name = "A.B", .pmu = &core_pmu }, "A.B/cmask=1/", false },
		{ __LINE__,
		  { .name = "A.B/cmask=1/:u", .pmu = &core_pmu, .privilege = PRIVILEGE_USER },
		  "A.B/cmask=1/u",
		  true },
		{ __LINE__, { .name = "imc_0/A,thresh=1/", .pmu = &imc }, "A/thresh=1/", true },
		{ __LINE__, { .name = "imc_0/A,thresh=1/", .pmu = &imc }, "imc/A,thresh=1/", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (metric_input_is(&rows[i].event, rows[i].input) != rows[i].is)
			fail_msg("line %d", rows[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_expression_on_two_types),
		cmocka_unit_test(many_inputs),
		cmocka_unit_test(input_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
