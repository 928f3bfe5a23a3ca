/* Sets that fit: what a request becomes, what is refused, what is split. */
#include "rig/planner_rig.h"

/* The same as a processor that has a catalogue. */
static int begin_intel(void **state)
{
	(void)state;
	machines_generic(&planner.machine);
	catalog_free(planner.machine.type[0].catalog);
	planner.machine.n_types = 0;
	machines_add_type(&planner.machine, "cpu", &planner.machine.pmus.pmu[0], "x86",
			  "GenuineIntel-6-55-4");
	planner.machine.type[0].n_counters = 4;
	return planner_begin();
}

/* P cores with six counters and E cores with four, each with a PMU of its own. */
static int begin_hybrid(void **state)
{
	(void)state;
	machines_begin(&planner.machine);
	for (unsigned t = 0; t < 2; t++)
		machines_add_pmu(&planner.machine, t ? "cpu_atom" : "cpu_core", PMU_CORE, 0xffff);
	machines_add_x86_rest(&planner.machine);
	for (unsigned t = 0; t < 2; t++) {
		machines_add_type(&planner.machine, t ? "E" : "P", &planner.machine.pmus.pmu[t],
				  "x86", "");
		machines_add_cores(&planner.machine, 2, t, t);
		planner.machine.type[t].n_counters = t ? 4 : 6;
	}
	return planner_begin();
}

/* --- what is asked for --- */

static void nothing_is_the_default(void **state)
{
	struct set set;

	(void)state;
	set = planner_plan();
	assert_string_equal(set.preset, "overview");
	assert_int_equal(set.n_mux, 0);
}

/* A metric alone is counted with the pair that costs nothing. */
static void one_metric(void **state)
{
	(void)state;
	planner_ask_metrics("branch_miss_ratio");

	struct set set = planner_plan();

	assert_int_equal(set_n_mux(&set), 1);
	planner_assert_mux(&set, 1,
			   "CORE_ACTIVE_CYCLE INST_ALL BRANCH_MISPRED_NONSPEC INST_BRANCH");
}

/* What the preset counts already costs nothing, and leaves it what it was. */
static void preset_and_metrics(void **state)
{
	struct set set, alone;

	(void)state;
	assert_int_equal(
		set_preset(planner.events, "overview", PRIVILEGE_BOTH, &alone, &planner.err), 0);
	planner.request.preset = "Overview";
	planner_ask_metrics("IPC,branch_mpki,branch_miss_ratio");
	set = planner_plan();
	assert_string_equal(set.preset, "overview");
	assert_memory_equal(set.type, alone.type, sizeof(set.type));

	planner_ask_metrics("l1d_miss_ratio,branch_mpki");
	set = planner_plan();
	assert_string_equal(set.preset, "");
	assert_int_equal(set_n_mux(&set), 2);
	planner_check_metrics(&set);

	struct set first;

	set_mux_group(&set, 0, &first);
	for (unsigned slot = 0; slot < alone.n_slots; slot++)
		assert_ptr_equal(first.type[0].event[slot], alone.type[0].event[slot]);
}

static void preset_and_events(void **state)
{
	struct set set, alone;

	(void)state;
	assert_int_equal(
		set_preset(planner.events, "overview", PRIVILEGE_BOTH, &alone, &planner.err), 0);
	planner.request.preset = "overview";
	planner_ask_events("INST_BRANCH,page-faults");
	set = planner_plan();
	assert_string_equal(set.preset, "");
	assert_int_equal(set.n_slots, alone.n_slots + 1);
	assert_string_equal(set_event(&set, alone.n_slots)->name, "page-faults");
}

static void events_and_metrics(void **state)
{
	struct set set;

	(void)state;
	planner_ask_events("PMC6=INST_BRANCH,page-faults");
	planner_ask_metrics("branch_miss_ratio");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 1);
	assert_string_equal(set.type[0].event[6]->name, "INST_BRANCH");
	planner_check_metrics(&set);
}

/* Events at the user's levels give a metric: nothing is counted beside them. */
static void given_by_the_events(void **state)
{
	(void)state;
	planner_ask_events("cycles:u,instructions:u");
	planner_ask_metrics("IPC");

	struct set set = planner_plan();

	planner_assert_mux(&set, 0, "CORE_ACTIVE_CYCLE:u INST_ALL:u");
}

static void privilege_of_a_request(void **state)
{
	(void)state;
	planner.request.privilege = PRIVILEGE_USER;
	planner_ask_metrics("branch_miss_ratio,x=1000*L1D_CACHE_MISS_LD:k/INST_ALL");

	struct set set = planner_plan();

	assert_int_equal(set_n_mux(&set), 1);
	for (unsigned slot = 0; slot < set.n_slots; slot++) {
		const struct event *event = set.type[0].event[slot];

		if (event)
			assert_int_equal(event->privilege, strstr(event->name, ":k")
								   ? PRIVILEGE_KERNEL
								   : PRIVILEGE_USER);
	}
	planner_check_metrics(&set);
}

