/* table.c: table of kernels. Rows with the same code differ in the memory that they use.
 *
 * A new kernel needs code in x86_64.S and aarch64.S (or one of them), DECLARE and a
 * row here, and its trigger in tests/unit/discover/kernel/test_kernels_step.c and
 * tests/e2e/kernels_a64.py. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "discover/kernel.h"
#include "discover/kernel/workspace.h"

/* The kernel context-switch, whose work is done by the operating system. */

/** Write a byte to one descriptor and read one from the other, n times. */
static void exchange(uint64_t n, int out, int in)
{
	char byte = 0;

	for (uint64_t i = 0; i < n; i++) {
		while (write(out, &byte, 1) < 0 && errno == EINTR)
			;
		while (read(in, &byte, 1) < 0 && errno == EINTR)
			;
	}
}

/* Let another thread of this CPU answer: it runs, then this one again. */
static void kernel_context_switch_trigger(uint64_t n, void *memory)
{
	const struct workspace_view *view = memory;
	const struct partner *partner = view->third;

	exchange(n, partner->question[1], partner->answer[0]);
}

/* Make the same calls, but the answer is already there, so that no other thread runs. */
static void kernel_context_switch_control(uint64_t n, void *memory)
{
	const struct workspace_view *view = memory;
	const struct partner *partner = view->third;

	exchange(n, partner->self[1], partner->self[0]);
}

/* Select a row's code by architecture: kernel_CODE_trigger, kernel_CODE_control and
 * kernel_CODE_truth in its assembly file. */
#define CODE(code)                    kernel_##code##_trigger, kernel_##code##_control, &kernel_##code##_truth
#define NO_CODE(code)                 NULL, NULL, NULL

/* Last fields of a row: triggers per unit and units of a run, memory, processor feature, and for
 * kernels of the operating system the perf software event that counts the triggers, or NULL. */
#define TRIGGERS(per_unit, max_units) .triggers = (per_unit), .n_max = (max_units)
#define MEMORY(kind)                  .workspace = &workspace_##kind
#define NEEDS(feature)                .need = NEED_##feature
#define SYSTEM(event)                 .software = (event), .enters_system = true

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

enum { MANY = 1000000, SLOW = 100000 };

