/* waits.h: how long threads and processes of this machine ran and waited for a CPU, by /proc/PID/task/TID/schedstat; no curses */
#ifndef TUI_MODEL_WAITS_H
#define TUI_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "pmu/count.h"
#include "pmu/machine.h"

/** Shares of the time between two reads, in percent of one CPU. */
struct waiting {
	/* ok; partial: of a process with threads that began or ended meanwhile, or more than are read; pending: not read
	 * in the last seconds; none: it has ended, or the kernel has no schedstat */
	enum quality quality;
	double run, wait;
	unsigned n_threads;
};

/** Last reads of threads and processes; `{ 0 }` is empty. */
struct waits {
	struct waits_entry {
		uint64_t id;   /* of a thread; of a process in the upper half */
		uint64_t t_ns; /* 0: not read yet */
		struct thread_times times;
		struct waiting is;
	} * entry;
	size_t n, cap;
	struct hash by_id; /* numbers of entries */
};

/** Read a thread or, with tid 0, all of a process, at most twice a second; between reads it is as read last. */
struct waiting waits_read(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns);

/** Free the contents. */
void waits_fini(struct waits *waits);

#endif
