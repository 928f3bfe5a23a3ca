/* Catalogue of Apple's chips: the numbers of each, and that presets and metrics can be counted. */
#include <limits.h>
#include <string.h>

#include "rig/harness.h"
#include "metrics/expression.h"
#include "pmu/set.h"

enum { N_COUNTERS = 10 };

/* Whether a metric is generic and has no Apple form, or needs no counter. */
static bool is_generic(const struct catalog_metric *metric)
{
	return !strcmp(metric->name, "cache_miss_ratio") || !strcmp(metric->name, "cache_mpki") ||
	       strstr(metric->expr, "activity@") || strstr(metric->expr, "power@");
}

enum { M1, M2, A16, M3, M4, N_CHIPS };

/* How many events Apple's lists name, and only its newest ones name: the rows of each family in the
 * survey that events/ was made from. */
static struct {
	const char *cpu, *cpuid;
	size_t n_official, n_newest;
	struct catalog *catalog;
} chips[N_CHIPS] = {
	[M1] = { "arm64/apple/m1", "0x611f0230", 59, 1, NULL },
	[M2] = { "arm64/apple/m2", "0x610f0330", 58, 2, NULL },
	[A16] = { "arm64/apple/a16", "0x610f0410", 61, 0, NULL },
	[M3] = { "arm64/apple/m3", "0x610f0430", 61, 6, NULL },
	[M4] = { "arm64/apple/m4", "0x610f0530", 61, 42, NULL },
};

static char events[PATH_MAX];

static int load(void **state)
{
	struct err err = { 0 };

	(void)state;
	if (catalog_find_dir(NULL, events, sizeof(events), &err))
		return -1;
	for (unsigned c = 0; c < N_CHIPS; c++)
		if (catalog_load(events, "arm64", chips[c].cpuid, &chips[c].catalog, &err)) {
			print_error("%s\n", err.text);
			return -1;
		}
	return 0;
}

static int unload(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++)
		catalog_free(chips[c].catalog);
	return 0;
}

static bool is_unnamed(const struct catalog_event *event)
{
	return strncmp(event->name, "UNNAMED_", 8) == 0;
}

static const struct catalog_event *only(unsigned chip, const char *name)
{
	const struct catalog_event *event = NULL;

	if (catalog_lookup(chips[chip].catalog, name, &event, 1) != 1)
		fail_msg("%s: %s is not one event", chips[chip].cpu, name);
	return event;
}

static void each_chip_is_complete(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++) {
		const struct catalog *catalog = chips[c].catalog;
		size_t n_official = 0, n_newest = 0;

		assert_string_equal(catalog->cpu, chips[c].cpu);
		for (size_t i = 0; i < catalog->n_events && !catalog->event[i].pmu[0]; i++) {
			const struct catalog_event *event = &catalog->event[i];
			bool is_newest = strstr(event->source, "(newest macOS)");

			n_newest += is_newest;
			n_official += !is_newest && !is_unnamed(event);
		}
		assert_int_equal(n_official, chips[c].n_official);
		assert_int_equal(n_newest, chips[c].n_newest);
	}
}

static void each_chip_has_the_generic_metrics(void **state)
{
	struct catalog *generic;

	(void)state;
	assert_int_equal(catalog_load(events, "x86", "", &generic, NULL), 0);
	assert_true(generic->n_metrics > 0);
	for (unsigned c = 0; c < N_CHIPS; c++)
		for (size_t i = 0; i < generic->n_metrics; i++)
			if (!catalog_metric_find(chips[c].catalog, generic->metric[i].name))
				fail_msg("%s: %s is missing", chips[c].cpu,
					 generic->metric[i].name);
	catalog_free(generic);
}

