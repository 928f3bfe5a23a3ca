/* bucket.h: one bucket of the history and the merge of two; private to sampler/ */
#ifndef SAMPLER_THREADS_BUCKET_H
#define SAMPLER_THREADS_BUCKET_H

#include "sampler/history.h"

/* Core of a bucket. */
struct kept_core {
	uint64_t t_ns, window_ns;
	uint8_t state; /* enum core_state */
};

/* Count without the fields that only sums have. */
struct kept_count {
	uint64_t value, enabled_ns, running_ns;
};

/* Estimate of a multiplexed count, see struct count. */
struct kept_estimate {
	float extra, error;
};

/* Minimum and maximum; NaN: no value. */
struct range {
	float min, max;
};

/* Bucket; its arrays follow it in the same allocation. */
struct kept_bucket {
	struct bucket is;
	struct frame_set *of;
	size_t bytes;
	unsigned n_slots, n_metrics, n_words;
	struct kept_core *core; /* [core] */
	/* Columns of a row: only those with values, since a device is counted on one of maybe a thousand cores. Rows:
	 * cores; if merged also clusters, types, … */
	uint64_t *slots; /* slots with a quality other than NONE, as bits: [row × n_words] */
	uint32_t *first; /* [row]: index of the first of them; the others follow */
	struct kept_count *count;       /* by column of the cores */
	struct kept_estimate *estimate; /* by column of the cores; NULL: not multiplexed */
	uint8_t *quality;               /* by column of the cores */
	float *metric;       /* one frame: [core × n_metrics + column], NaN without a value */
	struct range *range; /* merged: by column of the rows; else NULL */
	struct range *metric_range;      /* [row × n_metrics + column] */
	const struct frame_tasks *tasks; /* largest tasks; NULL: none requested */
	const struct sensed *sensed;     /* those of its last frame */
};

enum { KEPT_ROWS_MAX = LEVEL_TYPE * CORES_MAX + TYPES_MAX };

/* Properties that all buckets share. */
struct history_layout {
	const struct machine *machine;
	const struct metrics *metrics;
	uint8_t type_of_row[KEPT_ROWS_MAX];
	unsigned n_tasks; /* number of tasks kept per core: see frame_tasks_merge */
};

/** Initialize a layout. @machine, @metrics  must outlive it */
void history_layout_init(struct history_layout *layout, const struct machine *machine,
			 const struct metrics *metrics);

/** Make a bucket of one frame. @return NULL without memory */
struct kept_bucket *bucket_of_frame(const struct history_layout *keeper, const struct frame *frame);

/** Free a bucket. NULL is accepted. */
void bucket_free(struct kept_bucket *bucket);

/** Get one count of a core. */
void bucket_count(const struct kept_bucket *bucket, unsigned core, unsigned slot,
		  struct count *ret);

/** Get the range of a row's rate or metric. @bucket  merged  @column  slot, or with `is_metric`
 * column of the bound metrics */
struct range bucket_range(const struct machine *machine, const struct kept_bucket *bucket,
			  enum frame_by by, unsigned index, bool is_metric, unsigned column);

/** Get the core type of a row. Here and below `by` is a result of frame_by_same. */
unsigned bucket_row_type(const struct history_layout *keeper, enum frame_by by, unsigned index);

/** Sum a row's counts over adjacent buckets of the same set, by slot. @slots  slots to sum */
void bucket_row(const struct history_layout *keeper, const struct kept_bucket *const *bucket,
		size_t n, enum frame_by by, unsigned index, const struct column_set *slots,
		struct count ret[COLUMNS_MAX]);

/** Whether both have the same set. */
bool bucket_count_same(const struct kept_bucket *a, const struct kept_bucket *b);

/** Whether both can be merged: same set, same interval, both with or both without tasks. */
bool bucket_can_merge(const struct kept_bucket *a, const struct kept_bucket *b);

/** Merge two adjacent buckets. @return NULL without memory */
struct kept_bucket *bucket_merge(const struct history_layout *keeper, const struct kept_bucket *a,
				 const struct kept_bucket *b);

enum { TASKS_KEPT_MAX = 64 };

/**
 * Merge two consecutive windows of the same set. On each core the `n_kept` tasks with the most time
 * and those with the most of each column are kept, and the rest is summed in [others]: totals do
 * not change.
 *
 * @second  NULL: only one
 * @n_kept  1 … TASKS_KEPT_MAX
 * @return  with one reference; `first` itself if nothing changes; NULL without memory
 */
const struct frame_tasks *frame_tasks_merge(const struct frame_tasks *first,
					    const struct frame_tasks *second, unsigned n_kept);

#endif
