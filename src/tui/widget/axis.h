/* axis.h: round ticks of values and of time, and their labels; pure */
#ifndef TUI_WIDGET_AXIS_H
#define TUI_WIDGET_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AXIS_TICKS_MAX = 12 };

/** Values low, low + step, … high. */
struct axis {
	double low, high, step; /* step: 1, 2 or 5 times a power of ten */
	unsigned n;             /* ticks, with both ends: 2 … AXIS_TICKS_MAX */
};

/**
 * Round limits that hold both values, as near as a tick's step allows.
 *
 * @low, @high  in any order; equal ones get room above
 * @most        ticks at most, 2 … AXIS_TICKS_MAX
 */
struct axis axis_make(double low, double high, unsigned most);

/** The same for a picture of lines: each tick is as many whole lines above the one before. The end may
 * then lie beyond the last tick. @n_lines  from end to end, most-1 or more */
struct axis axis_make_even(double low, double high, unsigned most, unsigned n_lines);

/** Value of a tick. @i 0 … axis->n - 1 */
double axis_tick(const struct axis *axis, unsigned i);

/** A tick's label, all of an axis with the same suffix and decimals: "0", "0.5", "1.5G". @return
 * buf */
const char *axis_label(const struct axis *axis, unsigned i, char *buf, size_t size);

/** The largest round step of time of which at least `least_ns` go by: 1, 2, 5, 10, 15 or 30 of
 * something, and hours of a day. */
uint64_t axis_time_step(uint64_t least_ns);

/** How the moments of a time axis are called. */
enum axis_clock { AXIS_OF_DAY, AXIS_OF_SESSION };

/**
 * "12:29:41" with every first label and every full minute, ":53" between them, "12:30" where the
 * step is minutes; of a session "1.2 s", "95 s", "1:02:03".
 *
 * @t_ns      of the day, local time, or of the session
 * @is_first  nothing stands to the left of it
 * @return    buf
 */
const char *axis_time_label(enum axis_clock clock, uint64_t t_ns, uint64_t step_ns, bool is_first,
			    char *buf, size_t size);

/** A length of time: "1.2 s", "100 ms", "5 min", "1.5 h". @return buf */
const char *axis_span(uint64_t span_ns, char *buf, size_t size);

#endif
