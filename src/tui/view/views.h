/* views.h: the views and their state, for the parts of the screen that are not views */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "sampler/hot.h"
#include "symbols/symbols.h"
#include "tui/model/event_list.h"
#include "tui/screen/view.h"
#include "tui/model/process.h"
#include "tui/model/task_list.h"
#include "tui/model/waits.h"
#include "tui/term/key.h"
#include "tui/widget/input.h"
#include "tui/widget/sheet.h"

extern const struct view view_cores, view_tasks, view_task, view_metrics, view_events, view_graph,
	view_heat, view_hot, view_uncore, view_messages, view_help;

/** Views, by enum view_id. */
extern const struct view *const view_table[N_VIEWS];

/** Order of rows. */
enum metric_order {
	METRICS_AS_CHOSEN, /* requested metrics, then those that the set implies */
	METRICS_BY_NAME,
	METRICS_BY_ALARM, /* metrics that exceed a threshold in any column first */
	N_METRIC_ORDERS,
};

/** State of the Metrics view. */
struct metrics_view {
	struct metric_list list; /* model.metric in row order, parts below what they divide */
	uint8_t depth[METRICS_BOUND_MAX]; /* by position in `list` */
	struct cursor metric;             /* position in `list` */
	enum metric_order order;
	/* source, order and time of the last sort of `list` */
	struct metric_list of;
	enum metric_order ordered_by;
	uint64_t ordered_ns;
	struct cursor column; /* its top: first of those that scroll */
};

/** Update the rows for the counted set before drawing. The selected metric stays selected if it
 * still exists, except that a selection on the first row stays there. */
void metrics_follow(struct tui *tui);

/** Draw a line with the name of a metric and what it is. @number  -1: nothing */
void metrics_draw_line(const struct model *model, int number, int y);

/** State of the Events view; `{ 0 }`: not shown yet. */
enum live_column {
	LIVE_TOPICS, /* no column: the order of the catalogue */
	LIVE_NAME,
	LIVE_RATE,
	LIVE_PER_KI,
	LIVE_ERROR,  /* ± of the rate, % */
	LIVE_SHARE,  /* share of time that it was counted, % */
	LIVE_CHANGE, /* since the baseline */
	N_LIVE_COLUMNS,
};

/** Figures of an event on the selected row. */
struct live_event {
	unsigned slot; /* COLUMN_NONE: not counted */
	struct reading value[N_LIVE_COLUMNS];
	double least_change; /* see baseline.h */
};

struct events_view {
	struct event_list list;
	struct found found;
	struct input search;
	bool is_flat;       /* one list by name; else grouped by topic, except during a search */
	struct cursor line; /* headings are lines too, but cannot be selected */
	bool is_live;       /* several sets are multiplexed: a table of figures */
	enum live_column order;
	bool is_turned, had_baseline;
	struct live_event *live; /* [item] */
	struct track *past;      /* [item] */
	bool has_before;         /* key A counts `before` again */
	struct change before;
	unsigned n_lines;
	struct events_line {
		bool is_heading; /* heading of the item's group */
		unsigned item;
	} * all;
};

/** Release the Events view's memory. */
void events_view_fini(struct events_view *view);

/** State of the Heat view; `{ 0 }`: not shown yet. */
struct heat {
	struct quantity quantity;
	struct quantity followed; /* last quantity taken over from another view */
	bool is_chosen;           /* `quantity` is valid */
	bool fits;            /* the scale begins at the smallest visible value instead of zero */
	struct tracks tracks; /* line n has track n % tracks.n */
};

/** State of the Task view, beside the list, which has only that task. */
struct task_detail {
	struct process process;
	struct cursor before; /* of the list of all */
	unsigned type;        /* core type of the row that was opened */
	struct track past[TYPES_MAX];
	const struct deed *deed; /* action whose prompt is open */
	char question[96];
};

/** State of the Tasks view; `{ 0 }` shows processes. */
struct tasks_view {
	struct task_list list;
	struct task_list below; /* of all cores, below those in Cores */
	struct users users;
	struct waits waits;
	struct task_detail detail;
};

enum { HOT_FRAMES_MAX = 64 };

/** A function in flame rows. */
struct flame_box {
	const struct hot_row *row;
	uint64_t key;
	unsigned above; /* box that it stands below; SHEET_NO_PARENT */
	int depth, x, width;
	double from; /* share to the left of it */
};

enum { FLAME_DEPTH_MAX = 128 };

