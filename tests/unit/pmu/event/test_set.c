#include "rig/machines.h"

#include <errno.h>

#include "base/cleanup.h"
#include "pmu/set.h"

enum { E, P };

static struct machine m1, registers, generic, software;
static struct event_table *m1_events, *register_events, *generic_events, *software_events;

static int make_machines(void **state)
{
	(void)state;
	machines_m1(&m1, false);
	machines_m1(&registers, true);
	machines_generic(&generic);
	machines_software(&software);
	assert_int_equal(event_table_new(&m1, &m1_events), 0);
	assert_int_equal(event_table_new(&registers, &register_events), 0);
	assert_int_equal(event_table_new(&generic, &generic_events), 0);
	assert_int_equal(event_table_new(&software, &software_events), 0);
	return 0;
}

static int free_machines(void **state)
{
	(void)state;
	event_table_free(m1_events);
	event_table_free(register_events);
	event_table_free(generic_events);
	event_table_free(software_events);
	machine_fini(&m1);
	machine_fini(&registers);
	machine_fini(&generic);
	machine_fini(&software);
	return 0;
}

/* "0:CORE_ACTIVE_CYCLE 1:INST_ALL …": what one type counts by column, refused ones in brackets. */
static const char *columns(const struct set *set, unsigned type, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned slot = 0; slot < SLOTS_MAX && used < size; slot++) {
		const struct event *event = set->type[type].event[slot];

		if (event)
			used += (size_t)snprintf(buf + used, size - used,
						 event->refused[0] ? "%s%u:[%s]" : "%s%u:%s",
						 used ? " " : "", slot, event->name);
	}
	return buf;
}

static void expect_columns(const struct set *set, unsigned type, const char *expected)
{
	char buf[600];

	assert_string_equal(columns(set, type, buf, sizeof(buf)), expected);
}

static int make(struct event_table *table, const char *text, enum privilege privilege,
		struct set *ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;
	int result = event_specs_parse(text, &spec, &n, err);

	return result < 0 ? result : set_make(table, spec, n, privilege, ret, err);
}

static struct set made(struct event_table *table, const char *text)
{
	struct set set;
	struct err err = { "" };

	if (make(table, text, PRIVILEGE_BOTH, &set, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return set;
}

static struct set changed(struct event_table *table, const struct set *from, unsigned slot,
			  const char *name)
{
	struct set set;
	struct err err = { "" };

	if (set_change(table, from, slot, name, PRIVILEGE_BOTH, &set, &err) < 0)
		fail_msg("%u=%s: %s", slot, name, err.text);
	return set;
}

static void expect_refusal(struct event_table *table, const struct set *from, unsigned slot,
			   const char *name, int code, const char *says)
{
	struct set set = { .number = 77 };
	struct err err = { "" };

	assert_int_equal(set_change(table, from, slot, name, PRIVILEGE_BOTH, &set, &err), -code);
	if (!strstr(err.text, says))
		fail_msg("%u=%s: %s", slot, name, err.text);
	assert_int_equal(set.number, 77);
}

/* Apple's presets: columns in the order that it opens them, and the counter that
 * Linux's driver then picks for columns 2 to 9. */
static const struct {
	const char *name, *order, *places;
} presets[] = {
	{ "overview", "75623489", "23456789" },    { "slots", "72345689", "23456789" },
	{ "branch", "56723489", "23456789" },      { "branch-indir", "56723489", "23456789" },
	{ "branch-ret", "56723489", "23456789" },  { "branch-taken", "56723489", "23456789" },
	{ "frontend", "75623489", "23456789" },    { "itlb", "72345689", "23456789" },
	{ "l1d", "75623489", "23456789" },         { "dtlb", "75623489", "23456789" },
	{ "mix-ld", "75623489", "23456789" },      { "mix-st", "75623489", "23456789" },
	{ "mix-int", "75623489", "23456789" },     { "mix-simd", "75623489", "23456789" },
	{ "stall", "72345689", "23456789" },       { "atomics", "75623489", "23456789" },
	{ "xscale", "23456789", "23456789" },      { "xscale-stall", "72345689", "23467589" },
	{ "uops-exec", "72345689", "23456789" },   { "uops-disp", "72345689", "23456789" },
	{ "deps", "72345689", "23456789" },        { "xscale-icache", "2", "2" },
	{ "xscale-dcache", "7562348", "2345678" }, { "xscale-fetch", "5234", "2345" },
};

/* The documented order on the documented driver: do the masks of the catalogue lead where the
 * document says? */
static void check_documented_places(const struct placement *p, const char *order,
				    const char *places)
{
	uint64_t used = 3; /* cycles and instructions came first */

	for (; *order; order++) {
		uint64_t can = p->event[*order - '0']->counters & ~used;

		assert_true(can);
		assert_int_equal(__builtin_ctzll(can), places[*order - '2'] - '0');
		used |= can & -can;
	}
}

static void every_preset_fits_its_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		struct set set;
		struct err err = { "" };

		if (set_preset(m1_events, presets[i].name, PRIVILEGE_BOTH, &set, &err) < 0)
			fail_msg("%s", err.text);
		assert_string_equal(set.preset, presets[i].name);
		assert_int_equal(set.n_slots, 2 + strlen(presets[i].order));
		for (unsigned type = E; type <= P; type++) {
			const struct placement *p = &set.type[type];

			assert_int_equal(p->n_order, set.n_slots);
			for (unsigned slot = 0; slot < set.n_slots; slot++)
				assert_int_equal(p->counter[slot], slot);
			check_documented_places(p, presets[i].order, presets[i].places);
		}
	}
	assert_int_equal(ARRAY_SIZE(presets), m1.type[P].catalog->n_presets);
}

