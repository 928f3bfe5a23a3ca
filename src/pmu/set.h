/* set.h: the set of events counted on all cores, and changes to it */
#ifndef PMU_SET_H
#define PMU_SET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/bits.h"
#include "pmu/activity.h"
#include "pmu/count.h"
#include "pmu/event.h"

/* ---- placement of events on slots, and the counters that the driver will pick; pure functions */

enum { COUNTER_NONE = 0xff };

/** Events counted on the cores of one type. */
struct placement {
	const struct event *event[COLUMNS_MAX]; /* by slot (column); NULL: empty */
	uint8_t counter[COLUMNS_MAX]; /* physical counter, requested or predicted; COUNTER_NONE */
	uint16_t order[COLUMNS_MAX];  /* slots in the order to open them */
	uint16_t n_order;             /* refused events are left out */
};

/** Event to place. */
struct want {
	const struct event *event;
	int slot;   /* requested slot; -1: any */
	bool fixed; /* the slot must not change: the user has just chosen it */
};

/** Reason why wants have no placement: events that compete for the same counters. */
struct collision {
	const struct event *event[SLOTS_MAX];
	uint8_t n;
	uint64_t counters; /* counters that they may use, fewer than the events */
};

/**
 * Place wants on a type's slots. Most constrained first; an event keeps its requested slot unless
 * it is not fixed and only moving it makes all fit. Events that need no counter get their requested
 * slots, else the first free ones above the counters.
 *
 * `order` makes a first-fit driver (Linux apple_m1_cpu_pmu.c: lowest free counter of the mask, one
 * event at a time) succeed wherever a placement exists, and `counter` is the counter it will pick.
 *
 * @type    gives n_counters, slot_is_counter, first_fit
 * @return  0; -ENOSPC if they do not fit; ret_why (may be NULL) then lists the colliding events
 */
int placement_make(const struct core_type *type, const struct want *want, size_t n,
		   struct placement *ret, struct collision *ret_why);

/** Find the slots that count events of the pseudo PMU "activity", for activity_core_open. @by_task  times are of tasks */
struct activity_slots placement_activity(const struct placement *placement, bool by_task);

/** Return the slots of a type that can hold an event, as bits. */
uint64_t placement_slots(const struct core_type *type, const struct event *event);

/** Describe a collision: "4 events need the 3 counters PMC5-7: A, B, C and D". @return buf */
const char *collision_text(const struct collision *why, char *buf, size_t size);

/** Format slots as a list of names: "PMC5-7". @counters bit mask @return buf */
const char *counters_text(uint64_t counters, char *buf, size_t size);

/* ---- the set of all cores and its changes */

enum { MUX_MAX = 64, SLOT_FREE = 0xff, COLUMN_NONE = 0xffff };

/** Columns of a set, as bits. */
struct column_set {
	uint64_t word[COLUMNS_MAX / 64];
};

#define column_set_each(columns, column) \
	for (int column = -1; (column = column_set_next((columns), column)) >= 0;)

/** Find the next column above `after`. @after  -1 to begin  @return -1 at the end */
static inline int column_set_next(const struct column_set *columns, int after)
{
	return bits_next(columns->word, COLUMNS_MAX / 64, after);
}

/** Add a column. */
static inline void column_set_add(struct column_set *columns, unsigned column)
{
	bits_add(columns->word, column);
}

/** Whether the column is a member. */
static inline bool column_set_has(const struct column_set *columns, unsigned column)
{
	return bits_has(columns->word, column);
}

/** Whether there are no columns. */
static inline bool column_set_is_empty(const struct column_set *columns)
{
	return column_set_next(columns, -1) < 0;
}

/** Count the columns. */
static inline unsigned column_set_count(const struct column_set *columns)
{
	return bits_count(columns->word, COLUMNS_MAX);
}

