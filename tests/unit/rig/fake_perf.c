#include "rig/fake_perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fake_event {
	int fd; /* 0: free */
	int leader;
	int pid; /* -1: all */
	int cpu;
	uint32_t type;
	uint64_t config, value;
	bool is_on;                /* leaders */
	bool is_unchecked;         /* arm64 ignores it when it checks a group */
	uint64_t enabled, running; /* leaders */
};

struct fake_perf fake_perf;
static struct fake_event events[FAKE_FDS];

long __real_syscall(long number, ...);
ssize_t __real_read(int fd, void *buf, size_t size);
int __real_ioctl(int fd, unsigned long request, ...);
int __real_close(int fd);
int __real_getrlimit(int what, struct rlimit *ret);
int __real_setrlimit(int what, const struct rlimit *limit);
long __wrap_syscall(long number, ...);
ssize_t __wrap_read(int fd, void *buf, size_t size);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_close(int fd);
int __wrap_getrlimit(int what, struct rlimit *ret);
int __wrap_setrlimit(int what, const struct rlimit *limit);

void fake_reset(void)
{
	fake_perf = (struct fake_perf){ .open_max = FAKE_FDS, .offline = -1, .read_result = 1 };
	memset(events, 0, sizeof(events));
}

static struct fake_event *find(int fd)
{
	for (unsigned i = 0; i < FAKE_FDS && fd > 0; i++) {
		if (events[i].fd == fd)
			return &events[i];
	}
	return NULL;
}

static bool is_apple(uint32_t type)
{
	return type == FAKE_E || type == FAKE_P;
}

/* Find the counters that can count an event; 0: it needs none. */
static uint64_t counters_of(uint32_t type, uint64_t config)
{
	if (type == FAKE_CPU)
		return 0x3f;
	if (type == FAKE_UNCORE)
		return 0x3;
	if (!is_apple(type))
		return 0;
	if (fake_perf.counters)
		return fake_perf.counters(config);
	if (config == 0x02)
		return 0x3fd;
	if (config == 0x8c)
		return 0x82;
	return config >= 0x84 && config <= 0x9f ? 0xe0 : 0x3fc;
}

/* Place events as the driver does: each takes the lowest free counter and keeps it. */
static bool take(uint64_t *used, uint32_t type, uint64_t config)
{
	uint64_t mask = counters_of(type, config);
	uint64_t left = mask & ~*used;

	*used |= left & -left;
	return !mask || left;
}

static bool group_fits(int leader, uint64_t used)
{
	for (unsigned i = 0; i < FAKE_FDS; i++) {
		if (events[i].fd && events[i].leader == leader &&
		    !take(&used, events[i].type, events[i].config))
			return false;
	}
	return true;
}

static bool group_takes(int leader, const struct perf_event_attr *attr)
{
	uint64_t used = 0;

	for (unsigned i = 0; i < FAKE_FDS; i++) {
		if (events[i].fd && events[i].leader == leader && !events[i].is_unchecked)
			take(&used, events[i].type, events[i].config);
	}
	return take(&used, attr->type, attr->config);
}

static bool has_excludes(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_guest || attr->exclude_host;
}

/* Whether a CPU has this PMU: CPUs 0-3 have one core PMU, CPUs 4-7 the other. */
static bool is_pmu_of(uint32_t type, int cpu)
{
	return !is_apple(type) || (type == FAKE_E) == (cpu < 4);
}

static int apple_refuses(const struct perf_event_attr *attr, int cpu)
{
	if (cpu >= 0 && !is_pmu_of(attr->type, cpu))
		return ENOENT;
	if (!fake_perf.counters && attr->config == FAKE_UNKNOWN)
		return ENOENT;
	if (!fake_perf.counters && attr->config == FAKE_WRONG)
		return EINVAL;
	return attr->exclude_guest ? 0 : EOPNOTSUPP;
}

static int refuses(const struct perf_event_attr *attr, int cpu)
{
	switch (attr->type) {
	case FAKE_SOFTWARE: return attr->config < 12 ? 0 : ENOENT;
	case FAKE_MSR:
	case FAKE_UNCORE: return has_excludes(attr) ? EINVAL : 0;
	case FAKE_E:
	case FAKE_P: return apple_refuses(attr, cpu);
	case FAKE_CPU: return 0;
	default: return ENOENT;
	}
}

