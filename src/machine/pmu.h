/* pmu.h: one performance monitoring unit as the kernel describes it */
#ifndef MACHINE_PMU_H
#define MACHINE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "base/err.h"

enum pmu_kind {
	PMU_CORE,     /* counts on the cores in `cpus` (sysfs file cpus, or the x86 PMU "cpu") */
	PMU_SOFTWARE, /* the kernel's own software events */
	PMU_MSR,      /* x86 free-running registers (tsc, aperf, …), per CPU */
	PMU_ACTIVITY, /* how fast and how busy each core is: no PMU of the kernel's, see activity.h */
	PMU_UNCORE,   /* has a cpumask: counted once for a package, cluster or device */
};

enum { CONFIG_WORDS = 4 }; /* perf_event_attr config, config1, config2, config3 */

/** A field of the event encoding: format/NAME. */
struct pmu_format {
	char name[32];
	uint8_t word;  /* which of CONFIG_WORDS */
	uint64_t mask; /* the bits the value is spread over, lowest first */
};

/** An event that the kernel names itself: events/NAME. */
struct pmu_alias {
	char name[64];
	char terms[128]; /* "event=0x11,umask=0x1" */
	double scale;    /* .scale, else 1 */
	char unit[24];   /* .unit, else "" */
	bool per_pkg;    /* .per-pkg */
};

struct pmu {
	char name[64];
	char identifier[64]; /* which model of the device, for Compat; "" unknown */
	uint32_t type;       /* perf_event_attr.type; dynamic, never to be hard-coded */
	enum pmu_kind kind;
	bool honours_privilege; /* user/kernel exclusion works on this PMU at all */
	struct cpus cpus; /* where events are opened: cores, or the cpumask of an uncore PMU */
	struct pmu_format *format;
	size_t n_formats;
	struct pmu_alias *alias;
	size_t n_aliases;
};

/** The PMUs of a machine, in the order core, software, msr, activity, uncore, then by name. */
struct pmus {
	struct pmu *pmu;
	size_t n;
	/* Read back from a session: there were others, but of the kinds with an identifier, if there
	 * is one here at all, these were all. */
	bool is_recorded;
};

/** "core", "software", "msr", "activity", "uncore". */
const char *pmu_kind_name(enum pmu_kind kind);

/** The names of one kind's PMUs: "uncore_imc_0, uncore_imc_1"; "" when there is none. @return buf */
const char *pmus_names(const struct pmus *pmus, enum pmu_kind kind, char *buf, size_t size);

/** By exact name. @return NULL when there is none */
const struct pmu *pmu_find(const struct pmus *pmus, const char *name);

/**
 * Is it one of the PMUs that event data means? uncore_imc_0 and uncore_imc_1a are of "uncore_imc",
 * hisi_sccl1_ddrc0 of "hisi_sccl,ddrc".
 *
 * @unit    as catalog_event.pmu, not ""
 * @compat  an extended regular expression for the identifier; "" for every model
 */
bool pmu_is_of(const struct pmu *pmu, const char *unit, const char *compat);

/** Is it, or one of several of its kind, called so: "uncore_imc_0", "uncore_imc", "imc"? */
bool pmu_is_called(const struct pmu *pmu, const char *name);

/** Are they instances of one kind: uncore_imc_0 and uncore_imc_1? So is a PMU and itself. */
bool pmu_is_like(const struct pmu *a, const struct pmu *b);

/** A kernel-named event. @return NULL when there is none */
const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name);

/** Is it one of Intel's topdown-* that divide what `slots` counts? They take no counter, and are in its group alone. */
bool pmu_divides_slots(const struct pmu *pmu, const uint64_t *config);

/** Does an event take one of the core's counters? */
bool pmu_takes_counter(const struct pmu *pmu, const uint64_t *config);

/**
 * Turn "event=0x11,umask=1,inv" into config words through the PMU's own format.
 * The terms config=, config1=, config2= and config3= are always known; a term without a value is 1.
 *
 * @ret_config  CONFIG_WORDS words
 * @return      0; -EINVAL naming the term and the PMU's terms; -ERANGE when a value does not fit
 */
int pmu_encode(const struct pmu *pmu, const char *terms, uint64_t *ret_config, struct err *err);

/** What pmu_encode laid into one field. @config  CONFIG_WORDS words */
uint64_t pmu_field(const struct pmu_format *format, const uint64_t *config);

/**
 * The PMU of an Apple core as its driver shows it: the field "event", cycles and instructions. A
 * simulated one is the same.
 *
 * @ret    `{ 0 }` on entry; what was allocated is its own, also after a failure
 * @return 0 or -ENOMEM
 */
int pmu_make_apple(struct pmu *ret, const char *name, uint32_t type, unsigned event_bits);

/** Release what the list owns and empty it. NULL is accepted. */
void pmus_fini(struct pmus *pmus);

#endif
