#include "cmd/shared/command.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Blocked signals are queued even when they were ignored. So nohup must go on working; but SIGINT is
 * ignored by whatever a script starts with &, and is how one ends it. */
static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

int command_init(struct command *ret, struct err *err)
{
	sigset_t caught;

	*ret = (struct command){ 0 };
	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	add_unless_ignored(&caught, SIGHUP);
	ret->stop_fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaddset(&caught, SIGCHLD);
	ret->signal_fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	if (ret->signal_fd < 0 || ret->stop_fd < 0)
		return err_set(err, errno, "signalfd: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &caught, &ret->before);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	return 0;
}

int command_start(struct command *command, char **argv, struct err *err)
{
	posix_spawnattr_t attr;
	sigset_t plain;

	sigemptyset(&plain);
	sigaddset(&plain, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &command->before);
	posix_spawnattr_setsigdefault(&attr, &plain);

	int rc = posix_spawnp(&command->pid, argv[0], NULL, &attr, argv, environ);

	posix_spawnattr_destroy(&attr);
	if (!rc)
		return 0;
	command->pid = 0;
	command->failed = true;
	command->exit_status = rc == ENOENT ? 127 : 126;
	return err_set(err, rc, "cannot run %s: %s", argv[0], strerror(rc));
}

static void reap(struct command *command, int flags)
{
	int status;

	if (!command->pid || waitpid(command->pid, &status, flags) != command->pid)
		return;
	command->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	command->pid = 0;
	command->ended = true;
}

void command_signals(struct command *command)
{
	struct signalfd_siginfo info;

	while (read(command->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			command->interrupted = true;
	}
	reap(command, WNOHANG);
}

void command_wait(struct command *command, int ms)
{
	struct pollfd signal = { .fd = command->signal_fd, .events = POLLIN };

	poll(&signal, 1, ms);
	command_signals(command);
}

void command_fini(struct command *command)
{
	/* one that came while we waited for somebody to read, and was never taken in */
	command_signals(command);
	close(command->signal_fd);
	close(command->stop_fd);
	/* from here on a signal ends m1top at once: the command may take its time over SIGTERM */
	sigprocmask(SIG_SETMASK, &command->before, NULL);
	if (!command->pid)
		return;
	kill(command->pid, SIGTERM);
	reap(command, 0);
	command->ended = false;
}
