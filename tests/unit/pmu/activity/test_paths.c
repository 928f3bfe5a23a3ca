/* Activity monitors: what each path makes of its files and registers. */
#include "rig/activity_rig.h"

/* Check that a number is within ± share of another. */
static void assert_near(uint64_t is, double wanted, double share)
{
	if ((double)is < wanted * (1 - share) || (double)is > wanted * (1 + share))
		fail_msg("%llu is not near %.0f", (unsigned long long)is, wanted);
}

/* Write the CPPC counters of CPU 0. */
static void counters(unsigned long long ref, unsigned long long del)
{
	char text[64];

	snprintf(text, sizeof(text), "ref:%llu del:%llu", ref, del);
	bench_put(CPPC "feedback_ctrs", text);
}

/* ---- cpufreq ---- */

static void cycles_are_frequency_times_active_time(void **state)
{
	(void)state;
	bench_put_idle();
	bench_put(FREQ, "3200000");
	bench_find();
	bench_begin();
	bench_pass_time(10 * NS_PER_MS);
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "5000");
	bench_put(FREQ, "2000000");
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_TIME), bench_window_ns() - 5 * NS_PER_MS);
	assert_near(bench_gained(ACTIVITY_CYCLES), 2.0 * (double)bench_gained(ACTIVITY_TIME), 1e-6);
	/* an estimate: it shows as one */
	assert_true(bench.after.raw[ACTIVITY_CYCLES].running_ns <
		    bench.after.raw[ACTIVITY_CYCLES].enabled_ns);
	assert_true(bench.after.raw[ACTIVITY_TIME].running_ns ==
		    bench.after.raw[ACTIVITY_TIME].enabled_ns);
}

static void an_idle_cpu_has_no_frequency(void **state)
{
	static const int code[] = { EAGAIN, EOPNOTSUPP };

	(void)state;
	bench_put_idle();
	bench_put(FREQ, "3200000");
	snprintf(activity_fake.fails, sizeof(activity_fake.fails), "3200000");
	for (size_t i = 0; i < ARRAY_SIZE(code); i++) {
		activity_fake.pread_errno = code[i];
		bench_find();
		bench_assert_path("cpufreq");
		bench_begin();
		bench_pass_time(NS_PER_MS);
		bench_end();
		assert_int_equal(bench_gained(ACTIVITY_CYCLES), 0);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
	activity_fake.pread_errno = EIO;
	bench_find();
	bench_assert_path("idle");
	bench_assert_refusal(2, -EIO, "cpuinfo_avg_freq");
}

/* ---- CPPC ---- */

static void delivered_against_reference(void **state)
{
	static const struct {
		int line;
		unsigned long long ref, del, ref_after, del_after;
		double mhz; /* by ACPI's formula */
	} rows[] = {
		/* reference performance 100 of nominal 300 at 3 GHz: 1 GHz */
		{ __LINE__, 1000, 2000, 2000, 3000, 1000 },
		{ __LINE__, 1000, 2000, 2000, 5200, 3200 },
		{ __LINE__, 1000, 2000, 1001000, 402000, 400 },
		/* 32 bits went round, one or both */
		{ __LINE__, 4294967196, 2000, 900, 4000, 2000 },
		{ __LINE__, 4294967196, 4294967290, 900, 2494, 2500 },
		/* 64 bits */
		{ __LINE__, 99999999999000, 99999999999000, 100000000000000, 100000000002000,
		  3000 },
		/* stood still: idle */
		{ __LINE__, 1000, 2000, 1000, 2000, 0 },
	};

	(void)state;
	bench_put_idle();
	bench_put_all(activity_cppc_files);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "0");
		counters(rows[i].ref, rows[i].del);
		bench_find();
		bench_assert_path("cppc");
		bench_begin();
		bench_pass_time(2 * NS_PER_MS);
		bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "1000");
		counters(rows[i].ref_after, rows[i].del_after);
		bench_end();
		assert_int_equal(bench_gained(ACTIVITY_TIME), bench_window_ns() - NS_PER_MS);

		double mhz = (double)bench_gained(ACTIVITY_CYCLES) * 1e3 /
			     (double)bench_gained(ACTIVITY_TIME);

		if (mhz < rows[i].mhz - 0.01 || mhz > rows[i].mhz + 0.01)
			fail_msg("line %d: %.3f MHz", rows[i].line, mhz);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
}

