#include "backend/perf/perf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/rights.h"
#include "machine/sysfs.h"

/* for the log, the terminal, the sampler's own: what a greedy group must not take */
enum { FDS_SPARED = 32 };

void perf_attr(const struct pmu *pmu, const uint64_t *config, enum privilege privilege, bool leader,
	       union perf_attr *ret)
{
	ret->word[PERF_ATTR_CONFIG3] = 0;
	ret->attr = (struct perf_event_attr){
		.type = pmu->type,
		.size = sizeof(*ret),
		.config = config[0],
		.config1 = config[1],
		.config2 = config[2],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader,
		/* never happens to a CPU's events; but without it arm64 leaves a disabled leader out
		 * when it checks whether the group fits. Source: drivers/perf/arm_pmu.c */
		.enable_on_exec = leader,
		.exclude_user = privilege == PRIVILEGE_KERNEL,
		.exclude_kernel = privilege == PRIVILEGE_USER,
		.exclude_hv = privilege == PRIVILEGE_USER,
	};
	ret->word[PERF_ATTR_CONFIG3] = config[3];
}

static int limit_to_int(rlim_t limit)
{
	return limit > INT_MAX ? INT_MAX : (int)limit - FDS_SPARED;
}

/* Soft to hard; with privilege the hard one too, as far as the kernel lets a process have. */
static bool raise_limit(struct perf *perf)
{
	struct rlimit limit;

	if (perf->limit_raised || getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	perf->limit_raised = true;

	struct rlimit most = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };

	if (limit.rlim_max >= most.rlim_max || setrlimit(RLIMIT_NOFILE, &most)) {
		most = (struct rlimit){ .rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max };
		if (limit.rlim_cur == limit.rlim_max || setrlimit(RLIMIT_NOFILE, &most))
			return false;
	}
	perf->fd_limit = limit_to_int(most.rlim_cur);
	return true;
}

/* What an event counts: a CPU, or a process. */
struct where {
	pid_t pid; /* -1: everybody */
	int cpu;   /* -1: wherever it runs */
	int leader;
};

static int open_spared(struct perf *perf, union perf_attr *attr, const struct where *where)
{
	struct rlimit limit;
	int fd = (int)syscall(SYS_perf_event_open, attr, where->pid, where->cpu, where->leader,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (!perf->fd_limit && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		perf->fd_limit = limit_to_int(limit.rlim_cur);
	if (fd < perf->fd_limit)
		return fd;
	close(fd);
	return -EMFILE;
}

static int open_enough(struct perf *perf, union perf_attr *attr, const struct where *where)
{
	int fd = open_spared(perf, attr, where);

	if (fd == -EMFILE && raise_limit(perf))
		fd = open_spared(perf, attr, where);
	return fd;
}

/* Apple's driver before guest filtering takes only exclude_guest; msr and most uncore PMUs refuse
 * every exclude bit. Nothing says which it is, so both are tried. */
static int open_somehow(struct perf *perf, union perf_attr *attr, const struct where *where)
{
	attr->attr.exclude_guest = 1;

	int with = open_enough(perf, attr, where);

	if (with != -EINVAL && with != -EOPNOTSUPP)
		return with;
	attr->attr.exclude_guest = 0;

	int without = open_enough(perf, attr, where);

	/* a driver that insists on exclude_guest said with it what is really wrong */
	return without == -EOPNOTSUPP ? with : without;
}

int perf_open(struct perf *perf, union perf_attr *attr, unsigned cpu, int leader)
{
	return open_somehow(perf, attr, &(struct where){ -1, (int)cpu, leader });
}

int perf_open_task(struct perf *perf, union perf_attr *attr, pid_t tid, int cpu)
{
	return open_somehow(perf, attr, &(struct where){ tid, cpu, -1 });
}

/* @paranoid  with which the kernel would permit it; -1: with none */
static int denied(const char *root, const char *what, int paranoid, int code, struct err *err)
{
	char level[16], self[512], sysctl[64] = "";

	file_self(self, sizeof(self));
	if (sysfs_read(root, "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) < 0)
		snprintf(level, sizeof(level), "unreadable");
	if (paranoid >= 0)
		snprintf(sysctl, sizeof(sysctl), "\n  sudo sysctl kernel.perf_event_paranoid=%d",
			 paranoid);
	return err_set(err, EACCES,
		       "counting %s is not permitted: %s, and kernel.perf_event_paranoid "
		       "is %s. One of these fixes it:\n"
		       "  sudo %s\n"
		       "  sudo setcap cap_perfmon+ep %s%s%s",
		       what, strerror(code), level, self, self, sysctl,
		       code == EPERM ? "\nIn a container its seccomp profile may block "
				       "perf_event_open for everybody: allow it there"
				     : "");
}

int perf_denied(const char *root, int code, struct err *err)
{
	return denied(root, "whole CPUs", 0, code, err);
}

/* Of others' processes the kernel lets nobody count anything without the right to. */
int perf_tasks_denied(const char *root, pid_t pid, int code, struct err *err)
{
	struct rights_held held;
	char what[64] = "tasks";
	bool is_ours = !pid || rights_of(pid, &held) || held.uid == getuid();

	if (!is_ours)
		snprintf(what, sizeof(what), "process %d of another user", (int)pid);
	return denied(root, what, is_ours ? 1 : -1, code, err);
}
