/* metrics.h: the metrics of a session, those available with a set, and their values */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stddef.h>

#include "metrics/expression.h"

/* Maximum number of metrics in a frame, for each core: 2 kB. */
enum { METRICS_BOUND_MAX = 128 };

/* Maximum number of the user's own expressions, besides the metrics of the catalogues. */
enum { METRICS_OWN_MAX = 64 };

/** A metric of a session; its number never changes. Texts are never NULL. */
struct metric {
	const char *name;
	const char *short_name;
	const char *const *alias; /* other names, NULL-terminated; NULL: none */
	const char *unit;
	const char *brief;
	const char *what;      /* full description, begins with `brief` */
	const char *group;     /* "Branch;Summary"; for the first type that has it */
	const char *expr;      /* for the first type that has it */
	const char *threshold; /* for the first type that has it */
	double scale;          /* factor from the expression's result to `unit` */
	bool is_selected;      /* by metrics_select: has a place in every set that can evaluate
	                        * it */
	bool is_approximate;   /* its values are estimates: SCALED at best */
	const char *groups[TYPES_MAX]; /* `group`, by core type; NULL: this type does not have it */
	struct metric_program *program[TYPES_MAX]; /* by core type; NULL: this type does not have
	                                            * it */
	struct metric_program *alarm[TYPES_MAX];   /* compiled threshold; NULL: none */
	char *own;                                 /* storage for the texts of a user's own
	                                            * expression */
};

/** Whether the metric is a share, in %. */
bool metric_is_share(const struct metric *metric);

/** Get the heading of the metric's column: its short name, or its name if it has none. */
const char *metric_label(const struct metric *metric);

/** Whether the label includes the unit, as "STALL%" does. */
bool metric_label_has_unit(const struct metric *metric);

/** Convert the result of a metric's expression to its unit; of an approximate metric it becomes an estimate. */
struct reading metric_in_unit(const struct metric *metric, struct reading value);

/** A metric of a catalogue that cannot be used. */
struct metric_refused {
	const char *name;
	char *why;
};

/** A part of a core's time, whose share is a metric. */
struct metric_part {
	const struct catalog_part *known;
	int number; /* metric; -1: none on this machine */
};

enum { METRIC_PARTS_MAX = 4 };

/**
 * The metrics of a session. Number 0 is IPC if there is one. Once a set is loaded other threads read the metrics it
 * has: they neither change nor move, but the main thread may append others.
 */
struct metrics {
	struct metric *metric;
	unsigned n, n_max; /* present and maximum number */
	size_t cap;
	struct metric_refused *refused;
	size_t n_refused, cap_refused;
	struct metric_part part[METRIC_PARTS_MAX]; /* parts in the catalogues, in their order */
	unsigned n_parts;
	const struct machine *machine;
	struct literals literals; /* values of the machine's literals */
};

/** Whether the metric is a part in the stacked bar. */
bool metrics_is_part(const struct metrics *metrics, unsigned number);

/**
 * Whether a metric is one of those that another one divides into: perf has them in the group NAME_group.
 *
 * @part   "tma_core_bound", of the group "tma_backend_bound_group"
 * @whole  "tma_backend_bound"
 * @type   core type; -1: any
 */
bool metric_divides(const struct metric *part, const struct metric *whole, int type);

/** Get the group that a top-down part of the first level is in: "TopdownL1". @return NULL: it is none */
const char *metric_first_level(const struct metric *metric);

/** Convert a figure of a part's metric to a share of cycles, from 0 on. @part  one that has a metric */
double metrics_share_of(const struct metrics *metrics, unsigned part, double figure);

/**
 * Create every metric of the machine's catalogues, IPC and CPI first. One that does not compile is listed with the
 * reason and omitted; so is a threshold that does not.
 *
 * @machine  outlives the metrics
 * @return   0 or -ENOMEM
 */
int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err);

/** Create the metrics with the literals of a recorded session; otherwise as metrics_make. */
int metrics_make_with_literals(const struct machine *machine, const struct literals *literals,
			       struct metrics *ret, struct err *err);

/** Release. NULL is accepted. */
void metrics_fini(struct metrics *metrics);

/**
 * Find a metric by its name, else an alias, else its short name, ignoring case.
 * @return -1 if there is none
 */
