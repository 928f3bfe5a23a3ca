/* log_rig.h: the simulated machine logged to a file, and what a reader finds there */
#ifndef RIG_LOG_RIG_H
#define RIG_LOG_RIG_H

#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/shared/setup.h"
#include "session/writer.h"

/** Limits of a log that is not limited. */
extern const struct sink_limits log_rig_no_limits;

/** Temporary folder of the test. */
extern char log_rig_folder[64];

/** Simulated machine that is logged. */
extern struct setup log_rig_setup;

/** Path of the log. */
extern char log_rig_path[128];

/** Make the folder and set the path. */
int log_rig_make_folder(void **state);

/** Remove the folder. */
int log_rig_remove_folder(void **state);

/** Open the simulation with these options. */
void log_rig_open(const char *sim_options, uint64_t interval_ms);

/** Start the sampler and the log; the test fails if they do not start. @asked  NULL: default */
struct log *log_rig_start_asked(const struct session_request *asked);

/** Start the sampler and the log of the default session. */
struct log *log_rig_start(void);

/** Take n steps of the sampler. */
void log_rig_step(unsigned n);

/** Put another event into a slot of the running set. */
void log_rig_change(unsigned slot, const char *event);

/** Contents of a log, as a reader finds them. */
struct found {
	unsigned metric_rows, metrics; /* not part of the counts below */
	unsigned rows, headers, sets, marks, gaps, off, on, own, others;
	unsigned bad; /* rows without thirteen columns */
	unsigned long last_set;
	uint64_t gap_frames, first_tick, last_tick, ticks;
	double last_s;
	bool ends_whole;
};

/** Read the log and count its rows and notes. */
struct found log_rig_read(void);

#endif
