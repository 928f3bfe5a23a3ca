/* core_tasks.h: what the files of the attribution share; nobody else includes it */
#ifndef SAMPLER_TASKS_CORE_TASKS_H
#define SAMPLER_TASKS_CORE_TASKS_H

#include "sampler/internal.h"
#include "sampler/tasks/attribution.h"
#include "sampler/tasks/backlog.h"
#include "sampler/tasks/tally.h"

struct core_tasks {
	struct attribution *of;
	unsigned width;   /* bits of its counters */
	unsigned n_ready; /* samples in its ring that were there when it was drained last */
	struct backlog backlog;
	bool is_full;       /* … and more is waiting in the backend */
	uint64_t last_ns;   /* of the newest in it */
	struct tally tally; /* time by mux group, then values by column */

	/* where the counters stood up to which all is attributed */
	bool has_begun;
	struct switch_point at;
	unsigned mux;
	uint64_t counted;      /* slots, as bits, that have a value there */
	uint64_t attributable; /* and switches have values of them */
	uint64_t value[SLOTS_MAX];

	uint32_t ended_pid, ended_tid; /* who ended here since the last switch; 0: nobody */
	uint64_t ended_ns;
	/* in this window: a part began that nobody saw, or what was attributed is not all of it */
	bool is_unknown;
	bool is_faulty; /* in this window: something went backwards */
	bool has_guess; /* in this window: of a switch it is not certain which group recorded it */
	uint64_t n_switches, n_lost;
};

struct attribution {
	struct sampler *sampler;
	struct names names;
	struct set set;
	unsigned n_values; /* of a tally's row */
	uint8_t column_of[MUX_MAX][SLOTS_MAX];
	uint64_t own_ns; /* CPU time for this frame so far */
	uint64_t n_faults;
	/* notes of all cores, in the order of time once that is known */
	struct task_note *note;
	size_t n_notes, cap_notes;
	struct core_tasks core[]; /* by core */
};

/** CPU time of the thread; 0 in virtual time. */
uint64_t attribution_cpu_ns(const struct attribution *attribution);

/**
 * Attribute what has been waiting longest where much is, although it may not be known yet where its part ends.
 *
 * @next   the core's next sample, NULL: it is not there yet
 * @t_ns   up to then it is known which tasks there are
 * @return whether there is more room than before
 */
bool core_tasks_relieve(struct core_tasks *core, const struct sample *next, uint64_t t_ns);

#endif
