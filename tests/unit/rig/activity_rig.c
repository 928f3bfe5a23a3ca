/* activity_rig.c: a core whose files, module and monitors answer as a test demands */
#include "rig/activity_rig.h"

#include <stdlib.h>
#include <unistd.h>

const struct fake_file activity_files[] = {
	{ CPU_DIR "online", "0-1" },
	{ NULL, NULL },
};

struct activity_fake activity_fake;

static int fake_open(void)
{
	return activity_fake.open_result ? activity_fake.open_result
					 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int fake_info(int fd, struct m1pmu_info *ret)
{
	(void)fd;
	ret->abi = activity_fake.abi;
	ret->flags = activity_fake.flags;
	return 0;
}

static int fake_amu(int fd, struct m1pmu_amu *ret)
{
	(void)fd;
	*ret = activity_fake.amu;
	return activity_fake.amu_result[activity_fake.amu.cpu];
}

static int fake_amu_on(int fd, unsigned cpu, struct m1pmu_amu *ret)
{
	(void)fd;
	*ret = activity_fake.amu;
	if (cpu && activity_fake.aux_type)
		ret->aux_type[1] = activity_fake.aux_type;
	return activity_fake.amu_result[cpu];
}

static uint64_t fake_hz(void)
{
	return activity_fake.hz;
}

/* Read as sysfs does, where a read may fail with its reason. */
static ssize_t fake_pread(int fd, void *buf, size_t size, off_t at)
{
	ssize_t n = pread(fd, buf, size, at);

	activity_fake.n_preads++;
	if (activity_fake.pread_errno && n > 0 &&
	    strncmp(buf, activity_fake.fails, strlen(activity_fake.fails)) == 0) {
		errno = activity_fake.pread_errno;
		return -1;
	}
	return n;
}

static const struct activity_io fake_io = {
	.pread = fake_pread,
	.open_module = fake_open,
	.info = fake_info,
	.read_amu = fake_amu,
	.read_amu_on = fake_amu_on,
	.counter_hz = fake_hz,
};

struct bench bench;

int bench_setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	memset(&activity_fake, 0, sizeof(activity_fake));
	activity_fake.open_result = -ENOENT;
	activity_fake.abi = M1PMU_ABI;
	fake_root(bench.root, sizeof(bench.root), activity_files);
	return 0;
}

int bench_teardown(void **state)
{
	(void)state;
	activity_core_close(bench.counting);
	machine_fini(&bench.machine);
	fake_root_remove(bench.root);
	return 0;
}

void bench_put(const char *path, const char *text)
{
	fake_put(bench.root, path, text);
}

void bench_put_all(const struct fake_file *file)
{
	for (; file->path; file++)
		bench_put(file->path, file->text);
}

void bench_find(void)
{
	struct core *core = calloc(2, sizeof(*core));

	machine_fini(&bench.machine);
	core[1].cpu = 1;
	core[1].type = bench.n_types == 2;
	core[0].midr = core[1].midr = bench.core[0].midr;
	bench.machine.core = core;
	bench.machine.n_cores = 2;
	bench.machine.n_types = core[1].type + 1;
	bench.machine.n_clusters = 1;
	snprintf(bench.machine.type[0].name, sizeof(bench.machine.type[0].name), "cpu");
	assert_int_equal(activity_find(&bench.machine, bench.root, &fake_io), 0);
}

void bench_assert_path(const char *name)
{
	const char *is = activity_path_name(&bench.machine, 0);

	if (!name)
		assert_null(is);
	else if (!is || strcmp(is, name) != 0)
		fail_msg("the path is %s, not %s", is ? is : "none", name);
}

void bench_assert_refusal(unsigned n, int code, const char *words)
{
	const char *name, *what;
	struct err err = { "" };

	assert_int_equal(activity_probe_path(&bench.machine, 0, n, &name, &what, &err), code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

void bench_begin_on(unsigned cpu)
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

	const struct activity_slots slots = placement_activity(&bench.place, bench.by_task);

	activity_core_close(bench.counting);
	if (activity_core_open(&bench.machine, cpu, &slots, &bench.counting, &err))
		fail_msg("%s", err.text);
	activity_core_enable(bench.counting);
	activity_core_read(bench.counting, 0, &bench.before);
}

void bench_begin(void)
{
	bench_begin_on(0);
}

void bench_end(void)
{
	activity_core_read(bench.counting, 0, &bench.after);
}

uint64_t bench_gained(enum activity_event event)
{
	assert_int_equal(bench.after.state[event], RAW_OK);
	return bench.after.raw[event].value - bench.before.raw[event].value;
}

uint64_t bench_window_ns(void)
{
	return bench.after.raw[ACTIVITY_TIME].enabled_ns -
	       bench.before.raw[ACTIVITY_TIME].enabled_ns;
}

void bench_pass_time(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns() + ns;

	while (clock_now_ns() < end_ns)
		;
}

const struct fake_file activity_cppc_files[] = {
	{ CPPC "feedback_ctrs", "ref:1000 del:2000" },
	{ CPPC "reference_perf", "100" },
	{ CPPC "nominal_perf", "300" },
	{ CPPC "nominal_freq", "3000" },
	{ CPPC "wraparound_time", "18446744073709551615" },
	{ NULL, NULL },
};

void bench_put_idle(void)
{
	bench_put(CPU_DIR "cpu0/cpuidle/state0/time", "0");
	bench_put(CPU_DIR "cpu0/cpuidle/state1/time", "0");
}

void bench_add_amu(void)
{
	activity_fake.open_result = 0;
	activity_fake.flags = M1PMU_AMU;
	activity_fake.hz = 25000000;
	activity_fake.amu = (struct m1pmu_amu){ .enabled = 0x3000f,
						.n_aux = 2,
						.fixed = { 1000, 1000, 1000, 1000 },
						.aux = { 10, 20 },
						.aux_type = { 0x300, 0x301 } };
}
