/* planner_rig.h: a machine, a request to plan on it, and what the plan must be */
#ifndef TESTS_PLANNER_RIG_H
#define TESTS_PLANNER_RIG_H

#include <string.h>

#include "rig/machines.h"
#include "metrics/planner/planner.h"

static struct rig {
	struct machine machine;
	struct event_table *events;
	struct metrics metrics;
	struct metrics_selection selection;
	struct event_spec *spec;
	struct planner_request request;
	struct err err;
} rig;

/* The machine is there: its events, its metrics, and a request for nothing. */
static inline int begin(void)
{
	assert_int_equal(event_table_new(&rig.machine, &rig.events), 0);
	assert_int_equal(metrics_make(&rig.machine, &rig.metrics, NULL), 0);
	rig.request = (struct planner_request){ .events = rig.events,
						.metrics = &rig.metrics,
						.selection = &rig.selection };
	return 0;
}

/* Through Linux's driver; with a state register by register. */
static inline int begin_m1(void **state)
{
	machines_m1(&rig.machine, *state != NULL);
	return begin();
}

static inline int end(void **state)
{
	(void)state;
	free(rig.spec);
	metrics_selection_fini(&rig.selection);
	metrics_fini(&rig.metrics);
	event_table_free(rig.events);
	machine_fini(&rig.machine);
	memset(&rig, 0, sizeof(rig));
	return 0;
}

static inline void ask_metrics(const char *list)
{
	metrics_selection_fini(&rig.selection);
	if (metrics_select(&rig.metrics, list, &rig.selection, &rig.err))
		fail_msg("%s: %s", list, rig.err.text);
}

static inline struct set plan(void)
{
	struct set set;

	if (planner_make(&rig.request, &set, &rig.err))
		fail_msg("%s", rig.err.text);
	return set;
}

static inline bool is_in_one_mux(const struct set *set, unsigned type, unsigned number)
{
	bool is_there = false;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct metric_binding unused;
		struct set mux;

		set_mux_group(set, t, &mux);
		is_there |= metric_bind(rig.metrics.metric[number].program[type], &mux.type[type],
					&unused);
	}
	return is_there;
}

static inline void check_metrics(const struct set *set)
{
	for (unsigned type = 0; type < rig.machine.n_types; type++)
		for (size_t i = 0; i < rig.selection.n; i++)
			if (!is_in_one_mux(set, type, rig.selection.number[i]))
				fail_msg("%s is in no mux group",
					 rig.metrics.metric[rig.selection.number[i]].name);
}

/* Four counters, any event on any of them. */
static inline int begin_generic(void **state)
{
	(void)state;
	machines_generic(&rig.machine);
	rig.machine.type[0].n_counters = 4;
	return begin();
}

static inline void ask_events(const char *list)
{
	free(rig.spec);
	rig.spec = NULL;
	if (event_specs_parse(list, &rig.spec, &rig.request.n_specs, &rig.err))
		fail_msg("%s: %s", list, rig.err.text);
	rig.request.spec = rig.spec;
}

/* "a b | c": events by mux group, those of one type, in the order of columns. */
static inline void assert_mux(const struct set *set, unsigned type, const char *expected)
{
	char text[1024] = "";
	size_t used = 0;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct set mux;

		set_mux_group(set, t, &mux);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", t ? " |" : "");
		for (unsigned slot = 0; slot < mux.n_slots; slot++)
			if (mux.type[type].event[slot])
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
							 used ? " " : "",
							 mux.type[type].event[slot]->name);
	}
	assert_string_equal(text, expected);
}

/* What says whether a set can be opened. */
struct kernel {
	unsigned n_counters; /* fewer than it seemed */
	unsigned n_calls;
};

static inline int kernel_fits(void *data, const struct set *set, struct err *err)
{
	struct kernel *kernel = data;
	unsigned n = 0;

	kernel->n_calls++;
	assert_int_equal(set_n_mux(set), 1);
	for (unsigned slot = 0; slot < set->n_slots; slot++)
		n += set->type[0].event[slot] != NULL;
	return n <= kernel->n_counters ? 0 : err_set(err, ENOSPC, "no room for all %u", n);
}

#define ON_M1(f)  cmocka_unit_test_setup_teardown(f, begin_m1, end)
#define ON_X86(f) cmocka_unit_test_setup_teardown(f, begin_generic, end)

#endif
