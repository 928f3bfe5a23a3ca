#include "pmu/sim/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/sim/load.h"
#include "pmu/event.h"

/* FIRST_PAGE, PAGE_STEP: physical pages of the register frames, which the PMU names contain. */
enum { FIRST_PAGE = 0x2b440, PAGE_STEP = 2, PMU_TYPE = 20 };

/* Events of a device: multiples of a core event of the simulated load. */
static const struct {
	const char *name;
	uint8_t core_event, times;
} events[] = {
	{ "cycles", 0, 0 }, /* one per ns, independent of the streams */
	{ "transaction", 0xa3, 1 },
	{ "tlb_miss", 0x08, 1 },
	{ "config_cache_miss", 0x0d, 1 },
	{ "trans_table_walk_access", 0x08, 3 },
	{ "config_struct_access", 0x0d, 2 },
	{ "pcie_ats_trans_rq", 0xc1, 1 },
	{ "pcie_ats_trans_passed", 0xa1, 1 },
};

/* Source: Linux drivers/perf/arm_smmuv3_pmu.c */
static const struct pmu_format formats[] = {
	{ "event", 0, 0xffff },
	{ "filter_enable", 1, UINT64_C(1) << 33 },
	{ "filter_span", 1, UINT64_C(1) << 32 },
	{ "filter_stream_id", 1, UINT32_MAX },
};

int sim_device_make(unsigned n, struct pmu *ret)
{
	snprintf(ret->name, sizeof(ret->name), "smmuv3_pmcg_%x", FIRST_PAGE + n * PAGE_STEP);
	ret->type = PMU_TYPE + n;
	ret->kind = PMU_UNCORE;
	cpus_add(&ret->cpus, 0);
	ret->format = calloc(ARRAY_SIZE(formats), sizeof(*ret->format));
	ret->alias = calloc(ARRAY_SIZE(events), sizeof(*ret->alias));
	if (!ret->format || !ret->alias)
		return -ENOMEM;
	memcpy(ret->format, formats, sizeof(formats));
	ret->n_formats = ARRAY_SIZE(formats);
	for (; ret->n_aliases < ARRAY_SIZE(events); ret->n_aliases++) {
		struct pmu_alias *alias = &ret->alias[ret->n_aliases];

		snprintf(alias->name, sizeof(alias->name), "%s", events[ret->n_aliases].name);
		snprintf(alias->terms, sizeof(alias->terms), "event=0x%02zx", ret->n_aliases);
		alias->scale = 1;
	}
	return 0;
}

int sim_device_of(const struct pmu *pmu)
{
	bool is_ours = pmu->kind == PMU_UNCORE && pmu->type >= PMU_TYPE &&
		       pmu->type < PMU_TYPE + SIM_DEVICES_MAX;

	return is_ours ? (int)(pmu->type - PMU_TYPE) : -1;
}

static bool device_is_counted(const uint64_t *config, unsigned stream)
{
	struct stream_filter filter = { .has_span = config[1] >> 32 & 1,
					.id = (uint32_t)config[1] };
	bool has_filter = config[1] >> 33 & 1;

	return !has_filter || stream_matches(&filter, SIM_FIRST_STREAM + stream);
}

uint64_t sim_device_count(uint64_t seed, unsigned device, const uint64_t *config, uint64_t from_ns,
			  uint64_t to_ns)
{
	uint64_t n = 0;

	if (config[0] == 0)
		return to_ns - from_ns;
	if (config[0] >= ARRAY_SIZE(events))
		return 0;
	for (unsigned stream = 0; stream < SIM_STREAMS; stream++) {
		struct sim_load load = {
			.seed = seed,
			.cpu = CORES_MAX + device * SIM_STREAMS + stream,
			.type = SIM_P,
		};

		if (device_is_counted(config, stream))
			n += sim_load_count(&load, events[config[0]].core_event, PRIVILEGE_BOTH,
					    from_ns, to_ns);
	}
	return n * events[config[0]].times;
}
