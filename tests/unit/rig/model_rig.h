/* model_rig.h: the model of a screen on a simulated machine, without the screen */
#ifndef MODEL_RIG_H
#define MODEL_RIG_H

#include "rig/mux_rig.h"

#include "base/clock.h"
#include "tui/model/model.h"

#define INTERVAL_NS (100 * NS_PER_MS)

/** A model and its sampler. */
struct screen {
	struct rig rig;
	struct model model;
};

/** Step the sampler until the model has n_frames more, then update its rows. */
void screen_look(struct screen *screen, unsigned n_frames);

/**
 * Start a model.
 *
 * @options  of the simulation
 * @n_mux    number of multiplexed presets; 1: the default set
 */
void screen_begin(struct screen *screen, const char *options, unsigned n_mux);

/** Free a model and its sampler. */
void screen_end(struct screen *screen);

#endif
