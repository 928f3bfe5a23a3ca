/* perf.h: what the files of the perf backend share; nobody else includes it */
#ifndef BACKEND_PERF_PERF_H
#define BACKEND_PERF_PERF_H

#include <linux/perf_event.h>

#include "backend/backend.h"

/* config3 (Linux 6.3) is newer than the headers of some systems: it lies behind their last field.
 * An older kernel takes the longer attributes as long as it is zero. */
union perf_attr {
	struct perf_event_attr attr;
	uint64_t word[17];
};

enum { PERF_ATTR_CONFIG3 = 16 };

struct perf {
	struct backend base;
	char root[256];
	int fd_limit;      /* descriptors from here on are left to the rest of the program */
	bool limit_raised; /* done once */
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

/** The same of a process and what it starts, wherever they run; an event by itself. */
int perf_open_task(struct perf *perf, union perf_attr *attr, pid_t pid);

/** Why nothing may be opened, and the commands that fix it. @code what the kernel said  @return -EACCES */
int perf_denied(const char *root, int code, struct err *err);

/** How many events of its own a core PMU takes in one group on a CPU, at most CORE_SLOTS_MAX. */
unsigned perf_count_counters(struct perf *perf, const struct pmu *pmu, unsigned cpu);

/** Does the kernel's NMI watchdog run? On most x86 it pins a counter of every CPU. */
bool perf_has_watchdog(const char *root);

/** Does it hold a counter? Where cores watch each other (Linux 6.5 and later, most arm64) it does not. */
bool perf_watchdog_holds(const char *root);

/** backend_ops.probe */
int perf_probe(const struct backend_config *config, struct err *err);

/** backend_ops.group_*: see backend.h */
int perf_group_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err);
void perf_group_close(struct group *group);
int perf_group_enable(struct group *group);
int perf_group_disable(struct group *group);
int perf_group_read(struct group *group, struct sample *ret);

/** backend_ops.tasks_*: see backend.h */
int perf_tasks_open(struct backend *backend, pid_t pid, const struct set *set, struct tasks **ret,
		    struct err *err);
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
