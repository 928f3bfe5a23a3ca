/* attribution.c: attributes the counts between two samples, switch by switch, each difference to one task */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sampler/tasks/core_tasks.h"

/* Exclude CPU time spent on switches since from_ns from the budget: no interval changes it. */
static void attribution_spend(struct attribution *attribution, uint64_t from_ns)
{
	uint64_t ns = attribution_cpu_ns(attribution) - from_ns;

	attribution->own_ns += ns;
	/* relaxed: a counter, orders nothing */
	atomic_fetch_sub_explicit(&attribution->sampler->for_frames_ns, ns, memory_order_relaxed);
}

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

/* Append a copy. @return false: full or no memory */
static bool backlog_push(struct backlog *backlog, const struct task_switch *one)
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

/* ---- attribution ---- */

static bool core_tasks_is_lost(const struct core_tasks *core, const struct switch_point *to,
			       uint64_t n)
{
	/* other groups had the counters for a while: switches in that time have no record */
	uint64_t waited_ns = core->at.enabled_ns - core->at.running_ns;

	return to->n != n || to->enabled_ns - to->running_ns != waited_ns;
}

static void take_note(void *data, const struct task_note *note);

/* Find the cgroup of an id. For an unknown one all that exist are listed again, once a second at most:
 * the record of its begin was lost, or it existed before. */
static const struct cgroup *attribution_cgroup(struct core_tasks *core, uint64_t id, uint64_t t_ns)
{
	struct attribution *attribution = core->of;
	struct backend *backend = attribution->sampler->backend;
	const struct switch_sink sink = { .data = core, .take_note = take_note };
	const struct cgroup *found = cgroup_ids_find(&attribution->cgroups, id, t_ns);
	char path[32];

	if (!found && t_ns >= attribution->list_cgroups_ns && backend->ops->cgroups) {
		attribution->list_cgroups_ns = t_ns + NS_PER_S;
		backend->ops->cgroups(backend, &sink);
		found = cgroup_ids_find(&attribution->cgroups, id, t_ns);
	}
	if (found)
		return found;
	snprintf(path, sizeof(path), "[%" PRIu64 "]", id);
	cgroup_ids_add(&attribution->cgroups, id, 0, path);
	return cgroup_get(path);
}

static size_t core_tasks_row_number(struct core_tasks *core, const struct switch_point *to,
				    uint64_t t_ns)
{
	struct task_name *task;

	if (to->tid == (uint32_t)TID_GONE)
		return ROW_UNATTRIBUTED;
	if (!to->tid)
		return ROW_IDLE;
	task = names_find(&core->of->names, to->pid, to->tid, t_ns);
	if (!task)
		return ROW_OTHERS;
	if (to->cgroup)
		task->cgroup = attribution_cgroup(core, to->cgroup, t_ns);
	return tally_row(&core->tally, task, task->cgroup);
}

/* @return its values, until the next call */
static uint64_t *core_tasks_row_of(struct core_tasks *core, const struct switch_point *to,
				   uint64_t t_ns)
{
	size_t row = core_tasks_row_number(core, to, t_ns);

	return tally_values(&core->tally, row);
}

/* Whether a row's task of the root has ended: its own counters have, too. */
static bool has_ended(const struct core_tasks *core, size_t row, uint64_t t_ns)
{
	const struct task_name *task = row < N_FIXED_ROWS ? NULL : core->tally.task[row];

	return task && task->is_of_root && task->ended_ns <= t_ns;
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
	const uint16_t *column_of = core->of->column_of[core->mux];

	row += set_n_mux(&core->of->set);
	for (; slots; slots &= slots - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(slots);

		if (column_of[slot] == COLUMN_NONE)
			continue;
		row[column_of[slot]] += core_tasks_difference(core, core->value[slot], value[slot]);
		core->value[slot] = value[slot];
	}
}

/* Move to a point. Its times may be older than those of the previous switch: a thread that reads
 * may be preempted after the kernel has taken the times and before it takes the counts. Source:
 * Linux __perf_read_group_add() */
static void core_tasks_go_to(struct core_tasks *core, const struct switch_point *to, uint64_t *row)
{
	if (to->running_ns > core->at.running_ns)
		row[core->mux] += to->running_ns - core->at.running_ns;
	core->n_switches += to->n - core->at.n;
	core->at = *to;
}

