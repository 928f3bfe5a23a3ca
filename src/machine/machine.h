/* machine.h: what is counted on: cores, their types and clusters, PMUs and event catalogues */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "machine/pmu.h"

enum {
	CORES_MAX = 1024,
	TYPES_MAX = 4, /* core types: E and P, or the big, middle and little of a phone */
	/* of a core's own: hardware counters first, then events that need none */
	CORE_SLOTS_MAX = 16,
	SLOTS_MAX = 64,   /* of one read: where those end, more events of devices */
	COLUMNS_MAX = 64, /* of a multiplexed set: the slots of all its groups */
};

/** Cores that are alike: one core PMU, one catalogue. The figures of two types are never mixed. */
struct core_type {
	char name[16];         /* "E", "P"; "cpu" where all cores are alike */
	const struct pmu *pmu; /* core PMU; NULL where the machine has none */
	struct catalog
		*catalog;     /* events and metrics of this type and the generic ones; never NULL */
	unsigned n_counters;  /* hardware counters: the first so many slots; 0: unknown or none */
	unsigned width;       /* bits a raw value counts in; through perf 64 */
	bool slot_is_counter; /* slot N is physical counter N, as asked (sim, Apple registers) */
	bool first_fit; /* the driver takes the lowest free legal counter and never moves one */
};

struct core {
	unsigned cpu;     /* the kernel's number */
	unsigned type;    /* index into machine.type */
	unsigned cluster; /* index, 0 … n_clusters-1; cores of two types never share one */
	uint64_t midr;    /* MIDR_EL1, 0 where there is none */
};

/** Made once by a backend and constant while it is open. */
struct machine {
	char model[96]; /* "Apple MacBook Air (M1, 2020)", or the processor's name */
	char cpuid[64]; /* of core 0: "0x00000000611f0230", "AuthenticAMD-25-1-1" */
	bool simulated;
	bool recorded; /* read back from a file: nothing says what else its PMUs count */
	struct core *core;
	unsigned n_cores;
	struct core_type type[TYPES_MAX];
	unsigned n_types;
	unsigned n_clusters;
	struct pmus pmus;
	struct activity *activity; /* see activity.h, one allocation; NULL: nothing is known */
};

/** Index of the core with this CPU number. @return -1 when there is none */
int machine_core_of_cpu(const struct machine *machine, unsigned cpu);

/** Is there a hardware PMU on any type of core? */
bool machine_has_core_pmu(const struct machine *machine);

/** Are there devices beside the cores whose events are read on this one? */
bool machine_core_reads_devices(const struct machine *machine, unsigned core);

/** "4 E + 4 P", "8 cores". @return buf */
const char *machine_cores_text(const struct machine *machine, char *buf, size_t size);

/** Index of the first core of a type. @type  one that has cores */
unsigned machine_first_core(const struct machine *machine, unsigned type);

/** What tells a type's cores apart: the MIDR of its first core, else machine.cpuid. @return buf */
const char *machine_cpuid(const struct machine *machine, unsigned type, char *buf, size_t size);

/**
 * Load the catalogue of every type, by machine_cpuid.
 *
 * @events_dir  as given by --events-dir; NULL: search
 * @return      0, or what catalog_find_dir or catalog_load said
 */
int machine_load_catalogs(struct machine *machine, const char *events_dir, struct err *err);

/**
 * Leave out what another machine's data would only confuse: events and metrics whose Compat no PMU
 * here has, metrics of devices that are not here or of another core PMU than this type's (cpu_atom's
 * for cpu_core), presets where there is no core PMU to count them.
 *
 * @core_pmu  "" when the type has none
 * @pmus      of the machine
 * @return    0 or -ENOMEM, and then nothing was changed
 */
int machine_narrow_catalog(struct catalog *catalog, const char *core_pmu, const struct pmus *pmus);

/** Keep only the cores in `keep` (-C); types and clusters are numbered among these. @return 0, or -ENODEV when none is left */
int machine_restrict(struct machine *machine, const struct cpus *keep, struct err *err);

/**
 * One more PMU in its place among the others, before events point to any of them.
 *
 * @pmu    what it owns becomes the machine's
 * @return 0 or -ENOMEM
 */
int machine_add_pmu(struct machine *machine, const struct pmu *pmu);

/** Release everything the machine owns. NULL is accepted. */
void machine_fini(struct machine *machine);

#endif
