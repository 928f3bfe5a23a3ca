/*
 * test_tasks_model.c: counting a process that moves between two core types. The kernel is a MODEL
 * (fake_perf.c): this machine has no two PMUs. Real processes are counted in test_tasks.c.
 */
#include "rig/perf_model.h"

#include "pmu/count.h"

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

static const struct task_target starting = { TARGET_EXEC, PID };

/* What a process does on each type. */
struct both {
	struct tasks *type[2];
};

static struct both open_both(struct backend *backend, const struct task_target *target,
			     const struct set *set)
{
	struct both both;
	struct err err = { "" };

	for (unsigned type = TYPE_E; type <= TYPE_P; type++)
		if (backend_perf.tasks_open(backend, target, 1, type, set, &both.type[type],
					    &err) ||
		    err.text[0])
			fail_msg("%s", err.text);
	return both;
}

static void close_both(const struct both *both)
{
	backend_perf.tasks_close(both->type[TYPE_E]);
	backend_perf.tasks_close(both->type[TYPE_P]);
	assert_int_equal(fake_perf.n_live, 0);
	assert_false(fake_perf.broke_a_rule);
}

static void expect(const struct both *both, unsigned type, unsigned slot, enum quality quality,
		   double total)
{
	struct sample sample = { 0 };

	assert_int_equal(backend_perf.tasks_read(both->type[type], &sample), 0);
	assert_int_equal(sample.state[slot], RAW_OK);

	const struct raw *raw = &sample.raw[slot];
	const struct count count = { .value = raw->value,
				     .enabled_ns = raw->enabled_ns,
				     .running_ns = raw->running_ns,
				     .quality =
					     quality_of_times(raw->enabled_ns, raw->running_ns) };

	assert_int_equal(count.quality, quality);
	if (quality_has_value(quality))
		assert_true(count_total(&count).value == total);
}

/* By CPU where nothing else tells the types apart: software events, and the time on the type. */
static void test_what_is_opened(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		int cpu; /* of one, or the first of the type's four */
		unsigned n;
	} want[] = { { FAKE_SOFTWARE, 9, 0, 4 }, { FAKE_E, 0x10, -1, 1 },
		     { FAKE_SOFTWARE, 3, 0, 4 }, { FAKE_SOFTWARE, 9, 4, 4 },
		     { FAKE_P, 0x20, -1, 1 },    { FAKE_SOFTWARE, 3, 4, 4 },
		     { FAKE_P, 0x30, -1, 1 } };
	struct hybrid hybrid;
	unsigned at = 0;

	make_hybrid(*state, &hybrid);

	struct both both = open_both(*state, &starting, &hybrid.set);

	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		for (unsigned k = 0; k < want[i].n; k++, at++) {
			assert_int_equal(fake_perf.open[at].type, want[i].type);
			assert_int_equal(fake_perf.open[at].config, want[i].config);
			assert_int_equal(fake_perf.open[at].pid, PID);
			assert_int_equal(fake_perf.open[at].cpu, want[i].cpu + (int)k);
			assert_true(fake_perf.open[at].disabled);
		}
	}
	assert_int_equal(fake_perf.n_opens, at);
	close_both(&both);
}

/* 3 ms on E, 7 ms on P: each type has its own, which is neither added nor scaled to the other's time. */
static void test_moves_between_types(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct both both = open_both(*state, &starting, &hybrid.set);

	fake_run(PID, P_CPU, 12345); /* before exec: nobody counts */
	fake_exec(PID);
	fake_run(PID, E_CPU, 3000000);
	fake_run(PID, P_CPU, 7000000);
	fake_run(PID + 1, P_CPU, 999); /* somebody else */
	expect(&both, TYPE_E, COLUMN_HARDWARE, QUALITY_OK, 3000000 * 0x11);
	expect(&both, TYPE_P, COLUMN_HARDWARE, QUALITY_OK, 7000000 * 0x21);
	expect(&both, TYPE_E, COLUMN_SOFTWARE, QUALITY_OK, 3000000 * 4);
	expect(&both, TYPE_P, COLUMN_SOFTWARE, QUALITY_OK, 7000000 * 4);
	expect(&both, TYPE_P, COLUMN_P_ONLY, QUALITY_OK, 7000000 * 0x31);
	close_both(&both);
}

