/* backend.h: a way to reach counters: one struct of operations a backend, one table of them all */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "machine/sample.h"
#include "event/set.h"

struct backend;
struct group; /* the counters of one core, opened for one set; layout is the backend's own */
struct tasks; /* the counters of some tasks and of all that they start; likewise */

/* Tasks that were asked for. */
enum target_kind {
	TARGET_EXEC,    /* a process that has not called exec yet: from there on */
	TARGET_PROCESS, /* all threads of a process, from now on */
	TARGET_THREAD,
};
struct task_target {
	enum target_kind kind;
	pid_t id;
};

/* What a simulated core does instead of running machine code. */
struct workload {
	const char *kernel; /* its name, which decides what it counts */
	bool is_trigger;    /* else the control */
	double n;           /* triggers; no whole number where a unit has a share of one */
};

struct backend_config {
	const char *name;        /* --backend: "sim"; NULL: choose */
	const char *options;     /* what followed its colon: "cores=128,seed=7"; NULL: none */
	const char *events_dir;  /* --events-dir; NULL: search */
	const char *sysfs_root;  /* tests move it; NULL: "/" */
	const struct cpus *cpus; /* -C; NULL: all */
	bool of_tasks; /* to count tasks, not CPUs: one that can, with the rights that are there */
};

struct backend_ops {
	const char *name;
	const char *what;  /* one line for `m1top list backends` */
	bool only_by_name; /* never chosen by itself: --backend must ask for it */

	/* Required. Main thread. Can it be used on this machine now? Opens nothing that stays.
	 * 0; -ENODEV not on this machine; -EACCES/-EPERM present but not permitted, -EBUSY held by
	 * another tool: the text says which command fixes it. The table's order decides. */
	int (*probe)(const struct backend_config *config, struct err *err);

	/* Required. Main thread. Build the machine; open no counter yet.
	 * -EINVAL for an option that it does not know, naming those it does. */
	int (*open)(const struct backend_config *config, struct backend **ret, struct err *err);

	/* Required. Main thread, after every group was closed. Puts hardware back. */
	void (*close)(struct backend *backend);

	/* Required. Main thread. Open what `set` counts on one core, disabled.
	 * Slots that this core cannot count become RAW_UNSUPPORTED in its reads, and are no error:
	 * on success `err` says which and why, "" when all is counted. With set->by_task context
	 * switches are recorded too, for switches_drain.
	 * -ENODEV the core is offline; -EMFILE; -EINVAL/-ENOSPC the set does not fit, naming the
	 * events; -EACCES/-EPERM with the commands that fix it. */
	int (*group_open)(struct backend *backend, unsigned core, const struct set *set,
			  struct group **ret, struct err *err);

	/* Required. Main thread, when no core thread uses it any more. NULL is accepted. */
	void (*group_close)(struct group *group);

	/* Required. The core's thread. Start and stop counting; no allocation, no lock.
	 * 0, or -errno: the core is treated as off. */
	int (*group_enable)(struct group *group);
	int (*group_disable)(struct group *group);

	/* Required. The core's thread. One read of everything: fills n_slots, state, raw and, if the
	 * backend has its own clock, t_ns (else the caller's stays). A slot that could not be read
	 * is RAW_LOST. 0; -ENODEV the core has gone (offline, torn group). */
	int (*group_read)(struct group *group, struct sample *ret);

	/* Optional. The core's thread, while the core is off: is it there again?
	 * NULL: pinning the thread to its CPU succeeds again. */
	bool (*core_online)(struct backend *backend, unsigned core);

	/* Optional. The sampler's stepping thread. A backend with a virtual clock: move it to t_ns.
	 * NULL: real time. The clock begins at 0. */
	void (*advance)(struct backend *backend, uint64_t t_ns);

	/* Optional. Main thread. Who may hold counters: process names and ids, for the message about
	 * a group that never runs. NULL: unknown. @return buf */
	const char *(*holders)(struct backend *backend, char *buf, size_t size);

	/* Optional. Main thread. What happened to the counters since the last call that the user must
	 * know, such as registers that somebody else wrote. What ends all counting goes into
	 * backend->ended instead. NULL: nothing ever. @return buf, "" when there is nothing to say */
	const char *(*faults)(struct backend *backend, char *buf, size_t size);

	/* Optional. The thread that experiments. A simulated core does this work while the group
	 * counts. NULL: machine code is run.
	 * @return how many interruptions the operating system would have told of */
	unsigned (*run_workload)(struct group *group, const struct workload *workload);

	/* Optional. Main thread. Would a driver take one group of these events of the core PMU, opened
	 * in this order? Counts nothing, leaves nothing open. 1 yes; 0 no; -errno: could not be asked.
	 * NULL: there is no driver between the program and the counters. */
	int (*accepts)(struct backend *backend, unsigned core,
		       const uint64_t (*config)[CONFIG_WORDS], unsigned n);

