#include "cmd/stat/gate.h"

#include "base/clock.h"

/* The closing frame comes within milliseconds, unless a core is held up. A window of no length has none. */
#define TURN_MAX_NS NS_PER_S

void gate_turn(struct gate *gate, struct sampler *sampler, bool open)
{
	gate->turned_ns = sampler_now_ns(sampler);
	gate->is_turning = true;
	gate->is_open = open;
	sampler_cut(sampler);
}

/* In the middle of its windows: the cores read one after the other. */
static uint64_t middle_ns(const struct frame *frame)
{
	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (frame->core[core].window_ns)
			return frame->core[core].t_ns - frame->core[core].window_ns / 2;
	}
	return frame->t_ns;
}

bool gate_passes(struct gate *gate, const struct frame *frame)
{
	bool is_after = middle_ns(frame) >= gate->turned_ns;
	bool passes = is_after ? gate->is_open : !gate->is_open;

	/* the window that the turn has ended: it is the last of those before */
	if (gate->is_turning && frame->t_ns >= gate->turned_ns)
		gate->is_turning = false;
	gate->n_passed_over += !passes;
	return passes;
}

bool gate_is_turning(const struct gate *gate, const struct sampler *sampler)
{
	return gate->is_turning && sampler_now_ns(sampler) < gate->turned_ns + TURN_MAX_NS;
}
