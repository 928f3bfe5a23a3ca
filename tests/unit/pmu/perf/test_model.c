/*
 * test_model.c: what the perf backend makes of a hardware PMU's peculiarities. The
 * kernel here is a MODEL (fake_perf.c, in place of the system calls): hogs, groups that never run,
 * exclude_guest, torn groups and too few descriptors cannot be had from a machine without a PMU.
 * The real Apple driver is exercised in the virtual machine; real system calls in
 * test_perf.c.
 */
#include "rig/perf_model.h"

enum { TYPE_E, TYPE_P };
enum { E_CORE = 0, P_CORE = 4 };

#define P_PMU "apple_firestorm_pmu"

static int setup_m1(void **state)
{
	return setup_model(state, m1_files);
}

static struct event p_event(const struct backend *backend, unsigned id)
{
	char terms[32], name[32];

	snprintf(terms, sizeof(terms), "event=%u", id);
	snprintf(name, sizeof(name), "EV_%02X", id);
	return event_make(backend, P_PMU, terms, name);
}

static void test_apple_is_described(void **state)
{
	const struct backend *backend = *state;

	for (unsigned t = 0; t < 2; t++) {
		assert_int_equal(backend->machine.type[t].n_counters, 10);
		assert_true(backend->machine.type[t].first_fit);
		assert_false(backend->machine.type[t].slot_is_counter);
	}
	assert_string_equal(backend->note.text, "");
}

/* Ten at once when the hardest come first; each value lands in its own column. */
static void test_ten_events_hardest_first(void **state)
{
	static const uint8_t id[10] = { 2, 0x8c, 0x01, 0x03, 0x04, 0x8d, 0x8e, 0x90, 0x05, 0x06 };
	static const uint16_t order[10] = { 1, 5, 6, 7, 0, 2, 3, 4, 8, 9 };
	struct backend *backend = *state;
	struct event event[10];
	struct sample before = { 0 }, after = { 0 };
	struct set set;

	for (unsigned i = 0; i < 10; i++)
		event[i] = p_event(backend, id[i]);
	set_of(&set, TYPE_P, event, 10);
	memcpy(set.type[TYPE_P].order, order, sizeof(order));

	struct group *group = group_of(backend, P_CORE, &set);

	assert_int_equal(fake_perf.open[0].config, 0x8c);
	assert_int_equal(fake_perf.open[9].config, 0x06);
	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &before), 0);
	fake_pass(1000000);
	assert_int_equal(backend_perf.group_read(group, &after), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(after.state[i], RAW_OK);
		assert_int_equal(after.raw[i].enabled_ns - before.raw[i].enabled_ns, 1001000);
		assert_int_equal(after.raw[i].running_ns, after.raw[i].enabled_ns);
		assert_int_equal(after.raw[i].value - before.raw[i].value, 1001000 * (id[i] + 1));
	}
	/* one system call a tick, one a change, for all ten */
	assert_int_equal(fake_perf.n_reads, 2);
	assert_int_equal(fake_perf.n_ioctls, 1);
	backend_perf.group_close(group);
}

static void test_fourth_event_of_pmc5_to_7(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 0x8d), p_event(backend, 0x8e),
				 p_event(backend, 0x90), p_event(backend, 0x91) };
	struct group *group = NULL;
	struct err err = { "" };
	struct set set;

	set_of(&set, TYPE_P, event, 4);
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), -EINVAL);
	assert_string_equal(err.text, "EV_91 does not fit with EV_8D, EV_8E, EV_90 on CPU 4: "
				      "apple_firestorm_pmu has no counter left for it");
	assert_null(group);
	assert_int_equal(fake_perf.n_live, 0);
}

/* exclude_guest where the driver insists on it, none of the bits where the PMU refuses them. */
static void test_exclusion_per_event(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 0x8d), p_event(backend, 0x03),
				 event_make(backend, "software", "config=0", "cpu-clock") };
	struct set set;

	event[0].privilege = PRIVILEGE_USER;
	event[1].privilege = PRIVILEGE_KERNEL;
	set_of(&set, TYPE_P, event, 3);
	backend_perf.group_close(group_of(backend, P_CORE, &set));
	assert_int_equal(fake_perf.n_opens, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(fake_perf.open[i].exclude_guest);
		assert_int_equal(fake_perf.open[i].exclude_kernel, i == 0);
		assert_int_equal(fake_perf.open[i].exclude_hv, i == 0);
		assert_int_equal(fake_perf.open[i].exclude_user, i == 1);
		assert_int_equal(fake_perf.open[i].disabled, i == 0);
	}
}

