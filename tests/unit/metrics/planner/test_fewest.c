/* Plans against an independent search: legal, whole, and never more mux groups than needed. */
#include "rig/planner_rig.h"

enum { CHOSEN_MAX = 12, APPLE_COUNTERS = 10 };

/* --- an independent view of M1: masks by name, placements by exhaustive search --- */

static bool can_place(const uint64_t *masks, size_t n)
{
	static bool reached[1 << APPLE_COUNTERS], next[1 << APPLE_COUNTERS];

	memset(reached, 0, sizeof(reached));
	reached[0] = true;
	for (size_t i = 0; i < n; i++) {
		memset(next, 0, sizeof(next));
		for (unsigned used = 0; used < 1 << APPLE_COUNTERS; used++)
			for (unsigned slot = 0; reached[used] && slot < APPLE_COUNTERS; slot++)
				if (masks[i] & ~(uint64_t)used & 1U << slot)
					next[used | 1U << slot] = true;
		memcpy(reached, next, sizeof(reached));
	}
	return memchr(reached, 1, sizeof(reached)) != NULL;
}

struct events {
	const struct catalog_event *event[256];
	size_t n;
};

static void add_event(struct events *to, const char *name)
{
	const struct catalog_event *event = NULL;

	assert_int_equal(catalog_lookup(planner.machine.type[0].catalog, name, &event, 1), 1);
	for (size_t i = 0; i < to->n; i++)
		if (to->event[i] == event)
			return;
	to->event[to->n++] = event;
}

static void add_inputs(struct events *to, unsigned number)
{
	const char *name;

	for (unsigned i = 0; (name = metric_input(planner.metrics.metric[number].program[0], i));
	     i++)
		add_event(to, name);
}

static bool fit_together(const unsigned *number, size_t n)
{
	struct events events = { .n = 0 };
	uint64_t masks[256];

	add_event(&events, "CORE_ACTIVE_CYCLE");
	add_event(&events, "INST_ALL");
	for (size_t i = 0; i < n; i++)
		add_inputs(&events, number[i]);
	/* the fixed pair stays where it is */
	for (size_t i = 0; i < events.n; i++)
		masks[i] = i < 2 ? 1U << i : events.event[i]->counters;
	return events.n <= APPLE_COUNTERS && can_place(masks, events.n);
}

/* Every way to part the metrics into blocks, the first item always in block 0. */
static unsigned fewest_blocks(const unsigned *number, size_t n, unsigned *block, size_t i,
			      unsigned n_blocks)
{
	unsigned best = UINT32_MAX;

	for (unsigned b = 0; i < n && b <= n_blocks; b++) {
		block[i] = b;

		unsigned found = fewest_blocks(number, n, block, i + 1,
					       b == n_blocks ? n_blocks + 1 : n_blocks);

		best = found < best ? found : best;
	}
	if (i < n)
		return best;
	for (unsigned b = 0; b < n_blocks; b++) {
		unsigned members[CHOSEN_MAX];
		size_t n_members = 0;

		for (size_t k = 0; k < n; k++)
			if (block[k] == b)
				members[n_members++] = number[k];
		if (!fit_together(members, n_members))
			return UINT32_MAX;
	}
	return n_blocks;
}

/* Each metric into the first mux group that takes it. */
static unsigned first_fit(const unsigned *number, size_t n)
{
	unsigned mux[CHOSEN_MAX][CHOSEN_MAX];
	size_t n_in[CHOSEN_MAX] = { 0 };
	unsigned n_mux = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned t = 0;

		for (; t < n_mux; t++) {
			mux[t][n_in[t]] = number[i];
			if (fit_together(mux[t], n_in[t] + 1))
				break;
		}
		mux[t][n_in[t]++] = number[i];
		n_mux += t == n_mux;
	}
	return n_mux;
}

