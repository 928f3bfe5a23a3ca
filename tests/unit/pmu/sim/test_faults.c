/* test_faults.c: cores that go, counters taken, reads that fail, many threads at once */
#include "rig/sim_control.h"
#include "rig/sim_rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char ten[] = "cycles,instructions,MAP_STALL,MAP_DISPATCH_BUBBLE,MAP_REWIND,"
			  "INST_BRANCH,BRANCH_MISPRED_NONSPEC,RETIRE_UOP,L1D_CACHE_MISS_LD,"
			  "L2_TLB_MISS_DATA";

static int read_at(struct sim_rig *rig, struct group *group, uint64_t t_ns)
{
	struct sample sample;

	sim_rig_advance(rig, t_ns);
	return rig->sim->ops->group_read(group, &sample);
}

static void check_offline(struct sim_rig *rig, struct group *group, const struct set *set)
{
	const struct backend_ops *ops = rig->sim->ops;
	struct group *again = NULL;
	struct err err = { "" };

	assert_int_equal(read_at(rig, group, 6 * NS_PER_S), -ENODEV);
	assert_int_equal(ops->group_enable(group), -ENODEV);
	assert_int_equal(ops->group_disable(group), -ENODEV);
	assert_false(ops->core_online(rig->sim, 3));
	assert_true(ops->core_online(rig->sim, 2));
	assert_int_equal(ops->group_open(rig->sim, 3, set, &again, &err), -ENODEV);
	assert_null(again);
	assert_non_null(strstr(err.text, "cpu3 is offline"));
}

static void check_back(struct sim_rig *rig, struct group *dead, const struct set *set)
{
	assert_true(rig->sim->ops->core_online(rig->sim, 3));
	assert_int_equal(read_at(rig, dead, 9 * NS_PER_S), -ENODEV);

	struct group *group = sim_rig_count(rig, 3, set);
	struct sample before = sim_rig_read(rig, group);

	sim_rig_advance(rig, 12 * NS_PER_S);

	struct sample after = sim_rig_read(rig, group);

	for (unsigned slot = 0; slot < 10; slot++)
		assert_int_equal(sim_rig_gain(&before, &after, slot),
				 sim_rig_truth(rig, 3, set, slot, &before, &after));
	assert_int_equal(read_at(rig, dead, 13 * NS_PER_S), -ENODEV);
	rig->sim->ops->group_close(group);
}

static void an_offline_core_takes_its_groups_along(void **state)
{
	(void)state;
	for (unsigned by_option = 0; by_option < 2; by_option++) {
		struct sim_rig rig =
			sim_rig_open(by_option ? "clock=virtual,offline=3@5-9" : "clock=virtual");
		struct set set = sim_rig_set(&rig, ten);
		struct group *group = sim_rig_count(&rig, 3, &set);

		assert_int_equal(read_at(&rig, group, 5 * NS_PER_S - 1), 0);
		sim_rig_advance(&rig, 5 * NS_PER_S);
		if (!by_option)
			assert_int_equal(sim_core_offline(rig.sim, 3, true), 0);
		check_offline(&rig, group, &set);
		sim_rig_advance(&rig, 9 * NS_PER_S);
		if (!by_option)
			assert_int_equal(sim_core_offline(rig.sim, 3, false), 0);
		check_back(&rig, group, &set);
		rig.sim->ops->group_close(group);
		sim_rig_close(&rig);
	}
}

