/* test_options.c: what stands behind "sim:" and what is said when it is not valid read */
#include "rig/harness.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/sim/options.h"

static struct sim_options *parse(const char *text, int *ret_result, struct err *err)
{
	struct sim_options *options = calloc(1, sizeof(*options));

	assert_non_null(options);
	*ret_result = sim_options_parse(text, options, err);
	return options;
}

static void nothing_said_is_the_m1(void **state)
{
	static const char *const text[] = { NULL, "" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(text); i++) {
		struct err err = { "" };
		int result;
		AUTO_FREE struct sim_options *options = parse(text[i], &result, &err);

		assert_int_equal(result, 0);
		assert_int_equal(options->cores, 8);
		assert_int_equal(options->seed, 1);
		assert_false(options->virtual_clock || options->wrap_near || options->halt_after);
		assert_int_equal(options->faults.n, 0);
	}
}

static void every_key_is_read(void **state)
{
	struct err err = { "" };
	int result;
	AUTO_FREE struct sim_options *options =
		parse("cores=1024,seed=0x7,clock=virtual,halt=3,wrap=near", &result, &err);

	(void)state;
	assert_int_equal(result, 0);
	assert_int_equal(options->cores, 1024);
	assert_int_equal(options->seed, 7);
	assert_true(options->virtual_clock);
	assert_int_equal(options->halt_after, 3);
	assert_true(options->wrap_near);
}

static void a_word_stands_alone(void **state)
{
	struct err err = { "" };
	int result;
	AUTO_FREE struct sim_options *options = parse("seed=4,hidden", &result, &err);

	(void)state;
	assert_int_equal(result, 0);
	assert_true(options->hidden);
	assert_int_equal(options->seed, 4);
}

static void faults_are_read(void **state)
{
	static const struct sim_fault want[] = {
		{ FAULT_OFFLINE, 3, 0, 0, 5 * NS_PER_S, 9 * NS_PER_S },
		{ FAULT_OFFLINE, 1, 0, 0, NS_PER_S / 2, 700 * NS_PER_MS },
		{ FAULT_STEAL, 2, 7, 0, 4 * NS_PER_S, 8 * NS_PER_S },
		{ FAULT_LOST, 1, 0, 0, 6 * NS_PER_S, SIM_FOREVER },
		{ FAULT_SLOW, 4, 0, 30 * NS_PER_MS, 0, SIM_FOREVER },
		{ FAULT_SLOW, 5, 0, 2 * NS_PER_US, NS_PER_S, 2 * NS_PER_S },
		{ FAULT_STEAL, 7, 0, 0, 0, SIM_FOREVER },
	};
	struct err err = { "" };
	int result;
	AUTO_FREE struct sim_options *options =
		parse("offline=3@5-9+1@0.5-0.7,steal=2.7@4-8,lost=1@6-,slow=4:30ms+5:2us@1-2,"
		      "steal=7.0",
		      &result, &err);

	(void)state;
	assert_string_equal(err.text, "");
	assert_int_equal(result, 0);
	assert_int_equal(options->faults.n, ARRAY_SIZE(want));
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		const struct sim_fault *fault = &options->faults.list[i];

		assert_int_equal(fault->kind, want[i].kind);
		assert_int_equal(fault->cpu, want[i].cpu);
		assert_int_equal(fault->slot, want[i].slot);
		assert_int_equal(fault->slow_ns, want[i].slow_ns);
		assert_int_equal(fault->from_ns, want[i].from_ns);
		assert_int_equal(fault->to_ns, want[i].to_ns);
	}
}

static void a_mistake_is_shown_with_the_form(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{ "coers=8",
		  "no option \"coers\"; its options are cores=2..1024, smt=1..8, "
		  "sockets=1..8, nodes=1..64, llcs=1..512, smmu=0..4, seed=N, phase=1..2500000, "
		  "same=N, idle=0..100, period=2..2500000, hidden, clock=" },
		{ "cores=8,,seed=1", "no option \"\"" },
		{ "cores", "cores= is not valid: cores=2..1024" },
		{ "cores=1", "cores=1 is not valid: cores=2..1024" },
		{ "cores=1025", "cores=1025 is not" },
		{ "cores=8x", "cores=8x is not" },
		{ "smt=0", "smt=0 is not valid: smt=1..8" },
		{ "cores=12,sockets=2,smt=2",
		  "cores=12 is no multiple of 2 types × sockets=2 × smt=2" },
		{ "smmu=5", "smmu=5 is not valid: smmu=0..4" },
		{ "seed=-1", "seed=-1 is not valid: seed=N" },
		{ "clock=Virtual", "clock=Virtual is not valid: clock=real|virtual" },
		{ "clock=virtual,halt=0", "halt=0 is not valid: halt=N" },
		{ "hidden=1", "hidden=1: hidden takes no value" },
		{ "halt=3", "halt needs clock=virtual" },
		{ "wrap=", "wrap= is not" },
		{ "nodes=3,sockets=2", "nodes=3 and sockets=2: each must be a multiple" },
		{ "llcs=6,nodes=4", "llcs=6, nodes=4" },
		{ "offline=3@5", "offline=3@5 is not valid: offline=CORE@FROM-TO" },
		{ "offline=3@9-5", "is not valid: offline=" },
		{ "offline=3@5-5", "is not valid: offline=" },
		{ "offline=3.1@5-9", "is not valid: offline=" },
		{ "offline=3:1ms", "is not valid: offline=" },
		{ "offline=3@5-9+", "is not valid: offline=" },
		{ "offline=", "is not valid: offline=" },
		{ "offline=8", "no core 8, only 0-7" },
		{ "cores=4,lost=4@1-2", "no core 4, only 0-3" },
		{ "steal=2@4-8", "is not valid: steal=CORE.COUNTER@FROM-TO" },
		{ "steal=2.10", "is not valid: steal=" },
		{ "slow=4", "is not valid: slow=CORE:TIME" },
		{ "slow=4:30", "is not valid: slow=" },
		{ "slow=4:ms", "is not valid: slow=" },
		{ "slow=4:0ms", "is not valid: slow=" },
		{ "slow=4:11s", "is not valid: slow=" },
		{ "slow=4:30ms@1e999-", "is not valid: slow=" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct err err = { "" };
		int result;
		AUTO_FREE struct sim_options *options = parse(row[i].text, &result, &err);

		if (!options || result != -EINVAL || !strstr(err.text, row[i].says))
			fail_msg("\"%s\": %d, %s", row[i].text, result, err.text);
	}
}

static void an_unknown_key_names_all_known(void **state)
{
	static const char *const key[] = { "cores", "smmu",    "seed",  "hidden", "clock", "halt",
					   "wrap",  "offline", "steal", "lost",   "slow" };
	struct err err = { "" };
	int result;
	AUTO_FREE struct sim_options *options = parse("help", &result, &err);

	(void)state;
	assert_int_equal(result, -EINVAL);
	assert_non_null(options);
	for (unsigned i = 0; i < ARRAY_SIZE(key); i++)
		assert_non_null(strstr(err.text, key[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said_is_the_m1),
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(a_word_stands_alone),
		cmocka_unit_test(faults_are_read),
		cmocka_unit_test(a_mistake_is_shown_with_the_form),
		cmocka_unit_test(an_unknown_key_names_all_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
