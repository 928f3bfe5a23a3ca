/* planner.c: make a set from a request: reject, split and multiplex metrics */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "metrics/planner.h"
#include "metrics/planner/pack.h"

/* Messages about items that fit no mux group */

enum { NAMES_SHOWN = 16 };

static bool needs_counter(const struct event *event)
{
	return event->needs_counter;
}

static bool is_of_core(const struct event *event)
{
	return !event_is_of_device(event);
}

/* List an item's events of a kind on one type, with dots if there are too many. */
static unsigned list_events(const struct packing *packing, const struct plan_item *item,
			    unsigned type, bool (*is_of_kind)(const struct event *event),
			    struct text *ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < item->n; i++) {
		const struct plan_use *use = &packing->items->use[item->first + i];
		const struct event *event = packing->items->input[use->input].event[type];

		if (!(use->types >> type & 1) || !is_of_kind(event))
			continue;
		if (n < NAMES_SHOWN)
			text_printf(ret, "%s%s", n ? ", " : "", event->name);
		n++;
	}
	if (n > NAMES_SHOWN)
		text_printf(ret, ", …");
	return n;
}

static bool says_number(const struct packing *packing, const struct plan_item *item, unsigned type,
			struct text *ret)
{
	const struct core_type *its = &packing->empty.machine->type[type];
	unsigned limit = packing_limit(packing->request, type);
	AUTO_TEXT struct text names = { 0 };
	unsigned n = list_events(packing, item, type, needs_counter, &names);
	bool is_it = limit && n > limit;

	if (is_it)
		text_printf(ret, "needs %u events at once, but %s has %u counters: %s", n,
			    its->pmu ? its->pmu->name : its->name, limit, names.bytes);
	return is_it;
}

static bool says_columns(const struct packing *packing, const struct plan_item *item, unsigned type,
			 struct text *ret)
{
	static bool (*const kind[])(const struct event *) = { is_of_core, event_is_of_device };
	static const unsigned max[] = { CORE_SLOTS_MAX, SLOTS_MAX };
	bool is_it = false;

	for (size_t i = 0; i < ARRAY_SIZE(kind) && !is_it; i++) {
		AUTO_TEXT struct text names = { 0 };
		unsigned n = list_events(packing, item, type, kind[i], &names);

		is_it = n > max[i];
		if (is_it)
			text_printf(ret,
				    "needs %u events at once, but %u can be counted at a time: %s",
				    n, max[i], names.bytes);
	}
	return is_it;
}

static bool says_collision(const struct packing *packing, const struct plan_item *item,
			   unsigned type, struct text *ret)
{
	const struct event_request *empty = &packing->empty;
	struct want want[SLOTS_MAX];
	struct collision why;
	struct placement unused;
	char text[512];
	size_t n = 0;

	for (; n < empty->n[type]; n++)
		want[n] = empty->want[type][n];
	for (unsigned i = 0; i < item->n && n < SLOTS_MAX; i++) {
		const struct plan_use *use = &packing->items->use[item->first + i];
		const struct event *event = packing->items->input[use->input].event[type];
		bool is_there = !(use->types >> type & 1);

		for (size_t k = 0; k < n && !is_there; k++)
			is_there = event_counts_as(want[k].event, event);
		if (!is_there)
			want[n++] = (struct want){ .event = event, .slot = -1 };
	}
	if (placement_make(&empty->machine->type[type], want, n, &unused, &why) == 0)
		return false;
	text_printf(ret, "does not fit: %s", collision_text(&why, text, sizeof(text)));
	return true;
}

/* Write why an item does not fit. @kernel  message of request->fits; "": not called */
static void say_why(const struct packing *packing, const struct plan_item *item,
		    const struct err *kernel, struct text *ret)
{
	for (unsigned t = 0; t < packing->empty.machine->n_types; t++)
		if (says_number(packing, item, t, ret) || says_columns(packing, item, t, ret) ||
		    says_collision(packing, item, t, ret))
			return;
	text_printf(ret, "does not fit: %s", kernel->text);
}

