/* Presets on machines that are not Apple's: how many counters they take, that their metrics can be
 * worked out on every core type, and types that have presets of their own. */
#include "rig/machines.h"

#include "metrics/metrics.h"

struct kind {
	const char *what;
	void (*make)(struct machine *machine);
	const char *cycles; /* has a counter of its own; NULL: takes one as any other */
	unsigned n_counters;
	bool has_presets;
};

/* Two core PMUs, two types. */
static void make_two(struct machine *machine, const char *const *pmu, const char *arch,
		     const char *const *cpuid, uint64_t event_mask)
{
	machines_begin(machine);
	for (unsigned type = 0; type < 2; type++)
		machines_add_pmu(machine, pmu[type], PMU_CORE, event_mask);
	for (unsigned type = 0; type < 2; type++) {
		machines_add_type(machine, type ? "big" : "little", &machine->pmus.pmu[type], arch,
				  cpuid[type]);
		machines_add_cores(machine, 2, type, type);
	}
}

static void make_arm(struct machine *machine)
{
	make_two(machine, (const char *const[]){ "armv8_cortex_a55", "armv8_cortex_a76" }, "arm64",
		 (const char *const[]){ "0x00000000412fd050", "0x00000000413fd0b0" }, 0xffff);
}

static void make_hybrid(struct machine *machine)
{
	make_two(machine, (const char *const[]){ "cpu_atom", "cpu_core" }, "x86",
		 (const char *const[]){ "GenuineIntel-6-154-4", "GenuineIntel-6-154-4" }, 0xff);
	for (unsigned type = 0; type < 2; type++) {
		struct pmu *pmu = &machine->pmus.pmu[type];

		pmu->format[1] = (struct pmu_format){ .name = "umask", .mask = 0xff00 };
		pmu->n_formats = 2;
	}
}

static void make_x86(struct machine *machine, const char *cpuid)
{
	struct pmu *pmu;

	machines_begin(machine);
	pmu = machines_add_pmu(machine, "cpu", PMU_CORE, 0xff);
	pmu->format[1] = (struct pmu_format){ .name = "umask", .mask = 0xff00 };
	pmu->n_formats = 2;
	machines_add_type(machine, "cpu", &machine->pmus.pmu[0], "x86", cpuid);
	machines_add_cores(machine, 4, 0, 0);
}

static void make_intel(struct machine *machine)
{
	make_x86(machine, "GenuineIntel-6-55-4");
}

static void make_amd(struct machine *machine)
{
	make_x86(machine, "AuthenticAMD-25-1-1");
}

static void make_m1(struct machine *machine)
{
	machines_m1(machine, false);
}

/* Counters beside a fixed one for cycles: PMUv3 has 6 as a rule, Intel at least 4 and one for
 * instructions; AMD has 6 in all. */
static const struct kind kinds[] = {
	{ "Arm", make_arm, "CPU_CYCLES", 6, true },
	{ "hybrid x86", make_hybrid, "CPU_CLK_UNHALTED.THREAD_P", 5, true },
	{ "Intel", make_intel, "CPU_CLK_UNHALTED.THREAD_P", 5, true },
	{ "AMD", make_amd, NULL, 6, true },
	{ "M1", make_m1, NULL, 10, true },
	{ "software only", machines_software, NULL, 0, false },
};

struct rig {
	const struct kind *kind;
	struct machine machine;
	struct event_table *events;
	struct metrics metrics;
};

static void up(struct rig *rig, const struct kind *kind)
{
	rig->kind = kind;
	kind->make(&rig->machine);
	assert_int_equal(event_table_new(&rig->machine, &rig->events), 0);
	assert_int_equal(metrics_make(&rig->machine, &rig->metrics, NULL), 0);
}

static void down(struct rig *rig)
{
	metrics_fini(&rig->metrics);
	event_table_free(rig->events);
	machine_fini(&rig->machine);
}

