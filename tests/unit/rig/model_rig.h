/* model_rig.h: the model of a screen on a simulated machine, without the screen */
#ifndef MODEL_RIG_H
#define MODEL_RIG_H

#include "rig/mux_rig.h"

#include "base/clock.h"
#include "tui/model/model.h"

#define INTERVAL_NS (100 * NS_PER_MS)

struct screen {
	struct rig rig;
	struct model model;
};

static inline void look(struct screen *screen, unsigned n_frames)
{
	while (n_frames) {
		const struct frame *frame;

		assert_int_equal(sampler_step(screen->rig.sampler), 0);
		for (; (frame = queue_pop(screen->rig.queue, NULL)); n_frames--)
			model_feed(&screen->model, frame);
	}
	rows_follow(&screen->model);
}

/* @n_mux  presets that are multiplexed; 1: the usual set */
static inline void begin(struct screen *screen, const char *options, unsigned n_mux)
{
	if (n_mux > 1)
		rig_mux(&screen->rig, options, INTERVAL_NS, n_mux);
	else
		rig_up(&screen->rig, options, INTERVAL_NS);
	assert_int_equal(model_init(&screen->model, &screen->rig.backend->machine,
				    &screen->rig.metrics, sampler_set(screen->rig.sampler), BY_CORE,
				    8 << 20),
			 0);
}

static inline void end(struct screen *screen)
{
	model_fini(&screen->model);
	rig_down(&screen->rig);
}

#endif
