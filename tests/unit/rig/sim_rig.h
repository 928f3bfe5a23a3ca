/* sim_rig.h: a simulated machine, its events and groups, for tests that count on it */
#ifndef TESTS_SIM_RIG_H
#define TESTS_SIM_RIG_H

#include "rig/harness.h"

#include <stdbool.h>

#include "event/count.h"
#include "backend/backend.h"
#include "rig/sim_control.h"

struct rig {
	struct backend *sim;
	struct event_table *events;
	struct err err;
};

/** Open "sim:" with these options; the test fails when it does not open. */
static inline struct rig rig_open(const char *options)
{
	struct backend_config config = { .name = "sim", .options = options };
	struct rig rig = { .sim = NULL };

	if (backend_open(&config, &rig.sim, &rig.err) < 0)
		fail_msg("%s", rig.err.text);
	assert_int_equal(event_table_new(&rig.sim->machine, &rig.events), 0);
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	event_table_free(rig->events);
	backend_close(rig->sim);
}

/** A set of the events in a -e list. */
static inline struct set rig_set(struct rig *rig, const char *list)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;
	struct set set;

	if (event_specs_parse(list, &spec, &n, &rig->err) < 0 ||
	    set_make(rig->events, spec, n, PRIVILEGE_BOTH, &set, &rig->err) < 0)
		fail_msg("%s: %s", list, rig->err.text);
	set.number = 1;
	return set;
}

/** A group on one core, counting. */
static inline struct group *rig_count(struct rig *rig, unsigned core, const struct set *set)
{
	struct group *group = NULL;

	if (rig->sim->ops->group_open(rig->sim, core, set, &group, &rig->err) < 0)
		fail_msg("core %u: %s", core, rig->err.text);
	assert_int_equal(rig->sim->ops->group_enable(group), 0);
	return group;
}

static inline struct sample rig_read(struct rig *rig, struct group *group)
{
	struct sample sample = { 0 };

	assert_int_equal(rig->sim->ops->group_read(group, &sample), 0);
	return sample;
}

/** Move the virtual clock. */
static inline void rig_advance(struct rig *rig, uint64_t t_ns)
{
	rig->sim->ops->advance(rig->sim, t_ns);
}

/** What one counter gained between two reads, past a wrap. */
static inline uint64_t rig_gain(const struct sample *a, const struct sample *b, unsigned slot)
{
	assert_int_equal(a->state[slot], RAW_OK);
	assert_int_equal(b->state[slot], RAW_OK);
	return counter_delta(a->raw[slot].value, b->raw[slot].value, 48);
}

/** What the core did between two reads, of what one slot counts. */
static inline uint64_t rig_truth(struct rig *rig, unsigned core, const struct set *set,
				 unsigned slot, const struct sample *a, const struct sample *b)
{
	unsigned type = rig->sim->machine.core[core].type;
	const struct event *event = set->type[type].event[slot];

	return sim_truth(rig->sim, core, event->config[0], event->privilege, a->t_ns, b->t_ns);
}

#endif
