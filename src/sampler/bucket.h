/* bucket.h: one stretch of the history, and two of them made one; private to sampler/ */
#ifndef SAMPLER_BUCKET_H
#define SAMPLER_BUCKET_H

#include "sampler/history.h"

/* A core of a bucket. */
struct kept_core {
	uint64_t t_ns, window_ns;
	uint8_t state; /* enum core_state */
};

/* What a row has columns for: devices are counted on one core of maybe a thousand. */
struct kept_row {
	uint64_t slots; /* as bits: those with anything but NONE */
	uint32_t first; /* where the first of them stands, the others behind it */
};

/* A count without what only sums have. */
struct kept_count {
	uint64_t value, enabled_ns, running_ns;
};

/* Smallest and largest; NaN: there was no value. */
struct range {
	float min, max;
};

/* Its arrays lie behind it in one piece of memory. */
struct kept_bucket {
	struct bucket is;
	struct frame_set *of;
	size_t bytes;
	unsigned n_slots, n_metrics;
	struct kept_core *core;   /* [core] */
	struct kept_row *row;     /* cores; of several frames also clusters, types, … */
	struct kept_count *count; /* of the cores' columns */
	float *error;             /* likewise; NULL: nothing is multiplexed */
	uint8_t *quality;         /* likewise */
	float *metric; /* of one frame: [core × n_metrics + column], NaN where there is no value */
	struct range *range;             /* of several: of the rows' columns; else NULL */
	struct range *metric_range;      /* [row × n_metrics + column] */
	const struct frame_tasks *tasks; /* the largest; NULL: nobody wanted to know */
};

enum { KEPT_ROWS_MAX = 4 * CORES_MAX + TYPES_MAX };

/* What every bucket is of. */
struct history_layout {
	const struct machine *machine;
	const struct metrics *metrics;
	uint8_t type_of_row[KEPT_ROWS_MAX];
	unsigned n_tasks; /* that are kept of a core: see frame_tasks_merge */
};

/** @machine, @metrics  outlive it */
void history_layout_init(struct history_layout *layout, const struct machine *machine,
			 const struct metrics *metrics);

/** What a frame says. @return NULL without memory */
struct kept_bucket *bucket_of_frame(const struct history_layout *keeper, const struct frame *frame);

/** NULL is accepted. */
void bucket_free(struct kept_bucket *bucket);

/** One count of a core. */
void bucket_count(const struct kept_bucket *bucket, unsigned core, unsigned slot,
		  struct count *ret);

/** Of a row's rate or metric. @bucket  of several frames  @column  slot; with `is_metric` of the bound
 * metrics */
struct range bucket_range(const struct machine *machine, const struct kept_bucket *bucket,
			  enum frame_by by, unsigned index, bool is_metric, unsigned column);

/** What a task did over neighbours that count the same. @column  slot; with `is_metric` of the bound
 * metrics */
struct history_value bucket_task(const struct history_layout *keeper,
				 const struct kept_bucket *const *bucket, size_t n,
				 const struct history_query *query, unsigned type, unsigned column);

/** Core type of a row. Here and below `by` is as frame_by_same says. */
unsigned bucket_row_type(const struct history_layout *keeper, enum frame_by by, unsigned index);

/** The counts of a row over neighbours that count the same, by slot. @slots  which, as bits */
void bucket_row(const struct history_layout *keeper, const struct kept_bucket *const *bucket,
		size_t n, enum frame_by by, unsigned index, uint64_t slots,
		struct count ret[COLUMNS_MAX]);

/** Was the same counted? */
bool bucket_count_same(const struct kept_bucket *a, const struct kept_bucket *b);

/** And at the same pace? Only then do two become one. */
bool bucket_are_alike(const struct kept_bucket *a, const struct kept_bucket *b);

/** Two neighbours as one. @return NULL without memory */
struct kept_bucket *bucket_merge(const struct history_layout *keeper, const struct kept_bucket *a,
				 const struct kept_bucket *b);

#endif
