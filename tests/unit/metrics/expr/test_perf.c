/* What perf's own test of its expressions asks for (Linux tools/perf/tests/expr.c), as values, and
 * the rules that its cases leave open. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rig/harness.h"
#include "metrics/expr/program.h"

/* A machine with one SMT thread a core. */
static int literal(void *data, const char *name, double *ret)
{
	static const struct {
		const char *name;
		double value;
	} known[] = {
		{ "#smt_on", 0 }, { "#core_wide", 1 }, { "#num_cpus", 8 }, { "#slots", NAN }
	};

	(void)data;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].name, name) == 0) {
			*ret = known[i].value;
			return 0;
		}
	}
	return -ENOENT;
}

static bool has_event(void *data, const char *name)
{
	(void)data;
	return strcmp(name, "cycles") == 0;
}

static bool is_cpu(void *data, const char *id)
{
	(void)data;
	return strcmp(id, "GenuineIntel-6-55-4") == 0;
}

static const struct {
	const char *name, *expr;
} known_metrics[] = {
	{ "CPI", "BAR / FOO" },     { "twice_cpi", "CPI + CPI" }, { "loop_a", "1 + loop_b" },
	{ "loop_b", "loop_a * 2" }, { "selfish", "selfish / 2" }, { "broken", "1 +" },
};

static const char *metric(void *data, const char *name)
{
	(void)data;
	for (size_t i = 0; i < ARRAY_SIZE(known_metrics); i++) {
		if (strcmp(known_metrics[i].name, name) == 0)
			return known_metrics[i].expr;
	}
	return NULL;
}

static const struct metric_context context = {
	.runtime = 3,
	.literal = literal,
	.has_event = has_event,
	.is_cpu = is_cpu,
	.metric = metric,
};

static const struct event foo = { .name = "FOO" }, bar = { .name = "BAR" },
			  none = { .name = "NONE" };

/* FOO is 1, BAR is 2, NONE is 0, in a window of half a second */
static const struct placement placement = { .event = { &foo, &bar, &none } };
static const struct count slot[SLOTS_MAX] = {
	{ .value = 1,
	  .enabled_ns = NS_PER_S / 2,
	  .running_ns = NS_PER_S / 2,
	  .quality = QUALITY_OK },
	{ .value = 2,
	  .enabled_ns = NS_PER_S / 2,
	  .running_ns = NS_PER_S / 2,
	  .quality = QUALITY_OK },
	{ .value = 0,
	  .enabled_ns = NS_PER_S / 2,
	  .running_ns = NS_PER_S / 2,
	  .quality = QUALITY_OK },
};

static struct metric_program *compile(int line, const char *expr)
{
	struct metric_program *program = NULL;
	struct err err = { "" };

	if (metric_compile(expr, &context, &program, &err))
		fail_msg("line %d: %s", line, err.text);
	return program;
}