/* A hog's pinned events: accepted, enabled, and never run; the frame's standing comes from this. */
static void test_group_that_never_runs(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 0x8d), p_event(backend, 0x01),
				 event_make(backend, "software", "config=0", "cpu-clock") };
	struct sample sample = { 0 };
	struct set set;

	fake_perf.pinned = 0xe0;
	set_of(&set, TYPE_P, event, 3);
	struct group *group = group_of(backend, P_CORE, &set);

	backend_perf.group_enable(group);
	fake_pass(1000000);
	assert_int_equal(backend_perf.group_read(group, &sample), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(sample.state[i], RAW_OK);
		assert_int_equal(sample.raw[i].enabled_ns, 1001000);
		assert_int_equal(sample.raw[i].running_ns, 0);
	}
	fake_perf.pinned = 0;
	fake_pass(1000000);
	assert_int_equal(backend_perf.group_read(group, &sample), 0);
	assert_int_equal(sample.raw[0].running_ns, 1001000);
	assert_int_equal(sample.raw[0].enabled_ns, 2002000);
	backend_perf.group_close(group);
}

static void test_core_that_goes_offline(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 2), p_event(backend, 0x8c) };
	struct group *group;
	struct err err = { "" };
	struct set set;

	/* two events: the leader comes back alone; one event: its time stands still */
	for (unsigned n = 2; n >= 1; n--) {
		struct sample sample = { 0 };

		fake_perf.offline = -1;
		set_of(&set, TYPE_P, event, n);
		group = group_of(backend, P_CORE, &set);
		backend_perf.group_enable(group);
		assert_int_equal(backend_perf.group_read(group, &sample), 0);
		fake_perf.offline = 4;
		fake_pass(1000000);
		assert_int_equal(backend_perf.group_read(group, &sample), -ENODEV);
		backend_perf.group_close(group);
	}

	set_of(&set, TYPE_P, event, 2);
	fake_perf.offline = -1;
	fake_perf.torn = true;
	group = group_of(backend, P_CORE, &set);
	backend_perf.group_enable(group);
	assert_int_equal(backend_perf.group_read(group, &(struct sample){ 0 }), -ENODEV);
	backend_perf.group_close(group);

	fake_perf.offline = 4;
	fake_put(model_root, CPU_DIR "online", "0-3,5-6");
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), -ENODEV);
	assert_string_equal(err.text, "CPU 4 is offline");
}

/* Offline since before m1top began: its software events open once it is back. */
static void test_core_that_comes_late(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 2),
				 event_make(backend, "software", "config=0", "cpu-clock") };
	struct group *group;
	struct sample sample = { 0 };
	struct set set;

	assert_int_equal(backend->machine.core[7].cpu, 7);
	fake_perf.offline = 7;
	set_of(&set, TYPE_P, event, 2);
	assert_int_equal(backend_perf.group_open(backend, 7, &set, &group, NULL), -ENODEV);
	fake_perf.offline = -1;
	fake_put(model_root, CPU_DIR "online", "0-7");
	group = group_of(backend, 7, &set);
	assert_int_equal(backend_perf.group_read(group, &sample), 0);
	assert_int_equal(sample.state[0], RAW_OK);
	assert_int_equal(sample.state[1], RAW_OK);
	backend_perf.group_close(group);
}

static void test_reads_that_fail(void **state)
{
	static const struct {
		int read_result;
		int rc;
	} rows[] = { { 0, 0 }, { -EIO, 0 }, { -ENODEV, -ENODEV } };
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 2), p_event(backend, 0x8c) };
	struct set set;

	set_of(&set, TYPE_P, event, 2);
	struct group *group = group_of(backend, P_CORE, &set);

	backend_perf.group_enable(group);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample sample = { 0 };

		fake_perf.read_result = rows[i].read_result;
		assert_int_equal(backend_perf.group_read(group, &sample), rows[i].rc);
		if (!rows[i].rc)
			assert_memory_equal(sample.state, ((uint8_t[]){ RAW_LOST, RAW_LOST }), 2);
	}
	backend_perf.group_close(group);
}

static void test_event_that_the_pmu_lacks(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, FAKE_UNKNOWN), p_event(backend, 2),
				 event_make(backend, "apple_icestorm_pmu", "event=2", "E_CYCLES") };
	struct group *group;
	struct sample sample = { 0 };
	struct err err = { "" };
	struct set set;

	set_of(&set, TYPE_P, event, 3);
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), 0);
	assert_string_equal(err.text, "EV_FD on CPU 4: this PMU has no such event");
	backend_perf.group_enable(group);
	backend_perf.group_read(group, &sample);
	/* the next one leads; an E core's event is not even tried on a P core */
	assert_int_equal(fake_perf.open[1].leader, -1);
	assert_int_equal(fake_perf.n_opens, 2);
	assert_memory_equal(sample.state,
			    ((uint8_t[]){ RAW_UNSUPPORTED, RAW_OK, RAW_UNSUPPORTED, RAW_EMPTY }),
			    4);
	backend_perf.group_close(group);
}

/* EINVAL is what a full group says, too: the event alone tells which it is. */
static void test_event_that_is_never_accepted(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 2), p_event(backend, FAKE_WRONG),
				 p_event(backend, 3) };
	struct group *group;
	struct sample sample = { 0 };
	struct err err = { "" };
	struct set set;

	set_of(&set, TYPE_P, event, 3);
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), 0);
	assert_string_equal(err.text, "EV_FC on CPU 4: the kernel does not accept its encoding");
	backend_perf.group_read(group, &sample);
	assert_memory_equal(sample.state, ((uint8_t[]){ RAW_OK, RAW_UNSUPPORTED, RAW_OK }), 3);
	backend_perf.group_close(group);
}

