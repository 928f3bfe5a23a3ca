/* close.c: closes the tasks of a frame when its counts are complete */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sampler/tasks/core_tasks.h"

/* Cost of a switch, and of each counter in the group in addition to the leader: the kernel writes a
 * record and reads them. Measured on a virtual machine: 1.2 us with three */
enum { SWITCH_NS = 900, SWITCH_SLOT_NS = 100 };

static const enum task_kind fixed_kind[N_FIXED_ROWS] = {
	[ROW_UNATTRIBUTED] = TASK_UNATTRIBUTED,
	[ROW_OTHERS] = TASK_OTHERS,
	[ROW_IDLE] = TASK_IDLE,
};

static uint64_t sum_of(const uint64_t *value, size_t n, size_t step)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value[i * step];
	return sum;
}

/* Clear a column of all tasks that has no value on the core. */
static void close_leave_out(struct core_tasks *core, unsigned column)
{
	for (size_t row = 0; row < core->tally.n; row++)
		tally_values(&core->tally, row)[column] = 0;
}

/* Make all counts of the core [unattributed]. */
static void leave_unattributed(struct core_tasks *core, unsigned n_mux, const struct count *count)
{
	struct tally *tally = &core->tally;
	uint64_t *row = tally_values(tally, ROW_UNATTRIBUTED);
	uint64_t time[MUX_MAX];

	for (unsigned mux = 0; mux < n_mux; mux++)
		time[mux] = sum_of(tally->value + mux, tally->n, tally->n_values);
	tally_clear(tally);
	memcpy(row, time, n_mux * sizeof(time[0]));
	for (unsigned i = n_mux; i < tally->n_values; i++)
		row[i] = count[i - n_mux].value;
}

/* Verify the sums. @return whether each column adds up to the core's count */
static bool adds_up(struct core_tasks *core, unsigned n_mux, const struct count *count)
{
	struct tally *tally = &core->tally;
	bool adds_up = !core->is_faulty;

	for (unsigned i = n_mux; i < tally->n_values; i++) {
		if (!quality_has_value(count[i - n_mux].quality))
			close_leave_out(core, i);
		else
			adds_up &= sum_of(tally->value + i, tally->n, tally->n_values) ==
				   count[i - n_mux].value;
	}
	return adds_up;
}

static void verify_sums(struct attribution *attribution, const struct frame *frame)
{
	unsigned n_mux = set_n_mux(frame->set);

	for (unsigned i = 0; i < frame->n_cores; i++) {
		const struct core_window *window = &attribution->sampler->collector.window[i];
		struct core_tasks *core = &attribution->core[i];

		if (frame->core[i].state != CORE_ON)
			continue;
		if (window->has_prev)
			core_tasks_go_back(core, &window->prev);
		if (adds_up(core, n_mux, frame_counts(frame, i)) && !core->is_unknown)
			continue;
		attribution->n_faults += !core->is_unknown && !core->has_guess;
		core->n_lost = core->n_switches;
		leave_unattributed(core, n_mux, frame_counts(frame, i));
	}
}

static bool is_empty(const struct tally *tally, size_t row)
{
	const uint64_t *value = tally_values(tally, row);
	uint64_t bits = 0;

	for (unsigned i = 0; i < tally->n_values; i++)
		bits |= value[i];
	return !bits;
}

static size_t count_rows(const struct attribution *attribution, const struct frame *frame)
{
	size_t n = 0;

	for (unsigned i = 0; i < frame->n_cores; i++) {
		const struct tally *tally = &attribution->core[i].tally;

		for (size_t row = 0; frame->core[i].state == CORE_ON && row < tally->n; row++)
			n += !is_empty(tally, row);
	}
	return n;
}

static void describe(const struct core_tasks *core, size_t row, const struct frame_core *of,
		     struct core_task *ret)
{
	const struct task_name *task = core->tally.task[row];
	uint64_t start_ns = core->of->sampler->start_ns, end_ns = start_ns + of->t_ns;

	if (row < N_FIXED_ROWS)
		*ret = task_of_kind(fixed_kind[row]);
	ret->core = (uint16_t)(core - core->of->core);
	if (row < N_FIXED_ROWS)
		return;
	ret->pid = task->pid;
	ret->tid = task->tid;
	ret->is_of_root = task->is_of_root;
	ret->first_ns = task->first_ns > start_ns ? task->first_ns - start_ns : 0;
	if (task->ended_ns > end_ns - of->window_ns && task->ended_ns <= end_ns)
		ret->ended_ns = task->ended_ns - start_ns;
	memcpy(ret->comm, task->comm, sizeof(ret->comm));
}