static void add_switch(struct core_tasks *core, const struct task_switch *one)
{
	uint64_t slots = core->attributable;
	size_t number = core_tasks_row_number(core, &one->at, one->t_ns);
	uint64_t *row = tally_values(&core->tally, number);

	core->has_guess |= one->is_guess;
	if (core_tasks_is_lost(core, &one->at, core->at.n + 1)) {
		core->n_lost += one->at.n - core->at.n - 1;
		row = tally_values(&core->tally, ROW_UNATTRIBUTED);
	} else if (has_ended(core, number, one->t_ns)) {
		core->n_after_end++;
	}
	if (one->n_slots < SLOTS_MAX)
		slots &= (UINT64_C(1) << one->n_slots) - 1;
	add_slots(core, row, slots, one->value);
	core_tasks_go_to(core, &one->at, row);
}

/* Whether a switch precedes the sample. Switches recorded by another group are not attributed, only removed. */
static bool switch_is_before(const struct task_switch *one, const struct sample *sample)
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

/*
 * Attribute the oldest switches of a large backlog, although the end of their part may be unknown.
 *
 * @next   the core's next sample; NULL: not there yet
 * @t_ns   time up to which tasks are known
 * @return whether there is more room than before
 */
static bool core_tasks_relieve(struct core_tasks *core, const struct sample *next, uint64_t t_ns)
{
	struct task_switch one;
	bool has_changed = false;

	while (core->backlog.end - core->backlog.begin > SIZE_LAST / 2 &&
	       backlog_peek(&core->backlog, &one) && one.t_ns <= t_ns &&
	       (!next || switch_is_before(&one, next))) {
		take_oldest(core, &one);
		has_changed = true;
	}
	return has_changed;
}

/* Whether a sample of the event precedes this read of the counters. Its time alone does not tell: a
 * thread that reads may be preempted after it has read the clock. */
static bool hit_is_before(const struct hit *hit, const struct sample *sample)
{
	if (hit->at.stream == sample->at.stream && hit->at.n != sample->at.n)
		return hit->at.n < sample->at.n;
	return hit->t_ns <= sample->t_ns;
}

/* Sum the samples before this read, or all if it is NULL. */
static void sum_hits(struct core_tasks *core, const struct sample *sample)
{
	struct hits *hits = core->of->hits;
	unsigned index = core_tasks_index(core);
	const struct hit *hit;

	while (hits && (hit = hits_peek(hits, index)) && (!sample || hit_is_before(hit, sample)))
		hits_sum(hits, index, core_tasks_row_number(core, &hit->at, hit->t_ns));
}

static uint64_t sample_slots_of(const struct sample *sample, bool begins)
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
	core->counted = sample_slots_of(sample, true);
	core->attributable = sample->at.stream ? core->counted & sample->attributable : 0;
	take_values(sample, core->counted, core->value);
	for (unsigned slot = 0; core->of->set.roots.tells_lost && slot < sample->n_slots; slot++)
		core->root_value[slot] = sample->raw[slot].of_root;
	sampling_begin(core, sample->at.stream);
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

	while (backlog_peek(&core->backlog, &one) && switch_is_before(&one, sample))
		take_oldest(core, &one);
	attribution_spend(core->of, from_ns);
}

/* Add what the set's root counted since the last point. */
static void add_root(struct core_tasks *core, const struct sample *sample)
{
	for (uint64_t slots = sample->rooted; slots; slots &= slots - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(slots);
		unsigned column = core->of->column_of[core->mux][slot];

		if (column == COLUMN_NONE)
			continue;
		core->of_root[column] += sample->raw[slot].of_root - core->root_value[slot];
		core->root_value[slot] = sample->raw[slot].of_root;
		column_set_add(&core->exact, column);
	}
}

void core_tasks_end(struct core_tasks *core, const struct sample *prev, const struct sample *sample)
{
	uint64_t slots = sample_slots_of(sample, false), value[SLOTS_MAX];
	uint64_t *unattributed, *row;

	/* the core was late and read another set meanwhile */
	if (!core->has_begun || sample->at.stream != core->at.stream) {
		core->is_unknown = true;
		return;
	}
	if (sample->at.n < core->at.n) /* the sample was so late that room had to be made */
		core_tasks_go_back(core, prev);
	take_before(core, sample);
	sum_hits(core, sample);
	row = core_tasks_row_of(core, &sample->at, sample->t_ns);
	unattributed = tally_values(&core->tally, ROW_UNATTRIBUTED);
	if (core_tasks_is_lost(core, &sample->at, core->at.n)) {
		core->n_lost += sample->at.n - core->at.n;
		row = unattributed;
	}
	take_values(sample, slots, value);
	add_slots(core, row, slots & core->attributable, value);
	add_slots(core, unattributed, slots & core->counted & ~core->attributable, value);
	add_root(core, sample);
	core_tasks_go_to(core, &sample->at, row);
}