/* Report an event or a preset that does not fit. @kernel  as in say_why */
static int refuse_item(const struct packing *packing, const struct plan_item *item,
		       const struct err *kernel, struct err *err)
{
	struct set unused;
	int rc = packing_place_alone(packing, item, &unused, err);

	return rc ? rc
		  : err_set(err, ENOSPC, "%s", *kernel->text ? kernel->text : "that does not fit");
}

/* Report a metric that does not fit, with the number of sets that it would take. */
static int refuse_metric(const struct packing *packing, const struct plan_item *item,
			 const struct err *kernel, struct err *err)
{
	const char *name = packing->request->metrics->metric[item->number].name;
	struct planner_request alone = *packing->request;
	struct text why = { 0 };
	unsigned n;

	alone.splits_metrics = true;
	text_printf(&why, "metric %s ", name);
	say_why(packing, item, kernel, &why);
	if (planner_n_sets(&alone, item->number, &n, NULL) == 0)
		text_printf(&why, "; --split measures it in %u multiplexed sets, as an estimate",
			    n);
	return text_to_err(&why, ENOSPC, err);
}

/* Items: resolve the requested events and metrics for each core type */

static int out_of_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

static int append_input(struct plan_items *items, const struct plan_input *input)
{
	return items->n_inputs > UINT16_MAX
		       ? -ENOMEM
		       : array_append((void **)&items->input, &items->cap_inputs, &items->n_inputs,
				      input, sizeof(*input));
}

static int add_input(struct plan_items *items, const struct planner_request *request,
		     const char *text, const struct event_spec *spec, unsigned n_units,
		     struct err *err)
{
	const struct machine *machine = event_table_machine(request->events);
	struct plan_input input = { .text = text, .slot = -1, .n_units = n_units };

	for (unsigned t = 0; t < machine->n_types; t++) {
		const struct event *event;

		if (!event_resolve(request->events, t, spec, request->privilege, &event, NULL) &&
		    !event->refused[0])
			input.event[t] = event;
	}
	return append_input(items, &input) ? out_of_memory(err) : 0;
}

static int planner_parse(const struct planner_request *request, const char *text,
			 struct event_spec **ret, size_t *ret_n, struct err *err)
{
	struct event_spec spec;
	int rc = event_spec_parse(text, &spec, err);

	if (rc)
		return rc;
	spec.is_data = true;
	return event_specs_expand(request->events, &spec, 1, ret, ret_n, err);
}

/* Find or add the inputs of a name. @ret  index of the first */
static int find_input(struct plan_items *items, const struct planner_request *request,
		      const char *text, size_t *ret, struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	size_t at = 0, n = 0;

	while (at < items->n_inputs && strcmp(items->input[at].text, text) != 0)
		at++;
	*ret = at;
	if (at < items->n_inputs)
		return 0;

	int rc = planner_parse(request, text, &spec, &n, err);

	for (size_t i = 0; i < n && !rc; i++)
		rc = add_input(items, request, text, &spec[i], (unsigned)(n - i), err);
	return rc;
}

/* Report why a type cannot count an input. */
static int planner_explain(const struct planner_request *request, const char *text, unsigned type,
			   struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	const struct event *event;
	size_t n = 0;
	int rc = planner_parse(request, text, &spec, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = event_resolve(request->events, type, &spec[i], request->privilege, &event,
				   err);
		if (!rc && event->refused[0])
			rc = err_set(err, ENOENT, "%s: %s", text, event->refused);
	}
	return rc ? rc : err_set(err, ENOENT, "%s cannot be counted", text);
}

static int append_use(struct plan_items *items, size_t input, uint8_t types)
{
	const struct plan_use use = { (uint16_t)input, types };

	return array_append((void **)&items->use, &items->cap_uses, &items->n_uses, &use,
			    sizeof(use));
}

