/* format.h: frames as text in one of several formats; sums of frames; tables of tasks */
#ifndef SESSION_FORMAT_H
#define SESSION_FORMAT_H

#include "base/text.h"
#include "sampler/frame.h"
#include "sampler/hot.h"
#include "sampler/sampler.h"
#include "sampler/task_rows.h"

/* ---- frames as text, in one of the formats of a table */

/** Options of stat that a session's rows do not record. NULL: not given. */
struct session_request {
	const char *preset;  /* -P */
	const char *metrics; /* -M */
	/* Comma-separated events that were counted additionally at no cost: perf's formats omit them unless a shown
	 * metric uses them. */
	const char *extra;
	/* "4711", "12,34": pids and thread ids; the counts are their sum per core type and belong to one core that
	 * stands for its type. NULL: whole cores are counted */
	const char *tasks;
	bool by_device; /* only devices are counted: a row per device instead of per core */
	bool of_sets;   /* write the metrics requested when a set was loaded: its bound.requested */
};

/** Head of a session. Texts are never NULL. */
struct session_head {
	char host[65], kernel[65], backend[64];
	char started[64];         /* as written: RFC 3339 */
	uint64_t started_wall_ns; /* wall clock at time 0 */
	uint64_t interval_ns;     /* at the beginning */
	struct session_request request;
};

/** PMU of the rows of sensors in the session CSV. */
#define SENSOR_ROW "sensor"

/** Data that a format needs besides the frame. The last_ members are state of the formats. */
struct format_context {
	const struct task_table
		*tasks; /* rows by task of the frame being written; NULL: rows by `by` */
	const struct function_table *functions; /* rows by function instead; NULL: none */
	const struct machine *machine;
	const struct metrics *metrics;
	const struct set *first;           /* set counted at the beginning; NULL: not known yet */
	const struct metrics_bound *bound; /* metrics of that set; NULL: not known yet */
	struct session_head head;
	const double *spread;  /* -r: of struct frame_runs; NULL: one run */
	const char *sep;       /* -x; NULL: default of the format */
	enum frame_by by;      /* level of the rows; the session CSV is always by core */
	bool continues;        /* appended to a file that already has its heading */
	bool is_file;          /* output of -o: perf's form begins with the date */
	bool metric_only;      /* metrics without counts */
	bool plain_summary;    /* no word "summary" in perf's CSV form */
	bool is_summary;       /* set by format_summary */
	bool is_total;         /* the summary is the only output: no intervals before it */
	bool ascii;            /* ASCII only */
	bool color;            /* output is a terminal: escape sequences are allowed, as
	                           * PRINTABLE_OWN */
	const uint16_t *shown; /* -M: numbers of the metrics to write, unless request.of_sets */
	size_t n_shown;
	uint32_t last_set; /* set that the format described last; initially 0 */
	const struct metrics_bound *last_bound; /* binding whose metrics it described last */
	uint64_t last_t_ns;                     /* end of the last frame, in the table */
	uint64_t last_interval_ns;              /* interval that it wrote last */
	uint64_t last_own_ns;                   /* when it last wrote m1top's own cost */
	uint64_t last_sensed_ns;  /* time of the readings of sensors that it wrote last */
	bool last_off[CORES_MAX]; /* cores that it last reported as off */
	/* last frame that had tasks; the writer keeps a reference until the next one; NULL: the last frame had none */
	const struct frame *last_frame;
};

struct format {
	const char *name;    /* as in --format */
	const char *metrics; /* written without -M and -P if the machine has them; NULL: none */
	/* Each is optional (NULL: nothing to write) and appends whole lines to `out`. */
	void (*begin)(struct format_context *context, struct text *out);
	void (*frame)(struct format_context *context, const struct frame *frame, struct text *out);
	/* Called by format_summary. NULL: the format has no summary. */
	void (*summary)(struct format_context *context, const struct frame *sum, struct text *out);
	void (*mark)(struct format_context *context, uint64_t t_ns, const char *note,
		     struct text *out);
	void (*gap)(struct format_context *context, uint64_t t_ns, uint64_t n_frames,
		    const char *why, struct text *out);
};

/** The formats: table, csv, perf, json, folded; NULL-terminated. */
extern const struct format *const format_table[];

/** Members of the table; perf.c has perf and json. */
extern const struct format format_text_table, format_csv, format_perf, format_json, format_folded;

/** Append the summed frames at the end. @format  has a summary */
void format_summary(const struct format *format, struct format_context *context,
		    const struct frame *sum, struct text *out);

/** Restart in a new file with the set and the interval of `last`. */
void format_context_restart(struct format_context *context, const struct frame *last);

/** Find a format by its name. @return NULL: not found */
const struct format *format_find(const char *name);

/**
 * Initialize from a session; members that depend on options are 0.
 *
 * @sampler  started, so that the first set is known; metrics and sampler outlive the context
 */
void format_context_init(struct format_context *context, const struct sampler *sampler,
			 const struct metrics *metrics);

/* ---- sum of the frames of one set, for the end of stat */