/* typed in by hand from Apple's lists; M1's are in test_catalog.c */
static void masks(void **state)
{
	static const struct {
		unsigned chip;
		const char *name;
		uint64_t id, counters;
	} rows[] = {
		{ M2, "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ M2, "INST_ALL", 0x8c, 0x082 },
		{ M2, "RETIRE_UOP", 0x01, 0x080 },
		{ M2, "INST_INT_ST", 0x96, 0x080 },
		{ M2, "INST_LDST", 0x9b, 0x080 },
		{ M2, "INST_SIMD_ALU_VEC", 0x9f, 0x080 },
		{ M2, "INST_BRANCH", 0x8d, 0x0e0 },
		{ M2, "BRANCH_MISPRED_NONSPEC", 0xcb, 0x0e0 },
		{ M2, "ST_MEM_ORDER_VIOL_LD_NONSPEC", 0xc4, 0x0e0 },
		{ M2, "L1I_CACHE_MISS_DEMAND", 0xdb, 0x3fc },
		{ M2, "MAP_STALL", 0x76, 0x3fc },
		{ M2, "SCHEDULE_EMPTY", 0x51, 0x3fc },
		{ A16, "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ A16, "INST_ALL", 0x8c, 0x082 },
		{ A16, "RETIRE_UOP", 0x01, 0x080 },
		{ A16, "INST_LDST", 0x9b, 0x080 },
		{ A16, "INST_BRANCH", 0x8d, 0x0e0 },
		{ A16, "L1D_TLB_MISS_NONSPEC", 0xc1, 0x0e0 },
		{ A16, "FLUSH_RESTART_OTHER_NONSPEC", 0x84, 0x3fc },
		{ A16, "MAP_STALL", 0x276, 0x3fc },
		{ A16, "MAP_UOP", 0x269, 0x3fc },
		{ A16, "MAP_DISPATCH_BUBBLE_IC", 0x182, 0x3fc },
		{ A16, "L1D_CACHE_MISS_LD", 0x5a3, 0x3fc },
		{ A16, "L2_TLB_MISS_DATA", 0x40b, 0x3fc },
		{ M3, "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ M3, "INST_ALL", 0x8c, 0x082 },
		{ M3, "RETIRE_UOP", 0x01, 0x080 },
		{ M3, "INST_INT_ST", 0x96, 0x080 },
		{ M3, "INST_SIMD_ALU_VEC", 0x9f, 0x080 },
		{ M3, "INST_BARRIER", 0x9c, 0x0e0 },
		{ M3, "BRANCH_MISPRED_NONSPEC", 0xcb, 0x0e0 },
		{ M3, "L1I_CACHE_MISS_DEMAND", 0x1db, 0x3fc },
		{ M3, "LDST_UNIT_OLD_L1D_CACHE_MISS", 0x290, 0x3fc },
		{ M3, "SCHEDULE_UOP_ANY", 0x283, 0x3fc },
		{ M3, "SCHEDULE_EMPTY", 0x351, 0x3fc },
		{ M3, "ATOMIC_OR_EXCLUSIVE_FAIL", 0x5b4, 0x3fc },
		{ M4, "CORE_ACTIVE_CYCLE", 0x11, 0x3fd },
		{ M4, "INST_ALL", 0x08, 0x0fe },
		{ M4, "RETIRE_UOP", 0x3a, 0x0fc },
		{ M4, "INST_INT_ST", 0x896, 0x080 },
		{ M4, "INST_LDST", 0x89b, 0x080 },
		{ M4, "INST_INT_ALU", 0x897, 0x080 },
		{ M4, "INST_BRANCH", 0x21, 0x0fc },
		{ M4, "BRANCH_MISPRED_NONSPEC", 0x22, 0x0fc },
		{ M4, "ST_MEM_ORDER_VIOL_LD_NONSPEC", 0x8c4, 0x0e0 },
		{ M4, "MAP_UOP", 0x3b, 0x3fc },
		{ M4, "L1I_CACHE_MISS_DEMAND", 0x4006, 0x3fc },
		{ M4, "ARM_STALL_SLOT", 0x3f, 0x3fc },
		{ M4, "INST_SME_ENGINE_ALU", 0x8a3, 0x0fc },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct catalog_event *event = only(rows[i].chip, rows[i].name);

		if (event->id != rows[i].id || event->counters != rows[i].counters)
			fail_msg("%s of %s: 0x%jx, 0x%jx", event->name, chips[rows[i].chip].cpu,
				 (uintmax_t)event->id, (uintmax_t)event->counters);
	}
	assert_int_equal(catalog_lookup(chips[M2].catalog, "UNNAMED_9F", NULL, 0), 0);
	assert_int_equal(catalog_lookup(chips[M2].catalog, "SCHEDULE_UOP", NULL, 0), 0);
}

static void check_event(unsigned chip, const struct catalog_event *event)
{
	char terms[32];

	snprintf(terms, sizeof(terms), "event=0x%jx", (uintmax_t)event->id);
	assert_string_equal(event->terms, terms);
	if (!event->brief[0] || !event->source[0] || event->id > 0xffff ||
	    !(event->counters & 0x3ff) || event->counters > 0x3ff ||
	    (!event->short_name[0] && !is_unnamed(event)))
		fail_msg("%s: %s", chips[chip].cpu, event->name);
}

static void ids_and_short_names_are_unique(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++) {
		const struct catalog_event *event = chips[c].catalog->event;

		for (size_t i = 0; i < chips[c].catalog->n_events && !event[i].pmu[0]; i++) {
			check_event(c, &event[i]);
			for (size_t j = 0; j < i; j++)
				if (event[i].id == event[j].id ||
				    (event[i].short_name[0] &&
				     !strcmp(event[i].short_name, event[j].short_name)))
					fail_msg("%s: %s and %s", chips[c].cpu, event[i].name,
						 event[j].name);
		}
	}
}

/* What is one event on two chips is called, headed and described alike. */
static void same_event_same_words(void **state)
{
	size_t n_same = 0;

	(void)state;
	for (unsigned c = M2; c < N_CHIPS; c++)
		for (size_t i = 0; i < chips[c].catalog->n_events; i++) {
			const struct catalog_event *here = &chips[c].catalog->event[i], *m1 = NULL;

			if (here->pmu[0] ||
			    catalog_lookup(chips[M1].catalog, here->name, &m1, 1) != 1 ||
			    strcmp(m1->name, here->name) != 0)
				continue;
			n_same++;
			assert_string_equal(here->short_name, m1->short_name);
			assert_string_equal(here->topic, m1->topic);
			if (c == M4 && !strcmp(here->name, "INST_BRANCH_COND"))
				continue; /* counts more branches there */
			assert_string_equal(here->brief, m1->brief);
		}
	assert_int_equal(n_same, 59 + 58 + 59 + 59);
}

static void conflicts_are_told(void **state)
{
	static const struct {
		unsigned chip;
		const char *name, *told;
	} rows[] = {
		{ M1, "INST_INT_ST", "PMC5-7 (Linux in 2022" },
		{ M1, "INST_LDST", "PMC5-7 (Linux in 2022" },
		{ M1, "UNNAMED_9F", "not so on M1" },
		{ M1, "UNNAMED_D3", "0xdb" },
		{ M1, "L1I_CACHE_MISS_DEMAND", "0xd3" },
		{ M2, "INST_INT_ST", "PMC5-7 (Linux in 2022" },
		{ M2, "INST_LDST", "PMC5-7 (Linux in 2022" },
		{ M2, "INST_SIMD_ALU_VEC", "0x9f, counts something else" },
		{ M3, "INST_INT_ST", "or PMC5-7" },
		{ M4, "INST_INT_ST", "or PMC2-7" },
		{ M4, "ST_MEM_ORDER_VIOL_LD_NONSPEC", "or PMC2-7" },
		{ M4, "INST_BRANCH_COND", "up to M3 only B.cond" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strstr(only(rows[i].chip, rows[i].name)->what, rows[i].told))
			fail_msg("%s of %s", rows[i].name, chips[rows[i].chip].cpu);
}

static const struct core_type registers = { .n_counters = N_COUNTERS, .slot_is_counter = true };
static const struct core_type driver = { .n_counters = N_COUNTERS, .first_fit = true };

/* The table of older or other drivers, wherever it is wider than the masks of events/. */
static uint64_t wider(unsigned chip, const struct catalog_event *event)
{
	uint64_t wide = chip == M4 ? 0x0fc : 0x0e0;

	if (!strcmp(event->name, "INST_INT_ST") || !strcmp(event->name, "INST_LDST"))
		return wide;
	if (chip == M4 && !strcmp(event->name, "ST_MEM_ORDER_VIOL_LD_NONSPEC"))
		return wide;
	return event->counters;
}

/* Does a driver that takes the lowest free counter open them all in this order? */
static bool driver_opens(unsigned chip, const struct placement *placement, bool is_wider)
{
	uint64_t used = 0;

	for (unsigned i = 0; i < placement->n_order; i++) {
		const struct catalog_event *event = placement->event[placement->order[i]]->known;
		uint64_t can = (is_wider ? wider(chip, event) : event->counters) & ~used;

		if (!can)
			return false;
		used |= can & -can;
	}
	return true;
}

static void want(unsigned chip, const char *name, int slot, struct event *event, struct want *ret)
{
	const struct catalog_event *known = only(chip, name);

	*event = (struct event){
		.known = known,
		.counters = known->counters,
		.needs_counter = !known->pmu[0],
	};
	snprintf(event->name, sizeof(event->name), "%s", known->name);
	*ret = (struct want){ .event = event, .slot = slot, .fixed = slot >= 0 };
}

static size_t wants_of(unsigned chip, const struct catalog_preset *preset, struct event *event,
		       struct want *wants)
{
	size_t n = 0;

	for (int slot = 0; preset->event[slot]; slot++) {
		assert_true(slot < N_COUNTERS);
		if (!preset->event[slot][0])
			continue;
		want(chip, preset->event[slot], slot, &event[n], &wants[n]);
		n++;
	}
	return n;
}

static void check_preset(unsigned chip, const struct catalog_preset *preset)
{
	struct event event[N_COUNTERS];
	struct want wants[N_COUNTERS];
	struct placement placement;
	size_t n = wants_of(chip, preset, event, wants);

	assert_true(n > 2 && preset->metric && preset->metric[0]);
	if (placement_make(&registers, wants, n, &placement, NULL))
		fail_msg("%s: %s is not legal", chips[chip].cpu, preset->name);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(placement.event[wants[i].slot], &event[i]);
		assert_true(wider(chip, event[i].known) >> wants[i].slot & 1);
	}
	if (placement_make(&driver, wants, n, &placement, NULL) || placement.n_order != n ||
	    !driver_opens(chip, &placement, false) || !driver_opens(chip, &placement, true))
		fail_msg("%s: a driver cannot open %s", chips[chip].cpu, preset->name);
}

static void presets_are_legal(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++)
		for (size_t p = 0; p < chips[c].catalog->n_presets; p++)
			check_preset(c, &chips[c].catalog->preset[p]);
}

/* What a chip counts under a shared preset's name, those where later chips know more apart. */
static void shared_presets_are_the_same(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++)
		for (size_t p = 0; p < chips[M2].catalog->n_presets; p++) {
			const struct catalog_preset *one = &chips[M2].catalog->preset[p];
			const struct catalog_preset *two =
				catalog_preset_find(chips[c].catalog, one->name);
			bool is_same = true;

			assert_non_null(two);
			for (unsigned slot = 0; is_same && one->event[slot]; slot++)
				is_same = two->event[slot] &&
					  !strcmp(one->event[slot], two->event[slot]);
			if (!strcmp(one->name, "xscale-fetch") || !strcmp(one->name, "xscale"))
				assert_int_equal(is_same, c < A16);
			else if (!strcmp(one->name, "xscale-stall"))
				assert_int_equal(is_same, c < M3);
			else
				assert_true(is_same);
		}
	assert_non_null(catalog_preset_find(chips[M1].catalog, "uops-exec"));
	assert_null(catalog_preset_find(chips[M2].catalog, "uops-exec"));
	assert_null(catalog_preset_find(chips[A16].catalog, "fe-attr"));
	assert_non_null(catalog_preset_find(chips[M3].catalog, "mem-attr"));
	assert_null(catalog_preset_find(chips[M3].catalog, "arm-slots"));
	assert_non_null(catalog_preset_find(chips[M4].catalog, "arm-slots"));
}

