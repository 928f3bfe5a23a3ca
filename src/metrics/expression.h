/* expression.h: metric expressions: compiled once, bound to a placement, evaluated without allocation; their literals */
#ifndef METRICS_EXPRESSION_H
#define METRICS_EXPRESSION_H

#include "base/err.h"
#include "pmu/count.h"
#include "pmu/machine.h"
#include "pmu/set.h"

/* Linux 6.12's largest metric has 95 inputs and 492 steps (x86 meteorlake, sapphirerapids). */
enum { METRIC_INPUTS_MAX = 128, METRIC_STEPS_MAX = 1024 };

/** A compiled expression. Constant; any thread may evaluate it. */
struct metric_program;

/**
 * Queries about the machine while an expression is compiled. With NULL functions, literals and strcmp_cpuid_str() are
 * errors, no event exists, and no name is a metric.
 */
struct metric_context {
	void *data;
	unsigned runtime; /* replacement for ? in names (perf's runtime parameter) */

	/* Get a literal, "#smt_on". @return 0; -ENOENT: unknown literal. NaN: no value on this machine */
	int (*literal)(void *data, const char *name, double *ret);

	/* Evaluate has_event(NAME). */
	bool (*has_event)(void *data, const char *name);

	/* Evaluate strcmp_cpuid_str(ID). */
	bool (*is_cpu)(void *data, const char *id);

	/* Get the expression of a metric used by name. @return NULL: it is an event */
	const char *(*metric)(void *data, const char *name);

	/* Whether that metric (NULL: the expression itself) uses counts in the unit of their columns. perf's metrics
	 * use raw counts. */
	bool (*is_shown)(void *data, const char *name);
};

/**
 * Compile an expression of perf's grammar (docs/metrics.md). Metrics used by name are inlined. Parts that do not depend
 * on counts are folded, so that a branch never taken (`a if has_event(x) else b`) leaves no input behind.
 *
 * @context  NULL: nothing is known of the machine
 * @return   0; -EINVAL with the column in the expression; -ELOOP for a metric that uses itself; -E2BIG if it is too
 *           long
 */
int metric_compile(const char *expr, const struct metric_context *context,
		   struct metric_program **ret, struct err *err);

/** Release. NULL is accepted. */
void metric_program_free(struct metric_program *program);

/** Get the n-th event name that the expression uses, as in -e. @return NULL beyond the last */
const char *metric_input(const struct metric_program *program, unsigned n);

/* BINDING_SUMS_MAX: sums in one binding, over devices (two memory controllers) or mux groups */
enum { BINDING_MISSING = COLUMN_NONE, BINDING_SUMS_MAX = 32 };

/** Columns of a set for each input: one, or several that are summed. */
struct metric_binding {
	const unsigned *n_sources;  /* values of source_count(), by input; NULL: from the counts */
	struct column_set slots;    /* all columns */
	struct column_set gathered; /* of devices: their n_summed are units, not cores */
	struct column_set sources;  /* for source_count(): of devices, and activity of cores */
	uint8_t n_sums;
	uint16_t slot[METRIC_INPUTS_MAX]; /* COLUMNS_MAX + n: sum[n]; BINDING_MISSING: no column */
	double scale[METRIC_INPUTS_MAX];  /* factor from the event's count to its unit */
	/* columns of one event: on several devices if gathered, else in several mux groups; a kept
	 * binding ends after n_sums */
	struct column_set sum[BINDING_SUMS_MAX];
};

/**
 * Whether the event is the one that an expression names `input`: "cycles", "cycles:u", "msr/tsc/",
 * "cpu_core/EVENT,umask=0x1/"
 */
bool metric_input_is(const struct event *event, const char *input);

/**
 * Bind the program's inputs to the events of a placement. All must be counted at the same exception levels, except
 * inputs that name theirs, and for the same streams. Counts of several devices are summed; with the counts of a single
 * device the result is that device's.
 *
 * @return  true; false if an input is not counted by this placement
 */
bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret);

/**
 * Bind the program's inputs within a set: all in the first mux group that has them, and summed over all groups that
 * count the same events; for devices in the group with most of them. Only with set->splits_metrics may inputs be in
 * different groups, most of them in one, which makes the result SCALED.
 *
 * @return  true; false if the set does not have them
 */
bool metric_bind_set(const struct metric_program *program, const struct set *set, unsigned type,
		     struct metric_binding *ret);

