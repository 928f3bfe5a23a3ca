/* kernel.h: short pieces of machine code that do one thing N times, each with a control that does not */
#ifndef DISCOVER_KERNEL_KERNEL_H
#define DISCOVER_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/** Machine code: `n` units of work in memory that a workspace prepared. Keeps the C calling convention. */
typedef void kernel_fn(uint64_t n, void *memory);

/** Executed, user level. A call or return that goes through the stack in memory stores or loads too. */
struct kernel_counts {
	uint64_t instructions;
	uint64_t branches; /* taken or not; jumps, calls and returns included */
	uint64_t loads;    /* instructions that read data; a pair or an atomic is one */
	uint64_t stores;
};

enum { KERNEL_BLOCK = 16 }; /* units in the body of a kernel's unrolled loop */

/**
 * What a run of n units of a trigger executes, exactly, from its first instruction to its return:
 * fixed + n × unit + n / KERNEL_BLOCK × block + n % KERNEL_BLOCK × rest.
 *
 * Written beside the code, in its assembly file.
 */
struct kernel_truth {
	struct kernel_counts unit;
	struct kernel_counts block; /* what closes the loop around KERNEL_BLOCK units */
	struct kernel_counts rest;  /* what closes the loop around each unit that fills no block */
	struct kernel_counts fixed; /* entry, setting up, return */
};

/** What the processor must have beyond its architecture's base. */
enum kernel_need { NEED_NOTHING, NEED_FMA, NEED_ATOMICS };

/**
 * A trigger and its control. They differ in nothing but the thing that is triggered: where the
 * trigger has an instruction, the control has a neutral one; or both are the same instructions on
 * other memory. Only the control of "nop" has nothing in its place.
 */
struct kernel {
	const char *name;   /* "load" */
	const char *what;   /* "a load that hits the first-level cache" */
	kernel_fn *trigger; /* NULL: this architecture has no such thing */
	kernel_fn *control;
	const struct kernel_truth *truth; /* NULL: not known to the instruction */
	double triggers; /* how often a unit does it: 1; random branch 0.5; switch and back 2 */
	uint64_t n_max;  /* no more units in one run: it is slow, or its memory ends */
	const struct workspace_kind *workspace; /* the memory that both walk; NULL: none */
	enum kernel_need need;
	/* perf's software event that counts its triggers, NULL none. Such a kernel enters the
	 * operating system on purpose: it is counted in both levels, and its own effects reject no run. */
	const char *software;
	bool enters_system;
	const struct programs *programs; /* run in the stead of code, see programs.h; NULL: code */
};

/** Every kernel, in the order in which they are run; ends with a NULL name. */
extern const struct kernel kernel_table[];

/** By name. @return NULL when there is none */
const struct kernel *kernel_find(const char *name);

/** Has this architecture such code, and this processor what it needs? */
bool kernel_runs_here(const struct kernel *kernel);

/** What a run of n units of the trigger executes. @kernel  has truth */
struct kernel_counts kernel_truth_of(const struct kernel *kernel, uint64_t n);

/**
 * Memory for a kernel on one core type: touched, locked, laid out (a chase in random order, pages far
 * apart, generated code, …) as its kind says from page size and cache geometry.
 */
struct workspace;

/** What a kernel finds at its second argument; the assembly knows these offsets. */
struct workspace_view {
	void *trigger; /*  0: where the trigger goes */
	void *control; /*  8: where the control goes */
	void *third;   /* 16: what the kind says */
	uint64_t step; /* 24: bytes from one page to the next */
};

/**
 * @kernel  one without a kind of memory is given a workspace too, an empty one
 * @cpu     whose caches it is sized by
 * @return  0; -ENOMEM; -EACCES where generated code may not run; errors of threads and pipes
 */
int workspace_new(const struct kernel *kernel, unsigned cpu, struct workspace **ret,
		  struct err *err);

/** NULL is accepted. */
void workspace_free(struct workspace *workspace);

/** What to know about it: "64 MiB not locked: …"; "" when all is as it should be. */
const char *workspace_note(const struct workspace *workspace);

/** Put back what the last run changed, and make ready for n units; call it before counting starts. */
void workspace_prepare(struct workspace *workspace, uint64_t n);

/** The kernel_fn's second argument: a struct workspace_view. */
void *workspace_memory(struct workspace *workspace);

#endif
