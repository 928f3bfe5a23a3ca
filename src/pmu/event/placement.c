#include "pmu/set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Wants are matched to slots at minimum cost: moving an event costs more than all slot weights
 * together, which only select the lowest slots among equal solutions. */
enum { COST_MOVED = 4096, COST_NONE = 1 << 20, NOBODY = -1 };

struct matching {
	const struct want *want;
	int n_slots;               /* slots legal for any want */
	uint64_t legal[SLOTS_MAX]; /* by want: legal slots */
	int slot_of[SLOTS_MAX];    /* by want */
	int owner[SLOTS_MAX];      /* by slot */
};

/* Cheapest paths from a want to each slot, moving other wants on the way. */
struct paths {
	int cost[SLOTS_MAX];
	int from[SLOTS_MAX]; /* by slot: want that would move onto it */
};

static uint64_t low_bits(unsigned n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Whether columns are counters; otherwise the kernel alone assigns counters. */
static bool has_counter_columns(const struct core_type *type)
{
	return type->n_counters && (type->first_fit || type->slot_is_counter);
}

/* Return the counters that an event may use, as bits. */
static uint64_t legal_counters(const struct core_type *type, const struct event *event)
{
	uint64_t all = low_bits(type->n_counters);

	return event->counters ? event->counters & all : all;
}

/* Return the legal slots; device events do not use the core's counters and may use the slots
 * behind the core's. */
uint64_t placement_slots(const struct core_type *type, const struct event *event)
{
	uint64_t all = low_bits(event_is_of_device(event) ? SLOTS_MAX : CORE_SLOTS_MAX);

	if (!has_counter_columns(type) || event->refused[0])
		return all;
	if (event->needs_counter)
		return legal_counters(type, event);
	return all & ~low_bits(type->n_counters);
}

static int cost_of(const struct want *want, int slot)
{
	if (want->slot < 0)
		return slot;
	return slot == want->slot ? 0 : COST_MOVED + slot;
}

/* Try every legal slot for a want that can move at `cost`. @return whether any path got cheaper */
static bool relax(const struct matching *m, int i, int cost, struct paths *paths)
{
	bool better = false;

	for (int slot = 0; slot < m->n_slots; slot++) {
		int total = cost + cost_of(&m->want[i], slot);

		if (!(m->legal[i] >> slot & 1) || slot == m->slot_of[i] ||
		    total >= paths->cost[slot])
			continue;
		paths->cost[slot] = total;
		paths->from[slot] = i;
		better = true;
	}
	return better;
}

/* Find the cheapest paths by Bellman-Ford: costs are negative if a moved event returns to its slot. */
static void find_paths(const struct matching *m, int first, struct paths *paths)
{
	for (int slot = 0; slot < m->n_slots; slot++)
		paths->cost[slot] = COST_NONE;

	bool better = relax(m, first, 0, paths);

	while (better) {
		better = false;
		for (int slot = 0; slot < m->n_slots; slot++) {
			int owner = m->owner[slot];

			if (owner == NOBODY || paths->cost[slot] == COST_NONE)
				continue;

			int cost = paths->cost[slot] - cost_of(&m->want[owner], slot);

			better |= relax(m, owner, cost, paths);
		}
	}
}

static int cheapest_free(const struct matching *m, const struct paths *paths)
{
	int best = -1;

	for (int slot = 0; slot < m->n_slots; slot++) {
		if (m->owner[slot] != NOBODY || paths->cost[slot] == COST_NONE)
			continue;
		if (best < 0 || paths->cost[slot] < paths->cost[best])
			best = slot;
	}
	return best;
}

static void take_path(struct matching *m, const struct paths *paths, int first, int slot)
{
	for (;;) {
		int mover = paths->from[slot];
		int left = m->slot_of[mover];

		m->owner[slot] = mover;
		m->slot_of[mover] = slot;
		if (mover == first)
			return;
		slot = left;
	}
}

/* Collect the events that compete (Hall): `first` and the owners of all reachable slots. */
static void blame(const struct core_type *type, const struct matching *m, size_t n, int first,
		  const struct paths *paths, struct collision *ret)
{
	struct collision why = { 0 };

	for (size_t i = 0; i < n; i++) {
		int slot = m->slot_of[i];

		if ((int)i == first || (slot >= 0 && paths->cost[slot] != COST_NONE))
			why.event[why.n++] = m->want[i].event;
	}
	for (int slot = 0; slot < m->n_slots; slot++)
		if (paths->cost[slot] != COST_NONE)
			why.counters |= UINT64_C(1) << slot;
	if (!why.counters)
		why.counters = placement_slots(type, m->want[first].event);
	*ret = why;
}

/* Count a want's legal slots among the core's, for which all compete. */
static int n_choices(const struct matching *m, int i)
{
	return __builtin_popcountll(m->legal[i] & low_bits(CORE_SLOTS_MAX));
}

/* Return the unplaced want with the fewest legal slots; -1 if all are placed. */
static int most_constrained(const struct matching *m, size_t n)
{
	int best = -1;

	for (size_t i = 0; i < n; i++) {
		if (m->slot_of[i] >= 0)
			continue;
		if (best < 0 || n_choices(m, (int)i) < n_choices(m, best))
			best = (int)i;
	}
	return best;
}

static int match(const struct core_type *type, const struct want *want, size_t n,
		 struct matching *m, struct collision *ret_why)
{
	m->want = want;
	m->n_slots = CORE_SLOTS_MAX;
	for (size_t i = 0; i < SLOTS_MAX; i++)
		m->owner[i] = m->slot_of[i] = NOBODY;
	for (size_t i = 0; i < n; i++) {
		m->legal[i] = placement_slots(type, want[i].event);
		if (want[i].fixed && want[i].slot >= 0)
			m->legal[i] &= UINT64_C(1) << want[i].slot;
		if (event_is_of_device(want[i].event))
			m->n_slots = SLOTS_MAX;
	}

	for (int i; (i = most_constrained(m, n)) >= 0;) {
		struct paths paths;

		find_paths(m, i, &paths);
		int slot = cheapest_free(m, &paths);

		if (slot < 0) {
			blame(type, m, n, i, &paths, ret_why);
			return -ENOSPC;
		}
		take_path(m, &paths, i, slot);
	}
	return 0;
}

/* Check that there are enough columns, for the core's events and in total. */
static int check_columns(const struct want *want, size_t n, struct collision *ret_why)
{
	struct collision why = { 0 };
	size_t n_of_core = 0;

	for (size_t i = 0; i < n; i++)
		n_of_core += !event_is_of_device(want[i].event);
	if (n_of_core <= CORE_SLOTS_MAX && n <= SLOTS_MAX)
		return 0;
	for (size_t i = 0; i < n && why.n < SLOTS_MAX; i++)
		if (n > SLOTS_MAX || !event_is_of_device(want[i].event))
			why.event[why.n++] = want[i].event;
	*ret_why = why;
	return -ENOSPC;
}

/* Check the events against the number of counters, if columns are not counters. */
static int check_number(const struct core_type *type, const struct want *want, size_t n,
			struct collision *ret_why)
{
	struct collision why = { .counters = low_bits(type->n_counters) };

	for (size_t i = 0; i < n; i++)
		if (want[i].event->needs_counter && !want[i].event->refused[0])
			why.event[why.n++] = want[i].event;
	if (!type->n_counters || has_counter_columns(type) || why.n <= type->n_counters)
		return 0;
	*ret_why = why;
	return -ENOSPC;
}

/* Set the opening order: ascending by matched counter. A first-fit driver then places every event
 * at or below its own counter, so the next one's is still free. */
static void make_order(struct placement *p)
{
	for (int counted = 1; counted >= 0; counted--)
		for (int slot = 0; slot < SLOTS_MAX; slot++) {
			const struct event *event = p->event[slot];

			if (event && !event->refused[0] && event->needs_counter == (bool)counted)
				p->order[p->n_order++] = (uint16_t)slot;
		}
}

/* Pick a counter as Linux drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_get_event_idx: the lowest free
 * one of the event's mask. */
static uint8_t first_fit(const struct core_type *type, const struct event *event, uint64_t *used)
{
	uint64_t free_legal = legal_counters(type, event) & ~*used;

	if (!free_legal)
		return COUNTER_NONE;
	*used |= free_legal & -free_legal;
	return (uint8_t)__builtin_ctzll(free_legal);
}

static void predict_counters(const struct core_type *type, struct placement *p)
{
	uint64_t used = 0;

	memset(p->counter, COUNTER_NONE, sizeof(p->counter));
	if (!has_counter_columns(type))
		return;
	for (unsigned i = 0; i < p->n_order; i++) {
		uint8_t slot = (uint8_t)p->order[i];

		if (!p->event[slot]->needs_counter)
			continue;
		p->counter[slot] =
			type->slot_is_counter ? slot : first_fit(type, p->event[slot], &used);
	}
}

int placement_make(const struct core_type *type, const struct want *want, size_t n,
		   struct placement *ret, struct collision *ret_why)
{
	struct placement placement = { 0 };
	struct collision unused, *why = ret_why ? ret_why : &unused;
	struct matching m;

	if (check_columns(want, n, why) < 0 || check_number(type, want, n, why) < 0 ||
	    match(type, want, n, &m, why) < 0)
		return -ENOSPC;

	for (size_t i = 0; i < n; i++)
		placement.event[m.slot_of[i]] = want[i].event;
	make_order(&placement);
	predict_counters(type, &placement);
	*ret = placement;
	return 0;
}

const char *counters_text(uint64_t counters, char *buf, size_t size)
{
	const char *comma = "";

	snprintf(buf, size, "%s", counters ? "PMC" : "any counter");
	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned last = bit;

		if (!(counters >> bit & 1))
			continue;
		while (last < 63 && counters >> (last + 1) & 1)
			last++;
		buf_printf(buf, size, "%s%u", comma, bit);
		if (last > bit)
			buf_printf(buf, size, "-%u", last);
		comma = ",";
		bit = last;
	}
	return buf;
}

