/* items.c: from what was asked for to the events that it needs on each core type */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "metrics/planner/pack.h"

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

static int parse(const struct planner_request *request, const char *text, struct event_spec **ret,
		 size_t *ret_n, struct err *err)
{
	struct event_spec spec;
	int rc = event_spec_parse(text, &spec, err);

	if (rc)
		return rc;
	spec.is_data = true;
	return event_specs_expand(request->events, &spec, 1, ret, ret_n, err);
}

/* @ret  the first input of that name */
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

	int rc = parse(request, text, &spec, &n, err);

	for (size_t i = 0; i < n && !rc; i++)
		rc = add_input(items, request, text, &spec[i], (unsigned)(n - i), err);
	return rc;
}

/* Why a type cannot count an input. */
static int explain(const struct planner_request *request, const char *text, unsigned type,
		   struct err *err)
{
	AUTO_FREE struct event_spec *spec = NULL;
	const struct event *event;
	size_t n = 0;
	int rc = parse(request, text, &spec, &n, err);

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

/* An input that another type's program has too is one use. */
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

/* All inputs of a program, or none. */
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
				rc = explain(request, text, type, err);
	}
	for (unsigned i = 0; !rc && (text = metric_input(program, i)); i++) {
		rc = find_input(items, request, text, &at, err);
		for (unsigned u = 0; !rc && u < items->input[at].n_units; u++)
			rc = add_use(items, first, at + u, type, err);
	}
	return rc;
}

static int add_item(struct plan_items *items, const struct plan_item *item)
{
	return array_append((void **)&items->item, &items->cap, &items->n, item, sizeof(*item));
}

int plan_items_add(struct plan_items *items, const struct planner_request *request, unsigned number,
		   struct err *err)
{
	const struct metric *metric = &request->metrics->metric[number];
	struct plan_item item = { .number = number, .first = (unsigned)items->n_uses };
	struct err why = { "no core type has it" };
	int missing = -ENOENT;

	for (unsigned t = 0; t < event_table_machine(request->events)->n_types; t++) {
		if (!metric->program[t])
			continue;

		int rc = add_program(items, request, metric->program[t], item.first, t, &why);

		if (rc == -ENOMEM)
			return out_of_memory(err);
		missing = missing ? rc : 0;
	}
	if (missing)
		return err_set(err, -missing, "metric %s: %s", metric->name, why.text);
	item.n = (unsigned)items->n_uses - item.first;
	return item.n && add_item(items, &item) ? out_of_memory(err) : 0;
}

/* What the types have in one row, if anything, as one input. */
static int add_row(struct plan_items *items, const struct event_request *asked, unsigned row)
{
	struct plan_input input = { .text = "", .n_units = 1 };
	uint8_t types = 0;

	for (unsigned t = 0; t < asked->machine->n_types; t++)
		for (size_t i = 0; i < asked->n[t]; i++) {
			const struct want *want = &asked->want[t][i];

			if (asked->row[t][i] != row)
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

int plan_items_add_asked(struct plan_items *items, const struct event_request *asked, bool is_whole)
{
	struct plan_item item = { .number = ITEM_ASKED, .first = (unsigned)items->n_uses };

	for (unsigned row = 0; row < 2 * SLOTS_MAX; row++) {
		if (add_row(items, asked, row))
			return -ENOMEM;
		item.n = (unsigned)items->n_uses - item.first;
		if (!item.n || (is_whole && row + 1 < 2 * SLOTS_MAX))
			continue;
		if (add_item(items, &item))
			return -ENOMEM;
		item.first += item.n;
	}
	return 0;
}

int plan_items_split(struct plan_items *items, size_t which)
{
	struct plan_item whole = items->item[which];

	items->item[which].n = 1;
	for (unsigned i = 1; i < whole.n; i++) {
		const struct plan_item part = { whole.number, whole.first + i, 1 };

		if (add_item(items, &part))
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

void plan_items_unite(struct plan_items *items)
{
	for (size_t i = 0; i < items->n_inputs; i++)
		for (size_t k = i + 1; k < items->n_inputs; k++)
			for (unsigned t = 0; t < TYPES_MAX; t++)
				unite(&items->input[i], &items->input[k], t);
}

void plan_items_fini(struct plan_items *items)
{
	if (!items)
		return;
	free(items->input);
	free(items->use);
	free(items->item);
	*items = (struct plan_items){ 0 };
}
