/* Activity monitors: which path is taken, and what each makes of its files and registers. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "fake_root.h"
#include "metrics/metrics.h"
#include "pmu/activity_path.h"
#include "pmu/kmod/m1pmu_abi.h"
#include "pmu/sim_events.h"
#include "sim_rig.h"

/* Two cores of one type; CPU 0 is looked at. */
static const struct fake_file machine_files[] = {
	{ CPU_DIR "online", "0-1" },
	{ NULL, NULL },
};

#define CPPC CPU_DIR "cpu0/acpi_cppc/"
#define FREQ CPU_DIR "cpu0/cpufreq/cpuinfo_avg_freq"

/* ---- a module and a kernel that answer as they are told ---- */

static struct {
	int open_result; /* 0: there is a module */
	uint32_t abi, flags;
	int amu_result;
	struct m1pmu_amu amu;
	uint64_t hz;
	int pread_errno; /* of files that are not regular answers; 0: they answer */
	char fails[64];  /* a file that begins so is the one that fails */
} fake;

static int fake_open(void)
{
	return fake.open_result ? fake.open_result : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int fake_info(int fd, struct m1pmu_info *ret)
{
	(void)fd;
	ret->abi = fake.abi;
	ret->flags = fake.flags;
	return 0;
}

static int fake_amu(int fd, struct m1pmu_amu *ret)
{
	(void)fd;
	*ret = fake.amu;
	return fake.amu_result;
}

static uint64_t fake_hz(void)
{
	return fake.hz;
}

/* What sysfs does: a read may fail with the reason for it. */
static ssize_t fake_pread(int fd, void *buf, size_t size, off_t at)
{
	ssize_t n = pread(fd, buf, size, at);

	if (fake.pread_errno && n > 0 && strncmp(buf, fake.fails, strlen(fake.fails)) == 0) {
		errno = fake.pread_errno;
		return -1;
	}
	return n;
}

static const struct activity_io fake_io = {
	.pread = fake_pread,
	.open_module = fake_open,
	.info = fake_info,
	.read_amu = fake_amu,
	.counter_hz = fake_hz,
};

/* ---- a core of a machine with some files ---- */

struct bench {
	char root[64];
	struct machine machine;
	struct core core[2];
	struct pmu *pmu;
	struct event event[SLOTS_MAX];
	struct placement place;
	struct activity_core *counting;
	struct sample before, after;
};

static struct bench bench;

static int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	memset(&fake, 0, sizeof(fake));
	fake.open_result = -ENOENT;
	fake.abi = M1PMU_ABI;
	fake_root(bench.root, sizeof(bench.root), machine_files);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	activity_core_close(bench.counting);
	machine_fini(&bench.machine);
	fake_root_remove(bench.root);
	return 0;
}

static void put(const char *path, const char *text)
{
	fake_put(bench.root, path, text);
}

static void put_all(const struct fake_file *file)
{
	for (; file->path; file++)
		put(file->path, file->text);
}

static void find(void)
{
	struct core *core = calloc(2, sizeof(*core));

	machine_fini(&bench.machine);
	core[1].cpu = 1;
	core[0].midr = core[1].midr = bench.core[0].midr;
	bench.machine.core = core;
	bench.machine.n_cores = 2;
	bench.machine.n_types = 1;
	bench.machine.n_clusters = 1;
	snprintf(bench.machine.type[0].name, sizeof(bench.machine.type[0].name), "cpu");
	assert_int_equal(activity_find(&bench.machine, bench.root, &fake_io), 0);
}

static void assert_path(const char *name)
{
	const char *is = activity_path_name(&bench.machine, 0);

	if (!name)
		assert_null(is);
	else if (!is || strcmp(is, name) != 0)
		fail_msg("the path is %s, not %s", is ? is : "none", name);
}

