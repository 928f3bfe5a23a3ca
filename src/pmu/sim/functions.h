/* functions.h: functions of simulated programs: their shares of every event, names and addresses */
#ifndef PMU_SIM_FUNCTIONS_H
#define PMU_SIM_FUNCTIONS_H

#include <stdint.h>

#include "symbols/symbols.h"

/**
 * Every program has the same n functions and each event the same shares in all of them: of five 50, 30, 15, 4 and
 * 1 %, of another number n, n - 1, … 1 parts. The last one is the kernel's "copy_page". Idle time is in the kernel's
 * "cpu_idle", function n. Of ten samples six are called by compress_file, three by restore_file, which calls itself, both
 * of main; one has no callers. All functions below are pure: any thread.
 */
enum { SIM_FUNCTIONS = 5, SIM_FUNCTIONS_MAX = 4096, SIM_CALLERS = 3 };

/** Choose a function by its share. @drawn  uniform over 64 bits */
unsigned sim_function_draw(uint64_t drawn, unsigned n);

/** Find the function that runs at t_ns if they take turns, each for its share of a period. */
unsigned sim_function_turn(uint64_t t_ns, uint64_t period_ns, unsigned n);

/** A function's code with the texts that it points to. */
struct sim_function {
	struct code_map map;
	char path[40], symbol[24];
};

/** Get the addresses of a sample's callers, the nearest first. @drawn  uniform over 64 bits  @return number of them */
unsigned sim_function_callers(uint64_t drawn, unsigned n, uint64_t ret[SIM_CALLERS]);

/** Describe function i, 0 … n, or a caller, up to n + SIM_CALLERS, in a process. @comm  name of its program  @ret  not to be moved */
void sim_function_of(unsigned i, unsigned n, uint32_t pid, const char *comm,
		     struct sim_function *ret);

#endif
