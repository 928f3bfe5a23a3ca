/* count.h: how many events in which window, and how far the figure can be trusted */
#ifndef EVENT_COUNT_H
#define EVENT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/** The standing of a figure, best first; a figure made of several has the worst of theirs. */
enum quality {
	QUALITY_NONE,          /* there is nothing here: empty slot, event not on this core's PMU */
	QUALITY_OK,            /* counted during the whole window */
	QUALITY_SCALED,        /* an estimate: counted in part of it, approximate */
	QUALITY_PENDING,       /* event just changed: no window yet */
	QUALITY_UNDEFINED,     /* 0/0 and the like */
	QUALITY_NOT_COUNTED,   /* asked for, but the counter did not run */
	QUALITY_NOT_SUPPORTED, /* this core cannot count it */
	QUALITY_LOST,          /* was counted, but the value cannot be trusted */
	QUALITY_OFF,           /* the core is offline */
	N_QUALITIES,
};

/** Events of one counter during one window of one core. */
struct count {
	uint64_t value;      /* raw difference; 0 and without meaning unless OK or SCALED */
	uint64_t enabled_ns; /* how long it was asked to count in the window */
	uint64_t running_ns; /* how long it did count */
	enum quality quality;
	uint32_t n_summed; /* cores that were added up; 0 and 1: one core */
	double rates;      /* of a sum: the cores' own rates together, events/s */
	/* Of an estimate, in units of value: 95 of 100 truths are within value ± error, both scaled.
	 * 0: not known. */
	double error;
};

/** A figure that was worked out: a rate, a ratio. */
struct reading {
	double value; /* without meaning unless OK or SCALED */
	enum quality quality;
};

/** The word that files use: "ok", "scaled", "not_counted", … Never NULL. */
const char *quality_name(enum quality quality);

/** What a screen or table shows in place of the figure: "-", "n/s", "off", "…"; "" for OK. */
const char *quality_mark(enum quality quality);

/** Is there a number to show? OK or SCALED. */
static inline bool quality_has_value(enum quality quality)
{
	return quality == QUALITY_OK || quality == QUALITY_SCALED;
}

/** The worse of two; NONE gives way to anything. */
static inline enum quality quality_worst(enum quality a, enum quality b)
{
	return a > b ? a : b;
}

/** OK, SCALED or NOT_COUNTED: what a counter that ran so long of its time has counted. */
enum quality quality_of_times(uint64_t enabled_ns, uint64_t running_ns);

/**
 * Events counted between two raw reads of one counter.
 *
 * @before, @after  register values in time order; at most one wrap between them
 * @width           bits the register counts in, 1..64 (M1: 48; through perf 64, the kernel
 *                  accumulates). Source: Linux drivers/perf/apple_m1_cpu_pmu.c
 * @return          never negative
 */
uint64_t counter_delta(uint64_t before, uint64_t after, unsigned width);

/**
 * Events per second: value / running, so that an estimate is scaled to the whole window; of a sum
 * the cores' rates together.
 *
 * @return value in events/s; quality of the count
 */
struct reading count_rate(const struct count *count);

/** Events in the window, an estimate when it is SCALED: value × enabled / running. */
struct reading count_total(const struct count *count);

/** How far the total and the rate may be off, relative to them: 0.12 is ±12 %. 0: exact, or not known */
double count_error(const struct count *count);

/*
 * Sums. Values and times are added up raw, and scaling is applied to the sum, once: a sum of
 * estimates is never made. In each window the mux groups of a core are added up, then the cores of
 * a row, and then the windows. So a window that one of the cores did not count does not weigh the
 * others down, and a total and its quality are the same wherever they are shown. Errors are added
 * as those of independent figures.
 */

/**
 * Add what another mux group of the same core and window counted of the same event: the time that
 * it was counted in grows, the window does not. A group without a value adds nothing to one that
 * has, and no group to one that counted all of the window.
 *
 * @sum  from { 0 }
 */
void count_add_mux(struct count *sum, const struct count *one);

/**
 * Add another window of the same counter.
 *
 * OFF, NONE and PENDING, and NOT_COUNTED in 0 ns: it was not to be counted in that window, and nothing changes.
 * NOT_COUNTED, LOST and NOT_SUPPORTED: it was, so that enabled_ns grows and running_ns does not. What
 * other windows counted stays counted, and the sum is SCALED: an estimate of all of them together.
 * It is OK only where every window is, and without a value only where no window has one.
 *
 * This is what perf stat does with a multiplexed event: count, enabled and running are added up
 * over the intervals, and scaled once at the end. Source: Linux evlist__copy_prev_raw_counts() in
 * tools/perf/util/stat.c, perf_counts_values__scale() in tools/lib/perf/evsel.c
 *
 * @sum  from { 0 }; of a core, or of several together, whose mean rate then is that of all windows
 */
void count_add_window(struct count *sum, const struct count *one);

/**
 * Add a count of another core of the same type and window. One core without a value leaves the sum
 * without one: what it did is not known from the others. A core that is off, or has nothing in the
 * slot, adds nothing.
 */
void count_add_core(struct count *sum, const struct count *one);

#endif
