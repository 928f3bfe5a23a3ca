/* Expressions against values worked out by hand, and the standing that results carry. */
#include <math.h>
#include <string.h>

#include "rig/harness.h"
#include "metrics/expression.h"

static const struct event cycles = { .name = "cycles" };
static const struct event instructions = { .name = "instructions" };
static const struct event misses = { .name = "branch-misses" };

/* slot 0 cycles = 400, slot 1 instructions = 1000, slot 2 branch-misses = 0 */
static const struct placement placement = { .event = { &cycles, &instructions, &misses } };

static struct count ok(uint64_t value)
{
	return (struct count){ value, 1000, 1000, QUALITY_OK, 1, 0, 0, 0 };
}

static struct reading evaluate(const char *expr, const struct count *slot)
{
	struct metric_program *program = NULL;
	struct metric_binding binding;
	struct err err = { "" };

	if (metric_compile(expr, NULL, &program, &err))
		fail_msg("%s", err.text);
	assert_true(metric_bind(program, &placement, &binding));

	struct reading reading = metric_eval(program, &binding, slot);

	metric_program_free(program);
	return reading;
}

static void expressions(void **state)
{
	static const struct {
		int line;
		const char *expr;
		double value;
		enum quality quality;
	} rows[] = {
		{ __LINE__, "instructions / cycles", 2.5, QUALITY_OK },
		{ __LINE__, "1000*branch\\-misses/instructions", 0, QUALITY_OK },
		{ __LINE__, "2 + 3 * 4 - 6 / 3", 12, QUALITY_OK },
		{ __LINE__, "10 - 4 - 3", 3, QUALITY_OK },
		{ __LINE__, "100 / 10 / 5", 2, QUALITY_OK },
		{ __LINE__, "-(2 - 5) * 1.5e1", 45, QUALITY_OK },
		{ __LINE__, "--cycles", 400, QUALITY_OK },
		{ __LINE__, "min(cycles, instructions) + max(1, 2)", 402, QUALITY_OK },
		{ __LINE__, "d_ratio(cycles, branch\\-misses)", 0, QUALITY_OK },
		{ __LINE__, "cycles / branch\\-misses", 0, QUALITY_UNDEFINED },
		{ __LINE__, "0 * (cycles / branch\\-misses)", 0, QUALITY_UNDEFINED },
		{ __LINE__, "min(1, cycles / branch\\-misses)", 0, QUALITY_UNDEFINED },
		{ __LINE__, "max(1, cycles / branch\\-misses)", 0, QUALITY_UNDEFINED },
		{ __LINE__, "min(cycles / branch\\-misses, 1)", 0, QUALITY_UNDEFINED },
		{ __LINE__, "d_ratio(cycles / branch\\-misses, 0)", 0, QUALITY_UNDEFINED },
		{ __LINE__, "d_ratio(1, cycles / branch\\-misses)", 0, QUALITY_UNDEFINED },
	};
	const struct count slot[SLOTS_MAX] = { ok(400), ok(1000), ok(0) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reading reading = evaluate(rows[i].expr, slot);

		if (reading.quality != rows[i].quality ||
		    (reading.quality == QUALITY_OK && fabs(reading.value - rows[i].value) > 1e-12))
			fail_msg("line %d: %s = %.17g (%s)", rows[i].line, rows[i].expr,
				 reading.value, quality_name(reading.quality));
	}
}

static void mistakes(void **state)
{
	static const struct {
		int line;
		const char *expr, *says;
	} rows[] = {
		{ __LINE__, "", "column 1: ends too early" },
		{ __LINE__, "cycles /", "column 9: ends too early" },
		{ __LINE__, "(cycles", "column 8: ')' is missing" },
		{ __LINE__, "cycles )", "column 8: unexpected text" },
		{ __LINE__, "min(1)", "column 6: ',' is missing" },
		{ __LINE__, "sqrt(2)", "unknown function" },
		{ __LINE__, "1..2", "not a number" },
		{ __LINE__, "a $ b", "column 3: unexpected text" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_program *program = NULL;
		struct err err = { "" };
		int rc = metric_compile(rows[i].expr, NULL, &program, &err);

		if (rc != -EINVAL || program || !strstr(err.text, rows[i].says))
			fail_msg("line %d: %d \"%s\"", rows[i].line, rc, err.text);
	}
}

static void limits(void **state)
{
	char deep[256] = "", many[4 * METRIC_STEPS_MAX] = "a", inputs[2048] = "a0";
	struct metric_program *program = NULL;

	(void)state;
	memset(deep, '(', 100);
	assert_int_equal(metric_compile(deep, NULL, &program, NULL), -EINVAL);
	for (int i = 0; i < METRIC_STEPS_MAX; i++)
		memcpy(many + 1 + 2 * i, "+a", 3);
	assert_int_equal(metric_compile(many, NULL, &program, NULL), -E2BIG);
	for (int i = 1; i <= METRIC_INPUTS_MAX; i++)
		snprintf(inputs + strlen(inputs), sizeof(inputs) - strlen(inputs), "+a%d", i);
	assert_int_equal(metric_compile(inputs, NULL, &program, NULL), -E2BIG);
	assert_null(program);
}

static void standing(void **state)
{
	struct count slot[SLOTS_MAX] = { ok(400), ok(1000), ok(0) };

	(void)state;
	/* half the window: scaled alike in both inputs the ratio stays, but is marked */
	slot[0] = (struct count){ 200, 1000, 500, QUALITY_SCALED, 1, 0, 0, 0 };
	slot[1] = (struct count){ 500, 1000, 500, QUALITY_SCALED, 1, 0, 0, 0 };
	struct reading reading = evaluate("instructions / cycles", slot);

	assert_int_equal(reading.quality, QUALITY_SCALED);
	assert_true(fabs(reading.value - 2.5) < 1e-12);

	/* two windows: marked although both are exact */
	slot[0] = (struct count){ 400, 1000, 1000, QUALITY_OK, 1, 0, 0, 0 };
	slot[1] = (struct count){ 1000, 900, 900, QUALITY_OK, 1, 0, 0, 0 };
	assert_int_equal(evaluate("instructions / cycles", slot).quality, QUALITY_SCALED);

	static const enum quality bad[] = { QUALITY_NOT_COUNTED, QUALITY_NOT_SUPPORTED,
					    QUALITY_LOST, QUALITY_OFF };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		slot[1] = (struct count){ .enabled_ns = 1000, .quality = bad[i] };
		assert_int_equal(evaluate("instructions / cycles", slot).quality, bad[i]);
	}
	slot[1] = (struct count){ 0 };
	assert_int_equal(evaluate("instructions / cycles", slot).quality, QUALITY_NOT_COUNTED);
}

