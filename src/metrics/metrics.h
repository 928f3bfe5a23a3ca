/* metrics.h: the metrics of a session, those that a set can give, and their figures */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stddef.h>

#include "metrics/expr/literal.h"
#include "metrics/expr/metric.h"

/* How many metrics' figures a frame carries for each core, at most: 2 kB. */
enum { METRICS_BOUND_MAX = 128 };

/* How many expressions of the user's own there may be beside those of the catalogues. */
enum { METRICS_OWN_MAX = 64 };

/** One metric of a session, the same number as long as it lasts. Texts are never NULL. */
struct metric {
	const char *name;
	const char *short_name;
	const char *const *alias; /* other names, NULL-terminated; NULL: none */
	const char *unit;
	const char *brief;
	const char *what;      /* the whole story, beginning with that */
	const char *group;     /* "Branch;Summary" */
	const char *expr;      /* of the first type that has it */
	const char *threshold; /* likewise */
	double scale;          /* of its expression, so that readings are in `unit` */
	bool is_selected;      /* by metrics_select: it has its place in every set that gives it */
	bool is_approximate;   /* its figures are estimates: SCALED at best */
	struct metric_program *program[TYPES_MAX]; /* NULL: this type does not have it */
	struct metric_program *alarm[TYPES_MAX];   /* of the threshold; NULL: none */
	char *own;                                 /* memory of a free expression's texts */
};

/** Is it a share, in %? */
bool metric_is_share(const struct metric *metric);

/** What heads its column: its short name, or its name where it has none. */
const char *metric_label(const struct metric *metric);

/** Does its label say the unit already, as in "STALL%"? */
bool metric_label_has_unit(const struct metric *metric);

/** What its expression has come to, in its unit; of an approximate one an estimate. */
struct reading metric_in_unit(const struct metric *metric, struct reading value);

/** A metric of a catalogue that cannot be used. */
struct metric_refused {
	const char *name;
	unsigned type; /* core type */
	char *why;
};

/** A part of what a core's time was spent on, its share a metric. */
struct metric_part {
	const struct catalog_part *known;
	int number; /* of the metric; -1: the machine has none */
};

enum { METRIC_PARTS_MAX = 4 };

/** Number 0 is IPC where there is one. Once a set is loaded other threads read those that it has:
 * they neither change nor move, but main may add to them. */
struct metrics {
	struct metric *metric;
	unsigned n, n_max; /* and how many there can ever be */
	size_t cap;
	struct metric_refused *refused;
	size_t n_refused, cap_refused;
	struct metric_part part[METRIC_PARTS_MAX]; /* of the catalogues, in their order */
	unsigned n_parts;
	const struct machine *machine;
	struct literals literals; /* what expressions are told of it */
};

/**
 * Every metric of the machine's catalogues, IPC and CPI first. One that does not compile is
 * listed with the reason and left out; so is a threshold that does not.
 *
 * @machine  outlives the metrics
 * @return   0 or -ENOMEM
 */
int metrics_make(const struct machine *machine, struct metrics *ret, struct err *err);

/** The same with literals that a session was recorded with. */
int metrics_make_told(const struct machine *machine, const struct literals *literals,
		      struct metrics *ret, struct err *err);

/** Release. NULL is accepted. */
void metrics_fini(struct metrics *metrics);

/** Number of a metric by its name, else an alias, else its short name, without regard to case.
 * @return -1 when there is none */
int metrics_find(const struct metrics *metrics, const char *name);

/** Some of a session's metrics, by number, in the order asked for. */
struct metrics_selection {
	uint16_t *number;
	size_t n, cap;
};

/**
 * What -M says: names, groups (those of their metrics that the machine has events for) and
 * expressions ("x=1000*A/B", which becomes metric x), with commas between them; commas inside
 * parentheses or behind a backslash belong to an expression, blanks around an item to none.
 * Expressions are added to the metrics, each of which may use any other; on the main thread.
 *
 * @ret  to be released with metrics_selection_fini
 * @return 0; -ENOENT with near names, or with the event that no core type has; -EINVAL with the
 *         place in the expression, or why the metric cannot be used; -ELOOP; then nothing was added
 */
int metrics_select(struct metrics *metrics, const char *list, struct metrics_selection *ret,
		   struct err *err);

/** Take back expressions, from number n on, that no set was loaded with. */
void metrics_forget(struct metrics *metrics, unsigned n);

/** Release. NULL is accepted. */
void metrics_selection_fini(struct metrics_selection *selection);

/** The metrics that one set can give on some type: a frame has a reading of each. */
struct metrics_bound {
	unsigned n;
	unsigned n_slots;
	uint16_t number[METRICS_BOUND_MAX]; /* ascending */
	uint8_t level[METRICS_BOUND_MAX];   /* enum privilege that all its inputs are counted at */
	struct metric_binding *binding[TYPES_MAX][METRICS_BOUND_MAX]; /* NULL: not this type */
	struct metric_binding *alarm[TYPES_MAX][METRICS_BOUND_MAX];   /* inputs may be missing */
	/* Those that somebody asked for: that were selected, or are of the set's preset. Where there are
	 * none of these all, but for variants of others. */
	uint16_t asked[METRICS_BOUND_MAX];
	unsigned n_asked;
};

/**
 * Bind all that the set can give. Made on the main thread when the set is loaded, then constant.
 * METRICS_BOUND_MAX of them, those that were selected and then the first: sixteen slots give far
 * fewer as a rule.
 *
 * @return 0 or -ENOMEM
 */
int metrics_bind(const struct metrics *metrics, const struct set *set, unsigned n_types,
		 struct metrics_bound *ret);

/** Release. NULL is accepted. */
void metrics_bound_fini(struct metrics_bound *bound);

/**
 * Does the set give all of these metrics, each on some type of core?
 *
 * @return 0; -EINVAL naming the first that it does not give, and why; -ENOMEM
 */
int metrics_check_set(const struct metrics *metrics, const struct metrics_selection *selection,
		      const struct set *set, struct err *err);

/** Is all that a bound metric is made of counted by devices? @column  0 … bound->n - 1 */
bool metrics_is_of_devices(const struct metrics_bound *bound, unsigned column);

/** What is said of a recorded session's metrics that none of its sets gives; names follow. */
#define METRICS_MISSING "not all of their events were counted: "

/** At which levels a metric is counted. @return PRIVILEGE_BOTH where the set has it not */
enum privilege metrics_level(const struct metrics_bound *bound, int number);

/** Which reading of a frame a metric is. @number -1: none  @return -1 when the set has it not */
int metrics_column(const struct metrics_bound *bound, int number);

/**
 * Work out every metric that is bound for one window of one core type.
 *
 * @ret  bound->n readings, scaled; NONE where this type's set does not count the inputs
 */
void metrics_eval(const struct metrics *metrics, const struct metrics_bound *bound, unsigned type,
		  const struct count *slot, struct reading *ret);

/** What a metric's threshold says of one window. */
enum metric_alarm metrics_judge(const struct metrics *metrics, const struct metrics_bound *bound,
				int number, unsigned type, const struct count *slot);

#endif
