/* history_file.h: the history of a session written to a session file, some of it at a time */
#ifndef SESSION_WRITE_HISTORY_FILE_H
#define SESSION_WRITE_HISTORY_FILE_H

#include "sampler/history.h"
#include "session/format/format.h"

struct history_file;

/**
 * Begin a new file with the cells that there are now: each becomes a frame; one that several frames
 * were put together to has their sum and their windows' length.
 *
 * @history     held (history_hold) until the file is closed
 * @context  of the session; copied
 * @path     as in sink_open
 * @return   0; -ENODATA without a cell; as sink_open
 */
int history_file_open(const struct history *history, const struct format_context *context,
		      const char *path, struct history_file **ret, struct err *err);

/** Write on for about so long. @return 1: there is more; 0: that was all; -errno */
int history_file_write(struct history_file *file, uint64_t budget_ns, struct err *err);

/**
 * Close it. NULL is accepted.
 *
 * @ret_said  "wrote FILE, 600 frames, 1.2 MB; m1top replay FILE"; may be NULL
 * @return    as sink_close
 */
int history_file_close(struct history_file *file, struct err *ret_said, struct err *err);

#endif