static void unbound(void **state)
{
	struct metric_program *program = NULL;
	struct metric_binding binding;

	(void)state;
	assert_int_equal(metric_compile("cache\\-misses / cycles", NULL, &program, NULL), 0);
	assert_string_equal(metric_input(program, 0), "cache-misses");
	assert_string_equal(metric_input(program, 1), "cycles");
	assert_null(metric_input(program, 2));
	assert_false(metric_bind(program, &placement, &binding));
	metric_program_free(program);
}

static void privileges_do_not_mix(void **state)
{
	static const struct event user = { .name = "cycles:u", .privilege = PRIVILEGE_USER };
	static const struct event user2 = { .name = "instructions", .privilege = PRIVILEGE_USER };
	static const struct event kernel = { .name = "instructions",
					     .privilege = PRIVILEGE_KERNEL };
	const struct placement mixed = { .event = { &user, &kernel } };
	const struct placement same = { .event = { &kernel, &user, &user2 } };
	struct metric_program *program = NULL;
	struct metric_binding binding;

	(void)state;
	assert_int_equal(metric_compile("instructions / cycles", NULL, &program, NULL), 0);
	assert_false(metric_bind(program, &mixed, &binding));
	assert_true(metric_bind(program, &same, &binding));
	assert_int_equal(binding.slot[0], 2);
	assert_int_equal(binding.slot[1], 1);
	metric_program_free(program);
}

static void deltas(void **state)
{
	static const struct {
		uint64_t before, after;
		unsigned width;
		uint64_t delta;
	} rows[] = {
		{ 5, 9, 48, 4 },          { (UINT64_C(1) << 48) - 1, 3, 48, 4 },
		{ UINT64_MAX, 3, 64, 4 }, { 0xffffffff, 0, 32, 1 },
		{ 1, 0, 1, 1 },           { 7, 7, 48, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(counter_delta(rows[i].before, rows[i].after, rows[i].width),
				 rows[i].delta);
}

static void sums(void **state)
{
	struct count sum = { 0 };
	const struct count scaled = { 100, 1000, 500, QUALITY_SCALED, 1, 0, 0, 0 };
	const struct count off = { .quality = QUALITY_OFF };
	const struct count lost = { .quality = QUALITY_LOST, .enabled_ns = 1000 };

	(void)state;
	count_add_core(&sum, &(struct count){ 400, NS_PER_S, NS_PER_S, QUALITY_OK, 1, 0, 0, 0 });
	count_add_core(&sum, &(struct count){ 200, NS_PER_S, NS_PER_S, QUALITY_OK, 1, 0, 0, 0 });
	count_add_core(&sum, &off);
	assert_int_equal(sum.quality, QUALITY_OK);
	assert_true(fabs(count_rate(&sum).value - 600) < 1e-9);
	assert_true(count_total(&sum).value == 600);

	/* a late core's longer window: the rates add up all the same */
	count_add_core(&sum, &(struct count){ .value = 300,
					      .enabled_ns = 3 * NS_PER_S,
					      .running_ns = 3 * NS_PER_S,
					      .quality = QUALITY_OK,
					      .n_summed = 1 });
	assert_true(fabs(count_rate(&sum).value - 700) < 1e-9);

	count_add_core(&sum, &scaled);
	assert_int_equal(sum.quality, QUALITY_SCALED);
	assert_int_equal(sum.value, 1000); /* raw: never an extrapolated part */
	count_add_core(&sum, &lost);
	assert_int_equal(count_rate(&sum).quality, QUALITY_LOST);
	assert_int_equal(count_rate(&(struct count){ 5, 0, 0, QUALITY_OK, 1, 0, 0, 0 }).quality,
			 QUALITY_UNDEFINED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions), cmocka_unit_test(mistakes),
		cmocka_unit_test(limits),      cmocka_unit_test(standing),
		cmocka_unit_test(unbound),     cmocka_unit_test(privileges_do_not_mix),
		cmocka_unit_test(deltas),      cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
