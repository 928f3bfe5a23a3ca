/* event_list.h: all catalog events of a machine, whether each can be placed on a column, and those
 * chosen recently */
#ifndef TUI_MODEL_EVENT_LIST_H
#define TUI_MODEL_EVENT_LIST_H

#include "tui/widget/match.h"
#include "tui/model/model.h"

/** An event that can be selected for the column. */
struct choice {
	const struct catalog_event *event;
	unsigned type;          /* first core type that has it */
	unsigned group;         /* 0-based: events of one topic or one kind of device */
	const struct pmu *pmu;  /* first PMU on this machine that counts it; NULL: none */
	bool is_judged;         /* the next three fields are valid: see event_list_check */
	bool fits;              /* can be placed, if necessary by moving other events */
	unsigned slot;          /* resulting slot: a free one for events that take no counter */
	char moves[96];         /* resulting moves: "BR-MISP 5→6"; "" for none */
	struct reading preview; /* measured rate of a trial; NONE: not tried */
};

/** `{ 0 }` is an empty list. */
struct event_list {
	struct choice *choice; /* of all core types, core PMU events first, by name */
	unsigned n, n_groups;
	int name_width;                /* width of the longest name, in terminal columns */
	struct tracepoint *tracepoint; /* owned entries that choices of tracepoints point to */
	struct set set; /* set that `fits` and `moves` refer to; number 0: none yet */
	unsigned slot;  /* SLOT_FREE: any slot that takes no counter */
};

/**
 * List all catalog events.
 *
 * @has_tracepoints  add the kernel's, one group per subsystem; none if tracefs is not readable
 * @return           0 or -ENOMEM
 */
int event_list_make(const struct machine *machine, bool has_tracepoints, struct event_list *ret);

/** Release the list's memory and empty it. */
void event_list_fini(struct event_list *list);

/** Set the target column in the currently loaded set; cheap if neither has changed. */
void event_list_set_target(struct event_list *list, const struct model *model, unsigned slot);

/** Check whether the event can be placed on the target column. Results are cached, because a large
 * catalog has thousands of events. @return the item's choice */
const struct choice *event_list_check(const struct event_list *list, unsigned item,
				      struct event_table *events, enum privilege privilege);

/** Whether the event could be placed if nothing else were counted. */
bool event_list_is_legal(const struct event_list *list, unsigned item,
			 const struct machine *machine);

/** Rank an event in a search: by name, short name, alias, number, text, topic, or by some letters
 * of a name. @return a rank */
unsigned event_rank(const struct catalog_event *event, const char *search);

/** Get the alias that matches better than the event's own names. @return NULL: none */
const char *event_found_alias(const struct catalog_event *event, const char *search);

/** Get the name of the event's group: its topic, or the kind of device. */
const char *event_group(const struct catalog_event *event);

/** Get the column that counts the event now. @return -1: none */
int event_column_of(const struct model *model, const struct catalog_event *event);

/** Whether the event may be counted on the counter. False for events that take no counter. */
bool event_is_legal(const struct catalog_event *event, unsigned counter);

/** Get the first programmable counter; dots are shown from this one on. */
unsigned event_first_counter(const struct machine *machine);

/** Find a column for an event that cannot be placed on `slot`: one that already counts it, else a
 * free one of the same mux group, else the next one. @return `slot` if there is no other */
unsigned event_best_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot);

/** Find the next column of the same mux group, cyclically, that the event can be placed on.
 * @return `slot` if there is no other */
unsigned event_next_slot(const struct model *model, struct event_table *events,
			 const struct catalog_event *event, unsigned slot);

/* ---- recently chosen events, with which a list begins while the search is empty ---- */

enum { RECENTS_MAX = 8 };

/** `{ 0 }` is an empty list. */
struct recents {
	char name[RECENTS_MAX][EVENT_NAME_MAX]; /* newest first */
	unsigned n;
};

/** Move a name to the front, or add it; a full list drops the oldest. */
void recents_add(struct recents *recents, const char *name);

/** Rank a name: RECENTS_MAX for the newest, 0 if it is not in the list. */
unsigned recents_rank(const struct recents *recents, const char *name);

/** Set all names, newest first, as read from the configuration; overlong names and those beyond
 * RECENTS_MAX are dropped. Read them back from name[]. */
void recents_set(struct recents *recents, const char *const *name, size_t n);

#endif
