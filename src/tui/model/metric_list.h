/* metric_list.h: which metrics the screen shows of a set, and in which order; pure */
#ifndef TUI_MODEL_METRIC_LIST_H
#define TUI_MODEL_METRIC_LIST_H

#include "metrics/metrics.h"

/** Metrics by number, each once. */
struct metric_list {
	unsigned n;
	unsigned n_leading; /* the first so many were asked for; the others come with the set */
	uint16_t number[METRICS_BOUND_MAX];
};

/** Is it in the list? */
bool metric_list_has(const struct metric_list *list, unsigned number);

/** What a row says first: IPC, or where the set does not count it how busy a core is. @return its
 * number; -1: the set gives neither */
int metric_list_primary(const struct metrics *metrics, const struct metric_list *list);

/** Put it at the end, unless it is there or the list is full. */
void metric_list_add(struct metric_list *list, unsigned number);

/** Take it out. */
void metric_list_remove(struct metric_list *list, unsigned number);

/**
 * The metrics of cores that a set gives: first those that were chosen, or without any those that its
 * preset names, then the others, but for variants of others (catalog_is_variant).
 *
 * @return 0 or -ENOMEM
 */
int metric_list_of_set(const struct metrics *metrics, const struct set *set,
		       const struct metric_list *chosen, struct metric_list *ret);

#endif
