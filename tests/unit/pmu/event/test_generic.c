/* test_generic.c: perf's names for what any processor may count, on cores with and without tables */
#include "rig/machines.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/cleanup.h"
#include "pmu/event.h"

static const struct event *resolve(const struct machine *machine, unsigned type, const char *name,
				   struct event_table **ret_table)
{
	AUTO_FREE struct event_spec *spec = NULL;
	const struct event *event = NULL;
	struct err err = { "" };
	size_t n;

	assert_int_equal(event_table_new(machine, ret_table), 0);
	assert_int_equal(event_specs_parse(name, &spec, &n, &err), 0);
	if (event_resolve(*ret_table, type, spec, PRIVILEGE_BOTH, &event, &err))
		assert_int_equal(strncmp(err.text, "no event is named", 17), 0);
	return event;
}

/* As perf stat -vv shows them; Linux tools/perf/tests/parse-events.c */
static void caches_are_asked_of_the_driver(void **state)
{
	static const struct {
		const char *name;
		uint64_t config; /* 0xff: no such event */
	} rows[] = {
		{ "L1-dcache-loads", 0 },
		{ "L1-dcache-load-misses", 0x10000 },
		{ "L1-dcache-stores", 0x100 },
		{ "L1-dcache-store-misses", 0x10100 },
		{ "L1-dcache-prefetches", 0x200 },
		{ "L1-dcache-prefetch-misses", 0x10200 },
		{ "L1-icache-loads", 1 },
		{ "L1-icache-load-misses", 0x10001 },
		{ "L1-icache-prefetches", 0x201 },
		{ "L1-icache-prefetch-misses", 0x10201 },
		{ "LLC-loads", 2 },
		{ "LLC-load-misses", 0x10002 },
		{ "LLC-stores", 0x102 },
		{ "LLC-store-misses", 0x10102 },
		{ "LLC-prefetches", 0x202 },
		{ "LLC-prefetch-misses", 0x10202 },
		{ "dTLB-loads", 3 },
		{ "dTLB-load-misses", 0x10003 },
		{ "dTLB-stores", 0x103 },
		{ "dTLB-store-misses", 0x10103 },
		{ "iTLB-loads", 4 },
		{ "iTLB-load-misses", 0x10004 },
		{ "branch-loads", 5 },
		{ "branch-load-misses", 0x10005 },
		{ "node-loads", 6 },
		{ "node-load-misses", 0x10006 },
		{ "node-stores", 0x106 },
		{ "node-store-misses", 0x10106 },
		{ "node-prefetch-misses", 0x10206 },
		{ "LLC", 2 },
		{ "L2-misses-load", 0x10002 },
		{ "l1d-speculative-read-miss", 0x10200 },
		{ "Data-TLB-write-refs", 0x103 },
		{ "L1-icache-stores", 0xff },
		{ "iTLB-store-misses", 0xff },
		{ "branch-prefetches", 0xff },
		{ "LLC-loads-loads", 0xff },
		{ "LLC-load-misses-x", 0xff },
		{ "LLCs", 0xff },
	};
	struct machine generic;

	(void)state;
	machines_generic(&generic);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_table *table;
		const struct event *event = resolve(&generic, 0, rows[i].name, &table);

		if ((rows[i].config == 0xff) != !event)
			fail_msg("%s", rows[i].name);
		if (event) {
			assert_string_equal(event->name, rows[i].name);
			assert_string_equal(event->refused, "");
			assert_ptr_equal(event->pmu, &generic.pmus.pmu[0]);
			assert_int_equal(event->config[0], rows[i].config);
			assert_int_equal(event->config[CONFIG_TYPE], 1 + PERF_TYPE_HW_CACHE);
			assert_true(event->needs_counter);
		}
		event_table_free(table);
	}
	machine_fini(&generic);
}

