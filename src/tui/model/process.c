#include "tui/model/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/rights.h"
#include "base/text.h"

/* ---- /proc ---- */

/* Read the beginning of a file of a process. @ret  NUL-terminated @return bytes; 0: the process is gone */
static size_t read_beginning(uint32_t pid, const char *file, char *ret, size_t size)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);

	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static void read_command(uint32_t pid, char *ret, size_t size)
{
	size_t n = read_beginning(pid, "cmdline", ret, size);

	while (n && !ret[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!ret[i])
			ret[i] = ' ';
}

/* ---- owners ---- */

static void ask_name(const struct users *users, struct user *user)
{
	struct passwd entry, *found = NULL;
	char text[1024];

	for (unsigned i = 0; i < USERS_MAX; i++)
		if (users->of[i].tid && !users->of[i].had_ended && users->of[i].uid == user->uid) {
			memcpy(user->name, users->of[i].name, sizeof(user->name));
			return;
		}
	if (getpwuid_r(user->uid, &entry, text, sizeof(text), &found) || !found)
		snprintf(user->name, sizeof(user->name), "%u", user->uid);
	else
		snprintf(user->name, sizeof(user->name), "%s", found->pw_name);
}

const struct user *users_find(struct users *users, const struct core_task *task)
{
	struct user *at = &users->of[task->tid % USERS_MAX],
		    user = { .tid = task->tid, .first_ns = task->first_ns };
	char path[32];
	struct stat is;

	if (at->tid == task->tid && at->first_ns == task->first_ns)
		return at->had_ended ? NULL : at;
	snprintf(path, sizeof(path), "/proc/%u", task->pid);
	user.had_ended = stat(path, &is) != 0;
	if (!user.had_ended) {
		user.uid = is.st_uid;
		ask_name(users, &user);
		read_command(task->pid, user.command, sizeof(user.command));
	}
	*at = user;
	return user.had_ended ? NULL : at;
}

/* ---- one process ---- */

/* start times are in ticks, and later than the first sight by as much as clocks differ */
#define START_SLACK_NS (50 * NS_PER_MS)

/* Note its end, which only a pidfd tells: another process may have the pid now. */
static bool has_ended(struct process *process)
{
	process->has_ended |= poll(&(struct pollfd){ process->fd, POLLIN, 0 }, 1, 0) > 0;
	return process->has_ended;
}

void process_read(struct process *process)
{
	/* words after the name. Source: proc_pid_stat(5) */
	enum { MINOR_AT = 7, MAJOR_AT = 9, THREADS_AT = 17, START_AT = 19 };
	struct process now = *process;
	uint64_t start = 0;
	char stat[1024];
	const char *name_end, *cgroup;
	struct timespec boot;

	if (!process->pid || process->has_ended)
		return;
	read_beginning(now.pid, "stat", stat, sizeof(stat));
	name_end = strrchr(stat, ')'); /* the name may contain anything */
	if (name_end) {
		text_word_u64(name_end + 1, THREADS_AT, &now.n_threads);
		text_word_u64(name_end + 1, START_AT, &start);
		text_word_u64(name_end + 1, MINOR_AT, &now.minor);
		text_word_u64(name_end + 1, MAJOR_AT, &now.major);
	}
	read_beginning(now.pid, "cgroup", stat, sizeof(stat));
	cgroup = strstr(stat, "0::"); /* version 2; on its last line */
	snprintf(now.cgroup, sizeof(now.cgroup), "%.*s",
		 cgroup ? (int)strcspn(cgroup + 3, "\n") : 0, cgroup ? cgroup + 3 : "");
	now.nice = getpriority(PRIO_PROCESS, now.pid);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	now.age_ns = (uint64_t)boot.tv_sec * NS_PER_S + (uint64_t)boot.tv_nsec -
		     start * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
	read_command(now.pid, now.command, sizeof(now.command));
	(void)sched_getaffinity((pid_t)now.pid, sizeof(now.cpus.word), (cpu_set_t *)now.cpus.word);
	if (!has_ended(process))
		*process = now;
}

void process_open(uint32_t pid, uint64_t seen_ns, struct process *ret)
{
	*ret = (struct process){ .pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0) };
	if (ret->fd < 0)
		ret->pid = 0;
	process_read(ret);
	if (ret->age_ns + START_SLACK_NS < seen_ns)
		process_close(ret);
}

void process_close(struct process *process)
{
	if (process->pid)
		close(process->fd);
	*process = (struct process){ 0 };
}

/* ---- acting on it ---- */

static int set_thread(pid_t tid, const struct cpus *cpus, int nice)
{
	int rc = cpus ? sched_setaffinity(tid, sizeof(cpus->word), (const cpu_set_t *)cpus->word)
		      : setpriority(PRIO_PROCESS, (id_t)tid, nice);

	return rc && errno != ESRCH ? -errno : 0;
}

int process_set(struct process *process, const struct cpus *cpus, int nice)
{
	char path[48];
	const struct dirent *thread;

	snprintf(path, sizeof(path), "/proc/%u/task", process->pid);

	AUTO_DIR DIR *threads = opendir(path);
	int rc = threads ? 0 : -errno;

	if (has_ended(process)) /* the open folder stays that of the process */
		rc = -ESRCH;
	rights_raise(RIGHT_TASKS, true);
	while (threads && !rc && (thread = readdir(threads)))
		if (*thread->d_name != '.')
			rc = set_thread((pid_t)strtol(thread->d_name, NULL, 10), cpus, nice);
	rights_raise(RIGHT_TASKS, false);
	return rc;
}

int process_signal(const struct process *process, int number)
{
	rights_raise(RIGHT_TASKS, true);

	int rc = syscall(SYS_pidfd_send_signal, process->fd, number, NULL, 0) ? -errno : 0;

	rights_raise(RIGHT_TASKS, false);
	return rc;
}