/* What the path before the one used, or any, says is in its way. */
static void assert_told(unsigned n, int code, const char *words)
{
	const char *name, *what;
	struct err err = { "" };

	assert_int_equal(activity_ask(&bench.machine, 0, n, &name, &what, &err), code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

/* Count all events on CPU 0, event n in slot n. */
static void begin(void)
{
	const struct pmu *pmu = pmu_find(&bench.machine.pmus, ACTIVITY_PMU);
	struct err err = { "" };

	assert_non_null(pmu);
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		const char *why = activity_refusal(&bench.machine, 0, i);

		bench.event[i] = (struct event){ .pmu = pmu, .config = { i } };
		snprintf(bench.event[i].refused, sizeof(bench.event[i].refused), "%s",
			 why ? why : "");
		bench.place.event[i] = &bench.event[i];
	}
	if (activity_core_open(&bench.machine, 0, &bench.place, &bench.counting, &err))
		fail_msg("%s", err.text);
	activity_core_enable(bench.counting);
	activity_core_read(bench.counting, 0, &bench.before);
}

static void end(void)
{
	activity_core_read(bench.counting, 0, &bench.after);
}

static uint64_t gained(enum activity_event event)
{
	assert_int_equal(bench.after.state[event], RAW_OK);
	return bench.after.raw[event].value - bench.before.raw[event].value;
}

static uint64_t window_ns(void)
{
	return bench.after.raw[ACTIVITY_TIME].enabled_ns -
	       bench.before.raw[ACTIVITY_TIME].enabled_ns;
}

static void assert_near(uint64_t is, double wanted, double share)
{
	if ((double)is < wanted * (1 - share) || (double)is > wanted * (1 + share))
		fail_msg("%llu is not near %.0f", (unsigned long long)is, wanted);
}

static void pass_time(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns() + ns;

	while (clock_now_ns() < end_ns)
		;
}

static void counters(unsigned long long ref, unsigned long long del)
{
	char text[64];

	snprintf(text, sizeof(text), "ref:%llu del:%llu", ref, del);
	put(CPPC "feedback_ctrs", text);
}

/* ---- which path ---- */

static const struct fake_file cppc_files[] = {
	{ CPPC "feedback_ctrs", "ref:1000 del:2000" },
	{ CPPC "reference_perf", "100" },
	{ CPPC "nominal_perf", "300" },
	{ CPPC "nominal_freq", "3000" },
	{ CPPC "wraparound_time", "18446744073709551615" },
	{ NULL, NULL },
};

static void idle_files(void)
{
	put(CPU_DIR "cpu0/cpuidle/state0/time", "0");
	put(CPU_DIR "cpu0/cpuidle/state1/time", "0");
}

static void amu_there(void)
{
	fake.open_result = 0;
	fake.flags = M1PMU_AMU;
	fake.hz = 25000000;
	fake.amu = (struct m1pmu_amu){ .enabled = 0x3000f,
				       .n_aux = 2,
				       .fixed = { 1000, 1000, 1000, 1000 },
				       .aux = { 10, 20 },
				       .aux_type = { 0x300, 0x301 } };
}

static void the_best_path_is_taken(void **state)
{
	(void)state;
	find();
	assert_path(NULL);
	assert_null(pmu_find(&bench.machine.pmus, ACTIVITY_PMU));
	put("proc/stat", "cpu  5 0 5 50 5 0 0 0 0 0\ncpu0 5 0 5 50 5 0 0 0 0 0");
	find();
	assert_path("idle");
	put(FREQ, "3200000");
	find();
	assert_path("cpufreq");
	put_all(cppc_files);
	find();
	assert_path("cppc");
	amu_there();
	find();
	assert_path("amu");
}

static void nothing_on_this_machine_is_no_complaint(void **state)
{
	(void)state;
	idle_files();
	find();
	assert_path("idle");
	assert_told(0, -ENODEV, "sudo modprobe m1pmu amu=1");
	assert_told(1, -ENODEV, "no acpi_cppc/feedback_ctrs");
	assert_told(2, -ENODEV, "no cpufreq/cpuinfo_avg_freq");
	assert_told(3, 0, "");
	assert_told(4, -ENOENT, "");
}

static void why_not_the_module(void **state)
{
	(void)state;
	idle_files();
	find();
	fake.open_result = -EACCES;
	assert_told(0, -EACCES, "sudo setcap cap_perfmon+ep");
	amu_there();
	fake.flags = 0;
	assert_told(0, -EOPNOTSUPP, "sudo rmmod m1pmu; sudo modprobe m1pmu amu=1");
	amu_there();
	fake.abi++;
	assert_told(0, -EPROTO, "another version");
	fake.abi--;
	fake.amu_result = -EOPNOTSUPP;
	assert_told(0, -EOPNOTSUPP, "ID_AA64PFR0_EL1.AMU is 0");
	fake.amu_result = 0;
	fake.amu.fixed[0] = fake.amu.fixed[1] = 0;
	assert_told(0, -ENODATA, "firmware has not enabled the activity monitors");
	fake.amu.enabled = 0;
	assert_told(0, -ENODATA, "AMCNTENSET 0x0");
	find();
	assert_path("idle");
	assert_non_null(strstr(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS),
			       "firmware has not enabled the activity monitors"));
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_TIME));
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
		{ CPPC "nominal_freq", "0", -ENODATA, "nominal performance is in MHz", 1 },
		{ CPPC "nominal_perf", "fast", -EINVAL, "nominal_perf: \"fast\"", 1 },
		{ FREQ, "fast", -EINVAL, "cpuinfo_avg_freq: not a frequency", 2 },
		{ FREQ, "", -EINVAL, "cpuinfo_avg_freq", 2 },
		{ CPU_DIR "cpu0/cpuidle/state1/time", "long", -EINVAL, "cpu0/cpuidle", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		idle_files();
		put_all(cppc_files);
		put(FREQ, "3200000");
		find();
		assert_path("cppc");
		put(rows[i].path, rows[i].text);
		assert_told(rows[i].path_number, rows[i].code, rows[i].words);
	}
}