static void groups_leave_out_what_is_not_here(void **state)
{
	int missing = metrics_find(&planner.metrics, "cache_miss_ratio");
	unsigned n;

	(void)state;
	planner_ask_metrics("Cache");
	assert_true(missing >= 0 && planner.selection.n > 3);
	for (size_t i = 0; i < planner.selection.n; i++)
		assert_int_not_equal(planner.selection.number[i], missing);
	assert_int_equal(planner_n_sets(&planner.request, (unsigned)missing, &n, &planner.err),
			 -ENOENT);
	assert_string_equal(planner.err.text,
			    "metric cache_miss_ratio: no event is named \"cache-misses\"");
}

/* --- a machine with few counters --- */

static void refused_with_the_reason(void **state)
{
	struct set set;

	(void)state;
	planner_ask_metrics("x=r1+r2+r3+r4+r5+r6+r7+r8+r9,y=r1");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_string_equal(
		planner.err.text,
		"metric x needs 9 events at once, but cpu has 4 counters: r1, r2, "
		"r3, r4, r5, r6, r7, r8, r9; --split measures it in 3 multiplexed sets, "
		"as an estimate");
}

static void refused_by_masks(void **state)
{
	struct set set;

	(void)state;
	planner_ask_metrics(
		"x=INST_BRANCH+BRANCH_MISPRED_NONSPEC+BRANCH_CALL_INDIR_MISPRED_NONSPEC+"
		"BRANCH_RET_INDIR_MISPRED_NONSPEC");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_non_null(strstr(planner.err.text,
			       "metric x does not fit: 4 events need the 3 counters "
			       "PMC5-7: INST_BRANCH, "));
	assert_non_null(strstr(planner.err.text, "; --split measures it in 2 multiplexed sets"));
}

static void more_than_columns(void **state)
{
	struct set set;

	(void)state;
	planner.machine.type[0].n_counters = 0; /* nobody knows */
	planner_ask_metrics("x=r1+r2+r3+r4+r5+r6+r7+r8+r9+ra+rb+rc+rd+re+rf+r10+r11");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_non_null(strstr(planner.err.text, "needs 17 events at once, but 16 can be counted"));
	planner.request.max_counters = 6;
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_non_null(
		strstr(planner.err.text, "needs 17 events at once, but cpu has 6 counters"));
}

static void split_over_sets(void **state)
{
	unsigned n;

	(void)state;
	planner.request.splits_metrics = true;
	planner_ask_metrics("x=r1+r2+r3+r4+r5+r6,y=r7/r8");

	struct set set = planner_plan();

	assert_true(set.splits_metrics);
	assert_int_equal(set_n_mux(&set), 2);
	assert_int_equal(planner_n_sets(&planner.request, planner.selection.number[0], &n, NULL),
			 0);
	assert_int_equal(n, 2);
	assert_true(planner_is_in_one_mux(&set, 0, planner.selection.number[1]));
	assert_false(planner_is_in_one_mux(&set, 0, planner.selection.number[0]));

	struct metric_binding binding;

	assert_true(metric_bind_set(planner.metrics.metric[planner.selection.number[0]].program[0],
				    &set, 0, &binding));
}

/* --split changes nothing where metrics fit. */
static void split_without_need(void **state)
{
	(void)state;
	planner.request.splits_metrics = true;
	planner_ask_metrics("x=r1/r2,y=r3/r4,z=r5/r6");

	struct set set = planner_plan();

	assert_false(set.splits_metrics);
	planner_assert_mux(&set, 0, "r1 r2 r3 r4 | r5 r6");
}

/* Mux groups are in the order in which metrics were asked for, and share what they can. */
static void shared_events(void **state)
{
	(void)state;
	planner_ask_metrics("a=r1/r2,b=r3/r4+r5,c=r1/r6+r7,d=r3/r8");

	struct set set = planner_plan();

	planner_assert_mux(&set, 0, "r1 r2 r6 r7 | r3 r4 r5 r8");
}

/* Only columns limit events that need no counter. */
static void events_without_counters(void **state)
{
	(void)state;
	planner_ask_metrics("x=(r1+r2+r3+r4)/duration_time,y=page\\-faults/tsc,z=cs+migrations");

	struct set set = planner_plan();

	assert_int_equal(set_n_mux(&set), 1);
	assert_int_equal(set.n_slots, 8);
}

/* Once under the name that means all of them. */
static void one_event_under_three_names(void **state)
{
	(void)state;
	planner_ask_metrics("a=CPU_CLK_UNHALTED.THREAD_P,b=cycles/cpu@event\\=0xc0@,"
			    "c=cpu@event\\=0x3c@/instructions");

	struct set set = planner_plan();

	planner_assert_mux(&set, 0, "cpu/event=0x3c/ cpu/event=0xc0/");
	planner_check_metrics(&set);
}

