/* file.h: findings as a file: JSON written, read back strictly, and event files made of it */
#ifndef DISCOVER_FINDINGS_FILE_H
#define DISCOVER_FINDINGS_FILE_H

#include "discover/findings/findings.h"

enum { FINDINGS_FORMAT = 1 }; /* "m1top_discover" at the head of a report */

/** Append the report. @findings  decided */
void findings_print(const struct findings *findings, struct text *ret);

/**
 * Read a report, strictly: what is missing, of another kind or contradicts itself is refused.
 *
 * @name   of the file, for messages
 * @ret    with new verdicts; release with findings_fini
 * @return 0; -EINVAL with the file and the place, as in "FILE: $.estimates[3].slope: …"; -ENOMEM
 */
int findings_parse(const char *name, const char *bytes, size_t n, struct findings *ret,
		   struct err *err);

/** What an event file names its events after. */
struct findings_events {
	unsigned n_factors; /* a simple factor of some kernel */
	unsigned n_time;    /* in proportion to cycles or nanoseconds */
	unsigned n_related; /* no simple factor */
	unsigned n_unsure;  /* left out: they go with time, or so it seems with one kernel */
};

/**
 * Append a file of events, as events/ has them, for ids that respond and that the catalogue does not
 * know: named after what they respond to most plainly, with all the evidence.
 *
 * @ret_events  how many there are
 */
void findings_print_events(const struct findings *findings, struct text *ret,
			   struct findings_events *ret_events);

/** Append the numbers of counters: "5,6,7". @between  them */
void findings_print_counters(uint64_t counters, const char *between, struct text *ret);

#endif
