#include "sampler/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sampler/bucket.h"

struct history {
	struct history_layout keeper;
	size_t budget;
	size_t max_buckets;       /* 0: the newest are exact; else all are alike: */
	uint64_t frames_a_bucket; /* at most so many */
	bool is_held;
	struct kept_bucket **bucket; /* oldest first: those of the highest level */
	size_t n, cap;
	size_t n_of[HISTORY_LEVELS], bytes_of[HISTORY_LEVELS];
};

int history_new(const struct machine *machine, const struct metrics *metrics, size_t budget_bytes,
		struct history **ret)
{
	struct history *history = calloc(1, sizeof(*history));

	if (!history)
		return -ENOMEM;
	history_layout_init(&history->keeper, machine, metrics);
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

static size_t quota(const struct history *history, unsigned level)
{
	return level ? history->budget / 2 / (HISTORY_LEVELS - 1) : history->budget / 2;
}

/* Where the oldest bucket of a level stands: behind all of the higher ones. */
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
		(history->n - at) * sizeof(struct kept_bucket *));
}

/* The oldest bucket of a level goes up as it is: its neighbour counts something else. */
static void raise_one(struct history *history, size_t at, unsigned level)
{
	size_t bytes = history->bucket[at]->bytes;

	history->n_of[level]--;
	history->bytes_of[level] -= bytes;
	history->n_of[level + 1]++;
	history->bytes_of[level + 1] += bytes;
}

/* Put a bucket and the one behind it together. @return false without memory */
static bool merge_next(struct history *history, size_t at, unsigned level, unsigned next_level)
{
	struct kept_bucket *both =
		bucket_merge(&history->keeper, history->bucket[at], history->bucket[at + 1]);

	if (!both)
		return false;
	remove_bucket(history, at + 1, next_level);
	history->bytes_of[level] += both->bytes - history->bucket[at]->bytes;
	bucket_free(history->bucket[at]);
	history->bucket[at] = both;
	return true;
}

static void raise_two(struct history *history, size_t at, unsigned level)
{
	if (merge_next(history, at, level, level))
		raise_one(history, at, level);
	else /* no memory: the better reason to let the oldest go */
		remove_bucket(history, at, level);
}

/* The two neighbours of the highest level with the fewest frames, so that all become alike. Where
 * no two count the same the oldest goes. */
static void shrink_highest(struct history *history)
{
	const unsigned level = HISTORY_LEVELS - 1;
	size_t best = 0;
	uint64_t fewest = UINT64_MAX;

	for (size_t at = 0; at + 1 < history->n_of[level]; at++) {
		const struct kept_bucket *a = history->bucket[at], *b = history->bucket[at + 1];

		if (bucket_are_alike(a, b) && a->is.n_frames + b->is.n_frames < fewest) {
			fewest = a->is.n_frames + b->is.n_frames;
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
		 bucket_are_alike(history->bucket[at], history->bucket[at + 1]))
		raise_two(history, at, level);
	else /* or there are two exact ones: the newer stays */
		raise_one(history, at, level);
}

/* ---- evenly ---- */

/* Put the bucket at the end, together with the last one when both are not more than they may be. */
static void append_even(struct history *history, size_t *n, struct kept_bucket *bucket)
{
	struct kept_bucket *last = *n ? history->bucket[*n - 1] : NULL;
	struct kept_bucket *both = NULL;

	if (last && bucket_are_alike(last, bucket) &&
	    last->is.n_frames + bucket->is.n_frames <= history->frames_a_bucket)
		both = bucket_merge(&history->keeper, last, bucket);
	history->bytes_of[0] += bucket->bytes;
	if (!both) {
		history->bucket[(*n)++] = bucket;
		return;
	}
	history->bytes_of[0] += both->bytes - last->bytes - bucket->bytes;
	bucket_free(last);
	bucket_free(bucket);
	history->bucket[*n - 1] = both;
}

/* No two neighbours are alike: two of four go, so that of two that alternate some stay. */
static void leave_out(struct history *history)
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
		leave_out(history);
	else
		history->n = n;
}

static void add_even(struct history *history, struct kept_bucket *bucket)
{
	append_even(history, &history->n, bucket);
	while (history->n > 8 &&
	       (history->n > history->max_buckets || history->bytes_of[0] > history->budget))
		history_thin(history);
}

/* However large its buckets are, two stay, to be put together; of exact ones the newest. */
static bool is_full(const struct history *history, unsigned level)
{
	return history->n_of[level] > (level ? 2 : 1) &&
	       history->bytes_of[level] > quota(history, level);
}

static unsigned level_of(const struct history *history, size_t at)
{
	unsigned level = HISTORY_LEVELS - 1;

	for (; at >= history->n_of[level]; level--)
		at -= history->n_of[level];
	return level;
}

/* The oldest two of a level that count the same: a level is one bucket of the next. */
static bool merge_in_level(struct history *history)
{
	for (unsigned level = HISTORY_LEVELS - 1; level-- > 1;) {
		size_t at = oldest_of(history, level);

		if (history->n_of[level] > 1 &&
		    bucket_are_alike(history->bucket[at], history->bucket[at + 1])) {
			raise_two(history, at, level);
			return true;
		}
	}
	return false;
}

/* The oldest two of all that count the same, but for exact ones. */
static bool merge_oldest(struct history *history)
{
	for (size_t at = 0; at + 1 < oldest_of(history, 0); at++)
		if (bucket_are_alike(history->bucket[at], history->bucket[at + 1]))
			return merge_next(history, at, level_of(history, at),
					  level_of(history, at + 1));
	return false;
}

/* Cells larger than their level, so that all together they are too much: where none can be put
 * together the oldest goes. */
