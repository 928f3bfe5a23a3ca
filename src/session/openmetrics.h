/* openmetrics.h: totals as text for Prometheus: OpenMetrics 1.0 or its text format 0.0.4 */
#ifndef SESSION_OPENMETRICS_H
#define SESSION_OPENMETRICS_H

#include "metrics/metrics.h"
#include "sampler/task_rows.h"
#include "session/format.h"

/* ---- totals of commands or cgroups, the largest by name, in bounded memory */

/* Limits of named and of watched commands: while all watched ones are active, new ones are ignored. */
enum { TASK_TOTALS_NAMED_MAX = 1000, TASK_TOTALS_WATCHED_MAX = 4096 };

/** A command or cgroup; or idle, [unattributed] and [others], which are always named. */
struct task_total {
	struct task_sum sum;         /* since it was named; without counts: not named */
	double recent_ns;            /* CPU time, decaying over some minutes */
	uint64_t last_ns;            /* when it last ran */
	uint64_t time_ns[TYPES_MAX]; /* CPU time since it was named */
};

/** Totals of commands or cgroups. `{ .by = …, .n_max = … }` is empty. */
struct task_totals {
	enum task_by by; /* BY_COMMAND or BY_CGROUP */
	unsigned n_max;  /* maximum number of named ones; 0: task totals are not used */
	const struct machine *machine;
	struct task_columns columns; /* type × n_slots + slot */
	size_t n_columns;
	struct task_total other[N_TASK_KINDS]; /* idle …; [TASK_THREAD] is unused */
	struct task_total *command;
	size_t n, cap;
	uint64_t last_ns, n_switches, n_lost;
	float cost_share; /* of the newest frame */
};

/** Get the i-th named one: commands, then idle, [unattributed] and [others]. @return NULL beyond the last */
const struct task_total *task_totals_named(const struct task_totals *totals, size_t i);

/* ---- counts since the session began, by core and event */

/** One event on one core, summed over all mux groups that count it. */
struct total {
	struct count sum;      /* of all windows */
	struct count newest;   /* last window in which the core was not late */
	bool is_counted_twice; /* counted in another column: nothing here */
};

/** Sum of the frames of one set. Used by one thread at a time. */
struct totals {
	const struct machine *machine;
	const struct frame *newest; /* NULL before the first frame; a reference */
	struct frame_sum sum;
	/* Each core's newest window: a late core keeps its previous one, and is LATE only before its first window. NULL
	 * before the first frame. */
	struct frame *last;
	struct task_totals tasks, cgroups;
	uint64_t n_frames, n_lost, n_missed;
	/* column that takes the counts of a column: the first with the same event */
	uint16_t column_of[TYPES_MAX][COLUMNS_MAX];
};

/** Initialize. @machine  outlives the totals  @n_tasks, @n_cgroups  0 … TASK_TOTALS_NAMED_MAX by name */
void totals_init(struct totals *totals, const struct machine *machine, unsigned n_tasks,
		 unsigned n_cgroups);

/** Release. NULL is accepted. */
void totals_fini(struct totals *totals);

/**
 * Add one frame. Counts of another set are ignored.
 *
 * @lost   frames lost before this one
 * @return 0 or -ENOMEM, then nothing has changed
 */
int totals_add(struct totals *totals, const struct frame *frame, uint64_t lost);

/** Get one event of a core. @column  of totals->last */
struct total totals_of(const struct totals *totals, unsigned core, unsigned column);

/** Sum an event over the mux groups that count it: it is one series. @column  its first  @count  by column */
struct count totals_sum(const struct totals *totals, unsigned type, unsigned column,
			const struct count *count);

/* ---- totals as text for Prometheus: OpenMetrics 1.0 or its text format 0.0.4 */

enum openmetrics_flavour {
	OPENMETRICS_1_0,   /* families without _total, units, # EOF */
	OPENMETRICS_0_0_4, /* Prometheus' older text format */
	N_OPENMETRICS_FLAVOURS,
};

/** Content-Type of each flavour. */
extern const char *const openmetrics_type[N_OPENMETRICS_FLAVOURS];

/** Resource use of m1top itself, and its times. */
struct openmetrics_own {
	uint64_t cpu_ns;
	uint64_t wakeups;
	uint64_t memory_bytes;
	uint64_t started_wall_ns;
	uint64_t zero_wall_ns;        /* time 0 of the session by the present wall clock */
	bool has_log, log_is_running; /* -o */
};

/** Get the resource use of the calling process, without its log. @now_ns  time of the session */
void openmetrics_own(const struct format_context *context, uint64_t now_ns,
		     struct openmetrics_own *ret);

enum { OPENMETRICS_NAME_MAX = 200 };

/** A metric's name in Prometheus. */
struct openmetrics_name {
	char text[OPENMETRICS_NAME_MAX]; /* "m1top_metric_branch_misses_per_instruction" */
	const char *unit;                /* base unit, the suffix of the name; "": none */
	double factor;                   /* reading × factor is in `unit` */
};

/** Convert the name to snake case and append the base unit: a share in % becomes a ratio. */
void openmetrics_name(const struct metric *metric, struct openmetrics_name *ret);

/** Get the flavour that an Accept header prefers. @accept  NULL: no such header */
enum openmetrics_flavour openmetrics_accepted(const char *accept);

/**
 * Append the whole exposition. An event that is not counted in a core's newest window has no sample.
 *
 * @context  `shown`: the metrics of -M; none: all metrics of the set
 */
void openmetrics_write(const struct format_context *context, const struct totals *totals,
		       const struct openmetrics_own *own, enum openmetrics_flavour flavour,
		       struct text *out);

#endif
