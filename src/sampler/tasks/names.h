/* names.h: a thread id at a time, as a task and its name; for the attribution only */
#ifndef SAMPLER_TASKS_NAMES_H
#define SAMPLER_TASKS_NAMES_H

#include "base/clock.h"
#include "base/hash.h"
#include "sampler/tasks.h"

/** Time after its end in which a thread id still means the task: its last switch follows the end. */
#define NAMES_ENDED_NS (2 * NS_PER_S)

/** One life of a thread id, valid until names_forget. */
struct task_name {
	uint32_t tid, pid;
	uint64_t from_ns;            /* start time; 0: before the session */
	uint64_t first_ns;           /* time when it was first seen */
	uint64_t ended_ns;           /* end time; UINT64_MAX: running */
	const struct cgroup *cgroup; /* at its last switch; NULL: not known */
	bool is_of_root;             /* is a root or a descendant */
	bool is_referenced;          /* see names_forget */
	char comm[TASK_COMM_SIZE];   /* printable UTF-8, different from the names of task kinds */
};

/** Get the name of a task without a note, as backend_ops.task_comm. */
typedef int names_ask(void *data, uint32_t tid, char *ret_comm);

/** All tasks, by id and time, up to a fixed number. */
struct names {
	names_ask *ask;
	void *data;
	struct hash by_tid; /* struct task_name; several of one id */
	struct roots roots;
	bool root_has_begun; /* a command has executed its first program, for which it was forked */
	size_t n_ended;      /* tasks that ended since the last names_forget */
};

/** Forget all. `{ .ask, .data }` is empty. */
void names_clear(struct names *names);

/** Apply a note. Notes of all cores must be in the order of time. */
void names_take(struct names *names, const struct task_note *note);

/** Find the task that had this id at t_ns; an unknown one is added.
 * @return NULL if there is no room */
struct task_name *names_find(struct names *names, uint32_t pid, uint32_t tid, uint64_t t_ns);

/**
 * Copy a task's name. The task chooses it freely: utf8_copy replaces what lines, sessions and Prometheus
 * (UTF-8) cannot hold, one that is too long with escapes ends with a hash, and the first character of names like
 * [idle] becomes `?`.
 *
 * @comm, ret  TASK_COMM_SIZE bytes
 */
void names_copy_comm(const char *comm, char *ret);

/** Whether names_forget is due. */
bool names_are_many(const struct names *names);

/** Forget tasks that ended before t_ns and are not referenced; clear is_referenced of the others. */
void names_forget(struct names *names, uint64_t t_ns);

#endif