/* off and on again between two reads: the counts are gone all the same */
static void a_short_absence_is_noticed(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual,offline=3@5.1-5.2");
	struct set set = sim_rig_set(&rig, ten);
	struct group *group = sim_rig_count(&rig, 3, &set);

	(void)state;
	assert_int_equal(read_at(&rig, group, 5 * NS_PER_S), 0);
	assert_int_equal(read_at(&rig, group, 6 * NS_PER_S), -ENODEV);
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

static void a_stolen_counter_stands_still(void **state)
{
	(void)state;
	for (unsigned by_option = 0; by_option < 2; by_option++) {
		struct sim_rig rig =
			sim_rig_open(by_option ? "clock=virtual,wrap=near,steal=2.7@4-8"
					       : "clock=virtual,wrap=near");
		struct set set = sim_rig_set(&rig, ten);
		struct group *group = sim_rig_count(&rig, 2, &set);
		struct sample s0 = sim_rig_read(&rig, group);

		sim_rig_advance(&rig, 4 * NS_PER_S);
		if (!by_option)
			assert_int_equal(sim_steal(rig.sim, 2, 7, true), 0);

		struct sample s4 = sim_rig_read(&rig, group);

		sim_rig_advance(&rig, 6 * NS_PER_S);

		struct sample s6 = sim_rig_read(&rig, group);

		sim_rig_advance(&rig, 8 * NS_PER_S);
		if (!by_option)
			assert_int_equal(sim_steal(rig.sim, 2, 7, false), 0);
		sim_rig_advance(&rig, 10 * NS_PER_S);

		struct sample s10 = sim_rig_read(&rig, group);

		assert_int_equal(sim_rig_gain(&s0, &s4, 7),
				 sim_rig_truth(&rig, 2, &set, 7, &s0, &s4));
		assert_int_equal(s6.raw[7].value, s4.raw[7].value);
		assert_int_equal(s6.raw[7].running_ns, 4 * NS_PER_S);
		assert_int_equal(s6.raw[7].enabled_ns, 6 * NS_PER_S);
		/* a window that it ran only part of */
		assert_int_equal(s10.raw[7].running_ns, 6 * NS_PER_S);
		assert_int_equal(
			sim_rig_gain(&s6, &s10, 7),
			sim_truth(rig.sim, 2, 0x01, PRIVILEGE_BOTH, 8 * NS_PER_S, 10 * NS_PER_S));
		/* its neighbour has seen nothing of it */
		assert_int_equal(sim_rig_gain(&s4, &s10, 8),
				 sim_rig_truth(&rig, 2, &set, 8, &s4, &s10));
		assert_int_equal(s10.raw[8].running_ns, 10 * NS_PER_S);
		rig.sim->ops->group_close(group);
		sim_rig_close(&rig);
	}
}

static void lost_reads_are_told_and_nothing_else_is_lost(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual,lost=1@6-7");
	struct set set = sim_rig_set(&rig, ten);
	struct group *group = sim_rig_count(&rig, 1, &set);
	struct sample first = sim_rig_read(&rig, group), last = first;

	(void)state;
	for (unsigned t = 1; t <= 10; t++) {
		if (t == 3)
			assert_int_equal(sim_lose(rig.sim, 1, 2 * NS_PER_S + 1), 0);
		sim_rig_advance(&rig, t * NS_PER_S);
		last = sim_rig_read(&rig, group);

		bool is_lost = t == 3 || t == 4 || t == 6;

		for (unsigned slot = 0; slot < 10; slot++)
			assert_int_equal(last.state[slot], is_lost ? RAW_LOST : RAW_OK);
	}
	for (unsigned slot = 0; slot < 10; slot++)
		assert_int_equal(sim_rig_gain(&first, &last, slot),
				 sim_rig_truth(&rig, 1, &set, slot, &first, &last));
	rig.sim->ops->group_close(group);
	sim_rig_close(&rig);
}

static uint64_t read_takes_ns(struct sim_rig *rig, struct group *group)
{
	uint64_t begin_ns = clock_now_ns();

	sim_rig_read(rig, group);
	return clock_now_ns() - begin_ns;
}

/* How long a read of the core is held up now: a busy host adds to it. */
static uint64_t slow_ns(struct sim_rig *rig, unsigned core)
{
	struct sim_backend *sim = sim_control(rig->sim);
	const struct sim_fault *fault =
		sim_faults_at(&sim->options.faults, FAULT_SLOW, core, 0, sim_now(sim));

	return fault ? fault->slow_ns : 0;
}

static void slow_reads_take_real_time(void **state)
{
	struct sim_rig rig = sim_rig_open("slow=4:30ms");
	struct set set = sim_rig_set(&rig, ten);
	struct group *four = sim_rig_count(&rig, 4, &set), *five = sim_rig_count(&rig, 5, &set);

	(void)state;
	assert_true(read_takes_ns(&rig, four) >= 30 * NS_PER_MS);
	assert_int_equal(sim_slow_read(rig.sim, 4, 0), 0);
	assert_int_equal(slow_ns(&rig, 4), 0);
	assert_int_equal(sim_slow_read(rig.sim, 5, 20 * NS_PER_MS), 0);
	assert_int_equal(sim_slow_read(rig.sim, 5, 10 * NS_PER_MS), 0);
	assert_int_equal(slow_ns(&rig, 5), 10 * NS_PER_MS);
	assert_true(read_takes_ns(&rig, five) >= 10 * NS_PER_MS);
	rig.sim->ops->group_close(four);
	rig.sim->ops->group_close(five);
	sim_rig_close(&rig);
}

static void faults_run_out_with_an_error(void **state)
{
	struct sim_rig rig = sim_rig_open("clock=virtual");
	int result = 0;
	unsigned n;

	(void)state;
	for (n = 0; n < 10000 && result == 0; n++) {
		sim_rig_advance(&rig, n);
		result = sim_steal(rig.sim, 0, 3, n % 2 == 0);
	}
	assert_int_equal(result, -ENOSPC);
	assert_true(n > 1000);
	sim_rig_close(&rig);
}

/* ---- threads ---- */

struct reader {
	struct sim_rig *rig;
	const struct set *set;
	unsigned core;
	struct group *group;
	atomic_bool *stop;
	atomic_uint n_reads, n_lost, n_off;
};

/* relaxed: orders nothing, so that the thread sanitizer still sees what the backend orders */
static void count(atomic_uint *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* a busy host may keep a thread waiting for long */
static void wait_for(const atomic_uint *n)
{
	uint64_t give_up_ns = clock_now_ns() + 120 * NS_PER_S;

	while (!atomic_load_explicit(n, memory_order_relaxed)) {
		assert_true(clock_now_ns() < give_up_ns);
		usleep(1000);
	}
}

static void *read_on(void *arg)
{
	struct reader *reader = arg;
	const struct backend_ops *ops = reader->rig->sim->ops;

	ops->group_enable(reader->group);
	while (!atomic_load_explicit(reader->stop, memory_order_relaxed)) {
		struct sample sample;

		if (ops->group_read(reader->group, &sample) < 0) {
			count(&reader->n_off);
			ops->core_online(reader->rig->sim, reader->core);
			continue;
		}
		count(&reader->n_reads);
		if (sample.state[0] == RAW_LOST)
			count(&reader->n_lost);
	}
	return NULL;
}

static void inject(struct sim_rig *rig)
{
	for (unsigned i = 0; i < 40; i++) {
		sim_steal(rig->sim, 1, i % 10, i % 2);
		sim_lose(rig->sim, 2, 3 * NS_PER_MS);
		sim_slow_read(rig->sim, 3, i % 2 * NS_PER_MS);
		usleep(1000);
	}
	sim_core_offline(rig->sim, 0, true);
	usleep(2000);
	sim_core_offline(rig->sim, 0, false);
}

static void threads_read_while_faults_come(void **state)
{
	enum { N = 4 };
	struct sim_rig rig = sim_rig_open("seed=9");
	struct set set = sim_rig_set(&rig, ten);
	atomic_bool stop = false;
	struct reader reader[N];
	pthread_t thread[N];

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		reader[i] = (struct reader){ .rig = &rig, .set = &set, .core = i, .stop = &stop };
		assert_int_equal(
			rig.sim->ops->group_open(rig.sim, i, &set, &reader[i].group, &rig.err), 0);
		assert_int_equal(pthread_create(&thread[i], NULL, read_on, &reader[i]), 0);
	}
	for (unsigned i = 0; i < N; i++)
		wait_for(&reader[i].n_reads);
	inject(&rig);
	wait_for(&reader[0].n_off);
	wait_for(&reader[2].n_lost);
	atomic_store(&stop, true);
	for (unsigned i = 0; i < N; i++) {
		pthread_join(thread[i], NULL);
		rig.sim->ops->group_close(reader[i].group);
	}
	assert_int_equal(reader[1].n_off, 0);
	assert_int_equal(reader[1].n_lost, 0);
	sim_rig_close(&rig);
}

static void cost_of_a_thousand_cores(void **state)
{
	enum { N = 1024, TICKS = 20 };
	struct sim_rig rig = sim_rig_open("cores=1024,clock=virtual");
	struct set set = sim_rig_set(&rig, ten);
	struct group *group[N];
	struct sample sample;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		group[i] = sim_rig_count(&rig, i, &set);

	uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned tick = 1; tick <= TICKS; tick++) {
		sim_rig_advance(&rig, 100 * NS_PER_MS * tick);
		for (unsigned i = 0; i < N; i++)
			assert_int_equal(rig.sim->ops->group_read(group[i], &sample), 0);
	}
	print_message("# 1024 cores, 10 counters: %.0f ns a read of one core\n",
		      (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / (N * TICKS));
	for (unsigned i = 0; i < N; i++)
		rig.sim->ops->group_close(group[i]);
	sim_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offline_core_takes_its_groups_along),
		cmocka_unit_test(a_short_absence_is_noticed),
		cmocka_unit_test(a_stolen_counter_stands_still),
		cmocka_unit_test(lost_reads_are_told_and_nothing_else_is_lost),
		cmocka_unit_test(slow_reads_take_real_time),
		cmocka_unit_test(faults_run_out_with_an_error),
		cmocka_unit_test(threads_read_while_faults_come),
		cmocka_unit_test(cost_of_a_thousand_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