/* Append "A, B, C and D"; more than four names become "A, B and 5 more". */
static void add_names(const struct collision *why, char *buf, size_t size)
{
	unsigned n = why->n > 4 ? 2 : why->n;

	for (unsigned i = 0; i < n; i++) {
		const char *between = i + 1 == why->n ? " and " : ", ";

		buf_printf(buf, size, "%s%s", i ? between : "", why->event[i]->name);
	}
	if (n < why->n)
		buf_printf(buf, size, " and %u more", why->n - n);
}

const char *collision_text(const struct collision *why, char *buf, size_t size)
{
	char counters[64];
	int n_counters = __builtin_popcountll(why->counters);

	counters_text(why->counters, counters, sizeof(counters));
	if (why->counters && why->n == 1) {
		snprintf(buf, size, "%s can only be counted on %s", why->event[0]->name, counters);
		return buf;
	}
	/* the reason first: the screen may truncate the text */
	if (!why->counters)
		snprintf(buf, size, "more than the %d events that can be counted at once: ",
			 why->n < SLOTS_MAX ? CORE_SLOTS_MAX : SLOTS_MAX);
	else if (!why->event[0]->needs_counter)
		snprintf(buf, size, "%u events that need no counter, but room for %d: ", why->n,
			 n_counters);
	else if (n_counters == 1)
		snprintf(buf, size, "%u events need the one counter %s: ", why->n, counters);
	else
		snprintf(buf, size, "%u events need the %d counters %s: ", why->n, n_counters,
			 counters);
	add_names(why, buf, size);
	return buf;
}

struct activity_slots placement_activity(const struct placement *placement, bool by_task)
{
	struct activity_slots slots = { .n = 0 };

	for (unsigned slot = 0; slot < SLOTS_MAX; slot++) {
		const struct event *event = placement->event[slot];

		if (!event || !event->pmu || event->pmu->kind != PMU_ACTIVITY ||
		    event->refused[0] || (by_task && event_is_schedstat(event)))
			continue;
		slots.slot[slots.n] = (uint8_t)slot;
		slots.event[slots.n++] = (uint8_t)event->config[0];
	}
	return slots;
}
