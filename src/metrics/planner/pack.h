/* planner_items.h: what must be counted together: events, presets, metrics' inputs; private to metrics/ */
#ifndef METRICS_PLANNER_ITEMS_H
#define METRICS_PLANNER_ITEMS_H

#include "metrics/planner.h"
#include "pmu/set_wishes.h"

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

/* Goes into one turn as a whole: what a metric needs, or with --split one input of it; a preset, or
 * one event. */
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
int plan_items_add_asked(struct plan_items *items, const struct wishes *asked, bool is_whole);

/** Let an item be as many as it has inputs. @return 0 or -ENOMEM */
int plan_items_split(struct plan_items *items, size_t which);

/** Once all are there: an event under two names becomes one where both names mean it. */
void plan_items_unite(struct plan_items *items);

/** Release. NULL is accepted. */
void plan_items_fini(struct plan_items *items);

#endif
