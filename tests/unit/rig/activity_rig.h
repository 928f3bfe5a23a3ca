/* activity_rig.h: a core whose files, module and monitors answer as a test tells them */
#ifndef TESTS_ACTIVITY_RIG_H
#define TESTS_ACTIVITY_RIG_H

#include "rig/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "rig/fake_root.h"
#include "activity/path.h"
#include "event/placement.h"
#include "backend/kmod/m1pmu_abi.h"

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
	int amu_result[2]; /* of reading the monitors, by CPU */
	uint64_t aux_type; /* of CPU 1's second auxiliary counter; 0: as CPU 0's */
	struct m1pmu_amu amu;
	uint64_t hz;
	int pread_errno; /* of files that are not regular answers; 0: they answer */
	char fails[64];  /* a file that begins so is the one that fails */
} fake;

static inline int fake_open(void)
{
	return fake.open_result ? fake.open_result : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static inline int fake_info(int fd, struct m1pmu_info *ret)
{
	(void)fd;
	ret->abi = fake.abi;
	ret->flags = fake.flags;
	return 0;
}

static inline int fake_amu(int fd, struct m1pmu_amu *ret)
{
	(void)fd;
	*ret = fake.amu;
	return fake.amu_result[fake.amu.cpu];
}

static inline int fake_amu_on(int fd, unsigned cpu, struct m1pmu_amu *ret)
{
	(void)fd;
	*ret = fake.amu;
	if (cpu && fake.aux_type)
		ret->aux_type[1] = fake.aux_type;
	return fake.amu_result[cpu];
}

static inline uint64_t fake_hz(void)
{
	return fake.hz;
}

/* What sysfs does: a read may fail with the reason for it. */
static inline ssize_t fake_pread(int fd, void *buf, size_t size, off_t at)
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
	.read_amu_on = fake_amu_on,
	.counter_hz = fake_hz,
};

/* ---- a core of a machine with some files ---- */

struct bench {
	char root[64];
	struct machine machine;
	struct core core[2];
	unsigned n_types; /* 2: each core is of another; else both of one */
	struct pmu *pmu;
	struct event event[SLOTS_MAX];
	struct placement place;
	struct activity_core *counting;
	struct sample before, after;
};

static struct bench bench;

static inline int setup(void **state)
{
	(void)state;
	memset(&bench, 0, sizeof(bench));
	memset(&fake, 0, sizeof(fake));
	fake.open_result = -ENOENT;
	fake.abi = M1PMU_ABI;
	fake_root(bench.root, sizeof(bench.root), machine_files);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	activity_core_close(bench.counting);
	machine_fini(&bench.machine);
	fake_root_remove(bench.root);
	return 0;
}

static inline void put(const char *path, const char *text)
{
	fake_put(bench.root, path, text);
}

static inline void put_all(const struct fake_file *file)
{
	for (; file->path; file++)
		put(file->path, file->text);
}

static inline void find(void)
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

static inline void assert_path(const char *name)
{
	const char *is = activity_path_name(&bench.machine, 0);

	if (!name)
		assert_null(is);
	else if (!is || strcmp(is, name) != 0)
		fail_msg("the path is %s, not %s", is ? is : "none", name);
}

/* What the path before the one used, or any, says is in its way. */
static inline void assert_told(unsigned n, int code, const char *words)
{
	const char *name, *what;
	struct err err = { "" };

	assert_int_equal(activity_ask(&bench.machine, 0, n, &name, &what, &err), code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static inline void assert_not_told(unsigned n, const char *words)
{
	const char *name, *what;
	struct err err = { "" };

	activity_ask(&bench.machine, 0, n, &name, &what, &err);
	if (strstr(err.text, words))
		fail_msg("\"%s\" says \"%s\"", err.text, words);
}

/* Count all events on a CPU, event n in slot n. */
static inline void begin_on(unsigned cpu)
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

	const struct activity_slots slots = placement_activity(&bench.place);

	activity_core_close(bench.counting);
	if (activity_core_open(&bench.machine, cpu, &slots, &bench.counting, &err))
		fail_msg("%s", err.text);
	activity_core_enable(bench.counting);
	activity_core_read(bench.counting, 0, &bench.before);
}

static inline void begin(void)
{
	begin_on(0);
}

static inline void end(void)
{
	activity_core_read(bench.counting, 0, &bench.after);
}

static inline uint64_t gained(enum activity_event event)
{
	assert_int_equal(bench.after.state[event], RAW_OK);
	return bench.after.raw[event].value - bench.before.raw[event].value;
}

static inline uint64_t window_ns(void)
{
	return bench.after.raw[ACTIVITY_TIME].enabled_ns -
	       bench.before.raw[ACTIVITY_TIME].enabled_ns;
}

static inline void assert_near(uint64_t is, double wanted, double share)
{
	if ((double)is < wanted * (1 - share) || (double)is > wanted * (1 + share))
		fail_msg("%llu is not near %.0f", (unsigned long long)is, wanted);
}

static inline void pass_time(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns() + ns;

	while (clock_now_ns() < end_ns)
		;
}

static inline void counters(unsigned long long ref, unsigned long long del)
{
	char text[64];

	snprintf(text, sizeof(text), "ref:%llu del:%llu", ref, del);
	put(CPPC "feedback_ctrs", text);
}

static const struct fake_file cppc_files[] = {
	{ CPPC "feedback_ctrs", "ref:1000 del:2000" },
	{ CPPC "reference_perf", "100" },
	{ CPPC "nominal_perf", "300" },
	{ CPPC "nominal_freq", "3000" },
	{ CPPC "wraparound_time", "18446744073709551615" },
	{ NULL, NULL },
};

static inline void idle_files(void)
{
	put(CPU_DIR "cpu0/cpuidle/state0/time", "0");
	put(CPU_DIR "cpu0/cpuidle/state1/time", "0");
}

static inline void install_module(void)
{
	struct utsname kernel;
	char path[160];

	uname(&kernel);
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", kernel.release);
	put(path, "kernel/drivers/perf/other.ko.xz:\nupdates/dkms/m1pmu.ko.xz:\n");
}

static inline void amu_there(void)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
