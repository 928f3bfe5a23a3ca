#include "sampler/threads/bucket.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/tasks/tasks.h"

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
	all->is_own = entry->of->is_own;
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
				 unsigned ranking, unsigned n_kept, bool *keep)
{
	size_t most[TASKS_KEPT_MAX];
	unsigned n = 0;

	assert(n_kept && n_kept <= TASKS_KEPT_MAX);
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

static bool task_merge_is_empty(const struct frame_tasks *tasks, size_t i)
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
		task_merge_keep_most(all, from + 1, end, ranking, n_kept, keep);
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
static struct frame_tasks *task_merge_copy_kept(const struct frame_tasks *all, const bool *keep,
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
		ret->is_own = all->is_own;
		ret->own_columns = all->own_columns;
		ret->task[i] = all->task[place[i].i];
		task_merge_add(ret, i, all, place[i].i);
	}
	return ret;
}

/* Whether no core has more than n_kept tasks. */
static bool task_merge_is_small(const struct frame_tasks *tasks, unsigned n_kept)
{
	for (size_t from = 0, end; from < tasks->n; from = end) {
		end = end_of_core(tasks, from);
		if (end - from > n_kept)
			return false;
	}
	return true;
}

static struct frame_tasks *task_merge_keep_largest(struct frame_tasks *all, unsigned n_kept)
{
	bool *keep = calloc(all->n + 1, sizeof(*keep));
	struct task_at *place = calloc(all->n + 1, sizeof(*place));
	struct frame_tasks *ret = NULL;

	for (size_t from = 0, end; keep && place && from < all->n; from = end) {
		end = end_of_core(all, from);
		task_merge_choose(all, from, end, n_kept, keep);
	}
	if (keep && place)
		ret = task_merge_copy_kept(all, keep, place);
	free(keep);
	free(place);
	return ret;
}

/* Add the totals of the windows. */
static void task_merge_add_whole(struct frame_tasks *to, const struct frame_tasks *from)
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

	if (!second && task_merge_is_small(first, n_kept))
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
		ret = task_merge_keep_largest(all, n_kept);
	if (ret) {
		task_merge_add_whole(ret, first);
		if (second)
			task_merge_add_whole(ret, second);
	}
	free(entry);
	frame_tasks_unref(all);
	return ret;
}

/* ---- buckets ---- */

/* Rows of a new bucket. */
struct row_layout {
	unsigned n_rows, n_words;
	uint64_t slots[KEPT_ROWS_MAX * (COLUMNS_MAX / 64)]; /* as in struct kept_bucket */
	uint32_t first[KEPT_ROWS_MAX];
	size_t n_counts, n_ranges; /* columns of the cores, and of the other rows */
};

/* Get the index of a grouping's first row: those of the levels follow each other. */
static unsigned first_row(const struct machine *machine, enum frame_by by)
{
	unsigned first = 0;

	for (enum frame_by before = BY_CORE; before < by; before++)
		first += frame_n_own_rows(machine, before);
	return first;
}

static unsigned n_all_rows(const struct machine *machine)
{
	return first_row(machine, BY_TYPE) + machine->n_types;
}

static const uint64_t *slots_of_row(const struct kept_bucket *bucket, size_t row)
{
	return bucket->slots + row * bucket->n_words;
}

static bool has_slot(const struct kept_bucket *bucket, size_t row, unsigned slot)
{
	return bits_has(slots_of_row(bucket, row), slot);
}

static size_t bucket_place_of(const struct kept_bucket *bucket, size_t row, unsigned slot)
{
	const uint64_t *slots = slots_of_row(bucket, row);
	uint64_t before = slot < 64 ? (UINT64_C(1) << slot) - 1 : 0;

	if (slot < 64 && (slots[0] & before) == before) /* the common case; counting is slower */
		return bucket->first[row] + slot;
	return bucket->first[row] + bits_count(slots, slot);
}

/* Get the index after a row's columns. */
static size_t row_end(const struct row_layout *layout, unsigned row)
{
	return layout->first[row] +
	       bits_count(layout->slots + (size_t)row * layout->n_words, 64 * layout->n_words);
}

