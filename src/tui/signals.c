#include "tui/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tui/terminal.h"

int signals_take(sigset_t *ret_before, struct err *err)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(&set, handled[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_before);

	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd >= 0 ? fd : err_set(err, errno, "signalfd: %s", strerror(errno));
}

bool signals_answer(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return false;
	switch (info.ssi_signo) {
	case SIGTSTP: terminal_suspend(); return false;
	case SIGCONT: terminal_repaint(); return false;
	case SIGWINCH: terminal_resize(); return false;
	default: return true;
	}
}
