/* perf.h: internal interface of the perf backend; included only by its files */
#ifndef PMU_PERF_PERF_H
#define PMU_PERF_PERF_H

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>

#include "pmu/backend.h"

/* perf_event_attr with config3 (Linux 6.3), which some systems' headers lack: it follows their
 * last field. An older kernel accepts the longer attributes if it is zero. */
union perf_attr {
	struct perf_event_attr attr;
	uint64_t word[17];
};

enum {
	PERF_ATTR_CONFIG3 = 16,
	UNSEEN_MAX = 2, /* events of a group without a slot */
	VALUES_MAX = SLOTS_MAX + UNSEEN_MAX,
	VALUE_NONE = 0xff,
};

struct perf {
	struct backend base;
	char root[256];
	int fd_limit;               /* first descriptor reserved for the rest of the program */
	bool limit_raised;          /* set once */
	struct switch_ring *ring;   /* by core */
	int rings_fd;               /* epoll of the rings in use */
	bool has_probed_cgroups;    /* base.no_cgroups is known */
	size_t ring_bytes;          /* of each ring, a power of two; 0: as much as users may have */
	_Atomic bool tasks_revoked; /* set when tasks' counters were taken away, until reported */
};

/* Order of the values in a kernel group's read; the leader's comes first. */
struct value_order {
	uint8_t n;
	uint8_t switches;         /* index of the context-switch count; VALUE_NONE */
	uint8_t slot[VALUES_MAX]; /* VALUE_NONE: no slot */
};

/* Id of all streams that sample tasks: their rings have no other records. */
#define TASKS_STREAM UINT64_MAX

/* Context switches of a group, and samples of one of its events, recorded in its core's ring. */
struct switch_stream {
	struct switch_ring *ring; /* NULL: none are recorded */
	struct switch_stream *next;
	uint64_t id;
	uint64_t n_switches, enabled_ns; /* in the last record */
	struct value_order order;
	uint8_t n_slots;
	bool has_period, has_chains;              /* in the records of samples */
	bool is_freq;                             /* the kernel chooses the period of each task */
	int sampled_fd;                           /* -1: none */
	uint64_t sampled_id;                      /* 0: none */
	uint64_t period, last_period, changed_ns; /* without has_period: it was changed then */
};

/**
 * Set the attributes of a counting event, or of a software event by id: one level or both, no guest, no
 * inheritance.
 *
 * @leader  a leader starts disabled and controls the group; siblings start enabled
 */
void perf_attr(const struct pmu *pmu, const uint64_t *config, enum privilege privilege, bool leader,
	       union perf_attr *ret);
void perf_attr_software(uint64_t id, enum privilege privilege, bool leader, union perf_attr *ret);

/**
 * Open an event on one CPU. Retry without exclude_guest if the PMU refuses it, and with a higher
 * file limit if descriptors ran out.
 *
 * @leader  descriptor of the group's leader; -1: become one
 * @return  descriptor or -errno
 */
int perf_open(struct perf *perf, union perf_attr *attr, unsigned cpu, int leader);

/** Open a single event for a task and what it starts. @cpu  -1: any */
int perf_open_task(struct perf *perf, union perf_attr *attr, pid_t tid, int cpu);

/** Explain why whole CPUs may not be counted, with the commands that fix it. @code the kernel's
 * errno  @return -EACCES */
int perf_denied(const char *root, int code, struct err *err);

/** Explain the same for tasks. @pid  one of them; 0: our own */
int perf_tasks_denied(const char *root, pid_t pid, int code, struct err *err);

/** backend_ops.group_*: see backend.h */
int perf_group_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err);
void perf_group_close(struct group *group);
int perf_group_enable(struct group *group);
int perf_group_disable(struct group *group);
int perf_group_read(struct group *group, struct sample *ret);

/** Set the attributes for recording a group's context switches, one record each with all values of
 * the group, and the names, starts and ends of tasks. @leader  of the group, or a member */
void perf_switches_attr(bool leader, union perf_attr *ret);

/** Let records of an event's group use the clock of samples. */
void perf_switches_clock(union perf_attr *attr);

/** Let them also record the cgroup of who leaves, and new cgroups. @attr  of perf_switches_attr */
void perf_switches_add_cgroups(union perf_attr *attr);

/** Make a member of such a group a sampled one. @attr  of perf_attr */
void perf_sampled_attr(const struct event *event, const struct sample_rate *rate, bool has_cgroups,
		       bool has_chains, union perf_attr *attr);

/** Do so for an event of tasks, with the records of their names, starts, ends and mappings. */
void perf_sampled_tasks_attr(const struct event *event, const struct sample_rate *rate,
			     bool has_chains, union perf_attr *attr);

/** Read how many samples per second the kernel allows. */
void perf_read_limit(struct perf *perf);

/** Record a group's switches in its core's ring; the first group opens it. Main thread.
 *
 * @fd      an event of perf_switches_attr; -1: none, the stream is TASKS_STREAM
 * @stream  with order, n_slots and, if there is one, the sampled event
 * @return  0; -EPERM and -ENOMEM: no memory for records; -errno */
int perf_switches_join(struct perf *perf, const struct core *core, int fd,
		       struct switch_stream *stream, struct err *err);

/** Leave the ring; the last stream closes it. No effect without a ring. Main thread. */
void perf_switches_leave(struct switch_stream *stream);

/** backend_ops.cgroups */
void perf_cgroups(struct backend *backend, const struct switch_sink *sink);

/** Create the cores' rings, without memory for records. @return 0 or -errno */
int perf_rings_new(struct perf *perf);

/** Free the rings, after all groups; they may be NULL. */
void perf_rings_free(struct perf *perf);

/** backend_ops.switches_fd */
int perf_switches_fd(const struct backend *backend);

/** backend_ops.switches_drain */
void perf_switches_drain(struct backend *backend, unsigned core, const struct switch_sink *sink);

/** backend_ops.sample_every */
void perf_sample_every(struct backend *backend, unsigned core, uint64_t stream, uint64_t period);

/** Describe why the kernel refused one event. @code  positive errno */
const char *perf_reason(int code);

#endif