/* Add a core's slots to those of a row. */
static void add_slots(struct row_layout *layout, unsigned row, unsigned core)
{
	for (unsigned i = 0; i < layout->n_words; i++)
		layout->slots[(size_t)row * layout->n_words + i] |=
			layout->slots[(size_t)core * layout->n_words + i];
}

/* Fill in the rows of a bucket. @ret  contains the cores' slots */
static void lay_out(const struct machine *machine, bool is_merged, unsigned n_words,
		    struct row_layout *ret)
{
	unsigned n_cores = machine->n_cores;

	ret->n_words = n_words;
	ret->n_rows = is_merged ? n_all_rows(machine) : n_cores;
	memset(ret->slots + (size_t)n_cores * n_words, 0,
	       (size_t)(ret->n_rows - n_cores) * n_words * sizeof(*ret->slots));
	for (enum frame_by by = BY_PHYSICAL; is_merged && by <= BY_TYPE; by++) {
		unsigned first = first_row(machine, by);

		for (unsigned i = 0; frame_n_own_rows(machine, by) && i < n_cores; i++)
			add_slots(ret, first + frame_row_of_core(machine, by, i), i);
	}
	for (unsigned i = 0; i < ret->n_rows; i++)
		ret->first[i] = i ? (uint32_t)row_end(ret, i - 1) : 0;
	ret->n_counts = row_end(ret, n_cores - 1);
	ret->n_ranges = row_end(ret, ret->n_rows - 1);
}

/* Allocate a bucket whose arrays the caller fills. @layout  contains the cores' slots; the rest is
 * filled in */
static struct kept_bucket *bucket_new(const struct history_layout *keeper, struct frame_set *of,
				      bool is_merged, struct row_layout *layout)
{
	lay_out(keeper->machine, is_merged, bits_n_words(of->set.n_slots), layout);

	size_t cores = keeper->machine->n_cores * sizeof(struct kept_core);
	size_t rows = (size_t)layout->n_rows * layout->n_words * sizeof(*layout->slots);
	size_t firsts = layout->n_rows * sizeof(*layout->first);
	size_t counts = layout->n_counts * sizeof(struct kept_count);
	size_t ranges = is_merged ? layout->n_ranges * sizeof(struct range) : 0;
	size_t metrics =
		layout->n_rows * of->bound.n * (is_merged ? sizeof(struct range) : sizeof(float));
	size_t estimates =
		set_n_mux(&of->set) > 1 ? layout->n_counts * sizeof(struct kept_estimate) : 0;
	size_t bytes = sizeof(struct kept_bucket) + cores + rows + counts + ranges + metrics +
		       estimates + firsts + layout->n_counts;
	char *memory = malloc(bytes);

	if (!memory)
		return NULL;

	struct kept_bucket *bucket = (struct kept_bucket *)memory;
	char *extras = memory + sizeof(*bucket) + cores + rows + counts;

	memory += sizeof(*bucket);
	*bucket = (struct kept_bucket){
		.is.set = &of->set,
		.of = frame_set_ref(of),
		.is.bound = &of->bound,
		.bytes = bytes,
		.n_slots = of->set.n_slots,
		.n_metrics = of->bound.n,
		.n_words = layout->n_words,
		.core = (struct kept_core *)memory,
		.slots = (uint64_t *)(memory + cores),
		.count = (struct kept_count *)(memory + cores + rows),
		.metric = is_merged ? NULL : (void *)extras,
		.range = is_merged ? (struct range *)extras : NULL,
		.metric_range = is_merged ? (struct range *)(extras + ranges) : NULL,
		.estimate = estimates ? (void *)(extras + ranges + metrics) : NULL,
		.first = (uint32_t *)(extras + ranges + metrics + estimates),
		.quality = (uint8_t *)(extras + ranges + metrics + estimates + firsts),
	};
	memcpy(bucket->slots, layout->slots, rows);
	memcpy(bucket->first, layout->first, firsts);
	return bucket;
}

void bucket_free(struct kept_bucket *bucket)
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

