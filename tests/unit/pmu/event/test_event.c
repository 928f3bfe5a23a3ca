#include "rig/machines.h"

#include <errno.h>

#include "base/cleanup.h"
#include "pmu/event.h"

enum { E, P };

static struct machine m1, generic, software;

static int make_machines(void **state)
{
	(void)state;
	machines_m1(&m1, false);
	machines_generic(&generic);
	machines_software(&software);
	return 0;
}

static int free_machines(void **state)
{
	(void)state;
	machine_fini(&m1);
	machine_fini(&generic);
	machine_fini(&software);
	return 0;
}

static void lists_are_split(void **state)
{
	static const struct {
		const char *text;
		size_t n; /* items; the first is looked at */
		int slot;
		const char *pmu, *name;
		enum privilege privilege;
	} rows[] = {
		{ "cycles", 1, -1, "", "cycles", PRIVILEGE_BOTH },
		{ " cycles , instructions", 2, -1, "", "cycles", PRIVILEGE_BOTH },
		{ "cycles:u", 1, -1, "", "cycles", PRIVILEGE_USER },
		{ "r8d:k,r01", 2, -1, "", "r8d", PRIVILEGE_KERNEL },
		{ "cycles:uk", 1, -1, "", "cycles", PRIVILEGE_BOTH },
		{ "cpu/event=0x3c,umask=1/,cs", 2, -1, "cpu", "event=0x3c,umask=1",
		  PRIVILEGE_BOTH },
		{ "cpu/event=1/u", 1, -1, "cpu", "event=1", PRIVILEGE_USER },
		{ "cpu/event=1/:k", 1, -1, "cpu", "event=1", PRIVILEGE_KERNEL },
		{ "PMC5=INST_BRANCH", 1, 5, "", "INST_BRANCH", PRIVILEGE_BOTH },
		{ "pmc15=msr/tsc/,x", 2, 15, "msr", "tsc", PRIVILEGE_BOTH },
		{ "PMC=5", 1, -1, "", "PMC=5", PRIVILEGE_BOTH }, /* no column: a name */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE struct event_spec *spec = NULL;
		struct err err = { "" };
		size_t n;

		if (event_specs_parse(rows[i].text, &spec, &n, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_int_equal(n, rows[i].n);
		assert_int_equal(spec->slot, rows[i].slot);
		assert_string_equal(spec->pmu, rows[i].pmu);
		assert_string_equal(spec->text, rows[i].name);
		assert_int_equal(spec->is_terms, rows[i].pmu[0] != '\0');
		assert_int_equal(spec->privilege, rows[i].privilege);
	}
}

static void bad_lists_name_the_item(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "cycles,,cs", "event 2, \"\": an event is missing" },
		{ "", "event 1, \"\"" },
		{ "cs,cycles:x", "event 2, \"cycles:x\": the only modifiers are :u and :k, :h" },
		{ "cycles:", "nothing follows the colon" },
		{ "cpu/event=1", "event 1, \"cpu/event=1\": the second slash is missing" },
		{ "/x/", "needs a PMU and terms" },
		{ "cpu//", "needs a PMU and terms" },
		{ "cpu/x/uG", "the only modifiers are" },
		{ "PMC16=cycles", "columns are PMC0 to PMC15" },
		{ "PMC5=", "an event is missing" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "too long" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_spec *spec = (void *)1;
		size_t n = 77;
		struct err err = { "" };

		assert_int_equal(event_specs_parse(rows[i].text, &spec, &n, &err), -EINVAL);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_ptr_equal(spec, (void *)1);
		assert_int_equal(n, 77);
	}
}

static int resolve(struct event_table *table, unsigned type, const char *text,
		   enum privilege privilege, const struct event **ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t n;

	assert_int_equal(event_specs_parse(text, &spec, &n, err), 0);
	return event_resolve(table, type, spec, privilege, ret, err);
}

static const struct event *find(struct event_table *table, unsigned type, const char *text)
{
	const struct event *event = NULL;
	struct err err = { "" };

	if (resolve(table, type, text, PRIVILEGE_BOTH, &event, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return event;
}

static void expect_error(struct event_table *table, unsigned type, const char *text, int code,
			 const char *says)
{
	const struct event *event = NULL;
	struct err err = { "" };

	assert_int_equal(resolve(table, type, text, PRIVILEGE_BOTH, &event, &err), -code);
	if (!strstr(err.text, says))
		fail_msg("%s: %s", text, err.text);
	assert_null(event);
}

static void apple_events_are_found_by_every_name(void **state)
{
	static const struct {
		const char *text, *name;
		uint64_t config, counters;
	} rows[] = {
		{ "INST_BRANCH", "INST_BRANCH", 0x8d, 0xe0 },
		{ "inst_branch", "INST_BRANCH", 0x8d, 0xe0 },
		{ "instruction_branch", "INST_BRANCH", 0x8d, 0xe0 }, /* the seed's name */
		{ "branches", "INST_BRANCH", 0x8d, 0xe0 },
		{ "r8d", "INST_BRANCH", 0x8d, 0xe0 },
		{ "r8D", "INST_BRANCH", 0x8d, 0xe0 },
		{ "0x8d", "INST_BRANCH", 0x8d, 0xe0 },
		{ "0Xf9", "rf9", 0xf9, 0x3fc },
		{ "RETIRE_UOP", "RETIRE_UOP", 0x01, 0x80 },
		{ "cycles", "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ "cpu_cycles", "CORE_ACTIVE_CYCLE", 0x02, 0x3fd },
		{ "instructions", "INST_ALL", 0x8c, 0x82 },
		{ "rf9", "rf9", 0xf9, 0x3fc }, /* in no table: the driver's own rule */
	};
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_new(&m1, &table), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned type = E; type <= P; type++) {
			const struct event *event = find(table, type, rows[i].text);

			assert_string_equal(event->name, rows[i].name);
			assert_ptr_equal(event->pmu, &m1.pmus.pmu[type]);
			assert_int_equal(event->config[0], rows[i].config);
			assert_int_equal(event->counters, rows[i].counters);
			assert_true(event->needs_counter);
			assert_true(strlen(event->short_name) <= 8);
			assert_string_equal(event->refused, "");
		}
	event_table_free(table);
}

static void terms_are_encoded_and_recognised(void **state)
{
	struct event_table *table;
	const struct event *event;

	(void)state;
	assert_int_equal(event_table_new(&m1, &table), 0);
	event = find(table, P, "apple_firestorm_pmu/event=0x8d/");
	assert_string_equal(event->name, "apple_firestorm_pmu/event=0x8d/");
	assert_string_equal(event->known->name, "INST_BRANCH");
	assert_int_equal(event->counters, 0xe0);
	assert_true(event_is(event, "branches"));

	event = find(table, P, "apple_firestorm_pmu/cycles/");
	assert_int_equal(event->config[0], 0x02);
	assert_true(event_is(event, "cpu-cycles"));
	assert_false(event_is(event, "instructions"));

	event = find(table, P, "apple_firestorm_pmu/INST_BRANCH/");
	assert_int_equal(event->config[0], 0x8d);

	/* exists, but not on this type: n/s there and no error */
	event = find(table, E, "apple_firestorm_pmu/event=0x8d/");
	assert_string_equal(event->refused, "E cores have no such event");
	assert_null(event->pmu);
	event_table_free(table);
}

static void wrong_names_are_refused_with_reasons(void **state)
{
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_new(&m1, &table), 0);
	expect_error(table, P, "INST_BRANCHES", ENOENT, "near: INST_BRANCH");
	expect_error(table, P, "L1D_MISS", ENOENT,
		     "near: L1D_CACHE_MISS_LD, L1D_CACHE_MISS_LD_NONSPEC");
	expect_error(table, P, "miss_l1i", ENOENT, "L1I_CACHE_MISS_DEMAND");
	expect_error(table, P, "cylces", ENOENT, "near: cycles, cycle");
	expect_error(table, P, "PMC9=0x8d!", EINVAL, "the kernel's driver alone chooses it");
	expect_error(table, P, "0x1db", ERANGE, "takes ids up to 0xff");
	expect_error(table, P, "r1db", ERANGE, "takes ids up to 0xff");
	expect_error(table, P, "indirect_branch_misprediction", ENOTUNIQ,
		     "BRANCH_CALL_INDIR_MISPRED_NONSPEC (0xca)");
	expect_error(table, P, "indirect_branch_misprediction", ENOTUNIQ,
		     "BRANCH_INDIR_MISPRED_NONSPEC (0xc6)");
	expect_error(table, P, "cpu/event=1/", ENOENT,
		     "is named \"cpu\"; PMUs: apple_icestorm_pmu, ");
	expect_error(table, P, "apple_firestorm_pmu/umask=1/", EINVAL, "umask");
	expect_error(table, P, "tsc", ENOENT, "needs the PMU \"msr\"");
	event_table_free(table);

	assert_int_equal(event_table_new(&software, &table), 0);
	expect_error(table, 0, "cycle", ENOENT, "no hardware counters on this machine");
	expect_error(table, 0, "r8d", ENOENT, "needs a hardware core PMU");
	expect_error(table, 0, "context-switch", ENOENT, "near: context-switches");
	expect_error(table, 0, "aperf", ENOENT, "this machine has no aperf");
	event_table_free(table);
}

static void kernel_names_serve_where_no_catalogue_does(void **state)
{
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_new(&generic, &table), 0);
	assert_int_equal(find(table, 0, "cycles")->config[0], 0x3c);
	assert_string_equal(find(table, 0, "cycles")->name, "cpu-cycles");
	assert_int_equal(find(table, 0, "branches")->config[0], 0xc4);
	assert_int_equal(find(table, 0, "r01c2")->config[0], 0x1c2);
	assert_int_equal(find(table, 0, "r01c2")->counters, 0);
	assert_true(event_is(find(table, 0, "cycles"), "cycles"));
	event_table_free(table);
}

static void software_and_msr_events(void **state)
{
	static const struct {
		const char *text;
		uint64_t config;
		const char *pmu, *unit;
		double scale;
	} rows[] = {
		{ "context-switches", 3, "software", "", 1 },
		{ "cs", 3, "software", "", 1 },
		{ "migrations", 4, "software", "", 1 },
		{ "dummy", 9, "software", "", 1 },
		{ "cpu-clock", 0, "software", "msec", 1e-6 },
		{ "software/config=2/", 2, "software", "", 1 },
		{ "msr/tsc/", 0, "msr", "", 1 },
		{ "tsc", 0, "msr", "", 1 },
	};
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_new(&software, &table), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event = find(table, 0, rows[i].text);

		assert_string_equal(event->pmu->name, rows[i].pmu);
		assert_int_equal(event->config[0], rows[i].config);
		assert_string_equal(event->unit, rows[i].unit);
		assert_true(event->scale == rows[i].scale);
		assert_false(event->needs_counter);
		assert_string_equal(event->refused, "");
	}
	assert_string_equal(find(table, 0, "msr/tsc/")->name, "msr/tsc/");
	assert_true(event_is(find(table, 0, "msr/tsc/"), "tsc"));
	event_table_free(table);
}

