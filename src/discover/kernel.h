/* kernel.h: kernels: short machine code that does one thing N times, each with a control that does not */
#ifndef DISCOVER_KERNEL_H
#define DISCOVER_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/** Machine code that does `n` units of work in a workspace's memory, with the C calling convention. */
typedef void kernel_fn(uint64_t n, void *memory);

/** Counts executed at user level. A call or return through the stack in memory also stores or loads. */
struct kernel_counts {
	uint64_t instructions;
	uint64_t branches; /* taken or not; jumps, calls and returns included */
	uint64_t loads;    /* instructions that read data; a pair or an atomic counts once */
	uint64_t stores;
};

enum { KERNEL_BLOCK = 16 }; /* units in the body of a kernel's unrolled loop */

/**
 * Exact counts of a trigger run with n units, from its first instruction to its return: fixed + n ×
 * unit + n / KERNEL_BLOCK × block + n % KERNEL_BLOCK × rest.
 *
 * Defined in the assembly file, with the code.
 */
struct kernel_truth {
	struct kernel_counts unit;
	struct kernel_counts block; /* overhead of a loop around KERNEL_BLOCK units */
	struct kernel_counts rest;  /* overhead of the loop around each unit outside full blocks */
	struct kernel_counts fixed; /* entry, setup, return */
};

/** Processor feature beyond the base architecture. */
enum kernel_need { NEED_NOTHING, NEED_FMA, NEED_ATOMICS };

/** Commands for sh -c. "{n}" and $M1TOP_N are replaced by the number of triggers. */
struct programs {
	const char *trigger, *control;
};

/**
 * Trigger and control. They differ only in the triggered action: where the trigger has an
 * instruction, the control has a neutral one, or both run the same instructions on different
 * memory. Only the control of "nop" has nothing instead.
 */
struct kernel {
	const char *name;   /* "load" */
	const char *what;   /* "a load that hits the first-level cache" */
	kernel_fn *trigger; /* NULL: not available on this architecture */
	kernel_fn *control;
	const struct kernel_truth *truth; /* NULL: exact counts unknown */
	double triggers; /* triggers per unit: 1; random branch 0.5; switch and back 2 */
	uint64_t n_max;  /* most units in one run, limited by time or memory */
	const struct workspace_kind *workspace; /* memory that both use; NULL: none */
	enum kernel_need need;
	/* perf software event that counts its triggers; NULL: none. Such a kernel enters the
	 * operating system on purpose: it is counted in both levels, and its own effects reject no
	 * run. */
	const char *software;
	bool enters_system;
	const struct programs *programs; /* programs run instead of code; NULL: code */
};

/** All kernels in the order in which they run; ends with a NULL name. */
extern const struct kernel kernel_table[];

/** Find a kernel by name. @return NULL if there is none */
const struct kernel *kernel_find(const char *name);

/** Whether the architecture has the kernel's code and the processor its features. */
bool kernel_runs_here(const struct kernel *kernel);

/** Compute the exact counts of a trigger run with n units. @kernel  has truth */
struct kernel_counts kernel_truth_of(const struct kernel *kernel, uint64_t n);

/**
 * Memory of a kernel on one core type: touched, locked, and laid out by its kind for the page size
 * and cache geometry (a chase in random order, pages far apart, generated code, …).
 */
struct workspace;

/** Second argument of a kernel; the assembly knows these offsets. */
struct workspace_view {
	void *trigger; /* 0: memory of the trigger */
	void *control; /* 8: memory of the control */
	void *third;   /* 16: depends on the kind */
	uint64_t step; /* 24: bytes between pages */
};

/**
 * Create a kernel's workspace.
 *
 * @kernel  without a kind of memory, the workspace is empty
 * @cpu     CPU whose caches determine the sizes
 * @return  0; -ENOMEM; -EACCES if generated code may not run; errors of threads and pipes
 */
int workspace_new(const struct kernel *kernel, unsigned cpu, struct workspace **ret,
		  struct err *err);

/** Free the workspace; NULL is accepted. */
void workspace_free(struct workspace *workspace);

/** Return a remark such as "64 MiB not locked: …"; "" if there is none. */
const char *workspace_note(const struct workspace *workspace);

/** Restore what the last run changed and prepare for n units; call it before counting starts. */
void workspace_prepare(struct workspace *workspace, uint64_t n);

/** Return the kernel_fn's second argument, a struct workspace_view. */
void *workspace_memory(struct workspace *workspace);

#endif
