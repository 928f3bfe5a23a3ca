/* play_rig.h: kernels played on a simulated core that counts one id on every counter */
#ifndef TESTS_PLAY_RIG_H
#define TESTS_PLAY_RIG_H

#include "sim_rig.h"

struct played {
	uint64_t count[SLOTS_MAX];
	unsigned n_told; /* interrupts */
};

/** A group that counts cycles, instructions, and an id on PMC2-9. */
static inline struct group *play_open(struct rig *rig, unsigned core, uint64_t id,
				      enum event_levels levels)
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
		event[slot < 2 ? slot : 2].levels = levels;
		place->event[slot] = &event[slot < 2 ? slot : 2];
		place->counter[slot] = place->order[place->n_order++] = (uint8_t)slot;
	}
	if (rig->sim->ops->group_open(rig->sim, core, &set, &group, &rig->err) < 0)
		fail_msg("core %u, id 0x%x: %s", core, (unsigned)id, rig->err.text);
	assert_int_equal(rig->sim->ops->group_enable(group), 0);
	return group;
}

static inline struct played play_run(struct rig *rig, struct group *group, const char *kernel,
				     bool is_trigger, uint64_t n)
{
	const struct play play = { kernel, is_trigger, n };
	struct played played = { { 0 }, 0 };
	struct sample before = rig_read(rig, group);

	played.n_told = rig->sim->ops->group_play(group, &play);

	struct sample after = rig_read(rig, group);

	for (unsigned slot = 0; slot < 10; slot++)
		played.count[slot] = rig_gain(&before, &after, slot);
	return played;
}

#endif
