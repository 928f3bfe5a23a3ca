/* rows.h: the displayed rows and their order: groups, folded clusters, filter, sorting */
#ifndef TUI_MODEL_ROWS_H
#define TUI_MODEL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpus.h"
#include "pmu/machine.h"
#include "sampler/frame.h"

struct model;

/** One line of the rows: a core, or a heading with the subtotal of its cores. */
struct line {
	enum frame_by by;
	unsigned index;  /* as in frame_row */
	bool is_heading; /* its cores are listed below it */
};

enum order_by {
	ORDER_MACHINE, /* machine order, cores below their clusters */
	ORDER_HEADLINE,
	ORDER_BAR, /* cycles that were lost */
	ORDER_SLOT,
	ORDER_METRIC,
};

/** Sort key; sorted cores are listed without their clusters. */
struct order {
	enum order_by by;
	unsigned number;   /* slot or metric number */
	bool is_ascending; /* smallest value first */
};

/** Filter that hides rows. */
struct filter {
	char text[64];    /* "" hides none */
	struct cpus cpus; /* CPUs that it selects */
};

struct rows {
	struct order order;
	struct filter filter;
	struct cpus folded; /* rows of rows_heading whose cores are hidden */
	uint64_t sorted_ns; /* time of the frame the rows were sorted by; 0: none */
};

/** Rebuild model->line. The selected row stays selected if it still exists. */
void rows_make(struct model *model);

/** Sort the rows again if another frame is displayed, live at most once a second. Call before
 * drawing. */
void rows_follow(struct model *model);

/** Sort by a key; if it is already the current key, reverse the direction. */
void rows_sort(struct model *model, enum order_by by, unsigned number);

/** Set the filter, a text as in machine_choose; "" removes the filter. */
void rows_filter(struct model *model, const char *text);

/** Get the CPUs of a row. @line  not of a device */
struct cpus rows_cpus(const struct machine *machine, const struct line *line);

/** Count the cores that pass the filter. */
unsigned rows_n_cores(const struct model *model);

/** Select the line of a core, cluster or type, if it is displayed. */
void rows_select(struct model *model, enum frame_by by, unsigned index);

/** Return the level of the headings that fold: clusters; on a large machine whose clusters are its
 * sockets, last-level caches. */
enum frame_by rows_heading(const struct model *model);

/** Count the headings. */
unsigned rows_n_headings(const struct model *model);

/** Fold or unfold the heading of a line, and select it.
 * @return false: the line has no heading to fold */
bool rows_fold(struct model *model, unsigned line);

/** Fold or unfold all headings. */
void rows_fold_all(struct model *model, bool folded);

/** Fold exactly these headings. */
void rows_fold_as(struct model *model, const struct cpus *headings);

/** Fold these headings, except that of the selected core. */
void rows_fold_around(struct model *model, const struct cpus *headings);

/** Fold all headings at the start if the machine is large and its rows do not fit on the screen.
 * @n_lines  of the screen */
void rows_begin(struct model *model, unsigned n_lines);

/** Whether the machine is large enough to start with its cores folded. */
bool rows_begins_folded(const struct model *model);

/** Whether the heading is folded. */
bool rows_is_folded(const struct model *model, unsigned heading);

/** Whether any heading is folded. */
bool rows_has_folded(const struct model *model);

/** Whether the text contains every word of `words`. A number or a single letter must match a whole word. Case is
 * ignored. Pure. */
bool rows_match(const char *text, const char *words);

#endif
