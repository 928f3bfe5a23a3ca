/* program.h: runs other programs without a shell and reads their output; queries the installed perf */
#ifndef CMD_SHARED_PROGRAM_H
#define CMD_SHARED_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct program {
	FILE *out; /* its standard output */
	pid_t pid;
};

/**
 * Start a program of $PATH. End it with program_end.
 *
 * @argv         NULL-terminated
 * @with_errors  redirect stderr to `out`, too; else to nowhere
 * @return       0; -ENOENT: there is none; -errno
 */
int program_start(const char *const *argv, bool with_errors, struct program *ret);

/** Close `out` and wait for the program. @return its exit status, or 128 + number of the signal that ended it */
int program_end(struct program *program);

/** Get perf's version: "6.12.117". @return false: no perf */
bool perf_version(char *ret, size_t size);

/** Whether perf can list its events as JSON (Linux 6.3 and later). */
bool perf_lists_json(const char *version);

#endif
