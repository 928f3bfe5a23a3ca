/* bucket.h: one bucket of the history and the merge of two; private to sampler/ */
#ifndef SAMPLER_THREADS_BUCKET_H
#define SAMPLER_THREADS_BUCKET_H

#include "sampler/history.h"

/* Core of a bucket. */
struct stored_core {
	uint64_t t_ns, window_ns;
	uint8_t state;   /* enum core_state */
	bool lacks_last; /* late in the last frame: the next bucket has its part */
};

/* Count without the fields that only sums have. */
struct stored_count {
	uint64_t value, enabled_ns, running_ns;
};

/* Estimate of a multiplexed count, see struct count. */
struct stored_estimate {
	float extra, error;
};

/* Minimum and maximum; INFINITY and -INFINITY, or NaN: no value. */
struct range {
	float min, max;
};

/* Bucket; its arrays follow it in the same allocation. */
struct stored_bucket {
	struct bucket is;
	struct frame_set *of;
	size_t bytes;
	unsigned n_slots, n_metrics, n_words;
	struct stored_core *core; /* [core] */
	/* Columns of a core: only those with values, since a device is counted on one of maybe a thousand cores */
	uint64_t *slots; /* slots with a quality other than NONE, as bits: [core × n_words] */
	uint32_t *
		first; /* [core]: index of the first of them; the others follow. Last: number of all */
	/* By column of the cores. If windows were merged in which a core had not the same columns, the arrays continue
	 * with the sums of those windows that had most: a metric's inputs must be of the same windows. */
	size_t common; /* index of these sums; 0: there are none, all windows are common */
	struct stored_count *count;
	struct stored_estimate *estimate; /* NULL: not multiplexed */
	uint8_t *quality;
	/* one frame: rates of rows of several cores, [row after the cores × n_slots + slot], then metrics, [row ×
	 * n_metrics + column]; NaN without a value */
	float *figure;
	struct range *range; /* merged: by column of the cores, then as `figure`; else NULL */
	const struct frame_tasks *tasks; /* largest tasks; NULL: none requested */
	const struct sensed *sensed;     /* those of its last frame */
};

/* Properties that all buckets share. */
struct history_layout {
	const struct machine *machine;
	const struct metrics *metrics;
	/* by grouping: index of its first row; behind the last: number of all rows */
	unsigned first[BY_TYPE + 2];
	unsigned n_tasks; /* number of tasks kept per core: see frame_tasks_merge */
};

/** Initialize a layout. @machine, @metrics  must outlive it */
void history_layout_init(struct history_layout *layout, const struct machine *machine,
			 const struct metrics *metrics);

/** Make a bucket of one frame. @return NULL without memory */
struct stored_bucket *bucket_of_frame(const struct history_layout *layout,
				      const struct frame *frame);

/** Free a bucket. NULL is accepted. */
void bucket_free(struct stored_bucket *bucket);

/** Get one count of a core. */
void bucket_count(const struct stored_bucket *bucket, unsigned core, unsigned slot,
		  struct count *ret);

/** Get the range of a row's rate or metric. @bucket  merged  @column  slot, or with `is_metric`
 * column of the bound metrics */
struct range bucket_range(const struct history_layout *layout, const struct stored_bucket *bucket,
			  enum frame_by by, unsigned index, bool is_metric, unsigned column);

/**
 * Sum a row's counts over adjacent buckets of the same set, by slot.
 *
 * @by         as from frame_by_same
 * @slots      slots to sum
 * @is_common  for a metric
 * @is_end     mark a count whose core was late at the end as PARTIAL, or without counts of it as PENDING
 */
void bucket_row(const struct history_layout *layout, const struct stored_bucket *const *bucket,
		size_t n, enum frame_by by, unsigned index, const struct column_set *slots,
		bool is_common, bool is_end, struct count ret[COLUMNS_MAX]);

/** Whether both can be merged: same set, same interval, both with or both without tasks. */
bool bucket_can_merge(const struct stored_bucket *a, const struct stored_bucket *b);

/** Whether each core has values in the same columns of both. A frame of both has metrics that are estimates if not. */
bool bucket_same_columns(const struct history_layout *layout, const struct stored_bucket *a,
			 const struct stored_bucket *b);

/** Merge a bucket into the one before it: in place, or if that has no room into a new one, which replaces it.
 * @return false without memory: nothing has changed */
bool bucket_merge(const struct history_layout *layout, struct stored_bucket **into,
		  const struct stored_bucket *bucket);

enum { BUCKET_TASKS_MAX = 64 };

/**
 * Merge two consecutive windows of the same set. On each core the `n_top` tasks with the most time
 * and those with the most of each column are kept, and the rest is summed in [others]: totals do
 * not change.
 *
 * @second  NULL: only one
 * @n_top   1 … BUCKET_TASKS_MAX
 * @return  with one reference; `first` itself if nothing changes; NULL without memory
 */
const struct frame_tasks *frame_tasks_merge(const struct frame_tasks *first,
					    const struct frame_tasks *second, unsigned n_top);

#endif
