/*
 * test_perf.c: the perf backend on the kernel that runs the test: real software, msr and
 * (as software under another name) uncore events. What takes a hardware PMU is in
 * test_model.c.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rig/fake_root.h"
#include "rig/perf_help.h"

/* linux/perf_event.h, whose include is the backend's own */
#define SW_CPU_CLOCK "config=0"
#define SW_FAULTS    "config=2"
#define SW_SWITCHES  "config=3"

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void touch_pages(unsigned n)
{
	long size = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, n * (size_t)size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise(memory, n * (size_t)size, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < n; i++)
		((volatile char *)memory)[i * (size_t)size] = 1;
	munmap(memory, n * (size_t)size);
}

static void test_open(void **state)
{
	struct backend *backend = need_backend(state);

	assert_true(backend->pins);
	assert_false(backend->machine.simulated);
	assert_true(backend->machine.n_cores > 0);
	assert_int_equal(backend->machine.type[0].width, 64);
	assert_non_null(backend->machine.type[0].catalog);
	if (!backend->machine.type[0].pmu)
		assert_non_null(strstr(backend->note.text, "no hardware counters here"));
}

static void test_options_and_cpus(void **state)
{
	struct backend_config config = { .options = "seed=7" };
	struct backend *backend = need_backend(state);
	unsigned last = backend->machine.core[backend->machine.n_cores - 1].cpu;
	char keep[16];
	struct err err = { "" };

	backend = NULL;
	assert_int_equal(backend_perf.open(&config, &backend, &err), -EINVAL);
	assert_null(backend);
	assert_non_null(strstr(err.text, "seed=7"));
	config.options = NULL;
	config.cpus = keep;
	snprintf(keep, sizeof(keep), "%u", (unsigned)last);
	assert_int_equal(backend_perf.open(&config, &backend, &err), 0);
	assert_int_equal(backend->machine.n_cores, 1);
	assert_int_equal(backend->machine.core[0].cpu, last);
	backend_close(backend);
}

/* @ret_ns  how long it took: no two clocks in the sample are further apart */
static uint64_t timed_read(struct group *group, struct sample *ret, uint64_t *ret_ns)
{
	uint64_t from_ns = clock_now_ns();

	assert_int_equal(backend_perf.group_read(group, ret), 0);
	*ret_ns = clock_now_ns() - from_ns;
	return from_ns;
}

/* One group a core; the clocks agree, the page faults that were made are there. */
static void test_counts_on_every_core(void **state)
{
	enum { CLOCK, FAULTS, SWITCHES, N };
	struct backend *backend = need_backend(state);
	struct event event[N] = {
		[CLOCK] = event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock"),
		[FAULTS] = event_make(backend, "software", SW_FAULTS, "page-faults"),
		[SWITCHES] = event_make(backend, "software", SW_SWITCHES, "context-switches"),
	};
	struct set set;

	set_of(&set, 0, event, N);
	for (unsigned c = 0; c < backend->machine.n_cores && c < 4; c++) {
		struct sample before = { 0 }, after = { 0 };

		pin(backend->machine.core[c].cpu);
		struct group *group = group_of(backend, c, &set);

		assert_int_equal(backend_perf.group_enable(group), 0);
		uint64_t took_ns[2], from_ns = timed_read(group, &before, &took_ns[0]);

		touch_pages(1000);
		sleep_ms(20);

		double window = (double)(timed_read(group, &after, &took_ns[1]) - from_ns);
		double apart = (double)(took_ns[0] + took_ns[1]);
		uint64_t enabled = after.raw[0].enabled_ns - before.raw[0].enabled_ns;
		uint64_t clock = after.raw[CLOCK].value - before.raw[CLOCK].value;

		assert_int_equal(after.n_slots, N);
		assert_near((double)enabled, window, 0.02 * window + apart);
		assert_near((double)clock, (double)enabled, 0.02 * window + apart);
		assert_true(after.raw[FAULTS].value - before.raw[FAULTS].value >= 1000);
		assert_true(after.raw[SWITCHES].value > before.raw[SWITCHES].value);
		for (unsigned i = 0; i < SLOTS_MAX; i++) {
			assert_int_equal(after.state[i], i < N ? RAW_OK : RAW_EMPTY);
			assert_int_equal(after.raw[i].enabled_ns, after.raw[i].running_ns);
		}
		backend_perf.group_close(group);
	}
}