/** State of the flame rows; `{ 0 }`: off. */
struct flame {
	bool is_on;
	struct flame_box *box; /* as laid out last */
	size_t n, cap;
	struct cursor cursor;
	uint64_t selected; /* key of that box; 0: none yet */
	const struct function
		*zoom[FLAME_DEPTH_MAX]; /* that box and those above it, the first one first */
	unsigned n_zoom;
};

/** State of the Hot view; `{ 0 }`: not opened yet. */
struct hot_view {
	bool is_open;
	enum view_id from; /* view that it was opened from */
	/* what is divided: on the cores of a row, all of one type; if any, only this task's */
	unsigned type;
	struct line place;
	struct task_id task;
	const struct function *function; /* its lines are shown; NULL: functions */
	enum code_division division;     /* of that function */
	enum hot_tree tree; /* HOT_FLAT until a row is opened: stacks are not recorded */
	uint64_t *open;     /* keys of opened rows */
	size_t n_open, open_cap;
	struct flame flame;
	char filter[64];      /* words that a function must contain; "": all functions */
	struct cursor before; /* of the functions, while lines are shown */
	const struct frame *frame[HOT_FRAMES_MAX]; /* last ones with samples, oldest first */
	unsigned n_frames;

	/* Contents: made from these frames when this one was displayed. */
	const struct frame *shown;
	unsigned slot;
	bool is_stale;
	struct hot_rows *rows; /* NULL: no samples */
	uint64_t window_ns;
	struct sheet sheet;
	size_t n_listed; /* functions, or roots of stacks */
	double rest;     /* share of the functions that are not listed */
	unsigned n_rest;
	int lines_rc; /* of symbols_lines */
};

/** Leave the help for the view in which its marked key acts. @return its row; NULL: none */
const struct key *help_leave(struct tui *tui);

/** Key: the functions behind the selected counter of the selected row; again: back. */
void act_hot(struct tui *tui, int key);

/** Whether functions are displayed, or behind a text view. */
bool hot_is_shown(const struct tui *tui);

/** Keep a new frame's samples while they are displayed. */
void hot_frame(struct tui *tui, const struct frame *frame);

/** Update the rows for the displayed frame before drawing. */
void hot_follow(struct tui *tui);

/** Release the Hot view's memory. */
void hot_fini(struct hot_view *view);

/** Keys of the Task view. */
extern const struct key task_keys[];

/** Key of Tasks: show the selected task in the Task view. */
void act_task(struct tui *tui, int key);

/** End that. */
void task_close(struct tui *tui);

/** Draw the selected column and task of the list, in n lines. */
void task_draw_detail(const struct tui *tui, int y, int n);

/** Draw what the task is, in at most n lines from y on. @return lines, at least 1 */
int task_draw(struct tui *tui, int y, int n);

/** Get the owner and command line of a task. @return NULL: not known, or no task of this machine */
const struct user *tasks_user(const struct tui *tui, const struct core_task *task);

/** Get the times of a line: of its frame if they are counted; else of a thread or process of this machine, as read now. */
struct waiting tasks_waiting(struct tui *tui, const struct task_list *list,
			     const struct task_line *line);

/** Describe the line that waits most, of n from the top, if it loses less on CPUs: to a top-down part or, if there are none,
 * in all its time there. @return false: there is none */
bool tasks_waiting_text(struct tui *tui, unsigned n, char *buf, size_t size);

/** Format core type and CPUs of a line: "P 4-5". */
struct label tasks_where(const struct model *model, const struct task_line *line, bool is_brief);

/** Get the figures of a cgroup of this machine, as read now. */
struct waiting cgroup_waiting(struct tui *tui, const struct core_task *task);

/** Key: follow the task under the list's cursor; nobody if one is followed. */
void act_follow(struct tui *tui, int key);

/** Update the lines for the displayed frame before drawing, and report if a followed task has ended. */
void tasks_follow(struct tui *tui);

/**
 * Draw the tasks with most of the selected column below the cores, from line y on.
 *
 * @end     line after the last one
 * @return  the line after them and a blank line; y if there are none
 */
int tasks_draw_below(struct tui *tui, int y, int end);

/**
 * Draw the counts of devices below the cores, from line y on, if at least one row fits before `end`.
 *
 * @return the line after them and a blank line; y if nothing was drawn
 */
int uncore_draw_below(struct tui *tui, int y, int end);

#endif
