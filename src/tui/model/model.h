/* model.h: the state behind the screen: frame, rows, selection, history, totals, undo; no curses */
#ifndef TUI_MODEL_MODEL_H
#define TUI_MODEL_MODEL_H

#include "sampler/history.h"
#include "tui/model/columns.h"
#include "tui/widget/cursor.h"
#include "tui/model/figure.h"
#include "tui/model/rows.h"

enum {
	UNDO_MAX = 32,
	HISTORY_CELL_MS = 100,
	IPC_TOP = 6,        /* hardly any program exceeds it on any core */
	DIGIT_COLUMNS = 10, /* columns with a digit key */
};

struct series;
struct track;

/** Parts that are counted since top-down parts were opened, and what was counted before; none: `{ 0 }`. */
struct opened_parts {
	struct metric_list parts;
	struct set set;
	struct metric_list chosen;
};

/** The counted set and its metrics. */
struct change {
	struct set set;
	struct metric_list chosen;
	enum privilege privilege; /* privilege levels for events chosen next */
	struct opened_parts opened;
};

/** Statistics of one slot of one row; `{ 0 }` is empty. Values are in events, not in the event's
 * unit. */
struct running_stats {
	uint64_t n;              /* number of windows with a value */
	uint64_t window_ns;      /* total length of these windows */
	struct count sum;        /* over all windows, see count_add_window */
	double area;             /* sum of rate × window, for the mean */
	struct reading min, max; /* rates per second */
};

struct model {
	const struct machine *machine;
	const struct metrics *metrics;
	const struct excursions *excursions; /* which rows are busy enough for ▲; NULL: all */
	int primary_metric;                  /* metric number, see metric_list_primary; -1: none */

	const struct frame *newest,
		*earlier; /* the last two, without late cores the earlier one; NULL: none yet */
	const struct frame *shown; /* same as `newest` unless frozen */
	struct set loaded;         /* last loaded set; frames may still be of an older one */
	const struct set *set; /* displayed set: `loaded`, or the history cell's while scrubbing */
	struct metric_list chosen;  /* metrics that the set was made for; none: its preset's */
	struct metric_list metric;  /* metrics that the set provides, in display order */
	struct opened_parts opened; /* of the loaded set */
	enum privilege privilege;   /* privilege levels for events chosen next */
	bool yielded;               /* nothing is counted: other tools may use the counters */
	bool frozen;
	/* displayed history cell ; n_frames is 0 if a frame is displayed */
	struct bucket at;

	enum frame_by by;
	enum show show;
	struct rows rows;
	struct line *line; /* displayed lines, top to bottom */
	unsigned n_lines;
	int name_full, name_brief; /* width of the names, full and short, terminal columns */
	struct cursor row;         /* selected line */
	unsigned slot, first;      /* selected counter, first visible column */
	struct order selected;     /* selected column; by ORDER_SLOT its number is `slot` */
	bool has_selected;         /* the user selected it; else it follows the set */
	/* column selected when the user scrolled, which may now be out of sight; COLUMNS_MAX: none */
	unsigned scrolled_from;

	unsigned base[BY_DEVICE], n_rows;           /* row number = base[by] + index */
	struct columns columns;                     /* columns of the Cores view */
	struct figure_borders borders[COLUMNS_MAX]; /* by slot */
	uint8_t decimals[METRICS_BOUND_MAX]; /* see model_decimals; plus 1, 0: not known yet */
	struct running_stats *running_stats; /* [slot × n_rows + row]: unused slots take no page */
	struct running_stats *frozen_stats;  /* copy of running_stats when the display was frozen */
	struct track *sparkline; /* [row]: headline, or without one the selected column */
	struct set fed;          /* set of the last frame with counts; number 0: none */

	struct baseline *baseline; /* cells show changes since it (baseline.h); NULL: none */

	struct history *history; /* all frames, within history_bytes */
	size_t history_bytes;

	struct change undo[UNDO_MAX]; /* oldest first */
	unsigned n_undo;
};

/**
 * Initialise the model.
 *
 * @first          set that is counted first
 * @history_bytes  memory limit of the history
 * @return         0 or -ENOMEM
 */
int model_init(struct model *model, const struct machine *machine, const struct metrics *metrics,
	       const struct set *first, enum frame_by by, size_t history_bytes);

/** Release frames and memory. NULL is accepted. */
void model_fini(struct model *model);

/** Set what is counted from now on. @return 0 or -ENOMEM */
int model_load(struct model *model, const struct set *set, const struct metric_list *chosen);

/** Change the memory limit of the history. */
void model_set_history_bytes(struct model *model, size_t bytes);

/** Discard all frames, totals and curves, because the next frame may be from another time.
 * @return 0; -ENOMEM: nothing was discarded */
int model_restart(struct model *model);

/** Add a frame and take over the caller's reference. The frame is displayed unless the display is
 * frozen. */
void model_feed(struct model *model, const struct frame *frame);

/** Freeze the display, or continue it. */
void model_freeze(struct model *model, bool frozen);

/** Set the kind of figures that cells show. */
void model_show(struct model *model, enum show show);

/** Set the grouping of rows. The selection moves to the row of the same core. */
int model_group(struct model *model, enum frame_by by);

/** Reset totals, extremes and means. */
void model_zero(struct model *model);

/** Show the columns as at first. */
void model_reset_columns(struct model *model);

