/* Activity monitors: which path is taken, idle times, and the whole way to a metric. */
#include "rig/sim_control.h"
#include "rig/activity_rig.h"

#include "metrics/metrics.h"
#include "pmu/sim/events.h"
#include "rig/sim_rig.h"

#include <sys/utsname.h>

/* Check that the refusal of path n does not have these words. */
static void assert_not_told(unsigned n, const char *words)
{
	const char *name, *what;
	struct err err = { "" };

	activity_probe_path(&bench.machine, 0, n, &name, &what, &err);
	if (strstr(err.text, words))
		fail_msg("\"%s\" says \"%s\"", err.text, words);
}

/* Write a modules.dep that has the module. */
static void install_module(void)
{
	struct utsname kernel;
	char path[160];

	uname(&kernel);
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", kernel.release);
	bench_put(path, "kernel/drivers/perf/other.ko.xz:\nupdates/dkms/m1pmu.ko.xz:\n");
}

/* Sum the busy time of a load, ns. */
static uint64_t sim_load_busy_ns(const struct sim_load *load, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t busy_ns = 0;

	while (from_ns < to_ns) {
		struct sim_phase phase;

		sim_load_phase(load, from_ns, &phase);

		uint64_t end_ns = phase.to_ns < to_ns ? phase.to_ns : to_ns;

		busy_ns += sim_phase_busy_ns(&phase, from_ns, end_ns);
		from_ns = end_ns;
	}
	return busy_ns;
}

/* Sum the time in which the core was not idle, ns. Times are those of sim_truth. */
static uint64_t sim_truth_busy_ns(const struct backend *backend, unsigned core, uint64_t from_ns,
				  uint64_t to_ns)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	struct sim_load load = sim_load_of(sim, core);

	return sim_load_busy_ns(&load, from_ns - sim->origin_ns, to_ns - sim->origin_ns);
}

/* ---- which path ---- */

static void the_best_path_is_taken(void **state)
{
	(void)state;
	bench_find();
	bench_assert_path(NULL);
	assert_null(pmu_find(&bench.machine.pmus, ACTIVITY_PMU));
	bench_put("proc/stat", "cpu  5 0 5 50 5 0 0 0 0 0\ncpu0 5 0 5 50 5 0 0 0 0 0");
	bench_find();
	bench_assert_path("idle");
	bench_put(FREQ, "3200000");
	bench_find();
	bench_assert_path("cpufreq");
	bench_put_all(activity_cppc_files);
	bench_find();
	bench_assert_path("cppc");
	bench_add_amu();
	bench_find();
	bench_assert_path("amu");
}

static void nothing_on_this_machine_is_no_complaint(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	bench_assert_path("idle");
	bench_assert_refusal(0, -ENODEV, "only arm64 processors have activity monitors");
	bench_assert_refusal(1, -ENODEV, "no acpi_cppc/feedback_ctrs");
	bench_assert_refusal(2, -ENODEV, "no cpufreq/cpuinfo_avg_freq");
	bench_assert_refusal(3, 0, "");
	bench_assert_refusal(4, -ENOENT, "");
}

static void why_not_the_module(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	activity_fake.open_result = -EACCES;
	bench_assert_refusal(0, -EACCES, "a udev rule that opens it to you");
	activity_fake.open_result = -EPERM;
	bench_assert_refusal(0, -EPERM, "sudo setcap cap_perfmon+ep");
	bench_add_amu();
	activity_fake.flags = 0;
	bench_assert_refusal(0, -ENODEV, "not loaded with amu=1");
	assert_not_told(0, "modprobe");
	install_module();
	bench_assert_refusal(
		0, -ENODEV,
		"sudo rmmod m1pmu && sudo modprobe m1pmu amu=1 (where firmware has not enabled");
	bench_add_amu();
	activity_fake.abi++;
	bench_assert_refusal(0, -EPROTO, "another version");
	activity_fake.abi--;
	activity_fake.amu_result[0] = activity_fake.amu_result[1] = -EOPNOTSUPP;
	bench_assert_refusal(0, -EOPNOTSUPP, "ID_AA64PFR0_EL1.AMU is 0");
	activity_fake.amu_result[0] = activity_fake.amu_result[1] = -ENXIO;
	bench_assert_refusal(0, -ENXIO, "reading the activity monitors traps");
	activity_fake.amu_result[0] = activity_fake.amu_result[1] = 0;
	activity_fake.amu.fixed[0] = activity_fake.amu.fixed[1] = 0;
	bench_assert_refusal(0, -ENODATA, "firmware has not enabled the activity monitors");
	activity_fake.amu.enabled = 0;
	bench_assert_refusal(0, -ENODATA, "AMCNTENSET 0x0");
	bench_find();
	bench_assert_path("idle");
	assert_non_null(strstr(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS),
			       "firmware has not enabled the activity monitors"));
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_TIME));
}

