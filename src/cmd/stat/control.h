/* control.h: commands to stat from another program, over a FIFO or an open file, as perf stat takes them */
#ifndef CMD_STAT_CONTROL_H
#define CMD_STAT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum control_command {
	CONTROL_NONE, /* nothing (more) now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_STOP,
};

struct control {
	int fd;        /* -1: none, or its writer is gone */
	int ack_fd;    /* -1: none */
	bool owns;     /* fifo: we opened them */
	char line[64]; /* of a command that is not complete */
	size_t n;      /* of these; beyond the end: the line is too long */
};

/**
 * Open what --control names: "fifo:PATH[,PATH]" with the rights of sudo's caller, or "fd:N[,N]".
 *
 * @spec    NULL: none, then there is never a command
 * @return  0; -EINVAL or -errno
 */
int control_open(const char *spec, struct control *ret, struct err *err);

/** Close what was opened. NULL is accepted. */
void control_close(struct control *control);

/**
 * The next command. Never waits.
 *
 * @ret_said  what it was that is no command; "" when there is nothing to say
 */
enum control_command control_next(struct control *control, struct err *ret_said);

/** Say that the last command is done: "ack", a newline and a NUL, as perf does. */
void control_ack(const struct control *control);

#endif
