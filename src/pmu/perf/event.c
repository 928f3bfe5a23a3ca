#include "pmu/perf/perf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rights.h"
#include "pmu/machine.h"

/* descriptors reserved for the log, the terminal and the sampler */
enum { FDS_SPARED = 32 };

void perf_attr(const struct pmu *pmu, const uint64_t *config, enum privilege privilege, bool leader,
	       union perf_attr *ret)
{
	ret->word[PERF_ATTR_CONFIG3] = 0;
	ret->attr = (struct perf_event_attr){
		.type = config[CONFIG_TYPE] ? (uint32_t)config[CONFIG_TYPE] - 1 : pmu->type,
		.size = sizeof(*ret),
		.config = config[0],
		.config1 = config[1],
		.config2 = config[2],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader,
		/* a CPU's events see no exec; but without it arm64 ignores a disabled leader when
		 * it checks whether the group fits. Source: drivers/perf/arm_pmu.c */
		.enable_on_exec = leader,
		.exclude_user = privilege == PRIVILEGE_KERNEL,
		.exclude_kernel = privilege == PRIVILEGE_USER,
		.exclude_hv = privilege == PRIVILEGE_USER,
	};
	ret->word[PERF_ATTR_CONFIG3] = config[3];
}

void perf_attr_software(uint64_t id, enum privilege privilege, bool leader, union perf_attr *ret)
{
	const struct pmu software = { .type = PERF_TYPE_SOFTWARE };
	const uint64_t config[CONFIG_WORDS] = { id };

	perf_attr(&software, config, privilege, leader, ret);
}

static int limit_to_int(rlim_t limit)
{
	return limit > INT_MAX ? INT_MAX : (int)limit - FDS_SPARED;
}

/* Raise the soft limit to the hard limit, or with privileges both up to the kernel's maximum. */
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

/* Target of an event: a CPU, or a process. */
struct where {
	pid_t pid; /* -1: all */
	int cpu;   /* -1: any */
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

/* Open with exclude_guest, then without: Apple's driver before guest filtering accepts only
 * exclude_guest; msr and most uncore PMUs refuse every exclude bit. */
static int open_with_fallback(struct perf *perf, union perf_attr *attr, const struct where *where)
{
	attr->attr.exclude_guest = 1;

	int with = open_enough(perf, attr, where);

	if (with != -EINVAL && with != -EOPNOTSUPP)
		return with;
	attr->attr.exclude_guest = 0;

	int without = open_enough(perf, attr, where);

	/* a driver that requires exclude_guest gave the actual reason with it */
	return without == -EOPNOTSUPP ? with : without;
}

int perf_open(struct perf *perf, union perf_attr *attr, unsigned cpu, int leader)
{
	return open_with_fallback(perf, attr, &(struct where){ -1, (int)cpu, leader });
}

int perf_open_task(struct perf *perf, union perf_attr *attr, pid_t tid, int cpu)
{
	return open_with_fallback(perf, attr, &(struct where){ tid, cpu, -1 });
}

/* List remedies that permit counting, one per line. @paranoid  see denied */
static void remedies(int paranoid, char *buf, size_t size)
{
	const char *fixed = rights_why_no_more();
	char self[512], sysctl[80] = "";

	file_self(self, sizeof(self));
	if (paranoid >= 0)
		snprintf(sysctl, sizeof(sysctl), "\n  sudo sysctl kernel.perf_event_paranoid=%d",
			 paranoid);
	if (fixed)
		snprintf(buf, size,
			 "sudo and setcap change nothing %s. One of these, outside of it, does:\n"
			 "  sudo m1top, in a shell of the host\n"
			 "  docker run --cap-add PERFMON ..., for a container%s",
			 fixed, sysctl);
	else
		snprintf(buf, size,
			 "One of these fixes it:\n"
			 "  sudo %s\n"
			 "  sudo setcap cap_perfmon+ep %s%s",
			 self, self, sysctl);
}

/* Whether a seccomp filter refused: the kernel itself returns EACCES, so EPERM is a filter's,
 * unless /proc shows none. */
static bool is_filtered(const char *root, int code)
{
	char status[4096];

	return code == EPERM &&
	       (sysfs_read(root, "/proc/self/status", status, sizeof(status)) < 0 ||
		strstr(status, "\nSeccomp:\t2"));
}

/* @paranoid  highest level at which the kernel permits it; -1: none */
static int denied(const char *root, const char *what, int paranoid, int code, struct err *err)
{
	char level[16], how[1400];

	if (is_filtered(root, code))
		return err_set(
			err, EACCES,
			"counting %s is not permitted: a seccomp filter refuses "
			"perf_event_open, to root as well; start m1top outside of it, or allow "
			"perf_event_open in the container's seccomp profile",
			what);
	if (sysfs_read(root, "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) < 0)
		snprintf(level, sizeof(level), "unreadable");
	remedies(paranoid, how, sizeof(how));
	return err_set(err, EACCES,
		       "counting %s is not permitted: %s, and kernel.perf_event_paranoid is %s. %s",
		       what, strerror(code), level, how);
}

int perf_denied(const char *root, int code, struct err *err)
{
	return denied(root, "whole CPUs", 0, code, err);
}

/* Explain why tasks may not be counted. Other users' processes always need the permission. */
int perf_tasks_denied(const char *root, pid_t pid, int code, struct err *err)
{
	struct rights_held held;
	char what[64] = "tasks";
	bool is_ours = !pid || rights_of(pid, &held) || held.uid == getuid();

	if (!is_ours)
		snprintf(what, sizeof(what), "process %d of another user", (int)pid);
	return denied(root, what, is_ours ? 1 : -1, code, err);
}
