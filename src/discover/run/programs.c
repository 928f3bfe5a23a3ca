#include "discover/run/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"

/* ---- children ---- */

enum {
	LOOK_EVERY_MS = 100,
	ASK_EVERY_MS = 5, /* without pidfds (before Linux 5.3) */
};

/* Undo m1top's signal mask and handlers. */
static void plain_signals(void)
{
	static const int caught[] = { SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT };
	sigset_t none;

	sigemptyset(&none);
	for (unsigned i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

pid_t child_start(child_fn *body, void *data)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		plain_signals();
		_exit(body(data));
	}
	if (pid < 0)
		return -errno;
	setpgid(pid, pid); /* the child may not have done it yet; the second call has no effect */
	return pid;
}

/* Kill it and its group; child_wait must follow. */
static void child_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL); /* it may have left the group; its pid is not reused before the wait */
}

/* Whether it has ended; it stays a zombie, so that its group id is not reused. @return 1, 0 or -errno */
static int child_look(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG))
		return errno == EINTR ? 0 : -errno;
	return info.si_pid == pid;
}

static int child_watch(pid_t pid, const atomic_bool *stop, uint64_t limit_ns)
{
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	uint64_t from_ns = clock_now_ns();
	int rc;

	while (!(rc = child_look(pid))) {
		if (is_stopped(stop))
			return -ECANCELED;
		if (limit_ns && clock_now_ns() - from_ns > limit_ns)
			return -ETIMEDOUT;
		poll(&ended, 1, fd >= 0 ? LOOK_EVERY_MS : ASK_EVERY_MS);
	}
	return rc < 0 ? rc : is_stopped(stop) ? -ECANCELED : 0;
}

int child_wait(pid_t pid, const atomic_bool *stop, uint64_t limit_ns, int *ret_status)
{
	int rc = child_watch(pid, stop, limit_ns);

	child_kill(pid);
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return rc;
}

#define SHELL    "/bin/sh"
#define VARIABLE "M1TOP_N="

enum { CANNOT_EXEC = 127 }; /* as in shells */

extern char **environ;

/* Data of a child, prepared before the fork, as it must not allocate. */
struct child {
	char *command;
	char variable[sizeof(VARIABLE) + 20];
	char **environment;
	int null, output; /* descriptors: /dev/null, and its error output */
	int go[2];        /* pipe: the child waits until a byte arrives */
};

static int fill_in(const char *command, uint64_t n, char **ret)
{
	struct text text = { 0 };

	for (const char *at; (at = strstr(command, "{n}")); command = at + 3) {
		text_add(&text, command, (size_t)(at - command));
		text_printf(&text, "%" PRIu64, n);
	}
	text_printf(&text, "%s", command);
	if (text.failed) {
		text_fini(&text);
		return -ENOMEM;
	}
	*ret = text.bytes;
	return 0;
}

static int make_environment(struct child *child)
{
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	child->environment = calloc(n + 2, sizeof(*child->environment));
	if (!child->environment)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], VARIABLE, strlen(VARIABLE)) != 0)
			child->environment[kept++] = environ[i];
	child->environment[kept] = child->variable;
	return 0;
}

static int child_init(struct child *child, const char *command, uint64_t n)
{
	*child = (struct child){ .null = -1, .output = -1, .go = { -1, -1 } };
	snprintf(child->variable, sizeof(child->variable), VARIABLE "%" PRIu64, n);

	int rc = fill_in(command, n, &child->command);

	if (!rc)
		rc = make_environment(child);
	if (rc)
		return rc;
	child->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	child->output = memfd_create("m1top", MFD_CLOEXEC);
	if (child->null < 0 || child->output < 0 || pipe2(child->go, O_CLOEXEC))
		return -errno;
	return 0;
}

static void child_fini(struct child *child)
{
	const int fd[] = { child->null, child->output, child->go[0], child->go[1] };

	for (unsigned i = 0; i < ARRAY_SIZE(fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
	free(child->command);
	free(child->environment);
}

/* Become the command; a child_fn. Returns only if exec fails or the parent gives up. */
static int become(void *data)
{
	const struct child *child = data;
	char *argv[] = { "sh", "-c", child->command, NULL };
	char go;

	close(child->go[1]);
	dup2(child->null, STDIN_FILENO);
	dup2(child->null, STDOUT_FILENO);
	dup2(child->output, STDERR_FILENO);
	if (read(child->go[0], &go, 1) == 1)
		execve(SHELL, argv, child->environment);
	return CANNOT_EXEC;
}

/* Read the error output from its beginning. @return buf */
static const char *words(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	n = n > 0 ? n : 0;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return buf;
}

static int programs_check(const struct child *child, int status, struct err *err)
{
	char buf[600];
	const char *output = words(child->output, buf, sizeof(buf));

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_set(err, ECHILD, "%.300s: %s %d%s%s", child->command,
		       WIFEXITED(status) ? "exit status" : "killed by signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		       *output ? "\n" : "", output);
}

static int programs_count(const struct child *child, pid_t pid, struct backend *backend,
			  unsigned type, const struct set *set, const atomic_bool *stop,
			  struct sample *ret, struct err *err)
{
	const struct task_target target = { TARGET_EXEC, pid };
	struct tasks *tasks = NULL;
	int rc =
		backend ? backend->ops->tasks_open(backend, &target, 1, type, set, &tasks, err) : 0;

	if (!rc && write(child->go[1], "", 1) != 1)
		rc = err_set(err, errno, "pipe: %s", strerror(errno));
	if (rc)
		child_kill(pid);

	int status = 0, waited = child_wait(pid, stop, 0, &status);

	if (!rc && waited)
		rc = err_set(err, -waited, "%s",
			     waited == -ECANCELED ? "stopped" : strerror(-waited));
	if (!rc)
		rc = programs_check(child, status, err);
	if (!rc && backend && backend->ops->tasks_read(tasks, ret))
		rc = err_set(err, EIO, "its counters cannot be read");
	if (backend)
		backend->ops->tasks_close(tasks);
	return rc;
}

int program_run(const char *command, uint64_t n, struct backend *backend, unsigned type,
		const struct set *set, const atomic_bool *stop, struct sample *ret, struct err *err)
{
	struct child child;

	if (backend && !backend->ops->tasks_open)
		return backend_has_no_tasks(backend->ops, err);

	int rc = child_init(&child, command, n);

	if (rc) {
		child_fini(&child);
		return err_set(err, -rc, "%s: %s", command, strerror(-rc));
	}

	pid_t pid = child_start(become, &child);

	if (pid < 0)
		rc = err_set(err, -pid, "fork: %s", strerror(-pid));
	else
		rc = programs_count(&child, pid, backend, type, set, stop, ret, err);
	child_fini(&child);
	return rc;
}
