/* openmetrics.h: totals as the text that Prometheus reads: OpenMetrics 1.0 or its text format 0.0.4 */
#ifndef SESSION_SERVE_OPENMETRICS_H
#define SESSION_SERVE_OPENMETRICS_H

#include "session/format/format.h"
#include "session/serve/totals.h"

enum openmetrics_flavour {
	OPENMETRICS_1_0,   /* families without _total, units, # EOF */
	OPENMETRICS_0_0_4, /* Prometheus' older text format */
	N_OPENMETRICS_FLAVOURS,
};

/** Content-Type of each. */
extern const char *const openmetrics_type[N_OPENMETRICS_FLAVOURS];

/** What m1top itself uses, and when. */
struct openmetrics_own {
	uint64_t cpu_ns;
	uint64_t wakeups;
	uint64_t memory_bytes;
	uint64_t started_wall_ns;
	uint64_t zero_wall_ns;        /* time 0 of the session as the wall clock has it now */
	bool has_log, log_is_running; /* -o */
};

/** Of the calling process, now; without its log. @now_ns  time of the session */
void openmetrics_own(const struct format_context *context, uint64_t now_ns,
		     struct openmetrics_own *ret);

/** Which flavour an Accept header prefers. @accept  NULL: there was none */
enum openmetrics_flavour openmetrics_accepted(const char *accept);

/**
 * Append the whole exposition. What is not counted in a core's newest window has no sample.
 *
 * @context  with `shown` the metrics of -M; without, all that the set gives
 */
void openmetrics_write(const struct format_context *context, const struct totals *totals,
		       const struct openmetrics_own *own, enum openmetrics_flavour flavour,
		       struct text *out);

#endif
