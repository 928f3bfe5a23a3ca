/* core_tasks.h: state of the attribution, shared by its files */
#ifndef SAMPLER_TASKS_CORE_TASKS_H
#define SAMPLER_TASKS_CORE_TASKS_H

#include "base/clock.h"
#include "sampler/tasks/attribution.h"
#include "sampler/tasks/cgroup.h"
#include "sampler/tasks/hits.h"
#include "sampler/tasks/names.h"
#include "sampler/tasks/tally.h"
#include "sampler/threads/internal.h"

/* Queue of switches that grows up to a fixed size. { 0 } is empty; free(bytes) releases it. */
struct backlog {
	char *bytes;
	size_t begin, end, size;
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
	uint64_t root_value[SLOTS_MAX]; /* of the set's root, as in struct sample */
	/* counts of the root in this window, by column */
	struct column_set exact;
	uint64_t of_root[COLUMNS_MAX];
	uint64_t n_after_end; /* switches of its tasks that had ended: of_root lacks them */

	uint32_t ended_pid, ended_tid; /* task that ended here since the last switch; 0: none */
	uint64_t ended_ns;
	/* in this window: a part had no known begin, or the attribution is incomplete */
	bool is_unknown;
	bool is_faulty; /* in this window: a counter went backwards */
	bool has_guess; /* in this window: the group that recorded a switch is uncertain */
	uint64_t n_switches, n_lost;

	/* samples of the set's event */
	uint64_t last_stream, last_n;  /* last switch taken from the backend */
	uint64_t sampled_stream;       /* group that samples; 0: not known yet */
	uint64_t period;               /* mean of those drawn; 0: the backend's first */
	uint64_t random, n_drawn;      /* samples since a period was drawn */
	uint64_t n_hits, hits_from_ns; /* since the period was looked at */
	uint64_t n_window_hits;
	uint64_t throttled_from_ns; /* 0: sampling goes on */
	uint64_t throttled_ns;      /* in this window, before that */
	uint64_t n_lost_records;
};

struct attribution {
	struct sampler *sampler;
	struct names names;
	struct cgroup_ids cgroups;
	uint64_t list_cgroups_ns; /* time from which on they may be listed again */
	struct set set;
	unsigned n_values; /* values per row of a tally */
	uint16_t column_of[MUX_MAX][SLOTS_MAX];
	uint64_t own_ns; /* CPU time for this frame so far */
	/* notes of all cores, sorted by time once complete */
	struct task_note *note;
	size_t n_notes, cap_notes;
	struct hits *hits;        /* NULL: the set samples no event */
	struct core_tasks core[]; /* by core */
};

/** Get the CPU time of the thread; 0 in virtual time. */
static inline uint64_t attribution_cpu_ns(const struct attribution *attribution)
{
	return attribution->sampler->backend->virtual_clock ? 0 : clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/** Get the number of a core. */
static inline unsigned core_tasks_index(const struct core_tasks *core)
{
	return (unsigned)(core - core->of->core);
}

/** Whether it has the counts of some tasks on all cores of a type, with samples and without switches. */
static inline bool is_of_tasks(const struct core_tasks *core)
{
	return core->of->sampler->backend->of_tasks;
}

/* ---- the sampled event: sampling.c */

/** Begin with a set. The period is chosen by the last frame if it counted the event, else left to the backend. */
void sampling_start(struct core_tasks *core);

/** Apply the period to a group that begins to count, if it samples. */
void sampling_begin(struct core_tasks *core, uint64_t stream);

/** Sample less if there are far too many samples before the window's end. */
void sampling_limit(struct core_tasks *core, uint64_t now_ns);

/** Complete the samples of the core's window, and choose the period of the next by its rates. */
void sampling_close(struct core_tasks *core, const struct frame *frame);

#endif
