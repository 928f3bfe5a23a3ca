#include "rig/machines.h"

#include <errno.h>

static void keep(struct machine *machine, const char *list)
{
	struct cpus cpus;
	struct err err = { "" };

	assert_int_equal(cpus_parse(list, &cpus, &err), 0);
	if (machine_restrict(machine, &cpus, &err) < 0)
		fail_msg("%s", err.text);
}

static void cores_are_found_by_cpu(void **state)
{
	struct machine m1;

	(void)state;
	machines_m1(&m1, true);
	keep(&m1, "2,5-7");
	assert_int_equal(m1.n_cores, 4);
	assert_int_equal(machine_core_of_cpu(&m1, 2), 0);
	assert_int_equal(machine_core_of_cpu(&m1, 7), 3);
	assert_int_equal(machine_core_of_cpu(&m1, 0), -1);
	assert_int_equal(m1.n_types, 2);
	assert_int_equal(m1.n_clusters, 2);
	machine_fini(&m1);
}

static void numbering_stays_dense(void **state)
{
	struct machine m1;

	(void)state;
	machines_m1(&m1, true);
	keep(&m1, "6-7");
	assert_int_equal(m1.n_types, 1);
	assert_int_equal(m1.n_clusters, 1);
	assert_string_equal(m1.type[0].name, "P");
	assert_non_null(m1.type[0].catalog);
	for (unsigned i = 0; i < m1.n_cores; i++) {
		assert_int_equal(m1.core[i].type, 0);
		assert_int_equal(m1.core[i].cluster, 0);
	}
	machine_fini(&m1);
}

static void a_shared_catalogue_is_freed_once(void **state)
{
	struct machine m1;

	(void)state;
	machines_m1(&m1, true);
	catalog_free(m1.type[1].catalog);
	m1.type[1].catalog = m1.type[0].catalog;
	keep(&m1, "4");
	assert_true(m1.type[0].catalog->n_events > 50); /* E is gone, what P shares is not */
	machine_fini(&m1);
	machine_fini(NULL);
}

static void nothing_left_is_an_error(void **state)
{
	struct machine m1;
	struct cpus cpus;
	struct err err = { "" };

	(void)state;
	machines_m1(&m1, true);
	assert_int_equal(cpus_parse("64-66", &cpus, &err), 0);
	assert_int_equal(machine_restrict(&m1, &cpus, &err), -ENODEV);
	assert_string_equal(err.text, "none of the CPUs 64-66 exists on this machine");
	assert_int_equal(m1.n_cores, 8);
	machine_fini(&m1);
}

static void what_is_absent_is_noted(void **state)
{
	struct machine m1;

	(void)state;
	machines_m1(&m1, true);
	keep(&m1, "0-7");
	assert_string_equal(m1.cpu_notes, "");
	keep(&m1, "6-11,4095");
	assert_string_equal(m1.cpu_notes,
			    "cpu 8-11,4095: not online on this machine, left out of -C\n");
	assert_int_equal(m1.n_cores, 2);
	machine_fini(&m1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_found_by_cpu),
		cmocka_unit_test(numbering_stays_dense),
		cmocka_unit_test(a_shared_catalogue_is_freed_once),
		cmocka_unit_test(nothing_left_is_an_error),
		cmocka_unit_test(what_is_absent_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
