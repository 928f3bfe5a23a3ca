/* openmetrics_name.h: metrics' names and units by Prometheus' rules; pure */
#ifndef SESSION_SERVE_OPENMETRICS_NAME_H
#define SESSION_SERVE_OPENMETRICS_NAME_H

#include <stddef.h>

#include "metrics/metrics.h"

enum { OPENMETRICS_NAME_MAX = 200 };

/** What a metric is called there. */
struct openmetrics_name {
	char text[OPENMETRICS_NAME_MAX]; /* "m1top_metric_branch_misses_per_instruction" */
	const char *unit; /* that it ends with, a base unit; "" where there is none */
	double factor;    /* reading × factor is in that unit */
};

/** The base unit of a unit of event data: "seconds" of "msec". @ret_factor  one in base units
 * @return  "" for a unit that is not known, and for none */
const char *openmetrics_unit(const char *unit, double *ret_factor);

/** Name in snake case, with its base unit behind it: a share in % becomes a ratio. */
void openmetrics_name(const struct metric *metric, struct openmetrics_name *ret);

#endif
