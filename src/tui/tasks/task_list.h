/* task_list.h: the tasks of the picture as lines of a list, one for each core type; no curses */
#ifndef TUI_TASKS_TASK_LIST_H
#define TUI_TASKS_TASK_LIST_H

#include "sampler/tasks/task_rows.h"
#include "tui/model/model.h"

enum task_order {
	TASKS_BY_COUNTER, /* the selected one; of a column that tasks have not by time */
	TASKS_BY_TIME,
	TASKS_BY_HEADLINE,
	N_TASK_ORDERS,
};

/** What a task did on the cores of one type. */
struct task_line {
	const struct task_row *row;
	unsigned type;
	struct reading by; /* what it is sorted by */
};

/** `{ 0 }` is empty and shows processes; to be released with task_list_fini. */
struct task_list {
	enum task_by by;
	enum task_order order;
	bool is_ascending;
	char filter[64];   /* words that a task must have; "": all tasks */
	bool has_place;    /* only what ran on some cores: */
	struct line place; /* those of this row */
	struct cursor at;
	struct core_task selected; /* whom the cursor is on, on cores of type: */
	unsigned selected_type;
	bool is_followed; /* the cursor stays on it, wherever it goes, until somebody moves it */
	unsigned was_at;  /* where the cursor was put */
	bool is_stale;    /* to be made again */

	/* Made of this frame, by this column. */
	const struct frame *frame;
	unsigned slot;
	struct task_rows *rows;
	struct task_line *line;
	unsigned n, n_tasks; /* lines, and threads or processes that ran */
};

/** Release. NULL is accepted. */
void task_list_fini(struct task_list *list);

/** Before a picture: make it of the frame that is shown, where that has tasks. The selected one stays so
 * where it is still there, but for the first. */
void task_list_follow(struct task_list *list, const struct model *model);

/** The line that the cursor is on. @return NULL: there is none */
const struct task_line *task_list_selected(const struct task_list *list);

/** Is the line's task the one that was selected last? */
bool task_list_is_selected(const struct task_list *list, const struct task_line *line);

/** The cursor was moved: its task is the selected one now. */
void task_list_select(struct task_list *list);

/** A task's number: of a thread its own, of a process or command 0 … @return 0: it has none */
unsigned task_list_number(const struct task_list *list, const struct task_line *line);

/** Did it end in the window? Of a process, did its main thread? */
bool task_line_has_ended(const struct task_line *line);

/**
 * What a line shows, as the row of a core does: rates per second of the picture's window, metrics of
 * what it counted.
 */
struct task_figures {
	struct frame_row row;
	double load; /* 1 is all of one core */
	struct count count[COLUMNS_MAX];
	struct reading metric[METRICS_BOUND_MAX];
};

/** Work it out. @line  of the list */
void task_figures_make(const struct task_list *list, const struct model *model,
		       const struct task_line *line, struct task_figures *ret);

/** Its share of what the cores of its type, or of the list's place, counted in a column, in %. */
struct reading task_figures_share(const struct task_list *list, const struct model *model,
				  const struct task_figures *figures, unsigned slot);

/** Can the picture's metric be worked out of a task? @number -1: none */
bool task_list_has_metric(const struct model *model, int number);

/** A process's share of what a row of cores counted of the selected counter. @return false: it is not
 * known, or there is nothing to have a share of */
bool task_share_of_process(const struct model *model, const struct line *line, uint32_t pid,
			   double *ret);

/** Who of all threads had most of a core in a frame. @return NULL: nobody, or it is not known */
const struct core_task *task_of_core(const struct frame *frame, unsigned core);

#endif
