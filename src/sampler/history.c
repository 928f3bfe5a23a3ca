#include "sampler/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sampler/threads/bucket.h"

struct history {
	struct history_layout layout;
	size_t budget;
	size_t max_buckets;       /* 0: levels, newest buckets exact; else an even history: */
	uint64_t frames_a_bucket; /* maximum */
	bool is_held;
	struct stored_bucket **bucket; /* oldest first, from the highest level down */
	size_t n, cap;
	size_t n_of[HISTORY_LEVELS], bytes_of[HISTORY_LEVELS];
};

int history_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
		struct history **ret)
{
	struct history *history = calloc(1, sizeof(*history));

	if (!history)
		return -ENOMEM;
	history_layout_init(&history->layout, machine, metrics);
	history->budget = budget_bytes;
	*ret = history;
	return 0;
}

int history_new_even(const struct machine *machine, const struct metrics *metrics,
		     size_t max_buckets, size_t budget_bytes, struct history **ret)
{
	int rc = history_new(machine, metrics, budget_bytes, ret);

	if (!rc) {
		(*ret)->max_buckets = max_buckets;
		(*ret)->frames_a_bucket = 1;
	}
	return rc;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->n; i++)
		bucket_free(history->bucket[i]);
	free(history->bucket);
	free(history);
}

/* ---- levels ---- */

/* Get the index of a level's oldest bucket: buckets of higher levels come first. */
static size_t oldest_of(const struct history *history, unsigned level)
{
	size_t at = 0;

	for (unsigned i = level + 1; i < HISTORY_LEVELS; i++)
		at += history->n_of[i];
	return at;
}

static size_t n_bytes(const struct history *history)
{
	size_t bytes = 0;

	for (unsigned level = 0; level < HISTORY_LEVELS; level++)
		bytes += history->bytes_of[level];
	return bytes;
}

static void remove_bucket(struct history *history, size_t at, unsigned level)
{
	history->n_of[level]--;
	history->bytes_of[level] -= history->bucket[at]->bytes;
	bucket_free(history->bucket[at]);
	history->n--;
	memmove(history->bucket + at, history->bucket + at + 1,
		(history->n - at) * sizeof(struct stored_bucket *));
}

/* Raise the oldest bucket of a level unmerged, because its neighbour has other columns or another interval. */
static void raise_one(struct history *history, size_t at, unsigned level)
{
	size_t bytes = history->bucket[at]->bytes;

	history->n_of[level]--;
	history->bytes_of[level] -= bytes;
	history->n_of[level + 1]++;
	history->bytes_of[level + 1] += bytes;
}

/* Merge a bucket with the next one. @return false without memory */
static bool merge_next(struct history *history, size_t at, unsigned level, unsigned next_level)
{
	struct stored_bucket **both = &history->bucket[at];
	size_t bytes = (*both)->bytes;

	if (!bucket_merge(&history->layout, both, history->bucket[at + 1]))
		return false;
	history->bytes_of[level] += (*both)->bytes - bytes;
	remove_bucket(history, at + 1, next_level);
	return true;
}

static void raise_two(struct history *history, size_t at, unsigned level)
{
	if (merge_next(history, at, level, level))
		raise_one(history, at, level);
	else /* no memory: one more reason to drop the oldest */
		remove_bucket(history, at, level);
}

/* Merge the two neighbours of the highest level with the fewest frames in sum, to keep buckets equally long; if they
 * have different columns, only if that is OTHER_COLUMNS times less. If none can be merged, drop the oldest. */
