/*
 * test_x86.c: hardware beside msr and uncore PMUs, and counters that are found by
 * opening them. The kernel here is a MODEL (fake_perf.c); the machine of the tests has no PMU.
 */
#include "metrics/planner.h"
#include "rig/perf_model.h"

/* Hybrid x86, where msr is a sibling of hardware events and refuses what they take. */
static void test_msr_without_exclude_guest(void **state)
{
	static const struct fake_file more[] = {
		{ CPU_DIR "online", "0" },
		{ PMU_DIR "cpu/type", "4" },
		{ PMU_DIR "cpu/format/event", "config:0-7" },
		{ PMU_DIR "software/type", "1" },
		{ PMU_DIR "msr/type", "12" },
		{ PMU_DIR "msr/format/event", "config:0-63" },
		{ NULL, NULL },
	};
	setup_model(state, more);

	struct backend *backend = *state;
	struct event event[] = { event_make(backend, "msr", "event=0", "tsc"),
				 event_make(backend, "software", "config=3", "context-switches"),
				 event_make(backend, "cpu", "event=0x3c", "cycles") };
	struct set set;

	set_of(&set, 0, event, 3);
	backend_perf.group_close(group_of(backend, 0, &set));

	/* the hardware event leads, whatever its column */
	assert_int_equal(fake_perf.open[0].type, FAKE_CPU);
	assert_int_equal(fake_perf.open[0].leader, -1);
	assert_int_equal(fake_perf.open[1].type, FAKE_MSR);
	assert_int_equal(fake_perf.open[1].result, -EINVAL);
	assert_int_equal(fake_perf.open[2].type, FAKE_MSR);
	assert_false(fake_perf.open[2].exclude_guest);
	assert_int_equal(fake_perf.open[2].leader, fake_perf.open[0].result);
	assert_int_equal(fake_perf.open[3].type, FAKE_SOFTWARE);
	assert_true(fake_perf.open[3].exclude_guest);
	assert_int_equal(teardown_model(state), 0);
}

static const struct fake_file slots_files[] = {
	{ CPU_DIR "online", "0" },
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7" },
	{ PMU_DIR "cpu/format/umask", "config:8-15" },
	{ PMU_DIR "cpu/events/slots", "event=0x00,umask=0x4" },
	{ NULL, NULL },
};

/* Their group is led by slots, wherever these stand, and also where nobody asked for them. */
static void test_topdown_follows_slots(void **state)
{
	setup_model(state, slots_files);

	struct backend *backend = *state;
	struct event event[] = { event_make(backend, "cpu", "event=0x3c", "cycles"),
				 event_make(backend, "cpu", "event=0,umask=0x80",
					    "topdown-retiring"),
				 event_make(backend, "cpu", "event=0,umask=0x4", "slots") };
	struct sample before = { 0 }, after = { 0 };
	struct set set;

	for (unsigned n = 3; n >= 2; n--) {
		struct group *group;

		fake_perf.n_opens = 0;
		set_of(&set, 0, event, n);
		group = group_of(backend, 0, &set);
		assert_int_equal(fake_perf.open[0].config, 0x400);
		assert_int_equal(fake_perf.open[0].leader, -1);
		assert_int_equal(fake_perf.n_live, 3);
		backend_perf.group_enable(group);
		assert_int_equal(backend_perf.group_read(group, &before), 0);
		fake_pass(1000);
		assert_int_equal(backend_perf.group_read(group, &after), 0);
		assert_int_equal(after.n_slots, n);
		for (unsigned i = 0; i < n; i++) {
			uint64_t ns = after.raw[i].running_ns - before.raw[i].running_ns;

			assert_int_equal(after.state[i], RAW_OK);
			assert_int_equal(after.raw[i].value - before.raw[i].value,
					 ns * (event[i].config[0] + 1));
		}
		backend_perf.group_close(group);
		assert_int_equal(fake_perf.n_live, 0);
	}
	assert_int_equal(teardown_model(state), 0);
}

/* More than fit beside slots that nobody asked for. */
static void test_topdown_does_not_fit(void **state)
{
	setup_model(state, slots_files);

	struct backend *backend = *state;
	struct event event[6];
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;

	event[0] = event_make(backend, "cpu", "event=0,umask=0x80", "topdown-retiring");
	for (unsigned i = 1; i < ARRAY_SIZE(event); i++)
		event[i] = event_make(backend, "cpu", "event=0x3c", "cycles");
	set_of(&set, 0, event, ARRAY_SIZE(event));
	assert_true(backend_perf.group_open(backend, 0, &set, &group, &err) < 0);
	assert_string_equal(err.text,
			    "cycles does not fit with topdown-retiring, cycles, cycles, cycles, "
			    "cycles on CPU 0: cpu has no counter left for it");
	assert_int_equal(fake_perf.n_live, 0);
	assert_int_equal(teardown_model(state), 0);
}

