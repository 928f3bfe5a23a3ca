#include "discover/run/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum {
	LOOK_EVERY_MS = 100,
	ASK_EVERY_MS = 5, /* without pidfds (before Linux 5.3) */
};

/* m1top blocks and catches signals for its own sake. */
static void plain_signals(void)
{
	static const int caught[] = { SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT };
	sigset_t none;

	sigemptyset(&none);
	for (unsigned i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

pid_t child_start(child_fn *body, void *data)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		plain_signals();
		_exit(body(data));
	}
	if (pid < 0)
		return -errno;
	setpgid(pid, pid); /* it may not have come so far; whoever is second does nothing */
	return pid;
}

void child_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL); /* it may have left the group; not waited for, so the pid is its own */
}

static bool is_stopped(const atomic_bool *stop)
{
	/* relaxed: nothing else is read behind it */
	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* It stays a zombie, whose group nobody else can get. @return 1 it has ended; 0; -errno */
static int look(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG))
		return errno == EINTR ? 0 : -errno;
	return info.si_pid == pid;
}

static int watch(pid_t pid, const atomic_bool *stop, uint64_t limit_ns)
{
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	uint64_t from_ns = clock_now_ns();
	int rc;

	while (!(rc = look(pid))) {
		if (is_stopped(stop))
			return -ECANCELED;
		if (limit_ns && clock_now_ns() - from_ns > limit_ns)
			return -ETIMEDOUT;
		poll(&ended, 1, fd >= 0 ? LOOK_EVERY_MS : ASK_EVERY_MS);
	}
	return rc < 0 ? rc : is_stopped(stop) ? -ECANCELED : 0;
}

int child_wait(pid_t pid, const atomic_bool *stop, uint64_t limit_ns, int *ret_status)
{
	int rc = watch(pid, stop, limit_ns);

	child_kill(pid);
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return rc;
}
