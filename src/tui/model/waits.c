#include "tui/model/waits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"

/* Of a process with more threads the rest is left out. Of more entries all are forgotten: then they are pending once. */
enum { PROCESS_THREADS_MAX = 256, ENTRIES_MAX = 8192 };

#define READ_AGAIN_NS (500 * NS_PER_MS)
#define FORGET_NS     (5 * NS_PER_S) /* a mean over a longer time says nothing of the present */

/* Find the entry of an id, or make one. @return valid until the next call; NULL without memory */
static struct waits_entry *entry_of(struct waits *waits, uint64_t id)
{
	const struct waits_entry made = { .id = id };
	const uint64_t hash = hash_mix(0, id);
	void *item;

	hash_each(&waits->by_id, hash, item)
		if (waits->entry[hash_number(item)].id == id)
			return &waits->entry[hash_number(item)];
	if (waits->n == ENTRIES_MAX) {
		hash_clear(&waits->by_id);
		waits->n = 0;
	}
	if (array_append((void **)&waits->entry, &waits->cap, &waits->n, &made, sizeof(made)))
		return NULL;
	if (hash_add(&waits->by_id, hash, hash_item(waits->n - 1))) {
		waits->n--;
		return NULL;
	}
	return &waits->entry[waits->n - 1];
}

static bool was_read_within(const struct waits_entry *entry, uint64_t now_ns, uint64_t ns)
{
	return entry->t_ns && now_ns - entry->t_ns < ns;
}

static struct waiting read_thread(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct waits_entry *last = entry_of(waits, tid), now = { .id = tid, .t_ns = now_ns };

	if (last && was_read_within(last, now_ns, READ_AGAIN_NS))
		return last->is;
	if (!last || !thread_times_read(pid, tid, &now.times))
		return (struct waiting){ .quality = QUALITY_NONE };
	now.is = (struct waiting){ .quality = QUALITY_PENDING, .n_threads = 1 };
	/* one that has less than before is another thread with the same id */
	if (was_read_within(last, now_ns, FORGET_NS) && now.times.run_ns >= last->times.run_ns &&
	    now.times.wait_ns >= last->times.wait_ns) {
		double window_ns = (double)(now_ns - last->t_ns);

		now.is.quality = QUALITY_OK;
		now.is.run = 100 * (double)(now.times.run_ns - last->times.run_ns) / window_ns;
		now.is.wait = 100 * (double)(now.times.wait_ns - last->times.wait_ns) / window_ns;
	}
	*last = now;
	return now.is;
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
	const uint64_t id = (uint64_t)pid << 32;
	struct waits_entry *last;
	struct waiting is;

	if (tid)
		return read_thread(waits, pid, tid, now_ns);
	last = entry_of(waits, id);
	if (last && was_read_within(last, now_ns, READ_AGAIN_NS))
		return last->is;
	is = sum_threads(waits, pid,
			 last && was_read_within(last, now_ns, FORGET_NS) ? last->is.n_threads : 0,
			 now_ns);
	last = entry_of(waits, id); /* those of the threads may have moved it */
	if (last)
		*last = (struct waits_entry){ .id = id, .t_ns = now_ns, .is = is };
	return is;
}

void waits_fini(struct waits *waits)
{
	free(waits->entry);
	hash_fini(&waits->by_id);
	*waits = (struct waits){ 0 };
}
