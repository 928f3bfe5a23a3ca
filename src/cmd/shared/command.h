/* command.h: the program behind "--" and the signals that end stat */
#ifndef CMD_SHARED_COMMAND_H
#define CMD_SHARED_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct command {
	int signal_fd;   /* readable when a signal came */
	int stop_fd;     /* readable until SIGINT, SIGTERM or SIGHUP is taken in */
	sigset_t before; /* what was blocked before */
	pid_t pid;       /* 0: no command runs */
	int go_fd;       /* it waits for its start at the other end */
	bool ended;      /* the command ended by itself: exit_status holds */
	bool failed;     /* it could not be started: exit_status holds */
	int interrupted; /* the last of SIGINT, SIGTERM and SIGHUP that came; 0: none */
	int exit_status; /* as a shell has it: 128 + n for one that died of signal n, 127 for one
			   * that is not there, 126 for one that cannot be run */
};

/** Catch SIGINT and SIGTERM, even where they are ignored, as in what a script starts with &; SIGHUP
 * unless it is ignored, as under nohup; SIGCHLD. Ignore SIGPIPE.
 * @return 0 or -errno */
int command_init(struct command *ret, struct err *err);

/**
 * A process for it, of the user who called sudo, with signals as they were before. It waits for
 * command_start. Before root's rights are given up, as it has to have those that the program will have: the
 * kernel ends the counting of tasks that gain some by exec. And before the first thread is started.
 *
 * @return 0 or -errno
 */
int command_prepare(struct command *command, char **argv, struct err *err);

/** Let it become the program. @return 0; -errno naming the program */
int command_start(struct command *command, const char *name, struct err *err);

/** Take in the signals that came. */
void command_signals(struct command *command);

/** The same after waiting for one, `ms` at most. */
void command_wait(struct command *command, int ms);

/** Put signals back, end a command that still runs (SIGTERM) and wait for it. */
void command_fini(struct command *command);

#endif
