/* Events of devices: each has its own counters, and they take no room from the core's events. */
#include "base/text.h"
#include "rig/planner_rig.h"

#define EIGHT(events)                                                                           \
	events("0") "," events("1") "," events("2") "," events("3") "," events("4") "," events( \
		"5") "," events("6") "," events("7")
#define ON_BOX(id) "uncore_box/event=" id "/"

static void add_boxes(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "uncore_box_%u", i);
		cpus_add(&machines_add_pmu(&planner.machine, name, PMU_UNCORE, 0xff)->cpus, 0);
	}
}

static unsigned n_columns_of(const struct set *set, const char *pmu)
{
	unsigned n = 0;

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set_event(set, slot);

		n += event && strcmp(event->pmu->name, pmu) == 0;
	}
	return n;
}

static void eight_events_of_four(void **state)
{
	struct set set;

	(void)state;
	add_boxes(4);
	planner_ask_events(EIGHT(ON_BOX) ",INST_BRANCH,page-faults,context-switches");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 1);
	for (unsigned i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "uncore_box_%u", i);
		assert_int_equal(n_columns_of(&set, name), 8);
	}
	/* what is the core's has a column of the core's: devices make room */
	assert_string_equal(set_event(&set, 5)->name, "INST_BRANCH");
	for (unsigned type = 0; type < 2; type++)
		for (unsigned slot = CORE_SLOTS_MAX; slot < set.n_slots; slot++)
			assert_true(!set.type[type].event[slot] ||
				    event_is_of_device(set.type[type].event[slot]));
	assert_int_equal(set.n_slots, 10 + 32 + 2);
	assert_int_equal(set.type[0].n_order, 2 + 1 + 32 + 2);
}

/* A server's caches: one name, more boxes than a core has columns. */
static void one_event_of_many(void **state)
{
	struct set set;

	(void)state;
	add_boxes(60);
	planner_ask_events("r01,r02,r03,uncore_box/event=1/,r04");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 1);
	assert_int_equal(set.n_slots, 64);
	assert_int_equal(n_columns_of(&set, "uncore_box_59"), 1);

	planner_ask_events("r01,r02,r03,uncore_box/event=1/,r04,uncore_box_7/event=2/");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	assert_int_equal(n_columns_of(&set, "uncore_box_7"), 2);
}

static void more_than_can_be_read(void **state)
{
	struct set set;

	(void)state;
	add_boxes(65);
	planner_ask_events("uncore_box/event=1/");
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_string_equal(planner.err.text,
			    "event=1 is on 65 PMUs, but only 64 events can be counted at a time; "
			    "choose one, such as uncore_box_0/event=1/");
}

/* With what no search would find out: it took seconds. */
static void hopeless_is_refused_at_once(void **state)
{
	struct text list = { 0 };
	struct set set;

	(void)state;
	add_boxes(3);
	for (unsigned i = 0; i < COLUMNS_MAX + 1; i++)
		text_printf(&list, "%suncore_box_%u/event=0x%x/", i ? "," : "", i % 3, i / 3);
	planner_ask_events(list.bytes);
	text_fini(&list);
	assert_int_equal(planner_make(&planner.request, &set, &planner.err), -ENOSPC);
	assert_string_equal(planner.err.text,
			    "that is more than 512 different events, and no more can "
			    "be multiplexed: ask for less at a time");
}

static void a_metric_over_many(void **state)
{
	struct set set;

	(void)state;
	add_boxes(20);
	planner_ask_metrics("x=uncore_box@event\\=1@/uncore_box@event\\=2@");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 1);
	planner_check_metrics(&set);
	assert_int_equal(n_columns_of(&set, "uncore_box_19"), 2);
}

static int four_a_box(void *data, const struct set *set, struct err *err)
{
	(void)data;
	for (unsigned i = 0; i < 2; i++) {
		char name[32];

		snprintf(name, sizeof(name), "uncore_box_%u", i);
		if (n_columns_of(set, name) > 4)
			return err_set(err, EINVAL, "%s has no counter left", name);
	}
	return 0;
}

/* What a device has no counters for is multiplexed, as a core's events are. */
static void a_device_has_its_own_limit(void **state)
{
	struct set set;

	(void)state;
	add_boxes(2);
	planner.request.fits = four_a_box;
	planner_ask_events(EIGHT(ON_BOX) ",r01");
	set = planner_plan();
	assert_int_equal(set_n_mux(&set), 2);
	assert_int_equal(n_columns_of(&set, "uncore_box_0"), 8);
	assert_int_equal(n_columns_of(&set, "uncore_box_1"), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_M1(eight_events_of_four),        ON_X86(one_event_of_many),
		ON_X86(more_than_can_be_read),      ON_X86(a_metric_over_many),
		ON_X86(a_device_has_its_own_limit), ON_M1(hopeless_is_refused_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
