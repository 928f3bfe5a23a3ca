/* table.c: the kernels, one row each. Rows of the same code differ in the memory that it walks.
 *
 * A new one: its code in kernels_x86_64.S and kernels_aarch64.S (or in one of them), DECLARE and a row
 * here, and a line in tests/unit/discover/kernel/test_kernels_step.c and tests/e2e/kernels_a64.py of what its trigger is. */
#include "discover/kernel/kernel.h"

#include <string.h>

#include "discover/kernel/workspace.h"

/* Which architecture has the code of a row: in its file are kernel_CODE_trigger, kernel_CODE_control
 * and kernel_CODE_truth. */
#define CODE(code)                                                              \
	.trigger = kernel_##code##_trigger, .control = kernel_##code##_control, \
	.truth = &kernel_##code##_truth
#define NO_CODE(code) .trigger = NULL, .control = NULL, .truth = NULL

#if defined(__x86_64__)
#define BOTH     CODE
#define A64_ONLY NO_CODE
#elif defined(__aarch64__)
#define BOTH     CODE
#define A64_ONLY CODE
#else
#define BOTH     NO_CODE
#define A64_ONLY NO_CODE
#endif

#define DECLARE(code)                                                      \
	extern kernel_fn kernel_##code##_trigger, kernel_##code##_control; \
	extern const struct kernel_truth kernel_##code##_truth

DECLARE(nop);
DECLARE(add);
DECLARE(mul);
DECLARE(div);
DECLARE(load);
DECLARE(store);
DECLARE(load_pair);
DECLARE(load_at);
DECLARE(atomic_success);
DECLARE(atomic_failure);
DECLARE(exclusive_pair);
DECLARE(branch_predicted);
DECLARE(branch_taken);
DECLARE(branch_not_taken);
DECLARE(branch_random);
DECLARE(branch_indirect);
DECLARE(branch_indirect_random);
DECLARE(call_return);
DECLARE(barrier);
DECLARE(fp_add);
DECLARE(simd_add);
DECLARE(fma);
DECLARE(chase);
DECLARE(path);
DECLARE(ordering);
DECLARE(rewrite);
DECLARE(system_call);
DECLARE(page_fault);
extern kernel_fn kernel_context_switch_trigger, kernel_context_switch_control; /* in C */

enum { MANY = 1000000, SLOW = 100000 };

