/* Round ticks of values and of time. */
#include "rig/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tui/widget/axis.h"

static const char *all_labels(const struct axis *axis, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < axis->n; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " " : "",
				      axis_label(axis, i).text);
	return buf;
}

static const struct {
	unsigned line;
	double low, high;
	unsigned most;
	const char *labels;
} value_row[] = {
	{ __LINE__, 0, 4.1, 6, "0 1 2 3 4 5" },
	{ __LINE__, 0, 4.0, 6, "0 1 2 3 4" },
	{ __LINE__, 0, 4.0, 3, "0 2 4" },
	{ __LINE__, 0, 4.1, 2, "0 5" },
	{ __LINE__, 0, 1.16, 4, "0 0.5 1.0 1.5" },
	{ __LINE__, 0, 2.83e9, 4, "0 1G 2G 3G" },
	{ __LINE__, 0, 1.3e9, 4, "0 0.5G 1.0G 1.5G" },
	{ __LINE__, 0, 940e3, 6, "0 0.2M 0.4M 0.6M 0.8M 1.0M" },
	{ __LINE__, 3.4, 3.9, 6, "3.4 3.5 3.6 3.7 3.8 3.9" },
	{ __LINE__, 3.9, 3.4, 6, "3.4 3.5 3.6 3.7 3.8 3.9" },
	{ __LINE__, -2, 3, 6, "-2 -1 0 1 2 3" },
	{ __LINE__, 0, 0.0042, 6, "0 0.001 0.002 0.003 0.004 0.005" },
	{ __LINE__, 0, 0, 3, "0 0.5 1.0" },
	{ __LINE__, 7, 7, 3, "5 10 15" },
	{ __LINE__, 99.99, 100.01, 3, "99.99 100.00 100.01" },
};

static void labels_are_round(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(value_row); i++) {
		struct axis axis =
			axis_make(value_row[i].low, value_row[i].high, value_row[i].most);
		char text[256];

		if (strcmp(all_labels(&axis, text, sizeof(text)), value_row[i].labels) != 0)
			fail_msg("line %u: \"%s\", not \"%s\"", value_row[i].line, text,
				 value_row[i].labels);
	}
}

/* Whatever is to be shown lies between the ends, and takes up a good part of the axis. */
static void limits_hold_what_they_are_for(void **state)
{
	(void)state;
	for (double high = 1e-6; high < 1e15; high *= 1.37) {
		for (unsigned most = 2; most <= AXIS_TICKS_MAX; most++) {
			struct axis axis = axis_make(0, high, most);

			assert_true(axis.n >= 2 && axis.n <= most);
			assert_true(axis.low <= 0 && axis.high >= high * (1 - 1e-6));
			assert_true(axis.high <= high * 10.01);
			assert_true(axis_tick(&axis, 0) == 0);
		}
	}
}

static void steps_of_time_are_those_of_clocks(void **state)
{
	static const struct {
		uint64_t least, step;
	} row[] = {
		{ 1, 1 },
		{ 3 * NS_PER_MS, 5 * NS_PER_MS },
		{ 501 * NS_PER_MS, NS_PER_S },
		{ 6 * NS_PER_S, 10 * NS_PER_S },
		{ 11 * NS_PER_S, 15 * NS_PER_S },
		{ 31 * NS_PER_S, 60 * NS_PER_S },
		{ 3601 * NS_PER_S, 7200 * NS_PER_S },
		{ 90000 * NS_PER_S, 172800 * NS_PER_S },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		assert_int_equal(axis_time_step(row[i].least), row[i].step);
}

/* From tick to tick it is as many whole lines, and the most of them have values. */
static void ticks_are_as_many_lines_apart(void **state)
{
	(void)state;
	for (double high = 0.7; high < 1e4; high *= 1.13)
		for (unsigned n_lines = 3; n_lines < 40; n_lines++) {
			unsigned most =
				n_lines / 2 + 1 < AXIS_TICKS_MAX ? n_lines / 2 + 1 : AXIS_TICKS_MAX;
			struct axis axis = axis_make_even(0, high, most, n_lines);
			double each = n_lines * axis.step / (axis.high - axis.low);

			assert_true(axis.n >= 2 && axis.high >= high * (1 - 1e-6));
			assert_true(n_lines < 5 || axis.high <= high * 1.7);
			assert_true(fabs(each - floor(each + 0.5)) < 1e-6 && each > 0.5);
			assert_true(axis_tick(&axis, axis.n - 1) <= axis.high * (1 + 1e-9));
		}
}

#define AT(hour, minute, ms) ((((hour)*60 + (minute)) * 60 * 1000 + (ms)) * NS_PER_MS)

static const struct {
	unsigned line;
	enum axis_clock clock;
	uint64_t t_ns, step_ns;
	bool is_first;
	const char *label;
} time_row[] = {
	{ __LINE__, AXIS_OF_DAY, AT(12, 29, 41000), NS_PER_S, true, "12:29:41" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 29, 53000), NS_PER_S, false, ":53" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 30, 0), 5 * NS_PER_S, false, "12:30:00" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 30, 5200), 200 * NS_PER_MS, false, ":05.2" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 30, 5200), 200 * NS_PER_MS, true, "12:30:05.2" },
	{ __LINE__, AXIS_OF_DAY, AT(26, 30, 0), 60 * NS_PER_S, false, "02:30" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 48, 59600), NS_PER_S, true, "12:48:59" },
	{ __LINE__, AXIS_OF_DAY, AT(12, 48, 59990), 100 * NS_PER_MS, true, "12:48:59.9" },
	{ __LINE__, AXIS_OF_SESSION, AT(0, 0, 1200), 200 * NS_PER_MS, true, "1.2 s" },
	{ __LINE__, AXIS_OF_SESSION, AT(0, 1, 35000), 5 * NS_PER_S, false, "95 s" },
	{ __LINE__, AXIS_OF_SESSION, AT(0, 12, 5000), 5 * NS_PER_S, false, "12:05" },
	{ __LINE__, AXIS_OF_SESSION, AT(1, 2, 3000), NS_PER_S, false, "1:02:03" },
};

static void moments_are_named(void **state)
{
	struct label text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(time_row); i++) {
		text = axis_time_label(time_row[i].clock, time_row[i].t_ns, time_row[i].step_ns,
				       time_row[i].is_first);
		if (strcmp(text.text, time_row[i].label) != 0)
			fail_msg("line %u: \"%s\", not \"%s\"", time_row[i].line, text.text,
				 time_row[i].label);
	}
}

static void spans_are_named(void **state)
{
	(void)state;
	assert_string_equal(axis_span(50 * NS_PER_MS).text, "50 ms");
	assert_string_equal(axis_span(999999999).text, "1 s");
	assert_string_equal(axis_span(60 * NS_PER_S).text, "60 s");
	assert_string_equal(axis_span(300 * NS_PER_S).text, "5 min");
	assert_string_equal(axis_span(5 * 3600 * NS_PER_S).text, "5 h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_round),
		cmocka_unit_test(limits_hold_what_they_are_for),
		cmocka_unit_test(ticks_are_as_many_lines_apart),
		cmocka_unit_test(steps_of_time_are_those_of_clocks),
		cmocka_unit_test(moments_are_named),
		cmocka_unit_test(spans_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
