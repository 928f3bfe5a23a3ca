/* series.h: what Graph and Heat show: a metric or a counter's rate, of a row */
#ifndef TUI_MODEL_SERIES_H
#define TUI_MODEL_SERIES_H

#include "tui/model/model.h"

/** A metric, or how often an event happens. */
struct quantity {
	int metric;                           /* number; -1: a rate */
	const struct event *event[TYPES_MAX]; /* of a rate, by core type; NULL: not there */
};

struct series {
	struct line line;
	struct quantity quantity;
	struct task_id task; /* a task on the cores of a type, which is the line */
};

/** A metric as a quantity. */
struct quantity quantity_of_metric(unsigned number);

/** Is it a rate that a device counts, the same in every row? */
bool quantity_is_of_device(const struct quantity *quantity);

/** Are they the same metric, or rates of the same events? */
bool quantity_is(const struct quantity *a, const struct quantity *b);

/** What a quantity is called. */
struct quantity_label {
	char text[96];
};

/** "IPC", "BR-MISP:u". */
struct quantity_label quantity_name(const struct model *model, const struct quantity *quantity);

/** "/s", "%", "/Kinst", "". @return buf */
const char *quantity_unit(const struct model *model, const struct quantity *quantity, char *buf,
			  size_t size);

/** Does the name end with the unit, as "STALL%"? */
bool quantity_says_unit(const struct model *model, const struct quantity *quantity);

/** A figure in at most 7 columns, "~" before an estimate. @return buf */
const char *quantity_text(const struct quantity *quantity, struct reading reading, char *buf,
			  size_t size);

/** The factor for a value of history: the unit of a row's event. */
double quantity_scale(const struct model *model, const struct quantity *quantity,
		      const struct line *line);

/** How the history is asked for it. */
struct history_query series_query(const struct model *model, const struct series *series);

/** What it was in the picture's window, in its unit: the smallest, the mean and the largest. @return
 * without a value before the first frame */
struct history_value series_value(const struct model *model, const struct series *series);

/** What a column of the present set counts. */
struct quantity quantity_of_slot(const struct model *model, unsigned slot);

/** The next (1) or previous (-1) of what cores count now: metrics, then columns. */
void quantity_step(const struct model *model, int step, struct quantity *quantity);

/** The same quantity of the same row? */
bool series_is(const struct series *a, const struct series *b);

/** The same of the next (1) or previous (-1) row of the Cores view; of a task the first one. */
void series_step_row(const struct model *model, int step, struct series *series);

/** "cpu4", "P cl1"; of what a device counts the device. @return buf */
const char *series_row_name(const struct model *model, const struct series *series, char *buf,
			    size_t size);

/** A row's headline and the rate of the selected counter. @return how many: 0 … 2 */
unsigned series_of_line(const struct model *model, const struct line *line, struct series ret[2]);

#endif
