#include "tui/model/event_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "pmu/set.h"
#include "tui/model/names.h"
#include "tui/term/draw.h"

/* Whether the catalog of an earlier type has the event. */
static bool is_listed(const struct machine *machine, unsigned type, const char *name)
{
	const struct catalog_event *found;

	for (unsigned i = 0; i < type; i++)
		if (machine->type[i].catalog == machine->type[type].catalog ||
		    (catalog_lookup(machine->type[i].catalog, name, &found, 1) > 0 &&
		     ascii_casecmp(found->name, name) == 0))
			return true;
	return false;
}

const char *event_group(const struct catalog_event *event)
{
	return *event->pmu ? event->pmu : event->topic;
}

/* Get the number of an existing group, or the next free number. */
static unsigned number_group(struct event_list *list, const struct catalog_event *event)
{
	for (unsigned i = list->n; i-- > 0;)
		if (strcmp(event_group(list->choice[i].event), event_group(event)) == 0)
			return list->choice[i].group;
	return list->n_groups++;
}

/* Get the PMU of an event. @return NULL: there is none, or it is the activity PMU and refuses the
 * event on every core type */
static const struct pmu *event_list_pmu_of(const struct machine *machine, unsigned type,
					   const struct catalog_event *event)
{
	const struct pmu *pmu = event_pmu_of_catalog(machine, type, event);

	for (unsigned i = 0; pmu && pmu->kind == PMU_ACTIVITY && i < machine->n_types; i++)
		if (!activity_refusal(machine, i, event->id))
			return pmu;
	return pmu && pmu->kind == PMU_ACTIVITY ? NULL : pmu;
}

static void event_list_add(struct event_list *list, unsigned type,
			   const struct catalog_event *event, const struct pmu *pmu)
{
	unsigned group = number_group(list, event);

	list->choice[list->n++] =
		(struct choice){ .event = event, .type = type, .group = group, .pmu = pmu };
}

static int add_catalog(struct event_list *list, const struct machine *machine, unsigned type,
		       size_t *cap)
{
	const struct catalog *catalog = machine->type[type].catalog;

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *event = &catalog->event[i];

		if (is_listed(machine, type, event->name))
			continue;
		if (array_reserve((void **)&list->choice, cap, list->n, sizeof(*list->choice)) < 0)
			return -ENOMEM;
		event_list_add(list, type, event, event_list_pmu_of(machine, type, event));
		if (draw_columns(event->name) > list->name_width)
			list->name_width = draw_columns(event->name);
	}
	return 0;
}

/* Move groups without a countable event behind the others. */
static int order_groups(struct event_list *list)
{
	AUTO_FREE unsigned *number = calloc(list->n_groups + 1, sizeof(*number)); /* 1-based */
	unsigned n = 0;

	if (!number)
		return -ENOMEM;
	for (int counted = 1; counted >= 0; counted--)
		for (unsigned i = 0; i < list->n; i++) {
			const struct choice *choice = &list->choice[i];

			if ((choice->pmu || !counted) && !number[choice->group])
				number[choice->group] = ++n;
		}
	for (unsigned i = 0; i < list->n; i++)
		list->choice[i].group = number[list->choice[i].group] - 1;
	return 0;
}

/* An event that no catalog has, owned by the list. */
struct tracepoint {
	struct catalog_event event;
	struct tracepoint *next;
	char subsystem[64], name[];
};

struct tracepoints {
	struct event_list *list;
	const struct pmu *pmu;
	size_t cap;
	int rc;
};

static void event_list_add_tracepoint(void *data, const char *name)
{
	static const char *const no_alias[] = { NULL };
	struct tracepoints *all = data;
	struct event_list *list = all->list;
	struct tracepoint *new = calloc(1, sizeof(*new) + strlen(name) + 1);

	if (!new ||
	    array_reserve((void **)&list->choice, &all->cap, list->n, sizeof(*list->choice)) < 0) {
		free(new);
		all->rc = -ENOMEM;
		return;
	}
	memcpy(new->name, name, strlen(name) + 1);
	snprintf(new->subsystem, sizeof(new->subsystem), "%.*s tracepoints",
		 (int)strcspn(name, ":"), name);
	new->event = (struct catalog_event){
		.name = new->name,
		.short_name = "",
		.brief = "",
		.what = "",
		.pmu = new->subsystem,
		.compat = "",
		.terms = "",
		.topic = "",
		.unit = "",
		.scale = 1,
		.source = "",
		.alias = no_alias,
	};
	new->next = list->tracepoint;
	list->tracepoint = new;
	event_list_add(list, 0, &new->event, all->pmu);
}

int event_list_make(const struct machine *machine, bool has_tracepoints, struct event_list *ret)
{
	struct event_list list = { 0 };
	struct tracepoints all = { .list = &list, .pmu = pmu_find(&machine->pmus, "tracepoint") };

	for (unsigned type = 0; type < machine->n_types && !all.rc; type++)
		all.rc = add_catalog(&list, machine, type, &all.cap);
	if (!all.rc)
		all.rc = order_groups(&list);
	if (!all.rc && has_tracepoints && all.pmu)
		tracefs_each(machine->pmus.root, "", event_list_add_tracepoint, &all, NULL);
	if (all.rc)
		event_list_fini(&list);
	else
		*ret = list;
	return all.rc;
}

void event_list_fini(struct event_list *list)
{
	for (struct tracepoint *at = list->tracepoint, *next; at; at = next) {
		next = at->next;
		free(at);
	}
	free(list->choice);
	*list = (struct event_list){ 0 };
}