static void shrink_highest(struct history *history)
{
	const unsigned level = HISTORY_LEVELS - 1;
	enum { OTHER_COLUMNS = 16 };
	size_t best = 0;
	uint64_t fewest = UINT64_MAX;

	for (size_t at = 0; at + 1 < history->n_of[level]; at++) {
		const struct stored_bucket *a = history->bucket[at], *b = history->bucket[at + 1];

		uint64_t n_frames = a->is.n_frames + b->is.n_frames;

		if (!bucket_can_merge(a, b) || n_frames >= fewest)
			continue;
		if (!bucket_same_columns(&history->layout, a, b))
			n_frames *= OTHER_COLUMNS;
		if (n_frames < fewest) {
			fewest = n_frames;
			best = at;
		}
	}
	if (fewest == UINT64_MAX || !merge_next(history, best, level, level))
		remove_bucket(history, 0, level);
}

static void shrink(struct history *history, unsigned level)
{
	size_t at = oldest_of(history, level);

	if (level + 1 == HISTORY_LEVELS)
		shrink_highest(history);
	else if (history->n_of[level] > 2 &&
		 bucket_can_merge(history->bucket[at], history->bucket[at + 1]) &&
		 bucket_same_columns(&history->layout, history->bucket[at],
				     history->bucket[at + 1]))
		raise_two(history, at, level);
	else /* or there are only two, both exact: the newer stays exact */
		raise_one(history, at, level);
}

/* ---- even history ---- */

/* @return whether the bucket was merged into the one before it */
static bool merge_even(struct history *history, struct stored_bucket **last,
		       struct stored_bucket *bucket)
{
	size_t bytes = (*last)->bytes;

	if (!bucket_can_merge(*last, bucket) ||
	    (*last)->is.n_frames + bucket->is.n_frames > history->frames_a_bucket ||
	    !bucket_merge(&history->layout, last, bucket))
		return false;
	history->bytes_of[0] += (*last)->bytes - bytes;
	bucket_free(bucket);
	return true;
}

/* Append a bucket, merged into the last one if both together have at most frames_a_bucket frames. */
static void append_even(struct history *history, size_t *n, struct stored_bucket *bucket)
{
	if (*n && merge_even(history, &history->bucket[*n - 1], bucket))
		return;
	history->bytes_of[0] += bucket->bytes;
	history->bucket[(*n)++] = bucket;
}

/* Drop two of every four buckets when no neighbours can be merged; of two alternating sets some
 * buckets of each remain. */
static void history_leave_out(struct history *history)
{
	size_t n = 0;

	for (size_t i = 0; i < history->n; i++) {
		if (i % 4 < 2 || i + 1 == history->n) {
			history->bucket[n++] = history->bucket[i];
			continue;
		}
		history->bytes_of[0] -= history->bucket[i]->bytes;
		bucket_free(history->bucket[i]);
	}
	history->n = n;
}

void history_thin(struct history *history)
{
	size_t n = 0;

	history->frames_a_bucket *= 2;
	history->bytes_of[0] = 0;
	for (size_t i = 0; i < history->n; i++)
		append_even(history, &n, history->bucket[i]);
	if (n == history->n)
		history_leave_out(history);
	else
		history->n = n;
}

/* Whether a level exceeds its quota. Two buckets always stay, for a merge; of exact ones the newest. */
static bool is_full(const struct history *history, unsigned level)
{
	size_t quota = level ? history->budget / 2 / (HISTORY_LEVELS - 1) : history->budget / 2;

	return history->n_of[level] > (level ? 2 : 1) && history->bytes_of[level] > quota;
}

static unsigned history_level_of(const struct history *history, size_t at)
{
	unsigned level = HISTORY_LEVELS - 1;

	for (; at >= history->n_of[level]; level--)
		at -= history->n_of[level];
	return level;
}

/* Merge the two oldest buckets of a level if they can be merged; the result belongs to the next level. */
static bool merge_in_level(struct history *history)
{
	for (unsigned level = HISTORY_LEVELS - 1; level-- > 1;) {
		size_t at = oldest_of(history, level);

		if (history->n_of[level] > 1 &&
		    bucket_can_merge(history->bucket[at], history->bucket[at + 1])) {
			raise_two(history, at, level);
			return true;
		}
	}
	return false;
}

