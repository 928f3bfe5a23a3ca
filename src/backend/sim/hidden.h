/* hidden.h: sim:hidden: what event ids count, and where, is drawn from the seed */
#ifndef BACKEND_SIM_HIDDEN_H
#define BACKEND_SIM_HIDDEN_H

#include "backend/sim/sim.h"
#include "backend/sim/effect.h"
#include "backend/sim/events.h"
#include "backend/sim/load.h"

/*
 * Pure functions of the seed. Core types share ids and counters; a few factors differ by type.
 * 0x02 and 0x8c stay cycles and instructions, because PMC0 and PMC1 are fixed to them.
 */

/** What an id is; its `k` stays 0. */
struct sim_answer sim_hidden_id(uint64_t seed, uint64_t id);

/** How often an id counts per trigger of a kernel; 0: it does not respond. */
double sim_hidden_k(uint64_t seed, enum sim_type type, uint64_t id, const char *kernel);

/** What a run of a kernel does to an id. */
struct sim_effect sim_hidden_effect(uint64_t seed, enum sim_type type, uint64_t id,
				    const char *kernel);

/** The event whose habits an id has on the live screen. @return NULL: it never happens */
const struct sim_event *sim_hidden_event(uint64_t seed, uint64_t id);

#endif