static void check_counters(const struct rig *rig, const struct set *set, unsigned type)
{
	const struct placement *placement = &set->type[type];
	unsigned n = 0;

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = placement->event[slot];

		if (!event)
			continue;
		if (event->refused[0] || !event->needs_counter)
			fail_msg("%s: %s: %s", set->preset, event->name, event->refused);
		n += !rig->kind->cycles || strcmp(event->name, rig->kind->cycles) != 0;
	}
	if (n < 2 || n > rig->kind->n_counters || placement->n_order < n)
		fail_msg("%s: %s takes %u counters", rig->kind->what, set->preset, n);
}

static void check_metrics(const struct rig *rig, const struct set *set, unsigned type,
			  const char *const *name)
{
	struct metrics_bound bound;

	assert_true(name && *name);
	assert_int_equal(metrics_bind(&rig->metrics, set, rig->machine.n_types, &bound), 0);
	for (; *name; name++) {
		int column = metrics_column(&bound, metrics_find(&rig->metrics, *name));

		if (column < 0 || !bound.binding[type][column])
			fail_msg("%s: %s does not give %s", rig->kind->what, set->preset, *name);
	}
	metrics_bound_fini(&bound);
}

static void check_preset(const struct rig *rig, unsigned type, const struct catalog_preset *preset)
{
	struct err err = { "" };
	struct set set;

	if (set_preset(rig->events, preset->name, PRIVILEGE_BOTH, &set, &err))
		fail_msg("%s: %s", rig->kind->what, err.text);
	assert_string_equal(set.preset, preset->name);
	check_counters(rig, &set, type);
	check_metrics(rig, &set, type, preset->metric);
}

static void presets_can_be_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct rig rig;

		up(&rig, &kinds[i]);
		for (unsigned type = 0; type < rig.machine.n_types; type++) {
			const struct catalog *catalog = rig.machine.type[type].catalog;

			assert_int_equal(catalog->n_presets > 0, kinds[i].has_presets);
			for (size_t p = 0; p < catalog->n_presets; p++)
				check_preset(&rig, type, &catalog->preset[p]);
		}
		down(&rig);
	}
}

/* One key and one word lead to the same question on every machine. */
static void modes_of_xscale_have_one_name(void **state)
{
	static const char *const modes[] = { "xscale-icache", "xscale-dcache", "xscale-fetch" };
	struct rig arm, m1;

	(void)state;
	up(&arm, &kinds[0]);
	up(&m1, &kinds[4]);

	const struct catalog *of_arm = arm.machine.type[0].catalog;
	const struct catalog *of_m1 = m1.machine.type[0].catalog;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		const struct catalog_preset *a = catalog_preset_find(of_arm, modes[i]);
		const struct catalog_preset *b = catalog_preset_find(of_m1, modes[i]);

		assert_true(a && b);
		assert_string_equal(a->brief, b->brief);
		assert_true(strlen(a->what) > strlen(a->brief));
		assert_string_equal(a->metric[0], b->metric[0]);
	}
	down(&arm);
	down(&m1);
}

/* Also where several are in one set. */
static void modes_in_one_set_have_their_names(void **state)
{
	struct rig m1;
	unsigned n = 0;

	(void)state;
	up(&m1, &kinds[4]);

	const struct catalog_preset *preset =
		catalog_preset_find(m1.machine.type[0].catalog, "xscale");

	assert_true(catalog_is_variant(preset->group));
	for (const char *const *name = preset->metric; *name; name++) {
		bool is_mode = strncmp(*name, "xscale_", 7) == 0;

		assert_true(is_mode || strcmp(*name, "CPI") == 0);
		n += is_mode;
	}
	assert_int_equal(n, 6); /* of five modes, one of them with two statistics */
	down(&m1);
}

/* What the threshold says behind the metric's name. */
static const char *level_of(const struct catalog_metric *metric)
{
	size_t n = strlen(metric->name);

	return strncmp(metric->threshold, metric->name, n) == 0 ? metric->threshold + n
								: metric->threshold;
}