/* Add a use of an input, or the type to an existing use. */
static int add_use(struct plan_items *items, unsigned first, size_t input, unsigned type,
		   struct err *err)
{
	for (size_t i = first; i < items->n_uses; i++) {
		if (items->use[i].input != input)
			continue;
		items->use[i].types |= (uint8_t)(1U << type);
		return 0;
	}
	return append_use(items, input, (uint8_t)(1U << type)) ? out_of_memory(err) : 0;
}

/* Add all inputs of a program, or none. */
static int add_program(struct plan_items *items, const struct planner_request *request,
		       const struct metric_program *program, unsigned first, unsigned type,
		       struct err *err)
{
	const char *text;
	size_t at;
	int rc = 0;

	for (unsigned i = 0; !rc && (text = metric_input(program, i)); i++) {
		rc = find_input(items, request, text, &at, err);
		for (unsigned u = 0; !rc && u < items->input[at].n_units; u++)
			if (!items->input[at + u].event[type])
				rc = planner_explain(request, text, type, err);
	}
	for (unsigned i = 0; !rc && (text = metric_input(program, i)); i++) {
		rc = find_input(items, request, text, &at, err);
		for (unsigned u = 0; !rc && u < items->input[at].n_units; u++)
			rc = add_use(items, first, at + u, type, err);
	}
	return rc;
}

static int planner_add_item(struct plan_items *items, const struct plan_item *item)
{
	return array_append((void **)&items->item, &items->cap, &items->n, item, sizeof(*item));
}

/* Append the uses of a metric to the item that is being made. @return as plan_items_add */
static int add_metric(struct plan_items *items, const struct planner_request *request,
		      unsigned number, const struct plan_item *item, struct err *err)
{
	const struct metric *metric = &request->metrics->metric[number];
	struct err why = { "no core type has it" };
	int missing = -ENOENT;

	for (unsigned t = 0; t < event_table_machine(request->events)->n_types; t++) {
		if (!metric->program[t])
			continue;

		int rc = add_program(items, request, metric->program[t], item->first, t, &why);

		if (rc == -ENOMEM)
			return out_of_memory(err);
		missing = missing ? rc : 0;
	}
	return missing ? err_set(err, -missing, "metric %s: %s", metric->name, why.text) : 0;
}

/*
 * Append the item of a metric or of several, unless it consists of constants only.
 *
 * @return 0; -ENOENT and other errors of event_resolve if no core type counts all inputs of a metric
 */
static int plan_items_add(struct plan_items *items, const struct planner_request *request,
			  const uint16_t *number, size_t n, struct err *err)
{
	struct plan_item item = { .number = number[0],
				  .is_parts = n > 1,
				  .first = (unsigned)items->n_uses };
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = add_metric(items, request, number[i], &item, err);
	item.n = (unsigned)items->n_uses - item.first;
	if (rc)
		return rc;
	return item.n && planner_add_item(items, &item) ? out_of_memory(err) : 0;
}

/* Add the events of all types in one row, if any, as one input. */
static int planner_add_row(struct plan_items *items, const struct event_request *wanted,
			   unsigned row)
{
	struct plan_input input = { .text = "", .n_units = 1 };
	uint8_t types = 0;

	for (unsigned t = 0; t < wanted->machine->n_types; t++)
		for (size_t i = 0; i < wanted->n[t]; i++) {
			const struct want *want = &wanted->want[t][i];

			if (wanted->row[t][i] != row)
				continue;
			input.event[t] = want->event;
			input.slot = want->slot;
			input.fixed = want->fixed;
			types |= (uint8_t)(1U << t);
		}
	if (!types)
		return 0;
	if (append_use(items, items->n_inputs, types) || append_input(items, &input))
		return -ENOMEM;
	return 0;
}