static void stat_without_the_cpu(void **state)
{
	(void)state;
	idle_files();
	find();
	fake_root_remove(bench.root);
	fake_root(bench.root, sizeof(bench.root), machine_files);
	put("proc/stat", "cpu  1 2 3 4 5\ncpu1 1 2 3 4 5");
	find();
	assert_path(NULL);
	put("proc/stat", "cpu  1 2 3 4 5\ncpu0 1 2 3\n");
	find();
	assert_path(NULL);
}

/* An offline core has no files: another one of its type stands for it. */
static void asks_a_core_that_is_online(void **state)
{
	(void)state;
	put(CPU_DIR "online", "1");
	put(CPU_DIR "cpu1/cpuidle/state0/time", "5");
	put("proc/stat", "cpu1 5 0 5 50 5");
	find();
	assert_path("idle");
	assert_int_equal(activity_core_open(&bench.machine, 0,
					    &(struct placement){ .order = { 0 } }, &bench.counting,
					    NULL),
			 0);
	assert_null(bench.counting);
}

/* ---- idle times ---- */

static void active_is_what_idle_states_leave(void **state)
{
	(void)state;
	put(CPU_DIR "cpu0/cpuidle/state0/time", "7000000");
	put(CPU_DIR "cpu0/cpuidle/state1/time", "9000000");
	find();
	begin();
	pass_time(10 * NS_PER_MS);
	put(CPU_DIR "cpu0/cpuidle/state0/time", "7001000");
	put(CPU_DIR "cpu0/cpuidle/state1/time", "9003000");
	end();
	assert_int_equal(gained(ACTIVITY_TIME), window_ns() - 4 * NS_PER_MS);
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_EMPTY);
}

/* More idle than the window is long: the rest is taken off the next ones, and nothing is lost. */
static void idle_comes_in_steps(void **state)
{
	uint64_t total_ns;

	(void)state;
	idle_files();
	find();
	begin();
	pass_time(2 * NS_PER_MS);
	put(CPU_DIR "cpu0/cpuidle/state1/time", "6000");
	end();
	assert_int_equal(gained(ACTIVITY_TIME), 0);
	pass_time(8 * NS_PER_MS);
	end();
	total_ns = window_ns();
	assert_int_equal(gained(ACTIVITY_TIME), total_ns - 6 * NS_PER_MS);
}

