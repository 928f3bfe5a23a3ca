/* literal.h: #smt_on and its like: what the machine is, as perf's expressions ask for it */
#ifndef METRICS_LITERAL_H
#define METRICS_LITERAL_H

#include "pmu/machine.h"

/**
 * One literal, case ignored: #smt_on #core_wide #num_cpus #num_cpus_online #num_cores #num_dies
 * #num_packages #slots #system_tsc_freq #has_pmem. A simulated machine is asked itself, another
 * one through sysfs; what it does not say is NaN, or 0 where perf says 0.
 *
 * @root   as in sysfs.h
 * @type   core type, for #slots
 * @return 0, or -ENOENT when there is no such literal
 */
int literal_read(const char *root, const struct machine *machine, unsigned type, const char *name,
		 double *ret);

#endif
