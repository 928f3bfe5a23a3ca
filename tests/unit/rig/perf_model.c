/* perf_model.c: the perf backend on the model of a kernel, with a machine made of files */
#include "rig/perf_model.h"

char model_root[64]; /* of the machine that is set up */

int setup_model(void **state, const struct fake_file *files)
{
	fake_reset();
	fake_root(model_root, sizeof(model_root), files);
	*state = perf_backend(model_root);
	fake_perf.n_opens = 0;
	return 0;
}

int teardown_model(void **state)
{
	backend_close(*state);
	fake_root_remove(model_root);
	return fake_perf.n_live || fake_perf.broke_a_rule;
}