static void stat_is_read_to_the_cpu(void **state)
{
	char text[16384];
	size_t n = (size_t)snprintf(text, sizeof(text), "cpu  1 1 1 1 1");
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	for (unsigned cpu = 100; cpu < 300; cpu++) /* the CPU stands beyond the first 4 KiB */
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\ncpu%u 99 99 99 99 99 0 0",
				      cpu);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\ncpu0 10 20 30 ");
	snprintf(text + n, sizeof(text) - n, "40 50 60 70 0 0 0\nintr 0");
	put("proc/stat", text);
	find();
	assert_path("idle");
	begin();
	pass_time(4 * tick_ns);
	snprintf(text + n, sizeof(text) - n, "42 51 60 70 0 0 0\nintr 0"); /* idle and iowait */
	put("proc/stat", text);
	end();
	assert_int_equal(gained(ACTIVITY_TIME), window_ns() - 3 * tick_ns);
}

static void a_file_that_fails_is_lost(void **state)
{
	(void)state;
	idle_files();
	find();
	begin();
	fake.pread_errno = EIO;
	end();
	assert_int_equal(bench.after.state[ACTIVITY_TIME], RAW_LOST);
	fake.pread_errno = 0;
	end();
	assert_int_equal(bench.after.state[ACTIVITY_TIME], RAW_OK);
}

/* Beside other counts the windows are one: theirs. */
static void window_is_that_of_its_neighbours(void **state)
{
	(void)state;
	idle_files();
	find();
	begin();
	activity_core_read(bench.counting, 12345, &bench.after);
	assert_int_equal(bench.after.raw[ACTIVITY_TIME].enabled_ns, 12345);
	assert_int_equal(bench.after.raw[ACTIVITY_TIME].running_ns, 12345);
}

static void what_happens_while_disabled_does_not_count(void **state)
{
	uint64_t before_ns;

	(void)state;
	amu_there();
	find();
	begin();
	fake.amu.fixed[0] += 100;
	activity_core_disable(bench.counting);
	fake.amu.fixed[0] += 1000000;
	end();
	assert_int_equal(gained(ACTIVITY_CYCLES), 100);
	before_ns = window_ns();
	pass_time(NS_PER_MS);
	end();
	assert_int_equal(window_ns(), before_ns);
	activity_core_enable(bench.counting);
	fake.amu.fixed[0] += 10;
	end();
	assert_int_equal(gained(ACTIVITY_CYCLES), 110);
}

/* ---- cpufreq ---- */