void core_tasks_clear(struct core_tasks *core)
{
	tally_clear(&core->tally);
	core->is_faulty = core->is_unknown = core->has_guess = false;
	core->n_switches = core->n_lost = 0;
	core->throttled_ns = core->n_lost_records = core->n_after_end = 0;
	core->exact = (struct column_set){ { 0 } };
	memset(core->of_root, 0, core->of->set.n_slots * sizeof(core->of_root[0]));
	if (core->of->hits)
		hits_clear(core->of->hits, core_tasks_index(core));
}

/* Longest tick, after which the kernel lets a stopped group go on. */
#define TICK_MAX_NS (10 * NS_PER_MS)

/* Count the time of a stop up to t_ns; it goes on from there. Of a task that does not run its end is recorded later, or never. */
static void count_throttled(struct core_tasks *core, uint64_t t_ns)
{
	uint64_t ns = t_ns - core->throttled_from_ns;
	bool is_over = is_of_tasks(core) && ns > TICK_MAX_NS;

	if (!core->throttled_from_ns || t_ns <= core->throttled_from_ns)
		return;
	core->throttled_ns += is_over ? TICK_MAX_NS : ns;
	core->throttled_from_ns = is_over ? 0 : t_ns;
}

uint64_t core_tasks_throttled_ns(struct core_tasks *core, uint64_t end_ns)
{
	count_throttled(core, end_ns);
	return core->throttled_ns;
}

/* ---- begin and end ---- */

/* Maximum of a frame's rows, all cores together; maximum and minimum of one core's rows. */
enum { FRAME_ROWS_MAX = 1 << 18, CORE_ROWS_MAX = 1 << 14, CORE_ROWS_MIN = 1 << 8 };

static int attribution_ask_name(void *data, uint32_t tid, char *ret_comm)
{
	const struct attribution *attribution = data;
	struct backend *backend = attribution->sampler->backend;

	return backend->ops->task_comm(backend, tid, ret_comm);
}

static struct attribution *attribution_new(struct sampler *sampler)
{
	unsigned n = sampler->machine->n_cores;
	struct attribution *made = calloc(1, sizeof(*made) + n * sizeof(made->core[0]));

	if (!made)
		return NULL;
	made->sampler = sampler;
	made->names.ask = attribution_ask_name;
	made->names.data = made;
	for (unsigned i = 0; i < n; i++) {
		const struct core *core = &sampler->machine->core[i];

		made->core[i].of = made;
		made->core[i].width = sampler->machine->type[core->type].width;
	}
	return made;
}

static void forget_notes(struct attribution *attribution)
{
	for (size_t i = 0; i < attribution->n_notes; i++)
		free((void *)attribution->note[i].map);
	attribution->n_notes = 0;
}

void attribution_free(struct attribution *attribution)
{
	if (!attribution)
		return;
	for (unsigned i = 0; i < attribution->sampler->machine->n_cores; i++) {
		free(attribution->core[i].backlog.bytes);
		tally_fini(&attribution->core[i].tally);
	}
	names_clear(&attribution->names);
	cgroup_ids_clear(&attribution->cgroups);
	forget_notes(attribution);
	free(attribution->note);
	hits_free(attribution->hits);
	free(attribution);
}

static size_t rows_max(unsigned n_cores)
{
	size_t rows = FRAME_ROWS_MAX / n_cores;

	if (rows > CORE_ROWS_MAX)
		return CORE_ROWS_MAX;
	return rows > CORE_ROWS_MIN ? rows : CORE_ROWS_MIN;
}

static void find_columns(struct attribution *attribution)
{
	const struct set *set = &attribution->set;

	memset(attribution->column_of, 0xff, sizeof(attribution->column_of));
	for (unsigned column = 0; column < set->n_slots; column++)
		attribution->column_of[set_mux_of(set, column)][set_slot_of(set, column)] =
			(uint16_t)column;
}

/* Samples begin: mappings that were made while none were taken are not known. */
static int start_hits(struct attribution *attribution, const struct set *set)
{
	struct sampler *sampler = attribution->sampler;

	if (!set->samples) {
		hits_free(attribution->hits);
		attribution->hits = NULL;
		return 0;
	}
	if (attribution->hits) {
		hits_restart(attribution->hits);
		return 0;
	}
	symbols_forget(sampler->symbols);
	attribution->hits = hits_new(sampler->symbols, sampler->machine->n_cores);
	return attribution->hits ? 0 : -ENOMEM;
}

