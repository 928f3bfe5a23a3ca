/* axis.h: round ticks of values and of time, and their labels; pure */
#ifndef TUI_WIDGET_AXIS_H
#define TUI_WIDGET_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/term/label.h"

enum { AXIS_TICKS_MAX = 12 };

/** Values low, low + step, … high. */
struct axis {
	double low, high, step; /* step: 1, 2 or 5 times a power of ten */
	unsigned n;             /* ticks, with both ends: 2 … AXIS_TICKS_MAX */
};

/**
 * Return round limits that include both values, as close as a tick's step allows.
 *
 * @low, @high  in any order; equal ones get room above
 * @most        maximum number of ticks, 2 … AXIS_TICKS_MAX
 */
struct axis axis_make(double low, double high, unsigned most);

/** Return limits as axis_make does, for a graph of lines: ticks are a whole number of lines apart. The
 * axis may end beyond the last tick. @n_lines  from end to end, most-1 or more */
struct axis axis_make_even(double low, double high, unsigned most, unsigned n_lines);

/** Return the value of a tick. @i 0 … axis->n - 1 */
double axis_tick(const struct axis *axis, unsigned i);

/** Format a tick's label; all of an axis have the same suffix and decimals: "0", "0.5", "1.5G". */
struct label axis_label(const struct axis *axis, unsigned i);

/** Return the smallest round time step of at least `least_ns`: 1, 2, 5, 10, 15 or 30 of a unit, or hours
 * of a day. */
uint64_t axis_time_step(uint64_t least_ns);

/** Kind of the labels of a time axis. */
enum axis_clock { AXIS_OF_DAY, AXIS_OF_SESSION };

/**
 * Format a time: "12:29:41" for the first label and each full minute, ":53" between them, "12:30" if
 * the step is whole minutes; of a session "1.2 s", "95 s", "1:02:03".
 *
 * @t_ns      of the day, local time, or of the session
 * @is_first  no label is to the left of it
 */
struct label axis_time_label(enum axis_clock clock, uint64_t t_ns, uint64_t step_ns, bool is_first);

/** Format a length of time: "1.2 s", "100 ms", "5 min", "1.5 h". */
struct label axis_span(uint64_t span_ns);

#endif
