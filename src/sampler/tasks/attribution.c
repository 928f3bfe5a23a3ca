#include "sampler/tasks/attribution.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "sampler/tasks/core_tasks.h"

/* Maximum of a frame's rows, all cores together; maximum and minimum of one core's rows. */
enum { FRAME_ROWS_MAX = 1 << 18, CORE_ROWS_MAX = 1 << 14, CORE_ROWS_MIN = 1 << 8 };

static int ask_name(void *data, uint32_t tid, char *ret_comm)
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
	made->names.ask = ask_name;
	made->names.data = made;
	for (unsigned i = 0; i < n; i++) {
		const struct core *core = &sampler->machine->core[i];

		made->core[i].of = made;
		made->core[i].width = sampler->machine->type[core->type].width;
	}
	return made;
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
	free(attribution->note);
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

	memset(attribution->column_of, SLOT_FREE, sizeof(attribution->column_of));
	for (unsigned column = 0; column < set->n_slots; column++)
		attribution->column_of[set_mux_of(set, column)][set_slot_of(set, column)] =
			(uint8_t)column;
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
		to->n_notes = 0;
	}
	to->set = *set;
	to->names.root = set->root;
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
	return true;
}

static void take_note(void *data, const struct task_note *note)
{
	struct core_tasks *core = data;
	struct attribution *attribution = core->of;

	if (note->kind == NOTE_EXIT) {
		core->ended_pid = note->pid;
		core->ended_tid = note->tid;
		core->ended_ns = note->t_ns;
	}
	array_append((void **)&attribution->note, &attribution->cap_notes, &attribution->n_notes,
		     note, sizeof(*note));
}

static int by_time(const void *a, const void *b)
{
	const struct task_note *left = a, *right = b;

	return (left->t_ns > right->t_ns) - (left->t_ns < right->t_ns);
}

/* Apply the notes up to t_ns, for which all cores' records are complete; later ones wait for those of other cores. */
static void take_notes(struct attribution *attribution, uint64_t t_ns)
{
	size_t n = 0;

	if (!attribution->n_notes)
		return;
	qsort(attribution->note, attribution->n_notes, sizeof(*attribution->note), by_time);
	while (n < attribution->n_notes && attribution->note[n].t_ns <= t_ns)
		names_take(&attribution->names, &attribution->note[n++]);
	attribution->n_notes -= n;
	memmove(attribution->note, attribution->note + n,
		attribution->n_notes * sizeof(*attribution->note));
}

uint64_t attribution_cpu_ns(const struct attribution *attribution)
{
	return attribution->sampler->backend->virtual_clock ? 0 : clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void attribution_spend(struct attribution *attribution, uint64_t from_ns)
{
	uint64_t ns = attribution_cpu_ns(attribution) - from_ns;

	attribution->own_ns += ns;
	/* relaxed: a counter, orders nothing */
	atomic_fetch_sub_explicit(&attribution->sampler->for_frames_ns, ns, memory_order_relaxed);
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
	for (unsigned i = 0; i < sampler->machine->n_cores; i++)
		if (attribution->core[i].is_full && attribution->core[i].n_ready)
			attribution->core[i].n_ready = 1;
	attribution_spend(attribution, from_ns);
}

bool core_tasks_may_take(struct core_tasks *core)
{
	if (!core->n_ready)
		return false;
	core->n_ready--;
	return true;
}
