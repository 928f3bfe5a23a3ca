#include "tui/model/waits.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/event.h"
#include "sampler/frame.h"

/* Of a process with more threads the rest is left out. Of more entries all are forgotten: then they are pending once. */
enum { PROCESS_THREADS_MAX = 256, ENTRIES_MAX = 8192 };

#define READ_AGAIN_NS (500 * NS_PER_MS)
#define FORGET_NS     (5 * NS_PER_S) /* a mean over a longer time says nothing of the present */

/* Find the entry of an id, or make one. @return valid until the next call; NULL without memory */
static struct waits_entry *entry_of(struct waits *waits, uint64_t id)
{
	if (waits->n > ENTRIES_MAX) {
		hash_clear(&waits->by_id);
		waits->n = 0;
	}
	return hash_array_item(&waits->by_id, (void **)&waits->entry, &waits->cap, &waits->n,
			       sizeof(*waits->entry), id);
}

static bool was_read_within(const struct waits_entry *entry, uint64_t now_ns, uint64_t ns)
{
	return entry->t_ns && now_ns - entry->t_ns < ns;
}

/* Replace the last reading of an entry by the present one, of n totals. */
static struct waiting take(struct waits_entry *last, struct waits_entry *now, unsigned n)
{
	bool is_known = was_read_within(last, now->t_ns, FORGET_NS);

	for (unsigned i = 0; i < n; i++) {
		uint64_t from_ns = last->total_ns[i], to_ns = now->total_ns[i];

		/* one that has less than before is another one with the same id */
		is_known &= to_ns >= from_ns;
		now->is.share[i] = from_ns == UINT64_MAX || to_ns == UINT64_MAX
					   ? NAN
					   : 100 * (double)(to_ns - from_ns) /
						     (double)(now->t_ns - last->t_ns);
	}
	now->is.quality = is_known ? QUALITY_OK : QUALITY_PENDING;
	*last = *now;
	return now->is;
}

static struct waiting read_thread(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct waits_entry *last = entry_of(waits, tid),
			   now = { .id = tid, .t_ns = now_ns, .is = { .n_threads = 1 } };
	struct thread_times times;

	if (last && was_read_within(last, now_ns, READ_AGAIN_NS))
		return last->is;
	if (!last || !thread_times_read(pid, tid, &times))
		return (struct waiting){ .quality = QUALITY_NONE };
	now.total_ns[WAITS_RUN] = times.run_ns;
	now.total_ns[WAITS_WAIT] = times.wait_ns;
	take(last, &now, WAITS_SLEEP);
	last->is.share[WAITS_SLEEP] =
		fmax(0, 100 - last->is.share[WAITS_RUN] - last->is.share[WAITS_WAIT]);
	return last->is;
}

struct waiting waits_read_cgroup(struct waits *waits, const struct cgroup *cgroup, uint64_t now_ns)
{
	const uint64_t id = UINT64_C(1) << 63 | (uintptr_t)cgroup;
	struct waits_entry *last = entry_of(waits, id), now = { .id = id, .t_ns = now_ns };

	if (last && was_read_within(last, now_ns, READ_AGAIN_NS))
		return last->is;
	if (!waits->has_looked) {
		waits->has_looked = true;
		cgroup_folders_find(&waits->cgroups, "");
	}
	if (!last || !*waits->cgroups.pressure)
		return (struct waiting){ .quality = QUALITY_NONE };
	for (unsigned i = 0; i < N_WAITS; i++)
		if (!cgroup_read(&waits->cgroups, cgroup->path, i, &now.total_ns[i]))
			now.total_ns[i] = UINT64_MAX;
	take(last, &now, CGROUP_LIMIT);
	last->is.share[CGROUP_LIMIT] = now.total_ns[CGROUP_LIMIT] == UINT64_MAX
					       ? NAN
					       : 100e-9 * (double)now.total_ns[CGROUP_LIMIT];
	return last->is;
}

struct waiting waits_of_row(const struct frame *frame, const struct task_rows *rows,
			    const struct task_row *row, unsigned type)
{
	struct waiting sum = { .quality = QUALITY_NONE };

	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct event *event = set_event(frame->set, slot);
		struct count count;

		if (!event || !event_is_schedstat(event) || event->config[0] > ACTIVITY_SLEEP)
			continue;
		count = task_row_count(rows, row, type, slot);
		sum.quality = quality_worst(sum.quality, count.quality);
		sum.share[event->config[0] - ACTIVITY_RUN] =
			100 * (double)count.value / (double)frame_window_ns(frame);
	}
	return sum;
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
		for (unsigned i = 0; i < N_WAITS; i++)
			sum.share[i] += is.share[i];
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