int attribution_start(struct attribution **attribution, struct sampler *sampler,
		      const struct set *set, bool was_off)
{
	struct attribution *to = *attribution ? *attribution : attribution_new(sampler);
	unsigned n_cores = sampler->machine->n_cores;

	if (!to)
		return -ENOMEM;
	*attribution = to;
	if (was_off) { /* an id may belong to another task by now */
		names_clear(&to->names);
		cgroup_ids_clear(&to->cgroups);
		to->list_cgroups_ns = 0;
		forget_notes(to);
	}
	if (start_hits(to, set))
		return -ENOMEM;
	to->set = *set;
	to->names.roots = set->roots;
	to->n_values = set_n_mux(set) + set->n_slots;
	find_columns(to);
	for (unsigned i = 0; i < n_cores; i++) {
		struct core_tasks *core = &to->core[i];

		if (tally_init(&core->tally, to->n_values, rows_max(n_cores)))
			return -ENOMEM;
		core_tasks_clear(core);
		core->has_begun = false;
		core->ended_tid = 0;
		core->n_ready = 0;
		core->throttled_from_ns = 0;
		sampling_start(core);
	}
	return 0;
}

struct core_tasks *attribution_core(struct attribution *attribution, unsigned core)
{
	return &attribution->core[core];
}

/* ---- records from the backend ---- */

/* Name a task that ended: its last switch has no id, unless its parent still has to wait for it.
 * The last end recorded on this core names it. */
static void name_ended(const struct core_tasks *core, struct task_switch *one)
{
	if (one->at.tid == (uint32_t)TID_GONE && core->ended_tid) {
		one->at.pid = core->ended_pid;
		one->at.tid = core->ended_tid;
		one->t_ns = core->ended_ns; /* its id may belong to another task by now */
	}
}

static bool take_switch(void *data, const struct task_switch *one)
{
	struct core_tasks *core = data;
	struct task_switch named = *one;

	name_ended(core, &named);
	core->is_full = !backlog_push(&core->backlog, &named);
	if (core->is_full)
		return false;
	core->ended_tid = 0;
	core->last_ns = one->t_ns;
	core->last_stream = one->at.stream;
	core->last_n = one->at.n;
	return true;
}

static void take_hit(void *data, const struct code_hit *hit)
{
	struct core_tasks *core = data;
	struct code_hit named = *hit;

	if (hit->tid == (uint32_t)TID_GONE && core->ended_tid) {
		named.pid = core->ended_pid;
		named.tid = core->ended_tid;
	}
	core->n_hits++;
	core->n_window_hits++;
	hits_take(core->of->hits, core_tasks_index(core), &named,
		  core->last_stream == hit->stream ? core->last_n : 0);
}

/* Copy a mapping with its texts. @return NULL without memory */
static const struct code_map *copy_map(const struct code_map *map)
{
	size_t path = map->path ? strlen(map->path) + 1 : 0;
	size_t symbol = map->symbol ? strlen(map->symbol) + 1 : 0;
	struct code_map *copy = malloc(sizeof(*copy) + path + symbol);

	if (!copy)
		return NULL;

	char *text = (char *)(copy + 1);

	*copy = *map;
	if (path)
		copy->path = memcpy(text, map->path, path);
	if (symbol)
		copy->symbol = memcpy(text + path, map->symbol, symbol);
	return copy;
}

static void take_trouble(struct core_tasks *core, const struct task_note *note)
{
	if (note->kind == NOTE_LOST)
		core->n_lost_records += note->n_lost;
	if (note->kind == NOTE_RESUME)
		count_throttled(core, note->t_ns);
	if (note->kind == NOTE_THROTTLE && core->of->hits)
		hits_throttled(core->of->hits, core_tasks_index(core));
	if (note->kind != NOTE_LOST)
		core->throttled_from_ns = note->kind == NOTE_THROTTLE ? note->t_ns : 0;
}