static void keep_count(struct kept_bucket *bucket, size_t at, const struct count *count)
{
	bucket->count[at] = (struct kept_count){
		.value = count->value,
		.enabled_ns = count->enabled_ns,
		.running_ns = count->running_ns,
	};
	if (bucket->estimate)
		bucket->estimate[at] =
			(struct kept_estimate){ (float)count->extra, (float)count->error };
	bucket->quality[at] = (uint8_t)count->quality;
}

static void keep_core(struct kept_bucket *bucket, const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	const struct count *count = frame_counts(frame, core);

	bucket->core[core] = (struct kept_core){
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
		.state = (uint8_t)from->state,
	};
	for (unsigned i = 0; i < bucket->n_slots; i++)
		if (has_slot(bucket, core, i))
			keep_count(bucket, bucket_place_of(bucket, core, i), &count[i]);
	for (unsigned i = 0; i < bucket->n_metrics; i++)
		bucket->metric[(size_t)core * bucket->n_metrics + i] =
			bucket_value_of(frame_metrics(frame, core)[i]);
}

/* Get the memory in use, bytes. */
static size_t frame_tasks_bytes(const struct frame_tasks *tasks)
{
	return sizeof(*tasks) +
	       tasks->n * (sizeof(*tasks->task) + sizeof(*tasks->value) * tasks->n_slots +
			   sizeof(*tasks->time_ns) * tasks->n_mux);
}

/* Keep the largest tasks. @second  NULL: only one window */
static void keep_tasks(const struct history_layout *keeper, const struct frame_tasks *first,
		       const struct frame_tasks *second, struct kept_bucket *bucket)
{
	if (first)
		bucket->tasks = frame_tasks_merge(first, second, keeper->n_tasks);
	if (bucket->tasks)
		bucket->bytes += frame_tasks_bytes(bucket->tasks);
}

static void take_slots(const struct frame *frame, unsigned core, struct row_layout *layout)
{
	unsigned n_words = bits_n_words(frame->n_slots);
	const struct count *count = frame_counts(frame, core);
	uint64_t *slots = layout->slots + (size_t)core * n_words;

	memset(slots, 0, n_words * sizeof(*slots));
	for (unsigned i = 0; i < frame->n_slots; i++)
		if (count[i].quality != QUALITY_NONE)
			bits_add(slots, i);
}

struct kept_bucket *bucket_of_frame(const struct history_layout *keeper, const struct frame *frame)
{
	struct row_layout layout;
	uint64_t longest_ns = frame_window_ns(frame);

	for (unsigned core = 0; core < frame->n_cores; core++)
		take_slots(frame, core, &layout);

	struct kept_bucket *bucket = bucket_new(keeper, frame->of, false, &layout);

