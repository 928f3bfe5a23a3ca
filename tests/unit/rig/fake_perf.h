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

/* PMU types of the model; others give ENOENT. */
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

/** One call of perf_event_open. */
struct fake_open {
	int pid; /* -1: all */
	uint32_t type, size;
	uint64_t config, config3;
	int cpu, leader;
	bool disabled, exclude_user, exclude_kernel, exclude_hv, exclude_guest;
	int result; /* descriptor or -errno */
};

/** Behaviour of the modelled kernel, and record of the calls. */
struct fake_perf {
	/* behaviour */
	int deny;          /* errno for every open, 0: none */
	unsigned open_max; /* descriptors before EMFILE */
	/* counters on which an Apple PMU accepts an event; NULL: a few classes by config, and two
	 * refused configs */
	uint64_t (*counters)(uint64_t config);
	uint64_t pinned;  /* counters that another process holds, on every CPU and PMU */
	int offline;      /* CPU that is offline, -1: none */
	bool torn;        /* groups were taken apart, time goes on */
	unsigned fd_soft; /* RLIMIT_NOFILE, which cannot be raised; 0: the real one */
	int read_result;  /* 1: normal; 0: end of file; -errno */
	/* record */
	struct fake_open open[256];
	unsigned n_opens, n_reads, n_ioctls, n_live;
	bool broke_a_rule; /* pinned, inherited, sampling, another read_format, no CLOEXEC, or a
			    * process counted in another way than tasks are */
};

/** State of the model. */
extern struct fake_perf fake_perf;

/** Reset the model to a kernel without events or peculiarities. */
void fake_reset(void);

/** Let time pass: an event that runs counts its config + 1 each nanosecond. */
void fake_pass(uint64_t ns);

/** Let a process call exec: events that wait for it are enabled. */
void fake_exec(int pid);

/** Let a process run on a CPU: its events on the PMU of this CPU count as in fake_pass. */
void fake_run(int pid, int cpu, uint64_t ns);

#endif
