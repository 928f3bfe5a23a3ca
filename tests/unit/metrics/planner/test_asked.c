/* Events and presets that do not fit at once: what is multiplexed, and what is refused. */
#include "rig/planner_rig.h"

static void assert_refused(const char *why)
{
	struct set set;

	assert_true(planner_make(&planner.request, &set, &planner.err) < 0);
	assert_string_equal(planner.err.text, why);
}

static void what_fits_is_one_set(void **state)
{
	struct set set, alone;

	(void)state;
	planner_ask_events("PMC6=INST_BRANCH,page-faults,L1D_CACHE_MISS_LD_NONSPEC,RETIRE_UOP");
	assert_int_equal(set_make(planner.events, planner.spec, planner.request.n_specs,
				  PRIVILEGE_BOTH, &alone, &planner.err),
			 0);
	set = planner_plan();
	assert_memory_equal(set.type, alone.type, sizeof(set.type));
}

static void events_are_multiplexed(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events(
		"INST_BRANCH,INST_BRANCH_CALL,INST_BRANCH_RET,INST_BRANCH_COND,RETIRE_UOP");
	set = planner_plan();
	planner_assert_mux(&set, 1,
			   "CORE_ACTIVE_CYCLE INST_ALL INST_BRANCH INST_BRANCH_CALL RETIRE_UOP | "
			   "CORE_ACTIVE_CYCLE INST_ALL INST_BRANCH_RET INST_BRANCH_COND");
	assert_false(set.splits_metrics);
}

static void an_event_keeps_its_counter(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events(
		"INST_ALL,PMC5=INST_BRANCH,PMC5=INST_BRANCH_RET,PMC6=INST_BRANCH,PMC0=cycles");
	set = planner_plan();
	planner_assert_mux(&set, 0,
			   "CORE_ACTIVE_CYCLE INST_ALL INST_BRANCH INST_BRANCH | CORE_ACTIVE_CYCLE "
			   "INST_ALL INST_BRANCH_RET");
	for (unsigned type = 0; type < 2; type++) {
		const struct placement *its = &set.type[type];

		assert_string_equal(its->event[5]->name, "INST_BRANCH");
		assert_string_equal(its->event[6]->name, "INST_BRANCH");
		assert_string_equal(its->event[set.first[1] + 5]->name, "INST_BRANCH_RET");
	}
}

/* A metric's event that must go where it was asked for, in the mux group that has it already. */
static void a_counter_is_kept_beside_metrics(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events("PMC7=INST_BRANCH,RETIRE_UOP");
	planner_ask_metrics("branch_miss_ratio");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	planner_check_metrics(&set);
	assert_string_equal(set.type[0].event[7]->name, "INST_BRANCH");
}

static void assert_mux_is_preset(const struct set *set, unsigned number, const char *name)
{
	struct set mux, alone;

	assert_int_equal(set_preset(planner.events, name, PRIVILEGE_BOTH, &alone, &planner.err), 0);
	set_mux_group(set, number, &mux);
	assert_int_equal(mux.n_slots, alone.n_slots);
	for (unsigned type = 0; type < 2; type++)
		for (unsigned slot = 0; slot < mux.n_slots; slot++)
			assert_ptr_equal(mux.type[type].event[slot], alone.type[type].event[slot]);
}

static void presets_are_whole(void **state)
{
	struct set set;

	(void)state;
	planner.request.preset = "branch, L1D";
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	assert_mux_is_preset(&set, 0, "branch");
	assert_mux_is_preset(&set, 1, "l1d");

	planner.request.preset = "overview";
	planner_ask_events("INST_SIMD_ALU");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	assert_mux_is_preset(&set, 0, "overview");

	planner.request.preset = "xscale-icache,xscale-fetch";
	planner.request.n_specs = 0;
	assert_int_equal(set_n_mux((set = planner_plan(), &set)), 1);
}

static void metrics_beside_multiplexed_events(void **state)
{
	struct set set;

	(void)state;
	planner.request.preset = "overview";
	planner_ask_events("INST_SIMD_ALU");
	planner_ask_metrics("Branch,IPC");
	set = planner_plan();
	planner_check_metrics(&set);
	assert_mux_is_preset(&set, 0, "overview");
}

static void what_fits_no_set_is_refused(void **state)
{
	(void)state;
	planner.request.preset = "branch";
	planner_ask_events("PMC5=INST_LDST");
	assert_refused("INST_LDST can only be counted on PMC7");
	planner.request.preset = "branch,nix";
	assert_true(planner_make(&planner.request, &(struct set){ 0 }, &planner.err) == -ENOENT);
	assert_non_null(
		strstr(planner.err.text, "no preset is named \"nix\"; available: overview"));
}