	if (!bucket)
		return NULL;
	for (unsigned core = 0; core < frame->n_cores; core++)
		keep_core(bucket, frame, core);
	keep_tasks(keeper, frame->tasks, NULL, bucket);
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

void bucket_count(const struct kept_bucket *bucket, unsigned core, unsigned slot, struct count *ret)
{
	if (!has_slot(bucket, core, slot)) {
		*ret = (struct count){ .quality = QUALITY_NONE, .n_summed = 1 };
		return;
	}

	size_t at = bucket_place_of(bucket, core, slot);

	*ret = (struct count){
		.value = bucket->count[at].value,
		.enabled_ns = bucket->count[at].enabled_ns,
		.running_ns = bucket->count[at].running_ns,
		.quality = bucket->quality[at],
		.n_summed = 1,
		.extra = bucket->estimate ? (double)bucket->estimate[at].extra : 0,
		.error = bucket->estimate ? (double)bucket->estimate[at].error : 0,
	};
}

void history_layout_init(struct history_layout *layout, const struct machine *machine,
			 const struct metrics *metrics)
{
	enum { KEPT = 64, LEAST = 2 };
	unsigned n_tasks = KEPT / machine->n_cores;

	*layout = (struct history_layout){ .machine = machine,
					   .metrics = metrics,
					   .n_tasks = n_tasks > LEAST ? n_tasks : LEAST };
	for (enum frame_by by = BY_CORE; by <= BY_TYPE; by++) {
		uint8_t *first = layout->type_of_row + first_row(machine, by);

		for (unsigned i = 0; frame_n_own_rows(machine, by) && i < machine->n_cores; i++)
			first[frame_row_of_core(machine, by, i)] = (uint8_t)machine->core[i].type;
	}
}

unsigned bucket_row_type(const struct history_layout *keeper, enum frame_by by, unsigned index)
{
	return keeper->type_of_row[first_row(keeper->machine, by) + index];
}

/* Sum a core's counts in one slot over adjacent buckets. */
static struct count count_over(const struct kept_bucket *const *bucket, size_t n, unsigned core,
			       unsigned slot)
{
	struct count all = { .quality = QUALITY_NONE, .n_summed = 1 };

	for (size_t i = 0; i < n; i++) {
		struct count one;

		bucket_count(bucket[i], core, slot, &one);
		count_add_window(&all, &one);
	}
	return all;
}

/* Search the cores of a row once, not once per slot: there may be a thousand cores. */
void bucket_row(const struct history_layout *keeper, const struct kept_bucket *const *bucket,
		size_t n, enum frame_by by, unsigned index, const struct column_set *slots,
		struct count ret[COLUMNS_MAX])
{
	const struct machine *machine = keeper->machine;
	unsigned first = by == BY_CORE ? index : 0,
		 end = by == BY_CORE ? index + 1 : machine->n_cores;

	memset(ret, 0, bucket[0]->n_slots * sizeof(*ret));
	for (unsigned core = first; core < end; core++) {
		if (frame_row_of_core(machine, by, core) != index)
			continue;
		for (unsigned slot = 0; slot < bucket[0]->n_slots; slot++) {
			struct count one;

			if (!column_set_has(slots, slot))
				continue;
			one = count_over(bucket, n, core, slot);
			if (by == BY_CORE)
				ret[slot] = one;
			else
				count_add_core(&ret[slot], &one);
		}
	}
}

/* ---- merging ---- */

bool bucket_count_same(const struct kept_bucket *a, const struct kept_bucket *b)
{
	return a->of == b->of;
}

bool bucket_can_merge(const struct kept_bucket *a, const struct kept_bucket *b)
{
	return bucket_count_same(a, b) && a->is.interval_ns == b->is.interval_ns &&
	       !a->tasks == !b->tasks;
}

/* Whether a bucket has values of a core only in columns that the other has too, and not in all of those. */
static bool has_less(const struct kept_bucket *bucket, const struct kept_bucket *other,
		     unsigned core)
{
	bool has_less = false, has_more = false;

	for (unsigned i = 0; i < bucket->n_slots; i++) {
		struct count a, b;

		bucket_count(bucket, core, i, &a);
		bucket_count(other, core, i, &b);
		has_less |= !quality_has_value(a.quality) && quality_has_value(b.quality);
		has_more |= quality_has_value(a.quality) && !quality_has_value(b.quality);
	}
	return has_less && !has_more;
}

static void add_half(const struct kept_bucket *bucket, unsigned core, unsigned slot,
		     bool is_left_out, struct count *sum)
{
	struct count one, without;

	bucket_count(bucket, core, slot, &one);
	count_add_window(sum, is_left_out ? count_without_value(&one, &without) : &one);
}

/* A bucket that lacks some of the columns is left out, because metrics are formed from the sums. */
static void merge_core(const struct kept_bucket *a, const struct kept_bucket *b, unsigned core,
		       struct kept_bucket *ret)
{
	const struct kept_core *from = &a->core[core], *to = &b->core[core];
	bool without_a = has_less(a, b, core), without_b = has_less(b, a, core);

