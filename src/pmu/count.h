/* count.h: counts in a window of time, and their quality */
#ifndef PMU_COUNT_H
#define PMU_COUNT_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Quality of a figure, best first; a combined figure has the worst quality of its parts. */
enum quality {
	QUALITY_NONE,    /* nothing to count: empty slot, or event not on this core's PMU */
	QUALITY_OK,      /* counted during the whole window */
	QUALITY_PARTIAL, /* at least this: some may be in [unattributed] or [others] */
	QUALITY_SCALED,  /* estimate: counted during part of the window */
	/* no window yet: the event has just changed, or a core of the sum, which has the others' counts, is late */
	QUALITY_PENDING,
	QUALITY_UNDEFINED,     /* no value, such as 0/0 */
	QUALITY_NOT_COUNTED,   /* requested, but the counter did not run */
	QUALITY_NOT_SUPPORTED, /* this core cannot count it */
	QUALITY_LOST,          /* counted, but the value is not reliable */
	QUALITY_OFF,           /* the core is offline */
	N_QUALITIES,
};

/** Count of one counter in one window on one core. */
struct count {
	uint64_t value;      /* raw difference; 0 and meaningless unless quality_has_value */
	uint64_t enabled_ns; /* time enabled in the window */
	uint64_t running_ns; /* time the counter ran */
	enum quality quality;
	uint32_t n_summed; /* cores summed; 0 and 1: one core */
	double rates;      /* of a sum, and of tasks: sum of the cores' own rates, events/s */
	/* estimates: added to value before it is scaled, may be negative; see set_estimate */
	double extra;
	/* estimates: 95 of 100 true values are within value ± error, both scaled, and none is below what was
	 * counted; in units of value; 0: unknown */
	double error;
};

/** Derived figure: a rate, a ratio. */
struct reading {
	double value; /* meaningless unless quality_has_value */
	enum quality quality;
};

/** Return the quality's word in files: "ok", "scaled", "not_counted", … Never NULL. */
const char *quality_name(enum quality quality);

/** Return the mark displayed instead of the figure: "-", "n/s", "off", "…"; before one: "~", ">"; "" for OK. */
const char *quality_mark(enum quality quality);

/** Whether the value is a count as it is, not an estimate: OK or PARTIAL. */
static inline bool quality_is_exact(enum quality quality)
{
	return quality == QUALITY_OK || quality == QUALITY_PARTIAL;
}

/** Whether there is a value to show: OK, PARTIAL or SCALED. */
static inline bool quality_has_value(enum quality quality)
{
	return quality_is_exact(quality) || quality == QUALITY_SCALED;
}

/** Return the worse of two; NONE yields to any other. */
static inline enum quality quality_worst(enum quality a, enum quality b)
{
	return a > b ? a : b;
}

/** Derive the quality from the times: OK, SCALED or NOT_COUNTED. */
static inline enum quality quality_of_times(uint64_t enabled_ns, uint64_t running_ns)
{
	if (!running_ns) /* a counter that did not run has no valid count */
		return QUALITY_NOT_COUNTED;
	return running_ns < enabled_ns ? QUALITY_SCALED : QUALITY_OK;
}

/**
 * Return the events counted between two raw reads of one counter.
 *
 * @before, @after  register values in time order; at most one wrap between them
 * @width           bits the register counts in, 1..64 (M1: 48; through perf 64, the kernel
 *                  accumulates). Source: Linux drivers/perf/apple_m1_cpu_pmu.c
 * @return          never negative
 */
static inline uint64_t counter_delta(uint64_t before, uint64_t after, unsigned width)
{
	assert(width >= 1 && width <= 64);
	return (after - before) & (UINT64_MAX >> (64 - width));
}

/** Scale what was counted, as for a rate or a total. */
static inline struct reading count_scale(const struct count *count, double factor,
					 uint64_t divisor_ns)
{
	struct reading none = { .quality = count->quality };

	if (!quality_has_value(count->quality))
		return none;
	if (!divisor_ns)
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	return (struct reading){ .value = ((double)count->value + count->extra) * factor /
					  (double)divisor_ns,
				 .quality = count->quality };
}

/**
 * Compute events per second: (value + extra) / running, which scales an estimate to the whole window; for a
 * sum, the sum of the cores' rates.
 *
 * @return value in events/s; quality of the count
 */
static inline struct reading count_rate(const struct count *count)
{
	if (count->n_summed <= 1)
		return count_scale(count, 1e9, count->running_ns);
	if (quality_is_exact(count->quality)) /* each core has its own window */
		return (struct reading){ .value = count->rates, .quality = count->quality };
	/* an estimate is scaled as a whole; the times of a sum are sums, too, so value / running
	 * is the average core's rate */
	return count_scale(count, count->n_summed * 1e9, count->running_ns);
}

/** Compute the events in the window; if SCALED, the estimate (value + extra) × enabled / running. */
static inline struct reading count_total(const struct count *count)
{
	if (quality_is_exact(count->quality)) /* no multiplication by a ratio of one */
		return (struct reading){ .value = (double)count->value, .quality = count->quality };
	return count_scale(count, (double)count->enabled_ns, count->running_ns);
}

/** Return the time in which the event was not counted, ns. */
double count_missed_ns(const struct count *count);

