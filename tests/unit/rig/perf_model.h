/* perf_model.h: the perf backend on the model of a kernel, with a machine made of files */
#ifndef TESTS_PERF_MODEL_H
#define TESTS_PERF_MODEL_H

#include "rig/sysfs_trees.h"
#include "rig/fake_perf.h"
#include "rig/perf_help.h"

/** Folder of the machine that is set up. */
extern char model_root[64];

/** Open the perf backend on a machine of these files and the model of a kernel. */
int setup_model(void **state, const struct fake_file *files);

/** Close the backend. @return 0; else a descriptor is open or a forbidden attribute was used */
int teardown_model(void **state);

#endif
