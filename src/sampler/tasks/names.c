#include "sampler/tasks/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sampler/tasks/tasks.h"

enum {
	TASKS_MAX = 1 << 20,
	CHAINS_MIN = 1024,
	ENDED_MANY = 1024, /* so many ended ones make it worth looking through all */
};

void names_clear(struct names *names)
{
	for (size_t i = 0; i < names->n_chains; i++) {
		while (names->chain[i]) {
			struct task_name *task = names->chain[i];

			names->chain[i] = task->next;
			free(task);
		}
	}
	free(names->chain);
	names->chain = NULL;
	names->n = names->n_chains = names->n_ended = 0;
}

static struct task_name **chain_of(const struct names *names, uint32_t tid)
{
	uint32_t hash = tid * UINT32_C(0x9e3779b1);

	return &names->chain[(hash ^ hash >> 16) & (names->n_chains - 1)];
}

/* Tasks go to the ends of the new chains, and so stay in their order. */
static int grow(struct names *names)
{
	size_t n = names->n_chains ? 2 * names->n_chains : CHAINS_MIN, n_before = names->n_chains;
	struct task_name **before = names->chain, **chain = calloc(n, sizeof(struct task_name *));

	if (!chain)
		return -ENOMEM;
	names->chain = chain;
	names->n_chains = n;
	for (size_t i = 0; i < n_before; i++) {
		while (before[i]) {
			struct task_name *task = before[i], **to = chain_of(names, task->tid);

			before[i] = task->next;
			while (*to)
				to = &(*to)->next;
			task->next = NULL;
			*to = task;
		}
	}
	free(before);
	return 0;
}

/* The link to the task that had the id then, or to where it would stand. */
static struct task_name **link_to(const struct names *names, uint32_t tid, uint64_t t_ns)
{
	struct task_name **at = chain_of(names, tid);

	while (*at && ((*at)->tid != tid || (*at)->from_ns > t_ns))
		at = &(*at)->next;
	return at;
}

static struct task_name *find(const struct names *names, uint32_t tid, uint64_t t_ns)
{
	return names->n_chains ? *link_to(names, tid, t_ns) : NULL;
}

/* @from_ns  0: it was there before */
static struct task_name *add(struct names *names, uint32_t pid, uint32_t tid, uint64_t from_ns,
			     uint64_t first_ns)
{
	struct task_name *task;

	if (names->n == TASKS_MAX || (names->n >= names->n_chains && grow(names)))
		return NULL;
	task = malloc(sizeof(*task));
	if (!task)
		return NULL;

	struct task_name **at = link_to(names, tid, from_ns);

	*task = (struct task_name){
		.tid = tid,
		.pid = pid,
		.from_ns = from_ns,
		.first_ns = first_ns,
		.ended_ns = UINT64_MAX,
		.is_of_root = names->root && pid == names->root,
		.next = *at,
	};
	*at = task;
	names->n++;
	return task;
}

/* A task calls itself as it likes. Rows have lines, sessions and Prometheus are UTF-8, and no task is [idle]: as in
 * ps, `?` stands for what is not seen. @comm  TASK_COMM_SIZE bytes */
static void set_comm(struct task_name *task, const char *comm)
{
	char *to = task->comm;

	while (*comm) {
		const char *from = comm;
		wchar_t c = utf8_next(&comm);

		if (c == UTF8_REPLACEMENT || utf8_is_hidden(c))
			*to++ = '?';
		else
			to = mempcpy(to, from, (size_t)(comm - from));
	}
	*to = '\0';
	for (unsigned kind = TASK_IDLE; kind < N_TASK_KINDS; kind++)
		if (strcmp(task->comm, task_kind_name[kind]) == 0)
			task->comm[0] = '?';
}

struct task_name *names_find(struct names *names, uint32_t pid, uint32_t tid, uint64_t t_ns)
{
	struct task_name *task = find(names, tid, t_ns);
	uint64_t from_ns = 0;
	char comm[TASK_COMM_SIZE];

	if (task && (task->ended_ns >= t_ns || t_ns - task->ended_ns < NAMES_ENDED_NS))
		return task;
	if (task) /* another has its id, of which no beginning was told: that was lost */
		from_ns = task->ended_ns + 1;
	task = add(names, pid, tid, from_ns, t_ns);
	if (task && names->ask(names->data, tid, comm))
		snprintf(comm, sizeof(comm), "[%u]", tid);
	if (task)
		set_comm(task, comm);
	return task;
}

static void end(struct names *names, struct task_name *task, uint64_t t_ns)
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
	struct task_name *before = find(names, note->tid, note->t_ns);
	struct task_name *task;

	if (before) /* its end was lost */
		end(names, before, note->t_ns);
	task = add(names, note->pid, note->tid, note->t_ns, note->t_ns);
	if (task && parent) {
		memcpy(task->comm, parent->comm, sizeof(task->comm));
		task->is_of_root |= parent->is_of_root;
	}
}

/* A thread that calls exec takes its process's id over, whose first thread has ended. */
static void take_name(struct names *names, const struct task_note *note)
{
	struct task_name *task = names_find(names, note->pid, note->tid, note->t_ns);

	if (task && task->ended_ns <= note->t_ns) {
		bool is_of_root = task->is_of_root;

		task = add(names, note->pid, note->tid, note->t_ns, note->t_ns);
		if (task)
			task->is_of_root = is_of_root;
	}
	if (task)
		set_comm(task, note->comm);
}

static void take_exit(struct names *names, const struct task_note *note)
{
	struct task_name *task = names_find(names, note->pid, note->tid, note->t_ns);

	if (task)
		end(names, task, note->t_ns);
}

void names_take(struct names *names, const struct task_note *note)
{
	switch (note->kind) {
	case NOTE_FORK: take_fork(names, note); break;
	case NOTE_NAME: take_name(names, note); break;
	case NOTE_EXIT: take_exit(names, note); break;
	}
}

bool names_are_many(const struct names *names)
{
	return names->n_ended > ENDED_MANY + names->n / 4;
}

void names_forget(struct names *names, uint64_t t_ns)
{
	names->n_ended = 0;
	for (size_t i = 0; i < names->n_chains; i++) {
		struct task_name **at = &names->chain[i];

		while (*at) {
			struct task_name *task = *at;

			if (task->ended_ns >= t_ns || task->is_kept) {
				names->n_ended += task->ended_ns != UINT64_MAX;
				task->is_kept = false;
				at = &task->next;
				continue;
			}
			*at = task->next;
			free(task);
			names->n--;
		}
	}
}