/*
 * Append requested events.
 *
 * @is_whole  all are one item, for a preset; else each is an item
 * @return    0 or -ENOMEM
 */
static int plan_items_add_request(struct plan_items *items, const struct event_request *wanted,
				  bool is_whole, struct err *err)
{
	struct plan_item item = { .number = ITEM_REQUESTED, .first = (unsigned)items->n_uses };

	for (unsigned row = 0; row < 2 * SLOTS_MAX; row++) {
		if (planner_add_row(items, wanted, row))
			return out_of_memory(err);
		item.n = (unsigned)items->n_uses - item.first;
		if (!item.n || (is_whole && row + 1 < 2 * SLOTS_MAX))
			continue;
		if (planner_add_item(items, &item))
			return out_of_memory(err);
		item.first += item.n;
	}
	return 0;
}

/* Split an item into one per input. @return 0 or -ENOMEM */
static int plan_items_split(struct plan_items *items, size_t which)
{
	struct plan_item whole = items->item[which];

	items->item[which].n = 1;
	for (unsigned i = 1; i < whole.n; i++) {
		const struct plan_item part = { .number = whole.number,
						.first = whole.first + i,
						.n = 1 };

		if (planner_add_item(items, &part))
			return -ENOMEM;
	}
	return 0;
}

static void unite(struct plan_input *a, struct plan_input *b, unsigned type)
{
	const struct event *one = a->event[type], *two = b->event[type];

	if (!one || !two || one == two || !event_counts_as(one, two))
		return;
	if (metric_input_is(two, a->text))
		a->event[type] = two;
	else if (metric_input_is(one, b->text))
		b->event[type] = one;
}

struct planner {
	const struct planner_request *request;
	struct plan_items items;
	struct packing packing;
	struct set base;    /* events and preset, without metrics */
	const char *preset; /* as given; "": none, or events were given as well */
	bool splits;        /* a metric's inputs are in several items */
};

static struct planner *plan_new(const struct planner_request *request, struct err *err)
{
	struct planner *plan = calloc(1, sizeof(*plan));

	if (!plan) {
		out_of_memory(err);
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
	free(plan->items.input);
	free(plan->items.use);
	free(plan->items.item);
	free(plan->packing.mux_of);
	free(plan);
}

/* Put everything requested except metrics into one mux group. */
static int begin_one_mux(struct planner *plan, struct err *err)
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
		rc = event_request_place(&packing->first, "", &plan->base, err);
	if (!rc && packing->has_first && request->fits)
		rc = request->fits(request->data, &plan->base, err);
	if (!request->n_specs)
		plan->preset = preset;
	return rc;
}

static int planner_add_preset(struct planner *plan, const char *name, size_t n, struct err *err)
{
	const struct planner_request *request = plan->request;
	AUTO_FREE char *copy = strndup(name, n);
	struct event_request wanted;
	int rc = copy ? 0 : out_of_memory(err);

	event_request_init(&wanted, request->events, request->privilege);
	if (!rc)
		rc = event_request_add_preset(&wanted, copy, &name, err);
	return rc ? rc : plan_items_add_request(&plan->items, &wanted, true, err);
}

/* Add an event, or a group in braces. @n  1, or size of the group */
static int planner_add_events(struct planner *plan, const struct event_spec *spec, size_t n,
			      struct err *err)
{
	const struct planner_request *request = plan->request;
	struct event_request wanted;

	event_request_init(&wanted, request->events, request->privilege);

	int rc = event_request_add_specs(&wanted, spec, n, err);

	return rc ? rc : plan_items_add_request(&plan->items, &wanted, n > 1, err);
}

/* Whether an earlier input or the fixed pair counts the same on a type. */
static bool is_repeated(const struct planner *plan, const struct event *event, unsigned type)
{
	const struct event_request *empty = &plan->packing.empty;
	bool is_it = false;

	for (size_t i = 0; i < empty->n[type] && !is_it; i++)
		is_it = event_counts_as(empty->want[type][i].event, event);
	for (size_t i = 0; i < plan->items.n_inputs && !is_it; i++) {
		const struct event *other = plan->items.input[i].event[type];

		is_it = other && event_counts_as(other, event);
	}
	return is_it;
}

