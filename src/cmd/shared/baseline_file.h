/* baseline_file.h: --baseline: a session file that the screen's figures are compared with */
#ifndef CMD_SHARED_BASELINE_FILE_H
#define CMD_SHARED_BASELINE_FILE_H

#include "base/messages.h"
#include "cmd/options/options.h"
#include "metrics/metrics.h"

struct baseline;

/**
 * Add up the whole of the session. What of this machine and set is not in it is a message.
 *
 * @metrics   of the figures that are compared
 * @set       what is counted first
 * @messages  also what is wrong in the file from some line on
 * @ret       NULL without --baseline
 * @return    0; as reader_open; -EINVAL where nothing can be compared, and why; -ENOMEM
 */
int baseline_file_read(const struct options *options, const struct metrics *metrics,
		       const struct set *set, struct messages *messages, struct baseline **ret,
		       struct err *err);

#endif
