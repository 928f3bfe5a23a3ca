/* summary.h: summarize a session: every event and metric of every row, and its annotations */
#ifndef SESSION_REPORT_SUMMARY_H
#define SESSION_REPORT_SUMMARY_H

#include "pmu/sensors.h"
#include "sampler/task_rows.h"
#include "session/reader.h"
#include "session/report/functions.h"

/* ---- distribution of a figure over intervals: percentiles, mean, error of the mean ---- */

/**
 * Distribution of figures. Percentiles are exact while every figure is kept; distribution_coarsen moves all into buckets
 * 0.8 % wide, whose middle is within 0.4 % of the figure. All other results are always exact. `{ 0 }` is empty.
 */
struct distribution {
	uint64_t n;
	double min, max;                /* undefined while empty, like mean */
	double mean, squares;           /* Σ (x - mean)², by Welford's method */
	double first, last, neighbours; /* Σ (x_i - first) × (x_i+1 - first) */
	double *value;                  /* until is_coarse: the figures, in any order */
	size_t n_values, cap;
	size_t n_lowest; /* the first n of them are the lowest: sorted so far by distribution_percentile */
	bool is_coarse;
	uint32_t *bucket; /* number of figures, from the bucket of the smallest to that of the
	                   * largest */
	int first_bucket;
	size_t n_buckets;
};

/** Add a finite figure. @return 0 or -ENOMEM */
int distribution_add(struct distribution *distribution, double value);

/** Add the readings of n sensors, each to its distribution; missing ones are left out. @return 0 or -ENOMEM */
int distribution_add_sensed(struct distribution *distribution, unsigned n,
			    const struct sensed *sensed);

/** Move all figures into buckets, also those added later. @return 0 or -ENOMEM, then some were not moved */
int distribution_coarsen(struct distribution *distribution);

/** Get the smallest figure such that at least pct % of all are not above it. @pct 0..100  @return NaN when empty */
double distribution_percentile(struct distribution *distribution, double pct);

/** Calculate the standard deviation. @return NaN below two figures */
double distribution_stddev(const struct distribution *distribution);

/**
 * Calculate the standard error of the mean. Consecutive intervals are correlated: with r, the correlation of each with
 * the next, n of them count as n (1 - r) / (1 + r), at least 1; r below 0 counts as 0.
 *
 * @return NaN below two figures
 */
double distribution_error(const struct distribution *distribution);

/** Calculate the correlation of each figure with the next, 0 … 0.99; negative ones are 0. */
double distribution_correlation(const struct distribution *distribution);

/** Release. NULL is accepted. */
void distribution_fini(struct distribution *distribution);

/* ---- every event and metric of every row, and the annotations of a session ---- */

enum {
	/* Percentiles are exact up to this number of figures of intervals in total, then within 0.5 %. */
	SUMMARY_EXACT_FIGURES = 1 << 20,
	SUMMARY_ANNOTATIONS_MAX = 10000,
};

/** Counts of an expression's inputs, summed over the intervals that have all of them. */
struct summary_inputs {
	struct count *count; /* by input; NULL: none yet */
	unsigned *n_sources; /* by input: value of source_count() */
	double *scale;       /* by input: scale of its event, to the event's unit */
	unsigned n;
};

/** Sum of all windows of the present set for an event. */
struct summary_sum {
	struct column_set columns; /* of mux groups */
	int only;                  /* the only column; -1: several */
	int figure;                /* index */
	struct count count;
};

/** An event or metric of a row. Events are distinguished by name, PMU, levels and code. */
struct summary_figure {
	const struct event *event; /* of the reader; NULL: a metric */
	unsigned nth;       /* of an event that a set has several times in a mux group: 0, 1, … */
	unsigned metric;    /* number */
	bool is_of_devices; /* all inputs of the metric are of devices */
	struct count sum;   /* of an event: raw, over the session; n_summed: cores of the row */
	double requested_s; /* time for which the row requested it, averaged over its cores, s */
	struct summary_inputs inputs, alarm_inputs; /* of a metric, and of its threshold */
	uint64_t n_intervals[N_QUALITIES];          /* number of intervals by quality of the
	                                             * figure */
	uint64_t n_beyond;                          /* intervals beyond the threshold */
	struct distribution distribution;           /* rates in unit/s, or values of the metric */

	/* Calculated at the end. */
	struct reading total; /* of an event, in its unit; an estimate if SCALED */
	struct reading mean;  /* in unit/s: total over the time requested; the metric of the
	                      * session */
	double counted_pct;   /* of an event: share of watched_ns in which it was counted, % */
	enum metric_alarm alarm;
};

