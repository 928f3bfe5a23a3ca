/* path.h: what a path to the activity monitors is; for the paths, and for the simulation's own */
#ifndef ACTIVITY_PATH_H
#define ACTIVITY_PATH_H

#include <sys/types.h>

#include "activity/activity.h"

struct m1pmu_amu;
struct m1pmu_info;

struct activity_io {
	ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
	int (*open_module)(void); /* descriptor of /dev/m1pmu or -errno */
	int (*info)(int fd, struct m1pmu_info *ret);
	int (*read_amu)(int fd, struct m1pmu_amu *ret); /* of the CPU that the thread runs on */
	/* Of that one, where the thread is for so long. */
	int (*read_amu_on)(int fd, unsigned cpu, struct m1pmu_amu *ret);
	uint64_t (*counter_hz)(void); /* rate of arm64's system counter; 0: another architecture */
};

/* What a path is asked about. */
struct activity_place {
	const struct activity_io *io;
	const char *root;
	unsigned cpu;
	uint64_t midr;
};

/* Where a core's idle time is read: cpuidle's states, or /proc/stat without them. */
enum { IDLE_STATES_MAX = 16 };

struct activity_idle {
	int fd[IDLE_STATES_MAX];
	unsigned n;
	unsigned stat_cpu; /* of the line in /proc/stat */
	bool is_stat;
	uint64_t ns_per_tick; /* of /proc/stat */
};

/* What ACPI's counters are turned into a frequency with. */
struct activity_cppc {
	uint64_t reference_perf, nominal_perf, nominal_mhz;
	uint64_t wraparound_s; /* 0: unknown */
	uint64_t ref, del;     /* at the last read */
	bool is_known;         /* they are: the core was not idle at all reads */
};

struct activity_core {
	struct activity_place place;
	const struct activity_path *path;
	uint32_t lacks; /* events that others of its type count, as bits */
	bool is_counting;
	uint8_t state; /* enum raw_state of the last read */
	struct activity_slots slots;
	uint64_t t_ns;                     /* of the last read */
	uint64_t counted_ns;               /* in all, between enable and disable */
	uint64_t n_windows;                /* likewise */
	uint64_t value[N_ACTIVITY_EVENTS]; /* in all */

	/* the paths' own */
	struct activity_idle idle;
	uint64_t idle_ns;      /* at the last read */
	uint64_t idle_debt_ns; /* not yet taken off a window */
	int fd;                /* feedback_ctrs, cpuinfo_avg_freq, the module; -1 */
	struct activity_cppc cppc;
	uint64_t last[N_ACTIVITY_EVENTS]; /* registers at the last read */
	uint64_t constant;                /* ticks of the constant counter in all */
};

/** Duties of a path. */
struct activity_path {
	const char *name;
	const char *what;
	bool is_estimate; /* its cycles are */
	bool is_by_core;  /* cores of one type may differ: one that has it is enough for the type */

	/* What it reads of each CPU, below /sys/devices/system/cpu/cpuN/, and who has it. NULL, "". */
	const char *file, *whose;
	uint32_t events; /* that it counts where it can be opened, as bits; without `probe` */

	/* NULL: it is opened, for `events`. Main thread. Which events can it count on this CPU?
	 * 0; -ENODEV nothing of the kind on this machine; -EINVAL naming the file; others with the
	 * command that fixes it. */
	int (*probe)(const struct activity_place *place, uint32_t *ret_events, struct err *err);

	/* Required unless the backend counts by itself. Main thread. Open what is read; `file` is open
	 * already, as core->fd.
	 * What was opened is closed by the caller, also after a failure. */
	int (*open)(struct activity_core *core, struct err *err);

	/* Required likewise. The core's thread, which runs on that core. Add what happened since the last
	 * call to core->value. RAW_OK; RAW_RESTARTED the counters started over; RAW_LOST;
	 * RAW_UNSUPPORTED they do not count on this core. */
	enum raw_state (*read)(struct activity_core *core, uint64_t window_ns);
};

/* What a type of core has. */
struct activity_choice {
	const struct activity_path *path; /* NULL: none can be used, or a session's */
	char name[16];                    /* of the path; "" none */
	unsigned cpu;                     /* that was asked */
	uint32_t events;                  /* that it counts, as bits */
	char refusal[96];                 /* of the others */
	struct cpus lacking; /* for which the path is idle, as it cannot be used there */
};

struct activity {
	char root[256];
	const struct activity_io *io;
	const struct activity_path *given; /* the only one; NULL: the table */
	struct activity_choice type[TYPES_MAX];
};

/** The paths, each in its own file; best first. */
extern const struct activity_path activity_amu, activity_cppc, activity_cpufreq, activity_idle;

/** Can the path be used? As its probe; without one, by opening it. */
int activity_probe(const struct activity_path *path, const struct activity_place *place,
		   uint32_t *ret_events, struct err *err);

/** Close what a path opened. */
void activity_core_fini(struct activity_core *core);

/** The bit of an event. */
#define ACTIVITY_BIT(event) (UINT32_C(1) << (event))

/** The numbers of the events that a CPU's auxiliary counters count. @return how many there are */
unsigned activity_aux_types(const struct activity_place *place, uint64_t ret[16]);

/** Does the module say that the processor has no EL3, and so no Secure state? */
bool activity_knows_no_el3(const struct activity_io *io);

/** Where CPU `cpu` is, below the root: /sys/devices/system/cpu/cpuN/NAME. @return buf */
const char *activity_file(unsigned cpu, const char *name, char *buf, size_t size);

/** Open a file below the root. @return descriptor; -errno naming the file */
int activity_open(const struct activity_place *place, const char *path, struct err *err);

/** Find and open what says how long a core was idle. @return 0; -errno naming the file */
int idle_open(const struct activity_place *place, struct activity_idle *ret, struct err *err);
void idle_close(struct activity_idle *idle);

/** The read step that paths without a clock of their own share: ACTIVITY_TIME from idle times.
 * @ret  ns active since the last call  @return RAW_OK or RAW_LOST */
enum raw_state idle_count(struct activity_core *core, uint64_t window_ns, uint64_t *ret);

#endif
