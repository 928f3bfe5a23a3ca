/* sink_rig.c: a folder for a test's files, and sinks that write there */
#include "rig/sink_rig.h"

char sink_rig_folder[64];

const char *sink_rig_path(const char *name)
{
	static char path[8][128];
	static unsigned turn;
	char *here = path[turn++ % 8];

	snprintf(here, sizeof(path[0]), "%s/%s", sink_rig_folder, name);
	return here;
}

void sink_rig_put(const char *path, const char *bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(bytes, file);
	fclose(file);
}

const char *sink_rig_read(const char *path)
{
	static char bytes[256];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

int sink_rig_make_folder(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(sink_rig_folder, sizeof(sink_rig_folder), "/tmp/m1top-sink-XXXXXX");
	return mkdtemp(sink_rig_folder) ? 0 : -1;
}

int sink_rig_remove_folder(void **state)
{
	char command[128];

	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	snprintf(command, sizeof(command), "rm -rf %s", sink_rig_folder);
	return system(command);
}

int sink_rig_write_line(const char *path, enum sink_mode mode, struct err *err)
{
	struct sink *sink;
	int rc = sink_open(path, mode, &sink, err);

	if (rc)
		return rc;
	rc = sink_write(sink, "new\n", 4, err);

	int closed = sink_close(sink, err);

	return rc ? rc : closed;
}
