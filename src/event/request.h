/* set_wishes.h: what each core type is to count, gathered before it is placed */
#ifndef PMU_SET_WISHES_H
#define PMU_SET_WISHES_H

#include "pmu/set.h"

struct wishes {
	struct event_table *table;
	const struct machine *machine;
	enum event_levels levels; /* for names that bring none */
	unsigned limit; /* events that need a counter, by type; more are left out; 0: any */
	struct want want[TYPES_MAX][SLOTS_MAX];
	uint16_t row[TYPES_MAX][SLOTS_MAX]; /* wants of one row seek one column on all types */
	size_t n[TYPES_MAX];
};

/** Nothing asked for yet. */
void wishes_init(struct wishes *wishes, struct event_table *table, enum event_levels levels);

/** Ask for an event on one type, in a row of the slot, or in one of its own number.
 * @slot -1: anywhere  @return 0; -ENOSPC beyond SLOTS_MAX, or CORE_SLOTS_MAX of the core's own */
int wishes_add(struct wishes *wishes, unsigned type, const struct event *event, int slot,
	       bool fixed, struct err *err);

/** The same in a certain row. */
int wishes_add_row(struct wishes *wishes, unsigned type, const struct want *want, unsigned row,
		   struct err *err);

/** The same by a plain name, as event_resolve finds it. Errors of both. */
int wishes_add_name(struct wishes *wishes, unsigned type, const char *name, int slot,
		    struct err *err);

/** Events of -e, on every type. One that was there before is not asked for again. Errors of
 * event_resolve and wishes_add. */
int wishes_add_specs(struct wishes *wishes, const struct event_spec *spec, size_t n,
		     struct err *err);

/** A preset, each type its own. @ret_name as it is written  @return 0, -ENOENT listing presets */
int wishes_add_preset(struct wishes *wishes, const char *name, const char **ret_name,
		      struct err *err);

/**
 * Cycles on PMC0 and instructions on PMC1 of Apple's types: these two can hold nothing else, so
 * they cost nothing. One that is asked for already without a place gets its place.
 */
int wishes_add_fixed_pair(struct wishes *wishes, struct err *err);

/** Columns that stand for Apple's counters, the first two of them for the fixed pair? */
bool type_has_fixed_pair(const struct core_type *type);

/** Let the wants of a row have the same column on every type where that is possible. */
void wishes_align(struct wishes *wishes);

/** Place every type. @preset "" for none  @return 0; -ENOSPC with the colliding events */
int wishes_place(const struct wishes *wishes, const char *preset, struct set *ret, struct err *err);

/** Do two events count the same, under whatever names? */
bool event_counts_as(const struct event *a, const struct event *b);

/** Columns in use: the highest used one + 1, over all types. */
unsigned set_count_slots(const struct set *set);

/**
 * The column that counts what `event` counts, under whatever name.
 *
 * @but  a column to leave out, -1: none
 * @return -1 when there is none
 */
int placement_find(const struct placement *placement, const struct event *event, int but);

#endif
