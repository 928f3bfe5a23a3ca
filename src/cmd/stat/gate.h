/* gate.h: between enable and disable: which frames are for the reader of stat */
#ifndef CMD_STAT_GATE_H
#define CMD_STAT_GATE_H

#include "sampler/sampler.h"

/* The counters run on while the gate is shut; what they count then is passed over. So opening it
 * can never fail, and the windows end where the gate turns. */
struct gate {
	bool is_open;
	bool is_turning;    /* it has been told to, and a core may not have read its counters yet */
	uint64_t turned_ns; /* when it was told */
	uint64_t n_passed_over; /* frames since it was shut */
};

/** Open or shut it: ends the windows of all cores now. */
void gate_turn(struct gate *gate, struct sampler *sampler, bool open);

/** Is this frame for the reader? To be asked of every frame once, in their order. */
bool gate_passes(struct gate *gate, const struct frame *frame);

/** Is some core still to read its counters since the gate was told to turn? */
bool gate_is_turning(const struct gate *gate, const struct sampler *sampler);

#endif
