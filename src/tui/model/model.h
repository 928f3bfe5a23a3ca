/* model.h: what the screen shows now: frame, rows, selection, history, totals, undo; no curses */
#ifndef TUI_MODEL_MODEL_H
#define TUI_MODEL_MODEL_H

#include "sampler/history.h"
#include "tui/model/columns.h"
#include "tui/widget/cursor.h"
#include "tui/model/figure.h"
#include "tui/model/track.h"
#include "tui/model/metric_list.h"
#include "tui/model/rows.h"
#include "tui/model/running_stats.h"

enum {
	UNDO_MAX = 32,
	HISTORY_CELL_MS = 100,
	IPC_TOP = 6,        /* hardly any program has more on any core */
	DIGIT_COLUMNS = 10, /* that a key selects */
};

/** What is counted, and for which metrics. */
struct change {
	struct set set;
	struct metric_list chosen;
	enum privilege privilege; /* that events have which are chosen next */
};

struct model {
	const struct machine *machine;
	const struct metrics *metrics;
	int primary_metric; /* of the set, as in metric_list_primary */

	const struct frame *newest; /* NULL before the first */
	const struct frame *shown;  /* the same unless frozen */
	struct set loaded;          /* last; frames may still be of an older one */
	const struct set *set; /* of the picture: `loaded`, or while it is scrubbed the cell's */
	struct metric_list chosen; /* metrics that it was made for; none: its preset's */
	struct metric_list metric; /* those that it gives, in the order of the screen */
	enum privilege privilege;  /* for events that are chosen */
	bool yielded;              /* nothing is counted: another tool may have the counters */
	bool frozen;
	/* The cell of the history that is shown (scrub.h); n_frames is 0 where the picture is a frame. */
	struct bucket at;

	enum frame_by by;
	enum show show;
	struct rows rows;
	struct line *line; /* of the picture, top to bottom */
	unsigned n_lines;
	int name_full, name_brief; /* columns that their names take, in full and shortened */
	struct cursor row;         /* the selected line */
	unsigned slot, first;      /* the selected column, the first visible one */
	/* What was selected when columns were scrolled by hand, and may be out of sight; COLUMNS_MAX */
	unsigned scrolled_from;

	unsigned base[BY_DEVICE], n_rows;           /* row number = base[by] + index */
	struct columns columns;                     /* of the Cores view */
	struct figure_borders borders[COLUMNS_MAX]; /* by slot */
	uint8_t decimals[METRICS_BOUND_MAX]; /* see model_decimals; plus 1, 0: not known yet */
	struct running_stats *running_stats; /* [slot × n_rows + row]: no page of slots not used */
	struct running_stats *frozen_stats;  /* as it was when the picture froze */
	struct track *sparkline; /* of the headline, or without one of the selected column */
	struct set fed;          /* the set of the last frame that counted any; 0: none */

	struct baseline *baseline; /* cells show changes from it (baseline.h); NULL: none */

	struct history *history; /* every frame, within the budget of the history */
	size_t history_bytes;

	struct change undo[UNDO_MAX]; /* oldest first */
	unsigned n_undo;
};

/**
 * @first          what is counted first
 * @history_bytes  memory that the history may take
 * @return         0 or -ENOMEM
 */
int model_init(struct model *model, const struct machine *machine, const struct metrics *metrics,
	       const struct set *first, enum frame_by by, size_t history_bytes);

/** Give up frames and memory. NULL is accepted. */
void model_fini(struct model *model);

/** What is counted from now on. @return 0 or -ENOMEM */
int model_load(struct model *model, const struct set *set, const struct metric_list *chosen);

/** Make a set the picture's. @set  outlives that  @return 0 or -ENOMEM */
int model_show_set(struct model *model, const struct set *set);

/** Forget every frame, totals and curves: what comes next may be of another time. @return 0 or
 * -ENOMEM, and then nothing is forgotten */
int model_restart(struct model *model);

/** Take over a frame and the caller's reference. It is shown unless the picture is frozen. */
void model_feed(struct model *model, const struct frame *frame);

/** Freeze the picture, or let it go on. */
void model_freeze(struct model *model, bool frozen);

/** What cells show. */
void model_show(struct model *model, enum show show);

/** Choose the rows. The selected row stays where its core still has one. */
int model_group(struct model *model, enum frame_by by);

/** Restart totals, extremes and means. */
void model_zero(struct model *model);

/** How many columns there are: those in use, those that a counter could fill, and those of the
 * digits: what takes no counter can be counted there. */
unsigned model_n_slots(const struct model *model);

/** Can a column be seen with the present set? None of a device, which has rows of its own. A counter that
 * counts nothing is there to be chosen for. Other columns are left out then unless they are selected;
 * of several mux groups counters, too, and what an earlier column counts. */
bool model_has_column(const struct model *model, const struct shown *column);

/** The column of a digit key: of that slot in the first mux group. Beyond all: there is none. */
unsigned model_column(const struct model *model, unsigned slot);

/** The selected row. @return NULL: there is none */
const struct line *model_selected(const struct model *model);

/** Core type of a line. */
unsigned model_type(const struct model *model, const struct line *line);

/** The row of a line in the frame that is shown. @return false before the first frame */
bool model_row(const struct model *model, const struct line *line, struct frame_row *ret);

/** What a cell shows: PENDING where the frame is older than the event. */
struct reading model_figure(const struct model *model, const struct frame_row *row, unsigned slot,
			    enum show show);

/** What a metric shows, likewise; NONE where the frame's set has it not. @number -1: none */
struct reading model_metric(const struct model *model, const struct frame_row *row, int number);

/**
 * A cell: the metric's figure on a row; why there is none where this set does not give it.
 *
 * @row     NULL before the first frame
 * @number  metric
 */
struct reading model_metric_cell(const struct model *model, const struct frame_row *row,
				 unsigned number);

/** Has a row's metric a figure beyond the metric's threshold? @number -1: none */
bool model_is_beyond(const struct model *model, const struct frame_row *row, int number);

/** Totals of a line and slot, as of the picture. */
const struct running_stats *model_stats(const struct model *model, const struct line *line,
					unsigned slot);

/** Which prefixes a column's figures have, for figure_steady. */
uint8_t model_borders(const struct model *model, unsigned slot);

/**
 * How many decimals a row of a metric's figures has: close to where that changes as many as before.
 *
 * @number   metric
 * @largest  of the row
 */
unsigned model_decimals(const struct model *model, unsigned number, double largest);

/** The last `n` history cells of a line up to the picture, oldest first, NaN where there is none. */
void model_sparkline(const struct model *model, const struct line *line, float *ret, unsigned n);

/** Is the primary metric a share, in %? */
bool model_is_primary_share(const struct model *model);

/** What fills a bar or a curve of a core, the same for all: IPC_TOP, all of the time, or without a
 * primary metric the largest rate of the selected column on any core so far. */
double model_top(const struct model *model);

/** How long one history cell is at the present interval. */
uint64_t model_cell_ns(const struct model *model);

/** What is counted now. */
void model_now(const struct model *model, struct change *ret);

/** Remember it for `u`; the oldest is forgotten. */
void model_undo_push(struct model *model, const struct change *before);

/** What was counted before the last change; it leaves the stack. @return false: there is none */
bool model_undo_pop(struct model *model, struct change *ret);

#endif
