/* kernel_runs.c: runs every kernel a few times and says what each run should have executed, and on which memory;
 * arm64, under qemu-user, which writes down what was: tests/e2e/kernels_a64.py compares */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "discover/kernel/workspace.h"

/** Call a kernel with every register set that it must keep. @return 0: it kept them */
uint64_t kernel_call(kernel_fn *kernel, uint64_t n, void *memory);

enum { LENGTHS = 4 };

static const uint64_t units[LENGTHS] = { 0, 1, 17, 100 };

/** The longest run that is rare to do what it does is long enough that it does it twice. */
static uint64_t units_of(const struct kernel *kernel, unsigned i)
{
	return kernel->workspace == &workspace_rare && i == LENGTHS - 1 ? 2 * WORKSPACE_RARE
									: units[i];
}

/** How much of what a run walks it decides by. */
static uint64_t n_bytes(const struct workspace *workspace, uint64_t n)
{
	if (workspace->kind == &workspace_buffer)
		return (uint64_t)((uint8_t *)workspace->view.third -
				  (uint8_t *)workspace->view.trigger) +
		       8;
	return workspace->kind == &workspace_random || workspace->kind == &workspace_rare ? n : 0;
}

static void print_memory(const struct workspace *workspace, bool is_trigger, uint64_t n)
{
	const struct workspace_view *view = &workspace->view;
	const struct geometry *geometry = &workspace->geometry;
	const uint8_t *bytes = is_trigger ? view->trigger : view->control;

	printf(" %" PRIuPTR " %" PRIuPTR " %" PRIuPTR " %zu %zu %zu =", (uintptr_t)view->trigger,
	       (uintptr_t)view->control, (uintptr_t)view->third, geometry->page, geometry->line,
	       geometry->size[workspace->kind->ring.cache]);
	for (uint64_t i = 0; i < n_bytes(workspace, n); i++)
		printf("%02x", bytes[i]);
}

static void run(const struct kernel *kernel, struct workspace *workspace, bool is_trigger,
		uint64_t n)
{
	struct kernel_counts truth = kernel_truth_of(kernel, n);
	uint64_t changed;

	printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, kernel->name,
	       is_trigger ? "trigger" : "control", n, truth.instructions, truth.branches,
	       truth.loads, truth.stores);
	workspace_prepare(workspace, n);
	print_memory(workspace, is_trigger, n);
	changed = kernel_call(is_trigger ? kernel->trigger : kernel->control, n,
			      workspace_memory(workspace));
	printf(" %d\n", changed == 0);
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
		for (unsigned i = 0; i < LENGTHS; i++) {
			run(kernel, workspace, true, units_of(kernel, i));
			run(kernel, workspace, false, units_of(kernel, i));
		}
		workspace_free(workspace);
	}
	return 0;
}
