/*
 * test_el0.c: counters read without a system call, on the same MODEL of the module and
 * of a core as in test_apple.c. tests/e2e/qemu_user.sh runs the real instructions, the virtual
 * machine (tests/vm) both together.
 */
#include "rig/apple_rig.h"
#include "pmu/apple/regs.h"

/* Set up a backend that reads at EL0. */
static int setup_el0(void **state)
{
	apple_rig_setup_root(state);
	*state = apple_rig_backend("el0");
	return 0;
}

enum { P_CORE = 4 };

/* Another process misused the open registers: the module has closed them and takes no program. */
static void test_el0_is_ended(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct backend *backend = *state;
	struct apple_rig rig;

	apple_rig_begin(&rig, backend, P_CORE);
	assert_string_equal(apple_rig_faults(backend), "");
	assert_string_equal(backend->ended.text, "");
	fake_m1.is_closed = true;
	fake_m1.program_result = -ECANCELED;
	apple_rig_window(&rig, 100, count);
	assert_lost(count);
	assert_string_equal(apple_rig_faults(backend), "");
	assert_says(backend->ended.text, "counting was stopped: a process enabled interrupts");
	backend_apple.group_close(rig.group);
}

/* Bit 11 of PMCR0 may come by itself; it is the module's to clear. */
static void test_el0_active_bit(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.core[4].now.pmcr0 |= APPLE_PMCR0_ACTIVE;
	fake_m1.now_ns += NS_PER_S;
	apple_rig_window(&rig, 100, count);
	assert_counted(count, 100);
	assert_string_equal(apple_rig_faults(*state), "");
	backend_apple.group_close(rig.group);
}

static void test_el0_asks_nobody(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	assert_true(fake_m1.has_sigill);
	assert_says(((struct backend *)*state)->note.text, "every process can read and write");
	apple_rig_begin(&rig, *state, P_CORE);
	assert_int_equal(fake_m1.el0, 1);
	fake_m1.n_requests = 0;
	for (unsigned i = 0; i < 5; i++) {
		apple_rig_window(&rig, 100 + i, count);
		assert_counted(count, 100 + i);
	}
	fake_m1.now_ns += NS_PER_S;
	apple_rig_window(&rig, 7, count);
	assert_counted(count, 7);
	assert_int_equal(fake_m1.n_requests, 0);
	backend_apple.group_close(rig.group);
}

static void test_el0_taken_away(void **state)
{
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.core[4].now.pmcr0 = 0;
	assert_one_lost(&rig, 100);
	assert_says(apple_rig_faults(*state), "cpu 4: user access to the counters was taken away");
	backend_apple.group_close(rig.group);
}

/* Taken away for good: lost at every tick, never a number. */
static void test_el0_stays_closed(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.is_closed = true;
	for (unsigned i = 0; i < 3; i++) {
		apple_rig_window(&rig, 100, count);
		assert_lost(count);
	}
	backend_apple.group_close(rig.group);
}

static void test_el0_lost_generation(void **state)
{
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	apple_rig_lose_registers(4);
	assert_one_lost(&rig, 100);
	backend_apple.group_close(rig.group);
}

static void test_el0_foreign_control(void **state)
{
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.core[4].now.pmesr1 = 0x01010101;
	fake_m1.now_ns += NS_PER_S;
	assert_one_lost(&rig, 100);
	assert_says(apple_rig_faults(*state), "cpu 4: PMESR1 is not as m1top wrote it");
	backend_apple.group_close(rig.group);
}

static void test_el0_moved_while_reading(void **state)
{
	struct count count[M1PMU_N_COUNTERS];
	struct apple_rig rig;

	apple_rig_begin(&rig, *state, P_CORE);
	fake_m1.moves_to = 5;
	apple_rig_window(&rig, 100, count);
	assert_lost(count);
	assert_int_equal(fake_m1.n_programs, 1);
	backend_apple.group_close(rig.group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_el0_asks_nobody, setup_el0,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_is_ended, setup_el0, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_active_bit, setup_el0, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_taken_away, setup_el0, apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_stays_closed, setup_el0,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_lost_generation, setup_el0,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_foreign_control, setup_el0,
						apple_rig_teardown),
		cmocka_unit_test_setup_teardown(test_el0_moved_while_reading, setup_el0,
						apple_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
