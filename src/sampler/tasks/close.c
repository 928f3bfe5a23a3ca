/* close.c: a frame's tasks and samples, when its counts are complete */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/tasks/core_tasks.h"

/* Cost of a switch, and of each counter in the group in addition to the leader: the kernel writes a
 * record and reads them. Measured on a virtual machine: 1.2 us with three */
enum { SWITCH_NS = 900, SWITCH_SLOT_NS = 100 };

/* Cost of a sample in the kernel, without and with a chain; the interrupt included. Measured likewise */
enum { HIT_NS = 1500, CHAIN_NS = 6000 };

/* Make all counts of the core [unattributed]. */
static void leave_unattributed(struct core_tasks *core, unsigned n_mux, const struct count *count)
{
	struct tally *tally = &core->tally;
	uint64_t *row = tally_values(tally, ROW_UNATTRIBUTED);
	uint64_t time[MUX_MAX];

	for (unsigned mux = 0; mux < n_mux; mux++)
		time[mux] = sum_of(tally->value + mux, tally->n, tally->n_values);
	tally_clear(tally);
	if (core->of->hits)
		hits_move(core->of->hits, core_tasks_index(core), ROW_UNATTRIBUTED);
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
		if (quality_has_value(count[i - n_mux].quality))
			adds_up &= sum_of(tally->value + i, tally->n, tally->n_values) ==
				   count[i - n_mux].value;
		else /* no value on this core: none for its tasks */
			for (size_t row = 0; row < tally->n; row++)
				tally_values(tally, row)[i] = 0;
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
		attribution->sampler->collector.n_task_faults +=
			!core->is_unknown && !core->has_guess;
		core->n_lost = core->n_switches;
		leave_unattributed(core, n_mux, frame_counts(frame, i));
	}
}

/* Whether a row has counts, or samples alone. */
static bool is_listed(const struct core_tasks *core, size_t row)
{
	return !tally_is_empty_row(&core->tally, row) || (is_of_tasks(core) && row >= N_FIXED_ROWS);
}

static size_t count_rows(const struct attribution *attribution, const struct frame *frame)
{
	size_t n = 0;

	for (unsigned i = 0; i < frame->n_cores; i++) {
		const struct core_tasks *core = &attribution->core[i];

		for (size_t row = 0; frame->core[i].state == CORE_ON && row < core->tally.n; row++)
			n += is_listed(core, row);
		n += frame->set->roots.tells_lost;
	}
	return n;
}

static void close_describe(const struct core_tasks *core, size_t row, const struct frame_core *of,
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
	ret->cgroup = core->tally.cgroup[row];
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
		return task_order(right->time_ns, left->time_ns);
	return task_order(left->row, right->row);
}

/* Destination of a core's rows in a frame. */
struct core_close {
	const struct core_tasks *core;
	const struct frame_core *of;
	struct frame_tasks *tasks;
	size_t at;       /* next index */
	uint32_t *index; /* by row; NULL: not needed */
};

static void close_append(struct core_close *close, size_t row)
{
	struct frame_tasks *tasks = close->tasks;
	const uint64_t *value = tally_values(&close->core->tally, row);
	size_t i = close->at++;

	if (close->index)
		close->index[row] = (uint32_t)i;
	close_describe(close->core, row, close->of, &tasks->task[i]);
	memcpy(tasks->time_ns + i * tasks->n_mux, value, tasks->n_mux * sizeof(*value));
	memcpy(tasks->value + i * tasks->n_slots, value + tasks->n_mux,
	       tasks->n_slots * sizeof(*value));
}

/* Get what records lack of the root's counts in a column: the exact count tells, else it may be all that is lost.
 * @return negative: its tasks have more
 * @lost  on the core  @attributed  to tasks of the root */
