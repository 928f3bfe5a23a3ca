/* planner_rig.c: a machine, a request to plan on it, and checks of the plan */
#include "rig/planner_rig.h"

struct planner_rig planner;

int planner_begin(void)
{
	assert_int_equal(event_table_new(&planner.machine, &planner.events), 0);
	assert_int_equal(metrics_make(&planner.machine, &planner.metrics, NULL), 0);
	planner.request = (struct planner_request){ .events = planner.events,
						    .metrics = &planner.metrics,
						    .selection = &planner.selection };
	return 0;
}

void planner_begin_slots(double slots)
{
	struct literals literals;

	planner_begin();
	metrics_fini(&planner.metrics);
	literals_read("", &planner.machine, &literals);
	for (unsigned i = 0; literal_name(i); i++)
		if (strcmp(literal_name(i), "slots") == 0)
			literals.value[0][i] = slots;
	assert_int_equal(
		metrics_make_with_literals(&planner.machine, &literals, &planner.metrics, NULL), 0);
}

int planner_begin_m1(void **state)
{
	machines_m1(&planner.machine, *state != NULL);
	return planner_begin();
}

int planner_end(void **state)
{
	(void)state;
	free(planner.spec);
	metrics_selection_fini(&planner.selection);
	metrics_fini(&planner.metrics);
	event_table_free(planner.events);
	machine_fini(&planner.machine);
	memset(&planner, 0, sizeof(planner));
	return 0;
}

void planner_ask_metrics(const char *list)
{
	metrics_selection_fini(&planner.selection);
	if (metrics_select(&planner.metrics, list, &planner.selection, &planner.err))
		fail_msg("%s: %s", list, planner.err.text);
}

struct set planner_plan(void)
{
	struct set set;

	if (planner_make(&planner.request, &set, &planner.err))
		fail_msg("%s", planner.err.text);
	return set;
}

bool planner_is_in_one_mux(const struct set *set, unsigned type, unsigned number)
{
	bool is_there = false;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct metric_binding unused;
		struct set mux;

		set_mux_group(set, t, &mux);
		is_there |= metric_bind(planner.metrics.metric[number].program[type],
					&mux.type[type], &unused);
	}
	return is_there;
}

void planner_check_metrics(const struct set *set)
{
	for (unsigned type = 0; type < planner.machine.n_types; type++)
		for (size_t i = 0; i < planner.selection.n; i++)
			if (!planner_is_in_one_mux(set, type, planner.selection.number[i]))
				fail_msg("%s is in no mux group",
					 planner.metrics.metric[planner.selection.number[i]].name);
}

int planner_begin_generic(void **state)
{
	(void)state;
	machines_generic(&planner.machine);
	planner.machine.type[0].n_counters = 4;
	return planner_begin();
}

void planner_ask_events(const char *list)
{
	free(planner.spec);
	planner.spec = NULL;
	if (event_specs_parse(list, &planner.spec, &planner.request.n_specs, &planner.err))
		fail_msg("%s: %s", list, planner.err.text);
	planner.request.spec = planner.spec;
}

void planner_assert_mux(const struct set *set, unsigned type, const char *expected)
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

int planner_kernel_fits(void *data, const struct set *set, struct err *err)
{
	struct planner_kernel *kernel = data;
	unsigned n = 0;

	kernel->n_calls++;
	assert_int_equal(set_n_mux(set), 1);
	for (unsigned slot = 0; slot < set->n_slots; slot++)
		n += set->type[0].event[slot] != NULL;
	return n <= kernel->n_counters ? 0 : err_set(err, ENOSPC, "no room for all %u", n);
}
