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

/* Where to look for inputs: the columns of a turn, and beyond them where that is allowed. */
struct search {
	const struct placement *placement;
	unsigned from, to;
	bool beyond;
	bool may_miss; /* else it ends at the first input that is not there */
};

static unsigned find_within(const struct search *search, unsigned from, unsigned to,
			    const char *input, enum event_levels levels)
{
	struct wanted wanted = take_apart(input);

	for (unsigned slot = from; slot < to; slot++) {
		const struct event *event = search->placement->event[slot];

		if (event && (wanted.has_levels || event->levels == levels) &&
		    is_wanted(event, input, &wanted))
			return slot;
	}
	return BINDING_MISSING;
}

static unsigned find_slot(const struct search *search, const char *input, enum event_levels levels)
{
	unsigned slot = find_within(search, search->from, search->to, input, levels);

	if (slot == BINDING_MISSING && search->beyond)
		slot = find_within(search, 0, COLUMNS_MAX, input, levels);
	return slot;
}

static bool is_gathered(const struct event *event)
{
	return event->pmu && event->pmu->kind == PMU_UNCORE;
}

static bool has_levels(const struct placement *placement, enum event_levels levels)
{
	for (unsigned slot = 0; slot < COLUMNS_MAX; slot++) {
		if (placement->event[slot] && placement->event[slot]->levels == levels)
			return true;
	}
	return false;
}

/* @return how many were found */
static unsigned bind_levels(const struct metric_program *program, const struct search *search,
			    enum event_levels levels, struct metric_binding *ret)
{
	unsigned n = 0;

	*ret = (struct metric_binding){ 0 };
	for (unsigned i = 0; i < program->n_inputs; i++) {
		unsigned slot = find_slot(search, program->input[i], levels);

		ret->slot[i] = (uint8_t)slot;
		if (slot == BINDING_MISSING && !search->may_miss)
			return n;
		if (slot == BINDING_MISSING)
			continue;
		ret->slots |= UINT64_C(1) << slot;
		if (is_gathered(search->placement->event[slot]))
			ret->gathered |= UINT64_C(1) << slot;
		n++;
	}
	return n;
}

/* cycles:u and instructions:k make no ratio: all inputs at the same levels, those that fit best. */
static unsigned bind_best(const struct metric_program *program, const struct search *search,
			  struct metric_binding *ret)
{
	static const enum event_levels others[] = { LEVELS_USER, LEVELS_KERNEL };
	unsigned best = bind_levels(program, search, LEVELS_BOTH, ret);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct metric_binding binding;

		if (best == program->n_inputs || !has_levels(search->placement, others[i]))
			continue;

		unsigned n = bind_levels(program, search, others[i], &binding);

		if (n <= best)
			continue;
		best = n;
		*ret = binding;
	}
	return best;
}

static bool bind_all(const struct metric_program *program, const struct search *search,
		     struct metric_binding *ret)
{
	struct metric_binding binding;

	if (bind_best(program, search, &binding) < program->n_inputs)
		return false;
	*ret = binding;
	return true;
}

bool metric_bind(const struct metric_program *program, const struct placement *placement,
		 struct metric_binding *ret)
{
	struct search search = { .placement = placement, .to = COLUMNS_MAX };

	return bind_all(program, &search, ret);
}

static struct search search_turn(const struct set *set, unsigned type, unsigned turn)
{
	bool is_all = set_n_turns(set) == 1;

	return (struct search){
		.placement = &set->type[type],
		.from = is_all ? 0 : set->first[turn],
		.to = is_all ? COLUMNS_MAX : set->first[turn + 1],
	};
}

/* The turn that has most of the inputs. */
static unsigned best_turn(const struct metric_program *program, const struct set *set,
			  unsigned type)
{
	unsigned best = 0, most = 0;

	for (unsigned turn = 0; turn < set_n_turns(set); turn++) {
		struct search search = search_turn(set, type, turn);
		struct metric_binding unused;

		search.may_miss = true;

		unsigned n = bind_best(program, &search, &unused);

		if (n > most) {
			most = n;
			best = turn;
		}
	}
	return best;
}

bool metric_bind_set(const struct metric_program *program, const struct set *set, unsigned type,
		     struct metric_binding *ret)
{
	struct search search;

	for (unsigned turn = 0; turn < set_n_turns(set); turn++) {
		search = search_turn(set, type, turn);
		if (bind_all(program, &search, ret))
			return true;
	}
	if (set_n_turns(set) == 1 || !set->splits_metrics)
		return false;
	search = search_turn(set, type, best_turn(program, set, type));
	search.beyond = true;
	return bind_all(program, &search, ret);
}

void metric_bind_alarm(const struct metric_program *program, const struct set *set, unsigned type,
		       const struct metric_binding *metric, struct metric_binding *ret)
{
	unsigned column = metric->slots ? (unsigned)__builtin_ctzll(metric->slots) : 0;
	struct search search = search_turn(set, type, set_turn_of(set, column));

	search.may_miss = search.beyond = true;
	bind_best(program, &search, ret);
}
