#include "cmd/shared/command.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/invoker.h"

/* Catch a signal unless it is ignored, for nohup: blocked signals are queued even if ignored.
 * SIGINT is caught in any case: a script starts commands with & and SIGINT ignored, and ends them
 * by it. */
static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

int command_init(struct command *ret, struct err *err)
{
	sigset_t caught;

	*ret = (struct command){ .go_fd = -1 };
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

static void reap(struct command *command, int flags)
{
	int status;

	if (!command->pid || waitpid(command->pid, &status, flags) != command->pid)
		return;
	command->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	command->pid = 0;
	command->ended = true;
}

/* Execute the program when the parent sends a byte, so that what this process did before is not counted. On an error
 * the parent gets errno through the socket; exec closes it. */
static void become(const struct command *command, char **argv, int socket)
{
	char go;

	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigprocmask(SIG_SETMASK, &command->before, NULL);
	if (invoker_become_for_good() || write(socket, "", 1) != 1 || read(socket, &go, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);

	int code = errno;

	_exit(write(socket, &code, sizeof(code)) == sizeof(code) ? 127 : 126);
}

int command_prepare(struct command *command, char **argv, struct err *err)
{
	int socket[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket))
		return err_set(err, errno, "socketpair: %s", strerror(errno));

	char ready;
	pid_t pid = fork();

	if (!pid) {
		close(socket[0]);
		become(command, argv, socket[1]);
	}
	close(socket[1]);
	if (pid < 0) {
		close(socket[0]);
		return err_set(err, errno, "fork: %s", strerror(errno));
	}
	command->pid = pid;
	command->go_fd = socket[0];
	if (read(socket[0], &ready, 1) != 1)
		return err_set(err, EIO, "cannot prepare the command");
	return 0;
}

int command_start(struct command *command, const char *name, struct err *err)
{
	int code = 0;

	if (write(command->go_fd, "", 1) == 1 &&
	    read(command->go_fd, &code, sizeof(code)) != sizeof(code))
		code = 0;
	close(command->go_fd);
	command->go_fd = -1;
	if (!code)
		return 0;
	reap(command, 0);
	command->ended = false;
	command->failed = true;
	command->exit_status = code == ENOENT ? 127 : 126;
	return err_set(err, code, "cannot run %s: %s", name, strerror(code));
}

/* Close all sockets before waiting for a process: each process holds the other ends of earlier ones. */
void command_drop(struct command *command, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		close(command[i].go_fd);
	for (unsigned i = 0; i < n; i++)
		waitpid(command[i].pid, NULL, 0);
}

void command_signals(struct command *command)
{
	struct signalfd_siginfo info;

	while (read(command->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			command->interrupted = (int)info.ssi_signo;
	reap(command, WNOHANG);
}

void command_wait(struct command *command, int ms)
{
	struct pollfd signal = { .fd = command->signal_fd, .events = POLLIN };

	poll(&signal, 1, ms);
	command_signals(command);
}

/* End the command. A stopped command handles SIGTERM after SIGCONT, as with a shell's `kill %1`. */
static void command_end(struct command *command)
{
	static const struct timespec soon = { .tv_sec = 2 };
	sigset_t child;

	sigaction(SIGCHLD, &(struct sigaction){ .sa_flags = SA_NOCLDSTOP }, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	kill(command->pid, SIGTERM);
	kill(command->pid, SIGCONT);
	sigtimedwait(&child, NULL, &soon);
	reap(command, WNOHANG);
	if (command->pid)
		fprintf(stderr,
			"m1top: waiting for the command (process %d), which has SIGTERM; "
			"another signal ends m1top at once\n",
			(int)command->pid);
	reap(command, 0);
	command->ended = false;
}

void command_fini(struct command *command)
{
	/* a signal may have come during a wait for a reader */
	command_signals(command);
	close(command->signal_fd);
	close(command->stop_fd);
	/* from here on a signal ends m1top at once: the command may be slow to end after SIGTERM */
	sigprocmask(SIG_SETMASK, &command->before, NULL);
	if (command->go_fd >= 0)
		close(command->go_fd);
	if (!command->pid)
		return;
	command_end(command);
}