static void test_too_few_descriptors(void **state)
{
	struct backend *backend = *state;
	struct event event[] = { p_event(backend, 2), p_event(backend, 3), p_event(backend, 4) };
	struct group *group;
	struct sample sample = { 0 };
	struct err err = { "" };
	struct set set;

	fake_perf.open_max = 2;
	set_of(&set, TYPE_P, event, 3);
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), 0);
	assert_string_equal(err.text, "EV_04 on CPU 4: no file descriptors are left "
				      "(raise `ulimit -n`; `m1top doctor` says how far)");
	backend_perf.group_read(group, &sample);
	assert_memory_equal(sample.state, ((uint8_t[]){ RAW_OK, RAW_OK, RAW_UNSUPPORTED }), 3);
	backend_perf.group_close(group);
}

/* Some descriptors are left for the log and the terminal. */
static void test_descriptors_are_spared(void **state)
{
	struct event event[SLOTS_MAX];
	struct backend *backend = *state;
	struct err err = { "" };
	struct group *group;
	struct set set;

	for (unsigned i = 0; i < SLOTS_MAX; i++)
		event[i] = event_make(backend, "software", "config=0", "cpu-clock");
	set_of(&set, TYPE_P, event, SLOTS_MAX);
	fake_perf.fd_soft = 32 + 10;
	assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err), 0);
	assert_in_range(fake_perf.n_live, 1, 10);
	assert_non_null(strstr(err.text, "no file descriptors are left"));
	backend_perf.group_close(group);
}

/* That none are left is no lack of counters: 7 CPUs take 2 groups of up to 16, and 64 others. */
static void test_no_descriptors(void **state)
{
	struct backend_config config = { .sysfs_root = model_root };
	struct err err = { "" };

	(void)state;
	fake_perf.fd_soft = 32;
	assert_int_equal(backend_perf.probe(&config, &err), -EMFILE);
	assert_string_equal(err.text, "no file descriptors are left to count with: 32 are allowed, "
				      "288 are enough for every event; to raise the limit: "
				      "ulimit -n 288, or sudo prlimit --pid $$ --nofile=288");
}

static void test_not_permitted(void **state)
{
	static const struct {
		int deny, probe, open;
		const char *says;
	} rows[] = {
		{ EACCES, -EACCES, -EACCES, "kernel.perf_event_paranoid is 2" },
		{ EACCES, -EACCES, -EACCES, "  sudo sysctl kernel.perf_event_paranoid=0" },
		{ EPERM, -EACCES, -EACCES, "seccomp" },
		{ ENOSYS, -ENODEV, 0, "perf_event_open is missing" },
	};
	struct backend *backend = *state;
	struct backend_config config = { .sysfs_root = model_root };
	struct event event = p_event(backend, 2);
	struct set set;

	fake_put(model_root, "proc/sys/kernel/perf_event_paranoid", "2");
	set_of(&set, TYPE_P, &event, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct group *group = NULL;
		struct err err = { "" };

		fake_perf.deny = rows[i].deny;
		assert_int_equal(backend_perf.probe(&config, &err), rows[i].probe);
		assert_non_null(strstr(err.text, rows[i].says));
		assert_int_equal(backend_perf.group_open(backend, P_CORE, &set, &group, &err),
				 rows[i].open);
		backend_perf.group_close(group);
	}
	fake_perf.deny = 0;
	assert_int_equal(backend_perf.probe(&config, NULL), 0);
}

static void test_all_config_words_arrive(void **state)
{
	struct backend *backend = *state;
	struct event event = event_make(backend, P_PMU, "config=2,config3=0x77", "wide");
	struct set set;

	set_of(&set, TYPE_P, &event, 1);
	backend_perf.group_close(group_of(backend, P_CORE, &set));
	assert_true(fake_perf.open[0].size >= 136);
	assert_int_equal(fake_perf.open[0].config3, 0x77);
}

#define ON_M1(test) cmocka_unit_test_setup_teardown(test, setup_m1, teardown_model)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_M1(test_apple_is_described),
		ON_M1(test_ten_events_hardest_first),
		ON_M1(test_fourth_event_of_pmc5_to_7),
		ON_M1(test_exclusion_per_event),
		ON_M1(test_group_that_never_runs),
		ON_M1(test_core_that_goes_offline),
		ON_M1(test_core_that_comes_late),
		ON_M1(test_reads_that_fail),
		ON_M1(test_event_that_the_pmu_lacks),
		ON_M1(test_event_that_is_never_accepted),
		ON_M1(test_too_few_descriptors),
		ON_M1(test_descriptors_are_spared),
		ON_M1(test_no_descriptors),
		ON_M1(test_not_permitted),
		ON_M1(test_all_config_words_arrive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
