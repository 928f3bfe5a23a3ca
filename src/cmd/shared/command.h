/* command.h: runs the command after "--" and catches the signals that end stat */
#ifndef CMD_SHARED_COMMAND_H
#define CMD_SHARED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	int signal_fd;   /* readable after a signal */
	int stop_fd;     /* readable after SIGINT, SIGTERM or SIGHUP until they are taken */
	sigset_t before; /* signal mask before */
	pid_t pid;       /* 0: no running command */
	int go_fd;       /* the process waits for its start at the other end */
	bool ended;      /* the command exited; exit_status is valid */
	bool failed;     /* the command could not be started; exit_status is valid */
	int interrupted; /* last signal of SIGINT, SIGTERM and SIGHUP; 0: none */
	int exit_status; /* as in a shell: 128 + n after signal n, 127: not found, 126: not executable */
};

/** Catch SIGINT and SIGTERM, even if ignored, as for a command started with & in a script; SIGHUP
 * unless it is ignored, as under nohup; SIGCHLD. Ignore SIGPIPE.
 * @return 0 or -errno */
int command_init(struct command *ret, struct err *err);

/**
 * Fork a process for the command, as the user who called sudo, with the previous signal mask. It
 * waits for command_start. Call it before root's rights are dropped, so that the process keeps the
 * rights of the program: the kernel ends the counting of tasks that gain rights by exec. And before
 * the first thread is started.
 *
 * @return 0 or -errno
 */
int command_prepare(struct command *command, char **argv, struct err *err);

/** Let the process execute the program. @return 0; -errno naming the program */
int command_start(struct command *command, const char *name, struct err *err);

/** End processes that were prepared and will not start. */
void command_drop(struct command *command, unsigned n);

/** Take pending signals. */
void command_signals(struct command *command);

/** Wait for a signal, `ms` at most, and take pending signals. */
void command_wait(struct command *command, int ms);

/** Restore signals, end a command that still runs (SIGTERM, SIGCONT) and wait for it. */
void command_fini(struct command *command);

#endif