static bool is_all(const char *name, size_t n)
{
	return n == strlen(PRESET_ALL) && ascii_ncasecmp(name, PRESET_ALL, n) == 0;
}

/* Whether the preset "all" has the event: those of the core PMU; without one those of the kernel's software. */
static bool is_of_all(const struct machine *machine, unsigned type,
		      const struct catalog_event *known)
{
	const struct pmu *pmu = event_pmu_of_catalog(machine, type, known);

	if (known->is_deprecated || !pmu)
		return false;
	return machine_has_core_pmu(machine) ? pmu == machine->type[type].pmu
					     : pmu->kind == PMU_SOFTWARE;
}

/* Add an event as an item, for the types that can count it and do not count it yet. */
static int planner_add_known(struct planner *plan, const struct catalog_event *known,
			     struct err *err)
{
	const struct event_spec spec = event_spec_of_name(known->name);
	struct plan_items *items = &plan->items;
	struct plan_item item = { .number = ITEM_REQUESTED,
				  .first = (unsigned)items->n_uses,
				  .n = 1 };
	uint8_t types = 0;
	int rc = add_input(items, plan->request, "", &spec, 1, err);

	if (rc)
		return rc;
	items->n_inputs--; /* for is_repeated */
	for (unsigned t = 0; t < TYPES_MAX; t++) {
		const struct event *event = items->input[items->n_inputs].event[t];

		if (event && !is_repeated(plan, event, t))
			types |= (uint8_t)(1U << t);
	}
	if (!types)
		return 0;
	if (append_use(items, items->n_inputs++, types) || planner_add_item(items, &item))
		return out_of_memory(err);
	return 0;
}

/* Add every event that some core type can count; cycles and instructions to all mux groups, for ratios within one. */
static int planner_add_all(struct planner *plan, struct err *err)
{
	const struct event_spec both[] = { event_spec_of_name("cycles"),
					   event_spec_of_name("instructions") };
	const struct machine *machine = plan->packing.empty.machine;
	int rc = 0;

	for (size_t i = 0; machine_has_core_pmu(machine) && i < ARRAY_SIZE(both); i++)
		event_request_add_specs(&plan->packing.empty, &both[i], 1, NULL);

	for (unsigned t = 0; t < machine->n_types; t++) {
		const struct catalog *catalog = machine->type[t].catalog;

		for (size_t i = 0; !rc && i < catalog->n_events; i++)
			if (is_of_all(machine, t, &catalog->event[i]))
				rc = planner_add_known(plan, &catalog->event[i], err);
	}
	return rc || plan->items.n ? rc
				   : err_set(err, ENOENT,
					     "no events of these cores are known beyond cycles "
					     "and instructions: m1top events import gets them");
}

/* Let presets and events go into any mux groups, each preset and each event or {a,b} in one. */
static int begin_any_mux(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	const char *rest = request->preset, *name;
	size_t n;
	int rc = 0;

	plan->packing.has_first = false;
	plan->preset = "";
	while (!rc && text_next_item(&rest, &name, &n))
		rc = is_all(name, n) ? planner_add_all(plan, err)
				     : planner_add_preset(plan, name, n, err);
	for (size_t i = 0; i < request->n_specs && !rc; i += n) {
		const struct event_spec *spec = &request->spec[i];

		/* a group in braces, else one */
		for (n = 1;
		     i + n < request->n_specs && spec->group && spec[n].group == spec->group;)
			n++;
		rc = planner_add_events(plan, spec, n, err);
	}
	return rc;
}

/* Prepare mux groups before metrics are added: the preset and the events in the first if they fit one, Apple's fixed
 * pair in all. */