static void uncore_events(struct backend *backend, struct event *event, unsigned n)
{
	event[0] = event_make(backend, "software", "config=0", "cpu-clock");
	for (unsigned i = 1; i < n; i++)
		event[i] = event_make(backend, "uncore_imc_0", "event=4", "cas_count_read");
}

/* A window of its own: what happens to it does not touch the core's. */
static void test_uncore_group(void **state)
{
	struct event event[4];
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;

	setup_model(state, server_files);
	struct backend *backend = *state;

	uncore_events(backend, event, 4);
	set_of(&set, 0, event, 3);
	group = group_of(backend, 0, &set);
	assert_int_equal(fake_perf.n_live, 3);
	backend_perf.group_enable(group);
	assert_int_equal(fake_perf.n_ioctls, 2);
	backend_perf.group_close(group);

	/* its CPU's group was taken apart: its values are lost, the core's are not */
	struct sample torn = { 0 };

	fake_perf.torn = true;
	group = group_of(backend, 0, &set);
	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &torn), 0);
	assert_memory_equal(torn.state, ((uint8_t[]){ RAW_OK, RAW_LOST, RAW_LOST }), 3);
	backend_perf.group_close(group);
	fake_perf.torn = false;

	/* elsewhere on the package: not this core's business */
	group = group_of(backend, 1, &set);
	struct sample sample = { 0 };

	backend_perf.group_read(group, &sample);
	assert_memory_equal(sample.state, ((uint8_t[]){ RAW_OK, RAW_EMPTY, RAW_EMPTY }), 3);
	backend_perf.group_close(group);

	set_of(&set, 0, event, 4);
	assert_int_equal(backend_perf.group_open(backend, 2, &set, &group, &err), -EINVAL);
	assert_non_null(strstr(err.text, "uncore_imc_0 has no counter left"));
	assert_int_equal(teardown_model(state), 0);
}

/* Each device is a group of its own, two events to a device, more than a core has columns. */
static void test_many_devices(void **state)
{
	enum { DEVICES = 24, EVENTS = 1 + 2 * DEVICES };
	static struct event event[EVENTS];
	struct sample before = { 0 }, after = { 0 };
	struct set set;

	setup_model(state, server_files);
	backend_close(*state);
	for (unsigned i = 0; i < DEVICES; i++) {
		char path[128];

		snprintf(path, sizeof(path), PMU_DIR "uncore_cha_%u/type", i);
		fake_put(model_root, path, "14");
		snprintf(path, sizeof(path), PMU_DIR "uncore_cha_%u/cpumask", i);
		fake_put(model_root, path, "0");
		snprintf(path, sizeof(path), PMU_DIR "uncore_cha_%u/format/event", i);
		fake_put(model_root, path, "config:0-7");
	}
	*state = perf_backend(model_root);

	struct backend *backend = *state;

	event[0] = event_make(backend, "software", "config=0", "cpu-clock");
	for (unsigned i = 1; i < EVENTS; i++) {
		char pmu[32], terms[32];

		snprintf(pmu, sizeof(pmu), "uncore_cha_%u", (i - 1) % DEVICES);
		snprintf(terms, sizeof(terms), "event=%u", i);
		event[i] = event_make(backend, pmu, terms, pmu);
	}
	set_of(&set, 0, event, EVENTS);

	struct group *group = group_of(backend, 0, &set);

	assert_int_equal(fake_perf.n_live, EVENTS);
	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &before), 0);
	fake_pass(1000);
	assert_int_equal(backend_perf.group_read(group, &after), 0);
	assert_int_equal(after.n_slots, EVENTS);
	for (unsigned i = 1; i < EVENTS; i++) {
		uint64_t ns = after.raw[i].running_ns - before.raw[i].running_ns;

		assert_int_equal(after.state[i], RAW_OK);
		assert_int_equal(after.raw[i].value - before.raw[i].value, ns * (i + 1));
	}
	backend_perf.group_close(group);
	assert_int_equal(teardown_model(state), 0);
}

