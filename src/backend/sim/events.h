/* events.h: every event id of a simulated M1 core: which counters take it, how often it happens */
#ifndef BACKEND_SIM_EVENTS_H
#define BACKEND_SIM_EVENTS_H

#include <stdint.h>

/** Kinds of code that a core can be running; the columns of the event table. */
enum sim_code {
	CODE_INTEGER, /* tight integer loops, all in cache */
	CODE_CHASE,   /* pointer chasing through more memory than the caches hold */
	CODE_STREAM,  /* long vector copies: bandwidth */
	CODE_BRANCHY, /* interpreters, parsers: hard branches, much code */
	CODE_SIMD,    /* codecs, matrices in cache */
	CODE_KERNEL,  /* system calls, interrupts, the scheduler */
	N_CODES,
};

/** What a rate is a share of. */
enum sim_base {
	PER_CYCLE, /* of active cycles */
	PER_INST,  /* of retired instructions: the mix of the code, the same wherever it runs */
	PER_MISS,  /* of retired instructions, varying with phase and core type as misses do */
};

struct sim_event {
	uint8_t id;
	uint16_t counters; /* bit n: PMCn can count it */
	enum sim_base base;
	uint32_t ppm[N_CODES]; /* per million of the base */
};

enum {
	SIM_ID_CYCLES = 0x02,
	SIM_ID_INSTRUCTIONS = 0x8c,
	SIM_COUNTERS_ANY = 0x3fc, /* what an id that is not in the table may use: PMC2-9 */
};

/** Sorted by id. */
extern const struct sim_event sim_events[];
extern const unsigned n_sim_events;

/** The row of an id. @return NULL for one that is not known: it never happens */
const struct sim_event *sim_event_find(uint64_t id);

/** The counters that can be set to an id, known or not, as bits. */
uint16_t sim_event_counters(uint64_t id);

#endif
