/* sample.h: one core at one moment, raw; what core threads put into their rings; no pointers */
#ifndef MACHINE_SAMPLE_H
#define MACHINE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/switch.h"

enum raw_state {
	RAW_EMPTY,       /* no event in this slot on this core */
	RAW_OK,          /* value, enabled and running hold */
	RAW_UNSUPPORTED, /* the event cannot be counted here */
	RAW_LOST,        /* the value cannot be trusted: failed read, foreign write, lost state */
	RAW_RESTARTED,   /* what it counted before is lost; from this value on it counts again */
};

/** Cumulative since the slot was enabled; through perf the running time may stand still. */
struct raw {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

enum sample_kind {
	SAMPLE_TICK,     /* ends a window and begins the next */
	SAMPLE_BASELINE, /* begins a window: first read of a set; no delta ends here */
	SAMPLE_MUX,      /* begins another mux group's part of the window */
	SAMPLE_OFF,      /* the core is offline: no values */
};

struct sample {
	uint64_t t_ns;             /* CLOCK_MONOTONIC (or the backend's clock) of the read */
	uint64_t tick;             /* of the plan, 0 = the plan's start */
	uint32_t plan;             /* number of the plan that it was taken under */
	uint32_t set;              /* number of the set that was read */
	uint8_t kind;              /* enum sample_kind */
	uint8_t n_slots;           /* those behind are empty on this core */
	uint8_t first;             /* the column of slot 0: of the mux group that was read */
	uint8_t state[SLOTS_MAX];  /* enum raw_state */
	uint32_t late_ns;          /* wake-up after the deadline; UINT32_MAX: longer than 4.29 s */
	uint32_t wakeups;          /* of the core's thread since it began */
	uint32_t epoch;            /* of counting without a stop: a delta lies in one */
	uint64_t cpu_ns;           /* CPU time of the core's thread since it began */
	struct switch_point at;    /* whose work this ends; of a set that wants tasks */
	uint64_t attributable;     /* slots, as bits, that switches have values of */
	struct raw raw[SLOTS_MAX]; /* the last ones may be left out: see sample_size */
};

/** Slots up to the last that is not empty. @state  enum raw_state, by slot */
static inline unsigned sample_n_slots(const uint8_t *state, unsigned n_slots)
{
	while (n_slots && state[n_slots - 1] == RAW_EMPTY)
		n_slots--;
	return n_slots;
}

/** Bytes of a sample with so many slots: what to copy of it, and room for as many. */
static inline size_t sample_size(unsigned n_slots)
{
	return offsetof(struct sample, raw) + n_slots * sizeof(struct raw);
}

#endif
