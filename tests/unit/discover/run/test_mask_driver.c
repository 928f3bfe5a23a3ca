/*
 * test_mask_driver.c: masks from the groups that a driver takes. The kernel is a MODEL (fake_perf.c)
 * with the table of Linux's Apple driver; the driver itself is asked in the virtual machine.
 */
#include "rig/perf_model.h"

#include "discover/run/mask.h"
#include "pmu/sim/events.h"

enum { IDS = 256, E_CORE = 0, P_CORE = 4 };

static uint64_t driver_table(uint64_t config)
{
	return sim_event_counters(config);
}

/* Masks that no driver has: the bits of the number itself, some of them on PMC0 and PMC1 too. */
static uint64_t odd_table(uint64_t config)
{
	if (config == 0x02)
		return 0x3fd;
	return config == 0x8c ? 0x82 : config << 2 | (config & 3) | !config;
}

static void all_ids(uint64_t id[IDS])
{
	for (unsigned i = 0; i < IDS; i++)
		id[i] = i;
}

static void check_table(struct backend *backend, unsigned core, uint64_t (*table)(uint64_t config))
{
	struct mask mask[IDS];
	uint64_t id[IDS];
	struct err err = { "" };

	all_ids(id);
	fake_perf.counters = table;
	assert_int_equal(mask_find(backend, core, id, IDS, NULL, NULL, mask, &err), 0);
	for (unsigned i = 0; i < IDS; i++) {
		uint64_t want = table(i) & 0x3ff;

		if (mask[i].counters != want || (mask[i].source != MASK_BY_DRIVER) ||
		    mask[i].copies != __builtin_popcountll(want))
			fail_msg("id 0x%02x: 0x%llx of 0x%llx, %u copies", i,
				 (unsigned long long)mask[i].counters, (unsigned long long)want,
				 mask[i].copies);
	}
	assert_int_equal(fake_perf.n_live, 0);
}

static int setup_m1(void **state)
{
	return setup_model(state, m1_files);
}

static void test_masks_of_the_driver(void **state)
{
	check_table(*state, E_CORE, driver_table);
	check_table(*state, P_CORE, driver_table);
}

static void test_any_mask(void **state)
{
	check_table(*state, P_CORE, odd_table);
}

/* The two numbers that tell the driver's classes apart. */
static void test_copies_and_highest(void **state)
{
	static const struct {
		uint64_t id;
		uint8_t copies, highest;
	} row[] = {
		{ 0x01, 1, 7 }, { 0xc5, 3, 7 }, { 0xf8, 6, 7 }, { 0xa6, 8, 9 }, { 0xf5, 3, 6 },
	};
	struct err err = { "" };

	fake_perf.counters = driver_table;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct mask mask;

		assert_int_equal(mask_find(*state, P_CORE, &row[i].id, 1, NULL, NULL, &mask, &err),
				 0);
		assert_int_equal(mask.copies, row[i].copies);
		assert_int_equal(mask.above + 2, row[i].highest);
	}
}

static void test_what_the_kernel_refuses(void **state)
{
	const uint64_t id[] = { FAKE_UNKNOWN, FAKE_WRONG, 0x05 };
	struct mask mask[3];
	struct err err = { "" };

	assert_int_equal(mask_find(*state, P_CORE, id, 3, NULL, NULL, mask, &err), 0);
	assert_int_equal(mask[0].source, MASK_UNKNOWN);
	assert_int_equal(mask[1].source, MASK_UNKNOWN);
	assert_int_equal(mask[2].counters, 0x3fc);
}

static void test_an_error_is_no_answer(void **state)
{
	const uint64_t id = 0x05;
	struct mask mask;
	struct err err = { "" };

	fake_perf.deny = EACCES;
	assert_int_equal(mask_find(*state, P_CORE, &id, 1, NULL, NULL, &mask, &err), -EACCES);
	assert_non_null(strstr(err.text, "0x5"));
}

static bool stop_at(void *context, size_t done, size_t all)
{
	assert_true(done <= all);
	return done < *(size_t *)context;
}

static void test_stopping_keeps_what_is_done(void **state)
{
	struct mask mask[IDS];
	uint64_t id[IDS];
	struct err err = { "" };
	size_t limit = 100;

	all_ids(id);
	fake_perf.counters = driver_table;
	assert_int_equal(mask_find(*state, P_CORE, id, IDS, stop_at, &limit, mask, &err),
			 -ECANCELED);
	for (unsigned i = 0; i < IDS; i++)
		assert_int_equal(mask[i].source, i < limit ? MASK_BY_DRIVER : MASK_UNKNOWN);
}

/* A scheduler places a group as it likes: only how much fits can be seen. */
static int setup_generic(void **state)
{
	return setup_model(state, server_files);
}

static void test_a_scheduler_shows_room_alone(void **state)
{
	const uint64_t id = 0x3c;
	struct mask mask;
	struct err err = { "" };

	assert_int_equal(mask_find(*state, 0, &id, 1, NULL, NULL, &mask, &err), 0);
	assert_int_equal(mask.source, MASK_BY_DRIVER);
	assert_int_equal(mask.copies, 6);
	assert_int_equal(mask.counters, 0);
	assert_int_equal(mask.above, UINT8_MAX);
}

/* Ids are as perf's raw events: event 0x1c0 with umask 0x01. */
static void test_bits_that_stand_apart(void **state)
{
	const uint64_t id[] = { UINT64_C(0x1000001c0), 0x10000 };
	struct mask mask[2];
	struct err err = { "" };

	assert_int_equal(mask_find(*state, 0, id, 2, NULL, NULL, mask, &err), 0);
	assert_int_equal(mask[0].copies, 6);
	assert_int_equal(fake_perf.open[0].config, UINT64_C(0x1000001c0));
	assert_int_equal(mask[1].source, MASK_UNKNOWN); /* neither's bit */
}

static int setup_amd(void **state)
{
	int rc = setup_model(state, server_files);

	fake_put(model_root, PMU_DIR "cpu/format/event", "config:0-7,32-35");
	backend_close(*state);
	*state = perf_backend(model_root);
	fake_perf.n_opens = 0;
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name, setup) cmocka_unit_test_setup_teardown(name, setup, teardown_model)
		TEST(test_masks_of_the_driver, setup_m1),
		TEST(test_any_mask, setup_m1),
		TEST(test_copies_and_highest, setup_m1),
		TEST(test_what_the_kernel_refuses, setup_m1),
		TEST(test_an_error_is_no_answer, setup_m1),
		TEST(test_stopping_keeps_what_is_done, setup_m1),
		TEST(test_a_scheduler_shows_room_alone, setup_generic),
		TEST(test_bits_that_stand_apart, setup_amd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
