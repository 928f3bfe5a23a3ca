/* kernel.h: short pieces of machine code that do one thing N times, each with a control that does not */
#ifndef DISCOVER_KERNEL_H
#define DISCOVER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/** Machine code: `n` units of work in memory that an arena prepared. Keeps the C calling convention. */
typedef void kernel_fn(uint64_t n, void *memory);

/** What a unit of machine code is known to execute, so that counters can be checked against it. */
struct kernel_truth {
	double instructions, branches, loads, stores;
};

/**
 * A trigger and its control. They differ in nothing but the thing that is triggered: where the
 * trigger has an instruction, the control has a neutral one.
 */
struct kernel {
	const char *name;            /* "load" */
	const char *what;            /* "a load that hits the first-level cache" */
	kernel_fn *trigger;          /* NULL: this architecture has no such thing */
	kernel_fn *control;
	double triggers;             /* how often a unit of the trigger does it: 1; random branch 0.5 */
	uint64_t n_max;              /* no more units in one run: it is slow, or its memory ends */
	const struct arena_kind *arena; /* the memory that both walk; NULL: none */
	struct kernel_truth truth;   /* of a unit of the trigger */
	/* perf's software event that counts its triggers, "" none. Such a kernel enters the operating
	 * system on purpose: it is counted in both levels, and its own effects reject no run. */
	const char *software;
	bool enters_system;
};

/** Every kernel, in the order in which they are run; ends with a NULL name. */
extern const struct kernel kernel_table[];

/** By name. @return NULL when there is none */
const struct kernel *kernel_find(const char *name);

/**
 * Memory for a kernel on one core type: touched, locked, laid out (a chase in random order, pages far
 * apart, generated code, …) as its kind says from page size and cache geometry.
 *
 * kernel_run() puts back before each run what the last one changed, outside the counted window.
 */
struct arena;

/** @cpu  whose caches it is sized by. @return 0; -ENOMEM, or -EPERM when it cannot be locked */
int arena_new(const struct kernel *kernel, unsigned cpu, struct arena **ret, struct err *err);

/** NULL is accepted. */
void arena_free(struct arena *arena);

/** Make ready for a run of n units; call it before counting starts. */
void arena_prepare(struct arena *arena, uint64_t n);

/** The kernel_fn's second argument. */
void *arena_memory(struct arena *arena);

#endif
