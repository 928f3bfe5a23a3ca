/* program.h: other programs that are asked something, without a shell; the perf that is installed */
#ifndef CMD_SHARED_PROGRAM_H
#define CMD_SHARED_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct program {
	FILE *out; /* what it prints */
	pid_t pid;
};

/**
 * Start a program of $PATH. End it with program_end.
 *
 * @argv         ends with NULL
 * @with_errors  what it says on stderr comes to `out`, too; else nowhere
 * @return       0; -ENOENT: there is none; -errno
 */
int program_start(const char *const *argv, bool with_errors, struct program *ret);

/** Close `out` and wait for it. @return its exit status, 128 + the number of the signal that ended it */
int program_end(struct program *program);

/** What perf calls its version: "6.12.117". @return false: there is none */
bool perf_version(char *ret, size_t size);

/** Can it list its events as JSON, which Linux 6.3 and later can? */
bool perf_lists_json(const char *version);

#endif
