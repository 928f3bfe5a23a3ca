/* task_merge.c: merges tasks of two windows and sums small tasks as [others] */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sampler/tasks/tasks.h"

/* ---- merging equal tasks ---- */

/* Task of either window. */
struct task_at {
	const struct frame_tasks *of;
	size_t i;
	bool is_second;
};

static const struct core_task *task_of(const struct task_at *entry)
{
	return &entry->of->task[entry->i];
}

/* Order by core, [others] first; for a task in both windows the earlier first. */
static int compare_tasks(const struct core_task *a, const struct core_task *b)
{
	int by_core = task_order(a->core, b->core), by_kind = task_order(b->kind, a->kind);

	return by_core ? by_core : by_kind ? by_kind : task_compare(a, b, BY_THREAD);
}

static int compare_entries(const void *a, const void *b)
{
	const struct task_at *left = a, *right = b;
	int by_task = compare_tasks(task_of(left), task_of(right));

	return by_task ? by_task : left->is_second - right->is_second;
}

static void list_entries(const struct frame_tasks *of, bool is_second, struct task_at *ret)
{
	for (size_t i = 0; i < of->n; i++)
		ret[i] = (struct task_at){ of, i, is_second };
}

static size_t count_cores(const struct task_at *entry, size_t n)
{
	size_t n_cores = 0;

	for (size_t i = 0; i < n; i++)
		n_cores += !i || task_of(&entry[i])->core != task_of(&entry[i - 1])->core;
	return n_cores;
}

static void task_merge_add(struct frame_tasks *to, size_t at, const struct frame_tasks *from,
			   size_t i)
{
	for (unsigned column = 0; column < to->n_slots; column++)
		to->value[at * to->n_slots + column] += from->value[i * from->n_slots + column];
	for (unsigned mux = 0; mux < to->n_mux; mux++)
		to->time_ns[at * to->n_mux + mux] += from->time_ns[i * from->n_mux + mux];
}

/* Merge equal tasks; each core begins with [others], which is empty if it had none. */
static struct frame_tasks *task_merge_add_up(const struct task_at *entry, size_t n)
{
	struct frame_tasks *all =
		frame_tasks_new(n + count_cores(entry, n), entry->of->n_slots, entry->of->n_mux);

	if (!all)
		return NULL;
	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct core_task *task = task_of(&entry[i]);

		if (!i || task->core != task_of(&entry[i - 1])->core) {
			all->task[all->n] = task_of_kind(TASK_OTHERS);
			all->task[all->n++].core = task->core;
		}
		if (compare_tasks(task, &all->task[all->n - 1]) != 0)
			all->n++;
		all->task[all->n - 1] = *task; /* the later name */
		task_merge_add(all, all->n - 1, entry[i].of, entry[i].i);
	}
	return all;
}

/* ---- selecting the largest ---- */

/* Get the figure for a ranking: 0 by time, then by each column. */
static uint64_t figure_of(const struct frame_tasks *tasks, size_t i, unsigned ranking)
{
	return ranking ? tasks->value[i * tasks->n_slots + ranking - 1]
		       : core_task_time_ns(tasks, i);
}

static void keep_most(const struct frame_tasks *all, size_t from, size_t end, unsigned ranking,
		      unsigned n_kept, bool *keep)
{
	size_t most[TASKS_KEPT_MAX];
	unsigned n = 0;

	for (size_t i = from; i < end; i++) {
		uint64_t figure = figure_of(all, i, ranking);
		unsigned at;

		if (!figure || (n == n_kept && figure <= figure_of(all, most[n - 1], ranking)))
			continue;
		n += n < n_kept;
		for (at = n - 1; at && figure_of(all, most[at - 1], ranking) < figure; at--)
			most[at] = most[at - 1];
		most[at] = i;
	}
	for (unsigned i = 0; i < n; i++)
		keep[most[i]] = true;
}

static size_t end_of_core(const struct frame_tasks *tasks, size_t from)
{
	size_t end = from + 1;

	while (end < tasks->n && tasks->task[end].core == tasks->task[from].core)
		end++;
	return end;
}

