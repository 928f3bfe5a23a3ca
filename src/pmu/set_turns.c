/* set_turns.c: sets that take turns, as one set and apart again */
#include <errno.h>
#include <string.h>

#include "pmu/set.h"

unsigned set_n_turns(const struct set *set)
{
	return set->n_turns > 1 ? set->n_turns : 1;
}

unsigned set_turn_of(const struct set *set, unsigned column)
{
	unsigned turn = set_n_turns(set) - 1;

	while (turn && column < set->first[turn])
		turn--;
	return turn;
}

unsigned set_slot_of(const struct set *set, unsigned column)
{
	return set_n_turns(set) > 1 ? column - set->first[set_turn_of(set, column)] : column;
}

/* Columns `at` and on of `from`, `n` of them, become those of `to` from `as` on. */
static void copy_columns(const struct placement *from, unsigned at, unsigned n,
			 struct placement *to, unsigned as)
{
	for (unsigned i = 0; i < n; i++) {
		to->event[as + i] = from->event[at + i];
		to->counter[as + i] = from->counter[at + i];
	}
	for (unsigned i = 0; i < from->n_order; i++) {
		if (from->order[i] >= at && from->order[i] < at + n)
			to->order[to->n_order++] = (uint8_t)(from->order[i] - at + as);
	}
}

static struct set without_columns(uint32_t number)
{
	struct set set = { .number = number };

	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set.type[type].counter, COUNTER_NONE, sizeof(set.type[type].counter));
	return set;
}

static void append(struct set *joined, const struct set *turn)
{
	unsigned at = joined->n_slots;

	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&turn->type[type], 0, turn->n_slots, &joined->type[type], at);
	joined->n_slots += turn->n_slots;
	joined->first[++joined->n_turns] = (uint8_t)joined->n_slots;
}

int set_join(const struct set *turn, unsigned n, struct set *ret, struct err *err)
{
	struct set joined = without_columns(turn->number);
	unsigned n_columns = 0;

	for (unsigned i = 0; i < n; i++)
		n_columns += turn[i].n_slots;
	if (n > TURNS_MAX || n_columns > COLUMNS_MAX)
		return err_set(err, ENOSPC,
			       "that takes %u sets of events with %u columns, and at most %d sets "
			       "with %d columns can take turns: ask for less at a time",
			       n, n_columns, TURNS_MAX, COLUMNS_MAX);
	for (unsigned i = 0; i < n; i++)
		append(&joined, &turn[i]);
	*ret = n == 1 ? *turn : joined;
	return 0;
}

void set_turn(const struct set *set, unsigned turn, struct set *ret)
{
	struct set one = without_columns(set->number);

	if (set_n_turns(set) == 1) {
		*ret = *set;
		return;
	}
	one.n_slots = set->first[turn + 1] - set->first[turn];
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&set->type[type], set->first[turn], one.n_slots, &one.type[type], 0);
	*ret = one;
}

int set_put_turn(const struct set *set, unsigned turn, const struct set *with, struct set *ret,
		 struct err *err)
{
	struct set all[TURNS_MAX];
	unsigned n = 0;

	for (unsigned t = 0; t < set_n_turns(set); t++) {
		set_turn(set, t, &all[n]);
		if (t == turn)
			all[n] = *with;
		n += all[n].n_slots > 0;
	}

	struct set joined;
	int rc = set_join(all, n ? n : 1, &joined, err);

	if (rc)
		return rc;
	joined.splits_metrics = set->splits_metrics;
	*ret = joined;
	return 0;
}