static void cycles_are_frequency_times_active_time(void **state)
{
	(void)state;
	idle_files();
	put(FREQ, "3200000");
	find();
	begin();
	pass_time(10 * NS_PER_MS);
	put(CPU_DIR "cpu0/cpuidle/state1/time", "5000");
	put(FREQ, "2000000");
	end();
	assert_int_equal(gained(ACTIVITY_TIME), window_ns() - 5 * NS_PER_MS);
	assert_near(gained(ACTIVITY_CYCLES), 2.0 * (double)gained(ACTIVITY_TIME), 1e-6);
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
	idle_files();
	put(FREQ, "3200000");
	snprintf(fake.fails, sizeof(fake.fails), "3200000");
	for (size_t i = 0; i < ARRAY_SIZE(code); i++) {
		fake.pread_errno = code[i];
		find();
		assert_path("cpufreq");
		begin();
		pass_time(NS_PER_MS);
		end();
		assert_int_equal(gained(ACTIVITY_CYCLES), 0);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
	fake.pread_errno = EIO;
	find();
	assert_path("idle");
	assert_told(2, -EIO, "cpuinfo_avg_freq");
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
	idle_files();
	put_all(cppc_files);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(CPU_DIR "cpu0/cpuidle/state1/time", "0");
		counters(rows[i].ref, rows[i].del);
		find();
		assert_path("cppc");
		begin();
		pass_time(2 * NS_PER_MS);
		put(CPU_DIR "cpu0/cpuidle/state1/time", "1000");
		counters(rows[i].ref_after, rows[i].del_after);
		end();
		assert_int_equal(gained(ACTIVITY_TIME), window_ns() - NS_PER_MS);

		double mhz = (double)gained(ACTIVITY_CYCLES) * 1e3 / (double)gained(ACTIVITY_TIME);

		if (mhz < rows[i].mhz - 0.01 || mhz > rows[i].mhz + 0.01)
			fail_msg("line %d: %.3f MHz", rows[i].line, mhz);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
}

static void cppc_that_is_reset_or_wraps_too_soon(void **state)
{
	(void)state;
	idle_files();
	put_all(cppc_files);
	counters(99999999999000, 99999999999000);
	find();
	begin();
	counters(5000, 5000);
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	counters(6000, 6000);
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_OK);
	activity_core_close(bench.counting);
	bench.counting = NULL;

	put(CPPC "wraparound_time", "1");
	find();
	begin();
	pass_time(NS_PER_S + NS_PER_MS);
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
}

static void an_idle_cpu_may_not_be_asked(void **state)
{
	(void)state;
	idle_files();
	put_all(cppc_files);
	snprintf(fake.fails, sizeof(fake.fails), "ref:");
	fake.pread_errno = EAGAIN;
	find();
	assert_path("cppc");
	begin();
	end();
	assert_int_equal(gained(ACTIVITY_CYCLES), 0);
	fake.pread_errno = 0; /* what was before the first answer is unknown: no jump */
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	fake.pread_errno = EFAULT;
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_LOST);
}

/* ---- AMU ---- */

static void monitors_count(void **state)
{
	(void)state;
	amu_there();
	find();
	begin();
	fake.amu.fixed[0] += 3200000;
	fake.amu.fixed[1] += 25000; /* 1 ms at 25 MHz */
	fake.amu.fixed[2] += 6400000;
	fake.amu.fixed[3] += 320000;
	fake.amu.aux[0] += 7;
	fake.amu.aux[1] += 11;
	end();
	assert_int_equal(gained(ACTIVITY_CYCLES), 3200000);
	assert_int_equal(gained(ACTIVITY_TIME), NS_PER_MS);
	assert_int_equal(gained(ACTIVITY_INSTRUCTIONS), 6400000);
	assert_int_equal(gained(ACTIVITY_STALL), 320000);
	assert_int_equal(gained(ACTIVITY_AUX), 7);
	assert_int_equal(gained(ACTIVITY_AUX + 1), 11);
	assert_int_equal(bench.after.state[ACTIVITY_AUX + 2], RAW_EMPTY);
}

static void monitors_have_names(void **state)
{
	const struct pmu *pmu;

	(void)state;
	amu_there();
	find();
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
	amu_there();
	fake.amu.enabled = 0x10007; /* no memory stall, no second auxiliary */
	find();
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_INSTRUCTIONS));
	assert_non_null(activity_refusal(&bench.machine, 0, ACTIVITY_STALL));
	assert_null(activity_refusal(&bench.machine, 0, ACTIVITY_AUX));
	assert_non_null(activity_refusal(&bench.machine, 0, ACTIVITY_AUX + 1));
}

static void monitors_that_lost_their_state(void **state)
{
	(void)state;
	amu_there();
	find();
	begin();
	fake.amu.fixed[0] = fake.amu.fixed[1] = 10;
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_RESTARTED);
	bench.before = bench.after;
	fake.amu.fixed[0] += 5;
	end();
	assert_int_equal(gained(ACTIVITY_CYCLES), 5);
}