int metrics_find(const struct metrics *metrics, const char *name);

/** Selected metrics of a session, by number, in the order requested. */
struct metrics_selection {
	uint16_t *number;
	size_t n, cap;
};

/**
 * Parse the argument of -M: names, groups (their metrics whose events the machine has) and expressions ("x=1000*A/B",
 * which becomes metric x), separated by commas; commas inside parentheses or after a backslash belong to an expression,
 * blanks around an item to none. Expressions are added to the metrics and may use each other. For the main thread.
 *
 * @ret  to be released with metrics_selection_fini
 * @return 0; -ENOENT with similar names, or with the event that no core type has; -EINVAL with the column in the
 *         expression, or why the metric cannot be used; -ELOOP; on failure nothing is added
 */
int metrics_select(struct metrics *metrics, const char *list, struct metrics_selection *ret,
		   struct err *err);

/** Remove the expressions from number n on, with which no set was loaded. */
void metrics_forget(struct metrics *metrics, unsigned n);

/** Release. NULL is accepted. */
void metrics_selection_fini(struct metrics_selection *selection);

/** The metrics that a set can evaluate on some type: a frame has a reading of each. */
struct metrics_bound {
	unsigned n;
	unsigned n_slots;
	uint16_t number[METRICS_BOUND_MAX]; /* ascending */
	uint8_t level[METRICS_BOUND_MAX];   /* enum privilege common to all its inputs */
	struct metric_binding *binding[TYPES_MAX][METRICS_BOUND_MAX]; /* NULL: not this type */
	struct metric_binding *alarm[TYPES_MAX][METRICS_BOUND_MAX];   /* inputs may be missing */
	/* Requested metrics: selected ones and those of the set's preset. If there are none, all except variants of
	 * others. */
	uint16_t requested[METRICS_BOUND_MAX];
	unsigned n_requested;
};

/**
 * Bind all metrics that the set can evaluate. Called on the main thread when the set is loaded; constant afterwards. At
 * most METRICS_BOUND_MAX are bound, selected ones and then the first; sixteen slots usually give far fewer.
 *
 * @return 0 or -ENOMEM
 */
int metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		 struct metrics_bound *ret);

/** Release. NULL is accepted. */
void metrics_bound_fini(struct metrics_bound *bound);

/**
 * Check that the set has all these metrics, each on some core type.
 *
 * @return 0; -EINVAL naming the first that it does not have, and why; -ENOMEM
 */
int metrics_check_set(const struct metrics *metrics, const struct metrics_selection *selection,
		      const struct set *set, struct err *err);

/** Whether all inputs of a bound metric are counted by devices. @column  0 … bound->n - 1 */
bool metrics_is_of_devices(const struct metrics_bound *bound, unsigned column);

/** Message about metrics of a recorded session that none of its sets can evaluate; their names follow. */
#define METRICS_MISSING "not all of their events were counted: "

/** Get the privilege level at which a metric is counted. @return PRIVILEGE_BOTH if the set does not have it */
enum privilege metrics_level(const struct metrics_bound *bound, int number);

/** Find the column of a metric in a frame's readings. @number -1: none  @return -1 if the set does not have it */
int metrics_column(const struct metrics_bound *bound, int number);

/**
 * Evaluate every bound metric for one window of one core type.
 *
 * @ret  bound->n readings, scaled; NONE if the set does not count its inputs on this type
 */
void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret);

/** Evaluate every bound metric over several windows, each from those that have all its inputs; else as metrics_eval.
 * @sum  of all windows, by slot */
void metrics_eval_windows(const struct metrics *metrics, const struct metrics_bound *bound,
			  unsigned type, const struct count *sum,
			  const struct count_windows *windows, struct reading *ret);

/** Evaluate the thresholds of all bound metrics for one window. @ret  bound->n */
void metrics_judge_all(const struct metrics *metrics, const struct metrics_bound *bound,
		       unsigned type, const struct count *slot, enum metric_alarm *ret);

/** Evaluate a metric's threshold for one window. */
enum metric_alarm metrics_judge(const struct metrics *metrics, const struct metrics_bound *bound,
				int number, unsigned type, const struct count *slot);

#endif
