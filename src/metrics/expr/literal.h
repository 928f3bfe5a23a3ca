/* literal.h: #smt_on and its like: what the machine is, as perf's expressions ask for it */
#ifndef METRICS_EXPR_LITERAL_H
#define METRICS_EXPR_LITERAL_H

#include "machine/machine.h"

enum { LITERALS_N = 10 };

/** What they are on each core type; NaN: nobody knows. */
struct literals {
	double value[TYPES_MAX][LITERALS_N];
	/* By the machine, or by the head of a session that was read back. */
	bool is_told[TYPES_MAX];
};

/** "smt_on": number `i` without its #. @return NULL beyond the last */
const char *literal_name(unsigned i);

/**
 * All literals: #smt_on #core_wide #num_cpus #num_cpus_online #num_cores #num_dies #num_packages
 * #slots #system_tsc_freq #has_pmem. A simulated machine is asked itself, another one through
 * sysfs, a recorded one never: what its cores and its model do not say is NaN. What sysfs does not
 * say is NaN, or 0 where perf says 0.
 *
 * @root  as in sysfs.h
 */
void literals_read(const char *root, const struct machine *machine, struct literals *ret);

/** One of them by name, "#smt_on", case ignored. @return 0, or -ENOENT when there is no such literal */
int literals_get(const struct literals *literals, unsigned type, const char *name, double *ret);

#endif
