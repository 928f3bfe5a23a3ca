/* tasks_truth.h: a frame's tasks against the schedule of the simulation */
#ifndef TESTS_TASKS_TRUTH_H
#define TESTS_TASKS_TRUTH_H

#include <stdlib.h>

#include "rig/sim_control.h"
#include "rig/tasks_check.h"
#include "sampler/threads/internal.h"

/**
 * Check that each task of a frame has exactly the counts of the schedule. A multiplexed set must not have
 * changed since the frame.
 *
 * @return tasks compared
 */
size_t check_truth(const struct sampler *sampler, const struct frame *frame);

#endif