static void cppc_that_is_reset_or_wraps_too_soon(void **state)
{
	(void)state;
	bench_put_idle();
	bench_put_all(activity_cppc_files);
	counters(99999999999000, 99999999999000);
	bench_find();
	bench_begin();
	counters(5000, 5000);
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	counters(6000, 6000);
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_OK);
	activity_core_close(bench.counting);
	bench.counting = NULL;

	bench_put(CPPC "wraparound_time", "1");
	bench_find();
	bench_begin();
	bench_pass_time(NS_PER_S + NS_PER_MS);
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
}

static void an_idle_cpu_may_not_be_asked(void **state)
{
	(void)state;
	bench_put_idle();
	bench_put_all(activity_cppc_files);
	snprintf(activity_fake.fails, sizeof(activity_fake.fails), "ref:");
	activity_fake.pread_errno = EAGAIN;
	bench_find();
	bench_assert_path("cppc");
	bench_begin();
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_CYCLES), 0);
	activity_fake.pread_errno = 0; /* what was before the first answer is unknown: no jump */
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	activity_fake.pread_errno = EFAULT;
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_LOST);
}

/* ---- AMU ---- */

static void monitors_count(void **state)
{
	(void)state;
	bench_add_amu();
	bench_find();
	bench_begin();
	activity_fake.amu.fixed[0] += 3200000;
	activity_fake.amu.fixed[1] += 25000; /* 1 ms at 25 MHz */
	activity_fake.amu.fixed[2] += 6400000;
	activity_fake.amu.fixed[3] += 320000;
	activity_fake.amu.aux[0] += 7;
	activity_fake.amu.aux[1] += 11;
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_CYCLES), 3200000);
	assert_int_equal(bench_gained(ACTIVITY_TIME), NS_PER_MS);
	assert_int_equal(bench_gained(ACTIVITY_INSTRUCTIONS), 6400000);
	assert_int_equal(bench_gained(ACTIVITY_STALL), 320000);
	assert_int_equal(bench_gained(ACTIVITY_AUX), 7);
	assert_int_equal(bench_gained(ACTIVITY_AUX + 1), 11);
	assert_int_equal(bench.after.state[ACTIVITY_AUX + 2], RAW_EMPTY);
}

static void monitors_have_names(void **state)
{
	const struct pmu *pmu;

	(void)state;
	bench_add_amu();
	bench_find();
	pmu = pmu_find(&bench.machine.pmus, ACTIVITY_PMU);
	assert_string_equal(pmu_alias_find(pmu, "active-cycles")->terms, "event=0");
	assert_string_equal(pmu_alias_find(pmu, "memory-stall")->terms, "event=3");
	assert_string_equal(pmu_alias_find(pmu, "aux1")->terms, "event=5");
	assert_string_equal(pmu_alias_find(pmu, "aux-0x301")->terms, "event=5");
	assert_null(pmu_alias_find(pmu, "aux2"));
}

static void only_what_is_enabled(void **state)
{
	(void)state;
	bench_add_amu();
	activity_fake.amu.enabled = 0x10007; /* no memory stall, no second auxiliary */
	bench_find();
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS));
	assert_non_null(activity_refusal(&bench.machine, 0, ACTIVITY_STALL));
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_AUX));
	assert_non_null(activity_refusal(&bench.machine, 0, ACTIVITY_AUX + 1));
}

/* Cores of one type may differ: each is asked, and one without is never 0. */
static void one_core_of_the_type_has_them(void **state)
{
	struct err err = { "" };

	(void)state;
	bench_add_amu();
	bench_put_idle();
	bench_put(CPU_DIR "cpu1/cpuidle/state0/time", "0");
	for (unsigned has = 0; has < 2; has++) {
		activity_fake.amu_result[has] = 0;
		activity_fake.amu_result[!has] = has ? -EOPNOTSUPP : -ENXIO;
		bench_find();
		assert_string_equal(activity_path_name(&bench.machine, 0), "amu");
		assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS));
		assert_non_null(
			pmu_alias_find(pmu_find(&bench.machine.pmus, ACTIVITY_PMU), "aux1"));
		assert_int_equal(activity_probe_path_core(&bench.machine, has, &err), 0);
		assert_int_equal(activity_probe_path_core(&bench.machine, !has, &err),
				 activity_fake.amu_result[!has]);
		activity_fake.amu.cpu = has;
		bench_begin_on(has);
		activity_fake.amu.fixed[2] += 5;
		bench_end();
		assert_int_equal(bench_gained(ACTIVITY_INSTRUCTIONS), 5);
		activity_fake.amu.cpu = !has;
		bench_begin_on(!has);
		bench_end();
		for (unsigned i = 0; i <= ACTIVITY_AUX; i++)
			assert_int_equal(bench.after.state[i],
					 i == ACTIVITY_TIME ? RAW_OK : RAW_UNSUPPORTED);
		assert_int_equal(bench_gained(ACTIVITY_TIME), bench_window_ns());
	}
}

