/* standard_output.h: standard output and standard error, filtered for people; output files */
#ifndef CMD_SHARED_STANDARD_OUTPUT_H
#define CMD_SHARED_STANDARD_OUTPUT_H

#include <stdio.h>

#include "session/sink.h"

/**
 * Filter `stdout` and `stderr` through base/shown.h from now on; their descriptors do not change.
 * Before anything is printed, main thread; without memory nothing changes.
 */
void standard_output_open(void);

/** Clear the terminal's line and move to its beginning. @out  stdout or stderr */
void standard_output_clear_line(FILE *out);

/** Open the output file of a whole text. @return as sink_open, but only --force is advised */
int output_open(const char *path, enum sink_mode mode, struct sink **ret, struct err *err);

/** Write a whole file and close it; on failure discard it.
 * @text  freed  @return 0 or -errno */
int output_put(struct sink *sink, struct text *text, struct err *err);

#endif
