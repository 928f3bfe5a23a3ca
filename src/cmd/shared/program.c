#include "cmd/shared/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int spawn(const char *const *argv, bool with_errors, int to, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	if (!rc && with_errors)
		rc = posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO);
	else if (!rc)
		rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						      O_WRONLY, 0);
	if (!rc)
		rc = posix_spawnp(ret, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

int program_start(const char *const *argv, bool with_errors, struct program *ret)
{
	int ends[2];

	*ret = (struct program){ 0 };
	if (pipe2(ends, O_CLOEXEC))
		return -errno;

	int rc = spawn(argv, with_errors, ends[1], &ret->pid);

	close(ends[1]);
	ret->out = rc ? NULL : fdopen(ends[0], "r");
	if (ret->out)
		return 0;
	close(ends[0]);
	if (!rc) {
		rc = -ENOMEM;
		waitpid(ret->pid, NULL, 0);
	}
	return rc;
}

int program_end(struct program *program)
{
	int status = 0;

	fclose(program->out);
	while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool perf_version(char *ret, size_t size)
{
	static const char *const argv[] = { "perf", "--version", NULL };
	struct program perf;
	char line[128] = "";

	if (program_start(argv, false, &perf))
		return false;

	bool is_there = fgets(line, sizeof(line), perf.out) && !strncmp(line, "perf version ", 13);

	program_end(&perf);
	if (is_there)
		snprintf(ret, size, "%.*s", (int)strcspn(line + 13, "\n"), line + 13);
	return is_there;
}

bool perf_lists_json(const char *version)
{
	char *rest;
	unsigned long major = strtoul(version, &rest, 10);
	unsigned long minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;

	/* perf built outside of Linux's git has no version: try it */
	return !*version || major > 6 || (major == 6 && minor >= 3);
}
