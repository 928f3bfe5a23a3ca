/* metric_bind.c: which slot counts which input */
#include <stdio.h>
#include <string.h>

#include "metrics/program.h"

/* "cpu/EVENT,umask=1/u" taken apart: a PMU or "", what is counted, the levels if it names them */
struct wanted {
	char pmu[EVENT_NAME_MAX], what[EVENT_NAME_MAX];
	bool has_levels;
	enum event_levels levels;
};

static void take_levels(const char *modifiers, struct wanted *ret)
{
	bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k');

	ret->has_levels = user || kernel;
	ret->levels = user == kernel ? LEVELS_BOTH : user ? LEVELS_USER : LEVELS_KERNEL;
}

static struct wanted take_apart(const char *input)
{
	struct wanted ret = { .pmu = "" };
	const char *slash = strchr(input, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;
	const char *colon = strrchr(input, ':');
	size_t n = strlen(input);

	if (end) {
		snprintf(ret.pmu, sizeof(ret.pmu), "%.*s", (int)(slash - input), input);
		snprintf(ret.what, sizeof(ret.what), "%.*s", (int)(end - slash - 1), slash + 1);
		take_levels(end + 1, &ret);
		return ret;
	}
	if (colon && colon[1] && strspn(colon + 1, "ukpPHGRDS") == strlen(colon + 1)) {
		take_levels(colon + 1, &ret);
		n = (size_t)(colon - input);
	}
	snprintf(ret.what, sizeof(ret.what), "%.*s", (int)n, input);
	return ret;
}

static bool is_wanted(const struct event *event, const char *input, const struct wanted *wanted)
{
	if (wanted->has_levels && event->levels != wanted->levels)
		return false;
	if (event_is(event, input))
		return true;
	if (wanted->pmu[0] && (!event->pmu || strcmp(event->pmu->name, wanted->pmu) != 0))
		return false;
	return event_is(event, wanted->what);
}

bool metric_input_is(const struct event *event, const char *input)
{
	struct wanted wanted = take_apart(input);

	return is_wanted(event, input, &wanted);
}

static unsigned find_slot(const struct placement *placement, const char *input,
			  enum event_levels levels)
{
	struct wanted wanted = take_apart(input);

	for (unsigned slot = 0; slot < COLUMNS_MAX; slot++) {
		const struct event *event = placement->event[slot];

		if (event && (wanted.has_levels || event->levels == levels) &&
		    is_wanted(event, input, &wanted))
			return slot;
	}
	return BINDING_MISSING;
}

/* Active time of eight cores comes from eight sources, cycles of eight cores are cycles. */
static bool is_gathered(const struct event *event)
{
	return event->pmu && (event->pmu->kind == PMU_UNCORE || event->pmu->kind == PMU_ACTIVITY);
}

static bool has_levels(const struct placement *placement, enum event_levels levels)
{
	for (unsigned slot = 0; slot < COLUMNS_MAX; slot++) {
		if (placement->event[slot] && placement->event[slot]->levels == levels)
			return true;
	}
	return false;
}

/* @may_miss  else it ends at the first input that is not there  @return how many were found */
static unsigned bind_levels(const struct metric_program *program, const struct placement *placement,
			    enum event_levels levels, bool may_miss, struct metric_binding *ret)
{
	unsigned n = 0;

	*ret = (struct metric_binding){ 0 };
	for (unsigned i = 0; i < program->n_inputs; i++) {
		unsigned slot = find_slot(placement, program->input[i], levels);

		ret->slot[i] = (uint8_t)slot;
		if (slot == BINDING_MISSING && !may_miss)
			return n;
		if (slot == BINDING_MISSING)
			continue;
		ret->slots |= UINT64_C(1) << slot;
		if (is_gathered(placement->event[slot]))
			ret->gathered |= UINT64_C(1) << slot;
		n++;
	}
	return n;
}

/* cycles:u and instructions:k make no ratio: all inputs at the same levels, those that fit best. */
static unsigned bind_best(const struct metric_program *program, const struct placement *placement,
			  bool may_miss, struct metric_binding *ret)
{
	static const enum event_levels others[] = { LEVELS_USER, LEVELS_KERNEL };
	unsigned best = bind_levels(program, placement, LEVELS_BOTH, may_miss, ret);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct metric_binding binding;

		if (best == program->n_inputs || !has_levels(placement, others[i]))
			continue;

		unsigned n = bind_levels(program, placement, others[i], may_miss, &binding);

		if (n <= best)
			continue;
		best = n;
		*ret = binding;
	}
	return best;
}

bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret)
{
	struct metric_binding binding;

	if (bind_best(program, placement, false, &binding) < program->n_inputs)
		return false;
	*ret = binding;
	return true;
}

void metric_bind_some(const struct metric_program *program, const struct placement *placement,
		      struct metric_binding *ret)
{
	bind_best(program, placement, true, ret);
}
