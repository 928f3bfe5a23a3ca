/* test_parts_mux.c: the parts of the stacked bar are counted in one mux group beside whatever else is requested, on
 * every core type with parts, so that their sum never exceeds 100 %. */
#include "rig/planner_rig.h"

enum { ROUNDS = 60, N_PARTS = 4 };

static const struct type {
	const char *pmu, *cpuid;
	unsigned n_counters;
} types[] = {
	{ "apple_icestorm_pmu", "0x00000000611f0220", 10 },
	{ "apple_firestorm_pmu", "0x00000000611f0230", 10 },
	{ "apple_blizzard_pmu", "0x00000000610f0320", 10 },
	{ "apple_avalanche_pmu", "0x00000000610f0330", 10 },
	{ "apple_a16_pmu", "0x00000000610f0400", 10 },
	{ "apple_m3_pmu", "0x00000000610f0430", 10 },
	{ "apple_m4_pmu", "0x00000000610f0530", 10 },
	{ "armv8_cortex_x2", "0x00000000410fd480", 6 },
	{ "armv8_neoverse_v2", "0x00000000410fd4f0", 8 },
};

/* Those of the metrics that this type can count by core, each asked for alone. */
static const char *countable[512];
static unsigned n_countable;

static unsigned next(unsigned *state, unsigned below)
{
	*state = *state * 1103515245 + 12345;
	return below ? (*state >> 16) % below : 0;
}

static void begin_on(const struct type *type)
{
	machines_begin(&planner.machine);
	machines_add_pmu(&planner.machine, type->pmu, PMU_CORE, 0xffff);
	machines_add_type(&planner.machine, "cpu", &planner.machine.pmus.pmu[0], "arm64",
			  type->cpuid);
	machines_add_cores(&planner.machine, 1, 0, 0);
	planner.machine.core[0].midr = strtoull(type->cpuid, NULL, 0);
	planner.machine.type[0].n_counters = type->n_counters;
	planner_begin_slots(8);
	assert_int_equal(planner.metrics.n_parts, N_PARTS);
}

static void find_countable(void)
{
	struct set set;

	assert_true(planner.metrics.n <= ARRAY_SIZE(countable));
	n_countable = 0;
	planner.request.preset = NULL;
	for (unsigned i = 0; i < planner.metrics.n; i++) {
		planner_ask_metrics(planner.metrics.metric[i].name);
		if (planner_make(&planner.request, &set, &planner.err) == 0)
			countable[n_countable++] = planner.metrics.metric[i].name;
	}
}

/* Request the parts and up to twelve other metrics, in any order, beside a preset now and then. */
static void ask(unsigned *state)
{
	const struct catalog *catalog = planner.machine.type[0].catalog;
	unsigned n = next(state, 13), before = next(state, n + 1);
	char list[2048] = "";

	for (unsigned i = 0; i <= n; i++) {
		const char *name = i == before ? "TopdownL1" : countable[next(state, n_countable)];

		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? "," : "",
			 name);
	}
	planner_ask_metrics(list);
	planner.request.preset = NULL;
	if (catalog->n_presets && next(state, 3) == 0)
		planner.request.preset =
			catalog->preset[next(state, (unsigned)catalog->n_presets)].name;
}

/* Counts of a mux group: in even ones the front end loses most cycles, in odd ones the back end. */
static uint64_t count_in(unsigned mux, const char *event)
{
	static const struct {
		const char *name;
		uint64_t count[2];
	} rows[] = {
		{ "CORE_ACTIVE_CYCLE", { 1000, 3000 } },
		{ "MAP_DISPATCH_BUBBLE", { 800, 150 } },
		{ "MAP_STALL", { 50, 2500 } },
		{ "MAP_REWIND", { 50, 150 } },
		{ "RETIRE_UOP", { 300, 500 } },
		{ "CPU_CYCLES", { 1000, 3000 } },
		{ "STALL_SLOT_FRONTEND", { 6400, 1200 } },
		{ "STALL_SLOT_BACKEND", { 400, 20000 } },
		{ "STALL_SLOT", { 6800, 21200 } },
		{ "OP_RETIRED", { 1000, 2500 } },
		{ "OP_SPEC", { 1100, 2700 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, event) == 0)
			return rows[i].count[mux % 2];
	return 1;
}

static double sum_of_parts(const struct set *set, const struct metrics_bound *bound)
{
	struct count count[COLUMNS_MAX] = { { 0 } };
	struct reading reading[METRICS_BOUND_MAX];
	double sum = 0;

	for (unsigned i = 0; i < set->n_slots; i++)
		if (set->type[0].event[i])
			count[i] = (struct count){
				.value = count_in(set_mux_of(set, i), set->type[0].event[i]->name),
				.enabled_ns = 1000 * set_n_mux(set),
				.running_ns = 1000,
				.quality = set_n_mux(set) > 1 ? QUALITY_SCALED : QUALITY_OK,
			};
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set_n_mux(set) == 1)
			count[i].enabled_ns = count[i].running_ns;
	metrics_eval(&planner.metrics, bound, 0, count, reading);
	for (unsigned i = 0; i < N_PARTS; i++) {
		int column = metrics_column(bound, planner.metrics.part[i].number);

		assert_true(column >= 0 && quality_has_value(reading[column].quality));
		sum += reading[column].value;
	}
	return sum;
}

/* @return whether the list can be multiplexed */
static bool check_parts(const struct type *type, unsigned *state)
{
	struct metrics_bound bound;
	struct set set;
	double sum;

	ask(state);
	if (planner_make(&planner.request, &set, &planner.err))
		return false;
	assert_int_equal(metrics_bind(&planner.metrics, &set, 1, &bound), 0);
	sum = sum_of_parts(&set, &bound);
	metrics_bound_fini(&bound);
	if (sum > 100 + 1e-9)
		fail_msg("%s: the parts add up to %.2f %% in %u mux groups", type->pmu, sum,
			 set_n_mux(&set));
	return true;
}

static void parts_never_exceed_the_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		unsigned random = (unsigned)i + 1, n = 0;

		begin_on(&types[i]);
		find_countable();
		for (unsigned round = 0; round < ROUNDS; round++)
			n += check_parts(&types[i], &random);
		assert_true(n >= ROUNDS / 5);
		planner_end(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_never_exceed_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
