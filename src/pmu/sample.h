/* sample.h: one read of a core's counters, and the context switches between two reads */
#ifndef PMU_SAMPLE_H
#define PMU_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/machine.h"

/* ---- context switches of a core, and the start, end and renaming of tasks */

enum {
	TASK_COMM_SIZE = 16, /* including the NUL; Linux TASK_COMM_LEN */
	TID_GONE = -1,       /* as uint32_t: unknown, or ended and the id is not its own any more */
};

/**
 * Counter values at a context switch or sample, and the task that the counts since the previous
 * point belong to: at a switch the task that leaves, in a sample the task that reads. A sample read
 * from another CPU has TID_GONE.
 */
struct switch_point {
	uint64_t stream; /* id of one group from opening to closing; 0: switches are not counted */
	uint64_t n;      /* switches counted by the group, including this one */
	uint64_t enabled_ns, running_ns; /* of the group */
	uint32_t pid, tid;               /* 0: idle; TID_GONE */
	uint64_t cgroup;                 /* id of the task's cgroup; 0: as at its last switch */
};

struct task_switch {
	struct switch_point at;
	uint64_t t_ns; /* on the clock of samples */
	unsigned n_slots;
	bool is_guess;         /* stream is a guess: the record did not name it */
	const uint64_t *value; /* by slot, as in struct raw; 0 if the group does not count */
};

enum task_note_kind {
	NOTE_NAME,
	NOTE_FORK,
	NOTE_EXIT,
	NOTE_CGROUP,
	NOTE_MAP,      /* only of sets with samples, as below */
	NOTE_LOST,     /* records, for lack of room: of switches, samples or notes */
	NOTE_THROTTLE, /* the kernel stopped the group as it samples too often … */
	NOTE_RESUME,   /* … and it counts again */
};

struct code_map;

struct task_note {
	enum task_note_kind kind;
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid; /* NOTE_FORK: thread that created it */
	uint64_t t_ns;
	bool is_exec;               /* NOTE_NAME: renamed by exec */
	char comm[TASK_COMM_SIZE];  /* NOTE_NAME */
	uint64_t cgroup;            /* NOTE_CGROUP: id of a cgroup that exists from t_ns on */
	const char *path;           /* NOTE_CGROUP: valid as the record; untrusted */
	const struct code_map *map; /* NOTE_MAP: valid as the record */
	uint64_t n_lost;            /* NOTE_LOST */
};

/* Addresses of a stack, the sample's own among them: the default of perf_event_max_stack. */
enum { CHAIN_MAX = 127 };

/** Sample of an event: where a core was when the event had happened `period` times. */
struct code_hit {
	uint64_t t_ns, ip, period;
	uint32_t pid, tid; /* 0: idle; TID_GONE */
	uint64_t cgroup;   /* id of the task's cgroup; 0: unknown */
	uint64_t stream;   /* of the switches of its group */
	bool is_kernel;
	unsigned n_chain;      /* 0 without set.chains */
	const uint64_t *chain; /* return addresses, the nearest first; bit 63: in the kernel */
};

/** Receiver of records, which are valid only during the call. */
struct switch_sink {
	void *data;
	/* false: no room now; the record will be handed over again */
	bool (*take_switch)(void *data, const struct task_switch *one);
	void (*take_note)(void *data, const struct task_note *note);
	void (*take_hit)(void *data, const struct code_hit *hit); /* NULL: not wanted */
};

/* ---- raw counters of one core at one time, as stored in rings by core threads; no pointers */

enum raw_state {
	RAW_EMPTY,       /* no event in this slot on this core */
	RAW_OK,          /* value, enabled and running are valid */
	RAW_UNSUPPORTED, /* the event cannot be counted here */
	RAW_LOST,        /* the value is not reliable: failed read, foreign write, lost state */
	RAW_RESTARTED,   /* earlier counts are lost; counting restarts from this value */
	RAW_LATER,       /* the collector completes it: activity_stat_complete */
};

/** Totals since the slot was enabled; through perf the running time may stand still. */
struct raw {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t of_root; /* value of the set's root and its descendants; 0 before its exec */
};

enum sample_kind {
	SAMPLE_TICK,     /* ends a window and starts the next */
	SAMPLE_BASELINE, /* starts a window: first read of a set; no delta ends here */
	SAMPLE_MUX,      /* starts another mux group's part of the window */
	SAMPLE_OFF,      /* the core is offline: no values */
};

struct sample {
	uint64_t t_ns;             /* time of the read, CLOCK_MONOTONIC (or the backend's clock) */
	uint64_t tick;             /* tick of the plan; 0 is the plan's start */
	uint32_t plan;             /* number of the plan it was taken under */
	uint32_t set;              /* number of the set that was read */
	uint16_t first;            /* column of slot 0, that of the mux group read */
	uint8_t kind;              /* enum sample_kind */
	uint8_t n_slots;           /* further slots are empty on this core */
	uint8_t state[SLOTS_MAX];  /* enum raw_state */
	uint32_t late_ns;          /* delay after the deadline; UINT32_MAX: over 4.29 s */
	uint32_t wakeups;          /* wake-ups of the core thread since its start */
	uint32_t epoch;            /* uninterrupted counting period; a delta lies in one */
	uint64_t cpu_ns;           /* CPU time of the core thread since its start */
	struct switch_point at;    /* task that the counts belong to; for sets that want tasks */
	uint64_t attributable;     /* slots whose values switches record, as bits */
	uint64_t rooted;           /* slots that count raw.of_root, as bits */
	struct raw raw[SLOTS_MAX]; /* trailing slots may be left out: see sample_size */
};

/** Return the number of slots up to the last non-empty one. @state  enum raw_state, by slot */
static inline unsigned sample_n_slots(const uint8_t *state, unsigned n_slots)
{
	while (n_slots && state[n_slots - 1] == RAW_EMPTY)
		n_slots--;
	return n_slots;
}

/** Return the bytes of a sample with n_slots slots, for copying and allocation. */
static inline size_t sample_size(unsigned n_slots)
{
	return offsetof(struct sample, raw) + n_slots * sizeof(struct raw);
}

#endif
