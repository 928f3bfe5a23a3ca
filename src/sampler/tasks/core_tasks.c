/* core_tasks.c: from a sample to the next, switch by switch; each difference belongs to one task */
#include "sampler/tasks/core_tasks.h"

#include <string.h>

static bool is_lost(const struct core_tasks *core, const struct switch_point *to, uint64_t n)
{
	/* the kernel had other groups on the counters for a while: who ran then has no record */
	uint64_t waited_ns = core->at.enabled_ns - core->at.running_ns;

	return to->n != n || to->enabled_ns - to->running_ns != waited_ns;
}

static uint64_t *row_of(struct core_tasks *core, const struct switch_point *to, uint64_t t_ns)
{
	struct task_name *task;

	if (to->tid == (uint32_t)TID_GONE)
		return tally_values(&core->tally, ROW_UNATTRIBUTED);
	if (!to->tid)
		return tally_values(&core->tally, ROW_IDLE);
	task = names_find(&core->of->names, to->pid, to->tid, t_ns);
	return task ? tally_row(&core->tally, task) : tally_values(&core->tally, ROW_OTHERS);
}

/* What goes backwards is no difference, and nothing in this window can be believed. */
static uint64_t difference(struct core_tasks *core, uint64_t before, uint64_t after)
{
	uint64_t delta = counter_delta(before, after, core->width);

	core->is_faulty |= delta >> (core->width - 1);
	return delta;
}

/* @slots  as bits  @value  by slot, n_slots of them; what is not there was 0 */
static void add_slots(struct core_tasks *core, uint64_t *row, uint64_t slots, const uint64_t *value)
{
	const uint8_t *column_of = core->of->column_of[core->mux];

	row += set_n_mux(&core->of->set);
	for (; slots; slots &= slots - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(slots);

		if (column_of[slot] == SLOT_FREE)
			continue;
		row[column_of[slot]] += difference(core, core->value[slot], value[slot]);
		core->value[slot] = value[slot];
	}
}

/* A sample's times may be older than those of the switch before: where a thread that reads loses the core once
 * the kernel has taken the times, and before it takes the counts. Source: Linux __perf_read_group_add() */
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
	uint64_t *row = row_of(core, &one->at, one->t_ns);

	core->has_guess |= one->is_guess;
	if (is_lost(core, &one->at, core->at.n + 1)) {
		core->n_lost += one->at.n - core->at.n - 1;
		row = tally_values(&core->tally, ROW_UNATTRIBUTED);
	}
	if (one->n_slots < SLOTS_MAX)
		slots &= (UINT64_C(1) << one->n_slots) - 1;
	add_slots(core, row, slots, one->value);
	go_to(core, &one->at, row);
}

static bool is_of_part(const struct core_tasks *core, const struct task_switch *one)
{
	return core->has_begun && one->at.stream == core->at.stream && one->at.n > core->at.n;
}

/* Does it lie before the sample? What another group recorded is of no part, and only has to go. */
static bool is_before(const struct task_switch *one, const struct sample *sample)
{
	if (one->at.stream == sample->at.stream)
		return one->at.n <= sample->at.n;
	return one->t_ns <= sample->t_ns;
}

static void take_oldest(struct core_tasks *core, const struct task_switch *one)
{
	if (is_of_part(core, one))
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

void core_tasks_end(struct core_tasks *core, const struct sample *prev, const struct sample *sample)
{
	uint64_t slots = slots_of(sample, false), value[SLOTS_MAX];
	uint64_t *unattributed, *row;
	struct task_switch one;

	/* it was late, for another set meanwhile */
	if (!core->has_begun || sample->at.stream != core->at.stream) {
		core->is_unknown = true;
		return;
	}
	if (sample->at.n < core->at.n) /* so late that room had to be made */
		core_tasks_go_back(core, prev);
	while (backlog_peek(&core->backlog, &one) && is_before(&one, sample))
		take_oldest(core, &one);
	row = row_of(core, &sample->at, sample->t_ns);
	unattributed = tally_values(&core->tally, ROW_UNATTRIBUTED);
	if (is_lost(core, &sample->at, core->at.n)) {
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