static bool is_wanted(const struct want *wants, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(wants[i].event->name, name))
			return true;
	return false;
}

static bool is_any_cpu(void *data, const char *id)
{
	(void)data;
	(void)id;
	return true;
}

static const char *expr_of(void *data, const char *name)
{
	const struct catalog_metric *metric = catalog_metric_exact(data, name);

	return metric ? metric->expr : NULL;
}

/* Can its events be counted at once, beside cycles and instructions? */
static void check_metric(unsigned chip, const struct catalog_metric *metric)
{
	struct event event[METRIC_INPUTS_MAX];
	struct want wants[METRIC_INPUTS_MAX];
	struct metric_program *program;
	struct placement placement;
	const struct metric_context of_any_cpu = { .data = chips[chip].catalog,
						   .is_cpu = is_any_cpu,
						   .metric = expr_of };
	const char *name;
	size_t n = 2;

	want(chip, "CORE_ACTIVE_CYCLE", 0, &event[0], &wants[0]);
	want(chip, "INST_ALL", 1, &event[1], &wants[1]);
	assert_int_equal(metric_compile(metric->expr, &of_any_cpu, &program, NULL), 0);
	for (unsigned i = 0; (name = metric_input(program, i)); i++)
		if (!is_wanted(wants, n, name)) {
			want(chip, name, -1, &event[n], &wants[n]);
			n++;
		}
	metric_program_free(program);
	if (placement_make(&registers, wants, n, &placement, NULL) ||
	    placement_make(&driver, wants, n, &placement, NULL))
		fail_msg("%s: %s does not fit", chips[chip].cpu, metric->name);
}

