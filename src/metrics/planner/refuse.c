/* refuse.c: why an item fits no mux group, for people */
#include "metrics/planner/pack.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { NAMES_SHOWN = 16 };

static bool needs_counter(const struct event *event)
{
	return event->needs_counter;
}

static bool is_of_core(const struct event *event)
{
	return !event_is_of_device(event);
}

/* Its events of a kind on one type; with dots where those are too many to show. */
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
	struct text names = { 0 };
	unsigned n = list_events(packing, item, type, needs_counter, &names);
	bool is_it = limit && n > limit;

	if (is_it)
		text_printf(ret, "needs %u events at once, but %s has %u counters: %s", n,
			    its->pmu ? its->pmu->name : its->name, limit, names.bytes);
	text_fini(&names);
	return is_it;
}

static bool says_columns(const struct packing *packing, const struct plan_item *item, unsigned type,
			 struct text *ret)
{
	static bool (*const kind[])(const struct event *) = { is_of_core, event_is_of_device };
	static const unsigned max[] = { CORE_SLOTS_MAX, SLOTS_MAX };
	bool is_it = false;

	for (size_t i = 0; i < ARRAY_SIZE(kind) && !is_it; i++) {
		struct text names = { 0 };
		unsigned n = list_events(packing, item, type, kind[i], &names);

		is_it = n > max[i];
		if (is_it)
			text_printf(ret,
				    "needs %u events at once, but %u can be counted at a time: %s",
				    n, max[i], names.bytes);
		text_fini(&names);
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

/* @kernel  what request->fits said; "" when it was not asked */
static void say_why(const struct packing *packing, const struct plan_item *item,
		    const struct err *kernel, struct text *ret)
{
	for (unsigned t = 0; t < packing->empty.machine->n_types; t++)
		if (says_number(packing, item, t, ret) || says_columns(packing, item, t, ret) ||
		    says_collision(packing, item, t, ret))
			return;
	text_printf(ret, "does not fit: %s", kernel->text);
}

/* An event or a preset. */
static int refuse_asked(const struct packing *packing, const struct plan_item *item,
			const struct err *kernel, struct err *err)
{
	struct set unused;
	int rc = packing_place_alone(packing, item, &unused, err);

	return rc ? rc
		  : err_set(err, ENOSPC, "%s", *kernel->text ? kernel->text : "that does not fit");
}

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

int packing_refuse(const struct packing *packing, const struct plan_item *item,
		   const struct err *kernel, struct err *err)
{
	return item->number == ITEM_ASKED ? refuse_asked(packing, item, kernel, err)
					  : refuse_metric(packing, item, kernel, err);
}
