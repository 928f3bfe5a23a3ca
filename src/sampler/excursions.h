/* excursions.h: values beyond a limit for some time, by row: since when, how long, the worst */
#ifndef SAMPLER_EXCURSIONS_H
#define SAMPLER_EXCURSIONS_H

#include "sampler/frame.h"

/** A limit of a metric and how long its value must be beyond it. */
struct condition {
	int metric;    /* number */
	char compare;  /* '>' or '<': the side of `limit` that is beyond it */
	bool is_alarm; /* the metric's own threshold decides, an expression; `limit` is part of it */
	double limit;  /* in the metric's unit */
	uint64_t
		for_ns; /* time beyond it before an excursion begins, and back before it ends; 0: one
			  * window */
	enum frame_by by; /* rows; not BY_DEVICE */
};

/** A row's time beyond a condition's limit. */
struct excursion {
	unsigned condition;
	char row[24]; /* as frame_row_name */
	char task
		[TASK_COMM_SIZE]; /* task with most time on the core in the worst window; "": unknown */
	uint64_t t_ns;            /* tick of the first frame beyond it */
	uint64_t beyond_ns;       /* sum of the windows beyond it; grows until is_over */
	struct reading worst;
	bool is_over;
};

enum { EXCURSIONS_KEPT = 256 };

/**
 * The newest EXCURSIONS_KEPT excursions of some conditions. One thread.
 *
 * A window is evidence if the row has the metric's value. An estimate is evidence only if it stays on one side of the
 * limit when each of its inputs moves by that input's error; one of unknown error never is. A window without evidence
 * neither begins nor ends an excursion: the time that either needs starts again. A row without evidence for a minute
 * begins anew.
 */
struct excursions;

/** Create an empty list. @machine, @metrics  must outlive it  @return 0 or -ENOMEM */
int excursions_new(const struct machine *machine, const struct metrics *metrics,
		   struct excursions **ret);

/** Free the list. NULL is accepted. */
void excursions_free(struct excursions *list);

/** Add a condition; it gets the next number, from 0. @return 0 or -ENOMEM */
int excursions_add(struct excursions *list, const struct condition *condition);

/**
 * Add the threshold of each metric that has one, for two seconds on any core, except approximate metrics and variants
 * of others.
 *
 * @return 0 or -ENOMEM
 */
int excursions_add_thresholds(struct excursions *list);

/** Get a condition by its number. @return NULL: there is none */
const struct condition *excursions_condition(const struct excursions *list, unsigned number);

/** Take the next frame. Frames that are no newer than the last one are skipped: a recorded session may be read again. */
void excursions_frame(struct excursions *list, const struct frame *frame);

/** Get the number of excursions that have begun so far. */
uint64_t excursions_n(const struct excursions *list);

/** Get an excursion. @i  0 (the first of all) … excursions_n - 1  @return NULL: no longer kept */
const struct excursion *excursions_at(const struct excursions *list, uint64_t i);

/** Format "branch_mpki 14.1 > 10 /Kinst", "~" before an estimate. @return buf */
const char *excursion_text(const struct excursions *list, const struct excursion *excursion,
			   char *buf, size_t size);

/**
 * Parse "METRIC>LIMIT for TIME by ROWS", the metric as in -M, with < or >; `for` and `by` may be omitted: one window,
 * by core.
 *
 * @metrics  an expression is added; the metric is selected
 * @return   0; -EINVAL with the column of the text; as metrics_select
 */
int condition_parse(const char *text, struct metrics *metrics, struct condition *ret,
		    struct err *err);

#endif
