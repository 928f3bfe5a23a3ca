/* sysfs.h: PMUs, cores and their identity as Linux shows them, below a root that tests can move */
#ifndef MACHINE_SYSFS_H
#define MACHINE_SYSFS_H

#include <dirent.h>

#include "machine/machine.h"

/**
 * Read <root>/sys/bus/event_source/devices. Tracepoint, breakpoint, kprobe and uprobe are left out.
 *
 * A PMU whose files cannot be understood is left out and named in `err` while the rest is kept.
 *
 * @root   "" or "/" for the running machine
 * @return number of PMUs left out; -errno naming the file when there is nothing to read
 */
int sysfs_pmus(const char *root, struct pmus *ret, struct err *err);

/**
 * Fill cores, types, clusters, model and cpuid of a machine whose `pmus` were read.
 *
 * Types follow the core PMUs' `cpus`; without a core PMU all cores are one type. Clusters come
 * from topology/cluster_id where it says something, else the package, and never span two types.
 * An offline CPU shows no topology: it is in its neighbour's socket, and no core's SMT sibling.
 * Catalogues are not loaded here.
 *
 * @return 0; -ENOENT or -EINVAL naming the file
 */
int sysfs_machine(const char *root, struct machine *machine, struct err *err);

/** The CPUs that are online now. @return 0 or -errno naming the file */
int sysfs_online(const char *root, struct cpus *ret, struct err *err);

/** One short file without its newline. @return length; -errno; -EFBIG longer than buf */
int sysfs_read(const char *root, const char *path, char *buf, size_t size);

/** What a process calls itself, on one line. @pid  digits  @return as sysfs_read */
int sysfs_process_name(const char *pid, char *buf, size_t size);

/** Of a core: what it is. Absent while it is offline. */
#define SYSFS_MIDR "regs/identification/midr_el1"

/** The number in /sys/devices/system/cpu/cpuN/NAME. @return 0, or -errno naming it */
int sysfs_cpu_number(const char *root, unsigned cpu, const char *name, uint64_t *ret,
		     struct err *err);

/** A CPU of this type that is online; without one, or without sysfs, its first. */
unsigned sysfs_cpu_of_type(const char *root, const struct machine *machine, unsigned type);

/** Is there a file of this name? */
bool sysfs_exists(const char *root, const char *path);

/** A folder's entries by name; free each and the array. @return how many, or -errno */
int sysfs_list(const char *root, const char *path, struct dirent ***ret);

/** Does a name fit any of n patterns in the shell's form (*, ?)? */
bool sysfs_name_fits(const char *name, const char *const *pattern, size_t n);

#endif
