#include "sampler/threads/bucket.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/tasks.h"

/* ---- tasks of two windows: merged, and small ones summed as [others] ---- */

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

	return by_core ? by_core : by_kind ? by_kind : task_compare(a, b, BY_ALL);
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
	all->own_columns = entry->of->own_columns;
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

/* Get the figure for a ranking: 0 by time, then by each column. */
static uint64_t figure_of(const struct frame_tasks *tasks, size_t i, unsigned ranking)
{
	return ranking ? tasks->value[i * tasks->n_slots + ranking - 1]
		       : core_task_time_ns(tasks, i);
}

static void task_merge_keep_most(const struct frame_tasks *all, size_t from, size_t end,
				 unsigned ranking, unsigned n_top, bool *keep)
{
	size_t most[BUCKET_TASKS_MAX];
	unsigned n = 0;

	assert(n_top && n_top <= BUCKET_TASKS_MAX);
	for (size_t i = from; i < end; i++) {
		uint64_t figure = figure_of(all, i, ranking);
		unsigned at;

		if (!figure || (n == n_top && figure <= figure_of(all, most[n - 1], ranking)))
			continue;
		n += n < n_top;
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

static bool task_merge_is_empty(const struct frame_tasks *tasks, size_t i)
{
	uint64_t any = core_task_time_ns(tasks, i);

	for (unsigned column = 0; column < tasks->n_slots; column++)
		any |= tasks->value[i * tasks->n_slots + column];
	return !any;
}

/* Select the tasks of a core to keep; the others are added to its [others], its first task. */
static void task_merge_choose(struct frame_tasks *all, size_t from, size_t end, unsigned n_top,
			      bool *keep)
{
	for (unsigned ranking = 0; ranking <= all->n_slots; ranking++)
		task_merge_keep_most(all, from + 1, end, ranking, n_top, keep);
	for (size_t i = from + 1; i < end; i++) {
		keep[i] |= all->task[i].kind != TASK_THREAD;
		if (!keep[i])
			task_merge_add(all, from, all, i);
	}
	keep[from] = !task_merge_is_empty(all, from);
}

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
static struct frame_tasks *task_merge_copy(const struct frame_tasks *all, const bool *keep,
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
		ret->own_columns = all->own_columns;
		ret->task[i] = all->task[place[i].i];
		task_merge_add(ret, i, all, place[i].i);
	}
	return ret;
}

/* Whether no core has more than n_top tasks. */
static bool task_merge_is_small(const struct frame_tasks *tasks, unsigned n_top)
{
	for (size_t from = 0, end; from < tasks->n; from = end) {
		end = end_of_core(tasks, from);
		if (end - from > n_top)
			return false;
	}
	return true;
}

static struct frame_tasks *task_merge_keep_largest(struct frame_tasks *all, unsigned n_top)
{
	AUTO_FREE bool *keep = calloc(all->n + 1, sizeof(*keep));
	AUTO_FREE struct task_at *place = calloc(all->n + 1, sizeof(*place));

	for (size_t from = 0, end; keep && place && from < all->n; from = end) {
		end = end_of_core(all, from);
		task_merge_choose(all, from, end, n_top, keep);
	}
	return keep && place ? task_merge_copy(all, keep, place) : NULL;
}

/* Add the totals of the windows. */
static void task_merge_add_whole(struct frame_tasks *to, const struct frame_tasks *from)
{
	to->n_switches += from->n_switches;
	to->n_lost += from->n_lost;
	to->own_window_ns += from->own_window_ns;
	if (from->cost_share > to->cost_share)
		to->cost_share = from->cost_share;
}

const struct frame_tasks *frame_tasks_merge(const struct frame_tasks *first,
					    const struct frame_tasks *second, unsigned n_top)
{
	size_t n = first->n + (second ? second->n : 0);
	struct frame_tasks *all = NULL, *ret = NULL;

	if (!second && task_merge_is_small(first, n_top))
		return frame_tasks_ref(first);

	AUTO_FREE struct task_at *entry = calloc(n + 1, sizeof(*entry));

	if (entry) {
		list_entries(first, false, entry);
		if (second)
			list_entries(second, true, entry + first->n);
		qsort(entry, n, sizeof(*entry), compare_entries);
		if (!n)
			entry[0].of = first;
		all = task_merge_add_up(entry, n);
	}
	if (all)
		ret = task_merge_keep_largest(all, n_top);
	if (ret) {
		task_merge_add_whole(ret, first);
		if (second)
			task_merge_add_whole(ret, second);
	}
	frame_tasks_unref(all);
	return ret;
}

/* ---- buckets ---- */

/* Columns of a new bucket. */
struct row_layout {
	uint64_t slots[CORES_MAX * (COLUMNS_MAX / 64)]; /* as in struct stored_bucket */
	uint32_t first[CORES_MAX + 1];
};

static const uint64_t *slots_of_row(const struct stored_bucket *bucket, size_t row)
{
	return bucket->slots + row * bucket->n_words;
}

static bool has_slot(const struct stored_bucket *bucket, size_t row, unsigned slot)
{
	return bits_has(slots_of_row(bucket, row), slot);
}

static inline size_t bucket_place_of(const struct stored_bucket *bucket, size_t row, unsigned slot)
{
	const uint64_t *slots = slots_of_row(bucket, row);
	uint64_t before = slot < 64 ? (UINT64_C(1) << slot) - 1 : 0;

	if (slot < 64 && (slots[0] & before) == before) /* the common case; counting is slower */
		return bucket->first[row] + slot;
	return bucket->first[row] + bits_count(slots, slot);
}

/* Visit the slots of a row. @at  index of the slot's count or range */
#define row_each(bucket, row, slot, at)                                              \
	for (unsigned slot = 0, at = (bucket)->first[row]; slot < (bucket)->n_slots; \
	     at += has_slot(bucket, row, slot), slot++)                              \
		if (has_slot(bucket, row, slot))

/* Get the place of a figure behind those of the cores' columns: columns of the other rows, then metrics of all. */
static size_t place_of_figure(const struct history_layout *layout,
			      const struct stored_bucket *bucket, size_t row, bool is_metric,
			      unsigned column)
{
	size_t n_cores = layout->machine->n_cores, n_rows = layout->first[BY_TYPE + 1];

	if (!is_metric)
		return (row - n_cores) * bucket->n_slots + column;
	return (n_rows - n_cores) * bucket->n_slots + row * bucket->n_metrics + column;
}

static size_t n_figures(const struct history_layout *layout, const struct stored_bucket *bucket)
{
	return place_of_figure(layout, bucket, layout->first[BY_TYPE + 1], true, 0);
}

/* Allocate a bucket whose arrays the caller fills. @row  contains the cores' slots; the rest is
 * filled in. @has_common  see struct stored_bucket */
static struct stored_bucket *bucket_new(const struct history_layout *layout, struct frame_set *of,
					bool is_merged, bool has_common, struct row_layout *row)
{
	struct stored_bucket it = {
		.is.set = &of->set,
		.of = of,
		.is.bound = &of->bound,
		.n_slots = of->set.n_slots,
		.n_metrics = of->bound.n,
		.n_words = bits_n_words(of->set.n_slots),
	};
	size_t n_cores = layout->machine->n_cores, figures = n_figures(layout, &it);

	row->first[0] = 0;
	for (size_t i = 0; i < n_cores; i++)
		row->first[i + 1] =
			row->first[i] + bits_count(row->slots + i * it.n_words, 64 * it.n_words);

	size_t cores = n_cores * sizeof(struct stored_core);
	size_t slots = n_cores * it.n_words * sizeof(*row->slots);
	size_t firsts = (n_cores + 1) * sizeof(*row->first);
	size_t n_counts = (size_t)row->first[n_cores] * (has_common ? 2 : 1);
	size_t counts = n_counts * sizeof(struct stored_count);
	size_t ranges = is_merged ? (row->first[n_cores] + figures) * sizeof(struct range)
				  : figures * sizeof(float);
	size_t estimates = set_n_mux(&of->set) > 1 ? n_counts * sizeof(struct stored_estimate) : 0;

	it.bytes = sizeof(it) + cores + slots + counts + ranges + estimates + firsts + n_counts;

	struct stored_bucket *bucket = malloc(it.bytes);

	if (!bucket)
		return NULL;

	char *memory = (char *)(bucket + 1), *extras = memory + cores + slots + counts;

	frame_set_ref(of);
	it.common = has_common ? row->first[n_cores] : 0;
	it.core = (struct stored_core *)memory;
	it.slots = (uint64_t *)(memory + cores);
	it.count = (struct stored_count *)(memory + cores + slots);
	it.figure = is_merged ? NULL : (void *)extras;
	it.range = is_merged ? (void *)extras : NULL;
	it.estimate = estimates ? (void *)(extras + ranges) : NULL;
	it.first = (uint32_t *)(extras + ranges + estimates);
	it.quality = (uint8_t *)(extras + ranges + estimates + firsts);
	*bucket = it;
	memcpy(bucket->slots, row->slots, slots);
	memcpy(bucket->first, row->first, firsts);
	return bucket;
}

void bucket_free(struct stored_bucket *bucket)
{
	if (!bucket)
		return;
	frame_set_unref(bucket->of);
	frame_tasks_unref(bucket->tasks);
	sensed_unref(bucket->sensed);
	free(bucket);
}

static float bucket_value_of(struct reading reading)
{
	return quality_has_value(reading.quality) ? (float)reading.value : NAN;
}

static void keep_count(struct stored_bucket *bucket, size_t at, const struct count *count)
{
	bucket->count[at] = (struct stored_count){
		.value = count->value,
		.enabled_ns = count->enabled_ns,
		.running_ns = count->running_ns,
	};
	if (bucket->estimate)
		bucket->estimate[at] =
			(struct stored_estimate){ (float)count->extra, (float)count->error };
	bucket->quality[at] = (uint8_t)count->quality;
}

static void keep_metrics(const struct history_layout *layout, struct stored_bucket *bucket,
			 size_t row, const struct reading *metric)
{
	float *to = bucket->figure + place_of_figure(layout, bucket, row, true, 0);

	for (unsigned i = 0; i < bucket->n_metrics; i++)
		to[i] = bucket_value_of(metric[i]);
}

static void keep_core(const struct history_layout *layout, struct stored_bucket *bucket,
		      const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	const struct count *count = frame_counts(frame, core);

	bucket->core[core] = (struct stored_core){
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
		.state = (uint8_t)from->state,
		.lacks_last = from->state == CORE_LATE || from->lacks_last,
	};
	row_each(bucket, core, slot, at)
		keep_count(bucket, at, &count[slot]);
	keep_metrics(layout, bucket, core, frame_metrics(frame, core));
}

/* Keep the figures of the rows that sum cores. The frame computes them once, for the screen, too. */
static void keep_rows(const struct history_layout *layout, const struct frame *frame,
		      struct stored_bucket *bucket)
{
	float *rate = bucket->figure;

	for (enum frame_by by = BY_PHYSICAL; by <= BY_TYPE; by++) {
		for (unsigned at = layout->first[by]; at < layout->first[by + 1]; at++) {
			struct frame_row row;

			frame_row(frame, layout->machine, layout->metrics, by,
				  at - layout->first[by], &row);
			keep_metrics(layout, bucket, at, row.metric);
			for (unsigned slot = 0; slot < bucket->n_slots; slot++)
				*rate++ = bucket_value_of(count_rate(&row.count[slot]));
		}
	}
}

/* Get the memory in use, bytes. */
static size_t frame_tasks_bytes(const struct frame_tasks *tasks)
{
	if (!tasks)
		return 0;
	return sizeof(*tasks) +
	       tasks->n * (sizeof(*tasks->task) + sizeof(*tasks->value) * tasks->n_slots +
			   sizeof(*tasks->time_ns) * tasks->n_mux);
}

/* Keep the largest tasks. @second  NULL: only one window */
static void keep_tasks(const struct history_layout *layout, const struct frame_tasks *first,
		       const struct frame_tasks *second, struct stored_bucket *bucket)
{
	const struct frame_tasks *before = bucket->tasks;

	bucket->tasks = first ? frame_tasks_merge(first, second, layout->n_tasks) : NULL;
	bucket->bytes += frame_tasks_bytes(bucket->tasks) - frame_tasks_bytes(before);
	frame_tasks_unref(before);
}

static void take_slots(const struct frame *frame, unsigned core, struct row_layout *row)
{
	unsigned n_words = bits_n_words(frame->n_slots);
	const struct count *count = frame_counts(frame, core);
	uint64_t *slots = row->slots + (size_t)core * n_words;

	memset(slots, 0, n_words * sizeof(*slots));
	for (unsigned i = 0; i < frame->n_slots; i++)
		if (count[i].quality != QUALITY_NONE)
			bits_add(slots, i);
}

struct stored_bucket *bucket_of_frame(const struct history_layout *layout,
				      const struct frame *frame)
{
	struct row_layout row;
	uint64_t longest_ns = frame_window_ns(frame);

	for (unsigned core = 0; core < frame->n_cores; core++)
		take_slots(frame, core, &row);

	struct stored_bucket *bucket = bucket_new(layout, frame->of, false, false, &row);

	if (!bucket)
		return NULL;
	for (unsigned core = 0; core < frame->n_cores; core++)
		keep_core(layout, bucket, frame, core);
	keep_rows(layout, frame, bucket);
	keep_tasks(layout, frame->tasks, NULL, bucket);
	bucket->sensed = sensed_ref(frame->sensed);
	bucket->is.number = frame->number;
	bucket->is.n_frames = 1;
	bucket->is.t_ns = frame->t_ns;
	bucket->is.begin_ns = frame->t_ns > longest_ns ? frame->t_ns - longest_ns : 0;
	bucket->is.interval_ns = frame->interval_ns;
	bucket->is.gap = frame->gap;
	bucket->is.n_missed = frame->n_missed;
	return bucket;
}

static inline struct count count_at(const struct stored_bucket *bucket, size_t at)
{
	return (struct count){
		.value = bucket->count[at].value,
		.enabled_ns = bucket->count[at].enabled_ns,
		.running_ns = bucket->count[at].running_ns,
		.quality = bucket->quality[at],
		.n_summed = 1,
		.extra = bucket->estimate ? (double)bucket->estimate[at].extra : 0,
		.error = bucket->estimate ? (double)bucket->estimate[at].error : 0,
	};
}

/* @common  0, or bucket->common for the counts of the common windows */
static inline struct count count_of(const struct stored_bucket *bucket, unsigned core,
				    unsigned slot, size_t common)
{
	if (!has_slot(bucket, core, slot))
		return (struct count){ .quality = QUALITY_NONE, .n_summed = 1 };
	return count_at(bucket, bucket_place_of(bucket, core, slot) + common);
}

void bucket_count(const struct stored_bucket *bucket, unsigned core, unsigned slot,
		  struct count *ret)
{
	*ret = count_of(bucket, core, slot, 0);
}

void history_layout_init(struct history_layout *layout, const struct machine *machine,
			 const struct metrics *metrics)
{
	enum { KEPT = 64, LEAST = 2 };
	unsigned n_tasks = KEPT / machine->n_cores;

	*layout = (struct history_layout){ .machine = machine,
					   .metrics = metrics,
					   .n_tasks = n_tasks > LEAST ? n_tasks : LEAST };
	for (enum frame_by by = BY_CORE; by <= BY_TYPE; by++)
		layout->first[by + 1] = layout->first[by] + frame_n_own_rows(machine, by);
}

/* Sum a core's counts in one slot over adjacent buckets. */
static struct count count_over(const struct stored_bucket *const *bucket, size_t n, unsigned core,
			       unsigned slot, bool is_common)
{
	struct count all = { .quality = QUALITY_NONE, .n_summed = 1 };

	for (size_t i = 0; i < n; i++) {
		struct count one =
			count_of(bucket[i], core, slot, is_common ? bucket[i]->common : 0);

		count_add_window(&all, &one);
	}
	return all;
}

/* Add a core to a row of several. @is_late  it was late at the end */
static void add_core(const struct machine *machine, const struct set *set, unsigned core,
		     bool is_late, const struct count *one, unsigned slot, struct count *row)
{
	bool has_none = one->quality == QUALITY_NONE || one->quality == QUALITY_OFF;

	count_add_core(row, one);
	if (is_late && has_none && frame_core_has_slot(machine, set, core, slot))
		count_add_late(row);
}

void bucket_row(const struct history_layout *layout, const struct stored_bucket *const *bucket,
		size_t n, enum frame_by by, unsigned index, const struct column_set *slots,
		bool is_common, bool is_end, struct count ret[COLUMNS_MAX])
{
	memset(ret, 0, bucket[0]->n_slots * sizeof(*ret));
	frame_row_each(layout->machine, by, index, i) {
		unsigned core = (unsigned)i;
		bool is_late = is_end && bucket[n - 1]->core[core].lacks_last;

		for (unsigned slot = 0; slot < bucket[0]->n_slots; slot++) {
			struct count one;

			if (!column_set_has(slots, slot))
				continue;
			one = count_over(bucket, n, core, slot, is_common);
			if (is_late && one.quality == QUALITY_OK)
				one.quality = QUALITY_PARTIAL;
			if (by == BY_CORE)
				ret[slot] = one;
			else
				add_core(layout->machine, bucket[0]->is.set, core, is_late, &one,
					 slot, &ret[slot]);
		}
	}
}

/* ---- merging ---- */

bool bucket_can_merge(const struct stored_bucket *a, const struct stored_bucket *b)
{
	return a->of == b->of && a->is.interval_ns == b->is.interval_ns && !a->tasks == !b->tasks;
}

/* Whether a core has the same columns in both, and all of them are OK. */
static bool is_plain(const struct stored_bucket *a, const struct stored_bucket *b, unsigned core)
{
	const uint8_t *qualities = a->quality + a->first[core],
		      *others = b->quality + b->first[core];
	unsigned worst = QUALITY_OK, n = bits_count(slots_of_row(a, core), 64 * a->n_words);

	if (a->common || b->common ||
	    memcmp(slots_of_row(a, core), slots_of_row(b, core), a->n_words * sizeof(*a->slots)) !=
		    0)
		return false;
	for (unsigned i = 0; i < n; i++)
		worst |= qualities[i] | others[i];
	return worst == QUALITY_OK;
}

/* Whether a bucket has values of a core, but not in all columns in which the other has. */
static bool has_less(const struct stored_bucket *bucket, const struct stored_bucket *other,
		     unsigned core)
{
	bool has_any = false, has_less = false;

	for (unsigned i = 0; i < bucket->n_slots; i++) {
		bool has = quality_has_value(count_of(bucket, core, i, bucket->common).quality);

		has_any |= has;
		has_less |=
			!has && quality_has_value(count_of(other, core, i, other->common).quality);
	}
	return has_any && has_less;
}

bool bucket_same_columns(const struct history_layout *layout, const struct stored_bucket *a,
			 const struct stored_bucket *b)
{
	for (unsigned core = 0; core < layout->machine->n_cores; core++)
		if (!is_plain(a, b, core) && (has_less(a, b, core) || has_less(b, a, core)))
			return false;
	return true;
}

static void add_common(const struct stored_bucket *bucket, unsigned core, unsigned slot,
		       bool is_left_out, struct count *sum)
{
	struct count one = count_of(bucket, core, slot, bucket->common), without;

	count_add_window(sum, is_left_out ? count_without_value(&one, &without) : &one);
}

static void merge_counts(const struct stored_bucket *half[2], unsigned core,
			 struct stored_bucket *ret)
{
	const bool lacks[] = { has_less(half[0], half[1], core), has_less(half[1], half[0], core) };

	row_each(ret, core, slot, at) {
		struct count sum = { .quality = QUALITY_NONE, .n_summed = 1 };
		struct count all = count_over(half, 2, core, slot, false);

		for (unsigned k = 0; ret->common && k < 2; k++)
			add_common(half[k], core, slot, lacks[k] && !lacks[1 - k], &sum);
		keep_count(ret, at, &all);
		if (ret->common)
			keep_count(ret, at + ret->common, &sum);
	}
}

static void merge_core(const struct stored_bucket *half[2], unsigned core,
		       struct stored_bucket *ret)
{
	const struct stored_core *from = &half[0]->core[core], *to = &half[1]->core[core];
	const struct stored_count *a = half[0]->count + half[0]->first[core],
				  *b = half[1]->count + half[1]->first[core];

	ret->core[core] = (struct stored_core){
		.t_ns = to->t_ns ? to->t_ns : from->t_ns,
		.window_ns = from->window_ns + to->window_ns,
		.state = from->state < to->state ? from->state : to->state,
		.lacks_last = to->lacks_last,
	};
	if (ret->common || ret->estimate || !is_plain(half[0], half[1], core)) {
		merge_counts(half, core, ret);
		return;
	}
	for (unsigned i = 0, at = ret->first[core]; at < ret->first[core + 1]; i++, at++) {
		ret->count[at] = (struct stored_count){
			.value = a[i].value + b[i].value,
			.enabled_ns = a[i].enabled_ns + b[i].enabled_ns,
			.running_ns = a[i].running_ns + b[i].running_ns,
		};
		ret->quality[at] = QUALITY_OK;
	}
}

/* NaN, no value, changes nothing. Without branches: they would be taken at random. */
static void widen(struct range *range, float min, float max)
{
	range->min = min < range->min ? min : range->min;
	range->max = max > range->max ? max : range->max;
}

static void widen_by_bucket(const struct history_layout *layout, const struct stored_bucket *bucket,
			    struct stored_bucket *ret)
{
	size_t n_cores = layout->machine->n_cores, n = n_figures(layout, ret);
	struct range *figures = ret->range + ret->first[n_cores];

	for (size_t core = 0; core < n_cores; core++)
		row_each(bucket, core, slot, at) {
			struct count one = count_at(bucket, at);
			float rate = bucket->range ? 0 : bucket_value_of(count_rate(&one));

			widen(&ret->range[bucket_place_of(ret, core, slot)],
			      bucket->range ? bucket->range[at].min : rate,
			      bucket->range ? bucket->range[at].max : rate);
		}
	for (size_t i = 0; i < n; i++)
		if (bucket->range)
			widen(&figures[i], bucket->range[bucket->first[n_cores] + i].min,
			      bucket->range[bucket->first[n_cores] + i].max);
		else
			widen(&figures[i], bucket->figure[i], bucket->figure[i]);
}

struct range bucket_range(const struct history_layout *layout, const struct stored_bucket *bucket,
			  enum frame_by by, unsigned index, bool is_metric, unsigned column)
{
	size_t row = layout->first[by] + index, n_cores = layout->machine->n_cores;

	if (is_metric || row >= n_cores)
		return bucket->range[bucket->first[n_cores] +
				     place_of_figure(layout, bucket, row, is_metric, column)];
	return has_slot(bucket, row, column) ? bucket->range[bucket_place_of(bucket, row, column)]
					     : (struct range){ NAN, NAN };
}

/* Whether the first has all columns of the second. */
static bool has_columns_of(const struct history_layout *layout, const struct stored_bucket *a,
			   const struct stored_bucket *b)
{
	size_t n = (size_t)layout->machine->n_cores * a->n_words;
	uint64_t added = 0;

	for (size_t i = 0; i < n; i++)
		added |= b->slots[i] & ~a->slots[i];
	return !added;
}

/* Create a bucket for the sums of both, without ranges. */
static struct stored_bucket *bucket_for_both(const struct history_layout *layout,
					     const struct stored_bucket *a,
					     const struct stored_bucket *b, bool has_common)
{
	size_t n = (size_t)layout->machine->n_cores * a->n_words;
	struct row_layout row;

	memcpy(row.slots, a->slots, n * sizeof(*row.slots));
	for (size_t i = 0; i < n; i++)
		row.slots[i] |= b->slots[i];

	struct stored_bucket *ret = bucket_new(layout, a->of, true, has_common, &row);

	for (size_t i = 0; ret && i < ret->first[layout->machine->n_cores] + n_figures(layout, ret);
	     i++)
		ret->range[i] = (struct range){ INFINITY, -INFINITY };
	return ret;
}

bool bucket_merge(const struct history_layout *layout, struct stored_bucket **into,
		  const struct stored_bucket *b)
{
	struct stored_bucket *a = *into;
	bool has_common = a->common || b->common || !bucket_same_columns(layout, a, b);
	bool has_room = a->range && !a->common == !has_common && has_columns_of(layout, a, b);
	struct stored_bucket *ret = has_room ? a : bucket_for_both(layout, a, b, has_common);

	if (!ret)
		return false;
	if (ret != a)
		widen_by_bucket(layout, a, ret);
	widen_by_bucket(layout, b, ret);
	ret->is = a->is;
	ret->is.n_frames += b->is.n_frames;
	ret->is.t_ns = b->is.t_ns;
	ret->is.gap = a->is.gap > b->is.gap ? a->is.gap : b->is.gap;
	ret->is.n_missed += b->is.n_missed;
	keep_tasks(layout, a->tasks, b->tasks, ret);
	sensed_unref(ret->sensed);
	ret->sensed = sensed_ref(b->sensed);
	for (unsigned core = 0; core < layout->machine->n_cores; core++)
		merge_core((const struct stored_bucket *[]){ a, b }, core, ret);
	if (ret != a)
		bucket_free(a);
	*into = ret;
	return true;
}
