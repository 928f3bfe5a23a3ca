/*
 * test_tasks_model.c: counting a process that moves between two core types. The kernel is a MODEL
 * (fake_perf.c): this machine has no two PMUs. Real processes are counted in test_tasks.c.
 */
#include "rig/perf_model.h"

#include "event/count.h"

enum { TYPE_E, TYPE_P };
enum { PID = 4711, E_CPU = 1, P_CPU = 5 };
enum { COLUMN_HARDWARE, COLUMN_SOFTWARE, COLUMN_P_ONLY, N_COLUMNS };

/* The same name, another id on each type; a software event; one that only P has. */
struct hybrid {
	struct event e[N_COLUMNS], p[N_COLUMNS];
	struct set set;
};

static int setup_m1(void **state)
{
	return setup_model(state, m1_files);
}

static void place(struct set *set, unsigned type, const struct event *event, unsigned n)
{
	struct set one;

	set_of(&one, type, event, n);
	set->type[type] = one.type[type];
	set->n_slots = N_COLUMNS;
}

static void make_hybrid(const struct backend *backend, struct hybrid *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->e[COLUMN_HARDWARE] = event_make(backend, "apple_icestorm_pmu", "event=0x10", "X");
	ret->p[COLUMN_HARDWARE] = event_make(backend, "apple_firestorm_pmu", "event=0x20", "X");
	ret->e[COLUMN_SOFTWARE] = event_make(backend, "software", "config=3", "switches");
	ret->p[COLUMN_SOFTWARE] = ret->e[COLUMN_SOFTWARE];
	ret->p[COLUMN_P_ONLY] = event_make(backend, "apple_firestorm_pmu", "event=0x30", "Y");
	place(&ret->set, TYPE_E, ret->e, COLUMN_P_ONLY);
	place(&ret->set, TYPE_P, ret->p, N_COLUMNS);
}

static struct tasks *open_tasks(struct backend *backend, const struct set *set)
{
	struct tasks *tasks = NULL;
	struct err err = { "" };

	if (backend_perf.tasks_open(backend, PID, set, &tasks, &err) || err.text[0])
		fail_msg("%s", err.text);
	return tasks;
}

static struct count count_of(struct tasks *tasks, unsigned slot)
{
	struct sample sample = { 0 };

	assert_int_equal(backend_perf.tasks_read(tasks, &sample), 0);
	assert_int_equal(sample.state[slot], RAW_OK);

	const struct raw *raw = &sample.raw[slot];

	return (struct count){ raw->value,
			       raw->enabled_ns,
			       raw->running_ns,
			       quality_of_times(raw->enabled_ns, raw->running_ns),
			       0,
			       0,
			       0 };
}

static void test_one_event_for_each_pmu(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} want[] = { { FAKE_E, 0x10 }, { FAKE_SOFTWARE, 3 }, { FAKE_P, 0x20 }, { FAKE_P, 0x30 } };
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct tasks *tasks = open_tasks(*state, &hybrid.set);

	assert_int_equal(fake.n_opens, ARRAY_SIZE(want));
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(fake.open[i].type, want[i].type);
		assert_int_equal(fake.open[i].config, want[i].config);
		assert_int_equal(fake.open[i].pid, PID);
		assert_int_equal(fake.open[i].cpu, -1);
		assert_true(fake.open[i].disabled);
	}
	backend_perf.tasks_close(tasks);
	assert_int_equal(fake.n_live, 0);
}

/* 3 ms on E, 7 ms on P: the raw counts and the running times are summed, and nothing is scaled. */
static void test_moves_between_types(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct tasks *tasks = open_tasks(*state, &hybrid.set);

	fake_run(PID, P_CPU, 12345); /* before exec: nobody counts */
	fake_exec(PID);
	fake_run(PID, E_CPU, 3000000);
	fake_run(PID, P_CPU, 7000000);
	fake_run(PID + 1, P_CPU, 999); /* somebody else */

	struct count count = count_of(tasks, COLUMN_HARDWARE);

	assert_int_equal(count.quality, QUALITY_OK);
	assert_int_equal(count.enabled_ns, 10000000);
	assert_int_equal(count.value, 3000000 * 0x11 + 7000000 * 0x21);

	/* a software event runs everywhere, and is opened once */
	count = count_of(tasks, COLUMN_SOFTWARE);
	assert_int_equal(count.quality, QUALITY_OK);
	assert_int_equal(count.value, 10000000 * 4);

	/* on E nobody counted it: an estimate, and it says so */
	count = count_of(tasks, COLUMN_P_ONLY);
	assert_int_equal(count.quality, QUALITY_SCALED);
	assert_int_equal(count.running_ns, 7000000);
	assert_int_equal(count.value, 7000000 * 0x31);
	backend_perf.tasks_close(tasks);
}

