/* excursions.h: values beyond a limit for some time, by row: since when, how long, the worst */
#ifndef SAMPLER_EXCURSIONS_H
#define SAMPLER_EXCURSIONS_H

#include "sampler/frame.h"

struct watched_row;

/** A limit of a metric and how long its value must be beyond it. */
struct condition {
	int metric;        /* number */
	char compare;      /* '>' or '<': the side of `limit` that is beyond it */
	bool is_threshold; /* the metric's own: rows that are hardly busy have no excursion */
	bool is_alarm; /* the metric's own threshold decides, an expression that begins with `limit` but is more */
	bool has_other; /* that expression has an alternative to `limit` */
	double limit;   /* in the metric's unit */
	/* time beyond it until an excursion begins, and back until it ends unless is_threshold; 0: one window */
	uint64_t for_ns;
	enum frame_by by;        /* rows; not BY_DEVICE */
	struct watched_row *row; /* NULL: the metric was not counted yet */
};

/** A row's time beyond a limit. */
struct excursion {
	uint64_t number; /* 1 is the first; 0: not begun */
	unsigned condition;
	unsigned index; /* of the row, by the condition's rows */
	char row[24];   /* as frame_row_name */
	char task
		[TASK_COMM_SIZE]; /* task with most time on the core in the worst window; "": unknown */
	uint64_t t_ns;            /* tick of the first frame beyond it */
	uint64_t beyond_ns;       /* sum of the windows beyond it; grows until is_over */
	uint64_t worst_ns;        /* tick of the worst window */
	double cost;              /* how far beyond the limit, in limits, times how long, s */
	struct reading worst;
	bool is_over;
};

enum { EXCURSIONS_MAX = 256, EXCURSIONS_BUSY_PCT = 10 };

/**
 * Conditions, and their most costly excursions. `{ .machine = …, .metrics = … }` is empty. One thread.
 *
 * A window is evidence if the row has the metric's value. An estimate is evidence only if it stays on one side of the
 * limit when each of its inputs moves by that input's error; one of unknown error never is. A window without evidence
 * neither begins nor ends an excursion: the time that either needs starts again.
 */
struct excursions {
	const struct machine *machine;
	const struct metrics *metrics;
	struct condition *condition;
	size_t n, cap;
	int utilisation; /* number of the metric */
	double busy_pct; /* least utilisation of a row with an excursion beyond a threshold */
	uint64_t t_ns;   /* tick of the last frame */
	uint64_t n_begun;
	double least; /* no excursion of a full list costs less */
	unsigned n_items;
	struct excursion item[EXCURSIONS_MAX]; /* in no order */
};

/** Called when an excursion begins. @data  passed to excursions_frame */
typedef void excursion_begun(void *data, const struct excursion *excursion);

/** Release the conditions. */
void excursions_fini(struct excursions *list);

/**
 * Add a condition: "METRIC>LIMIT for TIME by ROWS", with > or <; without `for` one window, without `by` each core.
 *
 * @return 0; -EINVAL with the column of the text; -ENOENT; -ENOMEM
 */
int excursions_add(struct excursions *list, const char *text, struct err *err);

/**
 * Add the threshold of each metric that has one, for two seconds on any core that is busy for busy_pct of the time,
 * at first EXCURSIONS_BUSY_PCT, except approximate metrics and variants of others.
 *
 * @return 0 or -ENOMEM
 */
int excursions_add_thresholds(struct excursions *list);

/** Take the next frame. Frames that are no newer than the last one are skipped: a recorded session may be read again.
 * @begun  NULL: not wanted */
void excursions_frame(struct excursions *list, const struct frame *frame, excursion_begun *begun,
		      void *data);

/** Count the listed excursions with a larger number. */
unsigned excursions_n_new(const struct excursions *list, uint64_t number);

/** Whether a row is busy for at least busy_pct of the time, has several cores, or its utilisation is not known. @list  NULL: any row */
bool excursions_is_busy(const struct excursions *list, const struct frame_row *row);

/** Format "cpu4  branch_mpki 14.1 > 10 /Kinst  mcf", "~" before an estimate. @return buf */
const char *excursion_text(const struct excursions *list, const struct excursion *excursion,
			   char *buf, size_t size);

#endif
