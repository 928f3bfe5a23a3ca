/* backend.h: the backends, each a way to read counters, and their operations */
#ifndef PMU_BACKEND_H
#define PMU_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/sample.h"
#include "pmu/set.h"

/* ---- backend operations and the table of backends */

struct backend;
struct group; /* counters of one core, opened for one set; private to the backend */
struct tasks; /* counters of some tasks and all that they start; private to the backend */

/* Work that a simulated core does instead of running machine code. */
struct workload {
	const char *kernel; /* kernel name, which determines the counts */
	bool is_trigger;    /* trigger, else control */
	double n;           /* triggers; fractional if a unit has only a share of one */
};

struct backend_config {
	const char *name;       /* --backend: "sim"; NULL: choose */
	const char *options;    /* text after the colon: "cores=128,seed=7"; NULL: none */
	const char *events_dir; /* --events-dir; NULL: search */
	const char *sysfs_root; /* NULL: "/"; replaced by tests */
	const char *cpus;       /* -C, as machine_keep; NULL: all */
	bool of_tasks; /* count tasks, not CPUs: a backend that can, with the available rights */
	bool without_rights; /* perf: do with what every user may, see struct backend */
};

struct backend_ops {
	const char *name;
	const char *what;  /* one line for `m1top list backends` */
	bool only_by_name; /* never chosen automatically: needs --backend */

	/* Required. Main thread. Check whether the backend can be used on this machine now; leave
	 * nothing open.
	 * 0; -ENODEV not on this machine; -EACCES/-EPERM present but not permitted, -EBUSY held by
	 * another tool: the text names the command that fixes it. The table's order decides. */
	int (*probe)(const struct backend_config *config, struct err *err);

	/* Required. Main thread. Build the machine; open no counter.
	 * -EINVAL for an unknown option, listing the known ones. */
	int (*open)(const struct backend_config *config, struct backend **ret, struct err *err);

	/* Required. Main thread, after every group was closed. Restore the hardware and free the backend. */
	void (*close)(struct backend *backend);

	/* Required. Main thread. Open the events of `set` on one core, disabled. Slots that this
	 * core cannot count become RAW_UNSUPPORTED in its reads and are no error: on success `err`
	 * names them with the reason, "" if all are counted. With set->by_task context switches
	 * are recorded, too, for switches_drain.
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

	/* Required. The core's thread. Read everything once: fill in n_slots, state, raw and, if
	 * the backend has its own clock, t_ns (else it stays). A slot that could not be read is
	 * RAW_LOST.
	 * 0; -ENODEV the core has gone (offline, torn group). */
	int (*group_read)(struct group *group, struct sample *ret);

	/* Optional; required with reads_from_any_cpu. The core's thread, while the core is off or the
	 * thread cannot be pinned. Whether the core is online. NULL: it is once pinning succeeds
	 * again. */
	bool (*core_online)(struct backend *backend, unsigned core);

	/* Optional. The sampler's stepping thread. Move a virtual clock to t_ns; it begins at 0.
	 * NULL: real time. */
	void (*advance)(struct backend *backend, uint64_t t_ns);

	/* Optional. Main thread. List processes that may hold counters, by name and id, for the
	 * message about a group that never runs. NULL: unknown.
	 * @return buf */
	const char *(*holders)(struct backend *backend, char *buf, size_t size);

	/* Optional. Main thread. Report problems since the last call that the user must know, such
	 * as registers written by another program. If counting has ended, set backend->ended
	 * instead. NULL: none occur.
	 * @return buf, "" if there is nothing to report */
	const char *(*faults)(struct backend *backend, char *buf, size_t size);

	/* Optional. The thread that experiments. Do this work on a simulated core while the group
	 * counts. NULL: machine code is run.
	 * @return number of interruptions that the operating system would have reported */
	unsigned (*run_workload)(struct group *group, const struct workload *workload);

	/* Optional. Main thread. Test whether a driver would take one group of these core PMU
	 * events, opened in this order; count nothing, leave nothing open.
	 * 1 yes; 0 no; -errno: not known. NULL: there is no driver between the program and the
	 * counters. */
	int (*accepts)(struct backend *backend, unsigned core,
		       const uint64_t (*config)[CONFIG_WORDS], unsigned n);

