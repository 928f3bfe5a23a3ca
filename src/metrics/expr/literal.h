/* literal.h: literals of perf's expressions that describe the machine: #smt_on and others */
#ifndef METRICS_EXPR_LITERAL_H
#define METRICS_EXPR_LITERAL_H

#include "pmu/machine.h"

enum { LITERALS_N = 10 };

/** Values on each core type; NaN: unknown. */
struct literals {
	double value[TYPES_MAX][LITERALS_N];
	/* values come from the machine, or from the head of a recorded session */
	bool is_told[TYPES_MAX];
};

/** Get the name of literal `i` without #: "smt_on". @return NULL beyond the last */
const char *literal_name(unsigned i);

/**
 * Read all literals: #smt_on #core_wide #num_cpus #num_cpus_online #num_cores #num_dies #num_packages #slots
 * #system_tsc_freq #has_pmem. Those of a simulated machine come from its description, those of a real one from sysfs,
 * those of a recorded one only from its cores and its model. Unknown ones are NaN, or 0 where perf has 0.
 *
 * @root  "" or "/" for the running machine
 */
void literals_read(const char *root, const struct machine *machine, struct literals *ret);

/** Get a literal by name, "#smt_on", ignoring case. @return 0, or -ENOENT if there is no such literal */
int literals_get(const struct literals *literals, unsigned type, const char *name, double *ret);

#endif
