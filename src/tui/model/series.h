/* series.h: a metric or an event's rate on one row, and its values over a period; for Graph, Heat and
 * sparklines */
#ifndef TUI_MODEL_SERIES_H
#define TUI_MODEL_SERIES_H

#include "tui/model/model.h"

/** A metric, or the rate of an event. */
struct quantity {
	int metric;                           /* metric number; -1: a rate */
	const struct event *event[TYPES_MAX]; /* of a rate, by core type; NULL: none */
};

struct series {
	struct line line;
	struct quantity quantity;
	struct task_id task; /* if any, the task; `line` is then its core type */
};

/** Make a quantity of a metric. */
struct quantity quantity_of_metric(unsigned number);

/** Get the device that counts the quantity, whose rate is the same in every row.
 * @return NULL: cores count it, or it is a metric */
const struct pmu *quantity_device(const struct quantity *quantity);

/** Whether both are the same metric, or rates of the same events. */
bool quantity_is(const struct quantity *a, const struct quantity *b);

/** Get the name: "IPC", "BR-MISP:u". */
struct label quantity_name(const struct model *model, const struct quantity *quantity);

/** Get the unit: "/s", "%", "/Kinst", "". */
struct label quantity_unit(const struct model *model, const struct quantity *quantity);

/** Whether the name already ends with the unit, as in "STALL%". */
bool quantity_says_unit(const struct model *model, const struct quantity *quantity);

/** Format a figure in at most 7 columns, "~" before an estimate. */
struct label quantity_text(const struct quantity *quantity, struct reading reading);

/** Get the scale of history values: that of the row's event. */
double quantity_scale(const struct model *model, const struct quantity *quantity,
		      const struct line *line);

/** Make the history query of a series. */
struct history_query series_query(const struct model *model, const struct series *series);

/** Get the smallest, mean and largest value in the displayed window, in the quantity's unit.
 * @return without a value before the first frame */
struct history_value series_value(const struct model *model, const struct series *series);

/** Make a quantity of a column of the displayed set. */
struct quantity quantity_of_slot(const struct model *model, unsigned slot);

/** Whether both are the same quantity of the same row. */
bool series_is(const struct series *a, const struct series *b);

/** Step to the next (1) or previous (-1) row of the Cores view; from a task to the first row. */
void series_step_row(const struct model *model, int step, struct series *series);

/** Get the row's name: "cpu4", "P cl1"; for a device event the device. */
struct label series_row_name(const struct model *model, const struct series *series);

/** List the series of a row: its headline, and last what is selected: a counter's rate, a metric, of the bar the largest
 * loss.
 * @return number of series, 0 … 2 */
unsigned series_of_line(const struct model *model, const struct line *line, struct series ret[2]);

/* ---- tracks: values of a row over a period, kept so that only new bins are calculated ---- */

/** Time bins of equal length. They begin at multiples of their length, so that drawn values move but
 * do not change. */
struct bins {
	uint64_t bin_ns;
	int64_t first; /* bin i begins at (first + i) × bin_ns */
	unsigned n;
};

/** `{ 0 }` is empty; release it with track_fini. */
struct track {
	struct history_query query;
	struct bins bins;
	unsigned n_final;            /* number of leading bins that no longer change */
	struct history_value *value; /* [bin]; no value if nothing was counted */
	size_t cap;
};

/** Release the track. NULL is accepted. */
void track_fini(struct track *track);

/** As many tracks as rows are drawn; `{ 0 }` has none. */
struct tracks {
	struct track *track;
	unsigned n;
};

/** Have n tracks: the same as before, or n empty ones. @return false: out of memory */
bool tracks_keep(struct tracks *tracks, unsigned n);

/** Release the tracks. */
void tracks_fini(struct tracks *tracks);

/**
 * Fill the track for a query and bins. A bin merges all history cells that end in it; if there are
 * none, it takes the cell that spans it.
 *
 * @return 0 or -ENOMEM
 */
int track_fill(struct track *track, const struct history *history,
	       const struct history_query *query, const struct bins *bins);

#endif
