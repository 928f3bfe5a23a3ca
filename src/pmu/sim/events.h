/* events.h: event ids of a simulated M1 core, with their legal counters and rates */
#ifndef PMU_SIM_EVENTS_H
#define PMU_SIM_EVENTS_H

#include <stdint.h>

/** Kinds of code that a core can run; the columns of the event table. */
enum sim_code {
	CODE_INTEGER, /* tight integer loops, all in cache */
	CODE_CHASE,   /* pointer chasing through more memory than the caches hold */
	CODE_STREAM,  /* long vector copies: bandwidth */
	CODE_BRANCHY, /* interpreters, parsers: unpredictable branches, large code */
	CODE_SIMD,    /* codecs, matrices in cache */
	CODE_KERNEL,  /* system calls, interrupts, the scheduler */
	N_CODES,
};

/** Denominator of a rate. */
enum sim_base {
	PER_CYCLE, /* active cycles */
	PER_INST,  /* retired instructions; the rate depends on the code only */
	PER_MISS, /* retired instructions; the rate varies with phase and core type, as misses do */
};

struct sim_event {
	uint8_t id;
	uint16_t counters; /* bit n: PMCn can count it */
	enum sim_base base;
	uint32_t ppm[N_CODES]; /* events per million of the base */
};

enum {
	SIM_COUNTERS = 10, /* PMC0: cycles, PMC1: instructions, the others any event */
	SIM_WIDTH = 48,    /* bits of a counter */
	SIM_ID_CYCLES = 0x02,
	SIM_ID_INSTRUCTIONS = 0x8c,
	SIM_COUNTERS_ANY = 0x3fc, /* PMC2-9: legal for ids that are not in the table */
};

/** Sorted by id. */
extern const struct sim_event sim_events[];
extern const unsigned n_sim_events;

/** Find the row of an id. @return NULL if the id is unknown: it never counts */
const struct sim_event *sim_event_find(uint64_t id);

/** Return the legal counters of an id, known or not, as bits. */
uint16_t sim_event_counters(uint64_t id);

#endif
