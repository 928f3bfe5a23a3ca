/* task_names.h: the tasks that "# task" notes of a session have named, by the number in its rows */
#ifndef SESSION_FORMAT_TASK_NAMES_H
#define SESSION_FORMAT_TASK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/frame.h"

/** Has a session a row of this column for each task of the core? */
bool frame_has_task_row(const struct frame *frame, unsigned core, unsigned slot);

/** … of any column? */
bool frame_has_task_rows(const struct frame *frame, unsigned core);

/** What was said last of each number; `{ 0 }` is nothing. */
struct task_names {
	struct task_name {
		struct core_task task; /* without core and end */
		bool is_there;
	} * at; /* found by hashing */
	size_t n, cap;
};

/** A task's number: of a thread its tid, of idle 0, of [unattributed] -1, of [others] -2. */
int64_t task_number(const struct core_task *task);

/** What a number is of. @return TASK_THREAD for 1 and above; N_TASK_KINDS: nothing has it */
enum task_kind task_kind_of(int64_t number);

/** @return NULL: nothing was said */
const struct core_task *task_names_find(const struct task_names *names, int64_t number);

/** Say something, in place of what was said of the number. @return 0 or -ENOMEM */
int task_names_say(struct task_names *names, const struct core_task *task);

/** Would the same be said of both? */
bool task_names_same(const struct core_task *a, const struct core_task *b);

/** Forget all. */
void task_names_clear(struct task_names *names);

/** Release. */
void task_names_fini(struct task_names *names);

#endif