/** Return the relative error of the total and the rate: 0.12 is ±12 %; 0: exact, or unknown. */
double count_error(const struct count *count);

/** Return the same downwards: the true value is not below what was counted. */
double count_error_below(const struct count *count);

/*
 * Sums. Values, extras and times are added, and the sum is scaled once; estimates are never summed. In
 * each window the mux groups of a core are added up, then the cores of a row, then the windows. So
 * a window that one core did not count does not affect the other cores, and a total and its quality
 * are the same everywhere. Errors are added as those of independent figures.
 */

/**
 * Add the count of the same event by another mux group of the same core and window: running_ns
 * grows, the window does not, and `extra` shrinks with the time that both missed. A group without a
 * value adds nothing to a sum that has one; a sum that covers the whole window stays.
 *
 * @sum  initially { 0 }
 */
void count_add_mux(struct count *sum, const struct count *one);

/**
 * Add another window of the same counter.
 *
 * OFF, NONE, PENDING and NOT_COUNTED in 0 ns: counting was not requested in that window; nothing
 * changes. PENDING with counts: they are added, as the late core's next window is longer. NOT_COUNTED,
 * LOST and NOT_SUPPORTED: it was requested; enabled_ns grows, running_ns does not. The sum keeps the other windows' counts and is SCALED, an estimate for all windows. It is OK
 * only if every window is, and has no value only if no window has one.
 *
 * perf stat does the same with a multiplexed event: it adds up count, enabled and running over the
 * intervals and scales once at the end. Source: Linux evlist__copy_prev_raw_counts() in
 * tools/perf/util/stat.c, perf_counts_values__scale() in tools/lib/perf/evsel.c
 *
 * @sum  initially { 0 }; of one core, or of several, whose mean rate is then that of all windows
 */
void count_add_window(struct count *sum, const struct count *one);

/** Get a window of cores, not of tasks, for a sum over time: PENDING if it is PARTIAL, as the next window has the late core's
 * part. */
static inline struct count count_open(const struct count *one)
{
	struct count ret = *one;

	if (ret.quality == QUALITY_PARTIAL)
		ret.quality = QUALITY_PENDING;
	return ret;
}

/** Add a window of count_open, as count_add_window; the sum is PENDING after one in which a core was late, until
 * count_end. */
void count_add_last(struct count *sum, const struct count *one);

/** Mark a sum that is still PENDING as PARTIAL: the part of the late core is missing. */
void count_end(struct count *sum);

/** Whether counting was requested in the window. */
bool count_is_requested(const struct count *count);

/**
 * Return the window over which a task's count has its rate, so that the rates of all tasks add up to those of the cores: a
 * core that was late has a longer window than others.
 *
 * @longest_ns  longest window of the cores, for a count of 0
 */
uint64_t count_task_window_ns(const struct count *count, uint64_t longest_ns);

/** Extend a task's count from its run time to the whole window, in the rest of which it had none. */
void count_widen(struct count *count, uint64_t window_ns);

/** Get the count as if it had not been counted in its window. @ret  storage  @return `count` if it has no value, else ret */
const struct count *count_without_value(const struct count *count, struct count *ret);

/** Windows of a row's columns, summed apart for each choice of columns that have a value. `{ 0 }` is empty. */
struct count_windows {
	struct count *count; /* [part × n_columns + column] */
	unsigned n, n_columns;
};

/* Maximum number of parts. Columns that not all windows of a part have get no value in it. */
enum { COUNT_WINDOWS_PARTS = 16 };

/**
 * Add a window of all columns. A ratio of totals is wrong if its inputs were lost in different windows: whoever forms
 * it takes the parts that have all inputs (metric_add_window).
 *
 * @n      at least as many as before
 * @return 0 or -ENOMEM
 */
int count_windows_add(struct count_windows *windows, const struct count *column, unsigned n);

/** Add the windows of another sum. @return as count_windows_add */
int count_windows_join(struct count_windows *windows, const struct count_windows *other);

/** Get the sums of a part, by column. @i  0 … windows->n - 1 */
static inline struct count *count_windows_part(const struct count_windows *windows, unsigned i)
{
	return windows->count + (size_t)i * windows->n_columns;
}

/** Release. NULL is accepted. */
void count_windows_fini(struct count_windows *windows);

/** Add what was counted, and how well. */
static inline void count_add_counted(struct count *sum, const struct count *one)
{
	sum->value += one->value;
	sum->extra += one->extra;
	sum->running_ns += one->running_ns;
	if (one->error > 0)
		sum->error = hypot(sum->error, one->error);
}

/**
 * Add the count of another core of the same type and window. If one core has no value, the sum has
 * none, as the other cores say nothing about it. A core that is off or has an empty slot adds
 * nothing.
 */
static inline void count_add_core(struct count *sum, const struct count *one)
{
	if (one->quality == QUALITY_NONE || one->quality == QUALITY_OFF)
		return;
	count_add_counted(sum, one);
	sum->enabled_ns += one->enabled_ns;
	sum->quality = quality_worst(sum->quality, one->quality);
	sum->n_summed += one->n_summed ? one->n_summed : 1;
	sum->rates += count_rate(one).value;
}

/** Add a core that has not answered yet: the sum is PENDING at best. */
void count_add_late(struct count *sum);

#endif
