/* perf_model.h: the perf backend on the model of a kernel, with a machine made of files */
#ifndef TESTS_PERF_MODEL_H
#define TESTS_PERF_MODEL_H

#include "rig/sysfs_trees.h"
#include "rig/fake_perf.h"
#include "rig/perf_help.h"

static char root[64]; /* of the machine that is set up */

/** The perf backend on a machine of these files and the model of a kernel. */
static inline int setup_model(void **state, const struct fake_file *files)
{
	fake_reset();
	fake_root(root, sizeof(root), files);
	*state = perf_backend(root);
	fake.n_opens = 0;
	return 0;
}

/** Nothing stays open, and no attribute ever was one that m1top must not use. */
static inline int teardown_model(void **state)
{
	backend_close(*state);
	fake_root_remove(root);
	return fake.n_live || fake.broke_a_rule;
}

#endif