static void give_way(struct history *history)
{
	if (!merge_in_level(history) && !merge_oldest(history))
		remove_bucket(history, 0, level_of(history, 0));
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
	struct kept_bucket *bucket = bucket_of_frame(&history->keeper, frame);

	if (!bucket ||
	    array_reserve((void **)&history->bucket, &history->cap, history->n, sizeof(void *))) {
		bucket_free(bucket);
		return;
	}
	if (history->max_buckets) {
		add_even(history, bucket);
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

/* ---- looking back ---- */

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

static int slot_of(const struct kept_bucket *bucket, unsigned type, const struct event *event)
{
	for (unsigned i = 0; i < bucket->n_slots; i++) {
		if (event && bucket->is.set->type[type].event[i] == event)
			return (int)i;
	}
	return -1;
}

/* What the query asks of neighbours that count the same. */
struct part {
	const struct history *history;
	const struct kept_bucket *const *bucket;
	size_t n;
	enum frame_by by;
	unsigned index, type;
	bool is_metric;
	unsigned column; /* of the set, or of the bound metrics */
};

static struct reading mean_of(const struct part *part)
{
	const struct history_layout *keeper = &part->history->keeper;
	const struct metrics_bound *bound = part->bucket[0]->is.bound;
	struct count count[COLUMNS_MAX];

	if (!part->is_metric) {
		bucket_row(keeper, part->bucket, part->n, part->by, part->index,
			   UINT64_C(1) << part->column, count);
		return count_rate(&count[part->column]);
	}

	const struct metric *metric = &keeper->metrics->metric[bound->number[part->column]];
	const struct metric_binding *binding = bound->binding[part->type][part->column];

	if (!binding)
		return (struct reading){ .quality = QUALITY_NONE };
	bucket_row(keeper, part->bucket, part->n, part->by, part->index, binding->slots, count);

	struct reading reading = metric_eval(metric->program[part->type], binding, count);

	reading.value *= metric->scale;
	return reading;
}

/* Of one frame the range is its value. */
static struct range range_of(const struct part *part, const struct kept_bucket *bucket)
{
	struct part one = *part;

	if (bucket->range)
		return bucket_range(part->history->keeper.machine, bucket, part->by, part->index,
				    part->is_metric, part->column);
	one.bucket = &bucket;
	one.n = 1;

	struct reading reading = mean_of(&one);
	float value = quality_has_value(reading.quality) ? (float)reading.value : NAN;

	return (struct range){ value, value };
}

static struct history_value value_of(const struct part *part)
{
	struct reading mean = mean_of(part);
	struct history_value ret = { mean.value, mean.value, mean.value, mean.quality };
	struct range range = { NAN, NAN };

	if (!quality_has_value(mean.quality) || (part->n == 1 && !part->bucket[0]->range))
		return ret;
	for (size_t i = 0; i < part->n; i++) {
		struct range one = range_of(part, part->bucket[i]);

		range = (struct range){ fminf(range.min, one.min), fmaxf(range.max, one.max) };
	}
	ret.min = isnan(range.min) ? mean.value : (double)range.min;
	ret.max = isnan(range.max) ? mean.value : (double)range.max;
	return ret;
}

struct history_value history_value_over(const struct history *history, size_t i, size_t n,
					const struct history_query *query)
{
	size_t last = i + n - 1;
	const struct kept_bucket *bucket = history->bucket[last];
	struct part part = {
		.history = history,
		.by = frame_by_same(history->keeper.machine, query->by),
		.index = query->index,
		.is_metric = query->metric >= 0,
	};

	part.type = bucket_row_type(&history->keeper, part.by, query->index);

	int column = part.is_metric ? metrics_column(bucket->is.bound, query->metric)
				    : slot_of(bucket, part.type, query->event);

	if (column < 0)
		return (struct history_value){ .quality = QUALITY_NONE };
	while (last > i && bucket_count_same(history->bucket[last - 1], bucket))
		last--;
	part.bucket = (const struct kept_bucket *const *)history->bucket + last;
	part.n = i + n - last;
	part.column = (unsigned)column;
	if (query->task.is_task)
		return bucket_task(&history->keeper, part.bucket, part.n, query, part.type,
				   part.column);
	return value_of(&part);
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

static void restore_core(const struct history *history, const struct kept_bucket *bucket,
			 unsigned core, struct frame *frame)
{
	const struct kept_core *from = &bucket->core[core];
	struct count *count = frame->count + (size_t)core * frame->n_slots;

	frame->core[core] = (struct frame_core){
		.state = from->state,
		.t_ns = from->t_ns,
		.window_ns = from->window_ns,
	};
	for (unsigned i = 0; i < bucket->n_slots; i++)
		bucket_count(bucket, core, i, &count[i]);
	if (from->state == CORE_ON)
		metrics_eval(history->keeper.metrics, bucket->is.bound,
			     history->keeper.machine->core[core].type, count,
			     frame->metric + (size_t)core * frame->n_metrics);
}

const struct frame *history_frame(const struct history *history, size_t i)
{
	const struct kept_bucket *bucket = history->bucket[i];
	struct frame *frame = frame_new(history->keeper.machine->n_cores, bucket->of);

	if (!frame)
		return NULL;
	frame->number = bucket->is.number;
	frame->t_ns = bucket->is.t_ns;
	frame->interval_ns = bucket->is.interval_ns;
	frame->gap = bucket->is.gap;
	frame->n_missed = bucket->is.n_missed;
	frame->tasks = frame_tasks_ref(bucket->tasks);
	for (unsigned core = 0; core < frame->n_cores; core++)
		restore_core(history, bucket, core, frame);
	return frame;
}

size_t history_bytes(const struct history *history)
{
	return history->cap * sizeof(struct kept_bucket *) + n_bytes(history);
}
