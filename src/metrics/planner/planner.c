/* planner.c: from a request to a set: what is refused, what is split, what is multiplexed */
#include "metrics/planner/planner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "metrics/planner/pack.h"

struct planner {
	const struct planner_request *request;
	struct plan_items items;
	struct packing packing;
	struct set asked;   /* events and preset alone */
	const char *preset; /* as it is written; "" without, or when there is more */
	bool splits;        /* a metric's inputs are in several items */
};

static struct planner *plan_new(const struct planner_request *request, struct err *err)
{
	struct planner *plan = calloc(1, sizeof(*plan));

	if (!plan) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	plan->request = request;
	plan->preset = "";
	plan->packing.request = request;
	plan->packing.items = &plan->items;
	event_request_init(&plan->packing.first, request->events, request->privilege);
	event_request_init(&plan->packing.empty, request->events, request->privilege);
	return plan;
}

static void plan_free(struct planner *plan)
{
	if (!plan)
		return;
	plan_items_fini(&plan->items);
	free(plan->packing.mux_of);
	free(plan);
}

/* One mux group with all that was asked for but metrics. */
static int begin_together(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	struct packing *packing = &plan->packing;
	const char *preset = "";
	int rc = 0;

	if (request->preset)
		rc = event_request_add_preset(&packing->first, request->preset, &preset, err);
	if (!rc && request->n_specs)
		rc = event_request_add_specs(&packing->first, request->spec, request->n_specs, err);
	if (!rc)
		rc = event_request_add_fixed_pair(&packing->first, err);
	if (!rc)
		rc = event_request_place(&packing->first, "", &plan->asked, err);
	if (!rc && packing->has_first && request->fits)
		rc = request->fits(request->data, &plan->asked, err);
	if (!request->n_specs)
		plan->preset = preset;
	return rc;
}

static int add_asked(struct planner *plan, const struct event_request *asked, bool is_whole,
		     struct err *err)
{
	return plan_items_add_asked(&plan->items, asked, is_whole)
		       ? err_set(err, ENOMEM, "out of memory")
		       : 0;
}

static int add_preset(struct planner *plan, const char *name, size_t n, struct err *err)
{
	const struct planner_request *request = plan->request;
	AUTO_FREE char *copy = strndup(name, n);
	struct event_request asked;
	int rc = copy ? 0 : err_set(err, ENOMEM, "out of memory");

	event_request_init(&asked, request->events, request->privilege);
	if (!rc)
		rc = event_request_add_preset(&asked, copy, &name, err);
	return rc ? rc : add_asked(plan, &asked, true, err);
}

static int add_event(struct planner *plan, const struct event_spec *spec, struct err *err)
{
	const struct planner_request *request = plan->request;
	struct event_request asked;

	event_request_init(&asked, request->events, request->privilege);

	int rc = event_request_add_specs(&asked, spec, 1, err);

	return rc ? rc : add_asked(plan, &asked, false, err);
}

/* In any mux groups: each preset in one, each event in one. */
static int begin_apart(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	const char *rest = request->preset, *name;
	size_t n;
	int rc = 0;

	plan->packing.has_first = false;
	plan->preset = "";
	while (!rc && text_next_item(&rest, &name, &n))
		rc = add_preset(plan, name, n, err);
	for (size_t i = 0; i < request->n_specs && !rc; i++)
		rc = add_event(plan, &request->spec[i], err);
	return rc;
}

/* What mux groups have before any metric: the preset and the events in the first where they fit
 * one, Apple's pair in all. */
static int begin(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	bool is_one = !request->preset || !strchr(request->preset, ',');
	int rc = event_request_add_fixed_pair(&plan->packing.empty, err);

	plan->packing.has_first = request->preset || request->n_specs;
	if (!rc && is_one)
		rc = begin_together(plan, err);
	if ((!rc && !is_one) || (plan->packing.has_first && (rc == -ENOSPC || rc == -EINVAL)))
		rc = begin_apart(plan, err);
	return rc;
}

/* Do the events and the preset give it on every type that has it? */
static bool is_given(const struct planner *plan, const struct metric *metric)
{
	struct metric_binding unused;
	bool is_given = plan->packing.has_first;

	for (unsigned t = 0; t < plan->packing.first.machine->n_types && is_given; t++)
		is_given = !metric->program[t] ||
			   metric_bind(metric->program[t], &plan->asked.type[t], &unused);
	return is_given;
}

static int add_metrics(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	const struct metrics_selection *selection = request->selection;
	int rc = 0;

	for (size_t i = 0; selection && i < selection->n && !rc; i++)
		if (!is_given(plan, &request->metrics->metric[selection->number[i]]))
			rc = plan_items_add(&plan->items, request, selection->number[i], err);
	plan_items_unite(&plan->items);
	return rc;
}

/* Every item can be had in a mux group of its own, or is refused, or split. */
static int check_items(struct planner *plan, struct err *err)
{
	size_t n = plan->items.n; /* those that splitting appends fit, or nothing helps */

	for (size_t i = 0; i < n; i++) {
		struct plan_item item = plan->items.item[i];
		struct err why = { "" };

		if (packing_fits_alone(&plan->packing, &item, &why))
			continue;
		if (packing_check_size(&plan->packing, &item, err))
			return -ENOSPC;
		if (!plan->request->splits_metrics || item.n < 2)
			return packing_refuse(&plan->packing, &item, &why, err);
		if (plan_items_split(&plan->items, i))
			return err_set(err, ENOMEM, "out of memory");
		plan->splits = true;
	}
	return 0;
}

