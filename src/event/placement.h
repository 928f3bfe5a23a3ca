/* placement.h: which event on which slot, and which counter the driver will pick; pure functions */
#ifndef EVENT_PLACEMENT_H
#define EVENT_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "activity/activity.h"
#include "event/event.h"

enum { COUNTER_NONE = 0xff };

/** What is counted on the cores of one type. */
struct placement {
	const struct event *event[COLUMNS_MAX]; /* by slot (column); NULL: empty */
	uint8_t counter[COLUMNS_MAX]; /* physical counter, as asked or as predicted; COUNTER_NONE */
	uint8_t order[COLUMNS_MAX];   /* slots in the order in which they must be opened */
	uint8_t n_order;              /* refused events are not in it */
};

/** One event to place. */
struct want {
	const struct event *event;
	int slot;   /* asked for, -1: anywhere */
	bool fixed; /* the slot is not to be changed: the user has just chosen it */
};

/** Why a list of wants has no placement: the events that compete for the same counters. */
struct collision {
	const struct event *event[SLOTS_MAX];
	uint8_t n;
	uint64_t counters; /* the counters that they are legal on, together fewer than events */
};

/**
 * Place wants on a type's slots. Most constrained first; an event that asked for a slot keeps it
 * unless it is not fixed and another solution needs it moved. Events that need no counter fill
 * the slots they ask for, else the first free ones above the counters.
 *
 * `order` makes a first-fit driver (Linux apple_m1_cpu_pmu.c: lowest free counter of the mask,
 * one event at a time) succeed wherever a placement exists, and `counter` is what it will pick.
 *
 * @type    gives n_counters, slot_is_counter, first_fit
 * @return  0; -ENOSPC when they do not fit, then ret_why says who collides (may be NULL)
 */
int placement_make(const struct core_type *type, const struct want *want, size_t n,
		   struct placement *ret, struct collision *ret_why);

/** The slots that count events of the pseudo PMU "activity": for activity_core_open. */
struct activity_slots placement_activity(const struct placement *placement);

/** The slots of a type that can hold an event at all, as bits. */
uint64_t placement_slots(const struct core_type *type, const struct event *event);

/** The collision as a sentence: "4 events need the 3 counters PMC5-7: A, B, C and D". @return buf */
const char *collision_text(const struct collision *why, char *buf, size_t size);

/** Slots as a list of names: "PMC5-7". @counters bit mask @return buf */
const char *counters_text(uint64_t counters, char *buf, size_t size);

#endif
