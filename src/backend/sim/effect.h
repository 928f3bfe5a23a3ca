/* effect.h: what a run of a kernel does to one event */
#ifndef BACKEND_SIM_EFFECT_H
#define BACKEND_SIM_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

/** In counts; all 0: the event does not happen. */
struct sim_effect {
	double once;        /* in each run, however short */
	double per_unit;    /* by trigger and control alike */
	double per_trigger; /* by the trigger alone */
	double surplus;     /* speculation: up to this share of per_trigger comes on top */
	double spread;      /* a run differs from the next by up to this share, either way */
	double jitter;      /* up to so many more */
	double interrupted; /* an interrupt adds up to so many */
	uint64_t noise_of;  /* id: events with the same have the same noise in a run */
	bool is_time;       /* it goes on while the work is held up */
};

/** What a run of a kernel does to an id of an M1, as far as it was measured. A kernel that is not
 * known has no trigger. */
struct sim_effect sim_known_effect(uint64_t id, const char *kernel);

#endif