/*
 * Whether an event is opened as those of a task are: inherited, not in a group, enabled by exec or
 * counting at once. Only software events may be bound to a CPU.
 */
static bool is_as_of_task(const struct perf_event_attr *attr, int cpu, int leader)
{
	return attr->inherit && attr->enable_on_exec == attr->disabled &&
	       (cpu == -1 || attr->type == FAKE_SOFTWARE) && leader == -1 &&
	       !(attr->read_format & PERF_FORMAT_GROUP);
}

static bool is_as_of_cpu(const struct perf_event_attr *attr, int cpu)
{
	return !attr->inherit && cpu >= 0 && attr->read_format & PERF_FORMAT_GROUP;
}

static void check_rules(const struct perf_event_attr *attr, int pid, int cpu, int leader,
			unsigned long flags)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	if (attr->pinned || attr->exclusive || attr->sample_period || attr->exclude_idle ||
	    (attr->read_format & ~(uint64_t)PERF_FORMAT_GROUP) != times ||
	    flags != PERF_FLAG_FD_CLOEXEC ||
	    !(pid == -1 ? is_as_of_cpu(attr, cpu) : is_as_of_task(attr, cpu, leader)))
		fake_perf.broke_a_rule = true;
}

static int add(const struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	struct fake_event *event = events;

	while (event->fd)
		event++;
	event->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	event->leader = leader < 0 ? event->fd : leader;
	event->pid = pid;
	event->cpu = cpu;
	event->type = attr->type;
	event->config = attr->config;
	event->is_on = leader < 0 && !attr->disabled;
	event->is_unchecked = is_apple(attr->type) && attr->disabled && !attr->enable_on_exec;
	event->enabled = event->running = event->value = 0;
	fake_perf.n_live++;
	return event->fd;
}

/* Whether it is one of Intel's topdown-* events outside a group of slots. */
static bool lacks_slots(const struct perf_event_attr *attr, int leader)
{
	const struct fake_event *slots = leader < 0 ? NULL : find(leader);

	return attr->type == FAKE_CPU && attr->config >= 0x8000 && attr->config <= 0x8700 &&
	       !(slots && slots->type == FAKE_CPU && slots->config == 0x400);
}

static int try_open(const struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	int code = fake_perf.deny;

	if (!code)
		code = refuses(attr, cpu);
	if (!code && cpu >= 0 && cpu == fake_perf.offline)
		code = ENODEV;
	if (!code && lacks_slots(attr, leader))
		code = EINVAL;
	if (!code && leader >= 0 && !group_takes(leader, attr))
		code = EINVAL;
	if (!code && fake_perf.n_live >= fake_perf.open_max)
		code = EMFILE;
	return code ? -code : add(attr, pid, cpu, leader);
}

static void note(const struct perf_event_attr *attr, int pid, int cpu, int leader, int result)
{
	uint64_t config3 = 0;

	if (attr->size >= 136)
		memcpy(&config3, (const char *)attr + 128, sizeof(config3));
	fake_perf.open[fake_perf.n_opens++ % 256] = (struct fake_open){
		.pid = pid,
		.type = attr->type,
		.size = attr->size,
		.config = attr->config,
		.config3 = config3,
		.cpu = cpu,
		.leader = leader,
		.disabled = attr->disabled,
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_guest = attr->exclude_guest,
		.result = result,
	};
}

