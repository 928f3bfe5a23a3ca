/* past_cell.h: one stretch of the past, and two of them made one; private to sampler/ */
#ifndef SAMPLER_PAST_CELL_H
#define SAMPLER_PAST_CELL_H

#include "sampler/past.h"

/* A core of a cell. */
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
struct cell {
	struct past_cell is;
	const struct metrics_bound *bound;
	size_t bytes;
	unsigned n_slots, n_metrics;
	struct kept_core *core;   /* [core] */
	struct kept_row *row;     /* cores; of several frames also clusters, types */
	struct kept_count *count; /* of the cores' columns */
	uint8_t *quality;         /* likewise */
	float *metric; /* of one frame: [core × n_metrics + column], NaN where there is no value */
	struct range *range;        /* of several: of the rows' columns; else NULL */
	struct range *metric_range; /* [row × n_metrics + column] */
};

/* What every cell is of. */
struct past_keeper {
	const struct machine *machine;
	const struct metrics *metrics;
};

/** What a frame says. @return to be freed with free(); NULL without memory */
struct cell *cell_of_frame(const struct past_keeper *keeper, const struct frame *frame);

/** One count of a core. */
void cell_count(const struct cell *cell, unsigned core, unsigned slot, struct count *ret);

/** Of a row's rate or metric. @cell  of several frames  @column  slot; with `is_metric` of the bound
 * metrics */
struct range cell_range(const struct machine *machine, const struct cell *cell, enum frame_by by,
			unsigned index, bool is_metric, unsigned column);

/** Core type of a row. */
unsigned cell_row_type(const struct machine *machine, enum frame_by by, unsigned index);

/** The counts of a row over neighbours that count the same, by slot. @slots  which, as bits */
void cell_row(const struct past_keeper *keeper, const struct cell *const *cell, size_t n,
	      enum frame_by by, unsigned index, uint64_t slots, struct count ret[COLUMNS_MAX]);

/** Was the same counted? */
bool cell_count_same(const struct cell *a, const struct cell *b);

/** And at the same pace? Only then do two become one. */
bool cell_are_alike(const struct cell *a, const struct cell *b);

/** Two neighbours as one. @return to be freed with free(); NULL without memory */
struct cell *cell_merge(const struct past_keeper *keeper, const struct cell *a,
			const struct cell *b);

#endif
