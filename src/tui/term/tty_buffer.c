#include "tui/term/tty_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum { PATIENCE_MS = 300, CHUNK = 16 * 1024 };

/* descriptors are -1 while closed */
static struct {
	int before;   /* the former standard output */
	int terminal; /* the same terminal, non-blocking */
	off_t sent;   /* bytes of the buffer already written */
	bool is_behind;
	int claimed; /* opened by tty_buffer_claim, until tty_buffer_open */
} tty_buffer = { .before = -1, .terminal = -1, .claimed = -1 };

/* Open the terminal again: the caller's descriptor is shared with the shell and must stay blocking.
 * Another user's terminal (su) cannot be opened: then writes block. */
static int open_terminal(void)
{
	int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd >= 0 ? fd : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

void tty_buffer_claim(void)
{
	if (tty_buffer.claimed < 0)
		tty_buffer.claimed = open_terminal();
}

int tty_buffer_open(struct err *err)
{
	int kept = memfd_create("screen", MFD_CLOEXEC), rc;

	tty_buffer.sent = 0;
	tty_buffer.is_behind = false;
	tty_buffer.before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	tty_buffer_claim();
	tty_buffer.terminal = tty_buffer.claimed;
	tty_buffer.claimed = -1;
	if (kept < 0 || tty_buffer.before < 0 || tty_buffer.terminal < 0 ||
	    dup2(kept, STDOUT_FILENO) < 0)
		goto fail;
	close(kept);
	return 0;
fail:
	rc = err_set(err, errno, "the terminal cannot be used: %s", strerror(errno));
	if (kept >= 0)
		close(kept);
	tty_buffer_close();
	return rc;
}

void tty_buffer_close(void)
{
	if (tty_buffer.before >= 0) {
		dup2(tty_buffer.before, STDOUT_FILENO);
		close(tty_buffer.before);
	}
	if (tty_buffer.terminal >= 0)
		close(tty_buffer.terminal);
	tty_buffer.before = tty_buffer.terminal = -1;
}

static void forget_kept(void)
{
	tty_buffer.sent = 0;
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	if (ftruncate(STDOUT_FILENO, 0) < 0)
		return; /* cannot fail: the file is in memory */
}

/* @return bytes that the terminal has taken; 0: all is written; -1: it takes no more now */
static ssize_t send_some(void)
{
	char bytes[CHUNK];
	ssize_t n = pread(STDOUT_FILENO, bytes, sizeof(bytes), tty_buffer.sent), taken;

	if (n <= 0)
		return 0;
	taken = write(tty_buffer.terminal, bytes, (size_t)n);
	/* a terminal that is gone takes everything */
	return taken >= 0 ? taken : errno == EAGAIN ? -1 : 0;
}

bool tty_buffer_flush(void)
{
	ssize_t taken;

	if (tty_buffer.terminal < 0)
		return true;
	while ((taken = send_some()) > 0)
		tty_buffer.sent += taken;
	tty_buffer.is_behind = taken < 0;
	if (!tty_buffer.is_behind)
		forget_kept();
	return !tty_buffer.is_behind;
}

bool tty_buffer_drain(void)
{
	uint64_t end_ns = clock_now_ns() + PATIENCE_MS * NS_PER_MS;
	struct pollfd terminal = { .fd = tty_buffer.terminal, .events = POLLOUT };

	while (!tty_buffer_flush() && clock_now_ns() < end_ns)
		poll(&terminal, 1, PATIENCE_MS);
	return !tty_buffer.is_behind;
}

int tty_buffer_waits_for(void)
{
	return tty_buffer.is_behind ? tty_buffer.terminal : -1;
}

int tty_buffer_terminal(void)
{
	return tty_buffer.terminal >= 0 ? tty_buffer.terminal : STDOUT_FILENO;
}
