/* waits.h: how long threads and processes of this machine ran and waited for a CPU, by /proc/PID/task/TID/schedstat, and
 * cgroups were throttled and under pressure; no curses */
#ifndef TUI_MODEL_WAITS_H
#define TUI_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "pmu/count.h"
#include "pmu/machine.h"
#include "pmu/sensors.h"
#include "sampler/task_rows.h"

enum { WAITS_RUN, WAITS_WAIT, WAITS_SLEEP, N_WAITS = CGROUP_LIMIT + 1 };

/** Shares of the time between two reads, in percent of one CPU. */
struct waiting {
	/* ok; partial: of a process with threads that began or ended meanwhile, or more than are read; pending: not read
	 * in the last seconds; none: it has ended, or the kernel has no schedstat */
	enum quality quality;
	double share[N_WAITS]; /* WAITS_RUN, …; of a cgroup by enum cgroup_figure; NaN: none */
	unsigned n_threads;
};

/** Last reads of threads and processes; `{ 0 }` is empty. */
struct waits {
	struct waits_entry {
		uint64_t id; /* of a thread; of a process in the upper half; address of a cgroup */
		uint64_t t_ns; /* 0: not read yet */
		uint64_t total_ns[N_WAITS];
		struct waiting is;
	} * entry;
	size_t n, cap;
	struct hash by_id; /* numbers of entries */
	bool has_looked;   /* for the folders of cgroups */
	struct cgroup_folders cgroups;
};

/** Read a thread or, with tid 0, all of a process, at most twice a second; between reads it is as read last. */
struct waiting waits_read(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns);

/** Read a cgroup, likewise. */
struct waiting waits_read_cgroup(struct waits *waits, const struct cgroup *cgroup, uint64_t now_ns);

/** Sum up the times of a row that its frame has, in percent of one CPU. @return NONE: its set has none */
struct waiting waits_of_row(const struct frame *frame, const struct task_rows *rows,
			    const struct task_row *row, unsigned type);

/** Free the contents. */
void waits_fini(struct waits *waits);

#endif
