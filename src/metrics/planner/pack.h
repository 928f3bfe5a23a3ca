/* pack.h: what is counted together, and what goes into which mux group; private to the planner */
#ifndef METRICS_PLANNER_PACK_H
#define METRICS_PLANNER_PACK_H

#include "event/request.h"
#include "metrics/planner/planner.h"

/* --- items.c: events, presets, metrics' inputs --- */

/* What an expression calls an event, as each core type counts it. A name of several devices' PMUs
 * is several inputs, one behind the other. Or an event that was asked for, of a preset each type's
 * of one column. */
struct plan_input {
	const char *text;                     /* "" for what was asked for */
	int slot;                             /* asked for, -1: wherever it fits */
	bool fixed;                           /* and in no other */
	const struct event *event[TYPES_MAX]; /* NULL: cannot be counted there */
	unsigned n_units;                     /* how many inputs the name is, from this one on */
};

/* An input that the program of some types has. */
struct plan_use {
	uint16_t input;
	uint8_t types; /* bits */
};

/* Goes into one mux group as a whole: what a metric needs, or with --split one input of it; a
 * preset, or one event. */
struct plan_item {
	unsigned number;   /* of the metric, ITEM_ASKED */
	unsigned first, n; /* plan_items.use[] */
};

enum { ITEM_ASKED = INT32_MAX };

struct plan_items {
	struct plan_input *input;
	size_t n_inputs, cap_inputs;
	struct plan_use *use;
	size_t n_uses, cap_uses;
	struct plan_item *item;
	size_t n, cap;
};

/**
 * Append what a metric needs, which is nothing for one that is made of constants.
 *
 * @return 0; -ENOENT and other errors of event_resolve when no core type counts all its inputs
 */
int plan_items_add(struct plan_items *items, const struct planner_request *request, unsigned number,
		   struct err *err);

/**
 * Append events that were asked for.
 *
 * @is_whole  all of them are one item: a preset; else each is one
 * @return    0 or -ENOMEM
 */
int plan_items_add_asked(struct plan_items *items, const struct event_request *asked,
			 bool is_whole);

/** Let an item be as many as it has inputs. @return 0 or -ENOMEM */
int plan_items_split(struct plan_items *items, size_t which);

/** Once all are there: an event under two names becomes one where both names mean it. */
void plan_items_unite(struct plan_items *items);

/** Release. NULL is accepted. */
void plan_items_fini(struct plan_items *items);

/* --- pack.c: items into the fewest mux groups --- */

struct packing {
	const struct planner_request *request;
	const struct plan_items *items;
	struct event_request first; /* what is in mux group 0 before any item */
	struct event_request empty; /* and in every other */
	bool has_first; /* events or a preset were asked for: mux group 0 is there in any case */
	bool asks;      /* request->fits has a say in every step */
	struct event_request mux[MUX_MAX];
	unsigned n_mux;
	uint8_t *mux_of; /* by item; owned by the caller */
	unsigned budget; /* steps that are left of the search */
};

/** Does one item fit an otherwise empty mux group? @err  why not, when request->fits says so */
bool packing_fits_alone(const struct packing *packing, const struct plan_item *item,
			struct err *err);

/** A mux group with one item and nothing else. Errors of event_request_place. */
int packing_place_alone(const struct packing *packing, const struct plan_item *item,
			struct set *ret, struct err *err);

/**
 * Every item into a mux group, in as few as can be found: the hardest first, each where it shares
 * most; then with one group less as long as a search of limited length succeeds.
 *
 * @packing  its `mux_of` has room for all items; fills in mux_of and n_mux
 * @return   0; -ENOSPC beyond MUX_MAX mux groups, -ENOMEM
 */
int packing_solve(struct packing *packing, struct err *err);

/** One mux group as a set, events in the order of their items. Errors of event_request_place. */
int packing_set(const struct packing *packing, unsigned mux, const char *preset, struct set *ret,
		struct err *err);

/* --- bounds.c: how few mux groups are possible, how hard an item is --- */

/**
 * No fewer mux groups than this, however items are spread.
 *
 * @return 0; -ENOSPC when that is more than MUX_MAX, or the events more than COLUMNS_MAX
 */
int packing_bounds(const struct packing *packing, unsigned *ret_least, struct err *err);

/** Is a metric too large for any number of mux groups? @return 0; -ENOSPC with its name */
int packing_check_size(const struct packing *packing, const struct plan_item *item,
		       struct err *err);

/** The refusal of what takes too many mux groups. @return -ENOSPC */
int packing_refuse_mux(struct err *err);

/** The counters that an item keeps others from, on the type where that is most. */
unsigned packing_hardness(const struct packing *packing, const struct plan_item *item);

/** How many events that need a counter a core type takes at a time. 0: unknown */
unsigned packing_limit(const struct planner_request *request, unsigned type);

/* --- refuse.c: why an item fits no mux group --- */

/**
 * Say what of it does not fit, and of a metric how many sets it would take.
 *
 * @item    one that packing_fits_alone refused
 * @kernel  what request->fits said of it; "" when it was not asked
 * @return  -ENOSPC
 */
int packing_refuse(const struct packing *packing, const struct plan_item *item,
		   const struct err *kernel, struct err *err);

#endif