/* One formula under two names is not marked under one of them only. */
static void one_formula_has_one_threshold(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct rig rig;

		up(&rig, &kinds[k]);

		const struct catalog *catalog = rig.machine.type[0].catalog;

		for (size_t i = 0; catalog && i < catalog->n_metrics; i++)
			for (size_t j = 0; j < i; j++) {
				const struct catalog_metric *a = &catalog->metric[i];
				const struct catalog_metric *b = &catalog->metric[j];

				if (strcmp(a->expr, b->expr) == 0 &&
				    strcmp(level_of(a), level_of(b)) != 0)
					fail_msg("%s%s and %s%s", a->name, level_of(a), b->name,
						 level_of(b));
			}
		down(&rig);
	}
}

/* A guest that was given few counters: what is named first is counted. */
static void few_counters(void **state)
{
	struct rig rig;
	struct set set;

	(void)state;
	up(&rig, &kinds[2]);
	rig.machine.type[0].n_counters = 4;
	assert_int_equal(set_preset(rig.events, "overview", PRIVILEGE_BOTH, &set, NULL), 0);
	assert_int_equal(set.type[0].n_order, 4);
	assert_string_equal(set.type[0].event[1]->name, "INST_RETIRED.ANY_P");
	assert_string_equal(set.type[0].event[2]->name, "BR_MISP_RETIRED.ALL_BRANCHES");
	assert_string_equal(set.type[0].event[3]->name, "LONGEST_LAT_CACHE.MISS");
	down(&rig);
}

/* Types that have little in common: each counts its own preset of that name, or nothing. */
static void each_type_has_its_own(void **state)
{
	struct rig rig = { .kind = NULL };
	struct set set;

	(void)state;
	make_two(&rig.machine, (const char *const[]){ "armv8_cortex_a55", "apple_firestorm_pmu" },
		 "arm64", (const char *const[]){ "0x00000000412fd050", "0x00000000611f0230" },
		 0xffff);
	rig.machine.type[1].n_counters = 10;
	rig.machine.type[1].first_fit = true;
	assert_int_equal(event_table_new(&rig.machine, &rig.events), 0);
	assert_int_equal(set_preset(rig.events, "xscale-icache", PRIVILEGE_BOTH, &set, NULL), 0);
	assert_string_equal(set.type[0].event[2]->name, "L1I_CACHE_REFILL");
	assert_string_equal(set.type[1].event[2]->name, "L1I_CACHE_MISS_DEMAND");
	assert_int_equal(set_preset(rig.events, "branch-ret", PRIVILEGE_BOTH, &set, NULL), 0);
	assert_int_equal(set.type[0].n_order, 0);
	assert_int_equal(set.type[1].n_order, 10);
	event_table_free(rig.events);
	machine_fini(&rig.machine);
}

/* A core that did nothing has no miss rate of 0 % and no CPI of 0. */
static void nothing_of_nothing_is_no_figure(void **state)
{
	struct count nothing[METRIC_INPUTS_MAX];

	(void)state;
	for (unsigned i = 0; i < METRIC_INPUTS_MAX; i++)
		nothing[i] = (struct count){ .enabled_ns = 1000,
					     .running_ns = 1000,
					     .quality = QUALITY_OK };
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct rig rig;

		up(&rig, &kinds[k]);
		for (unsigned i = 0; i < rig.metrics.n; i++) {
			const struct metric *metric = &rig.metrics.metric[i];

			if (!metric->program[0] || strstr(metric->expr, "duration_time"))
				continue; /* in so much time there was really none */
			if (metric_eval_inputs(metric->program[0], nothing, NULL).quality !=
			    QUALITY_UNDEFINED)
				fail_msg("%s of %s", metric->name, kinds[k].what);
		}
		down(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_can_be_counted),
		cmocka_unit_test(modes_of_xscale_have_one_name),
		cmocka_unit_test(modes_in_one_set_have_their_names),
		cmocka_unit_test(one_formula_has_one_threshold),
		cmocka_unit_test(few_counters),
		cmocka_unit_test(each_type_has_its_own),
		cmocka_unit_test(nothing_of_nothing_is_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
