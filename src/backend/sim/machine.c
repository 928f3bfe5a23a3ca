#include "backend/sim/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
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

/* Of those of one type, number `nth` of `n`: sockets have neighbouring cores, and all first threads
 * come before all second ones, as Linux numbers the CPUs of most x86 servers. */
static struct core seat_of(const struct sim_options *options, unsigned nth, unsigned n)
{
	unsigned n_physical = n / options->smt, physical = nth % n_physical;
	unsigned n_socket = n_physical / options->sockets;                    /* of a socket */
	unsigned n_clusters = (n_socket + CLUSTER_CORES - 1) / CLUSTER_CORES; /* of a socket */
	unsigned package = physical / n_socket;

	return (struct core){
		.cluster = package * n_clusters + physical % n_socket / CLUSTER_CORES,
		.package = package,
		.thread0 = physical,
	};
}

static int make_cores(struct machine *machine, const struct sim_options *options)
{
	unsigned n = options->cores, n_e = n / 2, n_clusters = 0; /* of E cores */

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
		if (core->cluster >= machine->n_clusters)
			machine->n_clusters = core->cluster + 1;
		cpus_add(&pmu_of(&machine->pmus, type)->cpus, cpu);
	}
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
	if (make_pmus(&machine.pmus, options->smmus) < 0 || make_cores(&machine, options) < 0) {
		result =
			err_set(err, ENOMEM, "no memory for a machine of %u cores", options->cores);
		goto fail;
	}
	result = make_types(&machine, options->hidden, events_dir, err);
	if (result < 0)
		goto fail;
	machine_number(&machine);
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