long __wrap_syscall(long number, ...)
{
	va_list args;

	va_start(args, number);
	const struct perf_event_attr *attr = va_arg(args, void *);
	int pid = va_arg(args, int);
	int cpu = va_arg(args, int);
	int leader = va_arg(args, int);
	unsigned long flags = va_arg(args, unsigned);

	va_end(args);
	if (number != SYS_perf_event_open) {
		errno = ENOSYS;
		return -1;
	}
	if (attr->comm_exec) { /* events of exec need a ring, which the model lacks */
		errno = EOPNOTSUPP;
		return -1;
	}
	check_rules(attr, pid, cpu, leader, flags);

	int fd = try_open(attr, pid, cpu, leader);

	note(attr, pid, cpu, leader, fd);
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

void fake_pass(uint64_t ns)
{
	for (unsigned i = 0; i < FAKE_FDS; i++) {
		struct fake_event *event = &events[i];
		const struct fake_event *leader = find(event->leader);

		if (!event->fd || event->pid != -1 || !leader || !leader->is_on ||
		    leader->cpu == fake_perf.offline)
			continue;

		bool runs = group_fits(
			event->leader,
			is_apple(event->type) || event->type == FAKE_CPU ? fake_perf.pinned : 0);

		event->enabled += ns;
		event->running += runs ? ns : 0;
		event->value += runs ? ns * (event->config + 1) : 0;
	}
}

void fake_exec(int pid)
{
	for (unsigned i = 0; i < FAKE_FDS; i++)
		events[i].is_on |= events[i].pid == pid;
}

void fake_run(int pid, int cpu, uint64_t ns)
{
	for (unsigned i = 0; i < FAKE_FDS; i++) {
		struct fake_event *event = &events[i];
		uint64_t used = is_apple(event->type) ? fake_perf.pinned : 0;
		bool runs = is_pmu_of(event->type, cpu) && take(&used, event->type, event->config);

		if (!event->fd || event->pid != pid || !event->is_on)
			continue;
		runs &= event->cpu == -1 || event->cpu == cpu;
		event->enabled += ns;
		event->running += runs ? ns : 0;
		event->value += runs ? ns * (event->config + 1) : 0;
	}
}

static ssize_t read_one(const struct fake_event *event, uint64_t *buf)
{
	buf[0] = event->value;
	buf[1] = event->enabled;
	buf[2] = event->running;
	return 3 * (ssize_t)sizeof(*buf);
}

static ssize_t read_group(const struct fake_event *leader, uint64_t *buf, size_t size)
{
	size_t n = 3;

	buf[0] = 0;
	buf[1] = leader->enabled;
	buf[2] = leader->running;
	for (unsigned i = 0; i < FAKE_FDS && n * sizeof(*buf) < size; i++) {
		if (!events[i].fd || events[i].leader != leader->fd)
			continue;
		/* the CPU took the siblings away from their leader */
		if ((fake_perf.torn || leader->cpu == fake_perf.offline) && &events[i] != leader)
			continue;
		buf[0]++;
		buf[n++] = events[i].value;
	}
	return (ssize_t)(n * sizeof(*buf));
}

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	struct fake_event *leader = find(fd);

	if (!leader)
		return __real_read(fd, buf, size);
	fake_perf.n_reads++;
	fake_pass(1000);
	if (fake_perf.read_result < 0) {
		errno = -fake_perf.read_result;
		return -1;
	}
	if (leader->pid != -1 && fake_perf.read_result)
		return read_one(leader, buf);
	return fake_perf.read_result ? read_group(leader, buf, size) : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct fake_event *leader = find(fd);
	va_list args;

	va_start(args, request);
	unsigned long arg = va_arg(args, unsigned);

	va_end(args);
	if (!leader)
		return __real_ioctl(fd, request, arg);
	fake_perf.n_ioctls++;
	if (leader->leader != fd || arg)
		fake_perf.broke_a_rule = true;
	leader->is_on = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

int __wrap_close(int fd)
{
	struct fake_event *event = find(fd);

	if (event) {
		event->fd = 0;
		fake_perf.n_live--;
	}
	return __real_close(fd);
}

int __wrap_getrlimit(int what, struct rlimit *ret)
{
	if (!fake_perf.fd_soft)
		return __real_getrlimit(what, ret);
	*ret = (struct rlimit){ .rlim_cur = fake_perf.fd_soft, .rlim_max = fake_perf.fd_soft };
	return 0;
}

int __wrap_setrlimit(int what, const struct rlimit *limit)
{
	if (!fake_perf.fd_soft)
		return __real_setrlimit(what, limit);
	errno = EPERM;
	return -1;
}
