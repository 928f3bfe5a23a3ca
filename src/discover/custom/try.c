/* Code of the user's runs in a child first: what crashes or never returns does so there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "discover/run/child.h"
#include "discover/custom/custom.h"

/* What takes longer for so little could not be swept. */
enum { LIMIT_S = 2 };

struct code_trial {
	kernel_fn *code;
	uint64_t n;
	struct workspace *workspace;
};

/* A child_fn. */
static int run(void *data)
{
	const struct code_trial *trial = data;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	workspace_prepare(trial->workspace, trial->n);
	trial->code(trial->n, workspace_memory(trial->workspace));
	return 0;
}

static int try(struct code_trial *trial, const char *place, const atomic_bool *stop,
	       struct err *err)
{
	pid_t pid = child_start(run, trial);
	int status, rc;

	if (pid < 0)
		return err_set(err, -pid, "fork: %s", strerror(-pid));
	rc = child_wait(pid, stop, LIMIT_S * NS_PER_S, &status);
	if (rc == -ECANCELED)
		return err_set(err, ECANCELED, "stopped");
	if (rc == -ETIMEDOUT)
		return err_set(err, EINVAL, "%s does not return within %d s", place, LIMIT_S);
	if (rc)
		return err_set(err, -rc, "waitpid: %s", strerror(-rc));
	if (WIFSIGNALED(status))
		return err_set(err, EINVAL, "%s crashes: %s", place, strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status) ? err_set(err, EINVAL, "%s ends the program", place) : 0;
}

int custom_try(const struct custom *custom, const char *path, const atomic_bool *stop,
	       struct err *err)
{
	static const uint64_t n[] = { 0, 1, 64 };
	kernel_fn *const code[2] = { custom->kernel.trigger, custom->kernel.control };
	struct workspace *workspace = NULL;
	int rc = workspace_new(&custom->kernel, 0, &workspace, err);

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(n) && !rc; i++) {
		struct code_trial trial = { code[i % 2], n[i / 2], workspace };
		char place[400];

		snprintf(place, sizeof(place), "%.300s: its %s, with n = %" PRIu64 ",", path,
			 i % 2 ? "control" : "trigger", trial.n);
		rc = try(&trial, place, stop, err);
	}
	workspace_free(workspace);
	return rc;
}
