/* reader_rig.h: a session file for tests of the reader */
#ifndef READER_RIG_H
#define READER_RIG_H

#include "rig/sampler_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/read/reader.h"

static char path[] = "/tmp/test_reader.XXXXXX";

static inline int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static inline void store(const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* @return 0 and the number of frames, or what reader_open or reader_next said */
static inline int read_all(struct reader **ret, size_t *ret_frames, struct err *err)
{
	struct session_item item = { .what = SESSION_FRAME };
	size_t n = 0;
	int rc = reader_open(path, 0, NULL, ret, err);

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

#endif