/* Merge the two oldest mergeable neighbours, except exact buckets. */
static bool merge_oldest(struct history *history)
{
	for (size_t at = 0; at + 1 < oldest_of(history, 0); at++)
		if (bucket_can_merge(history->bucket[at], history->bucket[at + 1]))
			return merge_next(history, at, history_level_of(history, at),
					  history_level_of(history, at + 1));
	return false;
}

/* Free memory when single buckets larger than their level exceed the budget: merge, or drop the oldest. */
static void give_way(struct history *history)
{
	if (!merge_in_level(history) && !merge_oldest(history))
		remove_bucket(history, 0, history_level_of(history, 0));
}

static void keep_budget(struct history *history)
{
	for (unsigned level = 0; level < HISTORY_LEVELS; level++)
		while (is_full(history, level))
			shrink(history, level);
	while (history->n > 1 && n_bytes(history) > history->budget)
		give_way(history);
}

void history_add(struct history *history, const struct frame *frame)
{
	struct stored_bucket *bucket = bucket_of_frame(&history->layout, frame);

	if (!bucket ||
	    array_reserve((void **)&history->bucket, &history->cap, history->n, sizeof(void *))) {
		bucket_free(bucket);
		return;
	}
	if (history->max_buckets) {
		append_even(history, &history->n, bucket);
		while (history->n > 8 && (history->n > history->max_buckets ||
					  history->bytes_of[0] > history->budget))
			history_thin(history);
		return;
	}
	history->bucket[history->n++] = bucket;
	history->n_of[0]++;
	history->bytes_of[0] += bucket->bytes;
	if (!history->is_held)
		keep_budget(history);
}

void history_hold(struct history *history, bool is_held)
{
	history->is_held = is_held;
	if (!is_held)
		keep_budget(history);
}

void history_set_budget(struct history *history, size_t budget_bytes)
{
	history->budget = budget_bytes;
	history_hold(history, history->is_held);
}

/* ---- queries ---- */

size_t history_n(const struct history *history)
{
	return history->n;
}

const struct bucket *history_bucket(const struct history *history, size_t i)
{
	return &history->bucket[i]->is;
}