static void privilege_is_refused_where_it_is_ignored(void **state)
{
	static const struct {
		const char *text;
		bool honoured;
	} rows[] = {
		{ "page-faults", true },
		{ "minor-faults", true },
		{ "major-faults", true },
		{ "alignment-faults", true },
		{ "emulation-faults", true },
		{ "context-switches", false },
		{ "cpu-migrations", false },
		{ "cgroup-switches", false },
		{ "tsc", false },
		{ "instructions", true },
	};
	struct event_table *table;

	(void)state;
	assert_int_equal(event_table_new(&generic, &table), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct event *event;

		assert_int_equal(resolve(table, 0, rows[i].text, PRIVILEGE_USER, &event, NULL), 0);
		assert_int_equal(event->privilege, PRIVILEGE_USER);
		assert_int_equal(event->refused[0] == '\0', rows[i].honoured);
	}
	assert_string_equal(find(table, 0, "context-switches:u")->refused,
			    ":u is ignored by context-switches");
	assert_string_equal(find(table, 0, "context-switches:uk")->refused, "");
	assert_string_equal(find(table, 0, "task-clock:u")->refused, "");
	assert_string_equal(find(table, 0, "task-clock:u")->name, "task-clock");
	assert_string_equal(find(table, 0, "cpu-clock:k")->name, "cpu-clock");
	assert_string_equal(find(table, 0, "cycles:k")->name, "cpu-cycles:k");
	assert_true(event_is(find(table, 0, "cycles:k"), "cycles"));
	event_table_free(table);
}

