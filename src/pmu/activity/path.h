/* path.h: interface of an activity path; for the paths and the simulation */
#ifndef PMU_ACTIVITY_PATH_H
#define PMU_ACTIVITY_PATH_H

#include <sys/types.h>

#include "pmu/activity.h"

struct m1pmu_amu;
struct m1pmu_info;

struct activity_io {
	ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
	int (*open_module)(void); /* descriptor of /dev/m1pmu or -errno */
	int (*info)(int fd, struct m1pmu_info *ret);
	int (*read_amu)(int fd, struct m1pmu_amu *ret); /* on the CPU of the calling thread */
	/* on another CPU; the thread moves there during the call */
	int (*read_amu_on)(int fd, unsigned cpu, struct m1pmu_amu *ret);
	uint64_t (*counter_hz)(void); /* rate of arm64's system counter; 0 on other architectures */
};

/* CPU that a path is tested on. */
struct activity_place {
	const struct activity_io *io;
	const char *root;
	unsigned cpu;
	uint64_t midr;
	bool stat_is_shared; /* the collector reads /proc/stat: activity_stat_complete */
	bool has_waits;      /* it reads /proc/schedstat, too */
};

/* Source of a core's idle time: cpuidle's states, or /proc/stat without them. */
enum { IDLE_STATES_MAX = 16 };

struct activity_idle {
	int fd[IDLE_STATES_MAX];
	unsigned n;
	bool is_stat;         /* n 0: left to the collector */
	uint64_t ns_per_tick; /* for /proc/stat */
};

/* Data that turn ACPI's counters into a frequency. */
struct activity_cppc {
	uint64_t reference_perf, nominal_perf, nominal_mhz;
	uint64_t wraparound_s; /* 0: unknown */
	uint64_t ref, del;     /* counters at the last read */
	bool is_known;         /* ref and del are valid: some read found the core not idle */
};

struct activity_core {
	struct activity_place place;
	const struct activity_path *path;
	uint32_t lacks; /* events that only other cores of the type count, as bits */
	bool is_counting;
	uint8_t state; /* enum raw_state of the last read */
	struct activity_slots slots;
	uint64_t t_ns;                     /* time of the last read */
	uint64_t counted_ns;               /* total counting time between enable and disable */
	uint64_t n_windows;                /* total number of reads meanwhile */
	uint64_t value[N_ACTIVITY_EVENTS]; /* totals by event */

	/* private to the paths */
	struct activity_idle idle;
	uint64_t idle_ns;      /* total at the last read */
	uint64_t idle_debt_ns; /* idle time not yet taken off a window */
	bool idle_is_known;    /* the last read had a time */
	uint64_t wait_t_ns;    /* time of value[ACTIVITY_WAIT] */
	int fd;                /* feedback_ctrs, cpuinfo_avg_freq or the module; -1 */
	struct activity_cppc cppc;
	uint64_t last[N_ACTIVITY_EVENTS]; /* registers at the last read */
	uint64_t constant;                /* total ticks of the constant counter */
};

/** Operations of a path. */
struct activity_path {
	const char *name;
	const char *what;
	bool is_estimate; /* its cycle counts are estimates */
	bool is_by_core;  /* cores of one type may differ; one usable core is enough for the type */

	/* file read per CPU, below /sys/devices/system/cpu/cpuN/, and systems that have it; or NULL, "" */
	const char *file, *whose;
	uint32_t events; /* events it counts, as bits, if there is no `probe` */

	/* NULL: the path is tested by opening it, for `events`. Main thread. Find the events that
	 * it can count on this CPU.
	 * 0; -ENODEV not present on this machine; -EINVAL naming the file; others with the command
	 * that fixes it. */
	int (*probe)(const struct activity_place *place, uint32_t *ret_events, struct err *err);

	/* Required unless the backend counts by itself. Main thread. Open the files to read;
	 * `file` is already open as core->fd. The caller closes everything, also after a failure. */
	int (*open)(struct activity_core *core, struct err *err);

	/* Required likewise. The core's thread, running on that core. Add the increments since the
	 * last call to core->value.
	 * RAW_OK; RAW_RESTARTED the counters started over; RAW_LOST; RAW_UNSUPPORTED they do not
	 * count on this core. */
	enum raw_state (*read)(struct activity_core *core, uint64_t window_ns);
};

/* Path of a core type. */
struct activity_choice {
	const struct activity_path *path; /* NULL: none is usable, or read from a session */
	char name[16];                    /* name of the path; "" if there is none */
	unsigned cpu;                     /* CPU it was tested on */
	uint32_t events;                  /* events it counts, as bits */
	char refusal[96];                 /* reason why other events cannot be counted */
	struct cpus lacking; /* CPUs that use the path idle, as this one is unusable there */
};

struct activity {
	char root[256];
	const struct activity_io *io;
	bool stat_is_shared;               /* see activity_stat_new */
	bool has_waits;                    /* there is /proc/schedstat */
	bool by_cgroup;                    /* rows are by cgroup, see activity_by_cgroup */
	const struct activity_path *given; /* only path; NULL: use the table */
	struct activity_choice type[TYPES_MAX];
};

/** Paths, each in its own file; best first. */
extern const struct activity_path activity_amu, activity_cppc, activity_cpufreq, activity_idle;

/** Test a path with its probe, or by opening it. */
int activity_probe(const struct activity_path *path, const struct activity_place *place,
		   uint32_t *ret_events, struct err *err);

/** Bit of an event. */
#define ACTIVITY_BIT(event) (UINT32_C(1) << (event))

/** Bits of ACTIVITY_RUN, _WAIT and _SLEEP, which no path lacks. */
#define ACTIVITY_TIMES      (UINT32_C(7) << ACTIVITY_RUN)

/** Bits of ACTIVITY_THROTTLED and _LIMIT. */
#define ACTIVITY_OF_CGROUPS (UINT32_C(3) << ACTIVITY_THROTTLED)

/** Get the event numbers of a CPU's auxiliary counters. @return number of counters */
unsigned activity_aux_types(const struct activity_place *place, uint64_t ret[16]);

/** Whether the module reports that the processor has no EL3 and thus no Secure state. */
bool activity_knows_no_el3(const struct activity_io *io);

/** Highest frequency that is believed: anything else is a bad reading. */
#define ACTIVITY_MHZ_MAX 100000.0

/** Build the path /sys/devices/system/cpu/cpuN/NAME. @return buf */
const char *activity_file(unsigned cpu, const char *name, char *buf, size_t size);

/** Open the source of a core's idle time. @return 0; -errno naming the file */
int idle_open(const struct activity_place *place, struct activity_idle *ret, struct err *err);

/**
 * Add the active time to ACTIVITY_TIME, from idle times; the common read step of paths without a
 * clock.
 * @ret  ns active since the last call  @return RAW_OK; RAW_RESTARTED: idle time jumped; RAW_LOST
 */
enum raw_state idle_count(struct activity_core *core, uint64_t window_ns, uint64_t *ret);

#endif