/* msr refuses exclude_guest: it is opened without it, beside events that keep it. */
static void test_tsc_against_the_clock(void **state)
{
	struct backend *backend = need_backend(state);
	uint64_t took_ns[3];
	double rate[2], apart[2];

	if (!pmu_find(&backend->machine.pmus, "msr"))
		skip();

	struct event event[] = {
		event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock"),
		event_make(backend, "msr", "event=0", "tsc"),
	};
	struct set set;

	set_of(&set, 0, event, 2);
	pin(backend->machine.core[0].cpu);
	struct group *group = group_of(backend, 0, &set);
	struct sample sample[3] = { { 0 } };

	backend_perf.group_enable(group);
	for (unsigned i = 0; i < 3; i++) {
		timed_read(group, &sample[i], &took_ns[i]);
		sleep_ms(30 * i + 30);
	}
	for (unsigned i = 0; i < 2; i++) {
		double ns = (double)(sample[i + 1].raw[1].enabled_ns - sample[i].raw[1].enabled_ns);

		rate[i] = (double)(sample[i + 1].raw[1].value - sample[i].raw[1].value) / ns;
		apart[i] = (double)(took_ns[i] + took_ns[i + 1]) / ns;
	}
	assert_in_range((uint64_t)(rate[0] * 1000), 500, 6000); /* MHz */
	assert_near(rate[0] / rate[1], 1, 0.005 + 2 * (apart[0] + apart[1]));
	backend_perf.group_close(group);
}

/* Faults in user mode only: the kernel's own copy to user memory faults as kernel. */
static void test_privilege(void **state)
{
	enum { USER, KERNEL, BOTH, N };
	struct backend *backend = need_backend(state);
	struct event event[N];
	struct set set;
	struct sample sample = { 0 };
	long size = sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < N; i++)
		event[i] = event_make(backend, "software", SW_FAULTS, "page-faults");
	event[USER].privilege = PRIVILEGE_USER;
	event[KERNEL].privilege = PRIVILEGE_KERNEL;
	set_of(&set, 0, event, N);
	pin(backend->machine.core[0].cpu);

	AUTO_FD int zero = open("/dev/zero", O_RDONLY);
	char *memory = mmap(NULL, 500 * (size_t)size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, 500 * (size_t)size, MADV_NOHUGEPAGE);
	struct group *group = group_of(backend, 0, &set);

	backend_perf.group_enable(group);
	touch_pages(1000);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(read(zero, memory + i * (size_t)size, 8), 8);
	backend_perf.group_read(group, &sample);
	assert_true(sample.raw[USER].value >= 1000);
	assert_true(sample.raw[KERNEL].value >= 500);
	assert_int_equal(sample.raw[USER].value + sample.raw[KERNEL].value, sample.raw[BOTH].value);
	backend_perf.group_close(group);
	munmap(memory, 500 * (size_t)size);
}

/* A slot the table refused, one the kernel does not know, one whose PMU has no levels. */
static void test_uncountable_slots(void **state)
{
	struct backend *backend = need_backend(state);
	bool has_msr = pmu_find(&backend->machine.pmus, "msr");
	struct event event[] = {
		event_make(backend, "software", SW_SWITCHES, "context-switches"),
		event_make(backend, "software", "config=999", "nonsense"),
		event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock"),
		event_make(backend, has_msr ? "msr" : "software", "config=0", "tsc:u"),
	};
	struct sample sample = { 0 };
	struct group *group;
	struct err err = { "" };
	struct set set;

	snprintf(event[0].refused, sizeof(event[0].refused), ":u is ignored by context-switches");
	event[0].pmu = NULL;
	event[3].privilege = PRIVILEGE_USER;
	set_of(&set, 0, event, 4);
	assert_int_equal(backend_perf.group_open(backend, 0, &set, &group, &err), 0);
	assert_non_null(strstr(err.text, "nonsense on CPU 0: this PMU has no such event"));
	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &sample), 0);
	assert_int_equal(sample.state[0], RAW_UNSUPPORTED);
	assert_int_equal(sample.state[1], RAW_UNSUPPORTED);
	assert_int_equal(sample.state[2], RAW_OK);
	if (has_msr) {
		assert_int_equal(sample.state[3], RAW_UNSUPPORTED);
		assert_non_null(strstr(err.text, "tsc:u on CPU 0: its PMU cannot tell"));
	}
	backend_perf.group_close(group);
}

