/* sink_rig.h: a folder for a test's files, and sinks that write there */
#ifndef RIG_SINK_RIG_H
#define RIG_SINK_RIG_H

#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/write/sink.h"

static char folder[64];

static inline const char *in_folder(const char *name)
{
	static char path[8][128];
	static unsigned turn;
	char *here = path[turn++ % 8];

	snprintf(here, sizeof(path[0]), "%s/%s", folder, name);
	return here;
}

static inline void put(const char *path, const char *bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(bytes, file);
	fclose(file);
}

static inline const char *got(const char *path)
{
	static char bytes[256];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

static inline int make_folder(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(folder, sizeof(folder), "/tmp/m1top-sink-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[128];

	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static inline int write_line(const char *path, enum sink_mode mode, struct err *err)
{
	struct sink *sink;
	int rc = sink_open(path, mode, &sink, err);

	if (rc)
		return rc;
	rc = sink_write(sink, "new\n", 4, err);

	int closed = sink_close(sink, err);

	return rc ? rc : closed;
}

static inline struct sink *open_limited(const char *path, enum sink_mode mode, uint64_t max_bytes,
					unsigned keep)
{
	const struct sink_limits limits = { .max_bytes = max_bytes, .keep = keep };
	struct err err = { "" };
	struct sink *sink;

	if (sink_open(path, mode, &sink, &err) || sink_limit(sink, &limits, &err))
		fail_msg("%s", err.text);
	return sink;
}

#endif
