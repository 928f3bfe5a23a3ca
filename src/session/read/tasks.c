/* tasks.c: rows that have a pid, and the notes that say whose it is */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "session/read/internal.h"

/* ---- notes ---- */

bool reader_parse_task(const char *at, size_t n, int64_t *ret)
{
	char digits[12];
	bool is_below = n && *at == '-';
	uint64_t size;

	at += is_below;
	n -= is_below;
	if (!n || n >= sizeof(digits) || *at == '-')
		return false;
	memcpy(digits, at, n);
	digits[n] = '\0';
	if (num_parse_u64(digits, &size) || size > UINT32_MAX)
		return false;
	*ret = is_below ? -(int64_t)size : (int64_t)size;
	return task_kind_of(*ret) < N_TASK_KINDS;
}

/* The word behind T, or behind the one that follows it. @return 0 on a mistake */
static int64_t number_of(struct note *note, size_t n)
{
	const struct note_word *word = note_word(note, n);
	int64_t number = 0;

	if (!word || !reader_parse_task(word->value, strlen(word->value), &number))
		note_fail(note, word, "expected the number of a task");
	return number;
}

void reader_take_task(struct reader *reader, struct note *note)
{
	struct core_task task = { .first_ns = note_time(note) };
	int64_t number = number_of(note, 2);

	task.kind = (uint8_t)task_kind_of(number);
	if (task.kind == TASK_THREAD) {
		task.tid = (uint32_t)number;
		task.pid = (uint32_t)note_u64(note, "process", UINT32_MAX);
	}
	snprintf(task.comm, sizeof(task.comm), "%s", note_need(note, "name"));
	if (!note->rc && task_names_say(&reader->names, &task))
		note_no_memory(note);
}

/* Behind the rows of the task that has ended. */
void reader_take_exit(struct reader *reader, struct note *note)
{
	struct read_tasks *tasks = &reader->task_rows;
	uint64_t t_ns = note_time(note);
	int64_t number = number_of(note, 3);

	if (note->rc || !reader->frame)
		return;
	if (!tasks->n || task_number(&tasks->task[tasks->n - 1]) != number)
		note_fail(note, note_word(note, 3), "the rows above are not of this task");
	else
		tasks->task[tasks->n - 1].ended_ns = t_ns;
}

/* Behind the rows of the frame that it is about. */
void reader_take_tasks(struct reader *reader, struct note *note)
{
	struct read_tasks *tasks = &reader->task_rows;
	uint64_t t_ns = note_time(note);
	double cost_pct = note_double_or(note, "cost_pct", 0);

	tasks->n_switches = note_u64_or(note, "switches", UINT64_MAX, 0);
	tasks->n_lost = note_u64_or(note, "lost", UINT64_MAX, 0);
	if (note->rc || !reader->frame)
		return;
	tasks->cost_share = (float)(cost_pct > 0 && cost_pct < 1e6 ? cost_pct / 100 : 0);
	tasks->is_noted = true;
	reader_expect_at(reader, t_ns);
}

/* ---- rows ---- */

void reader_forget_tasks(struct reader *reader)
{
	struct read_tasks *tasks = &reader->task_rows;

	tasks->n = 0;
	tasks->core = -1;
	tasks->is_noted = false;
	tasks->n_switches = tasks->n_lost = 0;
	tasks->cost_share = 0;
}

void reader_free_tasks(struct reader *reader)
{
	free(reader->task_rows.task);
	free(reader->task_rows.value);
	free(reader->task_rows.time_ns);
	task_names_fini(&reader->names);
}

static uint64_t *times_of(const struct reader *reader, size_t i)
{
	return reader->task_rows.time_ns + i * set_n_mux(reader->frame->set);
}

/* Time in mux groups that have no columns with a value on this core. @return false: there are none */
static bool end_task(struct reader *reader)
{
	struct read_tasks *tasks = &reader->task_rows;

	if (!tasks->n || !tasks->left_ns)
		return true;
	for (unsigned mux = 0; mux < set_n_mux(reader->frame->set); mux++)
		if (!(tasks->mux_groups >> mux & 1)) {
			times_of(reader, tasks->n - 1)[mux] = tasks->left_ns;
			return true;
		}
	return false;
}

static int begin_task(struct reader *reader, const struct core_task *task, unsigned core,
		      uint64_t time_ns)
{
	struct read_tasks *tasks = &reader->task_rows;
	size_t n_slots = reader->frame->n_slots, n_mux = set_n_mux(reader->frame->set);

	if (array_reserve((void **)&tasks->value, &tasks->cap_values, (tasks->n + 1) * n_slots,
			  sizeof(*tasks->value)) ||
	    array_reserve((void **)&tasks->time_ns, &tasks->cap_times, (tasks->n + 1) * n_mux,
			  sizeof(*tasks->time_ns)) ||
	    array_append((void **)&tasks->task, &tasks->cap, &tasks->n, task, sizeof(*task)))
		return -ENOMEM;
	memset(tasks->value + (tasks->n - 1) * n_slots, 0, n_slots * sizeof(*tasks->value));
	memset(times_of(reader, tasks->n - 1), 0, n_mux * sizeof(*tasks->time_ns));
	tasks->task[tasks->n - 1].core = (uint16_t)core;
	tasks->columns = tasks->mux_groups = 0;
	tasks->left_ns = time_ns;
	return 0;
}

