/* test_hybrid.c: what is asked of one of two core PMUs, on cores of both */
#include "rig/machines.h"

#include "base/cleanup.h"
#include "pmu/event.h"
#include "pmu/set.h"

enum { ATOM, CORE, N_TYPES };

static void make_hybrid(struct machine *machine)
{
	static const struct named_terms aliases[] = { { "cpu-cycles", "event=0x3c" },
						      { "instructions", "event=0xc0" },
						      { NULL, NULL } };

	machines_begin(machine);
	machines_add_aliases(machines_add_pmu(machine, "cpu_atom", PMU_CORE, 0xffff), aliases);
	machines_add_aliases(machines_add_pmu(machine, "cpu_core", PMU_CORE, 0xffff), aliases);
	machine->pmus.pmu[ATOM].type = 10;
	machine->pmus.pmu[CORE].type = 4; /* PERF_TYPE_RAW, as in every kernel */
	machines_add_x86_rest(machine);
	for (unsigned type = 0; type < N_TYPES; type++) {
		machines_add_type(machine, type == CORE ? "P" : "E", &machine->pmus.pmu[type],
				  "x86", "");
		machines_add_cores(machine, 2, type, type);
	}
}

/* As perf stat on such a machine: one line for each PMU that was meant. */
static void one_line_for_each_pmu(void **state)
{
	static const struct {
		const char *text;
		unsigned n[N_TYPES]; /* events */
	} rows[] = {
		{ "cpu_core/cpu-cycles/", { 0, 1 } },
		{ "cpu_atom/event=0x3c/", { 1, 0 } },
		{ "cpu_core/cpu-cycles/,cpu_atom/cpu-cycles/", { 1, 1 } },
		{ "cpu_core/event=0x3c/u,instructions,page-faults", { 2, 3 } },
		{ "cycles", { 1, 1 } },
		{ "r1a8", { 0, 1 } },
		{ "0x1a8,instructions", { 1, 2 } },
		{ "software/config=2/", { 1, 1 } },
	};
	struct machine machine;

	(void)state;
	make_hybrid(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE struct event_spec *spec = NULL;
		struct event_table *table;
		struct err err = { "" };
		struct set set;
		size_t n;

		assert_int_equal(event_table_new(&machine, &table), 0);
		assert_int_equal(event_specs_parse(rows[i].text, &spec, &n, &err), 0);
		if (set_make(table, spec, n, PRIVILEGE_BOTH, &set, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		for (unsigned type = 0; type < N_TYPES; type++) {
			unsigned n_events = 0;

			for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
				n_events += set.type[type].event[slot] != NULL;
			if (n_events != rows[i].n[type])
				fail_msg("%s: %u events on type %u", rows[i].text, n_events, type);
		}
		event_table_free(table);
	}
	machine_fini(&machine);
}

static void headings_name_the_type(void **state)
{
	static const char *const texts[] = { "cpu_atom/cpu-cycles/", "cpu_core/cpu-cycles/",
					     "cpu_atom/event=0x7/", "cpu_core/event=0x7/" };
	static const char *const headings[] = { "E:cpu-cy", "P:cpu-cy", "E:r7", "P:r7" };
	struct event_table *table;
	struct machine machine;

	(void)state;
	make_hybrid(&machine);
	assert_int_equal(event_table_new(&machine, &table), 0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_FREE struct event_spec *spec = NULL;
		const struct event *event;
		struct err err = { "" };
		size_t n;

		assert_int_equal(event_specs_parse(texts[i], &spec, &n, &err), 0);
		assert_int_equal(event_resolve(table, i % 2, spec, PRIVILEGE_BOTH, &event, &err),
				 0);
		assert_string_equal(event->short_name, headings[i]);
	}
	event_table_free(table);
	machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_for_each_pmu),
		cmocka_unit_test(headings_name_the_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
