#include "tui/model/waits.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "pmu/machine.h"

/* Of a process with more threads the rest is left out. */
enum { PROCESS_THREADS_MAX = 1024 };

#define READ_AGAIN_NS (500 * NS_PER_MS)

/* Source: proc_pid_schedstat() in fs/proc/base.c: time on CPUs and waiting for one, in ns */
static bool read_schedstat(uint32_t pid, uint32_t tid, uint64_t *ret_run_ns, uint64_t *ret_wait_ns)
{
	char path[64], text[96];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", pid, tid);
	return sysfs_read("", path, text, sizeof(text)) > 0 && text_word_u64(text, 0, ret_run_ns) &&
	       text_word_u64(text, 1, ret_wait_ns);
}

static struct waiting thread_waiting(const struct waits_thread *thread)
{
	return (struct waiting){
		.quality = isnan(thread->run) ? QUALITY_PENDING : QUALITY_OK,
		.run = thread->run,
		.wait = thread->wait,
		.n_threads = 1,
	};
}

static struct waiting read_thread(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct waits_thread *last = &waits->thread[tid % WAITS_MAX],
			    now = { .tid = tid, .t_ns = now_ns, .run = NAN, .wait = NAN };

	if (last->tid == tid && now_ns - last->t_ns < READ_AGAIN_NS)
		return thread_waiting(last);
	if (!read_schedstat(pid, tid, &now.run_ns, &now.wait_ns))
		return (struct waiting){ .quality = QUALITY_NONE };
	/* one that has less than before is another thread with the same id */
	if (last->tid == tid && now.run_ns >= last->run_ns && now.wait_ns >= last->wait_ns) {
		double window_ns = (double)(now_ns - last->t_ns);

		now.run = 100 * (double)(now.run_ns - last->run_ns) / window_ns;
		now.wait = 100 * (double)(now.wait_ns - last->wait_ns) / window_ns;
	}
	*last = now;
	return thread_waiting(last);
}

/* Sum up the threads that were there at both reads. @n_before  threads at the last one */
static struct waiting sum_threads(struct waits *waits, uint32_t pid, unsigned n_before,
				  uint64_t now_ns)
{
	struct waiting sum = { .quality = QUALITY_NONE };
	unsigned n_ok = 0;
	char path[48];
	const struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);

	AUTO_DIR DIR *threads = opendir(path);

	while (threads && sum.n_threads < PROCESS_THREADS_MAX && (entry = readdir(threads))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		struct waiting is = { .quality = QUALITY_NONE };

		if (tid)
			is = read_thread(waits, pid, tid, now_ns);
		sum.n_threads += is.quality != QUALITY_NONE;
		if (is.quality != QUALITY_OK)
			continue;
		n_ok++;
		sum.run += is.run;
		sum.wait += is.wait;
	}
	if (sum.n_threads)
		sum.quality =
			!n_ok ? QUALITY_PENDING
			: n_ok < n_before || n_ok < sum.n_threads || n_ok == PROCESS_THREADS_MAX
				? QUALITY_PARTIAL
				: QUALITY_OK;
	return sum;
}

struct waiting waits_read(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct waits_process *process = &waits->process[pid % ARRAY_SIZE(waits->process)];
	bool is_known = process->pid == pid;

	if (tid)
		return read_thread(waits, pid, tid, now_ns);
	if (!is_known || now_ns - process->t_ns >= READ_AGAIN_NS)
		*process = (struct waits_process){
			pid, now_ns,
			sum_threads(waits, pid, is_known ? process->is.n_threads : 0, now_ns)
		};
	return process->is;
}
