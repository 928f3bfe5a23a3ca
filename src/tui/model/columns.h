/* columns.h: the metrics that the screen shows for a set, the columns of Cores and their order; pure */
#ifndef TUI_MODEL_COLUMNS_H
#define TUI_MODEL_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/metrics.h"
#include "tui/widget/sheet.h"

/** A list of metric numbers without duplicates. */
struct metric_list {
	unsigned n;
	unsigned n_leading; /* number of requested metrics; they come first */
	uint16_t number[METRICS_BOUND_MAX];
};

enum shown_kind {
	SHOWN_FIXED, /* of a view: always there, not movable */
	SHOWN_SLOT,
	SHOWN_METRIC,
};

struct shown {
	enum shown_kind kind;
	unsigned number; /* index of the fixed column, slot or metric number */
	bool is_hidden;
};

enum { FIXED_MAX = 32, SHOWN_MAX = FIXED_MAX + COLUMNS_MAX + METRICS_BOUND_MAX };

struct columns {
	unsigned n_fixed, n;
	const struct sheet_column *fixed[FIXED_MAX];
	struct shown item[SHOWN_MAX];
};

/** Add a column of a view to the fixed ones if it has a key that none has. */
void columns_fix(struct columns *columns, const struct sheet_column *column);

/**
 * Adapt the columns to a set. New slots are visible, new metrics hidden. A column that the set has
 * again keeps the user's choice.
 */
void columns_update(struct columns *columns, unsigned n_slots, const struct metric_list *metrics);

/** Count the counter columns: as many as the core type with the most counters has. */
unsigned columns_n_counters(const struct machine *machine);

/** Get a column's position. @return -1: not found */
int columns_find(const struct columns *columns, enum shown_kind kind, unsigned number);

/** Whether a fixed column is visible. */
bool columns_shows(const struct columns *columns, const char *key);

/** Move a column one place to the left (-1) or right (1), unless it is fixed.
 * @return its new position */
unsigned columns_move(struct columns *columns, unsigned at, int step);

/* ---- lists of metrics ---- */

/** Whether the metric is in the list. */
bool metric_list_has(const struct metric_list *list, unsigned number);

/** Get the primary metric of a row: IPC, or Utilisation if the set does not count IPC.
 * @return its number; -1: the list has neither */
int metric_list_primary(const struct metrics *metrics, const struct metric_list *list);

/** Append a metric, unless it is in the list or the list is full. */
void metric_list_add(struct metric_list *list, unsigned number);

/**
 * Put each metric below the one that it divides (metric_divides), if that is in the list, too.
 *
 * @ret_depth  [METRICS_BOUND_MAX] levels below the first, by position
 */
void metric_list_nest(const struct metrics *metrics, struct metric_list *list, uint8_t *ret_depth);

/** Get the position of the metric that one divides in such a list. @return -1: none */
int metric_list_above(const uint8_t *depth, unsigned at);

/** Remove a metric. */
void metric_list_remove(struct metric_list *list, unsigned number);

/**
 * List the core metrics that a set provides: first the chosen ones (or the preset's, if none are
 * chosen), then the others except variants (catalog_is_variant).
 *
 * @return 0 or -ENOMEM
 */
int metric_list_of_set(const struct metrics *metrics, const struct set *set,
		       const struct metric_list *chosen, struct metric_list *ret);

#endif