static void metrics_fit_one_set(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++)
		for (size_t m = 0; m < chips[c].catalog->n_metrics; m++)
			if (!is_generic(&chips[c].catalog->metric[m]))
				check_metric(c, &chips[c].catalog->metric[m]);
}

static void metrics_are_each_chips(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CHIPS; c++) {
		const struct catalog *catalog = chips[c].catalog;

		assert_string_equal(catalog_metric_find(catalog, "ipc")->expr,
				    "INST_ALL / CORE_ACTIVE_CYCLE");
		assert_int_equal(!!catalog_metric_find(catalog, "bubble_l1i_share"), c >= A16);
		assert_int_equal(!!catalog_metric_find(catalog, "old_miss_share"), c >= M3);
		assert_int_equal(!!catalog_metric_find(catalog, "frontend_lost_slots_per_cycle"),
				 c == M4);
	}
}

/* Every part of Apple's MIDR_EL1, at its first revision, a later one and a later variant. */
static void each_part_has_its_folder(void **state)
{
	static const struct {
		const char *cpu;
		unsigned part[9];
	} rows[] = {
		{ "arm64/apple/m1", { 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x28, 0x29 } },
		{ "arm64/apple/m2", { 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x38, 0x39 } },
		{ "arm64/apple/a16", { 0x40, 0x41 } },
		{ "arm64/apple/m3", { 0x42, 0x43, 0x44, 0x45, 0x48, 0x49, 0x50, 0x51 } },
		{ "arm64/apple/m4", { 0x52, 0x53, 0x54, 0x55, 0x58, 0x59 } },
		{ "", { 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x68, 0x69 } }, /* A18 Pro, M5 */
		{ "", { 0x01, 0x08, 0x09, 0x12, 0x13, 0x26 } },             /* before A14 */
	};
	static const unsigned version[] = { 0x000000, 0x000001, 0x100000, 0x20000f };

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
		for (size_t i = 0; rows[r].part[i]; i++)
			for (size_t v = 0; v < ARRAY_SIZE(version); v++) {
				struct catalog *catalog;
				char cpuid[32];

				snprintf(cpuid, sizeof(cpuid), "0x%016x",
					 0x610f0000 | rows[r].part[i] << 4 | version[v]);
				assert_int_equal(
					catalog_load(events, "arm64", cpuid, &catalog, NULL), 0);
				if (strcmp(catalog->cpu, rows[r].cpu) != 0)
					fail_msg("%s: '%s'", cpuid, catalog->cpu);
				/* without events of the chip no metric of Apple's either */
				assert_string_equal(catalog_metric_find(catalog, "ipc")->expr,
						    rows[r].cpu[0] ? "INST_ALL / CORE_ACTIVE_CYCLE"
								   : "instructions / cycles");
				catalog_free(catalog);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_chip_is_complete),
		cmocka_unit_test(each_chip_has_the_generic_metrics),
		cmocka_unit_test(masks),
		cmocka_unit_test(ids_and_short_names_are_unique),
		cmocka_unit_test(same_event_same_words),
		cmocka_unit_test(conflicts_are_told),
		cmocka_unit_test(presets_are_legal),
		cmocka_unit_test(shared_presets_are_the_same),
		cmocka_unit_test(metrics_fit_one_set),
		cmocka_unit_test(metrics_are_each_chips),
		cmocka_unit_test(each_part_has_its_folder),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
