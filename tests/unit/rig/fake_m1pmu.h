/* fake_m1pmu.h: a model of /dev/m1pmu and of an M1's counters, for machines that have neither */
#ifndef TESTS_FAKE_M1PMU_H
#define TESTS_FAKE_M1PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/apple/apple.h"

enum { FAKE_CPUS = 8 };

struct fake_core {
	bool is_offline;
	struct m1pmu_control now, written;
	struct m1pmu_program program;
	uint64_t pmc[M1PMU_N_COUNTERS];
};

/** Behaviour of the model, and record of what was done to it. */
struct fake_m1pmu {
	int open_result; /* -errno of open; 0: it opens */
	uint32_t abi;
	uint32_t flags; /* of M1PMU_INFO */
	int owner_pid;
	int acquire_result;
	int program_result;
	int read_result;
	const char *family;
	uint32_t first_part; /* of the E cores; P cores have the next */
	uint8_t width, event_bits;
	uint32_t cpu_flags;
	int cpu;        /* that the thread is on */
	int moves_to;   /* while it reads at EL0, -1: it stays */
	bool is_closed; /* to EL0: MRS traps */
	uint64_t now_ns;
	struct fake_core core[FAKE_CPUS];
	struct m1pmu_gen gen[FAKE_CPUS];
	unsigned n_open, n_maps, n_requests, n_programs;
	uint32_t el0, l2c; /* as they were set last */
	bool is_owner, has_sigill;
};

extern struct fake_m1pmu fake_m1;
extern const struct apple_io fake_m1_io;

/** Reset the model to an M1 that nobody uses. */
void fake_m1_reset(void);

/** Let a CPU work: each enabled counter i gains (i + 1) × n, and time passes. */
void fake_m1_work(unsigned cpu, uint64_t n);

#endif