/* Loading it can hang the machine: that is said with the command, and not where there is none to load. */
static void how_to_load_the_module(void **state)
{
	(void)state;
	bench_put_idle();
	activity_fake.hz = 25000000;
	bench_find();
	bench_assert_refusal(0, -ENODEV, "m1pmu is not installed");
	assert_not_told(0, "modprobe");
	install_module();
	bench_find();
	bench_assert_refusal(0, -ENODEV,
			     "m1pmu is not loaded; sudo modprobe m1pmu amu=1 (where firmware");
	bench_assert_refusal(0, -ENODEV, "that can hang the machine");
	assert_string_equal(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS),
			    "the kernel module m1pmu is not loaded");
}

static void the_module_knows_of_el3(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	assert_false(bench.machine.lacks_secure);
	bench_add_amu();
	bench_find();
	assert_false(bench.machine.lacks_secure);
	activity_fake.flags |= M1PMU_NO_EL3;
	bench_find();
	assert_true(bench.machine.lacks_secure);
}

static void garbage_names_the_file(void **state)
{
	static const struct {
		const char *path, *text;
		int code;
		const char *words;
		unsigned path_number;
	} rows[] = {
		{ CPPC "feedback_ctrs", "ref:1000", -EINVAL, "cpu0/acpi_cppc/feedback_ctrs", 1 },
		{ CPPC "feedback_ctrs", "ref:x del:2", -EINVAL, "not \"ref:N del:N\"", 1 },
		{ CPPC "feedback_ctrs", "ref:-1 del:2", -EINVAL, "feedback_ctrs", 1 },
		{ CPPC "feedback_ctrs", "ref:1 del:2 more", -EINVAL, "feedback_ctrs", 1 },
		{ CPPC "feedback_ctrs", "", -EINVAL, "feedback_ctrs", 1 },
		{ CPPC "feedback_ctrs", "ref:0 del:0", -ENODATA, "firmware has not enabled", 1 },
		{ CPPC "nominal_freq", "0", -ENODATA, "nominal performance in MHz", 1 },
		{ CPPC "nominal_perf", "fast", -EINVAL, "nominal_perf: \"fast\"", 1 },
		{ FREQ, "fast", -EINVAL, "cpuinfo_avg_freq: not a frequency", 2 },
		{ FREQ, "", -EINVAL, "cpuinfo_avg_freq", 2 },
		{ CPU_DIR "cpu0/cpuidle/state1/time", "long", -EINVAL, "cpu0/cpuidle", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bench_put_idle();
		bench_put_all(activity_cppc_files);
		bench_put(FREQ, "3200000");
		bench_find();
		bench_assert_path("cppc");
		bench_put(rows[i].path, rows[i].text);
		bench_assert_refusal(rows[i].path_number, rows[i].code, rows[i].words);
	}
}

static void stat_without_the_cpu(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	fake_root_remove(bench.root);
	fake_root(bench.root, sizeof(bench.root), activity_files);
	bench_put("proc/stat", "cpu  1 2 3 4 5\ncpu1 1 2 3 4 5");
	bench_find();
	bench_assert_path(NULL);
	bench_put("proc/stat", "cpu  1 2 3 4 5\ncpu0 1 2 3\n");
	bench_find();
	bench_assert_path(NULL);
}

/* A thread that has just started has no time yet, but one start. */
static void times_of_tasks_need_schedstat(void **state)
{
	static const struct {
		const char *text;
		bool has_times;
	} rows[] = {
		{ NULL, false }, { "0 0 0\n", false }, { "0 7 1\n", true }, { "5 6 7\n", true }
	};

	(void)state;
	bench_put_idle();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].text)
			bench_put("proc/self/schedstat", rows[i].text);
		bench_find();
		for (unsigned event = ACTIVITY_RUN; event <= ACTIVITY_SLEEP; event++) {
			const char *why = activity_refusal(&bench.machine, 0, event);

			assert_true(rows[i].has_times ? !why : why && strstr(why, "schedstat"));
		}
	}
}

