/* floor.c: the bare loop that m1top is measured against: one pinned thread a CPU, an absolute sleep,
 * one read of a group of perf events; nothing is kept but how late it woke
 *
 * usage: floor [-I MS] [-n TICKS] [-e TYPE:CONFIG,…]
 * Prints one line a figure: "cpu_s 0.123", "ticks 2000", "late_p50_us 12", "late_p99_us 80".
 */
#include <linux/perf_event.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { EVENTS_MAX = 16 };

static struct {
	uint64_t interval_ns;
	uint64_t n_ticks;
	unsigned n_events;
	uint32_t type[EVENTS_MAX];
	uint64_t config[EVENTS_MAX];
} options = { .interval_ns = 10 * NS_PER_MS, .n_ticks = 1000 };

struct core {
	pthread_t thread;
	int cpu;
	uint64_t *late_ns; /* one a tick */
};

static int open_event(unsigned i, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = options.type[i],
		.size = sizeof(attr),
		.config = options.config[i],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_group(int cpu)
{
	int leader = -1;

	for (unsigned i = 0; i < options.n_events; i++) {
		int fd = open_event(i, cpu, leader);

		if (fd < 0) {
			perror("floor: perf_event_open");
			exit(1);
		}
		if (leader < 0)
			leader = fd;
	}
	return leader;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	prctl(PR_SET_TIMERSLACK, 1);
}

static void sleep_until(uint64_t t_ns)
{
	struct timespec deadline = { .tv_sec = (time_t)(t_ns / NS_PER_S),
				     .tv_nsec = (long)(t_ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL))
		;
}

static void *loop(void *arg)
{
	struct core *core = arg;
	uint64_t values[3 + EVENTS_MAX];
	int group = open_group(core->cpu);
	uint64_t deadline_ns = clock_now_ns();

	pin(core->cpu);
	for (uint64_t i = 0; i < options.n_ticks; i++) {
		uint64_t now_ns;

		deadline_ns += options.interval_ns;
		sleep_until(deadline_ns);
		now_ns = clock_now_ns();
		core->late_ns[i] = now_ns - deadline_ns;
		if (group >= 0 && read(group, values, sizeof(values)) < 0)
			exit(1);
		/* Missed ticks are skipped, as m1top does. */
		if (now_ns > deadline_ns + options.interval_ns)
			deadline_ns = now_ns - (now_ns - deadline_ns) % options.interval_ns;
	}
	return NULL;
}

static void parse_events(char *list)
{
	for (char *at = list, *end; *at && options.n_events < EVENTS_MAX; at = end) {
		options.type[options.n_events] = (uint32_t)strtoul(at, &end, 0);
		if (*end == ':')
			options.config[options.n_events++] = strtoull(end + 1, &end, 0);
		if (*end == ',')
			end++;
	}
}

static void parse(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "I:n:e:")) != -1;) {
		if (c == 'I')
			options.interval_ns = strtoull(optarg, NULL, 10) * NS_PER_MS;
		else if (c == 'n')
			options.n_ticks = strtoull(optarg, NULL, 10);
		else if (c == 'e')
			parse_events(optarg);
		else
			exit(2);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void report(struct core *core, size_t n_cores)
{
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID); /* without the sorting below */
	size_t n = n_cores * options.n_ticks, middle = n / 2, late = n - 1 - n / 100;
	uint64_t *late_ns = calloc(n, sizeof(*late_ns));

	for (size_t i = 0; late_ns && i < n_cores; i++)
		memcpy(late_ns + i * options.n_ticks, core[i].late_ns,
		       options.n_ticks * sizeof(*late_ns));
	if (!late_ns)
		exit(1);
	qsort(late_ns, n, sizeof(*late_ns), by_value);
	printf("cpu_s %.6f\n", (double)cpu_ns / 1e9);
	printf("ticks %" PRIu64 "\n", options.n_ticks);
	printf("late_p50_us %.1f\n", (double)late_ns[middle] / 1e3);
	printf("late_p99_us %.1f\n", (double)late_ns[late] / 1e3);
	printf("late_max_us %.1f\n", (double)late_ns[n - 1] / 1e3);
	free(late_ns);
}

int main(int argc, char **argv)
{
	size_t n_cores = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct core *core = calloc(n_cores, sizeof(*core));

	parse(argc, argv);
	if (!core)
		return 1;
	for (size_t i = 0; i < n_cores; i++) {
		core[i].cpu = (int)i;
		core[i].late_ns = calloc(options.n_ticks, sizeof(uint64_t));
		if (!core[i].late_ns || pthread_create(&core[i].thread, NULL, loop, &core[i]))
			exit(1);
	}
	for (size_t i = 0; i < n_cores; i++)
		pthread_join(core[i].thread, NULL);
	report(core, n_cores);
	return 0;
}