/* It could not be asked at the beginning. */
static void a_core_that_was_offline_has_none(void **state)
{
	(void)state;
	bench_add_amu();
	activity_fake.amu_result[1] = -EINVAL;
	bench_find();
	activity_fake.amu_result[1] = -EOPNOTSUPP;
	activity_fake.amu.cpu = 1;
	bench_begin_on(1);
	bench_end();
	for (unsigned i = 0; i <= ACTIVITY_AUX; i++)
		assert_int_equal(bench.after.state[i], RAW_UNSUPPORTED);
}

static void each_type_is_asked(void **state)
{
	(void)state;
	bench_add_amu();
	bench_put_idle();
	bench.n_types = 2;
	activity_fake.amu_result[0] = -EOPNOTSUPP;
	bench_find();
	assert_string_equal(activity_path_name(&bench.machine, 0), "idle");
	assert_string_equal(activity_path_name(&bench.machine, 1), "amu");
	assert_non_null(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS));
	assert_null(activity_refusal(&bench.machine, 1, ACTIVITY_INSTRUCTIONS));
	assert_non_null(pmu_alias_find(pmu_find(&bench.machine.pmus, ACTIVITY_PMU), "aux-0x301"));
}

/* By its type an auxiliary counter is called only where that is no other core's. */
static void types_that_differ(void **state)
{
	const struct pmu *pmu;

	(void)state;
	bench_add_amu();
	bench.n_types = 2;
	activity_fake.aux_type = 0x302;
	bench_find();
	pmu = pmu_find(&bench.machine.pmus, ACTIVITY_PMU);
	assert_non_null(pmu_alias_find(pmu, "aux-0x300"));
	assert_non_null(pmu_alias_find(pmu, "aux1"));
	assert_null(pmu_alias_find(pmu, "aux-0x301"));
	assert_null(pmu_alias_find(pmu, "aux-0x302"));
}

/* What firmware has not enabled on this core is not 0 there. */
static void a_core_that_counts_less(void **state)
{
	(void)state;
	bench_add_amu();
	bench_find();
	bench_begin();
	activity_fake.amu.enabled = 0x10007;
	activity_fake.amu.fixed[2] += 5;
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_INSTRUCTIONS), 5);
	assert_int_equal(bench.after.state[ACTIVITY_STALL], RAW_UNSUPPORTED);
	assert_int_equal(bench.after.state[ACTIVITY_AUX], RAW_OK);
	assert_int_equal(bench.after.state[ACTIVITY_AUX + 1], RAW_UNSUPPORTED);
}

static void monitors_that_lost_their_state(void **state)
{
	(void)state;
	bench_add_amu();
	bench_find();
	bench_begin();
	activity_fake.amu.fixed[0] = activity_fake.amu.fixed[1] = 10;
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	bench.before = bench.after;
	activity_fake.amu.fixed[0] += 5;
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_CYCLES), 5);
}

static void monitors_elsewhere(void **state)
{
	(void)state;
	bench_add_amu();
	bench_find();
	bench_begin();
	activity_fake.amu.cpu = 1; /* the thread was moved */
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_LOST);
	activity_fake.amu.cpu = 0;
	activity_fake.amu.fixed[0] = activity_fake.amu.fixed[1] = 0; /* firmware forgot this core */
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_UNSUPPORTED);
}

/* Where the constant counter runs at a wrong rate, idle times say how long the core was active. */
static void erratum_2457168(void **state)
{
	static const struct {
		uint64_t midr;
		bool is_wrong;
	} rows[] = {
		{ 0x410fd460, true },  { 0x411fd461, true },  { 0x410fd463, true },
		{ 0x411fd462, false }, { 0x412fd460, false }, { 0x410fd470, false },
	};

	(void)state;
	bench_add_amu();
	bench_put_idle();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bench.core[0].midr = rows[i].midr;
		bench_find();
		bench_begin();
		bench_pass_time(NS_PER_MS);
		activity_fake.amu.fixed[1] += 25;
		bench_end();
		assert_int_equal(bench_gained(ACTIVITY_TIME),
				 rows[i].is_wrong ? bench_window_ns() : 1000);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
}

