/* A machine without hardware counters: what is counted there, what a row says first, its columns. */
#include "rig/choice_rig.h"
#include "rig/machines.h"

#include "pmu/activity/path.h"
#include "tui/model/model.h"

static int probe(const struct activity_place *place, uint32_t *ret_events, struct err *err)
{
	(void)place;
	(void)err;
	*ret_events = 1U << ACTIVITY_TIME;
	return 0;
}

static struct machine guest, m1;
static struct event_table *guest_events, *m1_events;
static struct metrics guest_metrics, m1_metrics;

static int make_machines(void **state)
{
	static const struct activity_path idle = { .name = "idle", .what = "", .probe = probe };

	(void)state;
	machines_begin(&guest);
	machines_add_pmu(&guest, "software", PMU_SOFTWARE, 0);
	machines_add_type(&guest, "cpu", NULL, "x86", "AuthenticAMD-26-2-1");
	machines_add_cores(&guest, 2, 0, 0);
	assert_int_equal(activity_give(&guest, &idle), 0);
	machines_m1(&m1, false);
	assert_int_equal(event_table_new(&guest, &guest_events), 0);
	assert_int_equal(event_table_new(&m1, &m1_events), 0);
	assert_int_equal(metrics_make(&guest, &guest_metrics, NULL), 0);
	assert_int_equal(metrics_make(&m1, &m1_metrics, NULL), 0);
	return 0;
}

static int free_machines(void **state)
{
	(void)state;
	metrics_fini(&guest_metrics);
	metrics_fini(&m1_metrics);
	event_table_free(guest_events);
	event_table_free(m1_events);
	machine_fini(&guest);
	machine_fini(&m1);
	return 0;
}

static struct set default_of(struct event_table *events)
{
	struct set set;

	assert_int_equal(set_default(events, PRIVILEGE_BOTH, 0, &set, NULL), 0);
	return set;
}

static struct set made(struct event_table *events, const char *list)
{
	struct event_spec *spec;
	struct set set;
	size_t n;

	assert_int_equal(event_specs_parse(list, &spec, &n, NULL), 0);
	assert_int_equal(set_make(events, spec, n, PRIVILEGE_BOTH, &set, NULL), 0);
	free(spec);
	return set;
}

static void busy_time_and_software_events_by_default(void **state)
{
	static const char *const name[] = { "context-switches", "page-faults", "cpu-migrations",
					    "active-time" };
	const struct set set = default_of(guest_events);

	(void)state;
	assert_int_equal(set.n_slots, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(set_event(&set, i)->name, name[i]);
}

/* @return its name, "" without one */
static const char *primary(const struct metrics *metrics, const struct set *set)
{
	struct metric_list none = { 0 }, list;
	int number;

	assert_int_equal(metric_list_of_set(metrics, set, &none, &list), 0);
	number = metric_list_primary(metrics, &list);
	return number < 0 ? "" : metrics->metric[number].name;
}

static void what_a_row_says_first(void **state)
{
	const struct set of_guest = default_of(guest_events), of_m1 = default_of(m1_events);
	const struct set without = made(guest_events, "context-switches");

	(void)state;
	assert_string_equal(primary(&m1_metrics, &of_m1), "IPC");
	assert_string_equal(primary(&guest_metrics, &of_guest), "Utilisation");
	assert_string_equal(primary(&guest_metrics, &without), "");
}

static bool has_column(const struct machine *machine, const struct set *set, unsigned selected,
		       unsigned column)
{
	const struct model model = { .machine = machine, .set = set, .slot = selected };
	const struct shown shown = { .kind = SHOWN_SLOT, .number = column };

	assert_int_equal(model_n_slots(&model), 10);
	return model_has_column(&model, &shown);
}

/* Every digit is a column; a free one is seen while it is selected, a free counter always. Active time
 * is what Utilisation says. */
static void columns_of_the_digits(void **state)
{
	const struct set of_guest = default_of(guest_events);
	const struct set of_m1 = made(m1_events, "PMC5=INST_BRANCH");

	(void)state;
	assert_true(has_column(&guest, &of_guest, 0, 2));
	assert_false(has_column(&guest, &of_guest, 0, 3));
	assert_true(has_column(&guest, &of_guest, 3, 3));
	assert_false(has_column(&guest, &of_guest, 0, 4));
	assert_true(has_column(&guest, &of_guest, 9, 9));
	assert_true(has_column(&m1, &of_m1, 5, 9));
}

/* It is counted already, and clock cycles are not told here. */
static void nothing_is_added_that_is_not_there(void **state)
{
	const struct set before = default_of(guest_events);
	struct set after = before;

	(void)state;
	set_add_activity(guest_events, &after);
	assert_true(set_counts_same(&before, &after));
}

static void events_that_cannot_be_counted_stand_last(void **state)
{
	struct event_list list;

	(void)state;
	assert_int_equal(event_list_make(&guest, false, &list), 0);
	assert_null(find_choice(&list, "active-cycles")->pmu);
	assert_non_null(find_choice(&list, "active-time")->pmu);
	assert_null(find_choice(&list, "ex_ret_brn")->pmu);
	assert_true(find_choice(&list, "active-time")->group <
		    find_choice(&list, "ex_ret_brn")->group);
	assert_true(find_choice(&list, "page-faults")->group <
		    find_choice(&list, "ex_ret_brn")->group);
	event_list_fini(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_time_and_software_events_by_default),
		cmocka_unit_test(what_a_row_says_first),
		cmocka_unit_test(columns_of_the_digits),
		cmocka_unit_test(nothing_is_added_that_is_not_there),
		cmocka_unit_test(events_that_cannot_be_counted_stand_last),
	};

	return cmocka_run_group_tests(tests, make_machines, free_machines);
}
