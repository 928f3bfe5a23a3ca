/* selfcheck.h: kernels whose counts are known, counted: is what is measured what was done? */
#ifndef DISCOVER_SWEEP_SELFCHECK_H
#define DISCOVER_SWEEP_SELFCHECK_H

#include "backend/backend.h"

enum { SELFCHECK_ROWS = 16 };

/** What the architecture leaves to the words "reasonable degree of inaccuracy": more than this in a
 * piece of plain code is worth a look. */
#define SELFCHECK_LIMIT_PCT 1.0

enum selfcheck_state {
	SELFCHECK_MEASURED,
	SELFCHECK_NO_EVENT,  /* no event of this core type is known to count it */
	SELFCHECK_NO_KERNEL, /* this processor cannot run it, or it got no memory */
	SELFCHECK_NOT_COUNTED,
	SELFCHECK_DISTURBED, /* never left alone long enough */
};

/** One kernel and what it does, on one core type. */
struct selfcheck {
	const char *kernel;
	const char *what; /* "instructions" */
	char event[128];  /* that counts it here; "" */
	enum selfcheck_state state;
	char why[160];          /* the reason, where it was not measured; may be "" */
	double measured, truth; /* both beyond a run of nothing, whose reads count too */
};

/** Told before each row. */
typedef void selfcheck_progress_fn(void *context, unsigned done, unsigned all);

/**
 * Count every row on the last core of a type.
 *
 * @events  of the backend's machine
 * @ret     room for SELFCHECK_ROWS
 * @return  rows; -ENODEV the core is offline; -EACCES
 */
int selfcheck_counts(struct backend *backend, struct event_table *events, unsigned type,
		     selfcheck_progress_fn *progress, void *context, struct selfcheck *ret,
		     struct err *err);

/** How far the measured is from the true, in per cent. */
double selfcheck_off_pct(const struct selfcheck *row);

/** Is it further than SELFCHECK_LIMIT_PCT? */
bool selfcheck_is_off(const struct selfcheck *row);

#endif
