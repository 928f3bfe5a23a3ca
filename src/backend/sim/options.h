/* options.h: what can be said behind "sim:", such as "cores=128,seed=7,offline=3@5-9" */
#ifndef BACKEND_SIM_OPTIONS_H
#define BACKEND_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "backend/sim/fault.h"

struct sim_options {
	unsigned cores; /* half E, half P */
	unsigned smt,
		sockets; /* threads of a physical core; sockets, each with cores of both types */
	unsigned smmus;  /* SMMUv3 performance counter groups */
	uint64_t seed;
	bool virtual_clock;
	uint64_t
		halt_after; /* virtual clock: ticks after the last change of plan; 0: never halts */
	bool hidden;        /* ids mean what the seed says: see hidden.h */
	bool wrap_near;     /* counters begin where they wrap within seconds */
	unsigned tasks;     /* see schedule.h; 0: none */
	uint64_t short_tasks;
	unsigned records; /* switches of a core that are recorded until somebody takes them */
	struct sim_faults faults;
};

/**
 * Read key=value pairs, and words, with commas between; a key may come again. A fault is
 * CORE[.COUNTER][:TIME][@FROM-TO], several joined by "+"; FROM and TO in seconds.
 *
 * @text  NULL or "": all as the table in options.c says
 * @ret   `{ 0 }` on entry
 * @return 0; -EINVAL for a key that is not known, naming those that are, or for a value,
 *         showing its form
 */
int sim_options_parse(const char *text, struct sim_options *ret, struct err *err);

#endif
