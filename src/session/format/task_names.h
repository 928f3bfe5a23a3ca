/* task_names.h: tasks named by the "# task" notes of a session, by the number in its rows */
#ifndef SESSION_FORMAT_TASK_NAMES_H
#define SESSION_FORMAT_TASK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/task_rows.h"

/** Whether the session has a row of this column for each task of the core. */
bool frame_has_task_row(const struct frame *frame, unsigned core, unsigned slot);

/** Whether the session has such rows of any column. */
bool frame_has_task_rows(const struct frame *frame, unsigned core);

/** Get a task's number: tid of a thread, 0 for idle, -1 for [unattributed], -2 for [others]. */
int64_t task_number(const struct core_task *task);

/** Get the kind of a number. @return TASK_THREAD for 1 and above; N_TASK_KINDS: not a number of a task */
enum task_kind task_kind_of(int64_t number);

/** Find the task of a number. @names  by BY_ID: the last name of each number  @return NULL: not named */
const struct core_task *task_names_find(const struct task_index *names, int64_t number);

/** Set the task of its number, without core and end, replacing an earlier one. @return 0 or -ENOMEM */
int task_names_set(struct task_index *names, const struct core_task *task);

/** Whether both tasks give the same note. */
bool task_names_same(const struct core_task *a, const struct core_task *b);

#endif
