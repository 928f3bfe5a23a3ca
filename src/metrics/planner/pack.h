/* pack.h: items that are counted together, and their assignment to mux groups; private to the planner */
#ifndef METRICS_PLANNER_PACK_H
#define METRICS_PLANNER_PACK_H

#include "pmu/set.h"
#include "metrics/planner.h"

/* --- items: events, presets, inputs of metrics --- */

/* An event of an expression, resolved for each core type. A name that covers several devices' PMUs is several
 * consecutive inputs. Or a requested event; of a preset the events of one column. */
struct plan_input {
	const char *text;                     /* name in the expression; "" for a requested event */
	int slot;                             /* requested slot; -1: any */
	bool fixed;                           /* in no other slot */
	const struct event *event[TYPES_MAX]; /* NULL: cannot be counted there */
	unsigned n_units;                     /* number of inputs of the name, from this one on */
};

/* An input, and the types whose programs have it. */
struct plan_use {
	uint16_t input;
	uint8_t types; /* bits */
};

/* A unit that is assigned to one mux group: the inputs of a metric, or with --split one of them; those of all requested
 * parts of a core's time; a preset; one event. */
struct plan_item {
	unsigned number;   /* of the (first) metric; ITEM_REQUESTED: requested event or preset */
	unsigned first, n; /* in plan_items.use[] */
	bool is_parts;
};

enum { ITEM_REQUESTED = INT32_MAX };

struct plan_items {
	struct plan_input *input;
	size_t n_inputs, cap_inputs;
	struct plan_use *use;
	size_t n_uses, cap_uses;
	struct plan_item *item;
	size_t n, cap;
};

/* --- assignment of items to the fewest mux groups --- */

struct packing {
	const struct planner_request *request;
	const struct plan_items *items;
	struct event_request first; /* content of mux group 0 before any item */
	struct event_request empty; /* content of all others before any item */
	bool has_first; /* events or a preset were requested: mux group 0 always exists */
	bool asks;      /* call request->fits in every step */
	struct event_request mux[MUX_MAX];
	unsigned n_mux;
	uint8_t *mux_of; /* by item; owned by the caller */
	unsigned budget; /* remaining steps of the search */
};

/** Whether an item fits an otherwise empty mux group. @err  reason of request->fits */
bool packing_fits_alone(const struct packing *packing, const struct plan_item *item,
			struct err *err);

/** Make a set of one item only. Errors of event_request_place. */
int packing_place_alone(const struct packing *packing, const struct plan_item *item,
			struct set *ret, struct err *err);

/**
 * Assign every item to a mux group, in as few as can be found: hardest first, each where it shares most; then with one
 * group less as long as a search of limited length succeeds.
 *
 * @packing  its `mux_of` has room for all items; fills in mux_of and n_mux
 * @return   0; -ENOSPC beyond MUX_MAX mux groups, -ENOMEM
 */
int packing_solve(struct packing *packing, struct err *err);

/** Make a set of one mux group, events in the order of their items. Errors of event_request_place. */
int packing_set(const struct packing *packing, unsigned mux, const char *preset, struct set *ret,
		struct err *err);

/** Check that a metric is not too large for multiplexing. @return 0; -ENOSPC with its name */
int packing_check_size(const struct packing *packing, const struct plan_item *item,
		       struct err *err);

/** Get the number of events a core type counts at a time, of those that need a counter. 0: unknown */
unsigned packing_limit(const struct planner_request *request, unsigned type);

#endif