	/* Optional, all three or none. Main thread, or the one that experiments. Count the events
	 * of `set` in tasks and in all that they start, on the cores of one type. NULL: cannot
	 * count tasks. Slots that cannot be counted in a task become RAW_UNSUPPORTED and are no
	 * error: on success `err` names them with the reason.
	 * -ESRCH there is no such task; else as group_open. */
	int (*tasks_open)(struct backend *backend, const struct task_target *target, size_t n,
			  unsigned type, const struct set *set, struct tasks **ret,
			  struct err *err);

	/* Any thread, one at a time. Read the unscaled counts so far, summed over the tasks. A
	 * slot's enabled time is the tasks' time on cores of this type. Fill in n_slots, state and
	 * raw.
	 * 0; -EIO */
	int (*tasks_read)(struct tasks *tasks, struct sample *ret);

	/* NULL is accepted. */
	void (*tasks_close)(struct tasks *tasks);

	/* Optional. The collector's thread, with a virtual clock the stepping one; main may open
	 * and close groups meanwhile. Hand over the records of this core's by_task groups since
	 * the last call, in order of time. Records may be lost, which shows in the switch numbers.
	 * NULL: sets that want tasks are refused. */
	void (*switches_drain)(struct backend *backend, unsigned core,
			       const struct switch_sink *sink);

	/* Optional, with switches_drain, same thread. Sample the event of set->sampled once in
	 * `period` events from now on, in the group with this stream. NULL: sets with samples are
	 * refused. */
	void (*sample_every)(struct backend *backend, unsigned core, uint64_t stream,
			     uint64_t period);

	/* Optional, with switches_drain. Any thread. Get a descriptor that becomes readable when
	 * a core's records fill half of their buffer. NULL: records are made by group_read. */
	int (*switches_fd)(const struct backend *backend);

	/* With switches_drain, same thread. Get the name of a task that existed before its
	 * switches were recorded. @ret_comm  TASK_COMM_SIZE bytes  @return 0; -ESRCH it has ended */
	int (*task_comm)(struct backend *backend, uint32_t tid, char *ret_comm);

	/* Optional, with switches_drain, same thread. Hand over each cgroup that exists now as a
	 * NOTE_CGROUP at time 0. NULL: switches name no cgroups. */
	void (*cgroups)(struct backend *backend, const struct switch_sink *sink);
};

/** First member of every backend's struct. */
struct backend {
	const struct backend_ops *ops;
	struct machine machine;
	bool pins;               /* each core thread is pinned to its CPU */
	bool reads_from_any_cpu; /* a group can be read from any CPU if pinning is not allowed */
	bool virtual_clock;      /* deterministic, stepped by ops->advance */
	bool is_probing;         /* discover: events may use counters that no catalogue allows */
	bool of_tasks;           /* "cores" are core types, see backend_of_tasks; all mux groups are
			      * open */
	bool user_only;      /* config.of_tasks without rights: tasks counted in user mode only */
	bool without_rights; /* groups count activity alone, and by_task means the user's own
			      * threads, see sampler/tasks/own.c */
	unsigned n_threads;  /* useful number of core threads; 0: one per core */
	uint64_t halt_after; /* virtual clock: ticks after the last plan change; 0: never halts */
	struct sample_rate sample_rate; /* its limit is changed by switches_drain */
	struct err ended; /* reason why counting has ended, set by ops->faults; "" while it works */
	struct err no_cgroups; /* reason why switches name no cgroups; "" if they do */
	struct err note;       /* reason why a better backend was not used; "" if there is none */
};

/** All backends, best first; NULL-terminated. */
extern const struct backend_ops *const backend_table[];

/** Members of the table; each has a folder of its name. */
extern const struct backend_ops backend_apple, backend_perf, backend_sim;

/**
 * Open the backend that config names, else the first whose probe answers 0.
 *
 * @return 0; -EINVAL unknown name, listing the known ones; the first -EACCES/-EPERM if counters are
 *         present but not permitted; -ENODEV if there are no counters
 */
int backend_open(const struct backend_config *config, struct backend **ret, struct err *err);

/** Report that a backend cannot count tasks. @return -ENOTSUP */
int backend_has_no_tasks(const struct backend_ops *ops, struct err *err);

