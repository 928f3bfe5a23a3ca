/* tasks_rig.h: frames of the simulation whose counts are divided among tasks made by hand */
#ifndef TASKS_RIG_H
#define TASKS_RIG_H

#include <string.h>

#include "rig/sampler_rig.h"
#include "sampler/task_rows.h"

/** Give a frame n tasks on each core, instead of those it has. Another seed gives other figures. */
void give_tasks(const struct frame *frame, unsigned n, unsigned seed);

#endif