/* ---- one bad reading ---- */

/* Write a source's reading number n, of a core that is never idle. */
static void busy_states(unsigned n)
{
	(void)n;
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "5000000000");
}

static void busy_stat(unsigned n)
{
	(void)n;
	bench_put("proc/stat", "cpu  5 0 5 500000 5\ncpu0 5 0 5 500000 5 0 0 0 0 0\n");
}

static void busy_freq(unsigned n)
{
	(void)n;
	bench_put(FREQ, "3200000");
}

static void busy_cppc(unsigned n)
{
	counters(1000 + 1000 * n, 2000 + 3200 * n);
}

/* Whatever a source says once, that window is lost and no later one: idle times, /proc/stat, frequency, CPPC. */
static void one_bad_reading_is_forgotten(void **state)
{
	static const struct {
		const char *path, *file;
		void (*busy)(unsigned n);
		const char *bad[6];
		bool stays; /* a jump, from which it goes on */
	} source[] = {
		{ "idle",
		  CPU_DIR "cpu0/cpuidle/state1/time",
		  busy_states,
		  { "", "x", "0", "9999999999999", "99999999999999999999999" },
		  false },
		{ "idle",
		  CPU_DIR "cpu0/cpuidle/state1/time",
		  busy_states,
		  { "0", "9999999999999" },
		  true },
		{ "idle",
		  "proc/stat",
		  busy_stat,
		  { "", "cpu0 1 2 x", "cpu1 5 0 5 500000 5\n", "cpu0 5 0 5 1 5 0\n",
		    "cpu0 5 0 5 900000000 5 0\n", "cpu0 5 0 5 99999999999999999999999 5\n" },
		  false },
		{ "idle",
		  "proc/stat",
		  busy_stat,
		  { "cpu0 5 0 5 1 5 0\n", "cpu0 5 0 5 900000000 5 0\n" },
		  true },
		{ "cpufreq", FREQ, busy_freq, { "", "x", "99999999999999", "-5" }, false },
		{ "cppc",
		  CPPC "feedback_ctrs",
		  busy_cppc,
		  { "", "ref:1", "ref:99999999999999 del:5", "ref:5000 del:99999999999999" },
		  false },
	};
	enum { BAD = 2, RIGHT = 5, N = 8 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(source); i++)
		for (unsigned k = 0; k < 6 && source[i].bad[k]; k++) {
			bench_teardown(NULL);
			bench_setup(NULL);
			if (source[i].busy != busy_stat)
				bench_put_idle();
			if (source[i].busy == busy_cppc)
				bench_put_all(activity_cppc_files);
			source[i].busy(0);
			bench_find();
			bench_assert_path(source[i].path);
			bench_begin();
			for (unsigned n = 1; n < N; n++) {
				bench_pass_time(NS_PER_MS);
				if (n < BAD || (n > BAD && !source[i].stays))
					source[i].busy(n);
				else
					bench_put(source[i].file, source[i].bad[k]);
				bench_end();
				if (n == BAD && bench.after.state[ACTIVITY_TIME] == RAW_OK)
					fail_msg("%s: \"%s\" is taken", source[i].file,
						 source[i].bad[k]);
				if (n < BAD || n >= RIGHT) {
					if (bench_gained(ACTIVITY_TIME) != bench_window_ns())
						fail_msg("%s: %u after \"%s\"", source[i].file, n,
							 source[i].bad[k]);
					if (source[i].busy == busy_freq ||
					    source[i].busy == busy_cppc)
						assert_near(bench_gained(ACTIVITY_CYCLES),
							    3.2 * (double)bench_window_ns(), 1e-3);
				}
				bench.before = bench.after;
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cycles_are_frequency_times_active_time),
		TEST(an_idle_cpu_has_no_frequency),
		TEST(delivered_against_reference),
		TEST(cppc_that_is_reset_or_wraps_too_soon),
		TEST(an_idle_cpu_may_not_be_asked),
		TEST(monitors_count),
		TEST(monitors_have_names),
		TEST(only_what_is_enabled),
		TEST(one_core_of_the_type_has_them),
		TEST(a_core_that_was_offline_has_none),
		TEST(each_type_is_asked),
		TEST(types_that_differ),
		TEST(a_core_that_counts_less),
		TEST(monitors_that_lost_their_state),
		TEST(monitors_elsewhere),
		TEST(erratum_2457168),
		TEST(one_bad_reading_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