struct task_rank {
	uint64_t time_ns;
	size_t row;
};

static int most_first(const void *a, const void *b)
{
	const struct task_rank *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? 1 : -1;
	return (left->row > right->row) - (left->row < right->row);
}

/* Destination of a core's rows in a frame. */
struct core_close {
	const struct core_tasks *core;
	const struct frame_core *of;
	struct frame_tasks *tasks;
	size_t at; /* next index */
};

static void close_append(struct core_close *close, size_t row)
{
	struct frame_tasks *tasks = close->tasks;
	const uint64_t *value = tally_values(&close->core->tally, row);
	size_t i = close->at++;

	describe(close->core, row, close->of, &tasks->task[i]);
	memcpy(tasks->time_ns + i * tasks->n_mux, value, tasks->n_mux * sizeof(*value));
	memcpy(tasks->value + i * tasks->n_slots, value + tasks->n_mux,
	       tasks->n_slots * sizeof(*value));
}

/* Add a core's rows to the frame. @ranked  space for all rows of the core */
static void close_add_core(struct core_close *close, struct task_rank *ranked)
{
	const struct tally *tally = &close->core->tally;
	struct frame_tasks *tasks = close->tasks;
	size_t n = 0;

	for (size_t row = 0; row < tally->n; row++)
		if (!is_empty(tally, row))
			ranked[n++] = (struct task_rank){
				sum_of(tally_values(tally, row), tasks->n_mux, 1), row
			};
	qsort(ranked, n, sizeof(*ranked), most_first);
	for (size_t i = 0; i < n; i++)
		close_append(close, ranked[i].row);
	tasks->n_switches += close->core->n_switches;
	tasks->n_lost += close->core->n_lost;
}

static int close_fill(const struct attribution *attribution, const struct frame *frame,
		      struct frame_tasks *tasks)
{
	struct task_rank *ranked = malloc((tasks->n + 1) * sizeof(*ranked));
	struct core_close close = { .tasks = tasks };

	if (!ranked)
		return -ENOMEM;
	for (unsigned i = 0; i < frame->n_cores; i++) {
		close.core = &attribution->core[i];
		close.of = &frame->core[i];
		if (close.of->state == CORE_ON)
			close_add_core(&close, ranked);
	}
	free(ranked);
	return 0;
}

static float cost_share(const struct attribution *attribution, const struct frame *frame,
			const struct frame_tasks *tasks)
{
	uint64_t window_ns = frame_window_ns(frame);
	unsigned n_slots = frame->n_slots / tasks->n_mux;
	double ns = (double)tasks->n_switches * (SWITCH_NS + n_slots * SWITCH_SLOT_NS);

	return window_ns ? (float)((ns + (double)attribution->own_ns) / (double)window_ns) : 0;
}

/* Forget ended tasks, except those that open windows of late cores still use. */
static void forget(struct attribution *attribution, const struct frame *frame)
{
	uint64_t t_ns = UINT64_MAX;

	if (!names_are_many(&attribution->names))
		return;
	for (unsigned i = 0; i < frame->n_cores; i++) {
		const struct core_window *window = &attribution->sampler->collector.window[i];
		const struct tally *tally = &attribution->core[i].tally;

		if (window->has_prev && window->begin_ns < t_ns)
			t_ns = window->begin_ns;
		for (size_t row = N_FIXED_ROWS; row < tally->n; row++)
			tally->task[row]->is_kept = true;
	}
	if (t_ns != UINT64_MAX && t_ns > NAMES_ENDED_NS)
		names_forget(&attribution->names, t_ns - NAMES_ENDED_NS);
}

const struct frame_tasks *attribution_close(struct attribution *attribution,
					    const struct frame *frame)
{
	uint64_t from_ns = attribution_cpu_ns(attribution);

	verify_sums(attribution, frame);

	struct frame_tasks *tasks = frame_tasks_new(count_rows(attribution, frame), frame->n_slots,
						    set_n_mux(frame->set));

	if (tasks && close_fill(attribution, frame, tasks)) {
		frame_tasks_unref(tasks);
		tasks = NULL;
	}
	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].state != CORE_LATE)
			core_tasks_clear(&attribution->core[i]);
	forget(attribution, frame);
	attribution->own_ns += attribution_cpu_ns(attribution) - from_ns;
	if (tasks)
		tasks->cost_share = cost_share(attribution, frame, tasks);
	attribution->own_ns = 0;
	return tasks;
}