static int planner_begin_plan(struct planner *plan, struct err *err)
{
	const struct planner_request *request = plan->request;
	bool is_one = !request->preset || (!strchr(request->preset, ',') &&
					   ascii_casecmp(request->preset, PRESET_ALL) != 0);
	int rc = event_request_add_fixed_pair(&plan->packing.empty, err);

	plan->packing.has_first = request->preset || request->n_specs;
	if (!rc && is_one)
		rc = begin_one_mux(plan, err);
	if ((!rc && !is_one) || (plan->packing.has_first && (rc == -ENOSPC || rc == -EINVAL)))
		rc = begin_any_mux(plan, err);
	return rc;
}

/* Whether events and preset already suffice for a metric on every type that has it. */
static bool is_given(const struct planner *plan, const struct metric *metric)
{
	struct metric_binding unused;
	bool is_given = plan->packing.has_first;

	for (unsigned t = 0; t < plan->packing.first.machine->n_types && is_given; t++)
		is_given = !metric->program[t] ||
			   metric_bind(metric->program[t], &plan->base.type[t], &unused);
	return is_given;
}

/* List the requested metrics that need events. @is_parts  those in the stacked bar, if any of them does; false: the
 * others  @ret  room for all  @return their number */
static size_t list_metrics(const struct planner *plan, bool is_parts, uint16_t *ret)
{
	const struct metrics *metrics = plan->request->metrics;
	const struct metrics_selection *selection = plan->request->selection;
	size_t n = 0;
	bool needs_any = false;

	for (size_t i = 0; selection && i < selection->n; i++) {
		unsigned number = selection->number[i];
		bool needs = !is_given(plan, &metrics->metric[number]);

		if (metrics_is_part(metrics, number) != is_parts || (!is_parts && !needs))
			continue;
		needs_any |= needs;
		ret[n++] = (uint16_t)number;
	}
	return needs_any ? n : 0;
}

static void unite_all(struct plan_items *items)
{
	for (size_t i = 0; i < items->n_inputs; i++)
		for (size_t k = i + 1; k < items->n_inputs; k++)
			for (unsigned t = 0; t < TYPES_MAX; t++)
				unite(&items->input[i], &items->input[k], t);
}

/* Add the parts of the stacked bar, as one item: counted apart, their sum can exceed 100 %. */
static int add_metrics(struct planner *plan, struct err *err)
{
	const struct metrics_selection *selection = plan->request->selection;
	AUTO_FREE uint16_t *number = calloc((selection ? selection->n : 0) + 1, sizeof(*number));
	size_t n = number ? list_metrics(plan, true, number) : 0;
	int rc = number ? 0 : out_of_memory(err);

	if (n)
		rc = plan_items_add(&plan->items, plan->request, number, n, err);
	n = rc ? 0 : list_metrics(plan, false, number);
	for (size_t i = 0; i < n && !rc; i++)
		rc = plan_items_add(&plan->items, plan->request, &number[i], 1, err);
	unite_all(&plan->items);
	return rc;
}

/* Make an item of each part if they do not fit one mux group. */
static int separate_parts(struct planner *plan, struct err *err)
{
	struct plan_items *items = &plan->items;
	uint16_t number[METRIC_PARTS_MAX];
	struct err unused;
	size_t at = 0, n;
	int rc = 0;

	while (at < items->n && !items->item[at].is_parts)
		at++;
	if (at == items->n || packing_fits_alone(&plan->packing, &items->item[at], &unused))
		return 0;
	n = list_metrics(plan, true, number);
	for (size_t i = 0; i < n && !rc; i++)
		rc = plan_items_add(items, plan->request, &number[i], 1, err);
	unite_all(items);
	items->item[at] = items->item[--items->n];
	return rc;
}