/* An offline core has no files: another one of its type stands for it. */
static void asks_a_core_that_is_online(void **state)
{
	(void)state;
	bench_put(CPU_DIR "online", "1");
	bench_put(CPU_DIR "cpu1/cpuidle/state0/time", "5");
	bench_put("proc/stat", "cpu1 5 0 5 50 5");
	bench_find();
	bench_assert_path("idle");
	assert_int_equal(activity_core_open(&bench.machine, 0, &(struct activity_slots){ .n = 0 },
					    &bench.counting, NULL),
			 0);
	assert_null(bench.counting);
}

/* ---- idle times ---- */

static void active_is_what_idle_states_leave(void **state)
{
	(void)state;
	bench_put(CPU_DIR "cpu0/cpuidle/state0/time", "7000000");
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "9000000");
	bench_find();
	bench_begin();
	bench_pass_time(10 * NS_PER_MS);
	bench_put(CPU_DIR "cpu0/cpuidle/state0/time", "7001000");
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "9003000");
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_TIME), bench_window_ns() - 4 * NS_PER_MS);
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_EMPTY);
}

/* More idle than the window is long: the rest is taken off the next ones, and nothing is lost. */
static void idle_comes_in_steps(void **state)
{
	uint64_t total_ns;

	(void)state;
	bench_put_idle();
	bench_find();
	bench_begin();
	bench_pass_time(2 * NS_PER_MS);
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "300000");
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_TIME), 0);
	bench_pass_time(310 * NS_PER_MS);
	bench_end();
	total_ns = bench_window_ns();
	assert_int_equal(bench_gained(ACTIVITY_TIME), total_ns - 300 * NS_PER_MS);
}

static void stat_is_read_to_the_cpu(void **state)
{
	static char text[128 << 10];
	size_t n = (size_t)snprintf(text, sizeof(text), "cpu  1 1 1 1 1");
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	for (unsigned cpu = 100; cpu < 4000; cpu++) /* the CPU stands beyond the first 64 KiB */
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\ncpu%u 99 99 99 99 99 0 0",
				      cpu);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\ncpu0 10 20 30 ");
	snprintf(text + n, sizeof(text) - n, "40 50 60 70 0 0 0\nintr 0");
	bench_put("proc/stat", text);
	bench_find();
	bench_assert_path("idle");
	bench_begin();
	bench_pass_time(4 * tick_ns);
	snprintf(text + n, sizeof(text) - n, "42 51 60 70 0 0 0\nintr 0"); /* idle and iowait */
	bench_put("proc/stat", text);
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_TIME), bench_window_ns() - 3 * tick_ns);
}

static struct sample left_to_collector(uint64_t t_ns, enum activity_event event)
{
	return (struct sample){
		.t_ns = t_ns, .n_slots = 1, .state = { RAW_LATER }, .raw = { { .value = event } }
	};
}

/* Complete a sample of a core, as the collector does. @return its time so far, ns */
static uint64_t completed_of(struct activity_stat *stat, unsigned core, uint64_t t_ns,
			     enum activity_event event)
{
	struct sample sample = left_to_collector(t_ns, event);

	activity_stat_complete(stat, core, &sample);
	assert_int_equal(sample.state[0], RAW_OK);
	return sample.raw[0].value;
}

static uint64_t completed(struct activity_stat *stat, unsigned core, uint64_t t_ns)
{
	return completed_of(stat, core, t_ns, ACTIVITY_TIME);
}

static void stat_of_many_cpus_is_one_read(void **state)
{
	static char text[128 << 10];
	struct activity_stat *stat;
	size_t n = (size_t)snprintf(text, sizeof(text), "cpu  1 1 1 1 1\n");

	(void)state;
	for (unsigned cpu = 0; cpu < 1000; cpu++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "cpu%u 9876543 1234 9876543 9876543210 12345 0 98765 0 0 0\n",
				      cpu);
	snprintf(text + n, sizeof(text) - n, "intr 9 1 2 3\nctxt 4\n");
	bench_put("proc/stat", text);
	bench_find();
	assert_int_equal(activity_stat_new(&bench.machine, &stat), 0);
	bench_begin();
	n = activity_fake.n_preads;
	completed(stat, 1, clock_now_ns() + 4 * NS_PER_MS);
	assert_int_equal(activity_fake.n_preads, n + 1);
	activity_stat_free(stat);
}

