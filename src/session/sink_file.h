/* sink_file.h: a file that is opened for writing, with the caller's rights, and never in place of another */
#ifndef SESSION_SINK_FILE_H
#define SESSION_SINK_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/sink.h"

/**
 * As sink_open has it.
 *
 * @ret_size  bytes that it has: 0 unless it is appended to
 * @return    a descriptor; -errno saying what may be done
 */
int sink_file_open(const char *path, enum sink_mode mode, uint64_t *ret_size, struct err *err);

/** Does its name ask for compression? */
bool sink_file_is_zst(const char *path);

#endif
