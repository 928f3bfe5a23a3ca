/* columns.h: which columns the Cores view shows, and in which order; pure */
#ifndef TUI_MODEL_COLUMNS_H
#define TUI_MODEL_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/metrics.h"
#include "tui/model/metric_list.h"

enum shown_kind {
	SHOWN_HEADLINE, /* IPC; these four stay where they are */
	SHOWN_BAR,
	SHOWN_HISTORY,
	SHOWN_TASK, /* who had most of the core, while that is known */
	SHOWN_SLOT,
	SHOWN_METRIC,
};

struct shown {
	enum shown_kind kind;
	unsigned number; /* slot, metric */
	bool is_hidden;
};

enum { SHOWN_FIXED = 4, SHOWN_MAX = SHOWN_FIXED + COLUMNS_MAX + METRICS_BOUND_MAX };

struct columns {
	unsigned n;
	struct shown item[SHOWN_MAX];
};

/**
 * What there is: slots are shown unless they were hidden, metrics hidden unless they were shown.
 * What was chosen stays so for a set that has it again.
 */
void columns_update(struct columns *columns, unsigned n_slots, const struct metric_list *metrics);

/** Can it be seen with this set? */
bool columns_is_there(const struct shown *item, bool has_primary_metric, unsigned n_slots,
		      const struct metric_list *metrics);

/** Counters 0 … n - 1 have a column each: as many as the core type with the most has. */
unsigned columns_n_counters(const struct machine *machine);

/** Where something stands. @return -1: nowhere */
int columns_find(const struct columns *columns, enum shown_kind kind, unsigned number);

/** Is it to be seen? */
bool columns_shows(const struct columns *columns, enum shown_kind kind, unsigned number);

/** One place to the left (-1) or to the right (1); the first four stay. @return where it is now */
unsigned columns_move(struct columns *columns, unsigned at, int step);

/** The next shown slot to the left (-1) or to the right (1) of one. @return slot itself: none */
unsigned columns_beside(const struct columns *columns, unsigned slot, int step, unsigned n_slots);

#endif
