/* metrics_rig.h: a machine whose catalogue has a few metrics, and a set that counts their events */
#ifndef TESTS_METRICS_RIG_H
#define TESTS_METRICS_RIG_H

#include "rig/harness.h"

#include "metrics/metrics.h"

/** Event of cycles. */
extern const struct event metrics_rig_cycles;

/** Event of instructions. */
extern const struct event metrics_rig_instructions;

/** Set that counts both. */
extern struct set metrics_rig_set;

/** Make the metrics of the machine. @state  struct metrics */
int metrics_rig_make(void **state);

/** Free the metrics. */
int metrics_rig_unmake(void **state);

#endif
