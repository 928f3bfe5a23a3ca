/* SPDX-License-Identifier: GPL-2.0-only */
/* model.h: what the files of pmu_model share */
#ifndef PMU_MODEL_H
#define PMU_MODEL_H

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>

#include "counters.h"

struct model {
	const char *name;
	int type; /* PERF_TYPE_RAW, -1: the next that is free */
	const char *cpus; /* of a core PMU; NULL: all */
	bool is_uncore; /* one CPU of each socket counts */
	u64 counters;
	const struct constraint *constraint;
	const struct rate *rate;
	const char *const *format, *const *event, *const *caps; /* name, text, …, NULL; caps may be NULL */
	u64 generic[PERF_COUNT_HW_MAX]; /* 0: there is none */
};

struct profile {
	const char *name;
	const struct model *model; /* up to one without a name */
};

extern const struct profile model_profiles[]; /* up to one without a name */

/* A PMU that is there. */
struct unit {
	struct pmu pmu;
	const struct model *model;
	cpumask_t cpus;
	struct attribute_group groups[4];
	const struct attribute_group *group_list[5];
};

static inline struct unit *unit_of(struct perf_event *event)
{
	return container_of(event->pmu, struct unit, pmu);
}

#define EVENTS_MAX 32 /* that count on a CPU at once */

/* rules.c */
u64 model_counters_of(struct perf_event *event);
bool model_fit(struct perf_event **event, int n);
int model_check_group(struct perf_event *event);

/* sysfs.c: fills in groups and group_list. 0 or -ENOMEM */
int model_make_sysfs(struct unit *unit);

#endif
