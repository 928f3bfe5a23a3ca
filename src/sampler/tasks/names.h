/* names.h: which task a thread id means at a time, and what it is called; private to sampler/ */
#ifndef SAMPLER_TASKS_NAMES_H
#define SAMPLER_TASKS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "machine/switch.h"

/** So long after its end a task may still be what its id means: its last switch comes after it. */
#define NAMES_ENDED_NS (2 * NS_PER_S)

/** One life of a thread id. Lives until names_forget. */
struct task_name {
	uint32_t tid, pid;
	uint64_t from_ns;          /* when it began; 0: before anybody looked */
	uint64_t first_ns;         /* when it was first seen */
	uint64_t ended_ns;         /* UINT64_MAX: not yet */
	bool is_of_root;           /* of the process `root`, or a descendant */
	bool is_kept;              /* somebody refers to it: see names_forget */
	char comm[TASK_COMM_SIZE]; /* UTF-8 that is all seen, and no name of a kind */
	struct task_name *next;    /* in its chain; of the same id the one before it */
};

/** The name of a task that no note has told of: as backend_ops.task_comm. */
typedef int names_ask(void *data, uint32_t tid, char *ret_comm);

/** All tasks, by id and time, up to a fixed number. */
struct names {
	names_ask *ask;
	void *data;
	struct task_name **chain; /* by hash */
	size_t n, n_chains;
	uint32_t root;  /* a process; 0: none */
	size_t n_ended; /* since the last time that they were forgotten */
};

/** `{ .ask, .data }` is empty. Forget all. */
void names_clear(struct names *names);

/** What a core told. Those of all cores in the order of time. */
void names_take(struct names *names, const struct task_note *note);

/** The task that had this id at t_ns. One that is not known becomes known.
 * @return NULL when there is no room for more */
struct task_name *names_find(struct names *names, uint32_t pid, uint32_t tid, uint64_t t_ns);

/** Is it time to forget? */
bool names_are_many(const struct names *names);

/** Forget tasks that had ended before t_ns and are not kept; none is kept afterwards. */
void names_forget(struct names *names, uint64_t t_ns);

#endif
