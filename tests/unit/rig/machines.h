/* machines.h: small machines built by hand: an M1, a generic one, one without hardware counters */
#ifndef TESTS_MACHINES_H
#define TESTS_MACHINES_H

#include "rig/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/machine.h"

/** An alias of a PMU. */
struct named_terms {
	const char *name, *terms;
};

/**
 * Add a PMU.
 *
 * @event_mask  bits of config of its format "event"; 0: no format
 */
struct pmu *machines_add_pmu(struct machine *machine, const char *name, enum pmu_kind kind,
			     uint64_t event_mask);

/** Give a PMU its aliases. @list  ends with a NULL name */
void machines_add_aliases(struct pmu *pmu, const struct named_terms *list);

/**
 * Add a core type with the catalogue of its CPU; the test fails if it cannot be loaded.
 *
 * @pmu    NULL: no hardware counters
 * @cpuid  as in mapfile.csv
 */
void machines_add_type(struct machine *machine, const char *name, const struct pmu *pmu,
		       const char *arch, const char *cpuid);

/** Add n cores of one type in one cluster; CPU numbers go on from the last core. */
void machines_add_cores(struct machine *machine, unsigned n, unsigned type, unsigned cluster);

/** Start an empty machine with room for 16 cores and 80 PMUs; machine_fini frees it. */
void machines_begin(struct machine *machine);

/**
 * Build an M1 with 4 E cores and 4 P cores.
 *
 * @slot_is_counter  true: counters are programmed register by register; false: by Linux's driver
 */
void machines_m1(struct machine *machine, bool slot_is_counter);

/** Add the PMUs "software" and "msr". */
void machines_add_x86_rest(struct machine *machine);

/** Build an x86 with a core PMU that has no catalogue and an unknown number of counters. */
void machines_generic(struct machine *machine);

/** Build a virtual machine that has software and msr events only. */
void machines_software(struct machine *machine);

#endif
