/* cpus.h: a set of CPU numbers, the kernel's list form of it ("0-3,8"), and thread affinity */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CPUS_MAX = 4096 };

struct cpus {
	uint64_t word[CPUS_MAX / 64];
};

#define cpus_each(set, cpu) for (int cpu = -1; (cpu = cpus_next((set), cpu)) >= 0;)

/**
 * Parse a list such as "0-3,8\n"; the empty list is valid.
 *
 * @return  0 or -EINVAL with the offending text, -ERANGE for a CPU beyond CPUS_MAX
 */
int cpus_parse(const char *text, struct cpus *ret, struct err *err);

/** Format a set as a list, shortened with "…" if buf is too small. @return buf */
const char *cpus_format(const struct cpus *set, char *buf, size_t size);

/** Return the next member above `after`. @after -1 to begin  @return CPU number, or -1 at the end */
int cpus_next(const struct cpus *set, int after);

/** Count the members. */
unsigned cpus_count(const struct cpus *set);

/** Add one CPU. @cpu 0..CPUS_MAX-1 */
void cpus_add(struct cpus *set, unsigned cpu);

/** Whether a CPU is a member; any number is valid. */
bool cpus_has(const struct cpus *set, unsigned cpu);

/** Get the affinity of the calling thread. @return 0 or -errno */
int cpus_get_affinity(struct cpus *ret);

/** Set the affinity of the calling thread. @return 0; -EINVAL: no member is online and in
 * the thread's cpuset; -EPERM */
int cpus_set_affinity(const struct cpus *set);

/** Pin the calling thread to one CPU. @return as cpus_set_affinity */
int cpus_pin(unsigned cpu);

#endif
