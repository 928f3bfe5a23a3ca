/* Mux groups: put together, taken apart, and changed one alone. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "rig/sim_rig.h"

static struct set preset(const struct sim_rig *rig, const char *name)
{
	struct set set;
	struct err err = { "" };

	if (set_preset(rig->events, name, PRIVILEGE_BOTH, &set, &err) < 0)
		fail_msg("%s: %s", name, err.text);
	return set;
}

static struct set joined(const struct sim_rig *rig)
{
	struct set mux[] = { preset(rig, "overview"), preset(rig, "l1d"), preset(rig, "stall") };
	struct set set;

	assert_int_equal(set_join(mux, 3, &set, NULL), 0);
	return set;
}

static void expect_event(const struct set *set, unsigned column, const char *name)
{
	const struct event *event = set_event(set, column);

	if (!event || strcmp(event->name, name) != 0)
		fail_msg("column %u counts %s, not %s", column, event ? event->name : "nothing",
			 name);
}

static bool is_same_mux(const struct set *a, unsigned mux_a, const struct set *b, unsigned mux_b)
{
	struct set one, other;

	set_mux_group(a, mux_a, &one);
	set_mux_group(b, mux_b, &other);
	for (unsigned type = 0; type < 2; type++) { /* E and P */
		const struct placement *p = &one.type[type], *q = &other.type[type];

		if (memcmp(p->event, q->event, sizeof(p->event)) != 0 ||
		    memcmp(p->counter, q->counter, sizeof(p->counter)) != 0 ||
		    p->n_order != q->n_order || memcmp(p->order, q->order, p->n_order) != 0)
			return false;
	}
	return one.n_slots == other.n_slots;
}

static void columns_of_mux_groups(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set single = preset(&rig, "l1d"), set = joined(&rig), back;

	(void)state;
	assert_int_equal(set_n_mux(&set), 3);
	assert_int_equal(set.n_slots, 30);
	assert_int_equal(set_mux_of(&set, 9), 0);
	assert_int_equal(set_mux_of(&set, 10), 1);
	assert_int_equal(set_mux_of(&set, 29), 2);
	assert_int_equal(set_slot_of(&set, 10), 0);
	assert_int_equal(set_slot_of(&set, 25), 5);
	assert_int_equal(set_slot_of(&single, 9), 9);
	for (unsigned i = 0; i < 10; i++)
		expect_event(&set, 10 + i, set_event(&single, i)->name);
	set_mux_group(&set, 1, &back);
	assert_int_equal(back.n_slots, single.n_slots);
	assert_memory_equal(back.type, single.type, 2 * sizeof(single.type[0])); /* E and P */
	sim_rig_close(&rig);
}

static void too_many(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	static struct set mux[MUX_MAX + 1], set = { .number = 77 };
	struct err err = { "" };

	(void)state;
	for (unsigned i = 0; i < MUX_MAX + 1; i++)
		mux[i] = preset(&rig, "l1d");
	assert_int_equal(set_join(mux, 52, &set, &err), -ENOSPC);
	assert_int_equal(set.number, 77);
	assert_non_null(strstr(err.text, "52 sets of events with 520 columns"));
	assert_int_equal(set_join(mux, 51, &set, &err), 0);
	assert_int_equal(set.n_slots, 510);
	assert_int_equal(set_mux_of(&set, 509), 50);
	for (unsigned i = 0; i < MUX_MAX + 1; i++)
		mux[i] = sim_rig_set(&rig, "cycles");
	assert_int_equal(set_join(mux, MUX_MAX, &set, &err), 0);
	assert_int_equal(set_join(mux, MUX_MAX + 1, &set, &err), -ENOSPC);
	sim_rig_close(&rig);
}

/* The other mux groups stay as they are, whatever the new event moves in its own. */
static void a_change_stays_in_its_mux_group(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set from = joined(&rig), to = { .number = 77 };
	struct err err = { "" };

	(void)state;
	from.splits_metrics = true;
	assert_int_equal(
		set_change(rig.events, &from, 15, "INST_BRANCH", PRIVILEGE_BOTH, &to, &err), 0);
	expect_event(&to, 15, "INST_BRANCH");
	assert_true(is_same_mux(&from, 0, &to, 0));
	assert_false(is_same_mux(&from, 1, &to, 1));
	assert_true(is_same_mux(&from, 2, &to, 2));
	assert_true(to.splits_metrics);
	/* legality, names and the fixed pair are those of the mux group */
	to.number = 77;
	assert_int_equal(
		set_change(rig.events, &from, 12, "INST_BRANCH", PRIVILEGE_BOTH, &to, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "PMC5-7"));
	assert_int_equal(
		set_change(rig.events, &from, 21, "INST_BRANCH", PRIVILEGE_BOTH, &to, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "PMC1 always counts instructions"));
	assert_int_equal(to.number, 77);
	sim_rig_close(&rig);
}

