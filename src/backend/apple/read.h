/* read.h: one read of a core's registers, by the module or by MRS */
#ifndef BACKEND_APPLE_READ_H
#define BACKEND_APPLE_READ_H

#include "backend/apple/apple.h"

/** What one read found. */
struct apple_reading {
	unsigned cpu; /* that it was taken on: another than asked for when the thread was moved */
	uint32_t losses;        /* see apple_losses */
	bool is_changed;        /* the values are not what was programmed has counted */
	enum apple_fault fault; /* why, where the user should know; 0 */
	uint64_t t_ns;
	uint64_t pmc[M1PMU_N_COUNTERS];
};

/**
 * How often a CPU's registers were taken away other than by idle, which puts the counters back
 * exactly. Values from before and after another number of losses have nothing to do with each
 * other.
 */
uint32_t apple_losses(const struct apple *apple, unsigned cpu);

/**
 * Read the counters of the CPU that this thread runs on. That CPU's thread.
 *
 * @cpu     the CPU that it should be
 * @return  0; -ENODEV the CPU is going off; other -errno
 */
int apple_read(const struct apple *apple, unsigned cpu, struct apple_reading *ret);

/** Read its control registers back. @return false when that is not possible now */
bool apple_controls(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret);

#endif