/* @return false: the machine held the test up for longer than it looks ahead */
static bool is_read_once_for_all(void)
{
	const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sample gone = left_to_collector(0, ACTIVITY_TIME);
	struct activity_stat *stat;
	uint64_t t_ns, then_ns, sum, even;
	unsigned n;

	bench_put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 10 0\ncpu1 1 1 1 10 0\nintr 0\n");
	bench_find();
	assert_int_equal(activity_stat_new(&bench.machine, &stat), 0);
	bench_begin();
	assert_int_equal(activity_fake.n_preads, 1); /* when the path was chosen */
	assert_int_equal(bench.before.state[ACTIVITY_TIME], RAW_LATER);

	/* times just after the read: the whole idle time is known */
	t_ns = clock_now_ns() + 4 * NS_PER_MS;
	assert_int_equal(completed(stat, 0, t_ns), 0);
	n = activity_fake.n_preads;
	assert_int_equal(completed(stat, 1, t_ns), 0);
	assert_int_equal(activity_fake.n_preads, n);
	bench_pass_time(4 * tick_ns);
	bench_put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 12 0\ncpu1 1 1 1 10 0\nintr 0\n");
	then_ns = clock_now_ns() + 4 * NS_PER_MS;
	sum = completed(stat, 0, then_ns);
	if (clock_now_ns() > then_ns) {
		activity_stat_free(stat);
		return false;
	}
	assert_int_equal(sum, then_ns - t_ns - 2 * tick_ns);
	assert_int_equal(completed(stat, 1, then_ns), then_ns - t_ns);

	/* two samples before one read share its idle time */
	bench_pass_time(4 * tick_ns);
	bench_put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 15 0\nintr 0\n");
	even = completed(stat, 0, then_ns + tick_ns) - sum;
	assert_in_range(completed(stat, 0, then_ns + 2 * tick_ns), sum + 2 * even - 2,
			sum + 2 * even + 2);
	assert_in_range(even, 1, tick_ns - 1);

	gone.t_ns = clock_now_ns();
	activity_stat_complete(stat, 1, &gone); /* its line is gone */
	assert_int_equal(gone.state[0], RAW_LOST);

	/* a jump, as in a container, costs one window */
	bench_put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 99999999 0\nintr 0\n");
	gone = left_to_collector(clock_now_ns() + 6 * NS_PER_MS, ACTIVITY_TIME);
	activity_stat_complete(stat, 0, &gone);
	assert_int_equal(gone.state[0], RAW_RESTARTED);
	completed(stat, 0, gone.t_ns + tick_ns);
	activity_stat_free(stat);
	return true;
}

static void stat_is_read_once_for_all(void **state)
{
	(void)state;
	while (!is_read_once_for_all()) {
		bench_teardown(state);
		bench_setup(state);
	}
}

/* ---- times of a core: not idle, waited for, idle ---- */

static const char schedstat_1[] = "version 17\ntimestamp 4297299139\n"
				  "cpu0 0 0 1 2 3 4 1000000 5000000000 5\n"
				  "domain0 MC 3 1 2 3 4 5 6 7 8 9\n"
				  "cpu1 0 0 1 2 3 4 1000000 10 5\ndomain0 MC 3 1 2 3\n";
static const char schedstat_2[] = "version 17\ntimestamp 4297299999\n"
				  "cpu0 0 0 1 2 3 4 9000000 5000004000 6\n"
				  "domain0 MC 3 1 2 3 4 5 6 7 8 9\n"
				  "cpu1 0 0 1 2 3 4 1000000 10 5\ndomain0 MC 3 1 2 3\n";

static void a_core_runs_or_is_idle(void **state)
{
	(void)state;
	bench_put_idle();
	bench_put("proc/self/schedstat", "1 2 3");
	bench_find();
	bench_begin();
	bench_pass_time(2 * NS_PER_MS);
	bench_put(CPU_DIR "cpu0/cpuidle/state0/time", "500");
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_SLEEP), 500 * NS_PER_US);
	assert_int_equal(bench_gained(ACTIVITY_RUN), bench_gained(ACTIVITY_TIME));
	assert_int_equal(bench_gained(ACTIVITY_RUN) + bench_gained(ACTIVITY_SLEEP),
			 bench_window_ns());
	/* this kernel has no times of waiting by CPU */
	assert_int_equal(bench.after.state[ACTIVITY_WAIT], RAW_UNSUPPORTED);
	assert_non_null(strstr(activity_core_refusal(&bench.machine, ACTIVITY_WAIT), "schedstat"));
	assert_null(activity_core_refusal(&bench.machine, ACTIVITY_RUN));
}