/** A row, as that of frame_row. */
struct summary_row {
	enum frame_by by;
	unsigned index, type;
	const struct pmu *device; /* BY_DEVICE */
	struct cpus cpus;         /* its cores; of a device those that read it */
	char name[64];            /* as from row_name */
	uint64_t watched_ns;      /* sum of the windows of its cores */
	struct summary_figure *figure;
	size_t n, cap;
	/* State of the present set. */
	struct summary_sum *sum;
	size_t n_sums, cap_sums;
	struct count_windows windows;         /* for the metrics */
	const struct metrics_bound *bound;    /* NULL: no window yet */
	int16_t of_metric[METRICS_BOUND_MAX]; /* index of a metric's figure; -1: none */
};

enum annotation_kind {
	ANNOTATION_EVENTS,
	ANNOTATION_INTERVAL,
	ANNOTATION_GAP,
	ANNOTATION_OFF,
	ANNOTATION_ON,
	ANNOTATION_MARK
};

/** A change, gap or marker of a session. */
struct annotation {
	uint64_t t_ns;
	enum annotation_kind kind;
	char *text;
	uint64_t n_missed; /* of gaps for the same reason that follow each other: their intervals */
	unsigned n_gaps;
};

/** m1top's own cost, from the frames that have it. */
struct summary_own {
	uint64_t n;
	double core_pct, total_pct, wakeups_per_s; /* means */
	double core_pct_max, total_pct_max;
	double late_p99_us_max, late_max_us;
	uint64_t n_dropped;
};

/** Context switches and their cost, from the frames with tasks. */
struct summary_switches {
	uint64_t n_frames, n, n_lost;
	double cost_pct; /* of one core, mean */
};

struct summary {
	const char *path;
	unsigned part;
	struct reader *reader; /* not owned; outlives the summary */
	const struct machine *machine;
	const struct metrics *metrics;
	const struct metrics_selection *wanted; /* NULL: all counted metrics */
	struct summary_row *row; /* types, sockets, clusters, … cores, then devices */
	size_t n_rows, cap_rows;
	struct summary_switches switches;
	struct task_sums commands, processes, cgroups; /* no figures if no frame had tasks */
	bool has_cgroups;
	struct function_sums functions;          /* of sampled events */
	struct distribution sensor[SENSORS_MAX]; /* readings, by sensor of the machine */
	uint64_t sensed_ns;                      /* time of the last readings */
	struct annotation *annotation;
	size_t n_annotations, cap_annotations;
	uint64_t n_annotations_more;         /* beyond SUMMARY_ANNOTATIONS_MAX */
	uint64_t n_frames, n_missed, n_lost; /* frames read; intervals without a read; frames lost
	                                      * by the writer */
	uint64_t n_absent;                   /* intervals counted and written, but not in these
	                                      * files */
	uint64_t last_number;                /* number of the last frame, plus frames lost since */
	uint64_t last_end_ns;                /* of the last frame */
	uint64_t duration_ns;                /* from begin_ns to the end of the last frame */
	uint64_t begin_ns;                   /* 0, except for a file that continues an earlier
	                                      * one */
	bool with_older;                     /* earlier files were read, too */
	bool leaves_older;                   /* earlier files exist and were not read */
	uint64_t *core_watched_ns;           /* by core */
	bool *is_off;                        /* by core, at the last frame */
	const struct set *set;               /* of the last frame */
	uint64_t interval_ns;
	size_t n_exact; /* figures of intervals not in buckets */
	bool is_coarse;
	bool is_cut, has_more;
	struct err last_error; /* why the file could not be read to its end; "": it was */
	struct summary_own own;
};

/** Called with each frame, in addition to the summary. */
typedef void summary_frame_fn(void *data, const struct frame *frame);

/**
 * Read a session to its end.
 *
 * @reader   just opened, wanted metrics added
 * @path     for the report
 * @part     as for reader_open
 * @wanted   NULL: all counted metrics; outlives the summary
 * @watch    optional
 * @ret      release with summary_fini
 * @return   0, also if a line could not be read: then `last_error` is set and the figures are of what precedes it;
 *           -ENOMEM
 */
int summary_make(struct reader *reader, const char *path, unsigned part,
		 const struct metrics_selection *wanted, summary_frame_fn *watch, void *data,
		 struct summary *ret, struct err *err);

/** Release. NULL is accepted. */
void summary_fini(struct summary *summary);

/** Name a figure: "INST_BRANCH", "L1D_MISS:u", "IPC". @return buf */
const char *summary_figure_name(const struct summary *summary, const struct summary_figure *figure,
				char *buf, size_t size);

/** Get a figure's unit; rates of events are in unit/s. Never NULL. */
const char *summary_figure_unit(const struct summary *summary, const struct summary_figure *figure);

/** Whether the figure was ever counted in its row. */
bool summary_figure_is_counted(const struct summary_figure *figure);

/** Whether the row shows the figure: a row of cores does not show events of devices. */
bool summary_figure_is_shown(const struct summary_row *row, const struct summary_figure *figure);

/** Get the i-th wanted metric that no row has. @i  from 0  @return NULL beyond the last */
const struct metric *summary_missing_metric(const struct summary *summary, size_t i);

#endif
