/* input.h: what an expression calls an event, taken apart; private to metrics/ */
#ifndef METRICS_EXPR_INPUT_H
#define METRICS_EXPR_INPUT_H

#include "metrics/expr/metric.h"

/** "cpu/EVENT,umask=1/u" taken apart: a PMU or "", what is counted, the levels if it names them. In
 * "EVENT/umask=1/" the event stands where the PMU would. */
struct metric_wanted {
	char pmu[EVENT_NAME_MAX], what[EVENT_NAME_MAX];
	bool has_privilege;
	bool is_latency; /* modifier R: how long the event took to retire, which no counter says */
	enum privilege privilege;
};

/** Take an input apart. */
struct metric_wanted metric_wanted_of(const char *input);

/** The same as metric_input_is() for one that was taken apart already. */
bool metric_is_wanted(const struct event *event, const char *input,
		      const struct metric_wanted *wanted);

#endif
