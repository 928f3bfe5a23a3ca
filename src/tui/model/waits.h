/* waits.h: how long threads and processes of this machine ran and waited for a CPU, by /proc/PID/task/TID/schedstat; no curses */
#ifndef TUI_MODEL_WAITS_H
#define TUI_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/count.h"

enum { WAITS_MAX = 4096 };

/** Shares of the time between two reads, in percent of one CPU. */
struct waiting {
	/* ok; partial: of a process with threads that began or ended meanwhile; pending: read once so far; none: it has ended,
	 * or the kernel has no schedstat */
	enum quality quality;
	double run, wait;
	unsigned n_threads;
};

/** Last reads of threads and processes, which replace each other where their ids collide; `{ 0 }` is empty. */
struct waits {
	struct waits_thread {
		uint32_t tid; /* 0: none */
		uint64_t t_ns, run_ns, wait_ns;
		double run, wait; /* shares up to t_ns; NaN: first read then */
	} thread[WAITS_MAX];
	struct waits_process {
		uint32_t pid; /* 0: none */
		uint64_t t_ns;
		struct waiting is;
	} process[WAITS_MAX / 4];
};

/** Read a thread or, with tid 0, all of a process, at most twice a second; between reads it is as read last. */
struct waiting waits_read(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns);

#endif
