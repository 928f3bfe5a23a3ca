#include "pmu/sim/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "pmu/event.h"
#include "pmu/machine.h"
#include "pmu/sim/load.h"

/* ---- devices ---- */

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

/* Fill in the n-th device's PMU as the kernel would describe it; cpu 0 counts. @return 0 or -ENOMEM */
static int sim_device_make(unsigned n, struct pmu *ret)
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

uint64_t sim_device_count(uint64_t seed, unsigned device, const uint64_t *config, uint64_t from_ns,
			  uint64_t to_ns)
{
	struct stream_filter filter = { .has_span = config[1] >> 32 & 1,
					.id = (uint32_t)config[1] };
	bool has_filter = config[1] >> 33 & 1;
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

		if (!has_filter || stream_matches(&filter, SIM_FIRST_STREAM + stream))
			n += sim_load_count(&load, events[config[0]].core_event, PRIVILEGE_BOTH,
					    from_ns, to_ns);
	}
	return n * events[config[0]].times;
}

/* ---- the machine ---- */

enum { CLUSTER_CORES = 4 };

/* Differences between the two core types.
 * Source: Linux arch/arm64/include/asm/cputype.h (MIDR parts), drivers/perf/apple_m1_cpu_pmu.c */
static const struct kind {
	const char *name;
	const char *pmu;
	uint32_t pmu_type;
	uint64_t midr;
} kinds[N_SIM_TYPES] = {
	[SIM_E] = { "E", "apple_icestorm_pmu", 6, 0x611f0220 },
	[SIM_P] = { "P", "apple_firestorm_pmu", 7, 0x611f0230 },
};

/* PMUs are sorted by name: Firestorm before Icestorm */
static const enum sim_type pmu_order[] = { SIM_P, SIM_E };

static int make_pmus(struct pmus *pmus, unsigned n_devices)
{
	int result = 0;

	pmus->pmu = calloc(ARRAY_SIZE(pmu_order) + n_devices, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return -ENOMEM;
	pmus->n = ARRAY_SIZE(pmu_order) + n_devices;
	for (unsigned i = 0; i < ARRAY_SIZE(pmu_order) && result == 0; i++) {
		const struct kind *kind = &kinds[pmu_order[i]];

		result = pmu_make_apple(&pmus->pmu[i], kind->pmu, kind->pmu_type, 8);
	}
	for (unsigned i = 0; i < n_devices && result == 0; i++)
		result = sim_device_make(i, &pmus->pmu[ARRAY_SIZE(pmu_order) + i]);
	return result;
}

static struct pmu *backend_pmu_of(const struct pmus *pmus, enum sim_type type)
{
	return &pmus->pmu[pmu_order[0] == type ? 0 : 1];
}

/* Return the place of core `nth` of the `n` cores of a type. A socket's cores are neighbours, and all
 * first threads come before all second ones, as Linux numbers the CPUs of most x86 servers. With
 * last-level caches of their own number, clusters are sockets, as on AMD's chiplets. */
static struct core seat_of(const struct sim_options *options, unsigned nth, unsigned n)
{
	unsigned n_physical = n / options->smt, physical = nth % n_physical;
	unsigned n_socket = n_physical / options->sockets;         /* per socket */
	unsigned cores = options->llcs ? n_socket : CLUSTER_CORES; /* per cluster */
	unsigned n_clusters = (n_socket + cores - 1) / cores;      /* per socket */
	unsigned package = physical / n_socket;

	return (struct core){
		.cluster = package * n_clusters + physical % n_socket / cores,
		.package = package,
		.node_id = physical * options->nodes / n_physical,
		.llc_id = physical * options->llcs / n_physical,
		.thread0 = physical,
	};
}

static int make_cores(struct machine *machine, const struct sim_options *options)
{
	unsigned n = options->cores, n_e = n / 2, n_clusters = 0; /* clusters of E cores */

	machine->core = calloc(n, sizeof(*machine->core));
	if (!machine->core)
		return -ENOMEM;
	machine->n_cores = n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		enum sim_type type = cpu < n_e ? SIM_E : SIM_P;
		unsigned first = type == SIM_E ? 0 : n_e;
		struct core *core = &machine->core[cpu];

		*core = seat_of(options, cpu - first, type == SIM_E ? n_e : n - n_e);
		core->cpu = cpu;
		core->type = type;
		core->thread0 += first;
		n_clusters = cpu == n_e ? machine->n_clusters : n_clusters;
		core->cluster += n_clusters;
		core->midr = kinds[type].midr;

		bool is_known = core->cluster < machine->n_clusters; /* from an earlier core */
		unsigned known = core->thread0 < cpu ? core->thread0 : cpu - 1;

		if (!options->llcs)
			core->llc_id = is_known ? machine->core[known].llc_id : cpu;
		if (!is_known)
			machine->n_clusters = core->cluster + 1;
		cpus_add(&backend_pmu_of(&machine->pmus, type)->cpus, cpu);
	}
	return 0;
}

static int make_types(struct machine *machine, bool is_nameless, const char *events_dir,
		      struct err *err)
{
	char dir[4096], cpuid[32] = "";
	int result = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	for (enum sim_type type = SIM_E; type < N_SIM_TYPES && result == 0; type++) {
		struct core_type *made = &machine->type[type];

		if (!is_nameless)
			snprintf(cpuid, sizeof(cpuid), "0x%016" PRIx64, kinds[type].midr);
		result = catalog_load(dir, "arm64", cpuid, &made->catalog, err);
		snprintf(made->name, sizeof(made->name), "%s", kinds[type].name);
		made->pmu = backend_pmu_of(&machine->pmus, type);
		if (!result &&
		    machine_narrow_catalog(made->catalog, made->pmu->name, &machine->pmus))
			result = err_set(err, ENOMEM, "out of memory");
		made->n_counters = SIM_COUNTERS;
		made->width = SIM_WIDTH;
		made->slot_is_counter = true;
		machine->n_types = type + 1;
	}
	return result;
}

int sim_machine_make(const struct sim_options *options, const char *events_dir, struct machine *ret,
		     struct err *err)
{
	struct machine machine = { .model = "Simulated Apple M1", .simulated = true };
	int result = 0;

	snprintf(machine.cpuid, sizeof(machine.cpuid), "0x%016" PRIx64, kinds[SIM_E].midr);
	if (make_pmus(&machine.pmus, options->smmus) < 0 || make_cores(&machine, options) < 0)
		result =
			err_set(err, ENOMEM, "no memory for a machine of %u cores", options->cores);
	if (!result)
		result = make_types(&machine, options->hidden, events_dir, err);
	if (!result)
		machine_number(&machine);
	if (!result && activity_give(&machine, &sim_activity) < 0)
		result = err_set(err, ENOMEM, "out of memory");
	if (result)
		machine_fini(&machine);
	else
		*ret = machine;
	return result;
}
