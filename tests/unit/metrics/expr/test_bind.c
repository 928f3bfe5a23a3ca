/* Which columns a metric takes its inputs from: of four SMMUs, several groups, under any name. */
#include <math.h>
#include <string.h>

#include "metrics/planner.h"
#include "rig/sim_rig.h"

static struct sim_rig rig;
static struct metrics metrics;

static int up(void **state)
{
	(void)state;
	rig = sim_rig_open("smmu=4,clock=virtual");
	return metrics_make(&rig.sim->machine, &metrics, NULL);
}

static int down(void **state)
{
	(void)state;
	metrics_fini(&metrics);
	sim_rig_close(&rig);
	return 0;
}

/* A machine's own metrics may be selected again, one of a test's once. */
static struct metrics_selection ask(const char *list)
{
	struct metrics_selection selection = { .n = 0 };

	if (metrics_select(&metrics, list, &selection, &rig.err))
		fail_msg("%s: %s", list, rig.err.text);
	return selection;
}

static struct set plan(const struct metrics_selection *selection, bool splits)
{
	const struct planner_request request = { .events = rig.events,
						 .metrics = &metrics,
						 .selection = selection,
						 .splits_metrics = splits };
	struct set set;

	if (planner_make(&request, &set, &rig.err))
		fail_msg("%s", rig.err.text);
	return set;
}

/* Each device has counts of its own: any other sum is another figure. */
static void make_counts(const struct set *set, const char *above, struct count *ret)
{
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set->type[0].event[slot];
		const char *digit = event ? strstr(event->name, "2b44") : NULL;
		unsigned device = digit ? (unsigned)(digit[4] - '0') / 2 : 0;

		if (!event)
			continue;
		ret[slot] = (struct count){ .value = event_is(event, above) ? 1U << device
									    : 1000U << 4 * device,
					    .enabled_ns = 1000,
					    .running_ns = 1000,
					    .quality = QUALITY_OK };
	}
}

static struct reading eval(const struct set *set, unsigned number, const char *above)
{
	struct count count[COLUMNS_MAX] = { 0 };
	struct reading reading[METRICS_BOUND_MAX];
	struct metrics_bound bound;

	make_counts(set, above, count);
	assert_int_equal(metrics_bind(&metrics, set, metrics.machine->n_types, &bound), 0);

	int column = metrics_column(&bound, (int)number);

	assert_true(column >= 0);
	metrics_eval(&metrics, &bound, 0, count, reading);
	metrics_bound_fini(&bound);
	return reading[column];
}

/* Mux groups of these events, over which metrics may be split. */
static struct set join(const char *const *list)
{
	struct set mux[MUX_MAX], set;
	unsigned n = 0;

	for (; list[n]; n++)
		mux[n] = sim_rig_set(&rig, list[n]);
	if (set_join(mux, n, &set, &rig.err))
		fail_msg("%s", rig.err.text);
	set.splits_metrics = true;
	return set;
}

/* Wherever the four devices' counts are, a sum is of all of them. */
static void a_split_ratio_is_of_all_devices(void **state)
{
	static const char *const mux[][5] = {
		{ "smmuv3_pmcg/tlb_miss/", "smmuv3_pmcg/transaction/" },
		{ "smmuv3_pmcg/tlb_miss/,smmuv3_pmcg_2b440/transaction/,"
		  "smmuv3_pmcg_2b442/transaction/",
		  "smmuv3_pmcg_2b444/transaction/,smmuv3_pmcg_2b446/transaction/" },
		/* a mux group with all of one device */
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b440/transaction/",
		  "smmuv3_pmcg_2b442/tlb_miss/,smmuv3_pmcg_2b444/transaction/",
		  "smmuv3_pmcg_2b442/transaction/,smmuv3_pmcg_2b446/transaction/",
		  "smmuv3_pmcg_2b444/tlb_miss/,smmuv3_pmcg_2b446/tlb_miss/" },
		/* two mux groups with all of some devices */
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b440/transaction/",
		  "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b440/transaction/,"
		  "smmuv3_pmcg_2b442/tlb_miss/,smmuv3_pmcg_2b442/transaction/",
		  "smmuv3_pmcg_2b444/tlb_miss/,smmuv3_pmcg_2b446/tlb_miss/",
		  "smmuv3_pmcg_2b444/transaction/,smmuv3_pmcg_2b446/transaction/" },
	};
	struct metrics_selection selection = ask("smmu_tlb_miss_ratio");
	double expected = 100 * (1 + 2 + 4 + 8) / 1000.0 / 0x1111;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mux); i++) {
		struct set set = join(mux[i]);
		double got = eval(&set, selection.number[0], "SMMU_TLB_MISS").value;

		if (!(fabs(got - expected) < 1e-12))
			fail_msg("%zu: %g is not %g", i, got, expected);
		assert_int_equal(metrics_check_set(&metrics, &selection, &set, &rig.err), 0);
	}
	metrics_selection_fini(&selection);
}

