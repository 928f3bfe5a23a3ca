/* metric.h: an expression compiled once, bound to a placement, evaluated without allocation */
#ifndef METRICS_EXPR_METRIC_H
#define METRICS_EXPR_METRIC_H

#include "base/err.h"
#include "event/count.h"
#include "event/set.h"

/* Linux 6.12's largest metric has 95 inputs and 492 steps (x86 meteorlake, sapphirerapids). */
enum { METRIC_INPUTS_MAX = 128, METRIC_STEPS_MAX = 1024 };

/** A compiled expression. Constant; any thread may evaluate it. */
struct metric_program;

/**
 * What an expression may ask of the machine while it is compiled. A function that is NULL knows
 * nothing: literals and strcmp_cpuid_str() are then errors, no event exists, no name is a metric.
 */
struct metric_context {
	void *data;
	unsigned runtime; /* what a ? in a name stands for (perf's runtime parameter) */

	/* "#smt_on". 0; -ENOENT when there is no such literal. NaN: it says nothing here. */
	int (*literal)(void *data, const char *name, double *ret);

	/* has_event(NAME) */
	bool (*has_event)(void *data, const char *name);

	/* strcmp_cpuid_str(ID) */
	bool (*is_cpu)(void *data, const char *id);

	/* The expression of a metric that is used by name. @return NULL: it is an event */
	const char *(*metric)(void *data, const char *name);
};

/**
 * Compile an expression of perf's grammar (docs/metrics.md).
 *
 * Metrics used by name are put in place. What does not depend on counts is worked out, so that a
 * branch never taken (`a if has_event(x) else b`) leaves no input behind.
 *
 * @context  NULL: nothing is known of the machine
 * @return   0; -EINVAL with the place in the expression; -ELOOP for a metric that uses itself;
 *           -E2BIG when it is too long
 */
int metric_compile(const char *expr, const struct metric_context *context,
		   struct metric_program **ret, struct err *err);

/** Release. NULL is accepted. */
void metric_program_free(struct metric_program *program);

/** The n-th event name that the expression uses, as in -e. @return NULL beyond the last */
const char *metric_input(const struct metric_program *program, unsigned n);

/* Inputs that one binding may sum, over devices (two memory controllers) or mux groups. */
enum { BINDING_MISSING = 0xff, BINDING_SUMS_MAX = COLUMNS_MAX / 2 };

/** For each input what counts it: a column of the set, or several that are summed. */
struct metric_binding {
	const unsigned
		*n_sources; /* by input what source_count() says of it; NULL: the counts do */
	uint64_t slots;     /* all columns, as bits */
	uint64_t gathered;  /* those of devices: their n_summed are units, and no cores */
	uint64_t sources; /* those that source_count() counts: of devices, and activity of cores */
	uint8_t n_sums;
	uint8_t slot[METRIC_INPUTS_MAX]; /* COLUMNS_MAX + n: sum[n]; BINDING_MISSING: no column */
	uint64_t sum[BINDING_SUMS_MAX];  /* columns, as bits, of one event: on several devices when
					  * they are gathered, else in several mux groups */
};

/** Does the event count what a metric means by `input`? "cycles", "cycles:u", "msr/tsc/",
 * "cpu_core/EVENT,umask=0x1/" */
bool metric_input_is(const struct event *event, const char *input);

/**
 * Find the program's inputs among the events of a placement, all of them counted at the same
 * exception levels, but for those that name theirs, and for the same streams. What several devices
 * count is summed over them; evaluated on one device's counts alone it is that device's.
 *
 * @return  true; false when one of them is not counted by this placement
 */
bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret);

/**
 * The same in a set: all inputs in one mux group, the first that has them, and summed over all
 * groups that count the same events; of devices the group that has most of them. Only where the set
 * splits_metrics may they be in different ones, most of them in one; that makes the result SCALED.
 *
 * @return  true; false when the set does not count it so
 */
bool metric_bind_set(const struct metric_program *program, const struct set *set, unsigned type,
		     struct metric_binding *ret);

/** Why metric_bind_set() returned false, into `err`. @return -EINVAL */
int metric_say_unbound(const struct metric_program *program, const struct set *set, unsigned type,
		       struct err *err);

/**
 * The inputs of a threshold: as its metric takes them, else in its mux group, else in any. What is
 * not counted becomes BINDING_MISSING.
 *
 * @metric  what metric_bind_set found for the metric
 */
void metric_bind_alarm(const struct metric_program *program, const struct set *set, unsigned type,
		       const struct metric_binding *metric, struct metric_binding *ret);

/** The columns that count one input, as bits: several are those of one event. @return 0: none */
static inline uint64_t metric_input_columns(const struct metric_binding *binding, unsigned input)
{
	unsigned at = binding->slot[input];

	if (at == BINDING_MISSING)
		return 0;
	return at < COLUMNS_MAX ? UINT64_C(1) << at : binding->sum[at - COLUMNS_MAX];
}

/** Of these columns, one a device: on how many was anything asked for? */
unsigned metric_n_devices(uint64_t columns, const struct count *slot);

/** What several columns counted of one event. @is_of_devices  of different devices; else mux groups */
struct count metric_add_columns(uint64_t columns, bool is_of_devices, const struct count *slot);

/**
 * What was counted for one input: a column's count, or what it sums over devices or mux groups.
 *
 * @slot   counts by slot
 * @return the input's first column; -1 when there is none
 */
int metric_input_count(const struct metric_binding *binding, unsigned input,
		       const struct count *slot, struct count *ret);

/**
 * Work it out over the counts of one window of one core (or of cores of one type, summed).
 * Inputs are scaled by their own enabled/running; the result is never better than its worst
 * input; division by zero is UNDEFINED, d_ratio(x, 0) is 0.
 *
 * @slot   counts by slot
 */
struct reading metric_eval(const struct metric_program *program,
			   const struct metric_binding *binding, const struct count *slot);

/**
 * The same over counts that stand by input, such as those that several sets gathered one after
 * the other: from different windows the result is SCALED.
 *
 * @input  one count an input
 */
struct reading metric_eval_inputs(const struct metric_program *program, const struct count *input);

/** What a threshold says of a metric. */
enum metric_alarm {
	ALARM_UNKNOWN, /* there is no threshold, or what it compares is not counted */
	ALARM_WITHIN,
	ALARM_BEYOND, /* worth a look: what perf shows in red */
};

/** A threshold is an expression whose result is yes or no; inputs may be missing where they do not
 * matter: `0 & unknown` is 0. */
enum metric_alarm metric_judge(const struct metric_program *threshold,
			       const struct metric_binding *binding, const struct count *slot);

#endif
