/* event_list.h: every event of a machine's catalogues, and how each stands to one counter */
#ifndef TUI_MODEL_EVENT_LIST_H
#define TUI_MODEL_EVENT_LIST_H

#include "tui/widget/match.h"
#include "tui/model/model.h"

/** An event that could be put on the counter. */
struct choice {
	const struct catalog_event *event;
	unsigned type;          /* the first core type that has it */
	unsigned group;         /* 0, 1, …: events of one topic, or of one kind of device */
	const struct pmu *pmu;  /* the first here that counts it; NULL: none */
	bool is_judged;         /* what follows is known: see event_list_judge */
	bool fits;              /* it can be placed, moving others if need be */
	unsigned slot;          /* where it would be: beside the counters it takes another */
	char moves[96];         /* what would move: "BR-MISP 5→6"; "" for nothing */
	struct reading preview; /* its rate when it was tried; NONE: it was not */
};

/** `{ 0 }` is empty. */
struct event_list {
	struct choice *choice; /* of all types, those of the core PMU first, by name */
	unsigned n, n_groups;
	int name_width; /* columns of the longest name */
	struct set set; /* what `fits` and `moves` are about; number 0: nothing yet */
	unsigned slot;  /* SLOT_FREE: any that is beside the counters */
};

/** All that the catalogues have. @return 0 or -ENOMEM */
int event_list_make(const struct machine *machine, struct event_list *ret);

/** Release and empty it. */
void event_list_fini(struct event_list *list);

/** It is about this counter of the set that is loaded now; cheap while both stay. */
void event_list_aim(struct event_list *list, const struct model *model, unsigned slot);

/** Can it be placed there? Worked out when it is first asked for: a large catalogue has thousands.
 * @return the item's choice */
const struct choice *event_list_judge(const struct event_list *list, unsigned item,
				      struct event_table *events, enum privilege privilege);

/** Could it be placed there if nothing else were counted? */
bool event_list_is_legal(const struct event_list *list, unsigned item,
			 const struct machine *machine);

/** How a search means an event: by name, short name, aliases, number, or else by its text or topic;
 * or by a name's letters. @return a rank */
unsigned event_rank(const struct catalog_event *event, const char *search);

/** What its group is called: its topic, or the device's kind. */
const char *event_group(const struct catalog_event *event);

/** The column that counts it now. @return -1: none */
int event_column_of(const struct model *model, const struct catalog_event *event);

/** Is counter n one that it may be counted on? Not for events that need none. */
bool event_is_legal(const struct catalog_event *event, unsigned counter);

/** The first counter that can be chosen: dots stand for it and those behind it. */
unsigned event_first_counter(const struct machine *machine);

/** Where an event goes that cannot be placed on the column: one that counts it already, else a free
 * one of the same mux group, else the next. @return `slot` when there is no other */
unsigned event_best_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot,
			 enum privilege privilege);

/** The next column, round and round, that the event can be placed on in the same mux group.
 * @return `slot` when there is no other */
unsigned event_next_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot,
			 enum privilege privilege);

#endif
