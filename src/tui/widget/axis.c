#include "tui/widget/axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* ---- values ---- */

/* Round up to 1, 2, 5 or 10 times a power of ten. */
static double round_up(double step)
{
	double power = pow(10, floor(log10(step)));
	double share = step / power;

	/* tolerance: 2.0000000001 is 2 */
	return power * (share <= 1.000001 ? 1 : share <= 2.000001 ? 2 : share <= 5.000001 ? 5 : 10);
}

struct axis axis_make(double low, double high, unsigned most)
{
	double from = fmin(low, high), to = fmax(low, high);

	if (to - from < fabs(to) * 1e-9 || !(to > from))
		to = from + (from != 0 ? fabs(from) : 1);

	struct axis axis = { .step = round_up((to - from) / (most - 1)) };

	for (;; axis.step = round_up(axis.step * 1.5)) {
		axis.low = floor(from / axis.step + 1e-6) * axis.step;
		axis.high = ceil(to / axis.step - 1e-6) * axis.step;
		axis.n = 1 + (unsigned)lround((axis.high - axis.low) / axis.step);
		if (axis.n <= most)
			return axis;
	}
}

/* Place ticks a whole number of lines apart, with the least space above `to`. @return false: too many
 * ticks, or only one */
static bool axis_spread(struct axis *axis, double to, unsigned most, unsigned n_lines)
{
	unsigned each = (unsigned)(n_lines * axis->step / (to - axis->low) + 1e-6);

	if (!each || each > n_lines || 1 + n_lines / each > most)
		return false;
	axis->high = axis->low + axis->step * n_lines / each;
	axis->n = 1 + n_lines / each;
	return true;
}

struct axis axis_make_even(double low, double high, unsigned most, unsigned n_lines)
{
	struct axis best = axis_make(low, high, 2); /* both ends only */
	bool is_found = false;

	for (unsigned n = most; n > 2; n--) {
		struct axis axis = axis_make(low, high, n);
		double to = low < high || low > high ? fmax(low, high) : axis.high;

		if (!axis_spread(&axis, to, most, n_lines))
			continue;
		/* fewer ticks only for a clearly shorter axis */
		if (!is_found || (axis.high - axis.low) * 1.25 < best.high - best.low)
			best = axis;
		is_found = true;
	}
	return best;
}

double axis_tick(const struct axis *axis, unsigned i)
{
	double value = axis->low + i * axis->step;

	return fabs(value) < axis->step / 2 ? 0 : value;
}

struct label axis_label(const struct axis *axis, unsigned i)
{
	static const char suffix[] = "\0kMGTPE";
	double top = fmax(fabs(axis->low), fabs(axis->high)), value = axis_tick(axis, i);
	unsigned power = 0;

	while (power < 6 && top >= 1000 * pow(1000, power))
		power++;

	double unit = pow(1000, power);
	int decimals = (int)-floor(log10(axis->step / unit) + 1e-6);

	if (value == 0)
		return label_printf("0");
	return label_printf("%.*f%.1s", decimals > 0 ? decimals : 0, value / unit, suffix + power);
}

/* ---- time ---- */

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS   (60 * MINUTE_NS)

uint64_t axis_time_step(uint64_t least_ns)
{
	static const uint64_t step_s[] = { 1,   2,   5,    10,   15,   30,    60,    120,  300,
					   600, 900, 1800, 3600, 7200, 10800, 21600, 43200 };
	uint64_t day_ns = 24 * HOUR_NS;

	for (uint64_t power = 1; power < NS_PER_S; power *= 10)
		for (size_t i = 0; i < 3; i++)
			if (power * step_s[i] >= least_ns)
				return power * step_s[i];
	for (size_t i = 0; i < ARRAY_SIZE(step_s); i++)
		if (step_s[i] * NS_PER_S >= least_ns)
			return step_s[i] * NS_PER_S;
	return (least_ns + day_ns - 1) / day_ns * day_ns;
}

/* Return the decimals of seconds: as many as the step has. */
static int decimals_of(uint64_t step_ns)
{
	int n = 0;

	for (uint64_t unit = NS_PER_S; n < 9 && step_ns % unit; unit /= 10)
		n++;
	return n;
}

/* Format a time of day, rounded down as on a clock. */
static struct label of_day(uint64_t t_ns, uint64_t step_ns, bool is_first)
{
	unsigned hour = (unsigned)(t_ns / HOUR_NS % 24), minute = (unsigned)(t_ns / MINUTE_NS % 60);
	int decimals = decimals_of(step_ns);
	int width = decimals ? decimals + 3 : 2;
	double tick = pow(10, -decimals),
	       s = floor((double)(t_ns % MINUTE_NS) / 1e9 / tick + 1e-6) * tick;

	if (step_ns % MINUTE_NS == 0)
		return label_printf("%02u:%02u", hour, minute);
	if (is_first || t_ns % MINUTE_NS == 0)
		return label_printf("%02u:%02u:%0*.*f", hour, minute, width, decimals, s);
	return label_printf(":%0*.*f", width, decimals, s);
}

static struct label of_session(uint64_t t_ns, uint64_t step_ns)
{
	uint64_t s = t_ns / NS_PER_S;

	if (t_ns < 10 * MINUTE_NS)
		return label_printf("%.*f s", decimals_of(step_ns), (double)t_ns / 1e9);
	if (t_ns < HOUR_NS)
		return label_printf("%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	return label_printf("%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
}

struct label axis_time_label(enum axis_clock clock, uint64_t t_ns, uint64_t step_ns, bool is_first)
{
	return clock == AXIS_OF_DAY ? of_day(t_ns, step_ns, is_first) : of_session(t_ns, step_ns);
}

struct label axis_span(uint64_t span_ns)
{
	static const struct {
		uint64_t below_ns, unit_ns;
		const char *name;
	} unit[] = {
		{ NS_PER_MS, NS_PER_US, "us" },   { NS_PER_S, NS_PER_MS, "ms" },
		{ 2 * MINUTE_NS, NS_PER_S, "s" }, { 2 * HOUR_NS, MINUTE_NS, "min" },
		{ UINT64_MAX, HOUR_NS, "h" },
	};
	size_t i = 0;

	while (span_ns + span_ns / 2000 >= unit[i].below_ns) /* its value after rounding */
		i++;
	return label_printf("%.3g %s", (double)span_ns / (double)unit[i].unit_ns, unit[i].name);
}