/* How many counters a PMU has is found by opening; the NMI watchdog pins one of them. */
static void test_counters_are_found(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "1" }, /* CPU 0 is off: any online one will do */
		{ PMU_DIR "cpu/type", "4" },
		{ PMU_DIR "cpu/cpus", "0-1" },
		{ PMU_DIR "cpu/format/event", "config:0-7" },
		{ PMU_DIR "cpu/events/cpu-cycles", "event=0x3c" },
		{ PMU_DIR "cpu/events/instructions", "event=0xc0" },
		{ NULL, NULL },
	};
	char text[256];

	setup_model(state, files);
	assert_int_equal(((struct backend *)*state)->machine.type[0].n_counters, 6);
	assert_int_equal(fake_perf.open[0].cpu, 1);
	backend_close(*state);

	fake_perf.pinned = 1;
	fake_put(model_root, "proc/sys/kernel/nmi_watchdog", "1");
	*state = perf_backend(model_root);
	assert_int_equal(((struct backend *)*state)->machine.type[0].n_counters, 5);
	assert_non_null(strstr(backend_perf.holders(*state, text, sizeof(text)),
			       "the kernel's NMI watchdog"));
	fake_put(model_root, "proc/kallsyms", "0000000000000000 T watchdog_buddy_check_hardlockup");
	assert_null(strstr(backend_perf.holders(*state, text, sizeof(text)),
			   "the kernel's NMI watchdog"));

	/* a watchdog on a counter that only cycles can use takes none of ours */
	backend_close(*state);
	fake_perf.pinned = 0;
	*state = perf_backend(model_root);
	assert_int_equal(((struct backend *)*state)->machine.type[0].n_counters, 6);

	/* someone else's pinned events are not the machine's doing */
	fake_perf.pinned = 1;
	fake_put(model_root, "proc/sys/kernel/nmi_watchdog", "0");
	backend_close(*state);
	*state = perf_backend(model_root);
	assert_int_equal(((struct backend *)*state)->machine.type[0].n_counters, 6);
	assert_int_equal(teardown_model(state), 0);
}

static int model_fits(void *data, const struct set *set, struct err *err)
{
	return backend_fits(data, set, err);
}

/* The kernel has six counters: sets that look possible are planned again. */
static void test_plans_fit_the_kernel(void **state)
{
	static const struct fake_file files[] = {
		{ CPU_DIR "online", "0-1" },
		{ PMU_DIR "cpu/type", "4" },
		{ PMU_DIR "cpu/cpus", "0-1" },
		{ PMU_DIR "cpu/format/event", "config:0-7" },
		{ NULL, NULL },
	};
	struct event_table *events;
	struct metrics metrics;
	struct metrics_selection selection;
	struct err err = { "" };
	struct set set;

	setup_model(state, files);

	struct backend *backend = *state;

	backend->machine.type[0].n_counters = 8; /* so it is believed */
	assert_int_equal(event_table_new(&backend->machine, &events), 0);
	assert_int_equal(metrics_make(&backend->machine, &metrics, NULL), 0);
	assert_int_equal(
		metrics_select(&metrics, "a=r1+r2+r3,b=r4+r5,c=r6/r7,d=r8", &selection, &err), 0);

	struct planner_request request = { .events = events,
					   .metrics = &metrics,
					   .selection = &selection,
					   .fits = model_fits,
					   .data = backend };

	assert_int_equal(planner_make(&request, &set, &err), 0);
	assert_int_equal(set_n_mux(&set), 2);
	assert_int_equal(fake_perf.n_live, 0);
	for (unsigned mux = 0; mux < 2; mux++) {
		struct set one;

		set_mux_group(&set, mux, &one);
		assert_true(one.n_slots <= 6);
		backend_perf.group_close(group_of(backend, 1, &one));
	}
	request.fits = NULL;
	assert_int_equal(planner_make(&request, &set, &err), 0);
	assert_int_equal(set_n_mux(&set), 1);
	assert_int_equal(backend_fits(backend, &set, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cpu has no counter left"));
	metrics_selection_fini(&selection);
	metrics_fini(&metrics);
	event_table_free(events);
	assert_int_equal(teardown_model(state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_msr_without_exclude_guest),
		cmocka_unit_test(test_topdown_follows_slots),
		cmocka_unit_test(test_topdown_does_not_fit),
		cmocka_unit_test(test_uncore_group),
		cmocka_unit_test(test_many_devices),
		cmocka_unit_test(test_counters_are_found),
		cmocka_unit_test(test_plans_fit_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
