/* core_tasks.c: attributes the counts between two samples, switch by switch, each difference to one task */
#include "sampler/tasks/core_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- switches that are taken but not attributed yet ---- */

enum { SIZE_FIRST = 16 << 10, SIZE_LAST = 1 << 20 };

static size_t backlog_size_of(const struct task_switch *one)
{
	return sizeof(*one) + one->n_slots * sizeof(one->value[0]);
}

static bool backlog_grow(struct backlog *backlog)
{
	size_t size = backlog->size ? 2 * backlog->size : SIZE_FIRST;
	char *bytes = size <= SIZE_LAST ? realloc(backlog->bytes, size) : NULL;

	if (!bytes)
		return false;
	backlog->bytes = bytes;
	backlog->size = size;
	return true;
}

static void move_to_front(struct backlog *backlog)
{
	memmove(backlog->bytes, backlog->bytes + backlog->begin, backlog->end - backlog->begin);
	backlog->end -= backlog->begin;
	backlog->begin = 0;
}

/* Make room at the end. Records move to the front only when half of the space is free there: each
 * moves at most once on average. */
static bool backlog_make_room(struct backlog *backlog, size_t size)
{
	if (backlog->end + size <= backlog->size)
		return true;
	if (backlog->begin && backlog->begin >= backlog->size / 2)
		move_to_front(backlog);
	while (backlog->end + size > backlog->size && backlog_grow(backlog))
		;
	if (backlog->end + size > backlog->size && backlog->begin)
		move_to_front(backlog);
	return backlog->end + size <= backlog->size;
}

bool backlog_push(struct backlog *backlog, const struct task_switch *one)
{
	size_t size = backlog_size_of(one);

	if (!backlog_make_room(backlog, size))
		return false;

	char *to = backlog->bytes + backlog->end;

	memcpy(to, one, sizeof(*one));
	memcpy(to + sizeof(*one), one->value, size - sizeof(*one));
	backlog->end += size;
	return true;
}

static bool backlog_peek(const struct backlog *backlog, struct task_switch *ret)
{
	const char *from = backlog->bytes + backlog->begin;

	if (backlog->begin == backlog->end)
		return false;
	memcpy(ret, from, sizeof(*ret));
	ret->value = (const uint64_t *)(const void *)(from + sizeof(*ret));
	return true;
}

static void backlog_pop(struct backlog *backlog)
{
	struct task_switch one;

	if (!backlog_peek(backlog, &one))
		return;
	backlog->begin += backlog_size_of(&one);
	if (backlog->begin == backlog->end)
		backlog->begin = backlog->end = 0;
}

static bool backlog_is_half_full(const struct backlog *backlog)
{
	return backlog->end - backlog->begin > SIZE_LAST / 2;
}

/* ---- sums by task ---- */

enum { ROWS_MIN = 32, ROWS_PER_INDEX = 2 };

static size_t tally_slot_of(const struct tally *tally, const struct task_name *task)
{
	uint64_t hash = (uint64_t)(uintptr_t)task * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = hash >> 40 & (tally->n_index - 1);

	while (tally->index[i] && tally->task[tally->index[i]] != task)
		i = (i + 1) & (tally->n_index - 1);
	return i;
}

static int tally_resize(struct tally *tally, size_t cap)
{
	size_t n_index = cap * ROWS_PER_INDEX;
	uint32_t *index = calloc(n_index, sizeof(*index));
	struct task_name **task = realloc(tally->task, cap * sizeof(struct task_name *));
	uint64_t *value;

	if (task)
		tally->task = task;
	value = realloc(tally->value, cap * tally->n_values * sizeof(*value));
	if (value)
		tally->value = value;
	if (!index || !task || !value) {
		free(index);
		return -ENOMEM;
	}
	free(tally->index);
	tally->index = index;
	tally->n_index = n_index;
	tally->cap = cap;
	for (size_t row = N_FIXED_ROWS; row < tally->n; row++)
		tally->index[tally_slot_of(tally, tally->task[row])] = (uint32_t)row;
	return 0;
}

int tally_init(struct tally *tally, unsigned n_values, size_t max)
{
	tally_fini(tally);
	tally->n_values = n_values;
	tally->max = max;
	if (tally_resize(tally, ROWS_MIN))
		return -ENOMEM;
	tally_clear(tally);
	return 0;
}

