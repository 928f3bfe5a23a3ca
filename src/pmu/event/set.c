#include "pmu/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

const struct event *set_event(const struct set *set, unsigned slot)
{
	const struct event *refused = NULL;

	for (unsigned type = 0; type < TYPES_MAX; type++) {
		const struct event *event = set->type[type].event[slot];

		if (event && !event->refused[0])
			return event;
		if (!refused)
			refused = event;
	}
	return refused;
}

static bool is_same_placement(const struct placement *a, const struct placement *b,
			      unsigned n_slots)
{
	for (unsigned slot = 0; slot < n_slots; slot++)
		if (a->event[slot] != b->event[slot] || a->counter[slot] != b->counter[slot])
			return false;
	return a->n_order == b->n_order &&
	       memcmp(a->order, b->order, a->n_order * sizeof(a->order[0])) == 0;
}

bool set_counts_same(const struct set *a, const struct set *b)
{
	if (a->n_slots != b->n_slots || set_n_mux(a) != set_n_mux(b) || a->by_task != b->by_task ||
	    a->samples != b->samples || a->sampled != b->sampled || a->chains != b->chains ||
	    a->roots.task != b->roots.task || a->roots.tells_lost != b->roots.tells_lost ||
	    a->splits_metrics != b->splits_metrics || strcmp(a->preset, b->preset) != 0 ||
	    (a->n_mux > 1 &&
	     (memcmp(a->first, b->first, (a->n_mux + 1) * sizeof(a->first[0])) != 0 ||
	      memcmp(a->skips, b->skips, a->n_slots) != 0)))
		return false;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (!is_same_placement(&a->type[type], &b->type[type], a->n_slots))
			return false;
	return true;
}

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

unsigned set_first_column(const struct set *set, unsigned type, unsigned column)
{
	const struct event *const *event = set->type[type].event;
	unsigned first = 0;

	while (first < column &&
	       !(event[first] && event[column] && event_is_same(event[first], event[column])))
		first++;
	return first;
}

void set_first_columns(const struct set *set, unsigned type, uint16_t ret[COLUMNS_MAX])
{
	/* by first column: mux groups that count the event, at most */
	uint16_t n_groups[COLUMNS_MAX] = { 0 };

	for (unsigned i = 0; i < set->n_slots; i++) {
		unsigned first = set_first_column(set, type, i), mux = set_mux_of(set, i);

		ret[i] = n_groups[first] > mux ? COLUMN_NONE : (uint16_t)first;
		n_groups[first] = (uint16_t)(mux + 1);
	}
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

/* @as  new column in `to` of each column; COLUMN_NONE: dropped */
static void copy_columns(const struct placement *from, const uint16_t as[COLUMNS_MAX],
			 struct placement *to)
{
	for (unsigned i = 0; i < COLUMNS_MAX; i++) {
		if (as[i] == COLUMN_NONE)
			continue;
		to->event[as[i]] = from->event[i];
		to->counter[as[i]] = from->counter[i];
	}
	for (unsigned i = 0; i < from->n_order; i++)
		if (as[from->order[i]] != COLUMN_NONE)
			to->order[to->n_order++] = as[from->order[i]];
}

static struct set without_columns(uint32_t number)
{
	struct set set = { .number = number };

	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set.type[type].counter, COUNTER_NONE, sizeof(set.type[type].counter));
	return set;
}

/* Keep the sampled column. @as  new number of a column, or COLUMN_NONE */
static void take_sampled(const struct set *from, const uint16_t *as, struct set *to)
{
	uint16_t column = from->sampled == COLUMN_NONE ? COLUMN_NONE : as[from->sampled];

	if (!from->samples)
		return;
	if (!to->samples || column != COLUMN_NONE)
		to->sampled = column;
	to->samples = true;
	to->chains |= from->chains;
}

static void set_mux_append(struct set *joined, const struct set *mux, bool used_only)
{
	unsigned first = joined->n_slots;
	uint16_t as[COLUMNS_MAX];

	memset(as, 0xff, sizeof(as));
	for (unsigned slot = 0; slot < mux->n_slots; slot++) {
		unsigned column = joined->n_slots;

		if (used_only && !set_event(mux, slot))
			continue;
		as[slot] = (uint16_t)column;
		joined->skips[column] = (uint8_t)(slot - (column - first));
		joined->n_slots++;
	}
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&mux->type[type], as, &joined->type[type]);
	joined->first[++joined->n_mux] = (uint16_t)joined->n_slots;
	joined->by_task |= mux->by_task;
	joined->roots = mux->roots;
	take_sampled(mux, as, joined);
}

/* Columns up to which the empty ones stay, so that an event can be chosen for them. */
enum { EMPTY_COLUMNS_BELOW = 64 };

int set_join(const struct set *mux, unsigned n, struct set *ret, struct err *err)
{
	struct set joined = without_columns(mux->number);
	unsigned n_columns = 0, used = 0;

	for (unsigned i = 0; i < n; i++) {
		n_columns += mux[i].n_slots;
		for (unsigned slot = 0; slot < mux[i].n_slots; slot++)
			used += set_event(&mux[i], slot) != NULL;
	}
	if (n > MUX_MAX || used > COLUMNS_MAX)
		return err_set(err, ENOSPC,
			       "that takes %u sets of events with %u columns, and at most %d sets "
			       "with %d columns can be multiplexed: ask for less at a time",
			       n, used, MUX_MAX, COLUMNS_MAX);
	for (unsigned i = 0; i < n; i++)
		set_mux_append(&joined, &mux[i], n_columns > EMPTY_COLUMNS_BELOW);
	*ret = n == 1 ? *mux : joined;
	return 0;
}