static void an_unknown_preset_lists_them(void **state)
{
	struct set set;
	struct err err = { "" };

	(void)state;
	assert_int_equal(set_preset(m1_events, "overvue", PRIVILEGE_BOTH, &set, &err), -ENOENT);
	assert_non_null(strstr(err.text, "available: overview, slots, branch, "));
	assert_null(strstr(strstr(err.text, "overview") + 1, "overview")); /* once for two types */
}

static void defaults_by_machine(void **state)
{
	struct set set;

	(void)state;
	assert_int_equal(set_default(m1_events, PRIVILEGE_BOTH, 0, &set, NULL), 0);
	assert_string_equal(set.preset, "overview");
	expect_columns(&set, P,
		       "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL 3:MAP_DISPATCH_BUBBLE "
		       "4:MAP_REWIND 5:INST_BRANCH 6:BRANCH_MISPRED_NONSPEC 7:RETIRE_UOP "
		       "8:L1D_CACHE_MISS_LD 9:L2_TLB_MISS_DATA");

	assert_int_equal(set_default(generic_events, PRIVILEGE_BOTH, 0, &set, NULL), 0);
	expect_columns(&set, 0,
		       "0:cpu-cycles 1:instructions 2:branch-instructions 3:branch-misses "
		       "4:cache-misses");
	assert_int_equal(set_default(generic_events, PRIVILEGE_BOTH, 3, &set, NULL), 0);
	expect_columns(&set, 0, "0:cpu-cycles 1:instructions 2:branch-instructions");

	assert_int_equal(set_default(software_events, PRIVILEGE_BOTH, 0, &set, NULL), 0);
	expect_columns(&set, 0, "0:context-switches 1:page-faults 2:cpu-migrations");
	assert_string_equal(set.preset, "");
	assert_int_equal(set.n_slots, 3);
	assert_int_equal(set.type[0].n_order, 3);
}