	/* Optional, all three or none. Main thread, or the one that experiments. Count what `set` counts
	 * on one core type in tasks and in all that they will start, on whatever cores of the type they
	 * run. NULL: cannot count tasks.
	 * Slots that cannot be counted in a task become RAW_UNSUPPORTED, and are no error: on
	 * success `err` says which and why. -ESRCH there is no such task; else as group_open. */
	int (*tasks_open)(struct backend *backend, const struct task_target *target, size_t n,
			  unsigned type, const struct set *set, struct tasks **ret,
			  struct err *err);

	/* Any thread, one at a time. The count so far, of all these tasks together, none scaled. A
	 * slot's enabled time is what they were on cores of this type. Fills n_slots, state and raw.
	 * 0; -EIO */
	int (*tasks_read)(struct tasks *tasks, struct sample *ret);

	/* NULL is accepted. */
	void (*tasks_close)(struct tasks *tasks);

	/* Optional. The collector's thread, with a virtual clock the stepping one; main may open and
	 * close groups meanwhile. Hand over what groups of this core that were opened by_task have
	 * recorded since the last call, in the order in which it happened: what is missing was lost,
	 * and shows in the numbers of switches. NULL: sets that want tasks are refused. */
	void (*switches_drain)(struct backend *backend, unsigned core,
			       const struct switch_sink *sink);

	/* With switches_drain, the same thread. The name of a task that was there before its switches
	 * were recorded. @ret_comm  TASK_COMM_SIZE bytes  @return 0; -ESRCH it has ended */
	int (*task_comm)(struct backend *backend, uint32_t tid, char *ret_comm);
};

/** Common head of every backend; its own struct begins with this. */
struct backend {
	const struct backend_ops *ops;
	struct machine machine;
	bool pins;          /* each core's thread is pinned to its CPU */
	bool virtual_clock; /* stepped by ops->advance, deterministic */
	bool is_probing;    /* discover: events go on counters that no catalogue allows */
	bool of_tasks;  /* backend_of_tasks: "cores" are core types, and all mux groups at once */
	bool user_only; /* config.of_tasks: without rights, tasks may only be counted in user mode */
	unsigned n_threads; /* core threads that make sense; 0: one a core */
	uint64_t
		halt_after; /* virtual clock: ticks after the last change of plan; 0: never halts */
	struct err ended; /* why nothing more can be counted, set by ops->faults; "" while it can */
	struct err note;  /* why this backend and not a better one; "" if there is nothing to say */
};

/** Every backend, best first; NULL-terminated. */
extern const struct backend_ops *const backend_table[];

/** The members of the table, each in a folder of its name. */
extern const struct backend_ops backend_apple, backend_perf, backend_sim;

/**
 * Open the backend that config names, else the first whose probe answers 0.
 *
 * @return 0; -EINVAL unknown name, listing the known ones; the first -EACCES/-EPERM when
 *         counters are there but not permitted; -ENODEV when there is nothing to count with
 */
int backend_open(const struct backend_config *config, struct backend **ret, struct err *err);

/** Say that a backend counts cores alone, and why. @return -ENOTSUP */
int backend_has_no_tasks(const struct backend_ops *ops, struct err *err);

/**
 * A backend whose cores are what some tasks did on each core type: one core a type, counted by the
 * inner backend's tasks_open.
 *
 * @inner   taken over, also on failure
 * @target  the caller's, read when a group is opened
 * @return  0; -ENOTSUP it cannot count tasks; -ENOMEM
 */
int backend_of_tasks(struct backend *inner, const struct task_target *target, size_t n,
		     struct backend **ret, struct err *err);

/** Open files with which so many cores count every event; twice the groups, because those of a new set
 * are opened before those of the old one are closed. */
static inline uint64_t backend_files_needed(unsigned n_cores)
{
	enum { OTHERS = 64 };

	return (uint64_t)n_cores * CORE_SLOTS_MAX * 2 + OTHERS;
}

/**
 * Would the kernel take this set? Opens it, disabled, on one core of each type and where devices are
 * counted, and closes it again. What is not a question of room (no rights, a core that is offline)
 * is said when counting starts. Main thread.
 *
 * @set    of one mux group
 * @return 0; -ENOSPC or -EINVAL with what does not fit
 */
int backend_fits(struct backend *backend, const struct set *set, struct err *err);

/** Close. NULL is accepted. */
void backend_close(struct backend *backend);

/**
 * The machine that this runs on, once its PMUs are there: cores as sysfs has them, less those that
 * config leaves out, activity, catalogues. Errors of sysfs_machine, machine_restrict and catalog_load.
 */
int backend_find_machine(const struct backend_config *config, struct machine *machine,
			 struct err *err);

/** Split "sim:cores=128,seed=7" into name and options. @name  buffer of at least 32 bytes */
void backend_split(const char *text, char *name, size_t size, const char **ret_options);

#endif
