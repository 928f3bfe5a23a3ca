/* core_tasks.h: structs shared by the files of the attribution; not for other includers */
#ifndef SAMPLER_TASKS_CORE_TASKS_H
#define SAMPLER_TASKS_CORE_TASKS_H

#include "base/clock.h"
#include "sampler/threads/internal.h"
#include "sampler/tasks/attribution.h"

/* ---- names: a thread id at a time, as a task and its name ---- */

/** Time after its end in which a thread id still means the task: its last switch follows the end. */
#define NAMES_ENDED_NS (2 * NS_PER_S)

/** Chains of tasks: a few tasks each even if there are 100 000. */
enum { NAMES_CHAINS = 1 << 15 };

/** One life of a thread id, valid until names_forget. */
struct task_name {
	uint32_t tid, pid;
	uint64_t from_ns;          /* start time; 0: before the session */
	uint64_t first_ns;         /* time when it was first seen */
	uint64_t ended_ns;         /* end time; UINT64_MAX: running */
	bool is_of_root;           /* is the process `root` or a descendant */
	bool is_kept;              /* is referenced: see names_forget */
	char comm[TASK_COMM_SIZE]; /* printable UTF-8, different from the names of task kinds */
	struct task_name *next;    /* next in its chain; of equal ids the older one */
};

/** Get the name of a task without a note, as backend_ops.task_comm. */
typedef int names_ask(void *data, uint32_t tid, char *ret_comm);

/** All tasks, by id and time, up to a fixed number. */
struct names {
	names_ask *ask;
	void *data;
	struct task_name **chain; /* hash table of NAMES_CHAINS; NULL: no task yet */
	size_t n;
	uint32_t root;       /* id of a process; 0: none */
	bool root_has_begun; /* root has executed its first program, for which it was forked */
	size_t n_ended;      /* tasks that ended since the last names_forget */
};

/** Forget all. `{ .ask, .data }` is empty. */
void names_clear(struct names *names);

/** Apply a note. Notes of all cores must be in the order of time. */
void names_take(struct names *names, const struct task_note *note);

/** Find the task that had this id at t_ns; an unknown one is added.
 * @return NULL if there is no room */
struct task_name *names_find(struct names *names, uint32_t pid, uint32_t tid, uint64_t t_ns);

/** Whether names_forget is due. */
bool names_are_many(const struct names *names);

/** Forget tasks that ended before t_ns and are not kept; afterwards none is kept. */
void names_forget(struct names *names, uint64_t t_ns);

/* ---- state of the attribution ---- */

/** Queue of switches that grows up to a fixed size. { 0 } is empty; free(bytes) releases it. */
struct backlog {
	char *bytes;
	size_t begin, end, size;
};

/* Rows that always exist. */
enum { ROW_UNATTRIBUTED, ROW_OTHERS, ROW_IDLE, N_FIXED_ROWS };

/** Sums by task: one row of n_values numbers per task, up to a fixed number of rows. { 0 } is empty. */
struct tally {
	unsigned n_values;
	size_t n, cap, max;      /* number of rows */
	struct task_name **task; /* by row; NULL for a fixed row */
	uint64_t *value;         /* [row × n_values] */
	uint32_t *index;         /* hash table: row of the task; 0: empty */
	size_t n_index;
};

struct core_tasks {
	struct attribution *of;
	unsigned width;   /* width of its counters, bits */
	unsigned n_ready; /* samples in its ring when it was last drained */
	struct backlog backlog;
	bool is_full;       /* backlog is full and the backend has more */
	uint64_t last_ns;   /* time of the newest record in the backlog */
	struct tally tally; /* time by mux group, then values by column */

	/* counter values up to which all is attributed */
	bool has_begun;
	struct switch_point at;
	unsigned mux;
	uint64_t counted;      /* slots with a value there, as bits */
	uint64_t attributable; /* slots of these with values at switches, as bits */
	uint64_t value[SLOTS_MAX];

	uint32_t ended_pid, ended_tid; /* task that ended here since the last switch; 0: none */
	uint64_t ended_ns;
	/* in this window: a part had no known begin, or the attribution is incomplete */
	bool is_unknown;
	bool is_faulty; /* in this window: a counter went backwards */
	bool has_guess; /* in this window: the group that recorded a switch is uncertain */
	uint64_t n_switches, n_lost;
};

struct attribution {
	struct sampler *sampler;
	struct names names;
	struct set set;
	unsigned n_values; /* values per row of a tally */
	uint8_t column_of[MUX_MAX][SLOTS_MAX];
	uint64_t own_ns; /* CPU time for this frame so far */
	uint64_t
		n_faults; /* windows whose sums did not add up: a bug in m1top or the kernel; read by tests */
	/* notes of all cores, sorted by time once complete */
	struct task_note *note;
	size_t n_notes, cap_notes;
	struct core_tasks core[]; /* by core */
};

/** Get the CPU time of the thread; 0 in virtual time. */
uint64_t attribution_cpu_ns(const struct attribution *attribution);

/** Exclude CPU time spent on switches since from_ns from the budget: no interval changes it. */
void attribution_spend(struct attribution *attribution, uint64_t from_ns);

/**
 * Attribute the oldest switches of a large backlog, although the end of their part may be unknown.
 *
 * @next   the core's next sample; NULL: not there yet
 * @t_ns   time up to which tasks are known
 * @return whether there is more room than before
 */
bool core_tasks_relieve(struct core_tasks *core, const struct sample *next, uint64_t t_ns);

/** Append a copy. @return false: full or no memory */
bool backlog_push(struct backlog *backlog, const struct task_switch *one);

/** Reset to rows of n_values values, at most `max` rows. @return 0 or -ENOMEM */
int tally_init(struct tally *tally, unsigned n_values, size_t max);

/** Free the contents. */
void tally_fini(struct tally *tally);

/** Set all sums to 0. */
void tally_clear(struct tally *tally);

/** Get the values of a row. @row  0 … n-1 */
static inline uint64_t *tally_values(const struct tally *tally, size_t row)
{
	return tally->value + row * tally->n_values;
}

#endif
