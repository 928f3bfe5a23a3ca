#include "sampler/tasks/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum {
	TASKS_MAX = 1 << 20,
	ENDED_MANY = 1024, /* number of ended tasks that is worth a scan of all */
};

void names_clear(struct names *names)
{
	struct hash_walk walk = { 0 };
	struct task_name *task;

	while ((task = hash_walk(&names->by_tid, &walk)))
		free(task);
	hash_fini(&names->by_tid);
	names->n_ended = 0;
}

/* Whether a life of an id comes after another one; both may begin at one time. */
static bool follows(const struct task_name *a, const struct task_name *b)
{
	return a->from_ns != b->from_ns ? a->from_ns > b->from_ns : a->ended_ns > b->ended_ns;
}

static struct task_name *tasks_names_find(const struct names *names, uint32_t tid, uint64_t t_ns)
{
	struct task_name *task, *found = NULL;

	hash_each(&names->by_tid, hash_mix(0, tid), task)
		if (task->tid == tid && task->from_ns <= t_ns && (!found || follows(task, found)))
			found = task;
	return found;
}

static bool is_root(const struct names *names, uint32_t pid, uint32_t tid)
{
	for (size_t i = 0; i < names->roots.n; i++) {
		const struct task_target *root = &names->roots.task[i];

		if ((uint32_t)root->id == (root->kind == TARGET_THREAD ? tid : pid))
			return true;
	}
	return false;
}

/* Add a task. @from_ns  0: it existed before the session */
static struct task_name *names_add(struct names *names, uint32_t pid, uint32_t tid,
				   uint64_t from_ns, uint64_t first_ns)
{
	struct task_name *task;

	if (names->by_tid.n == TASKS_MAX || !(task = malloc(sizeof(*task))))
		return NULL;
	*task = (struct task_name){
		.tid = tid,
		.pid = pid,
		.from_ns = from_ns,
		.first_ns = first_ns,
		.ended_ns = UINT64_MAX,
		.is_of_root = is_root(names, pid, tid),
	};
	if (!hash_add(&names->by_tid, hash_mix(0, tid), task))
		return task;
	free(task);
	return NULL;
}

void names_copy_comm(const char *comm, char *ret)
{
	char whole[TASK_COMM_SIZE], full[4 * TASK_COMM_SIZE];
	size_t n = (size_t)snprintf(whole, sizeof(whole), "%s", comm);

	for (size_t at = n > 3 ? n - 3 : 0; at < n; at++)
		if (utf8_is_begun(whole + at, n - at))
			whole[at] = '\0'; /* cut by the kernel */
	utf8_copy(whole, full, sizeof(full));
	if (strlen(full) >= TASK_COMM_SIZE) /* different names stay different */
		snprintf(full + strlen(utf8_copy(whole, full, TASK_COMM_SIZE - 5)), 6, "~%04x",
			 (unsigned)(hash_text(0, whole) & 0xffff));
	snprintf(ret, TASK_COMM_SIZE, "%.*s", TASK_COMM_SIZE - 1, full);
	for (unsigned kind = TASK_IDLE; kind < N_TASK_KINDS; kind++)
		if (strcmp(ret, task_kind_name[kind]) == 0)
			ret[0] = '?';
}

struct task_name *names_find(struct names *names, uint32_t pid, uint32_t tid, uint64_t t_ns)
{
	struct task_name *task = tasks_names_find(names, tid, t_ns);
	uint64_t from_ns = 0;
	char comm[TASK_COMM_SIZE];

	if (task && (task->ended_ns >= t_ns || t_ns - task->ended_ns < NAMES_ENDED_NS))
		return task;
	if (task) /* another task has its id; the record of its begin was lost */
		from_ns = task->ended_ns + 1;
	task = names_add(names, pid, tid, from_ns, t_ns);
	if (task && names->ask(names->data, tid, comm))
		snprintf(comm, sizeof(comm), "[%u]", tid);
	if (task)
		names_copy_comm(comm, task->comm);
	return task;
}

static void names_end(struct names *names, struct task_name *task, uint64_t t_ns)
{
	if (t_ns < task->ended_ns) {
		names->n_ended += task->ended_ns == UINT64_MAX;
		task->ended_ns = t_ns;
	}
}

static void take_fork(struct names *names, const struct task_note *note)
{
	struct task_name *parent =
		names_find(names, note->parent_pid, note->parent_tid, note->t_ns);
	struct task_name *before = tasks_names_find(names, note->tid, note->t_ns);
	struct task_name *task;

	if (before) /* record of its end was lost */
		names_end(names, before, note->t_ns);
	task = names_add(names, note->pid, note->tid, note->t_ns, note->t_ns);
	if (task && parent) {
		memcpy(task->comm, parent->comm, sizeof(task->comm));
		task->is_of_root |= parent->is_of_root;
	}
}

/* Whether an exec starts a new row: the name changes, and it is not a command's first program. */
static bool becomes_other(struct names *names, const struct task_name *task,
			  const struct task_note *note)
{
	bool is_first = note->is_exec && is_root(names, note->pid, note->tid) &&
			names->roots.task->kind == TARGET_EXEC && !names->root_has_begun;
	char name[TASK_COMM_SIZE];

	names->root_has_begun |= is_first;
	names_copy_comm(note->comm, name);
	return note->is_exec && !is_first && strcmp(task->comm, name) != 0;
}

/* Apply an exec or a new name. A thread that calls exec takes over the id of its process, whose
 * first thread has ended. */
static void names_take_name(struct names *names, const struct task_note *note)
{
	struct task_name *task = names_find(names, note->pid, note->tid, note->t_ns);

	if (task && (task->ended_ns <= note->t_ns || becomes_other(names, task, note))) {
		bool is_of_root = task->is_of_root;

		names_end(names, task, note->t_ns);
		task = names_add(names, note->pid, note->tid, note->t_ns, note->t_ns);
		if (task)
			task->is_of_root = is_of_root;
	}
	if (task)
		names_copy_comm(note->comm, task->comm);
}

static void take_exit(struct names *names, const struct task_note *note)
{
	struct task_name *task = names_find(names, note->pid, note->tid, note->t_ns);

	if (task)
		names_end(names, task, note->t_ns);
}

void names_take(struct names *names, const struct task_note *note)
{
	switch (note->kind) {
	case NOTE_FORK: take_fork(names, note); break;
	case NOTE_NAME: names_take_name(names, note); break;
	case NOTE_EXIT: take_exit(names, note); break;
	default: break; /* has no task */
	}
}

bool names_are_many(const struct names *names)
{
	return names->n_ended > ENDED_MANY + names->by_tid.n / 4;
}

void names_forget(struct names *names, uint64_t t_ns)
{
	struct hash_walk walk = { 0 };
	struct task_name *task;

	names->n_ended = 0;
	while ((task = hash_walk(&names->by_tid, &walk))) {
		if (task->ended_ns >= t_ns || task->is_referenced) {
			names->n_ended += task->ended_ns != UINT64_MAX;
			task->is_referenced = false;
		} else {
			free(task);
			hash_remove(&names->by_tid, &walk);
		}
	}
}