	ret->core[core] = (struct kept_core){
		.t_ns = to->t_ns ? to->t_ns : from->t_ns,
		.window_ns = from->window_ns + to->window_ns,
		.state = from->state < to->state ? from->state : to->state,
	};
	for (unsigned i = 0; i < ret->n_slots; i++) {
		struct count sum = { .quality = QUALITY_NONE, .n_summed = 1 };

		if (!has_slot(ret, core, i))
			continue;
		add_half(a, core, i, without_a, &sum);
		add_half(b, core, i, without_b, &sum);
		keep_count(ret, bucket_place_of(ret, core, i), &sum);
	}
}

/* Add a core's counts. @sum  by slot */
static void bucket_add_core(const struct kept_bucket *bucket, unsigned core, struct count *sum)
{
	for (unsigned i = 0; i < bucket->n_slots; i++) {
		struct count one = count_over(&bucket, 1, core, i);

		count_add_core(&sum[i], &one);
	}
}

/* Sum the counts of all rows after the cores for a bucket of one frame: [row × n_slots + slot]. One
 * pass for all rows: with hundreds of clusters, a search for the cores of each was slower than
 * everything else.
 * @return to be freed with free(); NULL without memory */
static struct count *sum_rows(const struct machine *machine, const struct kept_bucket *bucket)
{
	unsigned n_slots = bucket->n_slots, n_cores = machine->n_cores;
	struct count *sum = calloc((size_t)(n_all_rows(machine) - n_cores) * n_slots, sizeof(*sum));

	for (enum frame_by by = BY_PHYSICAL; sum && by <= BY_TYPE; by++) {
		struct count *first = sum + (size_t)(first_row(machine, by) - n_cores) * n_slots;

		for (unsigned core = 0; frame_n_own_rows(machine, by) && core < n_cores; core++) {
			unsigned row = frame_row_of_core(machine, by, core);

			bucket_add_core(bucket, core, first + (size_t)row * n_slots);
		}
	}
	return sum;
}

static struct range bucket_range_of(float value)
{
	return (struct range){ value, value };
}

/* Get a core's ranges in a bucket of one frame: the values themselves; metrics are already computed. */
static void ranges_of_core(const struct kept_bucket *bucket, unsigned core, struct range *ret)
{
	const float *metric = bucket->metric + (size_t)core * bucket->n_metrics;

	for (unsigned i = 0; i < bucket->n_slots; i++) {
		struct count count;

		bucket_count(bucket, core, i, &count);
		ret[i] = bucket_range_of(bucket_value_of(count_rate(&count)));
	}
	for (unsigned i = 0; i < bucket->n_metrics; i++)
		ret[bucket->n_slots + i] = bucket_range_of(metric[i]);
}

static void ranges_of_sum(const struct history_layout *keeper, const struct kept_bucket *bucket,
			  unsigned type, const struct count *sum, struct range *ret)
{
	struct reading metric[METRICS_BOUND_MAX];

	metrics_eval(keeper->metrics, bucket->is.bound, type, sum, metric);
	for (unsigned i = 0; i < bucket->n_slots; i++)
		ret[i] = bucket_range_of(bucket_value_of(count_rate(&sum[i])));
	for (unsigned i = 0; i < bucket->n_metrics; i++)
		ret[bucket->n_slots + i] = bucket_range_of(bucket_value_of(metric[i]));
}

struct range bucket_range(const struct machine *machine, const struct kept_bucket *bucket,
			  enum frame_by by, unsigned index, bool is_metric, unsigned column)
{
	size_t number = first_row(machine, by) + index;

	if (is_metric)
		return bucket->metric_range[number * bucket->n_metrics + column];
	return has_slot(bucket, number, column)
		       ? bucket->range[bucket_place_of(bucket, number, column)]
		       : (struct range){ NAN, NAN };
}

static void ranges_of_merged(const struct history_layout *keeper, const struct kept_bucket *bucket,
			     enum frame_by by, unsigned index, struct range *ret)
{
	for (unsigned i = 0; i < bucket->n_slots; i++)
		ret[i] = bucket_range(keeper->machine, bucket, by, index, false, i);
	for (unsigned i = 0; i < bucket->n_metrics; i++)
		ret[bucket->n_slots + i] =
			bucket_range(keeper->machine, bucket, by, index, true, i);
}

/* One of two buckets to merge. */
struct half {
	const struct kept_bucket *bucket;
	struct count *sum; /* for a bucket of one frame: see sum_rows; else NULL */
};

static void row_ranges(const struct history_layout *keeper, const struct half *half,
		       enum frame_by by, unsigned index, struct range *ret)
{
	unsigned row = first_row(keeper->machine, by) + index;