/* While a hog has the counters nothing runs: what is left is scaled once, by the sums, to 298
 * million. Each part by itself (1 of 10 ms on E, 4 of 10 on P) would come to 500. */
static void test_scaled_by_the_sums(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct tasks *tasks = open_tasks(*state, &hybrid.set);

	fake_exec(PID);
	fake_run(PID, E_CPU, 1000000);
	fake_run(PID, P_CPU, 4000000);
	fake.pinned = 0x3ff;
	fake_run(PID, E_CPU, 3000000);
	fake_run(PID, P_CPU, 2000000);
	fake.pinned = 0;

	struct count count = count_of(tasks, COLUMN_HARDWARE);
	struct reading total = count_total(&count);

	assert_int_equal(count.quality, QUALITY_SCALED);
	assert_int_equal(count.enabled_ns, 10000000);
	assert_int_equal(count.running_ns, 5000000);
	assert_int_equal(count.value, 1000000 * 0x11 + 4000000 * 0x21);
	assert_true(total.value == 2.0 * (1000000 * 0x11 + 4000000 * 0x21));
	backend_perf.tasks_close(tasks);
}

static void test_never_ran(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct tasks *tasks = open_tasks(*state, &hybrid.set);

	fake.pinned = 0x3ff;
	fake_exec(PID);
	fake_run(PID, P_CPU, 1000000);
	assert_int_equal(count_of(tasks, COLUMN_HARDWARE).quality, QUALITY_NOT_COUNTED);
	assert_int_equal(count_of(tasks, COLUMN_SOFTWARE).quality, QUALITY_OK);
	backend_perf.tasks_close(tasks);
}

/* What the kernel does not have, and what belongs to no process, is not counted and said once. */
static void test_what_cannot_be_counted(void **state)
{
	static const struct pmu msr = { .name = "msr", .type = FAKE_MSR, .kind = PMU_MSR };
	struct backend *backend = *state;
	struct event event[] = { event_make(backend, "apple_icestorm_pmu", "event=0xfd", "NONE"),
				 { .name = "tsc", .pmu = &msr },
				 event_make(backend, "software", "config=2", "faults") };
	struct tasks *tasks = NULL;
	struct sample sample = { 0 };
	struct err err = { "" };
	struct set set = { 0 };

	place(&set, TYPE_E, event, 3);
	place(&set, TYPE_P, event, 3);
	assert_int_equal(backend_perf.tasks_open(backend, PID, &set, &tasks, &err), 0);
	assert_string_equal(err.text, "NONE of apple_icestorm_pmu: this PMU has no such event; "
				      "tsc of msr: it does not belong to any process");
	assert_int_equal(backend_perf.tasks_read(tasks, &sample), 0);
	assert_int_equal(sample.state[0], RAW_UNSUPPORTED);
	assert_int_equal(sample.state[1], RAW_UNSUPPORTED);
	assert_int_equal(sample.state[2], RAW_OK);
	backend_perf.tasks_close(tasks);
}

static void test_refused_as_a_whole(void **state)
{
	struct hybrid hybrid;
	struct tasks *tasks = NULL;
	struct err err = { "" };

	make_hybrid(*state, &hybrid);
	fake.deny = EACCES;
	assert_int_equal(backend_perf.tasks_open(*state, PID, &hybrid.set, &tasks, &err), -EACCES);
	fake.deny = ESRCH;
	assert_int_equal(backend_perf.tasks_open(*state, PID, &hybrid.set, &tasks, &err), -ESRCH);
	assert_string_equal(err.text, "process 4711 is gone");
	fake.deny = 0;
	fake.open_max = 2;
	assert_int_equal(backend_perf.tasks_open(*state, PID, &hybrid.set, &tasks, &err), -EMFILE);
	assert_null(tasks);
	assert_int_equal(fake.n_live, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup_m1, teardown_model)
	const struct CMUnitTest tests[] = {
		TEST(test_one_event_for_each_pmu), TEST(test_moves_between_types),
		TEST(test_scaled_by_the_sums),     TEST(test_never_ran),
		TEST(test_what_cannot_be_counted), TEST(test_refused_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
