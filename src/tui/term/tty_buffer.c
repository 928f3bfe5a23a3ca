#include "tui/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum { PATIENCE_MS = 300, CHUNK = 16 * 1024 };

/* -1 but while it is open */
static struct {
	int before;   /* what standard output was */
	int terminal; /* the same terminal, and writing to it never waits */
	off_t sent;   /* of what is kept */
	bool is_behind;
} outlet = { .before = -1, .terminal = -1 };

/* The caller's own descriptor is shared with the shell, where it must go on to wait. Where the
 * terminal belongs to somebody else (su) it cannot be opened, and then this waits too. */
static int open_terminal(void)
{
	int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd >= 0 ? fd : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

int outlet_open(struct err *err)
{
	int kept = memfd_create("screen", MFD_CLOEXEC), rc;

	outlet.sent = 0;
	outlet.is_behind = false;
	outlet.before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	outlet.terminal = open_terminal();
	if (kept < 0 || outlet.before < 0 || outlet.terminal < 0 || dup2(kept, STDOUT_FILENO) < 0)
		goto fail;
	close(kept);
	return 0;
fail:
	rc = err_set(err, errno, "the terminal cannot be used: %s", strerror(errno));
	if (kept >= 0)
		close(kept);
	outlet_close();
	return rc;
}

void outlet_close(void)
{
	if (outlet.before >= 0) {
		dup2(outlet.before, STDOUT_FILENO);
		close(outlet.before);
	}
	if (outlet.terminal >= 0)
		close(outlet.terminal);
	outlet.before = outlet.terminal = -1;
}

static void forget_kept(void)
{
	outlet.sent = 0;
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	if (ftruncate(STDOUT_FILENO, 0) < 0)
		return; /* memory it is, which can be given up */
}

/* @return bytes that the terminal has taken; 0: all of it; -1: it takes no more now */
static ssize_t send_some(void)
{
	char bytes[CHUNK];
	ssize_t n = pread(STDOUT_FILENO, bytes, sizeof(bytes), outlet.sent), taken;

	if (n <= 0)
		return 0;
	taken = write(outlet.terminal, bytes, (size_t)n);
	/* one that is gone takes everything */
	return taken >= 0 ? taken : errno == EAGAIN ? -1 : 0;
}

bool outlet_flush(void)
{
	ssize_t taken;

	if (outlet.terminal < 0)
		return true;
	while ((taken = send_some()) > 0)
		outlet.sent += taken;
	outlet.is_behind = taken < 0;
	if (!outlet.is_behind)
		forget_kept();
	return !outlet.is_behind;
}

bool outlet_drain(void)
{
	uint64_t end_ns = clock_now_ns() + PATIENCE_MS * NS_PER_MS;
	struct pollfd terminal = { .fd = outlet.terminal, .events = POLLOUT };

	while (!outlet_flush() && clock_now_ns() < end_ns)
		poll(&terminal, 1, PATIENCE_MS);
	return !outlet.is_behind;
}

int outlet_waits_for(void)
{
	return outlet.is_behind ? outlet.terminal : -1;
}

int outlet_terminal(void)
{
	return outlet.terminal >= 0 ? outlet.terminal : STDOUT_FILENO;
}