/* Check that every item fits a mux group of its own; else split it, or fail. */
static int check_items(struct planner *plan, struct err *err)
{
	int rc = separate_parts(plan, err);
	size_t n = plan->items.n; /* items appended by splitting are not checked: they cannot be
	                           * split further */

	for (size_t i = 0; i < n && !rc; i++) {
		struct plan_item item = plan->items.item[i];
		struct err why = { "" };

		if (packing_fits_alone(&plan->packing, &item, &why))
			continue;
		if (packing_check_size(&plan->packing, &item, err))
			return -ENOSPC;
		if (!plan->request->splits_metrics || item.n < 2)
			return item.number == ITEM_REQUESTED
				       ? refuse_item(&plan->packing, &item, &why, err)
				       : refuse_metric(&plan->packing, &item, &why, err);
		if (plan_items_split(&plan->items, i))
			return out_of_memory(err);
		plan->splits = true;
	}
	return rc;
}

static int planner_pack(struct planner *plan, struct err *err)
{
	int rc = check_items(plan, err);

	if (rc)
		return rc;
	free(plan->packing.mux_of);
	plan->packing.mux_of = calloc(plan->items.n + 1, 1);
	if (!plan->packing.mux_of)
		return out_of_memory(err);
	return packing_solve(&plan->packing, err);
}

/* Make the sets of all mux groups. @mux  room for MUX_MAX  @ret_accepted  the kernel accepts all */
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

/* Pack and join the mux groups, first by counter masks only. If the kernel rejects a result, pack again with a check in
 * every step. */
static int solve(struct planner *plan, struct set *ret, struct err *err)
{
	AUTO_FREE struct set *mux = calloc(MUX_MAX, sizeof(*mux));
	bool accepted = true;
	struct set set;
	int rc = mux ? planner_pack(plan, err) : out_of_memory(err);

	if (!rc)
		rc = make_mux(plan, mux, &accepted, err);
	if (!rc && !accepted) {
		plan->packing.asks = true;
		rc = planner_pack(plan, err);
		if (!rc)
			rc = make_mux(plan, mux, &accepted, err);
	}
	if (!rc)
		rc = set_join(mux, plan->packing.n_mux, &set, err);
	if (rc)
		return rc;
	set.splits_metrics = plan->splits;
	if (plan->request->preset && !plan->request->n_specs &&
	    ascii_casecmp(plan->request->preset, PRESET_ALL) == 0)
		snprintf(set.preset, sizeof(set.preset), PRESET_ALL);
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

/* Make the default set with the inputs of the parts of a core's time. @return 0; -ENOSPC if they do not fit the
 * counters at once, -ENOENT if there is nothing to add, other errors */
static int add_parts(struct planner *plan, struct set *ret)
{
	const struct planner_request *request = plan->request;
	struct event_request *first = &plan->packing.first;
	struct set set;
	int rc = event_request_add_default(first, request->max_counters, &plan->preset, NULL);

	plan->packing.has_first = true;
	if (!rc)
		rc = event_request_place(first, "", &plan->base, NULL);
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

/* Make a set without metrics that need events. */
static int make_plain(const struct planner_request *request, struct set *ret, struct err *err)
{
	if (request->n_specs)
		return set_make(request->events, request->spec, request->n_specs,
				request->privilege, ret, err);
	if (request->preset)
		return set_preset(request->events, request->preset, request->privilege, ret, err);
	return make_default(request, ret, err);
}

/* @ret  NULL on failure */
static int plan_make(const struct planner_request *request, struct planner **ret, struct err *err)
{
	struct planner *plan = plan_new(request, err);
	int rc = plan ? planner_begin_plan(plan, err) : -ENOMEM;

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
		rc = plan->items.n || (request->preset && request->n_specs)
			     ? solve(plan, ret, err)
			     : make_plain(request, ret, err);
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
		rc = planner_pack(plan, err);
	}
	if (!rc)
		*ret = plan->items.n ? plan->packing.n_mux : 1;
	plan_free(plan);
	return rc;
}