static int64_t lost_of_root(const struct core_tasks *core, unsigned column, uint64_t lost,
			    uint64_t attributed)
{
	const struct event *event = set_event(&core->of->set, column);
	uint64_t exact = core->of_root[column] +
			 (event && event_is(event, "context-switches") ? core->n_after_end : 0);
	int64_t lacks = (int64_t)(exact - attributed);

	if (core->is_unknown || !column_set_has(&core->exact, column))
		return attributed || !column_set_is_empty(&core->exact) ||
				       core->of->set.roots.task->kind != TARGET_EXEC
			       ? (int64_t)lost
			       : 0;
	/* times also differ by the switches between tasks, in which none is counted */
	if (event_is_clock(event) && lacks < 0)
		return 0;
	return event_is_clock(event) && lacks > (int64_t)lost ? (int64_t)lost : lacks;
}

/* Take from the root's tasks what they have above its exact count, from its process first: that was before its exec, and
 * is m1top's then. */
static void cut_root(struct frame_tasks *tasks, size_t first, size_t n, unsigned column,
		     const struct roots *roots, uint64_t surplus)
{
	for (unsigned others = 0; others < 2; others++)
		for (size_t i = first; i < first + n && surplus; i++) {
			const struct core_task *of = &tasks->task[i];
			uint64_t *value = &tasks->value[i * tasks->n_slots + column];
			uint64_t cut = surplus < *value ? surplus : *value;

			if (!of->is_of_root || (!others && of->pid != (uint32_t)roots->task->id))
				continue;
			*value -= cut;
			surplus -= cut;
		}
}

/* Divide a core's [unattributed] into that of the root and its descendants and the rest. The root's tasks and its part
 * add up to its exact count, even if the record of a birth was lost and a descendant is not known as one.
 * @first  the core's first task */
static void close_root(struct core_close *close, size_t first)
{
	struct frame_tasks *tasks = close->tasks;
	struct core_task part = task_of_kind(TASK_UNATTRIBUTED), *of = tasks->task + first;
	size_t n = close->at - first, at = 0;
	uint64_t none[COLUMNS_MAX] = { 0 }, *rest = none, *value, any = 0;

	while (at < n && of[at].kind != TASK_UNATTRIBUTED)
		at++;
	if (at < n)
		rest = tasks->value + (first + at) * tasks->n_slots;
	value = tasks->value + close->at * tasks->n_slots;
	for (unsigned column = 0; column < tasks->n_slots; column++) {
		uint64_t attributed = 0;

		for (size_t i = 0; i < n; i++)
			if (of[i].is_of_root)
				attributed += tasks->value[(first + i) * tasks->n_slots + column];

		int64_t lacks = lost_of_root(close->core, column, rest[column], attributed);

		value[column] = lacks > 0 ? (uint64_t)lacks : 0;
		if (lacks < 0)
			cut_root(tasks, first, n, column, &close->core->of->set.roots,
				 (uint64_t)-lacks);
		rest[column] = lacks < (int64_t)rest[column] ? rest[column] - (uint64_t)lacks : 0;
		any |= value[column];
	}
	if (!any)
		return;
	part.core = (uint16_t)core_tasks_index(close->core);
	part.is_of_root = true;
	for (unsigned mux = 0; at < n && mux < tasks->n_mux; mux++) {
		uint64_t *time_ns = &tasks->time_ns[(first + at) * tasks->n_mux + mux];

		tasks->time_ns[close->at * tasks->n_mux + mux] = *time_ns;
		*time_ns = 0; /* who ran in it is unknown */
	}
	tasks->task[close->at++] = part;
}

/* Add a core's rows to the frame. @ranked  space for all rows of the core */
static void close_add_core(struct core_close *close, struct task_rank *ranked)
{
	const struct tally *tally = &close->core->tally;
	struct frame_tasks *tasks = close->tasks;
	size_t n = 0, first = close->at;

	for (size_t row = 0; row < tally->n; row++)
		if (is_listed(close->core, row))
			ranked[n++] = (struct task_rank){
				sum_of(tally_values(tally, row), tasks->n_mux, 1), row
			};
	qsort(ranked, n, sizeof(*ranked), most_first);
	for (size_t i = 0; i < n; i++)
		close_append(close, ranked[i].row);
	if (close->core->of->set.roots.tells_lost)
		close_root(close, first);
	tasks->n_switches += close->core->n_switches;
	tasks->n_lost += close->core->n_lost;
}