void tally_fini(struct tally *tally)
{
	free(tally->task);
	free(tally->value);
	free(tally->index);
	*tally = (struct tally){ 0 };
}

void tally_clear(struct tally *tally)
{
	tally->n = N_FIXED_ROWS;
	for (size_t row = 0; row < N_FIXED_ROWS; row++)
		tally->task[row] = NULL;
	memset(tally->value, 0, N_FIXED_ROWS * tally->n_values * sizeof(tally->value[0]));
	memset(tally->index, 0, tally->n_index * sizeof(tally->index[0]));
}

/* Get a task's row, or that of [others] if there is no room. @return n_values sums, until the next call */
static uint64_t *tally_row(struct tally *tally, struct task_name *task)
{
	size_t slot = tally_slot_of(tally, task), row = tally->index[slot];

	if (row)
		return tally_values(tally, row);
	if (tally->n == tally->max ||
	    (tally->n == tally->cap && tally_resize(tally, 2 * tally->cap)))
		return tally_values(tally, ROW_OTHERS);
	row = tally->n++;
	tally->task[row] = task;
	tally->index[tally_slot_of(tally, task)] = (uint32_t)row;
	memset(tally_values(tally, row), 0, tally->n_values * sizeof(tally->value[0]));
	return tally_values(tally, row);
}

/* ---- attribution ---- */

static bool core_tasks_is_lost(const struct core_tasks *core, const struct switch_point *to,
			       uint64_t n)
{
	/* other groups had the counters for a while: switches in that time have no record */
	uint64_t waited_ns = core->at.enabled_ns - core->at.running_ns;

	return to->n != n || to->enabled_ns - to->running_ns != waited_ns;
}

static uint64_t *core_tasks_row_of(struct core_tasks *core, const struct switch_point *to,
				   uint64_t t_ns)
{
	struct task_name *task;

	if (to->tid == (uint32_t)TID_GONE)
		return tally_values(&core->tally, ROW_UNATTRIBUTED);
	if (!to->tid)
		return tally_values(&core->tally, ROW_IDLE);
	task = names_find(&core->of->names, to->pid, to->tid, t_ns);
	return task ? tally_row(&core->tally, task) : tally_values(&core->tally, ROW_OTHERS);
}

/* Subtract two counter values. If the counter went backwards, the window is marked faulty. */
static uint64_t core_tasks_difference(struct core_tasks *core, uint64_t before, uint64_t after)
{
	uint64_t delta = counter_delta(before, after, core->width);

	core->is_faulty |= delta >> (core->width - 1);
	return delta;
}

/* Add differences to a row. @slots  as bits  @value  by slot, n_slots of them; missing ones were 0 */
static void add_slots(struct core_tasks *core, uint64_t *row, uint64_t slots, const uint64_t *value)
{
	const uint8_t *column_of = core->of->column_of[core->mux];

	row += set_n_mux(&core->of->set);
	for (; slots; slots &= slots - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(slots);

		if (column_of[slot] == SLOT_FREE)
			continue;
		row[column_of[slot]] += core_tasks_difference(core, core->value[slot], value[slot]);
		core->value[slot] = value[slot];
	}
}

/* Move to a point. Its times may be older than those of the previous switch: a thread that reads
 * may be preempted after the kernel has taken the times and before it takes the counts. Source:
 * Linux __perf_read_group_add() */
static void go_to(struct core_tasks *core, const struct switch_point *to, uint64_t *row)
{
	if (to->running_ns > core->at.running_ns)
		row[core->mux] += to->running_ns - core->at.running_ns;
	core->n_switches += to->n - core->at.n;
	core->at = *to;
}

static void add_switch(struct core_tasks *core, const struct task_switch *one)
{
	uint64_t slots = core->attributable;
	uint64_t *row = core_tasks_row_of(core, &one->at, one->t_ns);

	core->has_guess |= one->is_guess;
	if (core_tasks_is_lost(core, &one->at, core->at.n + 1)) {
		core->n_lost += one->at.n - core->at.n - 1;
		row = tally_values(&core->tally, ROW_UNATTRIBUTED);
	}
	if (one->n_slots < SLOTS_MAX)
		slots &= (UINT64_C(1) << one->n_slots) - 1;
	add_slots(core, row, slots, one->value);
	go_to(core, &one->at, row);
}

