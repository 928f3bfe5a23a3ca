/* summary.h: a session in figures: every event and metric of every row, and what happened when */
#ifndef SESSION_REPORT_SUMMARY_H
#define SESSION_REPORT_SUMMARY_H

#include "session/report/digest.h"
#include "session/report/task_sums.h"
#include "session/read/reader.h"

enum {
	/* Percentiles are exact up to so many figures of intervals in all, then within 0.5 %. */
	SUMMARY_EXACT_FIGURES = 1 << 20,
	SUMMARY_MOMENTS_MAX = 10000,
};

/** Counts of an expression's inputs, summed over the intervals in which all of them were asked for. */
struct summary_inputs {
	struct count *count; /* by input; NULL: none yet */
	unsigned *n_sources; /* by input what source_count() says of it */
	unsigned n;
};

/** What the present set counts in a column, or in several that count one event; all its windows. */
struct summary_sum {
	uint64_t columns;   /* as bits */
	bool is_of_devices; /* the columns are different devices'; else mux groups' */
	unsigned n_devices; /* that counted it at a time */
	int figure;         /* the event that it is; -1: it is an input of metrics only */
	struct count count;
};

/** One event or metric of one row. Events are told apart by name, PMU, levels and code. */
struct summary_figure {
	const struct event *event; /* NULL: it is a metric; of the reader */
	unsigned nth;       /* of an event that a set counts several times at once: 0, 1, … */
	unsigned metric;    /* number */
	bool is_of_devices; /* all that the metric is made of */
	struct count sum;   /* of an event: raw, over the session; a row's n_summed cores */
	double asked_s;     /* how long the row was to count it, cores side by side */
	struct summary_inputs inputs, alarm_inputs; /* of a metric and of its threshold */
	uint64_t n_intervals[N_QUALITIES];          /* how the figure stood in them */
	uint64_t n_beyond;                          /* in which the threshold was passed */
	struct digest digest;                       /* of rates in unit/s, or of the metric */

	/* Worked out at the end. */
	struct reading total; /* of an event, in its unit; an estimate when it is SCALED */
	struct reading mean; /* in unit/s: total over the time counted; the metric of the session */
	double counted_pct;  /* of an event: of the time that the row's cores were watched */
	enum metric_alarm alarm;
};

/** A row as frame_row's. */
struct summary_row {
	enum frame_by by;
	unsigned index, type;
	const struct pmu *device; /* BY_DEVICE */
	struct cpus cpus;         /* its cores; of a device those that read it */
	char name[64];            /* as row_name */
	uint64_t watched_ns;      /* windows of its cores together */
	struct summary_figure *figure;
	size_t n, cap;
	/* Of the present set. */
	struct summary_sum *sum;
	size_t n_sums, cap_sums;
	const struct metrics_bound *bound;    /* NULL: no window yet */
	int16_t of_metric[METRICS_BOUND_MAX]; /* which figure a metric is; -1: none */
};

enum moment_kind { MOMENT_EVENTS, MOMENT_INTERVAL, MOMENT_GAP, MOMENT_OFF, MOMENT_ON, MOMENT_MARK };

/** Something that happened. */
struct moment {
	uint64_t t_ns;
	enum moment_kind kind;
	char *text;
};

/** m1top's own cost, of the moments at which it was noted. */
struct summary_own {
	uint64_t n;
	double core_pct, total_pct, wakeups_per_s; /* means */
	double core_pct_max, total_pct_max;
	double late_p99_us_max, late_max_us;
	uint64_t n_dropped;
};

/** What telling tasks apart took, of frames that have them. */
struct summary_switches {
	uint64_t n_frames, n, n_lost;
	double cost_pct; /* of one core: the mean */
};

struct summary {
	const char *path;
	unsigned part;
	struct reader *reader; /* not owned; outlives the summary */
	const struct machine *machine;
	const struct metrics *metrics;
	const struct metrics_selection *wanted; /* NULL: every metric that was counted */
	struct summary_row *row; /* types, sockets, clusters, … cores, then devices */
	size_t n_rows, cap_rows;
	struct summary_switches switches;
	struct task_sums commands, processes; /* without figures where no frame had tasks */
	struct moment *moment;
	size_t n_moments, cap_moments;
	uint64_t n_moments_more;             /* that are not kept */
	uint64_t n_frames, n_missed, n_lost; /* lost: by the writer, missed: never read */
	uint64_t n_absent;                   /* counted and written, but not in these files */
	uint64_t last_number;                /* of the last frame, and those lost since */
	uint64_t last_end_ns;                /* of the last frame */
	uint64_t duration_ns;                /* from begin_ns to the end of the last frame */
	uint64_t begin_ns;                   /* 0, but of a file that goes on where another ended */
	bool with_older;                     /* files that came before were read, too */
	bool leaves_older;                   /* they are there, and were not read */
	uint64_t *core_watched_ns;           /* by core */
	bool *is_off;                        /* by core, at the last frame */
	const struct set *set;               /* of the last frame */
	uint64_t interval_ns;
	size_t n_exact; /* figures of intervals that are in no bucket */
	bool is_coarse;
	bool is_cut, has_more;
	struct err last_error; /* the file could not be read to its end; "" when it could */
	struct summary_own own;
};

/** Called with each frame, beside what the summary makes of it. */
typedef void summary_frame_fn(void *data, const struct frame *frame);

/**
 * Read a session to its end.
 *
 * @reader   just opened, metrics that are wanted added
 * @path     for the report
 * @part     as for reader_open
 * @wanted   NULL: every metric that was counted; outlives the summary
 * @watch    optional
 * @ret      release with summary_fini
 * @return   0, also where a line could not be read: then `last_error` says so and the figures are of
 *           what stands before it; -ENOMEM
 */
int summary_make(struct reader *reader, const char *path, unsigned part,
		 const struct metrics_selection *wanted, summary_frame_fn *watch, void *data,
		 struct summary *ret, struct err *err);

/** NULL is accepted. */
void summary_fini(struct summary *summary);

/** The name of a figure: "INST_BRANCH", "L1D_MISS:u", "IPC". @return buf */
const char *summary_figure_name(const struct summary *summary, const struct summary_figure *figure,
				char *buf, size_t size);

/** Its unit; an event's figures are in unit/s. Never NULL. */
const char *summary_figure_unit(const struct summary *summary, const struct summary_figure *figure);

/** Was it ever counted in this row? Others are not worth a line. */
bool summary_figure_is_counted(const struct summary_figure *figure);

/** Does the picture by `by` show the figure? Devices have rows of their own. */
bool summary_figure_is_shown(const struct summary_row *row, const struct summary_figure *figure);

/** The metrics that were wanted and that no row has. @i  from 0  @return NULL beyond the last */
const struct metric *summary_missing_metric(const struct summary *summary, size_t i);

#endif