static void times_of_tasks_are_not_the_core_s(void **state)
{
	(void)state;
	bench_put_idle();
	bench_put("proc/self/schedstat", "1 2 3");
	bench_find();
	bench.by_task = true;
	bench_begin();
	assert_int_equal(bench.before.state[ACTIVITY_TIME], RAW_OK);
	for (unsigned i = ACTIVITY_RUN; i <= ACTIVITY_SLEEP; i++)
		assert_int_equal(bench.before.state[i], RAW_EMPTY);
}

static void what_waited_for_a_core_is_read_once_for_all(void **state)
{
	struct activity_stat *stat;
	uint64_t t_ns, window_ns;
	unsigned n;

	(void)state;
	bench_put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 10 0\ncpu1 1 1 1 10 0\nintr 0\n");
	bench_put("proc/self/schedstat", "1 2 3");
	bench_put("proc/schedstat", schedstat_1);
	bench_find();
	assert_null(activity_core_refusal(&bench.machine, ACTIVITY_WAIT));
	assert_int_equal(activity_stat_new(&bench.machine, &stat), 0);
	bench_begin();
	for (unsigned i = ACTIVITY_RUN; i <= ACTIVITY_SLEEP; i++) {
		assert_int_equal(bench.before.state[i], RAW_LATER);
		assert_int_equal(bench.before.raw[i].value, i);
	}
	t_ns = clock_now_ns();
	n = activity_fake.n_preads;
	assert_int_equal(completed_of(stat, 0, t_ns, ACTIVITY_WAIT), 5 * NS_PER_S);
	assert_int_equal(completed_of(stat, 1, t_ns, ACTIVITY_WAIT), 10);
	assert_int_equal(activity_fake.n_preads, n + 2); /* the second one finds the end */

	/* two samples before one read share what waited since */
	bench_pass_time(20 * NS_PER_MS);
	bench_put("proc/schedstat", schedstat_2);
	assert_in_range(completed_of(stat, 0, t_ns + 10 * NS_PER_MS, ACTIVITY_WAIT),
			5 * NS_PER_S + 1, 5 * NS_PER_S + 2000);
	assert_in_range(completed_of(stat, 0, t_ns + 20 * NS_PER_MS, ACTIVITY_WAIT),
			5 * NS_PER_S + 2, 5 * NS_PER_S + 4000);
	assert_int_equal(completed_of(stat, 0, clock_now_ns() + NS_PER_MS, ACTIVITY_WAIT),
			 5 * NS_PER_S + 4000);
	assert_int_equal(completed_of(stat, 1, t_ns + 20 * NS_PER_MS, ACTIVITY_WAIT), 10);

	/* what idles and what runs are the window, too */
	t_ns = clock_now_ns() + 10 * NS_PER_MS;
	window_ns = completed_of(stat, 0, t_ns, ACTIVITY_RUN) +
		    completed_of(stat, 0, t_ns, ACTIVITY_SLEEP);
	assert_int_equal(completed_of(stat, 0, t_ns + NS_PER_MS, ACTIVITY_RUN) +
				 completed_of(stat, 0, t_ns + NS_PER_MS, ACTIVITY_SLEEP),
			 window_ns + NS_PER_MS);
	activity_stat_free(stat);
}

static void a_file_that_fails_is_lost(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	bench_begin();
	activity_fake.pread_errno = EIO;
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_TIME], RAW_LOST);
	activity_fake.pread_errno = 0;
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_TIME], RAW_RESTARTED);
	bench_end();
	assert_int_equal(bench.after.state[ACTIVITY_TIME], RAW_OK);
}

/* Beside other counts the windows are one: theirs. */
static void window_is_that_of_its_neighbours(void **state)
{
	(void)state;
	bench_put_idle();
	bench_find();
	bench_begin();
	activity_core_read(bench.counting, 12345, &bench.after);
	assert_int_equal(bench.after.raw[ACTIVITY_TIME].enabled_ns, 12345);
	assert_int_equal(bench.after.raw[ACTIVITY_TIME].running_ns, 12345);
}

static void what_happens_while_disabled_does_not_count(void **state)
{
	uint64_t before_ns;

	(void)state;
	bench_add_amu();
	bench_find();
	bench_begin();
	activity_fake.amu.fixed[0] += 100;
	activity_core_disable(bench.counting);
	activity_fake.amu.fixed[0] += 1000000;
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_CYCLES), 100);
	before_ns = bench_window_ns();
	bench_pass_time(NS_PER_MS);
	bench_end();
	assert_int_equal(bench_window_ns(), before_ns);
	activity_core_enable(bench.counting);
	activity_fake.amu.fixed[0] += 10;
	bench_end();
	assert_int_equal(bench_gained(ACTIVITY_CYCLES), 110);
}

