/* workload_rig.h: workloads of kernels on a simulated core that counts one id on every counter */
#ifndef TESTS_WORKLOAD_RIG_H
#define TESTS_WORKLOAD_RIG_H

#include "rig/sim_rig.h"

struct workload_run {
	uint64_t count[SLOTS_MAX];
	unsigned n_told; /* interrupts */
};

/** A group that counts cycles, instructions, and an id on PMC2-9. */
static inline struct group *play_open(struct rig *rig, unsigned core, uint64_t id,
				      enum privilege privilege)
{
	const struct core_type *type = &rig->sim->machine.type[rig->sim->machine.core[core].type];
	struct event event[3] = {
		{ .name = "cycles", .pmu = type->pmu, .config = { 0x02 } },
		{ .name = "instructions", .pmu = type->pmu, .config = { 0x8c } },
		{ .name = "id", .pmu = type->pmu, .config = { id } },
	};
	struct set set = { .number = 1, .n_slots = 10 };
	struct placement *place = &set.type[rig->sim->machine.core[core].type];
	struct group *group = NULL;

	for (unsigned slot = 0; slot < 10; slot++) {
		event[slot < 2 ? slot : 2].privilege = privilege;
		place->event[slot] = &event[slot < 2 ? slot : 2];
		place->counter[slot] = place->order[place->n_order++] = (uint8_t)slot;
	}
	if (rig->sim->ops->group_open(rig->sim, core, &set, &group, &rig->err) < 0)
		fail_msg("core %u, id 0x%x: %s", core, (unsigned)id, rig->err.text);
	assert_int_equal(rig->sim->ops->group_enable(group), 0);
	return group;
}

static inline struct workload_run run_workload(struct rig *rig, struct group *group,
					       const char *kernel, bool is_trigger, uint64_t n)
{
	const struct workload workload = { kernel, is_trigger, (double)n };
	struct workload_run run = { { 0 }, 0 };
	struct sample before = rig_read(rig, group);

	run.n_told = rig->sim->ops->run_workload(group, &workload);

	struct sample after = rig_read(rig, group);

	for (unsigned slot = 0; slot < 10; slot++)
		run.count[slot] = rig_gain(&before, &after, slot);
	return run;
}

#endif