/** Check whether a backend samples. @return 0; -ENOTSUP: `err` says why it does not */
int backend_can_sample(const struct backend *backend, struct err *err);

/** Check whether tasks have cgroups; known once groups of a set with by_task are open.
 * @return 0; -ENOTSUP: `err` says why they have none */
int backend_has_cgroups(const struct backend *backend, struct err *err);

/**
 * Create a backend with one core per core type, which holds the counts of some tasks on that type,
 * from the inner backend's tasks_open.
 *
 * @inner   taken over, also on failure
 * @target  the caller's, read when a group is opened
 * @return  0; -ENOTSUP if it cannot count tasks; -ENOMEM
 */
int backend_of_tasks(struct backend *inner, const struct task_target *target, size_t n,
		     struct backend **ret, struct err *err);

/** Return the number of open files that so many cores need, for two groups each: a new set is
 * opened before the old one is closed. */
static inline uint64_t backend_files_needed(unsigned n_cores)
{
	enum { OTHERS = 64 };

	return (uint64_t)n_cores * CORE_SLOTS_MAX * 2 + OTHERS;
}

/**
 * Test whether the kernel takes this set: open it, disabled, on one core of each type and where
 * devices are counted, and close it. Errors other than lack of room (no rights, an offline core)
 * are left to the start of counting. Main thread.
 *
 * @set    with one mux group
 * @return 0; -ENOSPC or -EINVAL naming what does not fit
 */
int backend_fits(struct backend *backend, const struct set *set, struct err *err);

/** Close the backend; NULL is accepted. */
void backend_close(struct backend *backend);

/**
 * Fill in this machine, once its PMUs are read: cores from sysfs, without those that config
 * excludes and isolated ones that it does not name, activity, catalogues. Errors of sysfs_machine,
 * machine_restrict and catalog_load.
 */
int backend_find_machine(const struct backend_config *config, struct machine *machine,
			 struct err *err);

/** Split "sim:cores=128,seed=7" into name and options. @name  buffer of at least 32 bytes */
void backend_split(const char *text, char *name, size_t size, const char **ret_options);

/* ---- simulated M1: the truth that discover has to find */

/* Answers of the simulated M1, for a backend opened by backend_sim. */

/** Whether the seed decides what ids mean (sim:hidden); any backend is accepted. */
bool sim_is_hidden(const struct backend *backend);

/** Behaviour of an id, for all kernels. */
enum sim_kind {
	SIM_NEVER,      /* never counts */
	SIM_SAME,       /* counts as much in the trigger as in the control */
	SIM_COUNTS,     /* counts k per trigger of some kernels */
	SIM_SPECULATES, /* counts more than k, by a different amount in each run */
	SIM_CYCLES,     /* counts in proportion to cycles */
};

struct sim_answer {
	enum sim_kind kind;
	uint16_t counters; /* bit n: PMCn counts it */
	double k;          /* per trigger; 0: no response */
};

/**
 * Return the true behaviour of an id with sim:hidden.
 *
 * @type    index into machine.type
 * @kernel  name; unknown names have an answer, too
 */
struct sim_answer sim_truth_of_id(const struct backend *backend, unsigned type, uint64_t id,
				  const char *kernel);

/** Return a core's average count during a workload without interference, with or without sim:hidden. */
double sim_truth_of_workload(const struct backend *backend, unsigned type, uint64_t id,
			     const struct workload *workload);

/* ---- checks of one backend, for doctor */

/** Whether the NMI watchdog holds a counter. Where cores watch each other (Linux 6.5 and later,
 * most arm64) it does not. */
bool perf_watchdog_holds(const char *root);

/** Check whether the kernel can count by cgroup, and where the paths are. @root  as sysfs_pmus
 * @return 0; -ENOTSUP, -ENOENT: `err` says what is missing */
int perf_cgroups_check(const char *root, struct err *err);

/**
 * Find the CPUs on which user space may access Apple's PMU registers, by trying it. Main thread.
 *
 * @ret     CPUs are added
 * @return  0; -EOPNOTSUPP not compiled for aarch64
 */
int apple_el0_cpus(const struct machine *machine, struct cpus *ret);

#endif
