/* metrics_rig.c: a machine whose catalogue has a few metrics, and a set that counts their events */
#include "rig/metrics_rig.h"

#include <stdlib.h>

#include "pmu/catalog/build.h"

static const char *const no_alias[] = { NULL };

#define REST "", "", "", no_alias, false

static const struct catalog_metric catalogue[] = {
	{ "miss_rate", "MISSES", "misses / refs", "Cache;Summary", "%", 100, "Misses", "", REST },
	{ "CPI", "CPI", "1 / IPC", "Summary", "", 1, "", "CPI > 1 & tma_slots > 0.5", REST },
	{ "IPC", "IPC", "instructions / cycles", "Summary", "", 1, "", "IPC > 2", REST },
	{ "tma_slots", "SLOTS", "instructions / (4 * topdown)", "TMA", "", 1, "", "tma_slots > 1 |",
	  REST },
	{ "half", "HALF", "1 +", "TMA", "", 1, "", "", REST },
	{ "wheel", "WHEEL", "wheel + 1", "TMA", "", 1, "", "", REST },
	{ "guarded", "GUARD", "1 if has_event(nothing) else cycles", "cache", "", 1, "", "", REST },
	{ "clocked", "CLOCK", "cycles / duration_time", "", "GHz", 1e-9, "", "", REST },
};

#define EVENT(n, code)                                                                         \
	{                                                                                      \
		.name = n, .short_name = "", .brief = "", .what = "", .pmu = "", .compat = "", \
		.terms = code, .topic = "", .unit = "", .scale = 1, .source = "",              \
		.alias = no_alias                                                              \
	}

static const struct catalog_event known[] = {
	EVENT("cycles", "event=1"),
	EVENT("instructions", "event=2"),
};

static struct pmu core_pmu = { .name = "cpu", .kind = PMU_CORE };

static struct catalog catalog = { .cpu = "",
				  .metric = catalogue,
				  .n_metrics = ARRAY_SIZE(catalogue) };

static struct machine machine = {
	.cpuid = "GenuineIntel-6-55-4",
	.simulated = true,
	.type = { { .name = "cpu", .pmu = &core_pmu, .catalog = &catalog } },
	.n_types = 1
};

const struct event metrics_rig_cycles = { .name = "cycles", .scale = 1 };

const struct event metrics_rig_instructions = { .name = "instructions", .scale = 1 };

struct set metrics_rig_set = {
	.n_slots = 3, .type = { { .event = { &metrics_rig_cycles, &metrics_rig_instructions } } }
};

int metrics_rig_make(void **state)
{
	static struct metrics metrics;
	static struct pmu_format event_format = { .name = "event", .mask = 0xff };

	core_pmu.format = &event_format;
	core_pmu.n_formats = 1;
	machine.pmus = (struct pmus){ .pmu = &core_pmu, .n = 1 };
	catalog.event = known;
	catalog.n_events = ARRAY_SIZE(known);
	catalog.memory = arena_new();
	*state = &metrics;
	return catalog_index(&catalog) ? -1 : metrics_make(&machine, &metrics, NULL);
}

int metrics_rig_unmake(void **state)
{
	metrics_fini(*state);
	arena_free(catalog.memory);
	return 0;
}
