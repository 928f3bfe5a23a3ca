/* task_list.h: the tasks of the shown frame as lines of a list, one per core type; no curses */
#ifndef TUI_MODEL_TASK_LIST_H
#define TUI_MODEL_TASK_LIST_H

#include "sampler/task_rows.h"
#include "tui/model/process.h"
#include "tui/model/model.h"
#include "tui/widget/sheet.h"

struct column;
struct task_cells;
struct task_line;
struct task_list;
struct tasks_table;

/** Change that a column shows since a baseline. */
enum task_change {
	CHANGE_NONE,   /* it shows its figure */
	CHANGE_TIME,   /* difference; before a task ran its time was 0 */
	CHANGE_METRIC, /* of the headline */
	CHANGE_EVENT,
};

/** A column of the Tasks view. */
struct task_column {
	unsigned where; /* lists that have it: TASKS_PLAIN, … */
	int width, brief,
		below; /* terminal columns; brief on a terminal of fewer than `below`; 0: left out */
	struct label (*text)(const struct task_cells *cells); /* NULL: it draws itself */
	void (*draw)(const struct task_cells *cells, const struct column *at);
	void (*head)(const struct tasks_table *table,
		     const struct column *at); /* NULL: its title */
	/* Name of the order by it; NULL: that of the metric or counter. */
	const char *order;
	/* Number of a line to sort by; NaN: none, which comes last in either direction. NULL: by name if it has an order. */
	double (*sort)(const struct task_list *list, const struct task_line *line);
	bool is_ascending; /* sorting begins with the smallest */
	bool is_live;      /* from /proc: only of this machine */
	enum task_change change;
	struct sheet_column of;
};

/** A task on the cores of one type. */
struct task_line {
	const struct task_row *row;
	unsigned type;
	double by; /* number that it is sorted by; NaN: none */
	/* of a cgroup: number of those above it in the list, and whether those below it are left out */
	unsigned depth;
	bool is_folded;
};

enum { FOLDED_MAX = 64 };

/** `{ 0 }` is empty and shows processes; release with task_list_fini. */
struct task_list {
	enum task_by by;
	const struct task_column *order; /* NULL: the selected one */
	bool is_ascending;
	char filter[64];         /* words that a task must contain; "": all tasks */
	struct users *users;     /* their command lines are filtered, too; NULL: not known */
	uint32_t pid;            /* only this process; 0: all */
	const struct cgroup *in; /* only tasks in this cgroup and below; NULL: all */
	const struct cgroup *folded[FOLDED_MAX]; /* what is below them is left out; NULL: none */
	unsigned n_folded; /* number of times that one was folded; each replaces the oldest */
	bool has_only;     /* only the task `only`, whatever the filter */
	struct core_task only;
	bool follows_cores; /* only tasks that ran on the cores that pass the filter of Cores */
	bool has_place;     /* only tasks that ran on the cores of `place` */
	struct line place;  /* row whose cores are meant */
	struct cursor at;
	struct core_task selected; /* selected task, on cores of selected_type */
	unsigned selected_type;
	bool is_followed; /* the cursor stays on the selected task until the user moves it */
	unsigned was_at;  /* where the cursor was put, to detect moves */
	bool is_stale;    /* must be made again */

	/* Contents: made from this frame, sorted by this column. */
	const struct frame *frame;
	const struct model *model;
	const struct task_column *sorted; /* `order`, or what it stands for */
	enum show show;                   /* what counters show, which they are sorted by */
	struct filter cores_filter;       /* filter of Cores */
	unsigned slot;
	struct task_rows *rows;
	const struct frame *baseline; /* baseline_tasks */
	struct task_rows *before;     /* made from it in the same way; NULL: no baseline */
	struct task_index before_of;  /* numbers of these rows */
	struct task_line *line;
	unsigned n, n_tasks; /* lines; threads, processes or commands that ran */
};

/** Release. NULL is accepted. */
void task_list_fini(struct task_list *list);

/** Make the list from the shown frame if that has tasks; call before drawing. The cursor stays on the
 * selected task if it is still there, unless it is on the first line. @order  column to sort by */
void task_list_follow(struct task_list *list, const struct model *model,
		      const struct task_column *order);

/** Return the line under the cursor. @return NULL: none */
const struct task_line *task_list_selected(const struct task_list *list);

/** Whether the line's task is the one selected last. */
bool task_list_is_selected(const struct task_list *list, const struct task_line *line);

/** Select the task under the cursor; call after the cursor has moved. */
void task_list_select(struct task_list *list);

/** Return the tid of a thread or the pid of a process. @return 0: it has none, as a command */
unsigned task_list_number(const struct task_list *list, const struct task_line *line);

/** Format a line's task: "clang 4711". */
struct label task_list_name(const struct task_list *list, const struct task_line *line);

/** Leave out the cgroups below that of a line, or show them again. @line  by cgroup */
void task_list_fold(struct task_list *list, const struct task_line *line);

/** Whether the task ended in the window; for a process, its main thread. */
bool task_line_has_ended(const struct task_line *line);

/**
 * Figures of a line in the form of a core's row: rates per second of the frame's window, metrics of
 * its own counts.
 */
struct task_figures {
	struct frame_row row;
	double load; /* 1: all of one core */
	struct count count[COLUMNS_MAX];
	struct reading metric[METRICS_BOUND_MAX];
};

/** Compute the figures of a line. @line  of the list */
void task_figures_make(const struct task_list *list, const struct model *model,
		       const struct task_line *line, struct task_figures *ret);

/** Compute the figures of a line's task in the baseline; zero if it did not run then. */
void task_figures_before(const struct task_list *list, const struct task_line *line,
			 struct task_figures *ret);

/** Calculate the change of a figure, as baseline_change. @slot  of CHANGE_EVENT */
struct reading task_figures_change(const struct task_list *list, const struct task_figures *now,
				   const struct task_figures *before, enum task_change change,
				   unsigned slot);

/** Return its share in % of what the cores of its type, or of the list's place, counted in a column. */
struct reading task_figures_share(const struct task_list *list, const struct model *model,
				  const struct task_figures *figures, unsigned slot);

/** Whether the metric can be computed for a task of the shown frame. @number -1: none */
bool task_list_has_metric(const struct model *model, int number);

/** Compute a process's share of what a row of cores counted with the selected counter. @return false:
 * unknown, or the row counted nothing */
bool task_share_of_process(const struct model *model, const struct line *line, uint32_t pid,
			   double *ret);

/** Find the thread with the largest part of a core in a frame. @return NULL: none, or unknown */
const struct core_task *task_of_core(const struct frame *frame, unsigned core);

#endif
