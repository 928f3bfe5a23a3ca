#include "session/write/sink_out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

enum { HURRY_MS = 100 };

/* @return 0; -ETIMEDOUT: nobody reads, and we are to end */
static int wait_for_reader(const struct sink_out *out)
{
	struct pollfd fd[] = {
		{ .fd = out->fd, .events = POLLOUT },
		{ .fd = out->stop_fd, .events = POLLIN },
	};

	if (!out->is_hurried)
		poll(fd, 2, -1);
	if (fd[0].revents || (!out->is_hurried && !fd[1].revents))
		return 0; /* or interrupted: come again */
	return poll(fd, 1, HURRY_MS) ? 0 : -ETIMEDOUT;
}

/* A pipe that poll calls writable takes at least PIPE_BUF without making us wait. The caller's own
 * stdout may be non-blocking: that is no failure, only a wait. */
ssize_t sink_out_write(const struct sink_out *out, const char *bytes, size_t n)
{
	for (;;) {
		int rc = out->is_stream ? wait_for_reader(out) : 0;

		if (rc) {
			errno = -rc;
			return -1;
		}

		ssize_t done = write(out->fd, bytes, out->is_stream && n > PIPE_BUF ? PIPE_BUF : n);

		if (done >= 0 || (errno != EINTR && errno != EAGAIN))
			return done;
	}
}