/* Whether a switch precedes the sample. Switches recorded by another group are not attributed, only removed. */
static bool is_before(const struct task_switch *one, const struct sample *sample)
{
	if (one->at.stream == sample->at.stream)
		return one->at.n <= sample->at.n;
	return one->t_ns <= sample->t_ns;
}

static void take_oldest(struct core_tasks *core, const struct task_switch *one)
{
	if (core->has_begun && one->at.stream == core->at.stream && one->at.n > core->at.n)
		add_switch(core, one);
	backlog_pop(&core->backlog);
}

bool core_tasks_relieve(struct core_tasks *core, const struct sample *next, uint64_t t_ns)
{
	struct task_switch one;
	bool has_changed = false;

	while (backlog_is_half_full(&core->backlog) && backlog_peek(&core->backlog, &one) &&
	       one.t_ns <= t_ns && (!next || is_before(&one, next))) {
		take_oldest(core, &one);
		has_changed = true;
	}
	return has_changed;
}

static uint64_t slots_of(const struct sample *sample, bool begins)
{
	uint64_t slots = 0;

	for (unsigned i = 0; i < sample->n_slots; i++)
		if (sample->state[i] == RAW_OK || (begins && sample->state[i] == RAW_RESTARTED))
			slots |= UINT64_C(1) << i;
	return slots;
}

static void take_values(const struct sample *sample, uint64_t slots, uint64_t *value)
{
	for (; slots; slots &= slots - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(slots);

		value[slot] = sample->raw[slot].value;
	}
}

void core_tasks_begin(struct core_tasks *core, const struct sample *sample)
{
	core->has_begun = true;
	core->at = sample->at;
	core->mux = set_mux_of(&core->of->set, sample->first);
	core->counted = slots_of(sample, true);
	core->attributable = sample->at.stream ? core->counted & sample->attributable : 0;
	take_values(sample, core->counted, core->value);
}

void core_tasks_go_back(struct core_tasks *core, const struct sample *to)
{
	if (!core->has_begun || to->at.stream != core->at.stream || to->at.n >= core->at.n)
		return;
	tally_values(&core->tally, ROW_UNATTRIBUTED)[core->mux] -=
		core->at.running_ns - to->at.running_ns;
	core->n_switches -= core->at.n - to->at.n;
	core->is_unknown = true;
	core_tasks_begin(core, to);
}

static void take_before(struct core_tasks *core, const struct sample *sample)
{
	struct task_switch one;

	if (!backlog_peek(&core->backlog, &one))
		return;

	uint64_t from_ns = attribution_cpu_ns(core->of);

	while (backlog_peek(&core->backlog, &one) && is_before(&one, sample))
		take_oldest(core, &one);
	attribution_spend(core->of, from_ns);
}

void core_tasks_end(struct core_tasks *core, const struct sample *prev, const struct sample *sample)
{
	uint64_t slots = slots_of(sample, false), value[SLOTS_MAX];
	uint64_t *unattributed, *row;

	/* the core was late and read another set meanwhile */
	if (!core->has_begun || sample->at.stream != core->at.stream) {
		core->is_unknown = true;
		return;
	}
	if (sample->at.n < core->at.n) /* the sample was so late that room had to be made */
		core_tasks_go_back(core, prev);
	take_before(core, sample);
	row = core_tasks_row_of(core, &sample->at, sample->t_ns);
	unattributed = tally_values(&core->tally, ROW_UNATTRIBUTED);
	if (core_tasks_is_lost(core, &sample->at, core->at.n)) {
		core->n_lost += sample->at.n - core->at.n;
		row = unattributed;
	}
	take_values(sample, slots, value);
	add_slots(core, row, slots & core->attributable, value);
	add_slots(core, unattributed, slots & core->counted & ~core->attributable, value);
	go_to(core, &sample->at, row);
}

void core_tasks_clear(struct core_tasks *core)
{
	tally_clear(&core->tally);
	core->is_faulty = core->is_unknown = core->has_guess = false;
	core->n_switches = core->n_lost = 0;
}
