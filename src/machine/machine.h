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
		*catalog;    /* events and metrics of this type and the generic ones; never NULL */
	unsigned n_counters; /* hardware counters: the first so many slots; 0: unknown or none */
	unsigned n_fixed; /* of those that count one event each; where the kernel places events */
	unsigned width;   /* bits a raw value counts in; through perf 64 */
	bool slot_is_counter; /* slot N is physical counter N, as asked (sim, Apple registers) */
	bool first_fit; /* the driver takes the lowest free legal counter and never moves one */
};

struct core {
	unsigned cpu;     /* the kernel's number */
	unsigned type;    /* index into machine.type */
	unsigned cluster; /* index, 0 … n_clusters-1; cores of two types never share one */
	unsigned package; /* the kernel's number of its socket */
	unsigned thread0; /* CPU of the first of its SMT siblings: its own without SMT */
	/* As for clusters: 0 … n_physical-1, one for all SMT siblings; 0 … n_sockets-1, a package of
	 * two types has two. machine_number makes them from the two above. */
	unsigned physical, socket;
	uint64_t midr; /* MIDR_EL1, 0 where there is none */
};

/** Made once by a backend and constant while it is open. */
struct machine {
	char model[96]; /* "Apple MacBook Air (M1, 2020)", or the processor's name */
	char cpuid[64]; /* of core 0: "0x00000000611f0230", "AuthenticAMD-25-1-1" */
	bool simulated;
	bool lacks_secure; /* it is known to have no Secure state: every stream is Non-secure */
	bool recorded;     /* read back from a file: nothing says what else its PMUs count */
	struct core *core;
	unsigned n_cores;
	struct core_type type[TYPES_MAX];
	unsigned n_types;
	unsigned n_clusters, n_physical, n_sockets;
	struct pmus pmus;
	struct activity *activity; /* see activity.h, one allocation; NULL: nothing is known */
};

/** Index of the core with this CPU number. @return -1 when there is none */
int machine_core_of_cpu(const struct machine *machine, unsigned cpu);

/** Number physical cores and sockets, once all cores are there. */
void machine_number(struct machine *machine);

/** Does any core have SMT siblings here? */
bool machine_has_smt(const struct machine *machine);

/** The CPUs of a physical core: "3,35". @return buf */
const char *machine_threads(const struct machine *machine, unsigned physical, char *buf,
			    size_t size);

/** The SMT siblings of a core: "35". @return buf; "" when it has none */
const char *machine_siblings(const struct machine *machine, unsigned core, char *buf, size_t size);

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

/** Are its cores Apple's? */
bool machine_is_apple(const struct machine *machine);

/** Are there no event files of a type's model, though Linux may have some? */
bool machine_lacks_files(const struct machine *machine, unsigned type);

/** What Linux's event files call its architecture: "arm64" or "x86". */
const char *machine_arch(const struct machine *machine);

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
