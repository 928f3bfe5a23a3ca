/* sampler_rig.h: a sampler over the simulation, from options to the first set */
#ifndef TESTS_SAMPLER_RIG_H
#define TESTS_SAMPLER_RIG_H

#include <poll.h>

#include "rig/harness.h"
#include "pmu/backend.h"
#include "sampler/threads/internal.h"

/** A sampler over the simulation. */
struct rig {
	struct backend *backend;
	struct event_table *events;
	struct metrics metrics;
	struct set first;
	struct sampler *sampler;
	struct queue *queue;
};

/** Fail the test with the text of err unless rc is 0. */
void must(int rc, const struct err *err);

/** Open the simulation with these options, the default set and a queue of 4096 frames, without starting it. */
void rig_make(struct rig *rig, const char *options, uint64_t interval_ns);

/** Start sampling the first set. */
void rig_start(struct rig *rig);

/** Make a rig and start it. */
void rig_up(struct rig *rig, const char *options, uint64_t interval_ns);

/** Stop the sampler and free the rig. */
void rig_down(struct rig *rig);

/** Put another event into a slot of the running set. */
void rig_change(struct rig *rig, unsigned slot, const char *event);

/** Wait for the next frame; the test fails after a minute without one. */
const struct frame *wait_for_frame(const struct rig *rig);

#endif