size_t history_find(const struct history *history, uint64_t t_ns)
{
	size_t low = 0, high = history->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (history->bucket[middle]->is.t_ns < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Get the columns of an event: several mux groups may count it. */
static struct column_set slots_of(const struct placement *placement, unsigned n,
				  const struct event *event)
{
	struct column_set ret = { { 0 } };

	for (unsigned i = 0; event && i < n; i++)
		if (placement->event[i] && event_is_same(placement->event[i], event))
			column_set_add(&ret, i);
	return ret;
}

/* Query over neighbours that count the same set. */
struct part {
	const struct history *history;
	const struct stored_bucket *const *bucket;
	size_t n;
	enum frame_by by;
	unsigned index, type;
	bool is_metric;
	unsigned column; /* first of `slots`, or column of the bound metrics */
	struct column_set slots;
};

static const struct metric *metric_of(const struct part *part)
{
	const struct metrics_bound *bound = part->bucket[0]->is.bound;

	return &part->history->layout.metrics->metric[bound->number[part->column]];
}

static const struct metric_program *program_of(const struct part *part)
{
	return metric_of(part)->program[part->type];
}

/* Compute the metric of a query from counts. @count  by slot  @quality  PARTIAL: they may lack something, so that it is an
 * estimate */
static struct reading history_eval(const struct part *part, const struct metric_binding *binding,
				   const struct count *count, enum quality quality)
{
	struct reading reading = metric_eval(program_of(part), binding, count);

	reading.quality = quality_worst(reading.quality, quality);
	if (reading.quality == QUALITY_PARTIAL)
		reading.quality = QUALITY_SCALED;
	reading.value *= metric_of(part)->scale;
	return reading;
}

/* Whether a core was late at the end. */
static bool lacks_last(const struct part *part, unsigned core)
{
	return part->bucket[part->n - 1]->core[core].lacks_last;
}

/* Get the quality of counts of a row: PARTIAL if one of its cores was late at the end. */
static enum quality row_quality(const struct part *part)
{
	frame_row_each(part->history->layout.machine, part->by, part->index, core)
		if (lacks_last(part, (unsigned)core))
			return QUALITY_PARTIAL;
	return QUALITY_OK;
}

static struct reading history_mean_of(const struct part *part)
{
	const struct metric_binding *binding =
		part->is_metric ? part->bucket[0]->is.bound->binding[part->type][part->column]
				: NULL;
	struct count count[COLUMNS_MAX], own[COLUMNS_MAX], sum;

	if (part->is_metric && !binding)
		return (struct reading){ .quality = QUALITY_NONE };
	memset(own, 0, part->bucket[0]->n_slots * sizeof(own[0]));
	for (size_t i = 0; binding && i < part->n; i++) {
		bucket_row(&part->history->layout, part->bucket + i, 1, part->by, part->index,
			   &binding->slots, true, i + 1 == part->n, count);
		metric_add_window(program_of(part), binding, count, own);
	}
	if (binding)
		return history_eval(part, binding, own, row_quality(part));
	bucket_row(&part->history->layout, part->bucket, part->n, part->by, part->index,
		   &part->slots, false, true, count);
	sum = metric_add_columns(&part->slots, false, count);
	return count_rate(&sum);
}

/* Get the range of a bucket; for a single frame it is the value. */
static struct range history_range_of(const struct part *part, const struct stored_bucket *bucket)
{
	struct part one = *part;

	if (bucket->range)
		return bucket_range(&part->history->layout, bucket, part->by, part->index,
				    part->is_metric, part->column);
	one.bucket = &bucket;
	one.n = 1;

	struct reading reading = history_mean_of(&one);
	float value = quality_has_value(reading.quality) ? (float)reading.value : NAN;

	return (struct range){ value, value };
}

static struct history_value history_value_of(const struct part *part)
{
	struct reading mean = history_mean_of(part);
	struct history_value ret = { mean.value, mean.value, mean.value, mean.quality };
	struct range range = { NAN, NAN };

	if (!quality_has_value(mean.quality) || (part->n == 1 && !part->bucket[0]->range))
		return ret;
	for (size_t i = 0; i < part->n; i++) {
		struct range one = history_range_of(part, part->bucket[i]);

		range = (struct range){ fminf(range.min, one.min), fmaxf(range.max, one.max) };
	}
	ret.min = fmin(mean.value, (double)range.min);
	ret.max = fmax(mean.value, (double)range.max);
	return ret;
}

/* ---- figures of a task ---- */

/* Sum of a task's counts over the buckets where they are known. */
struct task_past {
	struct count count[COLUMNS_MAX];
	bool is_known; /* in any bucket */
	bool is_own; /* counted by clocks of the user's own threads, whether or not a core is late */
	struct column_set shared; /* columns of which part may be in [others] or [unattributed] */
	/* by core: counts of the query's column, sum of the windows of these buckets */
	double value[CORES_MAX];
	uint64_t window_ns[CORES_MAX];
};

/* @binding  NULL: the query's column alone */
static void task_add_part(const struct part *part, const struct stored_bucket *bucket, size_t i,
			  const struct metric_binding *binding, struct task_past *past)
{
	struct column_set only = { { 0 } };
	struct count one[COLUMNS_MAX];

	column_set_add(&only, part->column);
	column_set_each(binding ? &binding->slots : &only, at) {
		unsigned slot = (unsigned)at;
		struct count core;

		bucket_count(bucket, bucket->tasks->task[i].core, slot, &core);
		task_count(bucket->tasks, bucket->is.set, i, slot, core.quality, &one[slot]);
	}
	if (binding) {
		metric_add_window(program_of(part), binding, one, past->count);
		return;
	}
	count_add_window(&past->count[part->column], &one[part->column]);
	past->value[bucket->tasks->task[i].core] += (double)one[part->column].value;
}

static void add_bucket(const struct part *part, const struct stored_bucket *bucket,
		       const struct task_id *id, const struct metric_binding *binding,
		       struct task_past *past)
{
	const struct frame_tasks *tasks = bucket->tasks;
	const struct machine *machine = part->history->layout.machine;
	bool is_there = false, has_others = false;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		const struct core_task *task = &tasks->task[i];

		if (machine->core[task->core].type != part->type)
			continue;
		has_others |= task->kind == TASK_OTHERS;
		if (task_id_has(id, task)) {
			is_there = true;
			task_add_part(part, bucket, i, binding, past);
		} else if (task->kind == TASK_UNATTRIBUTED ||
			   (task->kind == TASK_OTHERS && id->like.kind == TASK_THREAD)) {
			frame_task_columns(tasks, i, &past->shared);
		}
	}
	if (!tasks || (!is_there && has_others))
		return;
	past->is_known = true;
	past->is_own = tasks->own_window_ns;
	for (unsigned core = 0; core < machine->n_cores; core++)
		if (machine->core[core].type == part->type)
			past->window_ns[core] += tasks->own_window_ns
							 ? tasks->own_window_ns
							 : bucket->core[core].window_ns;
}

/* Get the quality of a task's counts: it may have run on a core that was late at the end. @columns  of the figure */
static enum quality task_quality(const struct part *part, const struct task_past *past,
				 const struct column_set *columns)
{
	const struct machine *machine = part->history->layout.machine;
	enum quality quality =
		column_set_meets(columns, &past->shared) ? QUALITY_PARTIAL : QUALITY_OK;

	for (unsigned core = 0; core < machine->n_cores; core++)
		if (machine->core[core].type == part->type && !past->is_own &&
		    lacks_last(part, core))
			quality = quality_worst(quality, past->window_ns[core] ? QUALITY_PARTIAL
									       : QUALITY_PENDING);
	return quality;
}

/* Sum the rates on all cores: each has its own window. */
static struct reading task_rate(const struct task_past *past, unsigned column, unsigned n_cores,
				enum quality quality)
{
	struct reading total = count_total(&past->count[column]);
	double sum = 0, rate = 0;

	total.quality = quality_worst(total.quality, quality); /* NONE: the task did not run */
	for (unsigned core = 0; core < n_cores; core++) {
		sum += past->value[core];
		if (past->window_ns[core])
			rate += past->value[core] * 1e9 / (double)past->window_ns[core];
	}
	total.value *= sum > 0 ? rate / sum : 0;
	return total;
}

static struct reading task_mean_of(const struct part *part, const struct task_id *id)
{
	const struct metrics_bound *bound = part->bucket[0]->is.bound;
	const struct metric_binding *binding =
		part->is_metric ? bound->binding[part->type][part->column] : NULL;
	unsigned n_cores = part->history->layout.machine->n_cores;
	struct task_past past;

	if (part->is_metric && !binding)
		return (struct reading){ .quality = QUALITY_NONE };
	memset(past.count, 0, part->bucket[0]->n_slots * sizeof(past.count[0]));
	memset(past.value, 0, n_cores * sizeof(past.value[0]));
	memset(past.window_ns, 0, n_cores * sizeof(past.window_ns[0]));
	past.is_known = past.is_own = false;
	past.shared = (struct column_set){ { 0 } };
	for (size_t i = 0; i < part->n; i++)
		add_bucket(part, part->bucket[i], id, binding, &past);
	if (!past.is_known)
		return (struct reading){ .quality = QUALITY_NONE };
	if (binding)
		return history_eval(part, binding, past.count,
				    task_quality(part, &past, &binding->slots));
	return task_rate(&past, part->column, n_cores, task_quality(part, &past, &part->slots));
}

static struct history_value history_task(const struct part *part, const struct task_id *id)
{
	struct reading mean = task_mean_of(part, id);
	struct history_value ret = { mean.value, mean.value, mean.value, mean.quality };
	struct part one = *part;

	one.n = 1;
	for (size_t i = 0; part->n > 1 && quality_has_value(mean.quality) && i < part->n; i++) {
		struct reading reading;

		one.bucket = part->bucket + i;
		reading = task_mean_of(&one, id);
		if (!quality_has_value(reading.quality))
			continue;
		ret.min = fmin(ret.min, reading.value);
		ret.max = fmax(ret.max, reading.value);
	}
	return ret;
}

/* ---- figures ---- */

struct history_value history_value_over(const struct history *history, size_t i, size_t n,
					const struct history_query *query)
{
	size_t last = i + n - 1;
	const struct machine *machine = history->layout.machine;
	const struct stored_bucket *bucket = history->bucket[last];
	struct part part = {
		.history = history,
		.by = frame_by_same(machine, query->by),
		.index = query->index,
		.is_metric = query->metric >= 0,
	};

	part.type = machine->core[frame_first_core(machine, part.by, query->index)].type;
	part.slots = slots_of(&bucket->is.set->type[part.type], bucket->n_slots, query->event);

	int column = part.is_metric ? metrics_column(bucket->is.bound, query->metric)
				    : column_set_next(&part.slots, -1);

	if (column < 0)
		return (struct history_value){ .quality = QUALITY_NONE };
	while (last > i && history->bucket[last - 1]->of == bucket->of)
		last--;
	part.bucket = (const struct stored_bucket *const *)history->bucket + last;
	part.n = i + n - last;
	part.column = (unsigned)column;
	if (query->task.is_task)
		return history_task(&part, &query->task);
	return history_value_of(&part);
}

struct history_value history_value(const struct history *history, size_t i,
				   const struct history_query *query)
{
	return history_value_over(history, i, 1, query);
}

void history_counts(const struct history *history, size_t i, unsigned core, struct count *ret)
{
	for (unsigned slot = 0; slot < history->bucket[i]->n_slots; slot++)
		bucket_count(history->bucket[i], core, slot, &ret[slot]);
}

static void restore_core(const struct history *history, const struct stored_bucket *bucket,
			 unsigned core, struct frame *frame)
{
	const struct stored_core *from = &bucket->core[core];
	struct count *count = frame->count + (size_t)core * frame->n_slots;
	unsigned type = history->layout.machine->core[core].type;
	struct mux_coverage unused[COLUMNS_MAX];

	frame->core[core] = (struct frame_core){
		.state = from->state,
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
		.lacks_last = from->lacks_last && from->state == CORE_ON,
	};
	for (unsigned i = 0; i < bucket->n_slots; i++) {
		bucket_count(bucket, core, i, &count[i]);
		count[i].extra = 0;
	}
	if (from->state != CORE_ON)
		return;
	/* as a reader of the session will: it does not have the estimates of merged frames */
	set_estimate(bucket->is.set, type, count, unused);
	metrics_eval(history->layout.metrics, bucket->is.bound, type, count,
		     frame->metric + (size_t)core * frame->n_metrics);
}

const struct frame *history_frame(const struct history *history, size_t i)
{
	const struct stored_bucket *bucket = history->bucket[i];
	struct frame *frame = frame_new(history->layout.machine->n_cores, bucket->of);

	if (!frame)
		return NULL;
	frame->number = bucket->is.number;
	frame->t_ns = bucket->is.t_ns;
	frame->interval_ns = bucket->is.interval_ns;
	frame->gap = bucket->is.gap;
	frame->n_missed = bucket->is.n_missed;
	frame->tasks = frame_tasks_ref(bucket->tasks);
	frame->sensed = sensed_ref(bucket->sensed);
	for (unsigned core = 0; core < frame->n_cores; core++)
		restore_core(history, bucket, core, frame);
	return frame;
}

size_t history_bytes(const struct history *history)
{
	return history->cap * sizeof(struct stored_bucket *) + n_bytes(history);
}