static void asked_for_events_are_placed(void **state)
{
	static const struct {
		const char *text, *columns;
	} rows[] = {
		{ "INST_BRANCH", "0:CORE_ACTIVE_CYCLE 1:INST_ALL 5:INST_BRANCH" },
		{ "MAP_STALL,cycles", "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL" },
		{ "PMC9=MAP_STALL,cs",
		  "0:CORE_ACTIVE_CYCLE 1:INST_ALL 9:MAP_STALL 10:context-switches" },
		{ "INST_BRANCH,BRANCH_MISPRED_NONSPEC,RETIRE_UOP,MAP_STALL",
		  "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL 5:INST_BRANCH "
		  "6:BRANCH_MISPRED_NONSPEC 7:RETIRE_UOP" },
		{ "PMC7=INST_BRANCH", "0:CORE_ACTIVE_CYCLE 1:INST_ALL 7:INST_BRANCH" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned type = E; type <= P; type++) {
			struct set set = made(m1_events, rows[i].text);

			expect_columns(&set, type, rows[i].columns);
		}

	struct set set = made(software_events, "cs,tsc,faults");

	expect_columns(&set, 0, "0:context-switches 1:tsc 2:page-faults");
}

static void what_does_not_fit_names_who_collides(void **state)
{
	struct set set;
	struct err err = { "" };

	(void)state;
	assert_int_equal(
		make(m1_events, "RETIRE_UOP,MAP_STALL,INST_LDST", PRIVILEGE_BOTH, &set, &err),
		-ENOSPC);
	assert_string_equal(err.text,
			    "2 events need the one counter PMC7: RETIRE_UOP and INST_LDST");
	assert_int_equal(make(m1_events, "PMC3=RETIRE_UOP", PRIVILEGE_BOTH, &set, &err), -ENOSPC);
	assert_string_equal(err.text, "RETIRE_UOP can only be counted on PMC7");
	assert_int_equal(make(software_events,
			      "cs,cs:u,cs:k,migrations,migrations:u,migrations:k,faults,faults:u,"
			      "faults:k,minor-faults,minor-faults:u,minor-faults:k,major-faults,"
			      "major-faults:u,major-faults:k,task-clock,cpu-clock",
			      PRIVILEGE_BOTH, &set, &err),
			 -ENOSPC);
	assert_non_null(strstr(err.text, "at most 16 events"));
}

static void an_event_named_twice_is_counted_once(void **state)
{
	struct set set = made(m1_events, "MAP_STALL,cycles,MAP_STALL,CORE_ACTIVE_CYCLE");

	(void)state;
	expect_columns(&set, P, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL");
	set = made(m1_events, "INST_BRANCH,PMC6=INST_BRANCH");
	expect_columns(&set, P, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 6:INST_BRANCH");
	set = made(m1_events, "PMC6=INST_BRANCH,INST_BRANCH");
	expect_columns(&set, P, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 6:INST_BRANCH");
	set = made(m1_events, "PMC5=INST_BRANCH,PMC6=INST_BRANCH");
	expect_columns(&set, P, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 5:INST_BRANCH 6:INST_BRANCH");
}

static void an_event_of_one_type_is_not_on_the_other(void **state)
{
	struct set set = made(m1_events, "apple_firestorm_pmu/event=0x8d/,MAP_STALL");

	(void)state;
	expect_columns(&set, P,
		       "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL "
		       "5:apple_firestorm_pmu/event=0x8d/");
	expect_columns(&set, E, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 2:MAP_STALL");
	assert_int_equal(set.type[E].n_order, 3);
	assert_string_equal(set_event(&set, 5)->refused, "");
	assert_null(set_event(&set, 6));
}

static void a_change_keeps_the_rest(void **state)
{
	struct set from, to;

	(void)state;
	assert_int_equal(set_preset(m1_events, "overview", PRIVILEGE_BOTH, &from, NULL), 0);
	to = changed(m1_events, &from, 8, "L1D_TLB_MISS");
	for (unsigned slot = 0; slot < 10; slot++)
		if (slot != 8)
			assert_ptr_equal(set_event(&to, slot), set_event(&from, slot));
	assert_string_equal(set_event(&to, 8)->name, "L1D_TLB_MISS");
	assert_string_equal(to.preset, "");

	to = changed(m1_events, &from, 9, "");
	assert_null(set_event(&to, 9));
	assert_int_equal(to.n_slots, 9);
}

static void others_move_when_that_solves_it(void **state)
{
	struct set from = made(m1_events, "PMC7=INST_BRANCH,PMC5=BRANCH_MISPRED_NONSPEC");
	struct set to = changed(m1_events, &from, 7, "RETIRE_UOP");

	(void)state;
	/* replaced, not moved: the user gave the column to another event */
	expect_columns(&to, P,
		       "0:CORE_ACTIVE_CYCLE 1:INST_ALL 5:BRANCH_MISPRED_NONSPEC 7:RETIRE_UOP");

	to = changed(m1_events, &from, 5, "INST_BRANCH"); /* counted on 7: they change places */
	expect_columns(&to, P,
		       "0:CORE_ACTIVE_CYCLE 1:INST_ALL 5:INST_BRANCH 7:BRANCH_MISPRED_NONSPEC");

	from = made(m1_events, "PMC7=RETIRE_UOP,PMC2=MAP_STALL");
	to = changed(m1_events, &from, 7, "MAP_STALL"); /* RETIRE_UOP cannot go to 2 */
	expect_columns(&to, P, "0:CORE_ACTIVE_CYCLE 1:INST_ALL 7:MAP_STALL");
}

static void impossible_changes_say_why(void **state)
{
	struct set from;

	(void)state;
	assert_int_equal(set_preset(m1_events, "branch", PRIVILEGE_BOTH, &from, NULL), 0);
	expect_refusal(m1_events, &from, 3, "RETIRE_UOP", EINVAL,
		       "RETIRE_UOP can only be counted on PMC7, where "
		       "BRANCH_COND_MISPRED_NONSPEC is");
	expect_refusal(m1_events, &from, 2, "INST_BRANCH", EINVAL,
		       "INST_BRANCH can only be counted on PMC5-7, where INST_BRANCH, "
		       "BRANCH_MISPRED_NONSPEC, BRANCH_COND_MISPRED_NONSPEC are");
	expect_refusal(m1_events, &from, 0, "MAP_STALL", EINVAL, "PMC0 always counts cycles");
	expect_refusal(m1_events, &from, 1, "", EINVAL, "PMC1 always counts instructions");
	expect_refusal(m1_events, &from, 4, "cycles", EINVAL, "PMC0 always counts CORE_ACTIVE");
	expect_refusal(m1_events, &from, 16, "MAP_STALL", EINVAL, "columns are PMC0 to PMC15");
	expect_refusal(m1_events, &from, 4, "NO_SUCH", ENOENT, "no event is named \"NO_SUCH\"");
	expect_refusal(m1_events, &from, 4, "MAP_STALL,MAP_REWIND", EINVAL, "one event at a time");
	expect_refusal(m1_events, &from, 4, "cs", EINVAL, "only be counted on PMC10-15");

	/* where the columns are no counters, their number is the limit */
	generic.type[0].n_counters = 2;
	from = made(generic_events, "cycles,instructions");
	expect_refusal(generic_events, &from, 2, "branch-misses", ENOSPC,
		       "3 events need the 2 counters PMC0-1: cpu-cycles, instructions and "
		       "branch-misses");
	(void)changed(generic_events, &from, 2, "cs");
	(void)changed(generic_events, &from, 1, "branch-misses");
	generic.type[0].n_counters = 0;
}

static void a_column_of_one_type(void **state)
{
	struct set from, to;

	(void)state;
	assert_int_equal(set_preset(m1_events, "overview", PRIVILEGE_BOTH, &from, NULL), 0);
	to = changed(m1_events, &from, 9, "apple_icestorm_pmu/event=0x70/");
	assert_string_equal(to.type[E].event[9]->refused, "");
	assert_string_equal(to.type[P].event[9]->refused, "P cores have no such event");
	assert_ptr_equal(set_event(&to, 9), to.type[E].event[9]);
	assert_int_equal(to.type[P].n_order, 9);
}

static void steps_visit_every_legal_event_once(void **state)
{
	struct set first = made(m1_events, "PMC7=RETIRE_UOP,PMC2=MAP_STALL"), set = first;
	unsigned forth = 0, back = 0;

	(void)state;
	do {
		struct set next;
		const struct event *event;

		assert_int_equal(set_step(m1_events, &set, 7, 1, PRIVILEGE_BOTH, &next, NULL), 0);
		event = set_event(&next, 7);
		assert_true(event->counters & 0x80);
		assert_string_not_equal(event->name, "MAP_STALL");
		assert_string_not_equal(event->name, "INST_ALL");
		assert_string_equal(set_event(&next, 2)->name, "MAP_STALL");
		set = next;
	} while (set_event(&set, 7) != set_event(&first, 7) && ++forth < 500);
	do
		assert_int_equal(set_step(m1_events, &set, 7, -1, PRIVILEGE_BOTH, &set, NULL), 0);
	while (set_event(&set, 7) != set_event(&first, 7) && ++back < 500);
	assert_int_equal(forth, back);
	assert_in_range(forth, 50, 150);
}

static void steps_without_hardware_counters(void **state)
{
	struct set set = made(software_events, "cs");

	(void)state;
	for (int i = 0; i < 40; i++) {
		assert_int_equal(set_step(software_events, &set, 0, 1, PRIVILEGE_BOTH, &set, NULL),
				 0);
		assert_false(set_event(&set, 0)->needs_counter);
		assert_string_not_equal(set_event(&set, 0)->name, "aperf"); /* not in its sysfs */
	}

	struct set m1_set = made(m1_events, "cs");
	struct err err = { "" };

	/* a column above the counters */
	assert_int_equal(set_step(m1_events, &m1_set, 10, 1, PRIVILEGE_BOTH, &m1_set, &err), 0);
	assert_string_equal(set_event(&m1_set, 10)->pmu->name, "software");
	/* no catalogue knows this processor's core events */
	set = made(generic_events, "cycles");
	assert_int_equal(set_step(generic_events, &set, 0, 1, PRIVILEGE_BOTH, &set, &err), -ENOENT);
	assert_string_equal(err.text, "no other event fits PMC0 while the others stay");
}

static void privilege_changes_and_comes_back(void **state)
{
	struct set both, kernel, again;

	(void)state;
	assert_int_equal(set_default(register_events, PRIVILEGE_BOTH, 0, &both, NULL), 0);
	assert_int_equal(set_privilege(register_events, &both, PRIVILEGE_KERNEL, &kernel, NULL), 0);
	for (unsigned type = E; type <= P; type++)
		for (unsigned slot = 0; slot < 10; slot++) {
			assert_int_equal(kernel.type[type].event[slot]->privilege,
					 PRIVILEGE_KERNEL);
			assert_int_equal(kernel.type[type].counter[slot], slot);
		}
	assert_string_equal(kernel.preset, "overview");
	assert_int_equal(set_privilege(register_events, &kernel, PRIVILEGE_BOTH, &again, NULL), 0);
	assert_memory_equal(&again, &both, sizeof(both));

	struct set set = made(software_events, "cs,faults");

	assert_int_equal(set_privilege(software_events, &set, PRIVILEGE_USER, &set, NULL), 0);
	expect_columns(&set, 0, "0:[context-switches] 1:page-faults");
	assert_int_equal(set.type[0].n_order, 1);
	assert_int_equal(set_privilege(software_events, &set, PRIVILEGE_BOTH, &set, NULL), 0);
	expect_columns(&set, 0, "0:context-switches 1:page-faults");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_fits_its_columns),
		cmocka_unit_test(an_unknown_preset_lists_them),
		cmocka_unit_test(defaults_by_machine),
		cmocka_unit_test(asked_for_events_are_placed),
		cmocka_unit_test(what_does_not_fit_names_who_collides),
		cmocka_unit_test(an_event_named_twice_is_counted_once),
		cmocka_unit_test(an_event_of_one_type_is_not_on_the_other),
		cmocka_unit_test(a_change_keeps_the_rest),
		cmocka_unit_test(others_move_when_that_solves_it),
		cmocka_unit_test(impossible_changes_say_why),
		cmocka_unit_test(a_column_of_one_type),
		cmocka_unit_test(steps_visit_every_legal_event_once),
		cmocka_unit_test(steps_without_hardware_counters),
		cmocka_unit_test(privilege_changes_and_comes_back),
	};

	return cmocka_run_group_tests(tests, make_machines, free_machines);
}
