/* test_pack.c: events on few sets: every one is there once, every set can be placed */
#include "rig/harness.h"

#include <string.h>

#include "base/num.h"
#include "discover/sweep/pack.h"

static const struct core_type m1 = {
	.name = "P", .n_counters = 10, .width = 48, .slot_is_counter = true
};
static const struct core_type six = { .name = "cpu", .n_counters = 6, .width = 64 };
static const struct core_type unknown = { .name = "cpu", .width = 64 };
static const struct event cycles = { .name = "cycles", .counters = 1, .needs_counter = true };
static const struct event any_cycles = { .name = "cycles", .needs_counter = true };

enum { MAX = 4096 };

static bool can_be_placed(const struct core_type *type, const struct pack *pack,
			  const uint64_t *counters, bool is_core, const struct event *beside)
{
	struct event event[SLOTS_MAX];
	struct want want[SLOTS_MAX + 1];
	struct placement placement;
	size_t n = 0;

	if (beside)
		want[n++] = (struct want){ .event = beside, .slot = -1 };
	for (unsigned i = 0; i < pack->n; i++) {
		event[i] = (struct event){ .counters = counters[pack->member[i]],
					   .needs_counter = is_core };
		want[n++] = (struct want){ .event = &event[i], .slot = -1 };
	}
	return placement_make(type, want, n, &placement, NULL) == 0;
}

static size_t check(const struct core_type *type, const uint64_t *counters, size_t n, bool is_core,
		    const struct event *beside)
{
	struct packs packs = { 0 };
	unsigned times[MAX] = { 0 };
	size_t n_packs;

	assert_int_equal(packs_make(type, counters, n, is_core, beside, &packs), 0);
	for (size_t i = 0; i < packs.n; i++) {
		assert_true(packs.pack[i].n > 0);
		assert_true(can_be_placed(type, &packs.pack[i], counters, is_core, beside));
		for (unsigned m = 0; m < packs.pack[i].n; m++)
			times[packs.pack[i].member[m]]++;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(times[i], 1);
	n_packs = packs.n;
	packs_fini(&packs);
	return n_packs;
}

static void fill(uint64_t *counters, size_t n, uint64_t mask)
{
	for (size_t i = 0; i < n; i++)
		counters[i] = mask;
}

static void test_alike(void **state)
{
	uint64_t counters[MAX];

	(void)state;
	fill(counters, 256, 0x3fc);
	assert_int_equal(check(&m1, counters, 256, true, &cycles), 32);
	fill(counters, 256, 0xe0);
	assert_int_equal(check(&m1, counters, 256, true, &cycles), 86);
	fill(counters, 256, 0x80);
	assert_int_equal(check(&m1, counters, 256, true, &cycles), 256);
	fill(counters, 256, 0);
	assert_int_equal(check(&six, counters, 256, true, &any_cycles), 52);
	assert_int_equal(check(&six, counters, 256, true, NULL), 43);
	/* how many there are nobody knows: each by itself */
	assert_int_equal(check(&unknown, counters, 20, true, &any_cycles), 20);
	assert_int_equal(check(&unknown, counters, 20, false, NULL), 2);
	assert_int_equal(check(&m1, counters, 0, true, &cycles), 0);
}

/* Those with few counters first: the others find room beside them. */
static void test_mixed(void **state)
{
	static const uint64_t classes[] = { 0x80, 0xe0, 0xfc, 0x3fc, 0x3fc, 0x54 };
	uint64_t counters[MAX], random = 7;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		size_t n = 1 + random_below(&random, 300), n_sevens = 0;

		for (size_t i = 0; i < n; i++) {
			counters[i] = classes[random_below(&random, ARRAY_SIZE(classes))];
			n_sevens += counters[i] == 0x80;
		}

		size_t least = (n + 7) / 8 > n_sevens ? (n + 7) / 8 : n_sevens;
		size_t made = check(&m1, counters, n, true, &cycles);

		assert_in_range(made, least, least + least / 2 + 3);
	}
}

static void test_many(void **state)
{
	static uint64_t counters[MAX];

	(void)state;
	fill(counters, MAX, 0);
	assert_int_equal(check(&six, counters, MAX, true, &any_cycles), 820);
}

static void test_split(void **state)
{
	uint64_t counters[8];
	struct packs packs = { 0 };

	(void)state;
	fill(counters, 8, 0x3fc);
	assert_int_equal(packs_make(&m1, counters, 8, true, &cycles, &packs), 0);
	assert_int_equal(packs.n, 1);
	assert_int_equal(packs_split(&packs, 0), 0);
	assert_int_equal(packs.n, 2);
	assert_int_equal(packs.pack[0].n, 4);
	assert_int_equal(packs.pack[1].n, 4);
	assert_int_equal(packs.pack[1].member[0], packs.pack[0].member[3] + 1);
	packs_fini(&packs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