static void equal_questions_equal_pointers(void **state)
{
	struct event_table *table;
	const struct event *event;

	(void)state;
	assert_int_equal(event_table_new(&m1, &table), 0);
	event = find(table, P, "INST_BRANCH");
	for (int i = 0; i < 100; i++) { /* enough to make the table grow */
		char raw[8];

		snprintf(raw, sizeof(raw), "r%x", 0x80 + i);
		find(table, P, raw);
	}
	assert_ptr_equal(find(table, P, "branches"), event);
	assert_ptr_equal(find(table, P, "r8d"), event);
	assert_ptr_not_equal(find(table, E, "r8d"), event);
	assert_ptr_not_equal(find(table, P, "r8d:u"), event);
	assert_string_equal(event->name, "INST_BRANCH");

	const struct event *same;

	assert_int_equal(event_of_catalog(table, P, event->known, PRIVILEGE_BOTH, &same, NULL), 0);
	assert_ptr_equal(same, event);
	event_table_free(table);
}

static void names_are_shortened_readably(void **state)
{
	static const struct {
		const char *name, *shorter;
	} rows[] = {
		{ "cycles", "cycles" },
		{ "context-switches", "cont-swi" },
		{ "cache-references", "cach-ref" },
		{ "cpu-migrations", "cpu-migr" },
		{ "msr/tsc/", "msr/tsc/" },
		{ "BRANCH_COND_MISPRED_NONSPEC", "BRCOMINO" },
		{ "----------", "" },
		{ "漢字カナ", "漢字" }, /* characters stay whole */
	};
	char text[EVENT_SHORT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		event_abbreviate(rows[i].name, text, sizeof(text));
		assert_string_equal(text, rows[i].shorter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_split),
		cmocka_unit_test(bad_lists_name_the_item),
		cmocka_unit_test(apple_events_are_found_by_every_name),
		cmocka_unit_test(terms_are_encoded_and_recognised),
		cmocka_unit_test(wrong_names_are_refused_with_reasons),
		cmocka_unit_test(kernel_names_serve_where_no_catalogue_does),
		cmocka_unit_test(software_and_msr_events),
		cmocka_unit_test(privilege_is_refused_where_it_is_ignored),
		cmocka_unit_test(equal_questions_equal_pointers),
		cmocka_unit_test(names_are_shortened_readably),
	};

	return cmocka_run_group_tests(tests, make_machines, free_machines);
}
