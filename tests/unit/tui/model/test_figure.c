/* test_figure.c: what a cell says of the counts of one row */
#include "rig/harness.h"

#include <string.h>

#include "tui/model/figure.h"

static struct event event(const char *name, enum privilege privilege)
{
	struct event made = { .privilege = privilege, .scale = 1 };

	snprintf(made.name, sizeof(made.name), "%s", name);
	made.is_instructions = event_is(&made, "instructions");
	return made;
}

/* Branches of the program over instructions of the program, not over all. */
static void per_1000_instructions_of_the_same_privilege(void **state)
{
	struct event all = event("instructions", PRIVILEGE_BOTH);
	struct event user = event("instructions:u", PRIVILEGE_USER);
	struct event branches = event("branches:u", PRIVILEGE_USER);
	struct set set = { .n_slots = 3, .type[0].event = { &branches, &user, &all } };
	struct count count[3];
	struct frame_row row = { .n_cores = 1, .n_on = 1, .state = CORE_ON, .count = count };
	const uint64_t value[] = { 100, 1000, 4000 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		count[i] = (struct count){ value[i], 10, 10, QUALITY_OK, 1, 0, 0, 0 };
	assert_true(figure_of(&row, &set, 0, SHOW_PER_KI).value == 100);
	set.type[0].event[1] = NULL;
	assert_int_equal(figure_of(&row, &set, 0, SHOW_PER_KI).quality, QUALITY_UNDEFINED);
}

/* Each mux group is counted at another time: its events are divided by its own instructions. */
static void per_1000_instructions_of_the_same_mux_group(void **state)
{
	struct event instructions = event("instructions", PRIVILEGE_BOTH);
	struct event branches = event("branches", PRIVILEGE_BOTH);
	struct set set = { .n_slots = 5,
			   .n_mux = 3,
			   .first = { 0, 2, 4, 5 },
			   .type[0].event = { &instructions, &branches, &branches, &instructions,
					      &branches } };
	const uint64_t value[] = { 1000, 100, 100, 4000, 100 };
	struct count count[5];
	struct frame_row row = { .n_cores = 1, .n_on = 1, .state = CORE_ON, .count = count };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		count[i] = (struct count){ value[i], 10, 10, QUALITY_OK, 1, 0, 0, 0 };
	assert_true(figure_of(&row, &set, 1, SHOW_PER_KI).value == 100);
	assert_true(figure_of(&row, &set, 2, SHOW_PER_KI).value == 25);
	assert_int_equal(figure_of(&row, &set, 4, SHOW_PER_KI).quality, QUALITY_UNDEFINED);
}

/* About 1.00G a figure keeps its prefix; well beyond it takes the other one. */
static void prefixes_do_not_flicker(void **state)
{
	static const struct {
		int line;
		double value;
		const char *text;
	} row[] = {
		{ __LINE__, 990e6, "990M" },   { __LINE__, 1.01e9, "1010M" },
		{ __LINE__, 1.04e9, "1040M" }, { __LINE__, 1.06e9, "1.06G" },
		{ __LINE__, 1.01e9, "1.01G" }, { __LINE__, 0.99e9, "0.99G" },
		{ __LINE__, 0.96e9, "0.96G" }, { __LINE__, 0.94e9, "940M" },
		{ __LINE__, 3.2e9, "3.20G" },  { __LINE__, 12, "12" },
		{ __LINE__, 1020, "1020" },    { __LINE__, 0, "0" },
	};
	struct figure_borders borders = { .is_up = 0 };
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading reading = { row[i].value, QUALITY_OK };

		figure_follow(reading, &borders);
		figure_borders_end(&borders);
		if (strcmp(figure_steady(reading, 6, borders.is_up).text, row[i].text) != 0)
			fail_msg("line %d: %s", row[i].line, text);
	}
	assert_string_equal(figure_steady((struct reading){ 1.04e9, QUALITY_SCALED }, 6, 0).text,
			    "~1040M");
	assert_string_equal(figure_steady((struct reading){ 0, QUALITY_OFF }, 6, 0).text, "off");
}

/* Never 1007M beside 0.96G: near a border all figures of a column have one prefix, that of those
 * that are well beyond it. */