/* Whether two columns have the same events on every type. */
static bool is_same_column(const struct set *set, unsigned a, unsigned b)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (set->type[type].event[a] != set->type[type].event[b])
			return false;
	return true;
}

/* Whether one of the columns from … to - 1 is the same. */
static bool has_column_like(const struct set *set, unsigned from, unsigned to, unsigned column)
{
	while (from < to && !is_same_column(set, from, column))
		from++;
	return from < to;
}

void set_flatten(const struct set *set, struct set *ret)
{
	struct set flat = without_columns(set->number);
	uint16_t as[COLUMNS_MAX];

	memset(as, 0xff, sizeof(as));
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set_event(set, i) && !has_column_like(set, 0, i, i))
			as[i] = (uint16_t)flat.n_slots++;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&set->type[type], as, &flat.type[type]);
	memcpy(flat.preset, set->preset, sizeof(flat.preset));
	*ret = flat;
}

void set_mux_group(const struct set *set, unsigned mux, struct set *ret)
{
	struct set one = without_columns(set->number);
	uint16_t as[COLUMNS_MAX];

	if (set_n_mux(set) == 1) {
		*ret = *set;
		return;
	}
	one.by_task = set->by_task;
	one.roots = set->roots;
	memset(as, 0xff, sizeof(as));
	for (unsigned column = set->first[mux]; column < set->first[mux + 1]; column++) {
		as[column] = (uint16_t)set_slot_of(set, column);
		one.n_slots = as[column] + 1U;
	}
	for (unsigned type = 0; type < TYPES_MAX; type++)
		copy_columns(&set->type[type], as, &one.type[type]);
	take_sampled(set, as, &one);
	*ret = one;
}

int set_put_mux(const struct set *set, unsigned mux, const struct set *with, struct set *ret,
		struct err *err)
{
	AUTO_FREE struct set *all = calloc(set_n_mux(set), sizeof(*all));
	unsigned n = 0;

	if (!all)
		return err_set(err, ENOMEM, "out of memory");
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
	joined.roots = set->roots;
	*ret = joined;
	return 0;
}

/* Whether another mux group counts all events of this one. */
static bool is_repeated_group(const struct set *set, unsigned mux)
{
	for (unsigned other = 0; other < set_n_mux(set); other++) {
		unsigned column = set->first[mux], end = set->first[mux + 1];

		while (other != mux && column < end &&
		       (!set_event(set, column) ||
			has_column_like(set, set->first[other], set->first[other + 1], column)))
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

/* Return the event of a column if a device counts it. */
static const struct event *device_event(const struct set *set, unsigned column)
{
	const struct event *event = set_event(set, column);

	return event && event_is_of_device(event) ? event : NULL;
}

bool set_is_of_device(const struct set *set, unsigned column)
{
	return device_event(set, column);
}

static unsigned set_devices_device_of(struct set_devices *devices, const struct pmu *pmu)
{
	unsigned i = 0;

	while (i < devices->n && devices->pmu[i] != pmu)
		i++;
	if (i == devices->n) {
		devices->columns[i] = (struct column_set){ { 0 } };
		devices->pmu[devices->n++] = pmu;
	}
	return i;
}

/* Return the name without the device: "/x/" for uncore_imc_0/x/. */
static const char *set_devices_what_of(const struct event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash ? slash : event->name;
}

bool event_is_of_sibling(const struct event *a, const struct event *b)
{
	return event_is_of_device(a) && event_is_of_device(b) && pmu_is_same_kind(a->pmu, b->pmu) &&
	       a->privilege == b->privilege &&
	       strcmp(set_devices_what_of(a), set_devices_what_of(b)) == 0;
}

const char *event_name_of_kind(const struct event *event, char *buf, size_t size)
{
	const char *what = set_devices_what_of(event);
	size_t n = what > event->name ? pmu_kind_length(event->pmu->name) : 0;

	snprintf(buf, size, "%.*s%s", (int)n, event->pmu->name, what);
	return buf;
}

static unsigned event_of(struct set_devices *devices, const struct event *event)
{
	unsigned i = 0;

	while (i < devices->n_events &&
	       strcmp(set_devices_what_of(devices->event[i]), set_devices_what_of(event)) != 0)
		i++;
	if (i == devices->n_events)
		devices->event[devices->n_events++] = event;
	return i;
}

void set_devices(const struct set *set, struct set_devices *ret)
{
	ret->n = ret->n_events = 0;
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = device_event(set, i);

		if (!event)
			continue;

		unsigned device = set_devices_device_of(ret, event->pmu);

		column_set_add(&ret->columns[device], i);
		ret->number[i] = (uint16_t)event_of(ret, event);
	}
}

unsigned set_devices_column(const struct set_devices *devices, unsigned device, unsigned event)
{
	column_set_each(&devices->columns[device], column)
		if (devices->number[column] == event)
			return (unsigned)column;
	return COLUMN_NONE;
}