static bool is_empty(const struct frame_tasks *tasks, size_t i)
{
	uint64_t any = core_task_time_ns(tasks, i);

	for (unsigned column = 0; column < tasks->n_slots; column++)
		any |= tasks->value[i * tasks->n_slots + column];
	return !any;
}

/* Select the tasks of a core to keep; the others are added to its [others], its first task. */
static void task_merge_choose(struct frame_tasks *all, size_t from, size_t end, unsigned n_kept,
			      bool *keep)
{
	for (unsigned ranking = 0; ranking <= all->n_slots; ranking++)
		keep_most(all, from + 1, end, ranking, n_kept, keep);
	for (size_t i = from + 1; i < end; i++) {
		keep[i] |= all->task[i].kind != TASK_THREAD;
		if (!keep[i])
			task_merge_add(all, from, all, i);
	}
	keep[from] = !is_empty(all, from);
}

/* ---- final order ---- */

/* Order by core, then by time, longest first. */
static int compare_places(const void *a, const void *b)
{
	const struct task_at *left = a, *right = b;
	unsigned core = left->of->task[left->i].core, other = right->of->task[right->i].core;
	int by_time = task_order(core_task_time_ns(right->of, right->i),
				 core_task_time_ns(left->of, left->i));

	if (core != other)
		return task_order(core, other);
	return by_time ? by_time : task_order(left->i, right->i);
}

/* Copy the kept tasks. @place  space for all */
static struct frame_tasks *copy_kept(const struct frame_tasks *all, const bool *keep,
				     struct task_at *place)
{
	struct frame_tasks *ret;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (keep[i])
			place[n++] = (struct task_at){ .of = all, .i = i };
	qsort(place, n, sizeof(*place), compare_places);
	ret = frame_tasks_new(n, all->n_slots, all->n_mux);
	for (size_t i = 0; ret && i < n; i++) {
		ret->task[i] = all->task[place[i].i];
		task_merge_add(ret, i, all, place[i].i);
	}
	return ret;
}

/* Whether no core has more than n_kept tasks. */
static bool is_small(const struct frame_tasks *tasks, unsigned n_kept)
{
	for (size_t from = 0, end; from < tasks->n; from = end) {
		end = end_of_core(tasks, from);
		if (end - from > n_kept)
			return false;
	}
	return true;
}

static struct frame_tasks *keep_largest(struct frame_tasks *all, unsigned n_kept)
{
	bool *keep = calloc(all->n + 1, sizeof(*keep));
	struct task_at *place = calloc(all->n + 1, sizeof(*place));
	struct frame_tasks *ret = NULL;

	for (size_t from = 0, end; keep && place && from < all->n; from = end) {
		end = end_of_core(all, from);
		task_merge_choose(all, from, end, n_kept, keep);
	}
	if (keep && place)
		ret = copy_kept(all, keep, place);
	free(keep);
	free(place);
	return ret;
}

/* Add the totals of the windows. */
static void add_whole(struct frame_tasks *to, const struct frame_tasks *from)
{
	to->n_switches += from->n_switches;
	to->n_lost += from->n_lost;
	if (from->cost_share > to->cost_share)
		to->cost_share = from->cost_share;
}

const struct frame_tasks *frame_tasks_merge(const struct frame_tasks *first,
					    const struct frame_tasks *second, unsigned n_kept)
{
	size_t n = first->n + (second ? second->n : 0);
	struct frame_tasks *all = NULL, *ret = NULL;

	assert(n_kept && n_kept <= TASKS_KEPT_MAX);
	if (!second && is_small(first, n_kept))
		return frame_tasks_ref(first);

	struct task_at *entry = calloc(n + 1, sizeof(*entry));

	if (entry) {
		list_entries(first, false, entry);
		if (second)
			list_entries(second, true, entry + first->n);
		qsort(entry, n, sizeof(*entry), compare_entries);
		entry[0].of = first; /* also if there are no entries */
		all = task_merge_add_up(entry, n);
	}
	if (all)
		ret = keep_largest(all, n_kept);
	if (ret) {
		add_whole(ret, first);
		if (second)
			add_whole(ret, second);
	}
	free(entry);
	frame_tasks_unref(all);
	return ret;
}
