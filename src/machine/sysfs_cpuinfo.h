/* sysfs_cpuinfo.h: what only /proc/cpuinfo says: the x86 identity, and MIDR on older arm64 */
#ifndef MACHINE_SYSFS_CPUINFO_H
#define MACHINE_SYSFS_CPUINFO_H

#include "machine/machine.h"

/**
 * Fill model and cpuid ("AuthenticAMD-26-2-1", as Linux perf writes it) from the first processor,
 * and every core's midr where the fields of one are listed. What is not there stays as it was.
 */
void sysfs_cpuinfo(const char *root, struct machine *machine);

#endif