/** Sum of frames. `{ .by = BY_TYPE }` is empty. */
struct frame_sum {
	enum frame_by by;    /* level whose rows are summed besides the cores */
	struct frame *frame; /* sums of the cores; NULL: no frame yet */
	struct count *row;   /* [row × n_slots + slot]; NULL if by core */
	unsigned n_rows;
	struct count_windows *windows; /* of the cores, then of the rows, for their metrics */
};

/**
 * Add a frame, core by core and row by row, as count_add_window does. A frame of another set is ignored.
 *
 * @metrics  NULL: none are wanted
 * @return   0 or -ENOMEM
 */
int frame_sum_add(struct frame_sum *sum, const struct frame *frame, const struct machine *machine,
		  const struct metrics *metrics);

/** Evaluate the metrics of the summed counts; sum->frame is then a complete frame. @return 0 or -ENOMEM */
int frame_sum_end(struct frame_sum *sum, const struct machine *machine,
		  const struct metrics *metrics);

/** Release. NULL is accepted. */
void frame_sum_fini(struct frame_sum *sum);

/** Runs of a command, for their mean. `{ .run.by = BY_TYPE }` is empty. */
struct frame_runs {
	struct frame_sum run, sum; /* current run; sum of all earlier runs */
	unsigned n;                /* number of runs in `sum` */
	/* per count [row × n_slots + first slot of its event], then for the duration of a run: mean, and sum of squared differences from
	 * it; after frame_runs_mean the standard error of the mean, % */
	double *mean, *spread;
};

/** Add a frame. A frame of another set than the last begins a run. @return 0 or -ENOMEM */
int frame_runs_add(struct frame_runs *runs, const struct frame *frame,
		   const struct machine *machine, const struct metrics *metrics);

/**
 * Calculate the mean of all runs.
 *
 * @ret     empty; filled as by frame_sum_add
 * @return  0 or -ENOMEM
 */
int frame_runs_mean(struct frame_runs *runs, const struct machine *machine, struct frame_sum *ret);

/** Release. NULL is accepted. */
void frame_runs_fini(struct frame_runs *runs);

/* ---- counts of tasks, a line per task and core type: for stat --by task */

/** A task on one core type; figures of two types are never added. */
struct task_table_line {
	const struct core_task *task; /* with its last name */
	unsigned type;
	struct count *count; /* by slot */
	struct count_windows *windows;
	struct reading *metric; /* by column of the set's metrics */
};

/** Table of tasks. `{ .sums.tasks.by = BY_COMMAND, .top = 10 }` is empty. */
struct task_table {
	struct task_sums sums; /* columns: slots of `of` by core type */
	unsigned top;          /* lines per type, the rest is in [others]; 0: all */
	/* below: the result of task_table_end, in its order */
	size_t n;
	struct task_table_line *line;
	struct reading *metric;
	struct frame_set *of; /* set that was counted; NULL: no frame yet */
	uint64_t t_ns;
};

/**
 * Add the counts of a frame's tasks, as count_add_window does. A frame without tasks or of another set is ignored.
 *
 * @return 0 or -ENOMEM
 */
int task_table_add(struct task_table *table, const struct frame *frame,
		   const struct machine *machine);

/**
 * Sort by type and by a column, descending, then [others], idle and [unattributed]; evaluate the metrics. The last two
 * are always present unless the table is of a root or cgroup, so that the lines of a type add up to the counts of its cores.
 *
 * @column  0 … n_slots-1
 * @return  0 or -ENOMEM
 */
int task_table_end(struct task_table *table, const struct metrics *metrics, unsigned column);

/** Empty the table. */
void task_table_clear(struct task_table *table);

/* ---- the count of one event by function, for stat --by function */

/** Table of functions; of the format folded: stacks. `{ .top = 10 }` is empty. */
struct function_table {
	bool is_folded;          /* stacks of commands instead of functions of processes */
	enum hot_tree tree;      /* HOT_FLAT or HOT_CALLERS */
	bool of_root;            /* only the set's `root` and its descendants */
	const struct cgroup *in; /* only this cgroup and what is below it; NULL: all */
	unsigned top;            /* rows per type, the rest is one row; 0: all */
	uint64_t window_ns;
	unsigned n_types; /* 0: no frame yet */
	struct hot_sum sum[TYPES_MAX];
	/* by type, of function_table_end; the last ones without function: what has no samples, share 1; what was lost,
	 * share NaN */
	struct hot_rows *rows[TYPES_MAX];
};

/** Add a frame's samples. Samples of another event are left out. @return 0 or -ENOMEM */
int function_table_add(struct function_table *table, const struct frame *frame,
		       const struct machine *machine);

/** Divide the counts: the rows of a type add up to its count, then comes what was lost. @return 0 or -ENOMEM */
int function_table_end(struct function_table *table);

/** Empty the table. */
void function_table_clear(struct function_table *table);

/** Write the stacks of sums, which add up to their counts, folded for flame graphs: "task;outermost;…;function COUNT". */
void folded_put(const struct hot_sum *sum, unsigned n_sums, struct text *out);

#endif