static int pack(struct planner *plan, struct err *err)
{
	int rc = check_items(plan, err);

	if (rc)
		return rc;
	free(plan->packing.mux_of);
	plan->packing.mux_of = calloc(plan->items.n + 1, 1);
	if (!plan->packing.mux_of)
		return err_set(err, ENOMEM, "out of memory");
	return packing_solve(&plan->packing, err);
}

/* @mux  room for MUX_MAX  @ret_accepted  the kernel would take them all */
static int make_mux(const struct planner *plan, struct set *mux, bool *ret_accepted,
		    struct err *err)
{
	const struct planner_request *request = plan->request;
	int rc = 0;

	*ret_accepted = true;
	for (unsigned t = 0; t < plan->packing.n_mux && !rc; t++) {
		rc = packing_set(&plan->packing, t, plan->preset, &mux[t], err);
		if (!rc && request->fits && request->fits(request->data, &mux[t], NULL))
			*ret_accepted = false;
	}
	return rc;
}

/* By the masks first; the kernel sees the result, and every step only where it refuses one. */
static int solve(struct planner *plan, struct set *ret, struct err *err)
{
	AUTO_FREE struct set *mux = calloc(MUX_MAX, sizeof(*mux));
	bool accepted = true;
	struct set set;
	int rc = mux ? pack(plan, err) : err_set(err, ENOMEM, "out of memory");

	if (!rc)
		rc = make_mux(plan, mux, &accepted, err);
	if (!rc && !accepted) {
		plan->packing.asks = true;
		rc = pack(plan, err);
		if (!rc)
			rc = make_mux(plan, mux, &accepted, err);
	}
	if (!rc)
		rc = set_join(mux, plan->packing.n_mux, &set, err);
	if (rc)
		return rc;
	set.splits_metrics = plan->splits;
	*ret = set;
	return 0;
}

static struct metrics_selection parts_of(const struct metrics *metrics, uint16_t *number)
{
	struct metrics_selection parts = { .number = number };

	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (metrics->part[i].number >= 0)
			number[parts.n++] = (uint16_t)metrics->part[i].number;
	return parts;
}

/* The default set, and with it what the parts of a core's time are made of. @return 0; -ENOSPC where
 * that does not fit the counters at once, -ENOENT where there is nothing to add, other errors */
static int add_parts(struct planner *plan, struct set *ret)
{
	const struct planner_request *request = plan->request;
	struct event_request *first = &plan->packing.first;
	struct set set;
	int rc = event_request_add_default(first, request->max_counters, &plan->preset, NULL);

	plan->packing.has_first = true;
	if (!rc)
		rc = event_request_place(first, "", &plan->asked, NULL);
	if (!rc)
		rc = add_metrics(plan, NULL);
	if (!rc)
		rc = plan->items.n ? solve(plan, &set, NULL) : -ENOENT;
	if (!rc && set_n_mux(&set) > 1)
		rc = -ENOSPC;
	if (!rc)
		*ret = set;
	return rc;
}

static int make_default(const struct planner_request *request, struct set *ret, struct err *err)
{
	uint16_t number[METRIC_PARTS_MAX];
	const struct metrics_selection parts = parts_of(request->metrics, number);
	struct planner_request with = *request;
	int rc = -ENOENT;

	with.selection = &parts;
	if (parts.n) {
		struct planner *plan = plan_new(&with, err);

		rc = plan ? add_parts(plan, ret) : -ENOMEM;
		plan_free(plan);
	}
	return rc ? set_default(request->events, request->privilege, request->max_counters, ret,
				err)
		  : 0;
}

/* Without metrics that need events. */
static int make_plain(const struct planner_request *request, struct set *ret, struct err *err)
{
	if (request->n_specs)
		return set_make(request->events, request->spec, request->n_specs,
				request->privilege, ret, err);
	if (request->preset)
		return set_preset(request->events, request->preset, request->privilege, ret, err);
	return make_default(request, ret, err);
}

static bool needs_plan(const struct planner *plan)
{
	return plan->items.n || (plan->request->preset && plan->request->n_specs);
}

/* @ret  NULL where it fails */
static int plan_make(const struct planner_request *request, struct planner **ret, struct err *err)
{
	struct planner *plan = plan_new(request, err);
	int rc = plan ? begin(plan, err) : -ENOMEM;

	if (!rc)
		rc = add_metrics(plan, err);
	if (rc) {
		plan_free(plan);
		plan = NULL;
	}
	*ret = plan;
	return rc;
}

int planner_make(const struct planner_request *request, struct set *ret, struct err *err)
{
	struct planner *plan;
	int rc = plan_make(request, &plan, err);

	if (!rc)
		rc = needs_plan(plan) ? solve(plan, ret, err) : make_plain(request, ret, err);
	plan_free(plan);
	return rc;
}

int planner_n_sets(const struct planner_request *request, unsigned number, unsigned *ret,
		   struct err *err)
{
	uint16_t only = (uint16_t)number;
	const struct metrics_selection selection = { .number = &only, .n = 1 };
	struct planner_request alone = *request;
	struct planner *plan;

	alone.spec = NULL;
	alone.n_specs = 0;
	alone.preset = NULL;
	alone.selection = &selection;
	alone.splits_metrics = true;

	int rc = plan_make(&alone, &plan, err);

	if (!rc && plan->items.n) {
		plan->packing.asks = request->fits;
		rc = pack(plan, err);
	}
	if (!rc)
		*ret = plan->items.n ? plan->packing.n_mux : 1;
	plan_free(plan);
	return rc;
}
