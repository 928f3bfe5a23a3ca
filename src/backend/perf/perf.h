/* perf.h: what the files of the perf backend share; nobody else includes it */
#ifndef BACKEND_PERF_PERF_H
#define BACKEND_PERF_PERF_H

#include <linux/perf_event.h>
#include <pthread.h>

#include "backend/backend.h"

/* config3 (Linux 6.3) is newer than the headers of some systems: it lies behind their last field.
 * An older kernel takes the longer attributes as long as it is zero. */
union perf_attr {
	struct perf_event_attr attr;
	uint64_t word[17];
};

enum {
	PERF_ATTR_CONFIG3 = 16,
	UNSEEN_MAX = 2, /* events of a group that no slot has */
	VALUES_MAX = SLOTS_MAX + UNSEEN_MAX,
	VALUE_NONE = 0xff,
};

struct perf {
	struct backend base;
	char root[256];
	int fd_limit;             /* descriptors from here on are left to the rest of the program */
	bool limit_raised;        /* done once */
	struct switch_ring *ring; /* by core */
	size_t ring_bytes;        /* of each, a power of two; 0: as much as a user may have */
};

/* Whose the values of a kernel's group are, in its order: the leader's comes first. */
struct value_order {
	uint8_t n;
	uint8_t switches;         /* which value counts context switches; VALUE_NONE */
	uint8_t slot[VALUES_MAX]; /* VALUE_NONE: of no slot */
};

/* The context switches of a group, in its core's ring. */
struct switch_stream {
	struct switch_ring *ring; /* NULL: none are recorded */
	struct switch_stream *next;
	uint64_t id;
	uint64_t n_switches, enabled_ns; /* in the last record */
	struct value_order order;
	uint8_t n_slots;
};

/**
 * The attributes of an event: counting, both levels or one, no guest, no inheritance.
 *
 * @leader  a leader starts disabled and takes the group along; siblings never are by themselves
 */
void perf_attr(const struct pmu *pmu, const uint64_t *config, enum privilege privilege, bool leader,
	       union perf_attr *ret);

/**
 * perf_event_open on one CPU, without exclude_guest where the PMU refuses that, and with more
 * file descriptors where they ran out.
 *
 * @leader  descriptor of the group's leader, -1: become one
 * @return  descriptor or -errno
 */
int perf_open(struct perf *perf, union perf_attr *attr, unsigned cpu, int leader);

/** The same of a task and what it starts; an event by itself. @cpu  -1: wherever they run */
int perf_open_task(struct perf *perf, union perf_attr *attr, pid_t tid, int cpu);

/** Why whole CPUs may not be counted, and the commands that fix it. @code what the kernel said  @return -EACCES */
int perf_denied(const char *root, int code, struct err *err);

/** The same of tasks. @pid  one of them; 0: our own */
int perf_tasks_denied(const char *root, pid_t pid, int code, struct err *err);

/** Find by trying how many events of its own a core type's PMU takes in one group on a CPU, at most CORE_SLOTS_MAX,
 * and on how many of these counters only one event is: n_counters and n_fixed. */
void perf_count_counters(struct perf *perf, struct core_type *type, unsigned cpu);

/** Does the kernel's NMI watchdog run? On most x86 it pins a counter of every CPU. */
bool perf_has_watchdog(const char *root);

/** Does it hold a counter? Where cores watch each other (Linux 6.5 and later, most arm64) it does not. */
bool perf_watchdog_holds(const char *root);

/** May our own tasks be counted at these levels? @ret_code  what the kernel said, 0 */
bool perf_may_count_task(struct perf *perf, enum privilege privilege, int *ret_code);

/** backend_ops.probe */
int perf_probe(const struct backend_config *config, struct err *err);

/** backend_ops.group_*: see backend.h */
int perf_group_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err);
void perf_group_close(struct group *group);
int perf_group_enable(struct group *group);
int perf_group_disable(struct group *group);
int perf_group_read(struct group *group, struct sample *ret);

/** What records the context switches of a group: one record a switch, with the values of all of the group;
 * and the names, beginnings and ends of tasks. @leader  of the group, or a member */
void perf_switches_attr(bool leader, union perf_attr *ret);

/** The clock of such a group, and of what is recorded: that of samples. */
void perf_switches_clock(union perf_attr *attr);

/** Where cores' switches are recorded; no memory for records yet. @return 0 or -ENOMEM */
int perf_rings_new(struct perf *perf);

/** After all groups. NULL is accepted inside. */
void perf_rings_free(struct perf *perf);

/**
 * Record a group's switches in its core's ring, which the first of them opens. Main thread.
 *
 * @fd      of perf_switches_attr
 * @stream  with order and n_slots
 * @return  0; -EPERM and -ENOMEM: no memory for records; -errno
 */
int perf_switches_join(struct perf *perf, const struct core *core, int fd,
		       struct switch_stream *stream, struct err *err);

/** The last one closes the ring. Does nothing without one. Main thread. */
void perf_switches_leave(struct switch_stream *stream);

/** backend_ops.switches_drain, task_comm */
void perf_switches_drain(struct backend *backend, unsigned core, const struct switch_sink *sink);
int perf_task_comm(struct backend *backend, uint32_t tid, char *ret_comm);

/** backend_ops.tasks_*: see backend.h */
int perf_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
		    unsigned type, const struct set *set, struct tasks **ret, struct err *err);
int perf_tasks_read(struct tasks *tasks, struct sample *ret);
void perf_tasks_close(struct tasks *tasks);

/** Why the kernel refused one event, for people. @code  positive errno */
const char *perf_reason(int code);

/** backend_ops.accepts */
int perf_accepts(struct backend *backend, unsigned core, const uint64_t (*config)[CONFIG_WORDS],
		 unsigned n);

/** backend_ops.holders */
const char *perf_holders(struct backend *backend, char *buf, size_t size);

#endif
