// SPDX-License-Identifier: GPL-2.0-only
/* rules.c: what can be counted together. Sources: Linux 6.12, the functions that are named */
#include "model.h"

u64 model_counters_of(struct perf_event *event)
{
	const struct model *model = unit_of(event)->model;

	return counters_of(model->constraint, event->hw.config) & model->counters;
}

/* arch/x86/events/core.c, x86_schedule_events() */
bool model_fit(struct perf_event **event, int n)
{
	u64 counters[EVENTS_MAX + 1];

	for (int i = 0; i < n; i++)
		counters[i] = model_counters_of(event[i]);
	return can_count(counters, n);
}

static int collect(struct perf_event *leader, struct pmu *pmu, struct perf_event **ret)
{
	struct perf_event *sibling;
	int n = 0;

	if (leader->pmu == pmu)
		ret[n++] = leader;
	for_each_sibling_event(sibling, leader)
		if (sibling->pmu == pmu && n < EVENTS_MAX - 1)
			ret[n++] = sibling;
	return n;
}

/* topdown-* need slots before them, and no samples: arch/x86/events/intel/core.c, intel_pmu_hw_config() */
static bool is_metric(struct perf_event *event)
{
	return model_counters_of(event) & ANY_METRIC;
}

static bool follows_slots(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	return leader != event && leader->pmu == event->pmu && (leader->hw.config & 0xffff) == 0x400;
}

/* A group that never fits is refused: arch/x86/events/core.c, validate_group(); drivers/perf/arm_pmu.c likewise */
int model_check_group(struct perf_event *event)
{
	struct perf_event *group[EVENTS_MAX];
	int n = 0;

	if (is_metric(event) && (is_sampling_event(event) || !follows_slots(event)))
		return -EINVAL;
	if (event->group_leader != event)
		n = collect(event->group_leader, event->pmu, group);
	group[n++] = event;
	return model_fit(group, n) ? 0 : -EINVAL;
}
