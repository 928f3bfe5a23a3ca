/* perf.h: perf events as C tests inside the emulated M1 use them, without m1top */
#ifndef GUEST_PERF_H
#define GUEST_PERF_H

#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 10 };

/* What read(2) gives for a group. */
struct group_reading {
	uint64_t nr, enabled_ns, running_ns, counts[EVENTS_MAX];
};

/** The perf type of a PMU, or -1. */
static inline int pmu_type(const char *pmu)
{
	char path[128], line[16] = "-1";
	FILE *file;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (!fgets(line, sizeof line, file))
		line[0] = '\0';
	fclose(file);
	return *line ? (int)strtol(line, NULL, 10) : -1;
}

static inline struct perf_event_attr event_attr(int type, uint64_t config)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = (uint32_t)type,
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_guest = 1, /* which the driver of 6.1 insists on */
	};
}

/** A file descriptor, or -1 and errno. */
static inline int event_open(struct perf_event_attr *attr, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, leader, 0);
}

/** Open a group on a CPU; fds[0] leads. Returns how many opened: less than n means the next was refused, see errno. */
static inline int group_open(int type, int cpu, const uint64_t *configs, int n, int *fds)
{
	for (int i = 0; i < n; i++) {
		struct perf_event_attr attr = event_attr(type, configs[i]);

		fds[i] = event_open(&attr, cpu, i ? fds[0] : -1);
		if (fds[i] < 0)
			return i;
	}
	return n;
}

static inline void group_close(int *fds, int n)
{
	while (n--)
		close(fds[n]);
}

static inline void group_read(int leader, struct group_reading *ret)
{
	*ret = (struct group_reading){ 0 };
	if (read(leader, ret, sizeof *ret) < 0)
		perror("read");
}

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

/** A process that keeps a CPU busy until busy_stop(). */
static inline pid_t busy_start(int cpu)
{
	int ready[2];
	char byte;
	pid_t pid = pipe(ready) ? -1 : fork();

	if (pid == 0) {
		pin_to(cpu);
		close(ready[1]);
		close(ready[0]);
		for (volatile unsigned long turns = 0;; turns++)
			;
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 0) /* the end of it: it is where it belongs */
		perror("busy_start");
	close(ready[0]);
	return pid;
}

static inline void busy_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
