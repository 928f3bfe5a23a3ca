/* test_mask.c: masks by counting, on machines whose masks only the seed knows */
#include "rig/sim_control.h"
#include "rig/sim_rig.h"

#include <string.h>

#include "discover/run/mask.h"

enum { IDS = 256, SEEDS = 6 };

static void all_ids(uint64_t id[IDS])
{
	for (unsigned i = 0; i < IDS; i++)
		id[i] = i;
}

static bool responds(const struct backend *sim, unsigned type, uint64_t id)
{
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (sim_truth_of_id(sim, type, id, kernel->name).k > 0)
			return true;
	return false;
}

/* PMC0 and PMC1 are not among those that can be set. */
static void check_masks(const struct backend *sim, unsigned type, const struct mask mask[IDS])
{
	for (unsigned id = 0; id < IDS; id++) {
		struct sim_answer truth = sim_truth_of_id(sim, type, id, "");
		uint64_t want = truth.counters & 0x3fc;

		if (mask[id].source == MASK_BY_COUNTING ? mask[id].counters != want
							: responds(sim, type, id))
			fail_msg("id 0x%02x, type %u: found 0x%llx, is 0x%llx", id, type,
				 (unsigned long long)mask[id].counters, (unsigned long long)want);
		if (truth.kind == SIM_NEVER || mask[id].source == MASK_UNKNOWN)
			assert_int_equal(mask[id].counters, 0);
	}
}

static void masks_of_hidden_machines(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		char options[32];
		struct mask mask[IDS];
		uint64_t id[IDS];

		snprintf(options, sizeof(options), "seed=%u,hidden", seed);

		struct sim_rig rig = sim_rig_open(options);
		unsigned core = seed % 2 ? 0 : 4;

		all_ids(id);
		assert_int_equal(mask_find(rig.sim, core, id, IDS, NULL, NULL, mask, &rig.err), 0);
		assert_false(rig.sim->is_probing);
		check_masks(rig.sim, rig.sim->machine.core[core].type, mask);
		sim_rig_close(&rig);
	}
}

/* Of an M1, those whose slopes are known. */
static void masks_of_the_m1(void **state)
{
	static const struct {
		uint64_t id, counters;
	} row[] = {
		{ 0x01, 0x080 }, { 0x02, 0x3fc }, { 0x8c, 0x080 }, { 0x8d, 0x0e0 }, { 0x95, 0x0e0 },
		{ 0x96, 0x080 }, { 0xa6, 0x3fc }, { 0xc5, 0x0e0 }, { 0xb3, 0x3fc }, { 0xff, 0 },
	};
	struct sim_rig rig = sim_rig_open("seed=1");

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct mask mask;

		assert_int_equal(mask_find(rig.sim, 4, &row[i].id, 1, NULL, NULL, &mask, &rig.err),
				 0);
		assert_int_equal(mask.counters, row[i].counters);
	}
	sim_rig_close(&rig);
}

struct steps {
	size_t last, all, limit;
};

static bool forwards(void *context, size_t done, size_t all)
{
	struct steps *steps = context;

	assert_true(done >= steps->last && done <= all);
	*steps = (struct steps){ done, all, steps->limit };
	return done < steps->limit;
}

static void progress_goes_forwards_to_its_end(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=3,hidden");
	struct mask mask[IDS];
	uint64_t id[IDS];
	struct steps steps = { .limit = SIZE_MAX };

	(void)state;
	all_ids(id);
	assert_int_equal(mask_find(rig.sim, 0, id, IDS, forwards, &steps, mask, &rig.err), 0);
	assert_int_equal(steps.last, steps.all);
	sim_rig_close(&rig);
}

static void stopping_keeps_what_is_done(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=3,hidden");
	struct mask mask[IDS];
	uint64_t id[IDS];
	struct steps steps = { .limit = IDS };
	unsigned n = 0;

	(void)state;
	all_ids(id);
	assert_int_equal(mask_find(rig.sim, 0, id, IDS, forwards, &steps, mask, &rig.err),
			 -ECANCELED);
	assert_false(rig.sim->is_probing);
	for (unsigned i = 0; i < IDS; i++)
		n += mask[i].source == MASK_BY_COUNTING;
	assert_in_range(n, 2, IDS / 2);
	sim_rig_close(&rig);
}

static void a_core_that_goes_is_an_error(void **state)
{
	struct sim_rig rig = sim_rig_open("seed=3,hidden");
	struct mask mask;
	uint64_t id = 0x02;

	(void)state;
	assert_int_equal(sim_core_offline(rig.sim, 4, true), 0);
	assert_int_equal(mask_find(rig.sim, 4, &id, 1, NULL, NULL, &mask, &rig.err), -ENODEV);
	assert_non_null(strstr(rig.err.text, "cpu4"));
	assert_false(rig.sim->is_probing);
	sim_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_of_hidden_machines),
		cmocka_unit_test(masks_of_the_m1),
		cmocka_unit_test(progress_goes_forwards_to_its_end),
		cmocka_unit_test(stopping_keeps_what_is_done),
		cmocka_unit_test(a_core_that_goes_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
