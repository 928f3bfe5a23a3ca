/* fake_perf.h: a model of perf_event_open with an Apple PMU, for what this machine cannot produce */
#ifndef TESTS_FAKE_PERF_H
#define TESTS_FAKE_PERF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Link with -Wl,--wrap=syscall,--wrap=read,--wrap=ioctl,--wrap=close
 * and --wrap=getrlimit,--wrap=setrlimit. Modelled on what Linux says in
 * kernel/events/core.c and drivers/perf/apple_m1_cpu_pmu.c: greedy lowest-free-counter placement,
 * validation of a group at open, groups that run whole or not at all, exclude_guest insisted on,
 * a group taken apart when its CPU goes. Time passes by 1 µs a read and by fake_pass.
 */

/* The PMU types it knows; everything else is ENOENT. */
enum {
	FAKE_SOFTWARE = 1, /* config 0-11, no counter */
	FAKE_CPU = 4, /* Intel: six counters, every event on each of them; topdown-* follow slots */
	FAKE_E = 10,  /* Apple, CPUs 0-3 */
	FAKE_P = 11,  /* Apple, CPUs 4-7 */
	FAKE_MSR = 12,    /* refuses every exclude bit, no counter */
	FAKE_UNCORE = 14, /* refuses every exclude bit, two counters */
};

enum {
	FAKE_UNKNOWN = 0xfd, /* config that the Apple PMUs do not have: ENOENT */
	FAKE_WRONG = 0xfc,   /* config that they do not accept: EINVAL, alone as in a group */
	FAKE_FDS = 64,
};

/** What perf_event_open was asked for, in order. */
struct fake_open {
	int pid; /* -1: everybody */
	uint32_t type, size;
	uint64_t config, config3;
	int cpu, leader;
	bool disabled, exclude_user, exclude_kernel, exclude_hv, exclude_guest;
	int result; /* descriptor or -errno */
};

struct fake {
	/* how the kernel behaves */
	int deny;          /* errno for every open, 0: none */
	unsigned open_max; /* descriptors before EMFILE */
	/* which counters an Apple PMU takes an event on; NULL: of a few classes by config, and two
	 * configs that are refused */
	uint64_t (*counters)(uint64_t config);
	uint64_t pinned;  /* counters that a hog holds, on every CPU and PMU */
	int offline;      /* this CPU is gone, -1: none */
	bool torn;        /* groups were taken apart, time goes on */
	unsigned fd_soft; /* RLIMIT_NOFILE, that nobody may raise; 0: the real one */
	int read_result;  /* 1: as it should be; 0: end of file; -errno */
	/* what was done to it */
	struct fake_open open[256];
	unsigned n_opens, n_reads, n_ioctls, n_live;
	bool broke_a_rule; /* pinned, inherited, sampling, another read_format, no CLOEXEC, or a
			    * process counted in another way than tasks are */
};

extern struct fake fake;

/** A kernel without events or peculiarities. */
void fake_reset(void);

/** Time passes: an event that runs counts its config + 1 each nanosecond. */
void fake_pass(uint64_t ns);

/** A process calls exec: what waits for that is enabled. */
void fake_exec(int pid);

/** A process runs on a CPU for so long; its events count as above, those of this CPU's PMU. */
void fake_run(int pid, int cpu, uint64_t ns);

#endif