/* Its inputs are all events of the cores. */
static bool is_of_apple(unsigned number)
{
	const struct catalog *catalog = planner.machine.type[0].catalog;
	const struct metric_program *program = planner.metrics.metric[number].program[0];
	const struct catalog_event *event;
	const char *name;
	unsigned i = 0;

	for (; (name = metric_input(program, i)); i++)
		if (!catalog_lookup(catalog, name, &event, 1) || event->pmu[0])
			return false;
	return i > 0;
}

/* --- properties --- */

static void check_mux(const struct set *mux, unsigned type)
{
	const struct placement *place = &mux->type[type];
	uint64_t masks[SLOTS_MAX];
	size_t n = 0;

	for (unsigned slot = 0; slot < mux->n_slots; slot++) {
		const struct event *event = place->event[slot];

		if (!event || !event->needs_counter)
			continue;
		assert_true(event->counters >> place->counter[slot] & 1);
		masks[n++] = slot < 2 ? 1U << slot : event->counters;
		for (unsigned other = 0; other < slot; other++)
			assert_ptr_not_equal(place->event[other], event);
	}
	assert_true(can_place(masks, n));
}

static void check_set(const struct set *set)
{
	assert_false(set->splits_metrics);
	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct set mux;

		set_mux_group(set, t, &mux);
		for (unsigned type = 0; type < planner.machine.n_types; type++)
			check_mux(&mux, type);
	}
	planner_check_metrics(set);
}

static unsigned choose_some(unsigned *seed, size_t n, unsigned *number)
{
	unsigned chosen = 0;

	metrics_selection_fini(&planner.selection);
	planner.selection.number = calloc(CHOSEN_MAX, sizeof(*planner.selection.number));
	planner.selection.cap = CHOSEN_MAX;
	while (chosen < n) {
		*seed = *seed * 1103515245 + 12345;

		unsigned one = (*seed >> 8) % planner.metrics.n;
		bool is_redescribed = !is_of_apple(one);

		for (unsigned i = 0; i < chosen; i++)
			is_redescribed |= number[i] == one;
		if (is_redescribed)
			continue;
		planner.selection.number[planner.selection.n++] = (uint16_t)one;
		number[chosen++] = one;
	}
	return chosen;
}

static void random_requests(void **state)
{
	unsigned seed = 7, n_more = 0;

	(void)state;
	for (unsigned round = 0; round < 150; round++) {
		unsigned number[CHOSEN_MAX];
		size_t n = choose_some(&seed, 1 + round % CHOSEN_MAX, number);
		struct set set = planner_plan();

		check_set(&set);
		assert_true(set_n_mux(&set) <= first_fit(number, n));
		n_more += set_n_mux(&set) < first_fit(number, n);
	}
	assert_true(n_more > 0); /* first fit is not the best there is */
}

static void small_requests_are_optimal(void **state)
{
	unsigned seed = 11, n_multiplexed = 0;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		unsigned number[CHOSEN_MAX], block[CHOSEN_MAX];
		size_t n = choose_some(&seed, 2 + round % 5, number);
		struct set set = planner_plan();

		assert_int_equal(set_n_mux(&set), fewest_blocks(number, n, block, 0, 0));
		n_multiplexed += set_n_mux(&set) > 1;
	}
	assert_true(n_multiplexed > 10);
}

static void every_apple_metric_needs_one_set(void **state)
{
	unsigned n_apple = 0;

	(void)state;
	for (unsigned i = 0; i < planner.metrics.n; i++) {
		unsigned n = 0;

		if (!is_of_apple(i))
			continue;
		if (planner_n_sets(&planner.request, i, &n, &planner.err))
			fail_msg("%s", planner.err.text);
		if (n != 1)
			fail_msg("%s needs %u", planner.metrics.metric[i].name, n);
		n_apple++;
	}
	assert_true(n_apple >= 64);
}

#define REGISTERS(f)                                                                        \
	{                                                                                   \
#f "_by_register", f, planner_begin_m1, planner_end, (void *)&"by register" \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_M1(random_requests),
		REGISTERS(random_requests),
		ON_M1(small_requests_are_optimal),
		ON_M1(every_apple_metric_needs_one_set),
		REGISTERS(every_apple_metric_needs_one_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