/* The catalogue's way of writing terms. */
static void names_of_events(void **state)
{
	(void)state;
	planner.machine.type[0].n_counters = 6;
	planner_ask_metrics(
		"a=cpu@event\\=0x3c@/msr@tsc@,b=cycles/cpu@event\\=0x11\\,config1\\=0x2@,"
		"c=instructions:u/cycles:u");

	struct set set = planner_plan();

	assert_int_equal(set_n_mux(&set), 1);
	planner_assert_mux(&set, 0,
			   "cpu/event=0x3c/ msr/tsc/ cpu-cycles cpu/event=0x11,config1=0x2/ "
			   "instructions:u cpu-cycles:u");
}

static void constants_count_nothing(void **state)
{
	unsigned n = 0;

	(void)state;
	planner_ask_metrics("x=1/duration_time");
	assert_int_equal(planner_n_sets(&planner.request, planner.selection.number[0], &n, NULL),
			 0);
	assert_int_equal(n, 1);

	struct set set = planner_plan();

	assert_int_equal(set.n_slots, 4); /* the default, up to the counters that there are */
}

static void too_many_mux_groups(void **state)
{
	struct set set;
	char list[4096];
	size_t used = 0;

	(void)state;
	for (unsigned i = 0; i < MUX_MAX; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%sm%u=r%03x+r%03x+r%03x+r%03x", i ? "," : "", i, 4 * i,
					 4 * i + 1, 4 * i + 2, 4 * i + 3);
	planner_ask_metrics(list);
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), 0);
	assert_int_equal(set_n_mux(&set), MUX_MAX);
	planner_ask_events("r200,r201,r202,r203");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_non_null(strstr(planner.err.text, "more than 64 sets"));
}

/* --- what the kernel says --- */

static void the_kernel_has_the_last_word(void **state)
{
	struct planner_kernel kernel = { .n_counters = 4 };
	struct set set;

	(void)state;
	planner.request.fits = planner_kernel_fits;
	planner.request.data = &kernel;
	planner_ask_metrics("a=r1/r2,b=r3/r4,c=r5/r6");
	set = planner_plan();
	planner_assert_mux(&set, 0, "r1 r2 r3 r4 | r5 r6");
	assert_int_equal(kernel.n_calls, 2); /* the result alone */

	kernel.n_counters = 3;
	set = planner_plan();
	planner_assert_mux(&set, 0, "r1 r2 | r3 r4 | r5 r6");

	planner_ask_metrics("d=r1+r2+r3+r4");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_string_equal(planner.err.text, "metric d does not fit: no room for all 4; --split "
					      "measures it in 2 multiplexed sets, as an estimate");
	planner.request.splits_metrics = true;
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	assert_true(set.splits_metrics);
}

/* --- two types with PMUs of their own --- */

static void each_type_its_own_events(void **state)
{
	(void)state;
	planner_ask_metrics(
		"p=cpu_core@event\\=1@+cpu_core@event\\=2@+cpu_core@event\\=3@+"
		"cpu_core@event\\=4@+cpu_core@event\\=5@,"
		"e=cpu_atom@event\\=1@+cpu_atom@event\\=2@+cpu_atom@event\\=3@,both=r10");

	struct set set = planner_plan();

	assert_int_equal(set_n_mux(&set), 1);
	planner_assert_mux(
		&set, 0,
		"cpu_core/event=1/ cpu_core/event=2/ cpu_core/event=3/ cpu_core/event=4/ "
		"cpu_core/event=5/ r10");
	planner_assert_mux(&set, 1, "r10 cpu_atom/event=1/ cpu_atom/event=2/ cpu_atom/event=3/");
	for (unsigned slot = 0; slot < set.n_slots; slot++) {
		const struct event *on_p = set.type[0].event[slot], *on_e = set.type[1].event[slot];

		if (on_p && on_e)
			assert_string_equal(on_p->name, on_e->name);
	}

	planner_ask_metrics("f=cpu_atom@event\\=1@+cpu_atom@event\\=2@+cpu_atom@event\\=3@+"
			    "cpu_atom@event\\=4@+cpu_atom@event\\=5@");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_non_null(
		strstr(planner.err.text, "needs 5 events at once, but cpu_atom has 4 counters"));
}

#define ON_INTEL(f)  cmocka_unit_test_setup_teardown(f, begin_intel, planner_end)
#define ON_HYBRID(f) cmocka_unit_test_setup_teardown(f, begin_hybrid, planner_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_M1(nothing_is_the_default),
		ON_M1(one_metric),
		ON_M1(preset_and_metrics),
		ON_M1(preset_and_events),
		ON_M1(events_and_metrics),
		ON_M1(given_by_the_events),
		ON_M1(privilege_of_a_request),
		ON_M1(groups_leave_out_what_is_not_here),
		ON_X86(refused_with_the_reason),
		ON_M1(refused_by_masks),
		ON_X86(more_than_columns),
		ON_X86(split_over_sets),
		ON_X86(split_without_need),
		ON_X86(shared_events),
		ON_X86(events_without_counters),
		ON_X86(names_of_events),
		ON_INTEL(one_event_under_three_names),
		ON_X86(constants_count_nothing),
		ON_X86(too_many_mux_groups),
		ON_X86(the_kernel_has_the_last_word),
		ON_HYBRID(each_type_its_own_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
