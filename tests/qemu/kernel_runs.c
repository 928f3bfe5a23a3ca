/* kernel_runs.c: runs every kernel a few times and says what each run should have executed; arm64, under
 * qemu-user, which writes down what was: tests/kernels_a64.py compares */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "discover/kernel.h"

/** Call a kernel with every register set that it must keep. @return 0: it kept them */
uint64_t kernel_call(kernel_fn *kernel, uint64_t n, void *memory);

static const uint64_t units[] = { 0, 1, 17, 100 };

static void run(const struct kernel *kernel, struct workspace *workspace, bool is_trigger, uint64_t n)
{
	struct kernel_counts truth = kernel_truth_of(kernel, n);
	uint64_t changed;

	workspace_prepare(workspace, n);
	changed =
		kernel_call(is_trigger ? kernel->trigger : kernel->control, n, workspace_memory(workspace));
	printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n",
	       kernel->name, is_trigger ? "trigger" : "control", n, truth.instructions,
	       truth.branches, truth.loads, truth.stores, changed == 0);
}

int main(void)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++) {
		struct workspace *workspace;
		struct err err;

		if (!kernel->truth || !kernel_runs_here(kernel)) {
			printf("# %s: left out\n", kernel->name);
			continue;
		}
		if (workspace_new(kernel, 0, &workspace, &err) != 0) {
			fprintf(stderr, "%s: %s\n", kernel->name, err.text);
			return EXIT_FAILURE;
		}
		for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
			run(kernel, workspace, true, units[i]);
			run(kernel, workspace, false, units[i]);
		}
		workspace_free(workspace);
	}
	return 0;
}