/* The driver lists what it has; of the others perf asks it, too. */
static void hardware_names_without_an_alias(void **state)
{
	struct machine generic;
	struct event_table *table;

	(void)state;
	machines_generic(&generic);

	const struct event *event = resolve(&generic, 0, "ref-cycles", &table);

	assert_int_equal(event->config[0], PERF_COUNT_HW_REF_CPU_CYCLES);
	assert_int_equal(event->config[CONFIG_TYPE], 1 + PERF_TYPE_HARDWARE);
	event_table_free(table);
	event = resolve(&generic, 0, "cache-misses", &table);
	assert_int_equal(event->config[0], 0x2e);
	assert_int_equal(event->config[CONFIG_TYPE], 0);
	event_table_free(table);
	machine_fini(&generic);
}

/* Register by register there is no driver: Apple's own event, or the reason. */
static void apple_tables(void **state)
{
	static const struct {
		const char *name, *apple; /* NULL: refused */
	} rows[] = {
		{ "branch-misses", "BRANCH_MISPRED_NONSPEC" },
		{ "branch-load-misses", "BRANCH_MISPRED_NONSPEC" },
		{ "branch-loads", "INST_BRANCH" },
		{ "L1-dcache-load-misses", "L1D_CACHE_MISS_LD_NONSPEC" },
		{ "l1d-miss", "L1D_CACHE_MISS_LD_NONSPEC" },
		{ "L1-dcache-store-misses", "L1D_CACHE_MISS_ST_NONSPEC" },
		{ "L1-icache-load-misses", "L1I_CACHE_MISS_DEMAND" },
		{ "iTLB-load-misses", "L1I_TLB_MISS_DEMAND" },
		{ "cache-misses", NULL },
		{ "cache-references", NULL },
		{ "LLC-loads", NULL },
		{ "dTLB-load-misses", NULL },
		{ "stalled-cycles-backend", NULL },
	};

	(void)state;
	for (unsigned slot_is_counter = 0; slot_is_counter < 2; slot_is_counter++) {
		struct machine m1;

		machines_m1(&m1, slot_is_counter);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct event_table *table;
			const struct event *event = resolve(&m1, 1, rows[i].name, &table);

			assert_non_null(event);
			if (rows[i].apple)
				assert_string_equal(event->known->name, rows[i].apple);
			else if (slot_is_counter)
				assert_string_equal(event->refused,
						    "apple_firestorm_pmu has no such event");
			else /* two core PMUs: the upper half says which */
				assert_int_equal(event->config[0] >> 32, m1.pmus.pmu[1].type);
			event_table_free(table);
		}
		machine_fini(&m1);
	}
}

/* As in perf: not supported, and what is asked for beside it is counted. */
static void without_a_core_pmu(void **state)
{
	static const char *const names[] = { "LLC-loads", "cycles", "cpu-cycles", "branch-misses",
					     "cycles/cmask=1/" };
	struct machine software;

	(void)state;
	machines_software(&software);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event_table *table;
		const struct event *event = resolve(&software, 0, names[i], &table);

		assert_non_null(event);
		assert_int_equal(strncmp(event->name, names[i], strcspn(names[i], "/")), 0);
		assert_string_equal(event->refused, "this machine has no hardware core PMU");
		event_table_free(table);
	}
	machine_fini(&software);
}

/* They are in lists that were written for perf: not supported, with what takes their place. */
static void perfs_own_events(void **state)
{
	static const char *const rows[][2] = {
		{ "duration_time", "every record has its time" },
		{ "user_time:u", "task-clock counts user" },
		{ "system_time", "task-clock counts system" },
		{ "mem:0x1000", "perf stat counts breakpoints" },
		{ "bpf-output", "for perf record" },
	};
	struct machine software;

	(void)state;
	machines_software(&software);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_table *table;
		const struct event *event = resolve(&software, 0, rows[i][0], &table);

		assert_non_null(event);
		assert_non_null(strstr(event->refused, rows[i][1]));
		event_table_free(table);
	}
	machine_fini(&software);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_are_asked_of_the_driver),
		cmocka_unit_test(hardware_names_without_an_alias),
		cmocka_unit_test(apple_tables),
		cmocka_unit_test(without_a_core_pmu),
		cmocka_unit_test(perfs_own_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