/* Every event that has a name or is an id without one, in as many sets as eight free counters take. */
static void all_events(void **state)
{
	static const char *const rare[] = { "RETIRE_UOP", "INST_LDST" };
	struct set set;

	(void)state;
	planner.request.preset = "all";
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 11);
	assert_int_equal(set.n_slots, 11 * 10);
	assert_string_equal(set.preset, "all");
	for (unsigned type = 0; type < 2; type++) {
		unsigned n = 0;

		for (unsigned i = 0; i < set.n_slots; i++) {
			const struct event *event = set.type[type].event[i];

			assert_non_null(event);
			n += set_slot_of(&set, i) > 1;
			for (size_t k = 0; k < ARRAY_SIZE(rare); k++)
				if (strcmp(event->name, rare[k]) == 0)
					assert_int_equal(set_slot_of(&set, i), 7);
		}
		assert_int_equal(n, 88);
	}
}

static void more_sets_than_mux_groups(void **state)
{
	struct text list = { 0 };
	struct set set;

	(void)state;
	planner_ask_events(
		"PMC5=INST_BRANCH,PMC5=INST_BRANCH_RET,PMC5=INST_BRANCH_CALL,PMC5=INST_BRANCH_"
		"TAKEN,PMC5=INST_BRANCH_INDIR,PMC5=INST_BRANCH_COND,PMC5=BRANCH_MISPRED_NONSPEC,"
		"PMC5=L1D_CACHE_MISS_LD_NONSPEC,PMC5=L1D_CACHE_MISS_ST_NONSPEC,"
		"PMC5=r30,PMC5=r31,PMC5=r32,PMC5=r33,PMC5=r34");
	assert_int_equal(set_n_mux((set = planner_plan(), &set)), 14);
	assert_int_equal(set.n_slots, 14 * 3); /* with cycles and instructions; none is empty */
	for (unsigned id = 0x30; id < 0x30 + MUX_MAX + 1; id++)
		text_printf(&list, "%sPMC5=r%x", list.n ? "," : "", id);
	planner_ask_events(list.bytes);
	text_fini(&list);
	assert_refused("that takes more than 64 sets of events, and no more can be multiplexed: "
		       "ask for less at a time");
}

/* --- where the kernel alone knows --- */

static void the_kernel_says_what_fits(void **state)
{
	struct planner_kernel kernel = { .n_counters = 4 };
	struct set set;

	(void)state;
	planner.machine.type[0].n_counters = 0;
	planner.request.fits = planner_kernel_fits;
	planner.request.data = &kernel;
	planner_ask_events("r1,r2,r3,r4");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 1);
	assert_int_equal(kernel.n_calls, 1);

	planner_ask_events("r1,r2,r3,r4,r5,r6");
	set = planner_plan();
	planner_assert_mux(&set, 0, "r1 r2 r3 r4 | r5 r6");

	planner_ask_events("r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11");
	set = planner_plan(); /* more than the columns of one set */
	assert_int_equal(set_n_mux(&set), 5);

	kernel.n_counters = 0;
	assert_refused("no room for all 1");
}

static void all_of_nothing(void **state)
{
	(void)state;
	planner.request.preset = "all";
	assert_refused("no events of these cores are known beyond cycles and instructions: m1top "
		       "events import gets them");
}

/* A server core's catalogue. */
static void hundreds_of_events(void **state)
{
	struct text list = { 0 };
	struct set set;

	(void)state;
	planner.machine.type[0].n_counters = 6;
	for (unsigned id = 1; id <= 372; id++)
		text_printf(&list, "%sr%x", list.n ? "," : "", id);
	planner_ask_events(list.bytes);
	text_fini(&list);
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 62);
	assert_int_equal(set.n_slots, 372);
}

static void known_counters_are_enough(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events("r1,r2,page-faults,r3,r4,r5,r1");
	set = planner_plan();
	planner_assert_mux(&set, 0, "r1 r2 page-faults r3 r4 | r5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_M1(what_fits_is_one_set),        ON_M1(events_are_multiplexed),
		ON_M1(an_event_keeps_its_counter),  ON_M1(a_counter_is_kept_beside_metrics),
		ON_M1(presets_are_whole),           ON_M1(metrics_beside_multiplexed_events),
		ON_M1(what_fits_no_set_is_refused), ON_M1(all_events),
		ON_M1(more_sets_than_mux_groups),   ON_X86(the_kernel_says_what_fits),
		ON_X86(hundreds_of_events),         ON_X86(all_of_nothing),
		ON_X86(known_counters_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
