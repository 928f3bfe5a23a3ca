/* tasks_view.h: what the parts of the Tasks view share, and the key that leads there from a row of cores */
#ifndef TUI_VIEW_TASKS_VIEW_H
#define TUI_VIEW_TASKS_VIEW_H

#include "tui/tasks/task_list.h"
#include "tui/tasks/users.h"
#include "tui/term/key.h"

struct layout;
struct tui;

/** `{ 0 }` shows processes. */
struct tasks_view {
	struct task_list list;
	struct users users;
};

/** Its keys; ends with a NULL name. */
extern const struct key tasks_keys[];

/** Show the tasks of the selected row's cores: a key of other views. */
void act_tasks(struct tui *tui, int key);

/** Before a picture: what is shown gives the lines; say when a task that is followed has ended. */
void tasks_follow(struct tui *tui);

/** Draw the table where there is something to show, else its headings. @ret  where lines stand
 * @return the line behind it */
int tasks_table_draw(struct tui *tui, struct layout *ret);

/** What a line's task is called: "clang 4711". @return buf */
const char *task_name(const struct task_list *list, const struct task_line *line, char *buf,
		      size_t size);

/** What rows are: "processes", "threads", "commands". */
extern const char *const task_rows_name[];

#endif