const struct kernel kernel_table[] = {
	{ "nop", "an instruction that does nothing; the control lacks it", BOTH(nop),
	  TRIGGERS(1, MANY) },
	{ "add", "an integer addition", BOTH(add), TRIGGERS(1, MANY) },
	{ "mul", "an integer multiplication", BOTH(mul), TRIGGERS(1, MANY) },
	{ "div", "an integer division", BOTH(div), TRIGGERS(1, SLOW) },
	{ "load", "a load that hits the first-level cache", BOTH(load), TRIGGERS(1, MANY),
	  MEMORY(buffer) },
	{ "store", "a store that hits the first-level cache", BOTH(store), TRIGGERS(1, MANY),
	  MEMORY(buffer) },
	{ "load-pair", "a load of two registers", A64_ONLY(load_pair), TRIGGERS(1, MANY),
	  MEMORY(buffer) },
	{ "atomic-success", "a compare and swap that swaps", BOTH(atomic_success),
	  TRIGGERS(1, SLOW), MEMORY(buffer), NEEDS(ATOMICS) },
	{ "atomic-failure", "a compare and swap that finds another value", BOTH(atomic_failure),
	  TRIGGERS(1, SLOW), MEMORY(buffer), NEEDS(ATOMICS) },
	{ "exclusive-pair", "an exclusive load and store", A64_ONLY(exclusive_pair),
	  TRIGGERS(1, SLOW), MEMORY(buffer) },
	{ "branch-predicted", "a conditional branch, always taken", BOTH(branch_predicted),
	  TRIGGERS(1, MANY) },
	{ "branch-taken", "a conditional branch that is taken; the control's is not",
	  BOTH(branch_taken), TRIGGERS(1, MANY) },
	{ "branch-not-taken", "a conditional branch, never taken", BOTH(branch_not_taken),
	  TRIGGERS(1, MANY) },
	{ "branch-random", "a mispredicted conditional branch: every other one, on random bits",
	  BOTH(branch_random), TRIGGERS(0.5, SLOW), MEMORY(random) },
	{ "branch-indirect", "an indirect branch, always to the same target", BOTH(branch_indirect),
	  TRIGGERS(1, MANY) },
	{ "branch-indirect-random",
	  "a mispredicted indirect branch: seven of eight, on random targets",
	  BOTH(branch_indirect_random), TRIGGERS(0.875, SLOW), MEMORY(random) },
	{ "call-return", "a call and its return", BOTH(call_return), TRIGGERS(1, MANY) },
	{ "barrier", "a memory barrier", BOTH(barrier), TRIGGERS(1, SLOW) },
	{ "fp-add", "a floating-point addition", BOTH(fp_add), TRIGGERS(1, MANY) },
	{ "simd-add", "an addition of integer vectors", BOTH(simd_add), TRIGGERS(1, MANY) },
	{ "fma", "a fused multiply and add", BOTH(fma), TRIGGERS(1, MANY), NEEDS(FMA) },
	{ "l1d-miss", "a load that misses the first-level data cache and hits the second",
	  BOTH(chase), TRIGGERS(1, SLOW), MEMORY(l1d) },
	{ "l2-miss", "a load that misses the second-level cache", BOTH(chase), TRIGGERS(1, SLOW),
	  MEMORY(l2) },
	{ "dtlb-miss", "a load that misses the first-level data TLB and hits the cache",
	  BOTH(chase), TRIGGERS(1, SLOW), MEMORY(dtlb) },
	{ "l1i-miss", "a jump to a line that misses the first-level instruction cache", BOTH(path),
	  TRIGGERS(1, SLOW), MEMORY(l1i) },
	{ "itlb-miss", "a jump to a page that misses the first-level instruction TLB", BOTH(path),
	  TRIGGERS(1, SLOW), MEMORY(itlb) },
	{ "unaligned", "an unaligned load within a line", BOTH(load_at), TRIGGERS(1, MANY),
	  MEMORY(unaligned) },
	{ "line-crossing", "a load that crosses into the next line", BOTH(load_at),
	  TRIGGERS(1, MANY), MEMORY(line_crossing) },
	{ "page-crossing", "a load that crosses into the next page", BOTH(load_at),
	  TRIGGERS(1, MANY), MEMORY(page_crossing) },
	/* A processor soon holds back a load that it has seen overtake, so this must be rare: on
	 * Zen 5 one of 512 costs 18 ns each, one of 64 hardly any. */
	{ "ordering-violation", "a load that may overtake a store to the same word: one of 512",
	  BOTH(ordering), TRIGGERS(1.0 / WORKSPACE_RARE, SLOW), MEMORY(rare) },
	{ "self-modifying", "a store to an instruction that is then executed", BOTH(rewrite),
	  TRIGGERS(1, 10000), MEMORY(rewrite) },
	{ "system-call", "a system call (getppid)", BOTH(system_call), TRIGGERS(1, 10000),
	  SYSTEM(NULL) },
	{ "page-fault", "a store to a page that is not mapped yet", BOTH(page_fault),
	  TRIGGERS(1, WORKSPACE_FRESH_PAGES), MEMORY(fresh_pages), SYSTEM("page-faults") },
	/* A run ends in the thread in which it began, so switches of a CPU come in pairs. */
	{ "context-switch", "a switch to another thread of the same CPU, or back: two per answer",
	  kernel_context_switch_trigger, kernel_context_switch_control, NULL, TRIGGERS(2, 1000),
	  MEMORY(partner), SYSTEM("context-switches") },
	{ .name = NULL },
};

const struct kernel *kernel_find(const char *name)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (strcmp(kernel->name, name) == 0)
			return kernel;
	return NULL;
}

static bool kernel_has(enum kernel_need need)
{
#if defined(__x86_64__)
	return need != NEED_FMA || __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
	return need != NEED_ATOMICS || (getauxval(AT_HWCAP) & HWCAP_ATOMICS);
#else
	return need == NEED_NOTHING;
#endif
}

bool kernel_runs_here(const struct kernel *kernel)
{
	return kernel->programs || (kernel->trigger && kernel_has(kernel->need));
}

static void kernel_add(struct kernel_counts *sum, const struct kernel_counts *counts,
		       uint64_t times)
{
	sum->instructions += times * counts->instructions;
	sum->branches += times * counts->branches;
	sum->loads += times * counts->loads;
	sum->stores += times * counts->stores;
}

struct kernel_counts kernel_truth_of(const struct kernel *kernel, uint64_t n)
{
	const struct kernel_truth *truth = kernel->truth;
	struct kernel_counts sum = truth->fixed;

	kernel_add(&sum, &truth->unit, n);
	kernel_add(&sum, &truth->block, n / KERNEL_BLOCK);
	kernel_add(&sum, &truth->rest, n % KERNEL_BLOCK);
	return sum;
}