/** Whether two sets of columns are equal. */
static inline bool column_set_same(const struct column_set *a, const struct column_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/** Whether two sets of columns have a column in common. */
static inline bool column_set_meets(const struct column_set *a, const struct column_set *b)
{
	uint64_t common = 0;

	for (unsigned i = 0; i < COLUMNS_MAX / 64; i++)
		common |= a->word[i] & b->word[i];
	return common;
}

/** Add all columns of another set. */
static inline void column_set_join(struct column_set *columns, const struct column_set *others)
{
	for (unsigned i = 0; i < COLUMNS_MAX / 64; i++)
		columns->word[i] |= others->word[i];
}

/* Kind of requested task. */
enum target_kind {
	TARGET_EXEC,    /* process that has not called exec yet: counted from exec on */
	TARGET_PROCESS, /* all threads of a process, from now on */
	TARGET_THREAD,
};

struct task_target {
	enum target_kind kind;
	pid_t id;
};

/* Tasks of interest, with what they start; none: all. */
struct roots {
	const struct task_target *task; /* the caller's, constant once loaded */
	size_t n;
	bool tells_lost; /* their part of what was lost is told: exactly, where a command's own counter can count */
};

/**
 * Set of events; all cores load the same one at the same time. A value; constant once loaded.
 *
 * Events that exceed the counters are multiplexed: each interval is divided between mux groups. The
 * set then has the columns of all groups, one group after the other; empty columns are left out if
 * there would be too many.
 */
struct set {
	uint32_t number;             /* assigned when loaded: 1, 2, … */
	unsigned n_slots;            /* used columns: highest used slot + 1 over all types */
	unsigned n_mux;              /* mux groups; 0 and 1: no multiplexing */
	uint16_t first[MUX_MAX + 1]; /* group t has the columns first[t] … first[t + 1] - 1 */
	uint8_t skips[COLUMNS_MAX]; /* empty slots without a column before this one, in its group */
	bool splits_metrics;        /* --split: a metric's inputs may be in different mux groups */
	bool by_task;               /* counts per task are wanted, too */
	bool samples;               /* an event is sampled, too; needs by_task */
	bool chains;                /* samples have callers */
	uint16_t sampled; /* with `samples`: its column; COLUMN_NONE: in another mux group */
	struct roots roots;
	char preset[32]; /* name of the preset it came from; "" after any change */
	struct placement type[TYPES_MAX];
};

/**
 * Join sets as the mux groups of one set, without empty columns if there would be too many.
 *
 * @n      1 … MUX_MAX; 1 gives the set itself
 * @return 0; -ENOSPC beyond MUX_MAX groups or COLUMNS_MAX used columns
 */
int set_join(const struct set *mux, unsigned n, struct set *ret, struct err *err);

/** Merge the columns of all mux groups into one group, each event once: the kernel may multiplex them. */
void set_flatten(const struct set *set, struct set *ret);

/** Extract one mux group, with columns from 0 on, as backends expect it. `number` stays. */
void set_mux_group(const struct set *set, unsigned mux, struct set *ret);

/** Whether two sets count the same events on the same counters under the same names, apart from `number`. */
bool set_counts_same(const struct set *a, const struct set *b);

/** Cycles of a window while a multiplexed column counted, and the other ones; or ns. 0, 0: unknown. */
struct mux_coverage {
	double counted, missed;
};

/**
 * Estimate the multiplexed counts of one core and one window: set `extra` of those that are SCALED.
 *
 * Events are estimated in proportion to the cycles, which every mux group counts, as far as that is at most
 * twice the estimate by time. All events of a mux group have the same factor, so their ratios are those that it
 * counted. Events that need no counter, and all events if a mux group has no cycles, stay scaled by time.
 *
 * @count  by column
 * @ret    by column, for the error of the estimates
 */
void set_estimate(const struct set *set, unsigned type, struct count *count,
		  struct mux_coverage *ret);

/** Find the cycles of a core type. @return false unless every mux group counts them */
bool set_find_cycles(const struct set *set, unsigned type, uint16_t ret_column[MUX_MAX]);

/** Return the number of mux groups: 1 or more. */
unsigned set_n_mux(const struct set *set);

/** Return the mux group of a column. */
unsigned set_mux_of(const struct set *set, unsigned column);

/** Return a column's slot within its mux group: "PMC5" is slot 5 of any group. */
unsigned set_slot_of(const struct set *set, unsigned column);

/** Return a type's first column with the event of `column`, which several mux groups may count: it is one figure. */
unsigned set_first_column(const struct set *set, unsigned type, unsigned column);

/** Get set_first_column of each column; COLUMN_NONE: an earlier column of its mux group counts the event, too. */
void set_first_columns(const struct set *set, unsigned type, uint16_t ret[COLUMNS_MAX]);

/** Return the column of a mux group's slot; if it has none, the next column. */
unsigned set_column_of(const struct set *set, unsigned mux, unsigned slot);

/**
 * Replace a mux group of `set`; the columns behind it move. An empty mux group is removed.
 *
 * @with   a set of one mux group
 * @return 0; -ENOSPC beyond COLUMNS_MAX used columns, -ENOMEM
 */
int set_put_mux(const struct set *set, unsigned mux, const struct set *with, struct set *ret,
		struct err *err);

/** Remove mux groups whose events another group counts all: each group costs the others time. */
void set_drop_repeated(struct set *set);

/**
 * Make a set of the requested events. Every spec is resolved on every core type; an event that no
 * type has is an error, one that some types lack is n/s there.
 *
 * @return  0; errors of event_resolve; -ENOSPC with the colliding events
 */
int set_make(struct event_table *table, const struct event_spec *spec, size_t n,
	     enum privilege privilege, struct set *ret, struct err *err);

/**
 * Make the default set: on Apple cores cycles, instructions and the overview preset; with another
 * core PMU cycles, instructions, branches and misses; else software events and the cores'
 * utilisation.
 *
 * @max_counters  limit of events that need a counter (found by opening groups); 0: any
 */
int set_default(struct event_table *table, enum privilege privilege, unsigned max_counters,
		struct set *ret, struct err *err);

/**
 * Make the set of a preset; if a type has fewer counters than the preset has events, it counts the
 * first ones.
 * @return 0, -ENOENT listing the presets, or as set_make
 */
int set_preset(struct event_table *table, const char *name, enum privilege privilege,
	       struct set *ret, struct err *err);

/**
 * Put another event on one slot of `from`; other events may move to make room. In a multiplexed set
 * the slot is a column, and only its mux group changes.
 *
 * @name  as in -e; NULL or "" clears the slot
 * @return 0; -ENOENT; -EINVAL if the event is not legal on the slot, naming the legal ones; -ENOSPC
 *         naming the events it collides with
 */
int set_change(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, struct set *ret, struct err *err);

/**
 * Put an event on the slot that the user chose, as set_change; but an event that needs no counter
 * does not take a counter's slot: it goes to a free column, or an event of several devices to one
 * free column each, and nothing else moves.
 *
 * @slot      SLOT_FREE: always free columns, so the event must not need a counter
 * @name      not ""
 * @ret_slot  the first column that counts it
 * @return    errors of set_change; -ENOSPC if too few columns are free
 */
int set_choose(struct event_table *table, const struct set *from, unsigned slot, const char *name,
	       enum privilege privilege, unsigned *ret_slot, struct set *ret, struct err *err);

/**
 * Add frequency and utilisation events in free columns of every mux group. A group that has them or
 * has no room, and a machine without them, stay unchanged.
 */
void set_add_activity(struct event_table *table, struct set *set);

/**
 * Put on the slot the next (step 1) or previous (-1) catalogue event that is not counted yet and
 * fits without moving others.
 *
 * @return 0 or -ENOENT if there is none
 */
int set_step(struct event_table *table, const struct set *from, unsigned slot, int step,
	     enum privilege privilege, struct set *ret, struct err *err);

/** Count every event of `from` at another level (keys K and U). Errors as set_make. */
int set_privilege(struct event_table *table, const struct set *from, enum privilege privilege,
		  struct set *ret, struct err *err);

/** List the events of a set as requests, but for those of activity, which every set gets. @ret  to be freed by the caller */
int set_specs(const struct set *set, struct event_spec **ret, size_t *ret_n, struct err *err);

/** Return a slot's event on the first type that has one there; NULL if empty. */
const struct event *set_event(const struct set *set, unsigned slot);

/* ---- devices (uncore PMUs) in a set, and their columns */

/** Devices of a set; an event of several devices is one event here: uncore_imc_0/x/ and uncore_imc_1/x/. */
struct set_devices {
	unsigned n, n_events;
	const struct pmu *pmu[COLUMNS_MAX];     /* ordered by first column */
	struct column_set columns[COLUMNS_MAX]; /* by device */
	const struct event *event[COLUMNS_MAX]; /* the first device's */
	uint16_t number[COLUMNS_MAX];           /* by column of a device: its event */
};

/** Whether a device counts the column's event. */
bool set_is_of_device(const struct set *set, unsigned column);

/** Collect the devices of a set. */
void set_devices(const struct set *set, struct set_devices *ret);

/** Find the first column in which a device counts an event. @return COLUMN_NONE: it does not */
unsigned set_devices_column(const struct set_devices *devices, unsigned device, unsigned event);

/* ---- requested events of each core type, before placement */

struct event_request {
	struct event_table *table;
	const struct machine *machine;
	enum privilege privilege; /* for names without a level */
	unsigned limit;           /* most events per type that need a counter; 0: no limit */
	struct want want[TYPES_MAX][SLOTS_MAX];
	uint16_t row[TYPES_MAX][SLOTS_MAX]; /* wants of one row share a column, if possible */
	size_t n[TYPES_MAX];
};

/** Start an empty request. */
void event_request_init(struct event_request *request, struct event_table *table,
			enum privilege privilege);

/** Request an event in a given row. */
int event_request_add_row(struct event_request *request, unsigned type, const struct want *want,
			  unsigned row, struct err *err);

/** Request the events of -e on every type, each only once. Errors of event_resolve and event_request_add. */
int event_request_add_specs(struct event_request *request, const struct event_spec *spec, size_t n,
			    struct err *err);

/** Request a preset, each type's own. @ret_name the name as defined  @return 0, -ENOENT listing presets */
int event_request_add_preset(struct event_request *request, const char *name, const char **ret_name,
			     struct err *err);

/** Request the default events, as set_default. @ret_name  the preset's name, or "" */
int event_request_add_default(struct event_request *request, unsigned max_counters,
			      const char **ret_name, struct err *err);

/**
 * Request cycles on PMC0 and instructions on PMC1 of Apple's types: these two can hold nothing
 * else, so they cost nothing. If requested already without a slot, they get theirs.
 */
int event_request_add_fixed_pair(struct event_request *request, struct err *err);

/** Whether the type's columns are Apple's counters, the first two for the fixed pair. */
bool type_has_fixed_pair(const struct core_type *type);

/** With several types, align the wants of a row to the same column, if possible. */
void event_request_align(struct event_request *request);

/** Place the events of every type. @preset "" for none  @return 0; -ENOSPC with the colliding events */
int event_request_place(const struct event_request *request, const char *preset, struct set *ret,
			struct err *err);

/** Whether two events count the same, under any names. */
bool event_counts_as(const struct event *a, const struct event *b);

/**
 * Find the column that counts the same as `event`, under any name.
 *
 * @but    a column to skip; -1: none
 * @return -1 if there is none
 */
int placement_find(const struct placement *placement, const struct event *event, int but);

#endif
