/* What is counted when nobody asked: the parts of a core's time too, where they fit beside the rest. */
#include "rig/planner_rig.h"

#define USUAL "CPU_CYCLES INST_RETIRED BR_RETIRED BR_MIS_PRED_RETIRED L1D_CACHE L1D_CACHE_REFILL"
#define SLOTS "OP_RETIRED OP_SPEC STALL_SLOT STALL_SLOT_FRONTEND STALL_SLOT_BACKEND"

/* An Arm core of 8 slots a cycle. */
static int begin_arm(void **state)
{
	static const struct named_terms aliases[] = {
		{ "cpu_cycles", "event=0x11" },          { "inst_retired", "event=0x08" },
		{ "br_retired", "event=0x21" },          { "br_mis_pred_retired", "event=0x22" },
		{ "l1d_cache", "event=0x04" },           { "l1d_cache_refill", "event=0x03" },
		{ "op_retired", "event=0x3a" },          { "op_spec", "event=0x3b" },
		{ "stall_slot", "event=0x3f" },          { "stall_slot_backend", "event=0x3d" },
		{ "stall_slot_frontend", "event=0x3e" }, { NULL, NULL },
	};

	(void)state;
	machines_begin(&planner.machine);
	machines_add_aliases(
		machines_add_pmu(&planner.machine, "armv8_cortex_x2", PMU_CORE, 0xffff), aliases);
	machines_add_type(&planner.machine, "cpu", &planner.machine.pmus.pmu[0], "arm64",
			  "0x00000000410fd480");
	machines_add_cores(&planner.machine, 2, 0, 0);
	planner_begin_slots(8);
	return 0;
}

static void with_room_for_all(void **state)
{
	struct set set;

	(void)state;
	set = planner_plan();
	planner_assert_mux(&set, 0, USUAL " " SLOTS);
}

/* What everybody looks for stays where that is all there is room for. */
static void by_the_number_of_counters(void **state)
{
	struct set set;

	(void)state;
	planner.machine.type[0].n_counters = 7;
	set = planner_plan();
	planner_assert_mux(&set, 0, USUAL);
	planner.machine.type[0].n_counters = 11;
	set = planner_plan();
	planner_assert_mux(&set, 0, USUAL " " SLOTS);
}

static void the_kernel_decides(void **state)
{
	struct planner_kernel kernel = { .n_counters = 10 };
	struct set set;

	(void)state;
	planner.request.fits = planner_kernel_fits;
	planner.request.data = &kernel;
	set = planner_plan();
	planner_assert_mux(&set, 0, USUAL);
	kernel.n_counters = 11;
	set = planner_plan();
	planner_assert_mux(&set, 0, USUAL " " SLOTS);
}

/* Who asks for something gets that alone. */
static void nothing_beside_what_was_asked_for(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events("CPU_CYCLES");
	set = planner_plan();
	planner_assert_mux(&set, 0, "CPU_CYCLES");
}

#define ON_ARM(f) cmocka_unit_test_setup_teardown(f, begin_arm, planner_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_ARM(with_room_for_all),
		ON_ARM(by_the_number_of_counters),
		ON_ARM(the_kernel_decides),
		ON_ARM(nothing_beside_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