static void take_note(void *data, const struct task_note *note)
{
	struct core_tasks *core = data;
	struct attribution *attribution = core->of;
	struct task_note kept = *note;

	if (note->kind == NOTE_LOST || note->kind == NOTE_THROTTLE || note->kind == NOTE_RESUME) {
		take_trouble(core, note);
		return;
	}
	if (note->kind == NOTE_MAP && (!attribution->hits || !(kept.map = copy_map(note->map))))
		return;
	if (note->kind == NOTE_CGROUP) {
		cgroup_ids_add(&attribution->cgroups, note->cgroup, note->t_ns, note->path);
		return;
	}
	if (note->kind == NOTE_EXIT) {
		core->ended_pid = note->pid;
		core->ended_tid = note->tid;
		core->ended_ns = note->t_ns;
	}
	if (array_append((void **)&attribution->note, &attribution->cap_notes,
			 &attribution->n_notes, &kept, sizeof(kept)))
		free((void *)kept.map);
}

static int notes_by_time(const void *a, const void *b)
{
	const struct task_note *left = a, *right = b;

	return task_order(left->t_ns, right->t_ns);
}

/* Apply the notes up to t_ns, for which all cores' records are complete; later ones wait for those of other cores. */
static void take_notes(struct attribution *attribution, uint64_t t_ns)
{
	struct hits *hits = attribution->hits;
	size_t n = 0;

	if (attribution->n_notes > 1)
		qsort(attribution->note, attribution->n_notes, sizeof(*attribution->note),
		      notes_by_time);
	for (; n < attribution->n_notes && attribution->note[n].t_ns <= t_ns; n++) {
		const struct task_note *note = &attribution->note[n];

		names_take(&attribution->names, note);
		if (hits) {
			hits_resolve(hits, note->t_ns);
			hits_note(hits, note);
		}
		free((void *)note->map);
	}
	if (hits)
		hits_resolve(hits, t_ns + 1);
	if (!n)
		return;
	attribution->n_notes -= n;
	memmove(attribution->note, attribution->note + n,
		attribution->n_notes * sizeof(*attribution->note));
}

/* Take the records of all cores while there is room. @return time up to which they are complete */
static uint64_t drain_cores(struct attribution *attribution, uint64_t t_ns)
{
	struct sampler *sampler = attribution->sampler;

	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		struct core_tasks *core = &attribution->core[i];
		const struct switch_sink sink = {
			.data = core,
			.take_switch = take_switch,
			.take_note = take_note,
			.take_hit = attribution->hits ? take_hit : NULL,
		};

		core->is_full = false;
		sampler->backend->ops->switches_drain(sampler->backend, i, &sink);
		if (core->is_full && core->last_ns < t_ns)
			t_ns = core->last_ns;
	}
	return t_ns;
}

/* Make room on full cores. @return whether a full core has room again */
static bool relieve_cores(struct attribution *attribution, uint64_t t_ns)
{
	const struct sampler *sampler = attribution->sampler;
	bool has_room = false;

	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		struct core_tasks *core = &attribution->core[i];
		const struct sample *next = ring_peek(sampler->collector.window[i].ring);

		has_room |= core_tasks_relieve(core, next, t_ns) && core->is_full;
	}
	return has_room;
}

/* Samples of a core that may wait for the end of its window. */
enum { HITS_WAITING_MAX = 4096 };

void attribution_drain(struct attribution *attribution, uint64_t now_ns)
{
	const struct sampler *sampler = attribution->sampler;
	uint64_t from_ns = attribution_cpu_ns(attribution), t_ns;

	/* count all samples before the first drain: whatever happened before these samples, on any
	 * core, is in the rings by now */
	for (unsigned i = 0; i < sampler->machine->n_cores; i++)
		attribution->core[i].n_ready = ring_n(sampler->collector.window[i].ring);
	/* relaxed: no other read depends on it */
	if (now_ns < atomic_load_explicit(&sampler->tasks_from_ns, memory_order_relaxed))
		return;
	do {
		t_ns = drain_cores(attribution, now_ns);
		take_notes(attribution, t_ns);
	} while (relieve_cores(attribution, t_ns));
	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		if (attribution->core[i].is_full && attribution->core[i].n_ready)
			attribution->core[i].n_ready = 1;
		if (!attribution->hits)
			continue;
		sampling_limit(&attribution->core[i], now_ns);
		if (hits_waiting(attribution->hits, i) > HITS_WAITING_MAX)
			sum_hits(&attribution->core[i],
				 ring_peek(sampler->collector.window[i].ring));
	}
	attribution_spend(attribution, from_ns);
}

bool core_tasks_may_take(struct core_tasks *core)
{
	if (!core->n_ready)
		return false;
	core->n_ready--;
	return true;
}
