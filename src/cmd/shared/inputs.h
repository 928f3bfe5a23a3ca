/* inputs.h: session files that verbs read: not overwritten by their output; the baseline */
#ifndef CMD_SHARED_INPUTS_H
#define CMD_SHARED_INPUTS_H

#include "metrics/metrics.h"
#include "sampler/messages.h"
#include "cmd/options.h"

/**
 * Check that the output is none of the input files, under any name, even with --force or --append.
 *
 * @output  "-": standard output
 * @return  0; -EINVAL naming the file
 */
int inputs_check_output(const struct options *options, const char *output, struct err *err);

/** Check the same for a file that is open for writing. */
int inputs_spare_fd(const struct options *options, int fd, struct err *err);

struct baseline;

/**
 * Add up the whole session of --baseline, which is compared with the screen's figures. Parts of this machine and set that are not in it are reported as
 * messages.
 *
 * @metrics   metrics of the compared figures
 * @set       first set that is counted
 * @messages  also receives an error in the middle of the file
 * @ret       NULL without --baseline
 * @return    0; as reader_open; -EINVAL with the reason if nothing can be compared; -ENOMEM
 */
int baseline_file_read(const struct options *options, const struct metrics *metrics,
		       const struct set *set, struct messages *messages, struct baseline **ret,
		       struct err *err);

#endif
