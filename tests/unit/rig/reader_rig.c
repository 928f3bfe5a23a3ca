/* reader_rig.c: a session file for tests of the reader */
#include "rig/reader_rig.h"

#include <stdlib.h>

char reader_rig_path[24] = "/tmp/test_reader.XXXXXX";

int reader_rig_make_file(void **state)
{
	int fd = mkstemp(reader_rig_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

int reader_rig_remove_file(void **state)
{
	(void)state;
	return unlink(reader_rig_path);
}

void reader_rig_store(const char *bytes, size_t n)
{
	int fd = open(reader_rig_path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

int reader_rig_read_all(struct reader **ret, size_t *ret_frames, struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	size_t n = 0;
	int rc = reader_open(reader_rig_path, 0, NULL, ret, err);

	if (rc) {
		*ret = NULL;
		return rc;
	}
	while (!(rc = reader_next(*ret, &item, err)) && item.what != SESSION_END) {
		n += item.what == SESSION_FRAME;
		frame_unref(item.frame);
	}
	*ret_frames = n;
	return rc;
}