/* What is cleared at a mux group's end takes its column along. */
static void columns_move_up(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set from = joined(&rig), to;

	(void)state;
	assert_int_equal(set_change(rig.events, &from, 19, NULL, PRIVILEGE_BOTH, &to, NULL), 0);
	assert_int_equal(to.n_slots, 29);
	assert_int_equal(to.first[2], 19);
	assert_true(is_same_mux(&from, 0, &to, 0));
	assert_true(is_same_mux(&from, 2, &to, 2));
	expect_event(&to, 19, set_event(&from, 20)->name);
	sim_rig_close(&rig);
}

static void an_empty_mux_group_is_left_out(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set from = joined(&rig), to, none = { .n_slots = 0 };

	(void)state;
	assert_int_equal(set_put_mux(&from, 1, &none, &to, NULL), 0);
	assert_int_equal(set_n_mux(&to), 2);
	assert_true(is_same_mux(&from, 0, &to, 0));
	assert_true(is_same_mux(&from, 2, &to, 1));
	sim_rig_close(&rig);
}

/* Cycles and instructions, which the others count too, are no reason to multiplex. */
static void a_repeated_mux_group_is_left_out(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set set = joined(&rig), kept = set;

	(void)state;
	set_drop_repeated(&set);
	assert_int_equal(set_n_mux(&set), 3);
	for (unsigned column = 19; column > 11; column--)
		assert_int_equal(
			set_change(rig.events, &set, column, NULL, PRIVILEGE_BOTH, &set, NULL), 0);
	set_drop_repeated(&set);
	assert_int_equal(set_n_mux(&set), 2);
	assert_true(is_same_mux(&kept, 0, &set, 0));
	assert_true(is_same_mux(&kept, 2, &set, 1));
	sim_rig_close(&rig);
}

static void a_step_stays_in_its_mux_group(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set from = joined(&rig), to, back;
	struct err err = { "" };

	(void)state;
	/* INST_BRANCH is counted in mux group 0, and may be counted in group 1 too */
	assert_int_equal(set_step(rig.events, &from, 15, 1, PRIVILEGE_BOTH, &to, &err), 0);
	assert_true(is_same_mux(&from, 0, &to, 0));
	assert_true(is_same_mux(&from, 2, &to, 2));
	assert_ptr_not_equal(set_event(&from, 15), set_event(&to, 15));
	assert_int_equal(set_step(rig.events, &to, 15, -1, PRIVILEGE_BOTH, &back, &err), 0);
	assert_true(is_same_mux(&from, 1, &back, 1));
	sim_rig_close(&rig);
}

static void privilege_of_all_mux_groups(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set from = joined(&rig), to;
	struct err err = { "" };

	(void)state;
	from.splits_metrics = true;
	assert_int_equal(set_privilege(rig.events, &from, PRIVILEGE_USER, &to, &err), 0);
	assert_int_equal(to.n_slots, 30);
	assert_int_equal(set_n_mux(&to), 3);
	assert_true(to.splits_metrics);
	for (unsigned i = 0; i < 30; i++) {
		expect_event(&to, i, set_event(&from, i)->name);
		assert_int_equal(set_event(&to, i)->privilege, PRIVILEGE_USER);
	}
	sim_rig_close(&rig);
}

/* Two of 36 columns, 26 of them a device's, and one of PMC7 alone. */
static struct set joined_without_empty(struct sim_rig *rig)
{
	struct text list = { 0 };
	struct set mux[3], set;

	for (unsigned i = 0; i < 26; i++)
		text_printf(&list, ",smmuv3_pmcg_2b440/transaction,stream=0x%x/", i);
	mux[0] = sim_rig_set(rig, list.bytes + 1);
	mux[1] = sim_rig_set(rig, list.bytes + 1);
	mux[2] = sim_rig_set(rig, "PMC7=INST_BRANCH");
	text_fini(&list);
	assert_int_equal(mux[0].n_slots + mux[1].n_slots + mux[2].n_slots, 80);
	if (set_join(mux, 3, &set, &rig->err) < 0)
		fail_msg("%s", rig->err.text);
	for (unsigned i = 0; i < 3; i++) {
		struct set back;

		set_mux_group(&set, i, &back);
		assert_int_equal(back.n_slots, mux[i].n_slots);
		assert_memory_equal(back.type, mux[i].type, 2 * sizeof(back.type[0]));
	}
	return set;
}