	if (half->bucket->range)
		ranges_of_merged(keeper, half->bucket, by, index, ret);
	else if (by == BY_CORE)
		ranges_of_core(half->bucket, index, ret);
	else
		ranges_of_sum(keeper, half->bucket, bucket_row_type(keeper, by, index),
			      half->sum + (size_t)(row - keeper->machine->n_cores) *
						  half->bucket->n_slots,
			      ret);
}

/* fminf and fmaxf ignore NaN */
static struct range wider(struct range a, struct range b)
{
	return (struct range){ fminf(a.min, b.min), fmaxf(a.max, b.max) };
}

static void merge_row(const struct history_layout *keeper, const struct half half[2],
		      enum frame_by by, unsigned index, struct kept_bucket *ret)
{
	struct range from[COLUMNS_MAX + METRICS_BOUND_MAX], to[COLUMNS_MAX + METRICS_BOUND_MAX];
	size_t number = first_row(keeper->machine, by) + index;
	struct range *metric = ret->metric_range + number * ret->n_metrics;

	for (unsigned i = 0; i < 2; i++) /* both have the same set */
		assert(half[i].bucket->n_slots == ret->n_slots &&
		       half[i].bucket->n_metrics == ret->n_metrics);
	row_ranges(keeper, &half[0], by, index, from);
	row_ranges(keeper, &half[1], by, index, to);
	for (unsigned i = 0; i < ret->n_slots; i++)
		if (has_slot(ret, number, i))
			ret->range[bucket_place_of(ret, number, i)] = wider(from[i], to[i]);
	for (unsigned i = 0; i < ret->n_metrics; i++)
		metric[i] = wider(from[ret->n_slots + i], to[ret->n_slots + i]);
}

static struct kept_bucket *bucket_merge_halves(const struct history_layout *keeper,
					       const struct half half[2])
{
	const struct kept_bucket *a = half[0].bucket, *b = half[1].bucket;
	struct row_layout layout;

	size_t n = (size_t)keeper->machine->n_cores * a->n_words;

	for (size_t i = 0; i < n; i++)
		layout.slots[i] = a->slots[i] | b->slots[i];

	struct kept_bucket *bucket = bucket_new(keeper, a->of, true, &layout);

	if (!bucket)
		return NULL;
	bucket->is = a->is;
	bucket->is.n_frames += b->is.n_frames;
	bucket->is.t_ns = b->is.t_ns;
	bucket->is.gap = a->is.gap > b->is.gap ? a->is.gap : b->is.gap;
	bucket->is.n_missed += b->is.n_missed;
	keep_tasks(keeper, a->tasks, b->tasks, bucket);
	bucket->sensed = sensed_ref(b->sensed);
	for (unsigned core = 0; core < keeper->machine->n_cores; core++)
		merge_core(a, b, core, bucket);
	for (enum frame_by by = BY_CORE; by <= BY_TYPE; by++)
		for (unsigned i = 0; i < frame_n_own_rows(keeper->machine, by); i++)
			merge_row(keeper, half, by, i, bucket);
	return bucket;
}

struct kept_bucket *bucket_merge(const struct history_layout *keeper, const struct kept_bucket *a,
				 const struct kept_bucket *b)
{
	struct half half[] = { { .bucket = a }, { .bucket = b } };
	struct kept_bucket *ret = NULL;
	bool is_ready = true;

	for (unsigned i = 0; i < 2; i++) {
		if (!half[i].bucket->range)
			half[i].sum = sum_rows(keeper->machine, half[i].bucket);
		is_ready &= half[i].bucket->range || half[i].sum;
	}
	if (is_ready)
		ret = bucket_merge_halves(keeper, half);
	free(half[0].sum);
	free(half[1].sum);
	return ret;
}