/* A mux group that is enabled again counts again, all of it. */
static void test_mux_groups_count_again(void **state)
{
	struct backend *backend = need_backend(state);
	struct event event[] = { event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock"),
				 event_make(backend, "software", SW_FAULTS, "page-faults") };
	struct sample before = { 0 }, after = { 0 };
	struct set set;

	set_of(&set, 0, event, 2);
	pin(backend->machine.core[0].cpu);

	struct group *group = group_of(backend, 0, &set);

	for (unsigned mux = 0; mux < 3; mux++) {
		assert_int_equal(backend_perf.group_enable(group), 0);
		assert_int_equal(backend_perf.group_read(group, &before), 0);
		touch_pages(1000);
		assert_int_equal(backend_perf.group_read(group, &after), 0);
		assert_int_equal(backend_perf.group_disable(group), 0);
		assert_true(after.raw[0].value > before.raw[0].value);
		assert_true(after.raw[1].value - before.raw[1].value >= 1000);
		touch_pages(1000);
	}
	backend_perf.group_close(group);
}

static void test_disabled_stands_still(void **state)
{
	struct backend *backend = need_backend(state);
	struct event event = event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock");
	struct sample sample[3] = { { 0 } };
	struct set set;

	set_of(&set, 0, &event, 1);
	struct group *group = group_of(backend, 0, &set);

	assert_int_equal(backend_perf.group_read(group, &sample[0]), 0);
	assert_int_equal(sample[0].raw[0].enabled_ns, 0);
	backend_perf.group_enable(group);
	sleep_ms(2);
	backend_perf.group_disable(group);
	assert_int_equal(backend_perf.group_read(group, &sample[1]), 0);
	sleep_ms(2);
	assert_int_equal(backend_perf.group_read(group, &sample[2]), 0);
	assert_true(sample[1].raw[0].value > 0);
	assert_int_equal(sample[1].raw[0].value, sample[2].raw[0].value);
	backend_perf.group_close(group);
}

/* An uncore PMU by its files; its type is software's, so that its events open for real. */
static void test_uncore_only_on_its_cpus(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0-1" },
		{ PMU_DIR "software/type", "1" },
		{ PMU_DIR "uncore_imc_0/type", "1" },
		{ PMU_DIR "uncore_imc_0/cpumask", "0" },
		{ PMU_DIR "uncore_imc_0/format/event", "config:0-7" },
		{ PMU_DIR "uncore_imc_1/type", "1" },
		{ PMU_DIR "uncore_imc_1/cpumask", "0" },
		{ PMU_DIR "uncore_imc_1/format/event", "config:0-7" },
		{ NULL, NULL },
	};
	char root[64];

	need_backend(state);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	struct backend *backend = perf_backend(fake_root(root, sizeof(root), files));
	struct event event[] = {
		event_make(backend, "software", SW_CPU_CLOCK, "cpu-clock"),
		event_make(backend, "uncore_imc_0", "event=0", "imc0"),
		event_make(backend, "uncore_imc_1", "event=0", "imc1"),
		event_make(backend, "uncore_imc_0", "event=2", "imc0-b"),
	};
	struct set set;
	static const uint8_t expected[2][4] = {
		{ RAW_OK, RAW_OK, RAW_OK, RAW_OK },
		{ RAW_OK, RAW_EMPTY, RAW_EMPTY, RAW_EMPTY },
	};

	set_of(&set, 0, event, 4);
	for (unsigned c = 0; c < 2; c++) {
		struct sample sample = { 0 };
		struct group *group = group_of(backend, c, &set);

		backend_perf.group_enable(group);
		sleep_ms(3);
		assert_int_equal(backend_perf.group_read(group, &sample), 0);
		assert_memory_equal(sample.state, expected[c], 4);
		assert_int_equal(sample.n_slots, c ? 1 : 4);
		if (!c) {
			/* a group of its own each: read one after the other, times differ */
			assert_int_equal(sample.raw[1].enabled_ns, sample.raw[3].enabled_ns);
			assert_int_not_equal(sample.raw[1].enabled_ns, sample.raw[2].enabled_ns);
			assert_true(sample.raw[1].value > 2000000);
		}
		backend_perf.group_close(group);
	}
	backend_close(backend);
	fake_root_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_options_and_cpus),
		cmocka_unit_test(test_counts_on_every_core),
		cmocka_unit_test(test_tsc_against_the_clock),
		cmocka_unit_test(test_privilege),
		cmocka_unit_test(test_uncountable_slots),
		cmocka_unit_test(test_mux_groups_count_again),
		cmocka_unit_test(test_disabled_stands_still),
		cmocka_unit_test(test_uncore_only_on_its_cpus),
	};

	return cmocka_run_group_tests(tests, setup_real, teardown_real);
}