/* Where all columns are too many, the used ones are counted; slots keep their numbers. */
static void empty_columns_are_left_out(void **state)
{
	struct sim_rig rig = sim_rig_open("smmu=1");
	struct set set = joined_without_empty(&rig), to;

	(void)state;
	assert_int_equal(set.n_slots, 28 + 28 + 3);
	for (unsigned column = 0; column < set.n_slots; column++) {
		unsigned mux = set_mux_of(&set, column), slot = set_slot_of(&set, column);

		assert_non_null(set_event(&set, column));
		assert_int_equal(set_column_of(&set, mux, slot), column);
	}
	assert_int_equal(set_slot_of(&set, 29), 1);
	assert_int_equal(set_slot_of(&set, 30), 10);
	assert_int_equal(set_slot_of(&set, 58), 7);

	/* a change stays in its mux group, and where it was asked for */
	assert_int_equal(set_change(rig.events, &set, 58, "INST_LDST", PRIVILEGE_BOTH, &to, NULL),
			 0);
	expect_event(&to, 58, "INST_LDST");
	assert_int_equal(set_slot_of(&to, 58), 7);
	assert_true(is_same_mux(&set, 1, &to, 1));
	assert_false(set_counts_same(&set, &to));

	/* with one column less, and one more, it is as it was */
	assert_int_equal(set_change(rig.events, &set, 30, NULL, PRIVILEGE_BOTH, &to, NULL), 0);
	assert_int_equal(to.n_slots, 58);
	assert_int_equal(set_slot_of(&to, 30), 11);
	/* and where there is room for them again, the empty ones are there to be used */
	assert_int_equal(set_put_mux(&set, 1, &(struct set){ 0 }, &to, NULL), 0);
	assert_int_equal(set_n_mux(&to), 2);
	assert_int_equal(to.n_slots, 36 + 8);
	assert_int_equal(set_slot_of(&to, 36 + 5), 5);
	sim_rig_close(&rig);
}

/* A device's event that is chosen for cycles goes to a column of its own in that mux group. */
static void a_choice_is_found_where_it_went(void **state)
{
	struct sim_rig rig = sim_rig_open("smmu=1");
	struct set set = joined_without_empty(&rig), to;
	unsigned column = 0;

	(void)state;
	assert_int_equal(set_choose(rig.events, &set, 56, "smmuv3_pmcg_2b440/cycles/",
				    PRIVILEGE_BOTH, &column, &to, NULL),
			 0);
	expect_event(&to, column, "smmuv3_pmcg_2b440/cycles/");
	assert_int_equal(set_mux_of(&to, column), 2);
	sim_rig_close(&rig);
}

/* Sets that differ only in their last mux group, or in the last slots to open, count different things. */
static void sets_are_compared_to_their_ends(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set set = joined(&rig), to = set;
	uint16_t *last = &to.type[0].order[to.type[0].n_order - 1];

	(void)state;
	assert_true(set_counts_same(&set, &to));
	to.first[set_n_mux(&to) - 1]--;
	assert_false(set_counts_same(&set, &to));
	to = set;
	(*last)++;
	assert_false(set_counts_same(&set, &to));
	sim_rig_close(&rig);
}

/* The events of a set, requested again, make a set of the same events; one that several mux groups count is asked for once. */
static void its_events_can_be_requested_again(void **state)
{
	struct sim_rig rig = sim_rig_open("");
	struct set set = joined(&rig), again, none = { 0 };
	struct event_spec *spec = NULL;
	size_t n = 99, n_cycles = 0;

	(void)state;
	set_add_activity(rig.events, &set);
	assert_int_equal(set_specs(&none, &spec, &n, NULL), 0);
	assert_int_equal(n, 0);
	assert_int_equal(set_specs(&set, &spec, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const struct event *event;

		assert_int_equal(
			event_resolve(rig.events, 0, &spec[i], PRIVILEGE_BOTH, &event, NULL), 0);
		assert_false(event_is_activity(event));
		n_cycles += event->is_cycles;
	}
	assert_int_equal(n_cycles, 2); /* of E and of P */
	free(spec);

	set = preset(&rig, "l1d");
	assert_int_equal(set_specs(&set, &spec, &n, NULL), 0);
	assert_int_equal(set_make(rig.events, spec, n, PRIVILEGE_BOTH, &again, NULL), 0);
	for (unsigned column = 0; column < set.n_slots; column++)
		for (unsigned type = 0; type < 2; type++)
			if (set.type[type].event[column])
				assert_true(placement_find(&again.type[type],
							   set.type[type].event[column], -1) >= 0);
	free(spec);
	sim_rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_mux_groups),
		cmocka_unit_test(too_many),
		cmocka_unit_test(a_change_stays_in_its_mux_group),
		cmocka_unit_test(columns_move_up),
		cmocka_unit_test(an_empty_mux_group_is_left_out),
		cmocka_unit_test(a_repeated_mux_group_is_left_out),
		cmocka_unit_test(a_step_stays_in_its_mux_group),
		cmocka_unit_test(privilege_of_all_mux_groups),
		cmocka_unit_test(empty_columns_are_left_out),
		cmocka_unit_test(a_choice_is_found_where_it_went),
		cmocka_unit_test(sets_are_compared_to_their_ends),
		cmocka_unit_test(its_events_can_be_requested_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