/** Count the columns: those in use, one per hardware counter, and one per digit key, because events
 * that take no counter can be counted there. */
unsigned model_n_slots(const struct model *model);

/** Whether a column is shown with the displayed set. Device events have their own rows instead. An
 * empty counter has a column for choosing an event. All other empty or duplicate columns, and in a
 * set with several mux groups also those of counters, are shown only if selected. */
bool model_has_column(const struct model *model, const struct shown *column);

/** Get the column of a digit key: that slot in the first mux group.
 * @return COLUMNS_MAX: there is none */
unsigned model_column(const struct model *model, unsigned slot);

/** Get the selected line. @return NULL: there is none */
const struct line *model_selected(const struct model *model);

/** Get the core type of a line. */
unsigned model_type(const struct model *model, const struct line *line);

/** Get a line's row in the displayed frame; while one of its cores is late, that of the frame before (is_earlier). @return
 * false before the first frame */
bool model_row(const struct model *model, const struct line *line, struct frame_row *ret);

/** Get a cell's reading: PENDING if the frame is older than the event. */
struct reading model_figure(const struct model *model, const struct frame_row *row, unsigned slot,
			    enum show show);

/** Get a metric's reading, likewise; NONE if the frame's set does not have the metric.
 * @number  -1: none */
struct reading model_metric(const struct model *model, const struct frame_row *row, int number);

/**
 * Get a metric's reading on a row, or the reason why the set does not provide it.
 *
 * @row     NULL before the first frame
 * @number  metric
 */
struct reading model_metric_cell(const struct model *model, const struct frame_row *row,
				 unsigned number);

/** Whether the metric exceeds its threshold on a row. @number  -1: none */
bool model_is_beyond(const struct model *model, const struct frame_row *row, int number);

/** Select a column. @number  slot, which then is the selected counter too, or metric number */
void model_select(struct model *model, enum order_by by, unsigned number);

/** Whether the column is the selected one. */
bool model_is_selected(const struct model *model, enum order_by by, unsigned number);

/** Get the metric of the selected column on a line; the bar has the metric of its largest loss. @return -1: none; a
 * counter is selected, or nothing is known of the bar */
int model_selected_metric(const struct model *model, const struct line *line);

/** Get the column behind the selected one, which H samples: of a metric its first event in code other than cycles
 * and instructions, of a time or a frequency cycles, or a clock. @return COLUMNS_MAX: not counted */
unsigned model_sampled_slot(const struct model *model, const struct line *line);

/** Shares of a row, by part number as in struct metrics. */
struct row_parts {
	unsigned n;
	double share[METRIC_PARTS_MAX]; /* 0 … 1 */
	double sum;                     /* total of all parts: 1 if they divide all time */
	bool is_estimate;
	int loss; /* largest part that is a loss; -1: none */
};

/** Calculate the shares of a row. @return false: a part has no value, so the others are not comparable */
bool model_parts(const struct model *model, const struct frame_row *row, struct row_parts *ret);

/** Whether the displayed set provides every top-down part on some core type. */
bool model_has_parts(const struct model *model);

/** Get the share of a row's cycles in a top-down part, 0 … 1. */
struct reading model_part(const struct model *model, const struct frame_row *row, unsigned part);

/** Get the cycles of a row per second. */
struct reading model_cycles(const struct model *model, const struct frame_row *row);

/** Calculate a row's lost cycles per second: the parts that are losses; no value if one of them has none, or cycles
 * are not counted. */
struct reading model_lost(const struct model *model, const struct frame_row *row);

/** Get the displayed totals of a line and slot. */
const struct running_stats *model_stats(const struct model *model, const struct line *line,
					unsigned slot);

/** Get the last `n` bins of a series up to the displayed frame, oldest first; NaN: no value.
 * @track  keeps them for the next call */
void model_past(const struct model *model, const struct series *series, uint64_t bin_ns,
		struct track *track, float *ret, unsigned n);

/** Get the last `n` history cells of a line up to the displayed frame, oldest first; NaN: no value. */
void model_sparkline(const struct model *model, const struct line *line, float *ret, unsigned n);

/** Whether the primary metric is a share in %. */
bool model_is_primary_share(const struct model *model);

/** Get the duration of a history cell at the current interval, ns. */
uint64_t model_cell_ns(const struct model *model);

/** Get the current set and metrics. */
void model_now(const struct model *model, struct change *ret);

/** Push a change for `u`; a full stack drops the oldest. */
void model_undo_push(struct model *model, const struct change *before);

/* ---- statistics ---- */

/** Add the window of a row. @return its rate */
struct reading running_stats_add(struct running_stats *running_stats, const struct frame_row *row,
				 unsigned slot);

/* ---- looking back: a cell of the history is displayed ---- */

/** Whether a history cell is displayed. */
bool scrub_is_on(const struct model *model);

/** Get the index of the history cell that contains the displayed frame, which must not be NULL. */
size_t scrub_at(const struct model *model);

/** Display history cell `i` with its own set, and freeze the display. model_freeze(false) ends it.
 * @return 0 or -ENOMEM */
int scrub_to(struct model *model, size_t i);

/**
 * Move by n cells, backwards if negative.
 *
 * @return 0; -ENOENT: already at that end of the history; -ENOMEM
 */
int scrub_by(struct model *model, long n);

/** Get the duration of the history up to the newest frame, ns. */
uint64_t scrub_depth_ns(const struct model *model);

#endif
