/* play.h: a piece of work that a simulated core does in the stead of real machine code */
#ifndef PMU_PLAY_H
#define PMU_PLAY_H

#include <stdbool.h>
#include <stdint.h>

struct play {
	const char *kernel; /* its name: what of a core it stirs is drawn from it */
	bool is_trigger;    /* else the control */
	uint64_t n;         /* triggers */
};

#endif