/* @return what is wrong with it; NULL: nothing */
static const char *add_time(struct reader *reader, unsigned slot, const struct count *count)
{
	struct read_tasks *tasks = &reader->task_rows;
	unsigned mux = set_mux_of(reader->frame->set, slot);
	uint64_t *time_ns = times_of(reader, tasks->n - 1), all_ns = tasks->left_ns;

	for (unsigned i = 0; i < set_n_mux(reader->frame->set); i++)
		all_ns += time_ns[i];
	if (count->enabled_ns != all_ns)
		return "its rows have one enabled_ns, the time that it was on the core";
	if (tasks->mux_groups >> mux & 1)
		return count->running_ns == time_ns[mux]
			       ? NULL
			       : "its rows of one mux group have one running_ns";
	if (count->running_ns > tasks->left_ns)
		return "its mux groups have more running_ns than enabled_ns";
	time_ns[mux] = count->running_ns;
	tasks->left_ns -= count->running_ns;
	tasks->mux_groups |= UINT64_C(1) << mux;
	return NULL;
}

int reader_add_task(struct reader *reader, const struct core_task *task, unsigned core,
		    unsigned slot, const struct count *count, const char **ret_wrong)
{
	struct read_tasks *tasks = &reader->task_rows;
	const struct core_task *last = tasks->n ? &tasks->task[tasks->n - 1] : NULL;
	int rc = 0;

	*ret_wrong = NULL;
	if (last && last->core > core)
		*ret_wrong = "its CPU must not come before those of the rows above";
	else if (!last || last->core != core || !task_names_same(last, task)) {
		if (!end_task(reader))
			*ret_wrong = "the task above has more enabled_ns than running_ns";
		rc = begin_task(reader, task, core, count->enabled_ns);
	}
	if (rc || *ret_wrong)
		return rc;
	if (tasks->columns >> slot & 1)
		*ret_wrong = "occurs twice in this tick";
	else
		*ret_wrong = add_time(reader, slot, count);
	tasks->columns |= UINT64_C(1) << slot;
	tasks->value[(tasks->n - 1) * reader->frame->n_slots + slot] = count->value;
	tasks->line = lines_number(reader->lines);
	return 0;
}

/* ---- frames ---- */

bool reader_lacks_tasks(const struct reader *reader)
{
	const struct frame *frame = reader->frame;
	const struct read_tasks *tasks = &reader->task_rows;
	size_t i = 0;

	for (unsigned core = 0; tasks->n && core < frame->n_cores; core++) {
		bool lacks = frame_has_task_rows(frame, core);

		for (; i < tasks->n && tasks->task[i].core == core; i++)
			lacks = false;
		if (lacks)
			return true;
	}
	return false;
}

static int fail_sum(const struct reader *reader, unsigned core, unsigned slot, uint64_t sum,
		    struct err *err)
{
	unsigned type = reader->machine.core[core].type;

	return err_set(err, EINVAL,
		       "%s:%" PRIu64 ":1: tick %" PRIu64 ": the tasks of cpu %u have %" PRIu64
		       " of %s, and its own row says %" PRIu64,
		       lines_path(reader->lines), reader->task_rows.line, reader->tick,
		       reader->machine.core[core].cpu, sum,
		       reader->frame->set->type[type].event[slot]->name,
		       frame_counts(reader->frame, core)[slot].value);
}

/* @first, @end  all tasks of a core */
static int check_sums(const struct reader *reader, size_t first, size_t end, struct err *err)
{
	const struct frame *frame = reader->frame;
	unsigned core = reader->task_rows.task[first].core;

	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct count *count = &frame_counts(frame, core)[slot];
		uint64_t sum = 0;

		for (size_t i = first; i < end; i++)
			sum += reader->task_rows.value[i * frame->n_slots + slot];
		if (frame_has_task_row(frame, core, slot) && sum != count->value)
			return fail_sum(reader, core, slot, sum, err);
	}
	return 0;
}

static int check_tasks(struct reader *reader, struct err *err)
{
	const struct read_tasks *tasks = &reader->task_rows;
	size_t first = 0;
	int rc = 0;

	if (!end_task(reader))
		return err_set(err, EINVAL,
			       "%s:%" PRIu64 ":1: the task has more enabled_ns than running_ns",
			       lines_path(reader->lines), tasks->line);
	for (size_t i = 0; !rc && i < tasks->n; i++)
		if (i + 1 == tasks->n || tasks->task[i + 1].core != tasks->task[i].core) {
			rc = check_sums(reader, first, i + 1, err);
			first = i + 1;
		}
	return rc;
}

/* As the next frame's notes take it: only those that it does not say again are known. */
static int remember_names(struct reader *reader)
{
	int rc = 0;

	task_names_clear(&reader->names);
	for (size_t i = 0; !rc && i < reader->task_rows.n; i++)
		rc = task_names_say(&reader->names, &reader->task_rows.task[i]);
	return rc;
}

int reader_finish_tasks(struct reader *reader, struct err *err)
{
	const struct read_tasks *tasks = &reader->task_rows;
	struct frame *frame = reader->frame;
	unsigned n_mux = set_n_mux(frame->set);
	struct frame_tasks *ret;

	if (!tasks->n && !tasks->is_noted) {
		task_names_clear(&reader->names);
		return 0;
	}

	int rc = check_tasks(reader, err);

	if (rc)
		return rc;
	ret = frame_tasks_new(tasks->n, frame->n_slots, n_mux);
	if (!ret || remember_names(reader)) {
		frame_tasks_unref(ret);
		return err_set(err, ENOMEM, "out of memory");
	}
	if (tasks->n) {
		memcpy(ret->task, tasks->task, tasks->n * sizeof(*ret->task));
		memcpy(ret->value, tasks->value, tasks->n * frame->n_slots * sizeof(*ret->value));
		memcpy(ret->time_ns, tasks->time_ns, tasks->n * n_mux * sizeof(*ret->time_ns));
	}
	ret->n_switches = tasks->n_switches;
	ret->n_lost = tasks->n_lost;
	ret->cost_share = tasks->cost_share;
	frame->tasks = ret;
	return 0;
}
