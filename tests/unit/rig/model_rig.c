/* model_rig.c: the model of a screen on a simulated machine, without the screen */
#include "rig/model_rig.h"

void screen_look(struct screen *screen, unsigned n_frames)
{
	while (n_frames) {
		const struct frame *frame;

		assert_int_equal(sampler_step(screen->rig.sampler), 0);
		for (; (frame = queue_pop(screen->rig.queue, NULL)); n_frames--)
			model_feed(&screen->model, frame);
	}
	rows_follow(&screen->model);
}

void screen_begin(struct screen *screen, const char *options, unsigned n_mux)
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

void screen_end(struct screen *screen)
{
	model_fini(&screen->model);
	rig_down(&screen->rig);
}