/**
 * Bind the inputs of a threshold: as in its metric, else in the same mux group, else in any. Missing ones become
 * BINDING_MISSING.
 *
 * @metric  result of metric_bind_set for the metric
 */
void metric_bind_alarm(const struct metric_program *program, const struct set *set, unsigned type,
		       const struct metric_binding *metric, struct metric_binding *ret);

/** Get the columns of an input; several are of one event, none: missing. */
static inline struct column_set metric_input_columns(const struct metric_binding *binding,
						     unsigned input)
{
	unsigned at = binding->slot[input];
	struct column_set ret = { { 0 } };

	if (at < COLUMNS_MAX)
		column_set_add(&ret, at);
	else if (at != BINDING_MISSING)
		ret = binding->sum[at - COLUMNS_MAX];
	return ret;
}

/** Count the devices with a request among columns, one per device. */
unsigned metric_n_devices(const struct column_set *columns, const struct count *slot);

/** Add up the counts of several columns of an event. @is_of_devices  of different devices; else mux groups */
struct count metric_add_columns(const struct column_set *columns, bool is_of_devices,
				const struct count *slot);

/**
 * Get the count of an input: that of a column, or the sum over devices or mux groups.
 *
 * @slot   counts by slot
 * @return the input's first column; -1 if there is none
 */
int metric_input_count(const struct metric_binding *binding, unsigned input,
		       const struct count *slot, struct count *ret);

/**
 * Add a window to the sums from which a metric of several windows is formed. A ratio takes its inputs from the same
 * windows: if one has no value or was not requested none is counted in this window.
 *
 * @slot  counts by slot
 * @sum   by slot, initially { 0 }; only the columns of the binding change
 */
void metric_add_window(const struct metric_program *program, const struct metric_binding *binding,
		       const struct count *slot, struct count *sum);

/** Add all windows, as metric_add_window does. */
void metric_add_windows(const struct metric_program *program, const struct metric_binding *binding,
			const struct count_windows *windows, struct count *sum);

/**
 * Evaluate a program for one window of one core (or of cores of one type, summed). Inputs are scaled by their own
 * enabled/running; the result is never better than its worst input; division by zero is UNDEFINED, d_ratio(x, 0) is 0.
 *
 * @slot   counts by slot
 */
struct reading metric_eval(const struct metric_program *program,
			   const struct metric_binding *binding, const struct count *slot);

/**
 * Evaluate a program with counts by input, such as counts of several sets, one after the other: inputs of different
 * windows make the result SCALED.
 *
 * @input  one count per input
 * @scale  factor of each input's event; NULL: 1
 */
struct reading metric_eval_inputs(const struct metric_program *program, const struct count *input,
				  const double *scale);

/** State of a metric's threshold. */
enum metric_alarm {
	ALARM_UNKNOWN, /* no threshold, or its inputs are not counted */
	ALARM_WITHIN,
	ALARM_BEYOND, /* shown in red, as in perf */
};

/** Evaluate a threshold, a yes/no expression; inputs may be missing if they do not matter: `0 & unknown` is 0. */
enum metric_alarm metric_judge(const struct metric_program *threshold,
			       const struct metric_binding *binding, const struct count *slot);

/* ---- literals that describe the machine: #smt_on and others ---- */

enum { LITERALS_N = 10 };

/** Values on each core type; NaN: unknown. */
struct literals {
	double value[TYPES_MAX][LITERALS_N];
	/* values come from the machine, or from the head of a recorded session */
	bool is_known[TYPES_MAX];
};

/** Get the name of literal `i` without #: "smt_on". @return NULL beyond the last */
const char *literal_name(unsigned i);

/**
 * Read all literals: #smt_on #core_wide #num_cpus #num_cpus_online #num_cores #num_dies #num_packages #slots
 * #system_tsc_freq #has_pmem. Those of a simulated machine come from its description, those of a real one from sysfs,
 * those of a recorded one only from its cores and its model. Unknown ones are NaN, or 0 where perf has 0.
 *
 * @root  "" or "/" for the running machine
 */
void literals_read(const char *root, const struct machine *machine, struct literals *ret);

/** Get a literal by name, "#smt_on", ignoring case. @return 0, or -ENOENT if there is no such literal */
int literals_get(const struct literals *literals, unsigned type, const char *name, double *ret);

#endif