static void a_column_has_one_prefix_near_a_border(void **state)
{
	static const struct {
		int line;
		double value[3];
		const char *text[3];
	} frame[] = {
		{ __LINE__, { 0.96e9, 1.007e9, 0.94e9 }, { "960M", "1007M", "940M" } },
		{ __LINE__, { 0.96e9, 1.06e9, 0.94e9 }, { "0.96G", "1.06G", "940M" } },
		{ __LINE__, { 0.96e9, 1.007e9, 12e3 }, { "0.96G", "1.01G", "12.0k" } },
		{ __LINE__, { 0.94e9, 0.90e9, 12e3 }, { "940M", "900M", "12.0k" } },
		{ __LINE__, { 0.96e9, 1.007e9, 940 }, { "960M", "1007M", "940" } },
		{ __LINE__, { 3.2e9, 1.007e9, 0.96e9 }, { "3.20G", "1.01G", "0.96G" } },
	};
	struct figure_borders borders = { .is_up = 0 };
	struct label text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(frame); i++) {
		for (unsigned row = 0; row < 3; row++)
			figure_follow((struct reading){ frame[i].value[row], QUALITY_OK },
				      &borders);
		figure_borders_end(&borders);
		for (unsigned row = 0; row < 3; row++) {
			text = figure_steady((struct reading){ frame[i].value[row], QUALITY_OK }, 6,
					     borders.is_up);
			if (strcmp(text.text, frame[i].text[row]) != 0)
				fail_msg("line %d: %s", frame[i].line, text.text);
		}
	}
}

/* No prefix before a unit that has one, and a count is one. */
static void units_are_read_as_they_stand(void **state)
{
	struct event plain = { .scale = 1 }, timed = { .scale = 1e-6, .unit = "msec" };
	(void)state;
	assert_string_equal(figure_unit(&plain, SHOW_COUNT).text, "count");
	assert_string_equal(figure_unit(&timed, SHOW_COUNT).text, "msec");
	assert_string_equal(figure_unit(&plain, SHOW_RATE).text, "/s");
	assert_string_equal(
		figure_with_unit((struct reading){ 2000, QUALITY_OK }, "msec/s", 8).text,
		"2000 msec/s");
	assert_string_equal(
		figure_with_unit((struct reading){ 1234.56, QUALITY_SCALED }, "msec", 8).text,
		"~1235 msec");
	assert_string_equal(figure_with_unit((struct reading){ 2e9, QUALITY_OK }, "/s", 8).text,
			    "2.00G/s");
	assert_string_equal(figure_with_unit((struct reading){ 0, QUALITY_OFF }, "msec/s", 8).text,
			    "off");
}

/* About 10 and 100 a row of metrics keeps its decimals; well beyond them it takes others. */
static void decimals_do_not_flicker(void **state)
{
	static const struct {
		int line;
		double largest;
		unsigned decimals;
	} row[] = {
		{ __LINE__, 9.8, 2 },  { __LINE__, 10.2, 2 }, { __LINE__, 10.6, 1 },
		{ __LINE__, 9.8, 1 },  { __LINE__, 9.4, 2 },  { __LINE__, 101, 0 },
		{ __LINE__, 99.0, 0 }, { __LINE__, 94.0, 1 }, { __LINE__, 0.05, 3 },
	};
	unsigned decimals = figure_decimals(row[0].largest);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		decimals = figure_decimals_steady(row[i].largest, decimals);
		if (decimals != row[i].decimals)
			fail_msg("line %d: %u", row[i].line, decimals);
	}
}

/* Figures of a row have its decimals; one that is not 0 does not read 0. */
static void small_figures_keep_the_decimals(void **state)
{
	static const struct {
		int line;
		struct reading reading;
		unsigned decimals, width;
		const char *text;
	} row[] = {
		{ __LINE__, { 0, QUALITY_OK }, 2, 5, "0.00" },
		{ __LINE__, { 1.5, QUALITY_OK }, 2, 5, "1.50" },
		{ __LINE__, { 0.05, QUALITY_OK }, 2, 5, "0.05" },
		{ __LINE__, { 0.05, QUALITY_OK }, 0, 5, "<1" },
		{ __LINE__, { 0.4, QUALITY_OK }, 0, 5, "<1" },
		{ __LINE__, { 0.4, QUALITY_OK }, 1, 5, "0.4" },
		{ __LINE__, { 0.0012, QUALITY_OK }, 3, 5, "0.001" },
		{ __LINE__, { 0.0012, QUALITY_SCALED }, 3, 6, "~0.001" },
		{ __LINE__, { 0.0054, QUALITY_OK }, 1, 5, "<0.1" },
		{ __LINE__, { 0.00012, QUALITY_OK }, 3, 5, "<0.01" },
		{ __LINE__, { 0.00012, QUALITY_OK }, 3, 8, "<0.001" },
	};
	struct label text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		text = figure_metric(row[i].reading, row[i].decimals, row[i].width);
		if (strcmp(text.text, row[i].text) != 0)
			fail_msg("line %d: %s", row[i].line, text.text);
	}
	text = figure_ratio((struct reading){ 0.0123, QUALITY_OK }, 5);
	assert_string_equal(text.text, "0.012");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(per_1000_instructions_of_the_same_privilege),
		cmocka_unit_test(per_1000_instructions_of_the_same_mux_group),
		cmocka_unit_test(prefixes_do_not_flicker),
		cmocka_unit_test(a_column_has_one_prefix_near_a_border),
		cmocka_unit_test(units_are_read_as_they_stand),
		cmocka_unit_test(decimals_do_not_flicker),
		cmocka_unit_test(small_figures_keep_the_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
