/* process.h: owners of tasks, remembered after their end; a process of /proc, and acting on it; no curses */
#ifndef TUI_MODEL_PROCESS_H
#define TUI_MODEL_PROCESS_H

#include <sys/types.h>

#include "base/cpus.h"
#include "sampler/task_rows.h"

enum { USERS_MAX = 1024, COMMAND_MAX = 4096 };

/** Cache of owners and command lines, which are read from /proc once, while the task is alive; `{ 0 }` is
 * empty. A thread that collides with another replaces it. */
struct users {
	struct user {
		uint32_t tid;   /* 0: none */
		bool had_ended; /* before it was asked for */
		uint64_t first_ns;
		uid_t uid;
		char name[33];
		char command
			[256]; /* of its process, untrusted and cut; "": a thread of the kernel */
	} of[USERS_MAX];
};

/**
 * Get the owner and command line of a task of this machine, now or when it was asked for before.
 *
 * @return valid until the next call; NULL: the task had ended before
 */
const struct user *users_find(struct users *users, const struct core_task *task);

/** A process of this machine; with pid 0 none. */
struct process {
	uint32_t pid;
	int fd;         /* pidfd, which never means another process */
	bool has_ended; /* the rest is as read last */
	uint64_t age_ns;
	int nice; /* of the first thread */
	uint64_t n_threads;
	uint64_t minor, major; /* page faults, without and with reading from disk, of all threads */
	struct cpus cpus;      /* affinity of the first thread */
	char cgroup[256];      /* path, untrusted, cut; "": unknown */
	char command[COMMAND_MAX]; /* untrusted, cut */
};

/**
 * Open and read a process.
 *
 * @seen_ns  time since it was first seen: one that started later has only the same pid
 * @ret      release with process_close; pid 0 if it is gone, or the kernel has no pidfd (5.3)
 */
void process_open(uint32_t pid, uint64_t seen_ns, struct process *ret);

/** Read it again, if it is still there. */
void process_read(struct process *process);

/** Close it; also one with pid 0. */
void process_close(struct process *process);

/**
 * Set the affinity of all its threads, as `taskset -a`, or their nice value; send a signal to it.
 *
 * @cpus    NULL: set the nice value
 * @return  0; -ESRCH: it has ended; -EPERM, -EACCES, -EINVAL
 */
int process_set(struct process *process, const struct cpus *cpus, int nice);
int process_signal(const struct process *process, int number);

#endif
