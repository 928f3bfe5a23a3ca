/* test_core.c: the registers of a simulated core */
#include "rig/harness.h"

#include "event/count.h"
#include "backend/sim/core.h"

#define WRAP (UINT64_C(1) << 48)
#define TOP  (UINT64_C(1) << 47)

static void events_go_to_both_select_registers(void **state)
{
	struct sim_core core = { 0 };

	(void)state;
	for (unsigned n = 0; n < SIM_COUNTERS; n++)
		sim_core_program(&core, n, (uint8_t)(0xa0 + n), PRIVILEGE_BOTH, n);
	assert_int_equal(core.pmesr[0], 0xa5a4a3a2);
	assert_int_equal(core.pmesr[1], 0xa9a8a7a6);
	assert_int_equal(sim_core_event(&core, 0), 0x02);
	assert_int_equal(sim_core_event(&core, 1), 0x8c);
	for (unsigned n = 2; n < SIM_COUNTERS; n++)
		assert_int_equal(sim_core_event(&core, n), 0xa0 + n);
	sim_core_program(&core, 7, 0x01, PRIVILEGE_BOTH, 0);
	assert_int_equal(core.pmesr[1], 0xa9a801a6);
}

static void enable_and_level_bits_are_where_hardware_has_them(void **state)
{
	struct sim_core core = { 0 };

	(void)state;
	for (unsigned n = 0; n < SIM_COUNTERS; n++)
		sim_core_program(&core, n, 0x02, n % 2 ? PRIVILEGE_USER : PRIVILEGE_KERNEL, 0);
	assert_int_equal(core.pmcr1, UINT64_C(0x000102000055aa00));
	for (unsigned n = 0; n < SIM_COUNTERS; n++)
		assert_int_equal(sim_core_privilege(&core, n),
				 n % 2 ? PRIVILEGE_USER : PRIVILEGE_KERNEL);
	sim_core_enable(&core, 0x3ff);
	assert_int_equal(core.pmcr0, UINT64_C(0x3000000ff));
	sim_core_enable(&core, 0x205);
	assert_int_equal(core.pmcr0, UINT64_C(0x200000005));
	sim_core_program(&core, 3, 0x02, PRIVILEGE_BOTH, 0);
	assert_int_equal(sim_core_privilege(&core, 3), PRIVILEGE_BOTH);
}

static void a_disabled_counter_stands_still(void **state)
{
	struct sim_core core = { 0 };

	(void)state;
	sim_core_program(&core, 4, 0x76, PRIVILEGE_BOTH, 100);
	sim_core_add(&core, 4, 5);
	assert_int_equal(core.pmc[4], 100);
	sim_core_enable(&core, 1U << 4);
	sim_core_add(&core, 4, 5);
	assert_int_equal(core.pmc[4], 105);
	sim_core_enable(&core, 1U << 5);
	sim_core_add(&core, 4, 5);
	assert_int_equal(core.pmc[4], 105);
}

static void values_wrap_at_48_bits_and_bit_47_overflows(void **state)
{
	static const struct {
		uint64_t start, events, value;
		unsigned overflow;
	} row[] = {
		{ 0, 0, 0, 0 },
		{ 0, TOP - 1, TOP - 1, 0 },
		{ 0, TOP, TOP, 1 },
		{ TOP - 1, 1, TOP, 1 },
		{ TOP, 1, TOP + 1, 0 },
		{ TOP, TOP - 1, WRAP - 1, 0 },
		{ WRAP - 1, 1, 0, 0 },
		{ WRAP - 1, TOP, TOP - 1, 0 },
		{ WRAP - 1, TOP + 1, TOP, 1 },
		{ 5, WRAP, 5, 1 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct sim_core core = { 0 };

		sim_core_program(&core, 8, 0x76, PRIVILEGE_BOTH, row[i].start);
		sim_core_enable(&core, 1U << 8);
		sim_core_add(&core, 8, row[i].events);
		assert_int_equal(core.pmc[8], row[i].value);
		assert_int_equal(core.pmsr, row[i].overflow << 8);
		if (row[i].events < WRAP)
			assert_int_equal(counter_delta(row[i].start, core.pmc[8], SIM_WIDTH),
					 row[i].events);
		sim_core_program(&core, 8, 0x76, PRIVILEGE_BOTH, 0);
		assert_int_equal(core.pmsr, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_go_to_both_select_registers),
		cmocka_unit_test(enable_and_level_bits_are_where_hardware_has_them),
		cmocka_unit_test(a_disabled_counter_stands_still),
		cmocka_unit_test(values_wrap_at_48_bits_and_bit_47_overflows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
