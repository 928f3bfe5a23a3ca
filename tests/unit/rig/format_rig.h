/* format_rig.h: a hand-made session that holds every quality a count can have */
#ifndef TESTS_FORMAT_RIG_H
#define TESTS_FORMAT_RIG_H

#include "rig/harness.h"

#include <string.h>

#include "session/format.h"

enum { N_CORES = 3, N_SLOTS = 7 };

/** Machine of two E cores and a P core. */
extern struct machine format_rig_machine;

/** Event of cycles on E cores. */
extern const struct event format_rig_cycles_e;

/** Event of instructions on E cores. */
extern const struct event format_rig_inst_e;

/* Metrics of the session: metric 5 exists on P cores only. */
enum { N_METRICS = 6, P_ONLY = 5 };

/** Metrics of the session. */
extern struct metrics format_rig_metrics;

/** Set of frames 1 and 2. */
extern struct frame_set format_rig_first;

/** Set of frame 3: the P core counts one event less. */
extern struct frame_set format_rig_second;

/** Compile the metrics and bind them to both sets. */
int format_rig_setup(void **state);

/** Free the compiled metrics. */
int format_rig_teardown(void **state);

/** A count, in ms. */
struct cell {
	uint64_t value, enabled_ms, running_ms;
	enum quality quality;
};

/** Make a frame of 100 ms without counts. @number  from 1 on, in time order */
struct frame *format_rig_make_frame(uint64_t number, struct frame_set *of);

/** Fill a core's counts and evaluate its metrics. @at  core; @cell  N_SLOTS cells */
void format_rig_fill(struct frame *frame, unsigned at, const struct cell *cell);

/**
 * Make a frame of the session.
 *
 * @number  1: every core is on; 2: cpu1 is off; 3: after a gap, with another set and another interval
 */
struct frame *format_rig_frame(unsigned number);

/** Get a context for these rows, without metrics. */
struct format_context format_rig_context(enum frame_by by);

/** Get a context for these rows, with all metrics. */
struct format_context format_rig_with_metrics(enum frame_by by);

/** Write the whole session: three frames, a mark and a gap. */
void format_rig_write(const struct format *format, struct format_context *context,
		      struct text *out);

#endif