/* What -e counts, and whether that gives the miss rate: of which devices, as bits; 0: it does not. */
static void the_same_devices_above_and_below(void **state)
{
	static const struct {
		const char *list;
		unsigned devices;
	} rows[] = {
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b440/transaction/", 1 },
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg/transaction/", 1 },
		{ "smmuv3_pmcg/tlb_miss/,smmuv3_pmcg_2b444/transaction/", 4 },
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b442/transaction/", 0 },
		{ "smmuv3_pmcg_2b440/tlb_miss/,smmuv3_pmcg_2b442/tlb_miss/,"
		  "smmuv3_pmcg_2b442/transaction/,smmuv3_pmcg_2b446/transaction/",
		  2 },
	};
	struct metrics_selection selection = ask("smmu_tlb_miss_ratio");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct set set = sim_rig_set(&rig, rows[i].list);
		int rc = metrics_check_set(&metrics, &selection, &set, &rig.err);
		unsigned device = (unsigned)__builtin_ctz(rows[i].devices | 1U << 31);

		if (rc != (rows[i].devices ? 0 : -EINVAL))
			fail_msg("%s: %d", rows[i].list, rc);
		if (rc)
			assert_string_equal(rig.err.text, "metric smmu_tlb_miss_ratio: its events "
							  "are counted on different devices");
		else
			assert_true(fabs(eval(&set, selection.number[0], "SMMU_TLB_MISS").value -
					 100 * (1U << device) / (1000.0 * (1 << 4 * device))) <
				    1e-12);
	}
	metrics_selection_fini(&selection);
}

/* One that is named by itself is meant by itself. */
static void a_share_of_one_device(void **state)
{
	struct metrics_selection selection =
		ask("share=smmuv3_pmcg_2b442@transaction@/smmuv3_pmcg@transaction@");
	struct set set = plan(&selection, false);

	(void)state;
	assert_true(fabs(eval(&set, selection.number[0], "none").value - (double)0x10 / 0x1111) <
		    1e-12);
	metrics_selection_fini(&selection);
}

#define STREAMS "for different streams: give all of them the same one"

/* Everything that is planned is bound, under whatever name, or said to be impossible. */
static void what_is_planned_is_bound(void **state)
{
	static const struct {
		const char *asked, *why; /* NULL: it is bound */
	} rows[] = {
		{ "a=rbf/INST_ALL", NULL },
		{ "b=r0bf:u/instructions:u", NULL },
		{ "c=r8D/r008c", NULL },
		{ "d=smmuv3_pmcg@tlb_miss\\,stream\\=0x40@/smmuv3_pmcg@transaction@", STREAMS },
		{ "e=smmuv3_pmcg@tlb_miss\\,stream\\=64@/smmuv3_pmcg@transaction\\,stream\\=65@",
		  STREAMS },
		{ "f=smmuv3_pmcg@tlb_miss\\,stream\\=64@/smmuv3_pmcg@transaction\\,stream\\=64@",
		  NULL },
		{ "j=SMMU_TLB_MISS@stream\\=64@/SMMU_TLB_MISS", STREAMS },
		{ "k=SMMU_TLB_MISS@stream\\=64@/SMMU_TRANSACTION@stream\\=64@", NULL },
		/* the clock is of no stream */
		{ "g=smmuv3_pmcg_2b440@transaction\\,stream\\=64@/smmuv3_pmcg_2b440@cycles@",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metrics_selection selection = ask(rows[i].asked);
		struct set set = plan(&selection, true);
		int rc = metrics_check_set(&metrics, &selection, &set, &rig.err);

		if (rc != (rows[i].why ? -EINVAL : 0) || (rc && !strstr(rig.err.text, rows[i].why)))
			fail_msg("%s: %d %s", rows[i].asked, rc, rig.err.text);
		metrics_selection_fini(&selection);
	}
}

/* A set that counts something else says what is missing. */
static void what_another_set_does_not_give(void **state)
{
	struct metrics_selection selection = ask("branch_mpki");
	struct set set = sim_rig_set(&rig, "cycles,instructions");

	(void)state;
	assert_int_equal(metrics_check_set(&metrics, &selection, &set, &rig.err), -EINVAL);
	assert_string_equal(rig.err.text,
			    "metric branch_mpki: no counted event is BRANCH_MISPRED_NONSPEC");
	metrics_selection_fini(&selection);
}

/* An SMMU's cycles make no IPC. */
static void cycles_are_the_cores(void **state)
{
	struct metrics_selection selection = ask("h=instructions/cycles");
	struct set set = sim_rig_set(&rig, "smmuv3_pmcg_2b440/cycles/,instructions,cycles");

	(void)state;
	for (unsigned type = 0; type < 2; type++) {
		for (unsigned slot = 0; slot < set.n_slots; slot++) {
			const struct event **event = &set.type[type].event[slot];

			if (*event && (*event)->needs_counter && !(*event)->is_instructions)
				*event = NULL;
		}
	}
	assert_int_equal(metrics_check_set(&metrics, &selection, &set, &rig.err), -EINVAL);
	assert_string_equal(rig.err.text, "metric h: no counted event is cycles");
	metrics_selection_fini(&selection);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_split_ratio_is_of_all_devices),
		cmocka_unit_test(the_same_devices_above_and_below),
		cmocka_unit_test(a_share_of_one_device),
		cmocka_unit_test(what_is_planned_is_bound),
		cmocka_unit_test(what_another_set_does_not_give),
		cmocka_unit_test(cycles_are_the_cores),
	};

	return cmocka_run_group_tests(tests, up, down);
}
