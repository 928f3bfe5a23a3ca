/* sink_rig.h: a folder for a test's files, and sinks that write there */
#ifndef RIG_SINK_RIG_H
#define RIG_SINK_RIG_H

#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/sink.h"

/** Temporary folder of the test. */
extern char sink_rig_folder[64];

/** Get the path of a file in the folder, in one of eight static buffers. */
const char *sink_rig_path(const char *name);

/** Write a file. */
void sink_rig_put(const char *path, const char *bytes);

/** Read a file of up to 255 bytes into a static buffer. */
const char *sink_rig_read(const char *path);

/** Make the folder. */
int sink_rig_make_folder(void **state);

/** Remove the folder. */
int sink_rig_remove_folder(void **state);

/** Write the line "new" to a sink and close it. @return first error */
int sink_rig_write_line(const char *path, enum sink_mode mode, struct err *err);

#endif
