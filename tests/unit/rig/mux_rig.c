/* mux_rig.c: a sampler over the simulation, with multiplexed sets */
#include "rig/mux_rig.h"

/* All of them have cycles and instructions. */
static const char *const mux_preset[PRESETS] = { "overview", "l1d",  "stall",
						 "branch",   "dtlb", "mix-ld" };

struct set make_mux(const struct rig *rig, unsigned n)
{
	struct set mux[PRESETS], joined;
	struct err err = { "" };

	for (unsigned i = 0; i < n; i++)
		must(set_preset(rig->events, mux_preset[i], PRIVILEGE_BOTH, &mux[i], &err), &err);
	must(set_join(mux, n, &joined, &err), &err);
	return joined;
}

void rig_mux(struct rig *rig, const char *options, uint64_t interval_ns, unsigned n)
{
	rig_make(rig, options, interval_ns);
	rig->first = make_mux(rig, n);
	rig_start(rig);
}

void load_mux(struct rig *rig, unsigned n)
{
	struct set set = make_mux(rig, n);
	struct err err = { "" };

	must(sampler_load(rig->sampler, &set, &err), &err);
}

void check_cycles(const struct rig *rig, const struct frame *frame, unsigned core)
{
	const struct frame_core *fc = &frame->core[core];
	uint64_t to = rig->sampler->start_ns + fc->t_ns, from = to - fc->window_ns;
	uint64_t sum = 0, ran_ns = 0, truth;

	for (unsigned t = 0; t < set_n_mux(frame->set); t++) {
		const struct count *count = &frame_counts(frame, core)[frame->set->first[t]];

		assert_true(count->enabled_ns >= fc->window_ns);
		sum += count->value;
		ran_ns += count->running_ns;
	}
	for (unsigned i = 0; i < frame->n_slots; i++)
		assert_true(frame_counts(frame, core)[i].quality != QUALITY_LOST);
	truth = sim_truth(rig->backend, core, 0x02, PRIVILEGE_BOTH, from, to);
	assert_true(ran_ns <= fc->window_ns);
	assert_true(sum <= truth);
	assert_true(sum + 4 * (fc->window_ns - ran_ns) + 4 >= truth); /* below 4 GHz */
}
