/* request.h: what each core type shall count, gathered before it is placed */
#ifndef EVENT_REQUEST_H
#define EVENT_REQUEST_H

#include "event/set.h"

struct event_request {
	struct event_table *table;
	const struct machine *machine;
	enum privilege privilege; /* for names that bring none */
	unsigned limit; /* events that need a counter, by type; more are left out; 0: any */
	struct want want[TYPES_MAX][SLOTS_MAX];
	uint16_t row[TYPES_MAX][SLOTS_MAX]; /* wants of one row seek one column on all types */
	size_t n[TYPES_MAX];
};

/** Nothing asked for yet. */
void event_request_init(struct event_request *request, struct event_table *table,
			enum privilege privilege);

/** Ask for an event on one type, in a row of the slot, or in one of its own number.
 * @slot -1: anywhere  @return 0; -ENOSPC beyond SLOTS_MAX, or CORE_SLOTS_MAX of the core's own */
int event_request_add(struct event_request *request, unsigned type, const struct event *event,
		      int slot, bool fixed, struct err *err);

/** The same in a certain row. */
int event_request_add_row(struct event_request *request, unsigned type, const struct want *want,
			  unsigned row, struct err *err);

/** The same by a plain name, as event_resolve finds it. Errors of both. */
int event_request_add_name(struct event_request *request, unsigned type, const char *name, int slot,
			   struct err *err);

/** Events of -e, on every type. One that was there before is not asked for again. Errors of
 * event_resolve and event_request_add. */
int event_request_add_specs(struct event_request *request, const struct event_spec *spec, size_t n,
			    struct err *err);

/** A preset, each type its own. @ret_name as it is written  @return 0, -ENOENT listing presets */
int event_request_add_preset(struct event_request *request, const char *name, const char **ret_name,
			     struct err *err);

/** What is counted when nobody asked, as set_default. @ret_name  of the preset that it is, "" */
int event_request_add_default(struct event_request *request, unsigned max_counters,
			      const char **ret_name, struct err *err);

/**
 * Cycles on PMC0 and instructions on PMC1 of Apple's types: these two can hold nothing else, so
 * they cost nothing. One that is asked for already without a place gets its place.
 */
int event_request_add_fixed_pair(struct event_request *request, struct err *err);

/** Columns that stand for Apple's counters, the first two of them for the fixed pair? */
bool type_has_fixed_pair(const struct core_type *type);

/** Let the wants of a row have the same column on every type where that is possible. */
void event_request_align(struct event_request *request);

/** Place every type. @preset "" for none  @return 0; -ENOSPC with the colliding events */
int event_request_place(const struct event_request *request, const char *preset, struct set *ret,
			struct err *err);

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
