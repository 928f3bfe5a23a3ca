#include "backend/sim/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "backend/sim/activity.h"
#include "backend/sim/core.h"
#include "backend/sim/device.h"
#include "backend/sim/load.h"

enum { CLUSTER_CORES = 4 };

/* What tells the two core types apart.
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

/* PMUs are kept by name: Firestorm before Icestorm */
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

static struct pmu *pmu_of(const struct pmus *pmus, enum sim_type type)
{
	return &pmus->pmu[pmu_order[0] == type ? 0 : 1];
}

static int make_cores(struct machine *machine, unsigned n)
{
	unsigned n_e = n / 2, e_clusters = (n_e + CLUSTER_CORES - 1) / CLUSTER_CORES;

	machine->core = calloc(n, sizeof(*machine->core));
	if (!machine->core)
		return -ENOMEM;
	machine->n_cores = n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		enum sim_type type = cpu < n_e ? SIM_E : SIM_P;

		machine->core[cpu] = (struct core){
			.cpu = cpu,
			.type = type,
			.cluster = type == SIM_E ? cpu / CLUSTER_CORES
						 : e_clusters + (cpu - n_e) / CLUSTER_CORES,
			.midr = kinds[type].midr,
		};
		cpus_add(&pmu_of(&machine->pmus, type)->cpus, cpu);
	}
	machine->n_clusters = machine->core[n - 1].cluster + 1;
	return 0;
}

static void midr_text(uint64_t midr, char *buf, size_t size)
{
	snprintf(buf, size, "0x%016" PRIx64, midr);
}

static int make_types(struct machine *machine, bool is_nameless, const char *events_dir,
		      struct err *err)
{
	char dir[4096], cpuid[32] = "";
	int result = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	for (enum sim_type type = SIM_E; type < N_SIM_TYPES && result == 0; type++) {
		struct core_type *made = &machine->type[type];

		if (!is_nameless)
			midr_text(kinds[type].midr, cpuid, sizeof(cpuid));
		result = catalog_load(dir, "arm64", cpuid, &made->catalog, err);
		snprintf(made->name, sizeof(made->name), "%s", kinds[type].name);
		made->pmu = pmu_of(&machine->pmus, type);
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
	int result;

	midr_text(kinds[SIM_E].midr, machine.cpuid, sizeof(machine.cpuid));
	if (make_pmus(&machine.pmus, options->smmus) < 0 ||
	    make_cores(&machine, options->cores) < 0) {
		result =
			err_set(err, ENOMEM, "no memory for a machine of %u cores", options->cores);
		goto fail;
	}
	result = make_types(&machine, options->hidden, events_dir, err);
	if (result < 0)
		goto fail;
	if (activity_give(&machine, &sim_activity) < 0) {
		result = err_set(err, ENOMEM, "out of memory");
		goto fail;
	}
	*ret = machine;
	return 0;
fail:
	machine_fini(&machine);
	return result;
}
