/* reader_rig.h: a session file for tests of the reader */
#ifndef READER_RIG_H
#define READER_RIG_H

#include "rig/sampler_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/reader.h"

/** Path of the temporary file. */
extern char reader_rig_path[24];

/** Make the file. */
int reader_rig_make_file(void **state);

/** Remove the file. */
int reader_rig_remove_file(void **state);

/** Replace the bytes of the file. */
void reader_rig_store(const char *bytes, size_t n);

/**
 * Read the file to its end.
 *
 * @ret     NULL if it cannot be opened
 * @return  0 and the number of frames, or the error of reader_open or reader_next
 */
int reader_rig_read_all(struct reader **ret, size_t *ret_frames, struct err *err);

#endif