void event_list_set_target(struct event_list *list, const struct model *model, unsigned slot)
{
	if (list->set.number && list->set.number == model->set->number && list->slot == slot)
		return;
	for (unsigned i = 0; i < list->n; i++)
		list->choice[i].is_judged = false;
	list->set = *model->set;
	list->slot = slot;
}

const struct choice *event_list_check(const struct event_list *list, unsigned item,
				      struct event_table *events, enum privilege privilege)
{
	struct choice *choice = &list->choice[item];
	struct set next;

	if (choice->is_judged)
		return choice;
	choice->is_judged = true;
	choice->moves[0] = '\0';
	choice->slot = list->slot;
	choice->fits = set_choose(events, &list->set, list->slot, choice->event->name, privilege,
				  &choice->slot, &next, NULL) == 0;
	if (choice->fits && list->slot != SLOT_FREE)
		name_moves(&list->set, &next, choice->slot, choice->moves, sizeof(choice->moves));
	return choice;
}

bool event_list_is_legal(const struct event_list *list, unsigned item,
			 const struct machine *machine)
{
	const struct choice *choice = &list->choice[item];
	unsigned end = columns_n_counters(machine);

	if (!choice->pmu || *choice->event->pmu || list->slot == SLOT_FREE)
		return choice->pmu && *choice->event->pmu;

	unsigned slot = set_slot_of(&list->set, list->slot);

	return slot < end && event_is_legal(choice->event, slot);
}

static unsigned rank_names(const void *item, const char *word)
{
	const struct catalog_event *event = item;

	return match_better(match_name(event->name, word), match_name(event->short_name, word));
}

static unsigned rank_alias(const void *alias, const char *word)
{
	return match_name(alias, word);
}

static unsigned event_list_rank_word(const void *item, const char *word)
{
	const struct catalog_event *event = item;
	unsigned rank = rank_names(event, word);

	for (const char *const *alias = event->alias; *alias; alias++)
		rank = match_better(rank, match_name(*alias, word));
	if (*event->terms)
		rank = match_better(rank, match_id(event->id, word));
	rank = match_better(rank, match_text(event->brief, word));
	rank = match_better(rank, match_text(event->what, word));
	return match_better(rank, match_text(event->topic, word));
}

unsigned event_rank(const struct catalog_event *event, const char *search)
{
	return match_words(search, event_list_rank_word, event);
}

const char *event_found_alias(const struct catalog_event *event, const char *search)
{
	unsigned best = match_words(search, rank_names, event);
	const char *ret = NULL;

	for (const char *const *alias = event->alias; *alias; alias++) {
		unsigned rank = match_words(search, rank_alias, *alias);

		if (MATCH_OF(rank) >= MATCH_NAME && MATCH_OF(rank) > MATCH_OF(best)) {
			best = rank;
			ret = *alias;
		}
	}
	return ret;
}

int event_column_of(const struct model *model, const struct catalog_event *event)
{
	for (unsigned column = 0; column < model->set->n_slots; column++) {
		const struct event *now = set_event(model->set, column);

		if (now && event_is(now, event->name))
			return (int)column;
	}
	return -1;
}

bool event_is_legal(const struct catalog_event *event, unsigned counter)
{
	return !*event->pmu && (!event->counters || event->counters >> counter & 1);
}

unsigned event_first_counter(const struct machine *machine)
{
	const struct core_type *type = &machine->type[0];

	return type_has_fixed_pair(type) && type->n_counters > 2 ? 2 : 0;
}

static bool goes_to(const struct model *model, struct event_table *events,
		    const struct catalog_event *event, unsigned slot)
{
	struct set next;

	return set_change(events, model->set, slot, event->name, model->privilege, &next, NULL) ==
	       0;
}

unsigned event_best_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot)
{
	int column = event_column_of(model, event);
	unsigned mux = set_mux_of(model->set, slot);

	if (column >= 0)
		return (unsigned)column;
	for (unsigned other = 0; other < model_n_slots(model); other++)
		if (set_mux_of(model->set, other) == mux && !set_event(model->set, other) &&
		    goes_to(model, events, event, other))
			return other;
	return event_next_slot(model, events, event, slot);
}

unsigned event_next_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot)
{
	unsigned mux = set_mux_of(model->set, slot), n = model_n_slots(model);

	for (unsigned i = 1; i < n; i++) {
		unsigned other = (slot + i) % n;

		if (set_mux_of(model->set, other) == mux && goes_to(model, events, event, other))
			return other;
	}
	return slot;
}

static unsigned recents_place_of(const struct recents *recents, const char *name)
{
	unsigned at = 0;

	while (at < recents->n && ascii_casecmp(recents->name[at], name) != 0)
		at++;
	return at;
}

void recents_add(struct recents *recents, const char *name)
{
	unsigned at = recents_place_of(recents, name);
	char first[EVENT_NAME_MAX];

	/* `name` may point into `recents` */
	snprintf(first, sizeof(first), "%s", name);
	if (at == recents->n && recents->n < RECENTS_MAX)
		recents->n++;
	if (at == RECENTS_MAX)
		at--;
	memmove(recents->name[1], recents->name[0], at * sizeof(recents->name[0]));
	memcpy(recents->name[0], first, sizeof(first));
}

unsigned recents_rank(const struct recents *recents, const char *name)
{
	unsigned at = recents_place_of(recents, name);

	return at < recents->n ? RECENTS_MAX - at : 0;
}

void recents_set(struct recents *recents, const char *const *name, size_t n)
{
	*recents = (struct recents){ .n = 0 };
	for (size_t i = n < RECENTS_MAX ? n : RECENTS_MAX; i-- > 0;)
		if (*name[i] && strlen(name[i]) < EVENT_NAME_MAX)
			recents_add(recents, name[i]);
}