/* Allocate the index of a core's rows. @return NULL without memory, and without samples */
static uint32_t *close_index(const struct core_tasks *core)
{
	size_t size = core->tally.n * sizeof(uint32_t);
	uint32_t *index = core->of->hits ? malloc(size + 1) : NULL;

	return index ? memset(index, 0xff, size) : NULL;
}

/* @index  by core: of its rows, to be freed */
static int close_fill(const struct attribution *attribution, const struct frame *frame,
		      struct frame_tasks *tasks, uint32_t **index)
{
	AUTO_FREE struct task_rank *ranked = malloc((tasks->n + 1) * sizeof(*ranked));
	struct core_close close = { .tasks = tasks };

	if (!ranked)
		return -ENOMEM;
	for (unsigned i = 0; i < frame->n_cores; i++) {
		close.core = &attribution->core[i];
		close.of = &frame->core[i];
		if (close.of->state != CORE_ON)
			continue;
		close.index = index[i] = close_index(close.core);
		close_add_core(&close, ranked);
	}
	tasks->n = close.at;
	return 0;
}

static float cost_share(const struct attribution *attribution, const struct frame *frame,
			const struct frame_tasks *tasks)
{
	uint64_t window_ns = frame_window_ns(frame);
	unsigned n_slots = frame->n_slots / tasks->n_mux;
	double ns = (double)tasks->n_switches * (SWITCH_NS + n_slots * SWITCH_SLOT_NS);

	if (frame->hot)
		ns += (double)frame->hot->n_samples * (frame->set->chains ? CHAIN_NS : HIT_NS);

	return window_ns ? (float)((ns + (double)attribution->own_ns) / (double)window_ns) : 0;
}

/* Forget ended tasks, except those that open windows of late cores still use. */
static void close_forget_names(struct attribution *attribution, const struct frame *frame)
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
			tally->task[row]->is_referenced = true;
	}
	if (t_ns != UINT64_MAX && t_ns > NAMES_ENDED_NS)
		names_forget(&attribution->names, t_ns - NAMES_ENDED_NS);
}

/* Close the samples, and begin the next window. @index  by core */
static void close_hits(struct attribution *attribution, struct frame *frame, uint32_t *const *index)
{
	bool has_all = true;

	for (unsigned i = 0; i < frame->n_cores; i++) {
		struct core_tasks *core = &attribution->core[i];

		if (frame->core[i].state != CORE_ON)
			continue;
		has_all &= index[i] != NULL;
		sampling_close(core, frame);
	}
	if (has_all)
		frame->hot = hits_close(attribution->hits, frame, (const uint32_t *const *)index);
}

void attribution_close(struct attribution *attribution, struct frame *frame)
{
	uint64_t from_ns = attribution_cpu_ns(attribution);
	uint32_t *index[CORES_MAX] = { NULL };

	verify_sums(attribution, frame);

	struct frame_tasks *tasks = frame_tasks_new(count_rows(attribution, frame), frame->n_slots,
						    set_n_mux(frame->set));

	if (tasks && close_fill(attribution, frame, tasks, index)) {
		frame_tasks_unref(tasks);
		tasks = NULL;
	}
	if (tasks && attribution->hits)
		close_hits(attribution, frame, index);
	for (unsigned i = 0; i < frame->n_cores; i++) {
		free(index[i]);
		if (frame->core[i].state != CORE_LATE)
			core_tasks_clear(&attribution->core[i]);
	}
	close_forget_names(attribution, frame);
	attribution->own_ns += attribution_cpu_ns(attribution) - from_ns;
	if (tasks)
		tasks->cost_share = cost_share(attribution, frame, tasks);
	attribution->own_ns = 0;
	frame->tasks = tasks;
}
