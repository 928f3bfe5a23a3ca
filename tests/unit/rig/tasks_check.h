/* tasks_check.h: a frame's tasks against its counts */
#ifndef TESTS_TASKS_CHECK_H
#define TESTS_TASKS_CHECK_H

#include "rig/harness.h"
#include "sampler/frame.h"

/** Sum a column over the tasks of one kind. */
uint64_t tasks_of_kind(const struct frame *frame, enum task_kind kind, unsigned column);

/** Check that the tasks of each core add up to its counts. @return columns compared */
unsigned check_conservation(const struct frame *frame);

#endif
