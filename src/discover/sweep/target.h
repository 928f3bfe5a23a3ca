/* target.h: what is swept on one core type: its PMU, how ids become events, what they are called */
#ifndef DISCOVER_SWEEP_TARGET_H
#define DISCOVER_SWEEP_TARGET_H

#include "discover/findings/findings.h"

struct target {
	const struct core_type *type;
	unsigned index;        /* of the type */
	unsigned core;         /* the one that runs kernels */
	const struct pmu *pmu; /* the type's core PMU, else the kernel's software events */
	bool is_core;
	uint64_t
		choosable; /* counters that an event can be put on; 0: the driver chooses, unseen */
	struct event cycles;
	bool has_cycles; /* counted beside all others */
};

/** @return 0; -ENODEV without core PMU or software events */
int target_make(struct event_table *events, unsigned type, struct target *ret, struct err *err);

/** The ids that are tried where none are asked for. @return 0; as raw_id_all */
int target_ids(const struct target *target, struct ids *ret, struct err *err);

/** @return 0; -EINVAL there is no such id */
int target_check_id(const struct target *target, uint64_t id, struct err *err);

/** An id as an event, to be counted where the mask says. @return 0 or as pmu_encode */
int target_event(const struct target *target, uint64_t id, const struct mask *mask,
		 enum privilege privilege, struct event *ret, struct err *err);

/** The levels to count in: user where the PMU can tell, unless the kernel does its work below. */
enum privilege target_privilege(const struct target *target, const struct kernel *kernel);

/** The counters that an id may be placed on, as in struct event. */
uint64_t target_counters(const struct target *target, const struct mask *mask);

/** What the catalogue says about the ids: to label them, never to decide. */
void target_label(const struct target *target, struct findings *findings);

#endif
