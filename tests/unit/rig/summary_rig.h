/* summary_rig.h: sessions in a file, and their summaries */
#ifndef TESTS_SUMMARY_RIG_H
#define TESTS_SUMMARY_RIG_H

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/sampler_rig.h"
#include "session/report/summary.h"

/** A session file and its summary. */
struct told {
	char path[40];
	struct reader *reader;
	struct metrics_selection wanted;
	struct summary summary;
};

/** Write a session to a temporary file and summarise it. @metrics  as in -M; NULL: all */
void told_make(struct told *told, const struct text *text, const char *metrics);

/** Free a summary and remove its file. */
void told_end(struct told *told);

/** Fail the test unless two numbers agree to within 1e-9. */
void assert_same(double is, double wanted);

/** Write the head of a session of two cores of one type that count two events, 100 ms a tick. */
void tell_head(struct text *text, const char *model);

/**
 * Write one count of one window.
 *
 * @count    NULL: none
 * @running  share of the window
 */
void tell_row(struct text *text, unsigned tick, unsigned cpu, unsigned slot, const char *count,
	      double running, const char *quality);

#endif