static void values(void **state)
{
	static const struct {
		int line;
		const char *expr;
		double value; /* NaN: undefined */
	} rows[] = {
		{ __LINE__, "1+1", 2 },
		{ __LINE__, "FOO+BAR", 3 },
		{ __LINE__, "(BAR/2)%2", 1 },
		{ __LINE__, "1 - -4", 5 },
		{ __LINE__, "(FOO-1)*2 + (BAR/2)%2 - -4", 5 },
		{ __LINE__, "1-1 | 1", 1 },
		{ __LINE__, "1-1 & 1", 0 },
		{ __LINE__, "min(1,2) + 1", 2 },
		{ __LINE__, "max(1,2) + 1", 3 },
		{ __LINE__, "1+1 if 3*4 else 0", 2 },
		{ __LINE__, "100 if 1 else 200 if 1 else 300", 100 },
		{ __LINE__, "100 if 0 else 200 if 1 else 300", 200 },
		{ __LINE__, "100 if 1 else 200 if 0 else 300", 100 },
		{ __LINE__, "100 if 0 else 200 if 0 else 300", 300 },
		{ __LINE__, "1.1 + 2.1", 3.2 },
		{ __LINE__, ".1 + 2.", 2.1 },
		{ __LINE__, "d_ratio(1, 2)", 0.5 },
		{ __LINE__, "d_ratio(2.5, 0)", 0 },
		{ __LINE__, "1.1 < 2.2", 1 },
		{ __LINE__, "2.2 > 1.1", 1 },
		{ __LINE__, "1.1 < 1.1", 0 },
		{ __LINE__, "2.2 > 2.2", 0 },
		{ __LINE__, "2.2 < 1.1", 0 },
		{ __LINE__, "1.1 > 2.2", 0 },
		{ __LINE__, "1.1e10 < 1.1e100", 1 },
		{ __LINE__, "1.1e2 > 1.1e-2", 1 },
		{ __LINE__, "FOO/0", NAN },
		{ __LINE__, "source_count(FOO)", 1 },
		{ __LINE__, "strcmp_cpuid_str(0x0)", 0 },
		{ __LINE__, "strcmp_cpuid_str(GenuineIntel\\-6\\-55\\-4)", 1 },
		{ __LINE__, "has_event(cycles)", 1 },
		{ __LINE__, "has_event(no\\-such)", 0 },
		/* what is not in perf's table */
		{ __LINE__, "#num_cpus / 2", 4 },
		{ __LINE__, "#slots", NAN },
		{ __LINE__, "duration_time", 0.5 },
		{ __LINE__, "BAR / duration_time", 4 },
		{ __LINE__, "CPI", 2 },
		{ __LINE__, "twice_cpi * CPI", 8 },
		{ __LINE__, "FOO % NONE", NAN },
		{ __LINE__, "FOO / NONE if BAR > 1 else 7", NAN },
		{ __LINE__, "FOO / NONE if BAR < 1 else 7", 7 },
		{ __LINE__, "7 if FOO / NONE else 8", NAN },
		{ __LINE__, "NONE & FOO / NONE", 0 },
		{ __LINE__, "FOO / NONE > 1", NAN },
		{ __LINE__, "d_ratio(FOO, NONE)", 0 },
		{ __LINE__, "d_ratio(FOO / NONE, NONE)", NAN },
		{ __LINE__, "min(FOO / NONE, 1)", NAN },
		{ __LINE__, "max(1, FOO / NONE)", NAN },
		{ __LINE__, "10 if 1 else #slots", 10 },
		{ __LINE__, "5 & 2 | 0", 1 },
		{ __LINE__, "-7 % 4", -3 },
		{ __LINE__, "7.9 % 4.9", 3 },
		{ __LINE__, "0 ^ 3 & 6 | 8", 1 },
		{ __LINE__, "5 ^ 3", 0 },
		{ __LINE__, "2 & 1", 1 },
		{ __LINE__, "0.5 | 0", 1 },
		{ __LINE__, "FOO / NONE | BAR", 1 },
		{ __LINE__, "BAR | FOO / NONE", 1 },
		{ __LINE__, "FOO / NONE | NONE", NAN },
		{ __LINE__, "FOO / NONE & BAR", NAN },
		{ __LINE__, "FOO / NONE ^ BAR", NAN },
		{ __LINE__, "1 < 2 < 1", 0 },
		{ __LINE__, "-BAR * BAR", -4 },
		{ __LINE__, "2 if FOO > BAR else 3 if FOO < BAR else 4", 3 },
		{ __LINE__, "(1 if NONE else 2) * 10", 20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_program *program = compile(rows[i].line, rows[i].expr);
		struct metric_binding binding;

		assert_true(metric_bind(program, &placement, &binding));

		struct reading reading = metric_eval(program, &binding, slot);
		bool is_undefined = reading.quality == QUALITY_UNDEFINED;

		/* seconds need a slot to take them from */
		if (strcmp(rows[i].expr, "duration_time") == 0)
			assert_true(is_undefined);
		else if (is_undefined != (bool)isnan(rows[i].value) ||
			 (!is_undefined && fabs(reading.value - rows[i].value) > 1e-15 * 4))
			fail_msg("line %d: %s = %.17g (%s)", rows[i].line, rows[i].expr,
				 reading.value, quality_name(reading.quality));
		metric_program_free(program);
	}
}

/* What is left to be counted. */
static void inputs(void **state)
{
	static const struct {
		int line;
		const char *expr;
		const char *input[5];
	} rows[] = {
		{ __LINE__, "FOO + BAR + BAZ + BOZO", { "FOO", "BAR", "BAZ", "BOZO" } },
		{ __LINE__,
		  "EVENT1\\,param\\=?@ + EVENT2\\,param\\=?@",
		  { "EVENT1,param=3/", "EVENT2,param=3/" } },
		{ __LINE__, "dash\\-event1 - dash\\-event2", { "dash-event1", "dash-event2" } },
		{ __LINE__, "EVENT1 if #smt_on else EVENT2", { "EVENT2" } },
		{ __LINE__, "EVENT1 if #core_wide else EVENT2", { "EVENT1" } },
		{ __LINE__, "1.0 if EVENT1 > 100.0 else 1.0", { NULL } },
		{ __LINE__, "0 & EVENT1 > 0", { NULL } },
		{ __LINE__, "EVENT1 > 0 & 0", { NULL } },
		{ __LINE__, "1 & EVENT1 > 0", { "EVENT1" } },
		{ __LINE__, "EVENT1 > 0 & 1", { "EVENT1" } },
		{ __LINE__, "1 | EVENT1 > 0", { NULL } },
		{ __LINE__, "EVENT1 > 0 | 1", { NULL } },
		{ __LINE__, "0 | EVENT1 > 0", { "EVENT1" } },
		{ __LINE__, "EVENT1 > 0 | 0", { "EVENT1" } },
		{ __LINE__, "source_count(EVENT1)", { "EVENT1" } },
		{ __LINE__, "FOO/0", { NULL } },
		/* what is not in perf's table */
		{ __LINE__, "1 | EVENT1", { NULL } },
		{ __LINE__, "A if has_event(A) else B if has_event(cycles) else C", { "B" } },
		{ __LINE__, "msr@tsc@ / cycles:u", { "msr/tsc/", "cycles:u" } },
		{ __LINE__, "cpu_core@EV.X\\,umask\\=0x1@k", { "cpu_core/EV.X,umask=0x1/k" } },
		{ __LINE__,
		  "EV.X@cmask\\=1\\,inv@ / EV.Y@edge@",
		  { "EV.X/cmask=1,inv/", "EV.Y/edge/" } },
		{ __LINE__, "duration_time", { NULL } },
		{ __LINE__, "twice_cpi - CPI", { "BAR", "FOO" } },
		{ __LINE__, "4K_alias + 1e5x", { "4K_alias", "1e5x" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_program *program = compile(rows[i].line, rows[i].expr);
		unsigned n = 0;

		for (; rows[i].input[n]; n++) {
			const char *input = metric_input(program, n);

			if (!input || strcmp(input, rows[i].input[n]) != 0)
				fail_msg("line %d: input %u is %s", rows[i].line, n, input);
		}
		if (metric_input(program, n))
			fail_msg("line %d: and %s", rows[i].line, metric_input(program, n));
		metric_program_free(program);
	}
}

static void mistakes(void **state)
{
	static const struct {
		int line;
		const char *expr;
		int rc;
		const char *says;
	} rows[] = {
		{ __LINE__, "BAR/", -EINVAL, "column 5: ends too early" },
		{ __LINE__, "1 if 2", -EINVAL, "'else' is missing" },
		{ __LINE__, "1 if 2 if 3 else 4 else 5", -EINVAL, "'else' is missing" },
		{ __LINE__, "if 1 else 2", -EINVAL, "expected a number" },
		{ __LINE__, "#bogus + 1", -EINVAL, "column 1: unknown literal" },
		{ __LINE__, "# + 1", -EINVAL, "# does not begin a name" },
		{ __LINE__, "has_event(1)", -EINVAL, "expected a name" },
		{ __LINE__, "source_count(a + b)", -EINVAL, "')' is missing" },
		{ __LINE__, "d_ratio(1, 2, 3)", -EINVAL, "')' is missing" },
		{ __LINE__, "min 1", -EINVAL, "unexpected text" },
		{ __LINE__, "a b", -EINVAL, "unexpected text" },
		{ __LINE__, "1e400 | 1", -EINVAL, "not a number" },
		{ __LINE__, "\\", -EINVAL, "expected a number" },
		{ __LINE__, "loop_a", -ELOOP, "\"loop_a\" uses itself" },
		{ __LINE__, "selfish", -ELOOP, "\"selfish\" uses itself" },
		{ __LINE__, "2 * broken", -EINVAL, "broken: column 4: ends too early" },
		{ __LINE__, "2 * cpu_core@EV.X@R", -ENOTSUP, "modifier R is a latency" },
		{ __LINE__, "EV.X:R", -ENOTSUP, "modifier R is a latency" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_program *program = NULL;
		struct err err = { "" };
		int rc = metric_compile(rows[i].expr, &context, &program, &err);

		if (rc != rows[i].rc || program || !strstr(err.text, rows[i].says))
			fail_msg("line %d: %d \"%s\"", rows[i].line, rc, err.text);
	}
}

/* A part that is there twice is worked out once: a, b, a + b, and their square. */
static void repeats(void **state)
{
	struct metric_program *program = compile(__LINE__, "(FOO + BAR) * (FOO + BAR)");

	(void)state;
	assert_int_equal(program->n_steps, 4);
	metric_program_free(program);
}

/* Every deeper metric uses the one before twice: 2^20 without sharing. */
static const char *tower(void *data, const char *name)
{
	static char expr[32][64];
	unsigned long level = strtoul(name + strcspn(name, "0123456789"), NULL, 10);

	(void)data;
	if (level == 0 || level > 31)
		return NULL;
	snprintf(expr[level], sizeof(expr[level]), "level%lu * level%lu + 1", level - 1, level - 1);
	return expr[level];
}

static void towers(void **state)
{
	const struct metric_context deep = { .metric = tower };
	struct metric_program *program = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(metric_compile("level20", &deep, &program, &err), 0);
	assert_true(program->n_steps < 50);
	metric_program_free(program);
	program = NULL;
	assert_int_equal(metric_compile("level30", &deep, &program, &err), -E2BIG);
	assert_null(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),  cmocka_unit_test(inputs), cmocka_unit_test(mistakes),
		cmocka_unit_test(repeats), cmocka_unit_test(towers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
