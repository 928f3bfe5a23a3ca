/* sim_rig.h: a simulated machine, its events and groups, for tests that count on it */
#ifndef TESTS_SIM_RIG_H
#define TESTS_SIM_RIG_H

#include "rig/harness.h"

#include <stdbool.h>

#include "pmu/count.h"
#include "pmu/backend.h"
#include "rig/sim_control.h"

/** A simulated machine. */
struct sim_rig {
	struct backend *sim;
	struct event_table *events;
	struct err err;
};

/** Open "sim:" with these options; the test fails if it does not open. */
struct sim_rig sim_rig_open(const char *options);

/** Free what sim_rig_open made. */
void sim_rig_close(struct sim_rig *rig);

/** Make a set of the events in a -e list. */
struct set sim_rig_set(struct sim_rig *rig, const char *list);

/** Open a group on one core and let it count. */
struct group *sim_rig_count(struct sim_rig *rig, unsigned core, const struct set *set);

/** Read a group. */
struct sample sim_rig_read(struct sim_rig *rig, struct group *group);

/** Move the virtual clock. @t_ns  time since the backend was opened */
void sim_rig_advance(struct sim_rig *rig, uint64_t t_ns);

/** Subtract two reads of one 48-bit counter, past a wrap. */
uint64_t sim_rig_gain(const struct sample *a, const struct sample *b, unsigned slot);

/** Count what the core did between two reads, of the event in one slot. */
uint64_t sim_rig_truth(struct sim_rig *rig, unsigned core, const struct set *set, unsigned slot,
		       const struct sample *a, const struct sample *b);

#endif