/* ---- the whole way: simulated cores ---- */

static void simulated_truth(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	struct set set = sim_rig_set(&rig, "cycles,active-cycles,active-time,active-instructions");

	(void)state;
	for (unsigned core = 0; core < rig.sim->machine.n_cores; core++) {
		struct group *group = sim_rig_count(&rig, core, &set);
		struct sample a = sim_rig_read(&rig, group), b;

		sim_rig_advance(&rig, (core + 1) * 7 * NS_PER_S);
		b = sim_rig_read(&rig, group);
		assert_int_equal(sim_rig_gain(&a, &b, 10), sim_rig_gain(&a, &b, 0));
		assert_int_equal(sim_rig_gain(&a, &b, 11),
				 sim_truth_busy_ns(rig.sim, core, a.t_ns, b.t_ns));
		assert_int_equal(sim_rig_gain(&a, &b, 12),
				 sim_truth(rig.sim, core, SIM_ID_INSTRUCTIONS, PRIVILEGE_BOTH,
					   a.t_ns, b.t_ns));
		assert_int_equal(b.raw[10].enabled_ns, b.raw[0].enabled_ns);
		rig.sim->ops->group_close(group);
	}
	sim_rig_close(&rig);
}

/* ---- metrics ---- */

/* A core whose frequency nobody knows, as it was idle, does not run at 0 GHz. */
static void check_frequency(const struct metric_program *program)
{
	struct count count[2] = {
		{ .value = 1000, .enabled_ns = 9, .running_ns = 9, .quality = QUALITY_OK },
		{ .value = 3000, .enabled_ns = 9, .running_ns = 9, .quality = QUALITY_OK },
	};
	struct reading ghz = metric_eval_inputs(program, count, NULL);

	assert_int_equal(ghz.quality, QUALITY_OK);
	assert_true(ghz.value > 2.999999 && ghz.value < 3.000001);
	count[1].value = 0;
	assert_int_equal(metric_eval_inputs(program, count, NULL).quality, QUALITY_UNDEFINED);
}

/* Without activity/active-cycles/ the frequency is made of the core PMU's cycles. */
static void frequency_falls_back(void **state)
{
	struct backend_config config = { .sysfs_root = bench.root };
	struct metrics metrics;
	struct err err = { "" };
	int number;

	(void)state;
	bench_put_idle();
	for (unsigned with = 0; with < 2; with++) {
		if (with)
			bench_put(FREQ, "3000000");
		bench_find();
		assert_int_equal(machine_load_catalogs(&bench.machine, config.events_dir, &err), 0);
		assert_int_equal(metrics_make(&bench.machine, &metrics, &err), 0);
		number = metrics_find(&metrics, "frequency");
		assert_true(number >= 0);
		assert_string_equal(metric_input(metrics.metric[number].program[0], 0),
				    "activity/active-time/");
		assert_string_equal(metric_input(metrics.metric[number].program[0], 1),
				    with ? "activity/active-cycles/" : "cycles");
		check_frequency(metrics.metric[number].program[0]);
		metrics_fini(&metrics);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_best_path_is_taken),
		TEST(nothing_on_this_machine_is_no_complaint),
		TEST(why_not_the_module),
		TEST(how_to_load_the_module),
		TEST(the_module_knows_of_el3),
		TEST(garbage_names_the_file),
		TEST(stat_without_the_cpu),
		TEST(times_of_tasks_need_schedstat),
		TEST(asks_a_core_that_is_online),
		TEST(active_is_what_idle_states_leave),
		TEST(idle_comes_in_steps),
		TEST(stat_is_read_to_the_cpu),
		TEST(stat_of_many_cpus_is_one_read),
		TEST(stat_is_read_once_for_all),
		TEST(a_core_runs_or_is_idle),
		TEST(times_of_tasks_are_not_the_core_s),
		TEST(what_waited_for_a_core_is_read_once_for_all),
		TEST(a_file_that_fails_is_lost),
		TEST(window_is_that_of_its_neighbours),
		TEST(what_happens_while_disabled_does_not_count),
		TEST(simulated_truth),
		TEST(frequency_falls_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
