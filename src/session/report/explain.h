/* explain.h: how events vary with the work, and which of them explain its cycles per instruction */
#ifndef SESSION_REPORT_EXPLAIN_H
#define SESSION_REPORT_EXPLAIN_H

#include "session/report/summary.h"

/** An event on the cores of a type: by window its rate, and the cycles per instruction of the same time. */
struct explained {
	const struct event *event; /* of the reader */
	unsigned type;
	struct count sum[2];      /* the event, and instructions in the same windows */
	struct distribution rate; /* per 1000 instructions */
	struct distribution cpi;
	double together; /* Σ (rate - mean) × (cpi - mean) */

	/* Calculated at the end; NaN: unknown. Intervals are of 95 %. */
	double per_kinst, per_kinst_error; /* events per 1000 instructions of the session, ± */
	double peak;                       /* p95 ÷ median of the rate */
	double share, low, high;           /* of the variance of CPI that it explains, 0 … 1 */
	double cycles, cycles_error;       /* change of the cycles per event, ± */
};

/** All of a session. `{ .machine = …, .metrics = … }` is empty. */
struct explain {
	const struct machine *machine;
	const struct metrics *metrics;
	struct explained
		*event; /* at the end those that explain most first, then the most uneven */
	size_t n, cap;
	bool failed;           /* out of memory */
	const struct set *set; /* of the last frame */
	struct explain_column {
		int16_t event; /* index; -1: none, or an earlier column has it, too */
		int16_t instructions, cycles; /* columns, in the same mux group if they are there */
	} column[TYPES_MAX][COLUMNS_MAX];
};

/** Add the windows of the core types. */
void explain_add(struct explain *explain, const struct frame *frame);

/** Calculate the results and sort. */
void explain_end(struct explain *explain);

/** Find the preset that counts most of what the first five events of a type explain. @return NULL: none */
const struct catalog_preset *explain_preset(const struct explain *explain, unsigned type);

/** Release. NULL is accepted. */
void explain_fini(struct explain *explain);

#endif