/* While a hog has the counters nothing runs: what is left is scaled to the time on the type. */
static void test_scaled_by_the_time_on_the_type(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct both both = open_both(*state, &starting, &hybrid.set);

	fake_exec(PID);
	fake_run(PID, E_CPU, 1000000);
	fake_run(PID, P_CPU, 4000000);
	fake_perf.pinned = 0x3ff;
	fake_run(PID, E_CPU, 3000000);
	fake_run(PID, P_CPU, 4000000);
	fake_perf.pinned = 0;
	expect(&both, TYPE_E, COLUMN_HARDWARE, QUALITY_SCALED, 4000000 * 0x11);
	expect(&both, TYPE_P, COLUMN_HARDWARE, QUALITY_SCALED, 8000000 * 0x21);
	expect(&both, TYPE_E, COLUMN_SOFTWARE, QUALITY_OK, 4000000 * 4);
	close_both(&both);
}

static void test_never_ran_on_a_type(void **state)
{
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct both both = open_both(*state, &starting, &hybrid.set);

	fake_exec(PID);
	fake_run(PID, P_CPU, 1000000);
	expect(&both, TYPE_E, COLUMN_HARDWARE, QUALITY_NOT_COUNTED, 0);
	expect(&both, TYPE_E, COLUMN_SOFTWARE, QUALITY_NOT_COUNTED, 0);
	expect(&both, TYPE_P, COLUMN_HARDWARE, QUALITY_OK, 1000000 * 0x21);
	close_both(&both);
}

/* One that runs already counts from its opening on. */
static void test_a_thread_that_runs(void **state)
{
	const struct task_target thread = { TARGET_THREAD, PID };
	struct hybrid hybrid;

	make_hybrid(*state, &hybrid);

	struct both both = open_both(*state, &thread, &hybrid.set);

	fake_run(PID, E_CPU, 1000000);
	expect(&both, TYPE_E, COLUMN_HARDWARE, QUALITY_OK, 1000000 * 0x11);
	close_both(&both);
}

/* In a list twice, and by its process too: counted once. */
static void test_asked_for_twice(void **state)
{
	const struct task_target twice[] = { { TARGET_THREAD, PID }, { TARGET_THREAD, PID } };
	struct hybrid hybrid;
	struct sample sample = { 0 };
	struct tasks *tasks;

	make_hybrid(*state, &hybrid);
	assert_int_equal(backend_perf.tasks_open(*state, twice, 2, TYPE_E, &hybrid.set, &tasks,
						 &(struct err){ "" }),
			 0);
	fake_run(PID, E_CPU, 1000000);
	assert_int_equal(backend_perf.tasks_read(tasks, &sample), 0);
	assert_int_equal(sample.raw[COLUMN_HARDWARE].value, 1000000 * 0x11);
	assert_int_equal(sample.raw[COLUMN_HARDWARE].running_ns, 1000000);
	backend_perf.tasks_close(tasks);
}

/* What the kernel does not have, and what belongs to no process, is not counted and said once. */
static void test_what_cannot_be_counted(void **state)
{
	static const struct pmu uncore = { .name = "uncore",
					   .type = FAKE_UNCORE,
					   .kind = PMU_UNCORE };
	struct backend *backend = *state;
	struct event event[] = { event_make(backend, "apple_icestorm_pmu", "event=0xfd", "NONE"),
				 { .name = "reads", .pmu = &uncore },
				 event_make(backend, "software", "config=2", "faults") };
	const struct task_target two[] = { starting, { TARGET_EXEC, PID + 1 } };
	struct tasks *tasks = NULL;
	struct sample sample = { 0 };
	struct err err = { "" };
	struct set set = { 0 };

	place(&set, TYPE_E, event, 3);
	assert_int_equal(backend_perf.tasks_open(backend, two, 2, TYPE_E, &set, &tasks, &err), 0);
	assert_string_equal(err.text, "reads of uncore: it does not belong to any process; "
				      "NONE of apple_icestorm_pmu: this PMU has no such event");
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
	fake_perf.deny = EACCES;
	assert_int_equal(
		backend_perf.tasks_open(*state, &starting, 1, TYPE_E, &hybrid.set, &tasks, &err),
		-EACCES);
	fake_perf.deny = ESRCH;
	assert_int_equal(
		backend_perf.tasks_open(*state, &starting, 1, TYPE_E, &hybrid.set, &tasks, &err),
		-ESRCH);
	assert_string_equal(err.text, "there is no thread 4711");
	fake_perf.deny = 0;
	fake_perf.open_max = 2;
	assert_int_equal(
		backend_perf.tasks_open(*state, &starting, 1, TYPE_E, &hybrid.set, &tasks, &err),
		-EMFILE);
	assert_null(tasks);
	assert_int_equal(fake_perf.n_live, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup_m1, teardown_model)
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_opened),
		TEST(test_moves_between_types),
		TEST(test_scaled_by_the_time_on_the_type),
		TEST(test_never_ran_on_a_type),
		TEST(test_a_thread_that_runs),
		TEST(test_asked_for_twice),
		TEST(test_what_cannot_be_counted),
		TEST(test_refused_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