const struct kernel kernel_table[] = {
	{ .name = "nop",
	  .what = "an instruction that does nothing; the control lacks it",
	  BOTH(nop),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "add", .what = "an integer addition", BOTH(add), .triggers = 1, .n_max = MANY },
	{ .name = "mul",
	  .what = "an integer multiplication",
	  BOTH(mul),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "div", .what = "an integer division", BOTH(div), .triggers = 1, .n_max = SLOW },
	{ .name = "load",
	  .what = "a load that hits the first-level cache",
	  BOTH(load),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_buffer },
	{ .name = "store",
	  .what = "a store that hits the first-level cache",
	  BOTH(store),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_buffer },
	{ .name = "load-pair",
	  .what = "a load of two registers",
	  A64_ONLY(load_pair),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_buffer },
	{ .name = "atomic-success",
	  .what = "a compare and swap that swaps",
	  BOTH(atomic_success),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_buffer,
	  .need = NEED_ATOMICS },
	{ .name = "atomic-failure",
	  .what = "a compare and swap that finds another value",
	  BOTH(atomic_failure),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_buffer,
	  .need = NEED_ATOMICS },
	{ .name = "exclusive-pair",
	  .what = "an exclusive load and store",
	  A64_ONLY(exclusive_pair),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_buffer },
	{ .name = "branch-predicted",
	  .what = "a conditional branch, always taken",
	  BOTH(branch_predicted),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "branch-taken",
	  .what = "a conditional branch that is taken; the control's is not",
	  BOTH(branch_taken),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "branch-not-taken",
	  .what = "a conditional branch, never taken",
	  BOTH(branch_not_taken),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "branch-random",
	  .what = "a mispredicted conditional branch: every other one, on random bits",
	  BOTH(branch_random),
	  .triggers = 0.5,
	  .n_max = SLOW,
	  .workspace = &workspace_random },
	{ .name = "branch-indirect",
	  .what = "an indirect branch, always to the same target",
	  BOTH(branch_indirect),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "branch-indirect-random",
	  .what = "a mispredicted indirect branch: seven of eight, on random targets",
	  BOTH(branch_indirect_random),
	  .triggers = 0.875,
	  .n_max = SLOW,
	  .workspace = &workspace_random },
	{ .name = "call-return",
	  .what = "a call and its return",
	  BOTH(call_return),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "barrier",
	  .what = "a memory barrier",
	  BOTH(barrier),
	  .triggers = 1,
	  .n_max = SLOW },
	{ .name = "fp-add",
	  .what = "a floating-point addition",
	  BOTH(fp_add),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "simd-add",
	  .what = "an addition of integer vectors",
	  BOTH(simd_add),
	  .triggers = 1,
	  .n_max = MANY },
	{ .name = "fma",
	  .what = "a fused multiply and add",
	  BOTH(fma),
	  .triggers = 1,
	  .n_max = MANY,
	  .need = NEED_FMA },
	{ .name = "l1d-miss",
	  .what = "a load that misses the first-level data cache and hits the second",
	  BOTH(chase),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_l1d },
	{ .name = "l2-miss",
	  .what = "a load that misses the second-level cache",
	  BOTH(chase),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_l2 },
	{ .name = "dtlb-miss",
	  .what = "a load that misses the first-level data TLB and hits the cache",
	  BOTH(chase),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_dtlb },
	{ .name = "l1i-miss",
	  .what = "a jump to a line that misses the first-level instruction cache",
	  BOTH(path),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_l1i },
	{ .name = "itlb-miss",
	  .what = "a jump to a page that misses the first-level instruction TLB",
	  BOTH(path),
	  .triggers = 1,
	  .n_max = SLOW,
	  .workspace = &workspace_itlb },
	{ .name = "unaligned",
	  .what = "an unaligned load within a line",
	  BOTH(load_at),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_unaligned },
	{ .name = "line-crossing",
	  .what = "a load that crosses into the next line",
	  BOTH(load_at),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_line_crossing },
	{ .name = "page-crossing",
	  .what = "a load that crosses into the next page",
	  BOTH(load_at),
	  .triggers = 1,
	  .n_max = MANY,
	  .workspace = &workspace_page_crossing },
	/* A processor soon holds back a load that it has seen overtake: only rarely is it tempted. Here
	 * (Zen 5) one of 512 costs 18 ns each, one of 64 hardly any. */
	{ .name = "ordering-violation",
	  .what = "a load that may overtake a store to the same word: one of 512",
	  BOTH(ordering),
	  .triggers = 1.0 / WORKSPACE_RARE,
	  .n_max = SLOW,
	  .workspace = &workspace_rare },
	{ .name = "self-modifying",
	  .what = "a store to an instruction that is then executed",
	  BOTH(rewrite),
	  .triggers = 1,
	  .n_max = 10000,
	  .workspace = &workspace_rewrite },
	{ .name = "system-call",
	  .what = "a system call (getppid)",
	  BOTH(system_call),
	  .triggers = 1,
	  .n_max = 10000,
	  .enters_system = true },
	{ .name = "page-fault",
	  .what = "a store to a page that is not mapped yet",
	  BOTH(page_fault),
	  .triggers = 1,
	  .n_max = WORKSPACE_FRESH_PAGES,
	  .workspace = &workspace_fresh_pages,
	  .software = "page-faults",
	  .enters_system = true },
	{ .name = "context-switch",
	  .what = "a switch to another thread of the same CPU, or back: two per answer",
	  /* A run ends in the thread that it began in, so that a CPU's switches come in pairs. */
	  .trigger = kernel_context_switch_trigger,
	  .control = kernel_context_switch_control,
	  .triggers = 2,
	  .n_max = 1000,
	  .workspace = &workspace_partner,
	  .software = "context-switches",
	  .enters_system = true },
	{ .name = NULL },
};

const struct kernel *kernel_find(const char *name)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (strcmp(kernel->name, name) == 0)
			return kernel;
	return NULL;
}