static void monitors_elsewhere(void **state)
{
	(void)state;
	amu_there();
	find();
	begin();
	fake.amu.cpu = 1; /* the thread was moved */
	end();
	assert_int_equal(bench.after.state[ACTIVITY_CYCLES], RAW_LOST);
	fake.amu.cpu = 0;
	fake.amu.fixed[0] = fake.amu.fixed[1] = 0; /* firmware forgot this core */
	end();
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
	amu_there();
	idle_files();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bench.core[0].midr = rows[i].midr;
		find();
		begin();
		pass_time(NS_PER_MS);
		fake.amu.fixed[1] += 25;
		end();
		assert_int_equal(gained(ACTIVITY_TIME), rows[i].is_wrong ? window_ns() : 1000);
		activity_core_close(bench.counting);
		bench.counting = NULL;
	}
}

/* ---- the whole way: simulated cores ---- */

static void simulated_truth(void **state)
{
	struct rig rig = rig_open("clock=virtual");
	struct set set = rig_set(&rig, "cycles,active-cycles,active-time,active-instructions");

	(void)state;
	for (unsigned core = 0; core < rig.sim->machine.n_cores; core++) {
		struct group *group = rig_count(&rig, core, &set);
		struct sample a = rig_read(&rig, group), b;

		rig_advance(&rig, (core + 1) * 7 * NS_PER_S);
		b = rig_read(&rig, group);
		assert_int_equal(rig_gain(&a, &b, 10), rig_gain(&a, &b, 0));
		assert_int_equal(rig_gain(&a, &b, 11),
				 sim_truth_busy_ns(rig.sim, core, a.t_ns, b.t_ns));
		assert_int_equal(rig_gain(&a, &b, 12), sim_truth(rig.sim, core, SIM_ID_INSTRUCTIONS,
								 LEVELS_BOTH, a.t_ns, b.t_ns));
		assert_int_equal(b.raw[10].enabled_ns, b.raw[0].enabled_ns);
		rig.sim->ops->group_close(group);
	}
	rig_close(&rig);
}

/* ---- metrics ---- */

/* Without activity/active-cycles/ the frequency is made of the core PMU's cycles. */
static void frequency_falls_back(void **state)
{
	struct backend_config config = { .sysfs_root = bench.root };
	struct metrics metrics;
	struct err err = { "" };
	int number;

	(void)state;
	idle_files();
	for (unsigned with = 0; with < 2; with++) {
		if (with)
			put(FREQ, "3000000");
		find();
		assert_int_equal(machine_load_catalogs(&bench.machine, config.events_dir, &err), 0);
		assert_int_equal(metrics_make(&bench.machine, &metrics, &err), 0);
		number = metrics_find(&metrics, "frequency");
		assert_true(number >= 0);
		assert_string_equal(metric_input(metrics.metric[number].program[0], 0),
				    with ? "activity/active-cycles/" : "cycles");
		assert_string_equal(metric_input(metrics.metric[number].program[0], 1),
				    "activity/active-time/");
		metrics_fini(&metrics);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_best_path_is_taken),
		TEST(nothing_on_this_machine_is_no_complaint),
		TEST(why_not_the_module),
		TEST(garbage_names_the_file),
		TEST(stat_without_the_cpu),
		TEST(asks_a_core_that_is_online),
		TEST(active_is_what_idle_states_leave),
		TEST(idle_comes_in_steps),
		TEST(stat_is_read_to_the_cpu),
		TEST(a_file_that_fails_is_lost),
		TEST(window_is_that_of_its_neighbours),
		TEST(what_happens_while_disabled_does_not_count),
		TEST(cycles_are_frequency_times_active_time),
		TEST(an_idle_cpu_has_no_frequency),
		TEST(delivered_against_reference),
		TEST(cppc_that_is_reset_or_wraps_too_soon),
		TEST(an_idle_cpu_may_not_be_asked),
		TEST(monitors_count),
		TEST(monitors_have_names),
		TEST(only_what_is_enabled),
		TEST(monitors_that_lost_their_state),
		TEST(monitors_elsewhere),
		TEST(erratum_2457168),
		TEST(simulated_truth),
		TEST(frequency_falls_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
