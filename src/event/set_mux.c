/* set_mux.c: mux groups, as one set and apart again */
#include <errno.h>
#include <string.h>

#include "event/set.h"

unsigned set_n_mux(const struct set *set)
{
	return set->n_mux > 1 ? set->n_mux : 1;
}

unsigned set_mux_of(const struct set *set, unsigned column)
{
	unsigned mux = set_n_mux(set) - 1;

	while (mux && column < set->first[mux])
		mux--;
	return mux;
}

unsigned set_slot_of(const struct set *set, unsigned column)
{
	return set_n_mux(set) > 1
		       ? column - set->first[set_mux_of(set, column)] + set->skips[column]
		       : column;
}

unsigned set_column_of(const struct set *set, unsigned mux, unsigned slot)
{
	unsigned column = set->first[mux];

	if (set_n_mux(set) == 1)
		return slot;
	while (column < set->first[mux + 1] && set_slot_of(set, column) < slot)
		column++;
	return column;
}

/* @as  what its columns are in `to`, SLOT_FREE: nothing */
static void copy_columns(const struct placement *from, const uint8_t as[COLUMNS_MAX],
			 struct placement *to)
{
	for (unsigned i = 0; i < COLUMNS_MAX; i++) {
		if (as[i] == SLOT_FREE)
			continue;
		to->event[as[i]] = from->event[i];
		to->counter[as[i]] = from->counter[i];
	}
	for (unsigned i = 0; i < from->n_order; i++) {
		if (as[from->order[i]] != SLOT_FREE)
			to->order[to->n_order++] = as[from->order[i]];
	}
}

static struct set without_columns(uint32_t number)
{
	struct set set = { .number = number };

	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set.type[type].counter, COUNTER_NONE, sizeof(set.type[type].counter));
	return set;
}

static void append(struct set *joined, const struct set *mux, bool used_only)
{
	unsigned first = joined->n_slots;
	uint8_t as[COLUMNS_MAX];

	memset(as, SLOT_FREE, sizeof(as));
	for (unsigned slot = 0; slot < mux->n_slots; slot++) {
		unsigned column = joined->n_slots;

		if (used_only && !set_event(mux, slot))
			continue;
		as[slot] = (uint8_t)column;
		joined->skips[column] = (uint8_t)(slot - (column - first));
		joined->n_slots++;
	}
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&mux->type[type], as, &joined->type[type]);
	joined->first[++joined->n_mux] = (uint8_t)joined->n_slots;
	joined->by_task |= mux->by_task;
	joined->root |= mux->root;
}

static unsigned n_used(const struct set *mux)
{
	unsigned n = 0;

	for (unsigned slot = 0; slot < mux->n_slots; slot++)
		n += set_event(mux, slot) != NULL;
	return n;
}

int set_join(const struct set *mux, unsigned n, struct set *ret, struct err *err)
{
	struct set joined = without_columns(mux->number);
	unsigned n_columns = 0, used = 0;

	for (unsigned i = 0; i < n; i++) {
		n_columns += mux[i].n_slots;
		used += n_used(&mux[i]);
	}
	if (n > MUX_MAX || used > COLUMNS_MAX)
		return err_set(err, ENOSPC,
			       "that takes %u sets of events with %u columns, and at most %d sets "
			       "with %d columns can be multiplexed: ask for less at a time",
			       n, used, MUX_MAX, COLUMNS_MAX);
	for (unsigned i = 0; i < n; i++)
		append(&joined, &mux[i], n_columns > COLUMNS_MAX);
	*ret = n == 1 ? *mux : joined;
	return 0;
}

/* Is the column what one before it is, on every type? */
static bool is_repeated_column(const struct set *set, unsigned column)
{
	for (unsigned i = 0; i < column; i++) {
		bool is_same = true;

		for (unsigned type = 0; type < TYPES_MAX; type++)
			is_same &= set->type[type].event[i] == set->type[type].event[column];
		if (is_same)
			return true;
	}
	return false;
}

void set_flatten(const struct set *set, struct set *ret)
{
	struct set flat = without_columns(set->number);
	uint8_t as[COLUMNS_MAX];

	memset(as, SLOT_FREE, sizeof(as));
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set_event(set, i) && !is_repeated_column(set, i))
			as[i] = (uint8_t)flat.n_slots++;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&set->type[type], as, &flat.type[type]);
	memcpy(flat.preset, set->preset, sizeof(flat.preset));
	*ret = flat;
}

void set_mux_group(const struct set *set, unsigned mux, struct set *ret)
{
	struct set one = without_columns(set->number);
	uint8_t as[COLUMNS_MAX];

	if (set_n_mux(set) == 1) {
		*ret = *set;
		return;
	}
	one.by_task = set->by_task;
	one.root = set->root;
	memset(as, SLOT_FREE, sizeof(as));
	for (unsigned column = set->first[mux]; column < set->first[mux + 1]; column++) {
		as[column] = (uint8_t)set_slot_of(set, column);
		one.n_slots = as[column] + 1U;
	}
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&set->type[type], as, &one.type[type]);
	*ret = one;
}

int set_put_mux(const struct set *set, unsigned mux, const struct set *with, struct set *ret,
		struct err *err)
{
	struct set all[MUX_MAX];
	unsigned n = 0;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		set_mux_group(set, t, &all[n]);
		if (t == mux)
			all[n] = *with;
		n += all[n].n_slots > 0;
	}

	struct set joined;
	int rc = set_join(all, n ? n : 1, &joined, err);

	if (rc)
		return rc;
	joined.splits_metrics = set->splits_metrics;
	joined.by_task = set->by_task;
	joined.root = set->root;
	*ret = joined;
	return 0;
}

static bool is_same_column(const struct set *set, unsigned a, unsigned b)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (set->type[type].event[a] != set->type[type].event[b])
			return false;
	return true;
}

static bool has_column_like(const struct set *set, unsigned mux, unsigned column)
{
	for (unsigned other = set->first[mux]; other < set->first[mux + 1]; other++)
		if (is_same_column(set, other, column))
			return true;
	return false;
}

/* Does another mux group count all that this one does? */
static bool is_repeated_group(const struct set *set, unsigned mux)
{
	for (unsigned other = 0; other < set_n_mux(set); other++) {
		unsigned column = set->first[mux], end = set->first[mux + 1];

		while (other != mux && column < end &&
		       (!set_event(set, column) || has_column_like(set, other, column)))
			column++;
		if (other != mux && column == end)
			return true;
	}
	return false;
}

void set_drop_repeated(struct set *set)
{
	static const struct set nothing;

	for (unsigned mux = set_n_mux(set); mux-- > 0;)
		if (is_repeated_group(set, mux))
			set_put_mux(set, mux, &nothing, set, NULL);
}
