/* mux_rig.h: a sampler over the simulation, with multiplexed sets */
#ifndef TESTS_MUX_RIG_H
#define TESTS_MUX_RIG_H

#include "rig/sim_control.h"
#include "rig/sampler_rig.h"

enum { PRESETS = 6 };

/** Join the first n of PRESETS presets to one multiplexed set. */
struct set make_mux(const struct rig *rig, unsigned n);

/** Make a rig with n presets and start it. */
void rig_mux(struct rig *rig, const char *options, uint64_t interval_ns, unsigned n);

/** Load n presets into the running sampler. */
void load_mux(struct rig *rig, unsigned n);

/** Check the cycles of all mux groups together against the truth, less the gaps between them. */
void check_cycles(const struct rig *rig, const struct frame *frame, unsigned core);

#endif
