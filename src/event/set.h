/* set.h: what all cores count at one time, and the changes that keys make to it */
#ifndef EVENT_SET_H
#define EVENT_SET_H

#include <stdint.h>

#include "event/placement.h"

enum { MUX_MAX = 16, SLOT_FREE = 0xff };

/**
 * All cores load the same set at the same moment. A value; constant once it is loaded.
 *
 * What does not fit the counters at once is multiplexed: each interval is divided between mux
 * groups. Then a set has the columns of all of them, one group's after the other's; without the
 * empty ones where they would be too many with them.
 */
struct set {
	uint32_t number;            /* given when it is loaded: 1, 2, … */
	unsigned n_slots;           /* columns in use: highest used slot + 1 over all types */
	unsigned n_mux;             /* 0 and 1: every column counts all the time */
	uint8_t first[MUX_MAX + 1]; /* group t has the columns first[t] … first[t + 1] - 1 */
	uint8_t skips[COLUMNS_MAX]; /* empty slots of its group before a column that have none */
	bool splits_metrics;        /* --split: a metric's inputs may be of different mux groups */
	bool by_task;               /* what each task did is wanted too */
	uint32_t root;   /* … above all of this process and its descendants; 0: of none */
	char preset[32]; /* the preset it came from, "" after any change */
	struct placement type[TYPES_MAX];
};

/**
 * Sets to multiplex, as one set with the columns of all of them, of the used ones if need be.
 *
 * @n      1 … MUX_MAX; 1 gives the set itself
 * @return 0; -ENOSPC beyond MUX_MAX groups or COLUMNS_MAX used columns
 */
int set_join(const struct set *mux, unsigned n, struct set *ret, struct err *err);

/** The columns of all mux groups as those of one, each event once: the kernel may multiplex them. */
void set_flatten(const struct set *set, struct set *ret);

/** What one mux group counts, its columns from 0 on: what a backend is given. `number` stays. */
void set_mux_group(const struct set *set, unsigned mux, struct set *ret);

/** Do they count the same on the same counters, and go by the same name? `number` aside. */
bool set_counts_same(const struct set *a, const struct set *b);

/** How many mux groups an interval has: 1 or more. */
unsigned set_n_mux(const struct set *set);

/** The mux group that counts a column. */
unsigned set_mux_of(const struct set *set, unsigned column);

/** A column's slot among those of its mux group: "PMC5" is slot 5 of any group. */
unsigned set_slot_of(const struct set *set, unsigned column);

/** The column of a mux group's slot; of one that has none the next column. */
unsigned set_column_of(const struct set *set, unsigned mux, unsigned slot);

/**
 * `set` with another mux group in place of one; the columns behind it move along. A mux group that
 * counts nothing any more is left out.
 *
 * @with   a set of one mux group
 * @return 0; -ENOSPC beyond COLUMNS_MAX used columns
 */
int set_put_mux(const struct set *set, unsigned mux, const struct set *with, struct set *ret,
		struct err *err);

/** Leave out the mux groups of which another one counts all that they do: each costs the others time. */
void set_drop_repeated(struct set *set);

/**
 * A set of the events asked for. Every spec is looked up on every core type; one that exists on
 * no type is an error, one that some types lack is n/s there.
 *
 * @return  0; errors of event_resolve; -ENOSPC with the colliding events
 */
int set_make(struct event_table *table, const struct event_spec *spec, size_t n,
	     enum privilege privilege, struct set *ret, struct err *err);

/**
 * What is counted when nobody asked: on Apple cores cycles, instructions and the overview preset;
 * with another core PMU cycles, instructions, branches and misses; else software events and how
 * busy each core is.
 *
 * @max_counters  no more events that need a counter than this (found by opening groups); 0: any
 */
int set_default(struct event_table *table, enum privilege privilege, unsigned max_counters,
		struct set *ret, struct err *err);

/** A preset by name; a type with fewer counters than it has events counts the first of them.
 * @return 0, -ENOENT listing the presets, or as set_make */
int set_preset(struct event_table *table, const char *name, enum privilege privilege,
	       struct set *ret, struct err *err);

/**
 * `from` with another event on one slot; the others move when that solves it. In a multiplexed
 * set the slot is a column, and everything happens within its mux group.
 *
 * @name  as in -e; NULL or "" clears the slot
 * @return 0; -ENOENT; -EINVAL when the event is not legal on the slot, naming the legal ones;
 *         -ENOSPC naming the events it collides with
 */
int set_change(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, struct set *ret, struct err *err);

/** The same with an event that was read already. @spec  NULL clears the slot */
int set_change_spec(struct event_table *table, const struct set *from, unsigned slot,
		    const struct event_spec *spec, enum privilege privilege, struct set *ret,
		    struct err *err);

/**
 * What a user means who chooses an event for a slot: as set_change; but an event that takes no counter
 * does not have to stand where a counter does: then it goes to a free column, or one of several
 * devices to a free column for each of them, and nothing gives way.
 *
 * @slot      SLOT_FREE: to free columns in any case, so no event that takes a counter
 * @name      not ""
 * @ret_slot  the column that counts it, or the first of them
 * @return    errors of set_change; -ENOSPC when too few columns are free
 */
int set_choose(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, unsigned *ret_slot, struct set *ret, struct err *err);

/**
 * Count how busy and how fast each core is, too: in free columns of every mux group. What counts it
 * already, has no room, or is of a machine that does not know stays as it is.
 */
void set_add_activity(struct event_table *table, struct set *set);

/**
 * `from` with the next (step 1) or previous (-1) event of the catalogue that can be placed on the
 * slot without moving another and is not already counted.
 *
 * @return 0 or -ENOENT when there is no other
 */
int set_step(struct event_table *table, const struct set *from, unsigned slot, int step,
	     enum privilege privilege, struct set *ret, struct err *err);

/** `from` with every event counted at other levels (keys K and U). Errors as set_make. */
int set_privilege(struct event_table *table, const struct set *from, enum privilege privilege,
		  struct set *ret, struct err *err);

/** The event of a slot on the first type that has one there. @return NULL when empty */
const struct event *set_event(const struct set *set, unsigned slot);

#endif
