/* frame.c: the sets of a session; frames assembled from rows, tasks and notes */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "pmu/event.h"
#include "session/format/row_name.h"
#include "session/read/internal.h"
#include "symbols/symbols.h"

/* ---- sets ---- */

static const struct catalog_event *known_of(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *known[1];

	return catalog_lookup(catalog, name, known, 1) == 1 ? known[0] : NULL;
}

/* Set the names: `known` is noted if the requested name is not the catalogue's, short_name if the heading differs. */
static void take_names(const struct core_type *type, const char *known, struct event *event)
{
	event->known = known_of(type->catalog, known ? known : event->name);
	if (!*event->short_name && event->known && *event->known->short_name)
		snprintf(event->short_name, sizeof(event->short_name), "%s",
			 event->known->short_name);
	else if (!*event->short_name)
		event_abbreviate(event->name, event->short_name, sizeof(event->short_name));
	event->counters = event->known ? event->known->counters : 0;
	event->is_cycles = event_is(event, "cycles");
	event->is_instructions = event_is(event, "instructions");
}

/* @return NULL without memory */
static const struct event *make_event(struct reader *reader, const struct note_set *read)
{
	struct read_event *made = calloc(1, sizeof(*made));
	struct event *event = made ? &made->event : NULL;

	if (!made)
		return NULL;
	made->next = reader->events;
	reader->events = made;
	*event = read->event;
	take_names(&reader->machine.type[read->type], read->known, event);
	if (read->levels)
		event->privilege = *read->levels == 'u' ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
	event->needs_counter = event->pmu && pmu_takes_counter(event->pmu, event->config);
	return event;
}

static struct read_set *known_set(const struct reader *reader, uint64_t number)
{
	struct read_set *set = reader->sets;

	while (set && set->of.set.number != number)
		set = set->next;
	return set;
}

/* Find the set of a line: the present one, or a new one. @return NULL on errors */
static struct read_set *find_set(struct reader *reader, uint64_t number, struct note *note)
{
	struct read_set *set = reader->set;

	if (set && set->of.set.number == number) {
		if (set->is_bound)
			note_fail(note, NULL, "set %u is already counted", set->of.set.number);
		return set;
	}
	set = calloc(1, sizeof(*set));
	if (!set) {
		note_no_memory(note);
		return NULL;
	}
	atomic_init(&set->of.refs, 1);
	set->of.set.number = (uint32_t)number;
	for (unsigned type = 0; type < TYPES_MAX; type++)
		memset(set->of.set.type[type].counter, COUNTER_NONE,
		       sizeof(set->of.set.type[type].counter));
	set->next = reader->sets;
	reader->sets = reader->set = set;
	return set;
}

/* Add a column to a mux group. Columns of a mux group are consecutive, as are mux groups. */
static void take_mux(const struct note_set *read, struct set *set)
{
	unsigned slot = read->slot;

	if (read->mux == UINT_MAX)
		return;
	set->skips[slot] = (uint8_t)read->skips;
	set->splits_metrics = read->splits_metrics;
	while (set->n_mux <= read->mux)
		set->first[set->n_mux++] = (uint16_t)slot;
	if (slot < set->first[read->mux])
		set->first[read->mux] = (uint16_t)slot;
	if (slot + 1 > set->first[set->n_mux])
		set->first[set->n_mux] = (uint16_t)(slot + 1);
}

static void set_add_event(struct reader *reader, struct note *note, const struct note_set *read,
			  struct set *set)
{
	struct placement *to = &set->type[read->type];
	unsigned slot = read->slot;

	if (to->event[slot])
		note_fail(note, NULL, "slot %u of type %s occurs twice", slot,
			  reader->machine.type[read->type].name);
	if (note->rc)
		return;
	to->event[slot] = make_event(reader, read);
	if (!to->event[slot])
		note_no_memory(note);
	if (read->counter != UINT_MAX)
		to->counter[slot] = (uint8_t)read->counter;
	take_mux(read, set);
	set->by_task |= read->by_task;
	set->samples |= read->is_sampled;
	if (read->is_sampled)
		set->sampled = (uint16_t)slot;
	if (slot >= set->n_slots)
		set->n_slots = slot + 1;
}

/* Process "# set N …". */
static void reader_take_set(struct reader *reader, struct note *note, const void *from)
{
	const struct note_set *is = from;
	struct read_set *set;

	if (!is->number)
		note_fail(note, note_word(note, 1), "expected the number of a set");
	if (is->levels && strcmp(is->levels, "u") != 0 && strcmp(is->levels, "k") != 0)
		note_fail(note, note_value(note, "levels="), "levels=%s: expected u or k",
			  is->levels);
	if (note->rc)
		return;

	/* described again, after a rewind or, when presets rotate, on a return to it: frames of all times share one
	 * set */
	set = known_set(reader, is->number);
	if (set && (reader->is_second_pass || set != reader->set || set->is_redescribed)) {
		set->is_redescribed = true;
		reader->set = set;
		return;
	}
	set = find_set(reader, is->number, note);
	if (!note->rc)
		set_add_event(reader, note, is, &set->of.set);
}

/* Check the slots, once all columns are known: a mux group may begin before its column that was read first. */
static int check_skips(const struct reader *reader, const struct set *set, struct err *err)
{
	for (unsigned column = 0; column < set->n_slots; column++)
		if (set_slot_of(set, column) >= SLOTS_MAX)
			return reader_fail(reader, err, 1, "set %u skips more than %d slots",
					   set->number, SLOTS_MAX);
	return 0;
}

/* Set the requested metrics to those noted in the file. */
static void take_noted(struct read_set *set)
{
	struct metrics_bound *bound = &set->of.bound;

	bound->n_requested = 0;
	for (unsigned i = 0; i < bound->n; i++)
		for (size_t k = 0; k < set->n_noted; k++)
			if (set->noted[k] == bound->number[i]) {
				bound->requested[bound->n_requested++] = bound->number[i];
				break;
			}
}

/* Bind metrics to the newest set; repeated calls do nothing. @return 0 or -errno */
static int reader_bind_set(struct reader *reader, struct err *err)
{
	struct read_set *set = reader->set;

	if (set->is_bound)
		return 0;
	if (check_skips(reader, &set->of.set, err))
		return -EINVAL;
	if (metrics_bind(&reader->metrics, &set->of.set, reader->machine.n_types, &set->of.bound))
		return err_set(err, ENOMEM, "out of memory");
	set->is_bound = true;
	if (reader->head.request.of_sets)
		take_noted(set);
	return 0;
}

/* ---- notes about tasks ---- */

static void expect_at(struct reader *reader, uint64_t t_ns)
{
	reader->note_t_ns = t_ns;
	reader->has_note_t = true;
}

static void take_task(struct reader *reader, struct note *note, const void *from)
{
	const struct note_task *is = from;
	struct core_task task = { .kind = (uint8_t)task_kind_of(is->number),
				  .first_ns = note->t_ns };

	if (task.kind == TASK_THREAD && is->process == UINT32_MAX)
		note_fail(note, NULL, "process= is missing");
	if (note->rc)
		return;
	if (task.kind == TASK_THREAD) {
		task.tid = (uint32_t)is->number;
		task.pid = is->process;
	}
	snprintf(task.comm, sizeof(task.comm), "%s", is->name);
	if (is->cgroup && is->container)
		cgroup_name_container(is->cgroup, is->container);
	if (is->cgroup)
		task.cgroup = cgroup_of_shown(is->cgroup);
	if (task_names_set(&reader->names, &task))
		note_no_memory(note);
}

/* Process "# exit", which follows the rows of the ended task. */
static void take_exit(struct reader *reader, struct note *note, const void *from)
{
	struct read_tasks *tasks = &reader->task_rows;
	const struct note_task *is = from;

	if (!tasks->n || task_number(&tasks->task[tasks->n - 1]) != is->number)
		note_fail(note, note_word(note, 3), "the rows above are not of this task");
	else
		tasks->task[tasks->n - 1].ended_ns = note->t_ns;
}

/* Process "# tasks", which follows the rows of its frame. */
static void take_tasks(struct reader *reader, struct note *note, const void *from)
{
	reader->task_rows.noted = *(const struct frame_tasks *)from;
	reader->task_rows.is_noted = true;
	expect_at(reader, note->t_ns);
}

/* ---- rows of tasks ---- */

static void forget_tasks(struct reader *reader)
{
	struct read_tasks *tasks = &reader->task_rows;

	tasks->n = 0;
	tasks->core = -1;
	tasks->is_noted = false;
	tasks->noted = (struct frame_tasks){ .n = 0 };
}

static uint64_t *times_of(const struct reader *reader, size_t i)
{
	return reader->task_rows.time_ns + i * set_n_mux(reader->frame->set);
}

/* Assign the remaining time to a mux group without columns with a value on this core. @return false: there is none */
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

	if (ARRAY_RESERVE(tasks->value, tasks->cap_values, (tasks->n + 1) * n_slots) ||
	    ARRAY_RESERVE(tasks->time_ns, tasks->cap_times, (tasks->n + 1) * n_mux) ||
	    ARRAY_APPEND(tasks->task, tasks->cap, tasks->n, *task))
		return -ENOMEM;
	memset(tasks->value + (tasks->n - 1) * n_slots, 0, n_slots * sizeof(*tasks->value));
	memset(times_of(reader, tasks->n - 1), 0, n_mux * sizeof(*tasks->time_ns));
	tasks->task[tasks->n - 1].core = (uint16_t)core;
	tasks->columns = (struct column_set){ { 0 } };
	tasks->mux_groups = 0;
	tasks->left_ns = time_ns;
	return 0;
}

/* @return the error; NULL: none */
static const char *add_time(struct reader *reader, unsigned slot, const struct count *count)
{
	struct read_tasks *tasks = &reader->task_rows;
	unsigned mux = set_mux_of(reader->frame->set, slot);
	uint64_t *time_ns = times_of(reader, tasks->n - 1), all_ns = tasks->left_ns;

	for (unsigned i = 0; i < set_n_mux(reader->frame->set); i++)
		all_ns += time_ns[i];
	if (count->enabled_ns != all_ns)
		return "its rows have one enabled_ns, the time that it was on the core";
	if (event_is_schedstat(set_event(reader->frame->set, slot))) /* needs no counter */
		return NULL;
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
	if (column_set_has(&tasks->columns, slot))
		*ret_wrong = "occurs twice in this tick";
	else
		*ret_wrong = add_time(reader, slot, count);
	column_set_add(&tasks->columns, slot);
	tasks->value[(tasks->n - 1) * reader->frame->n_slots + slot] = count->value;
	if (count->quality != QUALITY_OK && event_is_schedstat(set_event(reader->frame->set, slot)))
		tasks->task[tasks->n - 1].unread |=
			(uint8_t)(1 << (set_event(reader->frame->set, slot)->config[0] -
					ACTIVITY_RUN));
	tasks->line = lines_number(reader->lines);
	return 0;
}

/* ---- sums of tasks ---- */

static bool lacks_tasks(const struct reader *reader)
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

/* Check that the tasks of a core add up to its counts. @first, @end  all tasks of the core */
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

static int tasks_check_tasks(struct reader *reader, struct err *err)
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

/* Keep the names of this frame's tasks: notes of the next frame repeat all others. */
static int remember_names(struct reader *reader)
{
	int rc = 0;

	task_index_clear(&reader->names);
	for (size_t i = 0; !rc && i < reader->task_rows.n; i++)
		rc = task_names_set(&reader->names, &reader->task_rows.task[i]);
	return rc;
}

static int finish_tasks(struct reader *reader, struct err *err)
{
	const struct read_tasks *tasks = &reader->task_rows;
	struct frame *frame = reader->frame;
	unsigned n_mux = set_n_mux(frame->set);
	struct frame_tasks *ret;

	if (!tasks->n && !tasks->is_noted) {
		task_index_clear(&reader->names);
		return 0;
	}

	int rc = tasks_check_tasks(reader, err);

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
	ret->n_switches = tasks->noted.n_switches;
	ret->n_lost = tasks->noted.n_lost;
	ret->cost_share = tasks->noted.cost_share;
	frame->tasks = ret;
	return 0;
}

/* ---- notes among the rows: gaps, marks, cores that go offline and online ---- */

static void take_interval(struct reader *reader, struct note *note, const void *from)
{
	reader->interval_ns = ((const struct frame *)from)->interval_ns;
	expect_at(reader, note->t_ns);
}

/* Make a gap or a marker the item. */
static void take_item(struct reader *reader, const struct note *note, const struct note_gap *read,
		      enum session_what what)
{
	snprintf(reader->text, sizeof(reader->text), "%s", read->why ? read->why : "");
	reader->item = (struct session_item){
		.what = what, .t_ns = note->t_ns, .n = read->n, .text = reader->text
	};
}

static void take_gap(struct reader *reader, struct note *note, const void *from)
{
	const struct note_gap *is = from;
	const char *why = is->why ? is->why : "";

	if (reader->set && strcmp(why, GAP_YIELDED) == 0)
		reader->set->is_redescribed = true;
	if (strcmp(why, "missed") != 0 && strcmp(why, "suspended") != 0) {
		take_item(reader, note, is, SESSION_GAP);
		return;
	}
	reader->gap = *why == 'm' ? GAP_MISSED : GAP_SUSPENDED;
	reader->n_missed = is->n;
	expect_at(reader, note->t_ns);
}

static void take_mark(struct reader *reader, struct note *note, const void *from)
{
	take_item(reader, note, from, SESSION_MARK);
}

/* Process "# off" or "# on", which is before the core's rows within the first frame that it applies to. */
static void take_power(struct reader *reader, struct note *note, const void *from)
{
	bool is_off = strcmp(note->word[0].value, "off") == 0;
	const struct note_hot *is = from;

	note->rc = reader_begin_frame(reader, note->err);
	if (note->rc)
		return;
	reader->core[is->core].is_off = is_off;
	reader->frame->core[is->core].state = is_off ? CORE_OFF : CORE_LATE;
	expect_at(reader, note->t_ns);
}

/* Process "# own", which follows the rows of its frame. */
static void take_own(struct reader *reader, struct note *note, UNUSED const void *from)
{
	note_read(note, reader->frame);
	reader->frame->own_known = true;
	expect_at(reader, note->t_ns);
}

/* Add an expression that was entered on the screen while recording; "# asked" has those of the start. One that does not
 * compile is ignored. */
static void define(struct reader *reader, const char *name, const char *expr)
{
	struct metrics_selection selection = { .n = 0 };
	AUTO_TEXT struct text defined = { 0 };

	text_printf(&defined, "%s=%s", name, expr);
	if (!defined.failed)
		metrics_select(&reader->metrics, defined.bytes, &selection, NULL);
	metrics_selection_fini(&selection);
}

/* Process "# metric", which follows its set, once per type. */
static void notes_take_metric(struct reader *reader, struct note *note, const void *from)
{
	struct read_set *set = reader->set;
	const struct note_metric *is = from;

	if (!is->name || !is->expr)
		return;
	if (metrics_find(&reader->metrics, is->name) < 0 && reader->n_tried++ < METRICS_OWN_MAX)
		define(reader, is->name, is->expr);

	int found = metrics_find(&reader->metrics, is->name);
	uint16_t number = (uint16_t)found;

	if (found >= 0 && set && !set->is_bound &&
	    ARRAY_APPEND(set->noted, set->cap_noted, set->n_noted, number))
		note_no_memory(note);
}

/* ---- samples of code, which follow the rows of their frame ---- */

static void reader_take_samples(struct reader *reader, struct note *note, UNUSED const void *from)
{
	struct read_hot *hot = &reader->hot;

	note_read(note, &hot->of);
	if (hot->of.column >= reader->frame->n_slots)
		note_fail(note, note_value(note, "column="), "the set has no column %u",
			  hot->of.column);
	hot->of.n_samples = 0;
	hot->of.n = 0;
	hot->is_noted = true;
}

/* Find the row of a task on a core that so many later ones follow. @return UINT32_MAX if the frame has none */
static uint32_t task_of(const struct reader *reader, const struct note_hot *read)
{
	const struct read_tasks *tasks = &reader->task_rows;
	unsigned later = read->later;

	for (size_t i = tasks->n; i-- > 0 && tasks->task[i].core >= read->core;)
		if (tasks->task[i].core == read->core &&
		    task_number(&tasks->task[i]) == read->task && !later--)
			return (uint32_t)i;
	return UINT32_MAX;
}

static void reader_take_hot(struct reader *reader, struct note *note, const void *from)
{
	struct read_hot *hot = &reader->hot;
	const struct note_hot *is = from;
	struct hot_spot spot;

	if (!(is->weight > 0 && is->weight < 1e18 && is->weight2 > 0 && is->weight2 < 1e36))
		note_fail(note, note_value(note, "weight="), "expected a weight and its square");
	if (note->rc || !hot->is_noted)
		return;
	spot = (struct hot_spot){
		.core = (uint16_t)is->core,
		.task = task_of(reader, is),
		.n = is->n,
		.weight = is->weight,
		.weight2 = is->weight2,
		.place = place_of(is->object, is->function, 0, is->is_kernel),
	};
	if (ARRAY_APPEND(hot->of.spot, hot->cap, hot->of.n, spot))
		note_no_memory(note);
	hot->of.n_samples += spot.n;
}

static int finish_hot(struct reader *reader, struct err *err)
{
	const struct frame_hot *of = &reader->hot.of;

	if (!reader->hot.is_noted)
		return 0;

	struct frame_hot *ret = frame_hot_new(of->n);

	if (!ret)
		return err_set(err, ENOMEM, "out of memory");
	ret->column = of->column;
	ret->n_samples = of->n_samples;
	ret->n_lost = of->n_lost;
	ret->n_throttled = of->n_throttled;
	if (of->n)
		memcpy(ret->spot, of->spot, of->n * sizeof(*of->spot));
	reader->frame->hot = ret;
	return 0;
}

static const struct note_kind *notes_kind_of(const char *line)
{
	static const struct note_kind kinds[] = {
		{ "interval", take_interval, NOTE_ENDS_FRAME, false },
		{ "gap", take_gap, NOTE_ENDS_FRAME, false },
		{ "mark", take_mark, NOTE_ENDS_FRAME, false },
		{ "off", take_power, NOTE_ENDS_EARLIER_FRAME, false },
		{ "on", take_power, NOTE_ENDS_EARLIER_FRAME, false },
		{ "own", take_own, NOTE_ENDS_EARLIER_FRAME, true },
		{ "set", reader_take_set, NOTE_ENDS_FRAME, false },
		{ "metric", notes_take_metric, NOTE_ENDS_FRAME, false },
		{ "task", take_task, NOTE_IN_FRAME, false },
		{ "exit", take_exit, NOTE_IN_FRAME, true },
		{ "tasks", take_tasks, NOTE_IN_FRAME, true },
		{ "samples", reader_take_samples, NOTE_IN_FRAME, true },
		{ "hot", reader_take_hot, NOTE_IN_FRAME, true },
	};

	return reader_kind_of(kinds, ARRAY_SIZE(kinds), line);
}

/* Whether a note is about a later frame than the open one. Reads happen at the tick or later. */
static bool is_later(const struct reader *reader, const char *line)
{
	const char *at = strchr(line + 2, ' ');
	uint64_t t_ns, latest_ns = 0;

	if (!reader->tick || !at || !note_parse_time(at + 1, strcspn(at + 1, " "), &t_ns))
		return false;
	for (unsigned core = 0; core < reader->frame->n_cores; core++)
		if (reader->frame->core[core].t_ns > latest_ns)
			latest_ns = reader->frame->core[core].t_ns;
	return t_ns > latest_ns;
}

bool reader_note_ends_frame(const struct reader *reader, const char *line)
{
	const struct note_kind *kind = notes_kind_of(line);

	if (!reader->frame)
		return false;
	if (kind)
		return kind->place == NOTE_ENDS_FRAME ||
		       (kind->place == NOTE_ENDS_EARLIER_FRAME && is_later(reader, line));
	return reader_begins_session(line);
}

/* Begin the next session. At the beginning of a file the same session continues and describes its set again. */
static void begin_next(struct reader *reader)
{
	if (lines_number(reader->lines) > 1) {
		reader->has_more = reader->is_done = true;
		return;
	}
	reader->has_heading = false;
	if (reader->set)
		reader->set->is_redescribed = true;
}

int reader_take_note(struct reader *reader, char *line, struct err *err)
{
	const struct note_kind *kind = notes_kind_of(line);

	if (kind)
		return reader_note(kind, reader, line, err);
	if (reader_begins_session(line))
		begin_next(reader);
	return 0;
}

/* ---- frames from the rows of a tick ---- */

int reader_begin_frame(struct reader *reader, struct err *err)
{
	if (reader->frame)
		return 0;
	if (!reader->set)
		return reader_fail(reader, err, 1,
				   "no \"# set …\" note above says what is counted");

	int rc = reader_bind_set(reader, err);

	if (rc)
		return rc;

	struct frame *frame = frame_new(reader->machine.n_cores, &reader->set->of);

	if (!frame)
		return err_set(err, ENOMEM, "out of memory");
	frame->interval_ns = reader->interval_ns;
	frame->gap = reader->gap;
	frame->n_missed = reader->n_missed;
	reader->gap = GAP_NONE;
	reader->n_missed = 0;
	for (unsigned core = 0; core < frame->n_cores; core++)
		frame->core[core].state = reader->core[core].is_off ? CORE_OFF : CORE_LATE;
	reader->frame = frame;
	reader->n_rows = reader->n_stamp = 0;
	forget_tasks(reader);
	reader->hot.of.n = 0;
	reader->hot.is_noted = false;
	return 0;
}

static void finish_core(struct reader *reader, struct frame *frame, unsigned core)
{
	struct frame_core *is = &frame->core[core];
	struct count *count = frame->count + (size_t)core * frame->n_slots;
	unsigned type = reader->machine.core[core].type;
	struct mux_coverage unused[COLUMNS_MAX];

	if (is->state == CORE_ON) {
		if (!is->window_ns && is->t_ns > reader->core[core].last_t_ns)
			is->window_ns = is->t_ns - reader->core[core].last_t_ns;
		if (!reader->head.request.tasks) {
			/* without a value, too: sums must be scaled to the window */
			for (unsigned i = 0; i < frame->n_slots; i++)
				if (count_is_requested(&count[i]) && !count[i].enabled_ns)
					count[i].enabled_ns = is->window_ns;
			set_estimate(frame->set, type, count, unused);
		}
		reader->core[core].last_t_ns = is->t_ns;
		metrics_eval(&reader->metrics, frame->bound, type, count,
			     frame->metric + (size_t)core * frame->n_metrics);
	}
	for (unsigned i = 0; is->state == CORE_OFF && i < frame->n_slots; i++)
		count[i].quality = QUALITY_OFF;
	if (is->t_ns > frame->t_ns)
		frame->t_ns = is->t_ns;
}

/* Whether a core lacks some of its counts. Counts of devices are not checked: most cores have none. */
static bool lacks_counts(const struct reader *reader, unsigned core)
{
	const struct frame *frame = reader->frame;
	const struct placement *placement = &frame->set->type[reader->machine.core[core].type];

	for (unsigned i = 0; i < frame->n_slots; i++) {
		const struct event *event = placement->event[i];

		if (event && !*event->refused && !event_is_of_device(event) &&
		    !frame->count[(size_t)core * frame->n_slots + i].quality)
			return true;
	}
	return false;
}

/* Whether a core of the frame has only some of its counts, or no tasks although others have. */
static bool is_partial(const struct reader *reader)
{
	for (unsigned core = 0; core < reader->frame->n_cores; core++)
		if (reader->frame->core[core].state == CORE_ON && lacks_counts(reader, core))
			return true;
	return lacks_tasks(reader);
}

int reader_finish_frame(struct reader *reader, struct err *err)
{
	struct frame *frame = reader->frame;
	int rc = finish_tasks(reader, err);

	if (!rc)
		rc = finish_hot(reader, err);
	if (rc)
		return rc;
	if (!frame->sensed) /* not read again since the last frame */
		frame->sensed = sensed_ref(reader->sensed);
	sensed_unref(reader->sensed);
	reader->sensed = sensed_ref(frame->sensed);
	reader->is_partial = is_partial(reader);
	frame->number = reader->tick ? reader->tick : reader->last_tick + 1;
	for (unsigned core = 0; core < frame->n_cores; core++)
		finish_core(reader, frame, core);
	if (reader->has_note_t) /* exact; reads are slightly later */
		frame->t_ns = reader->note_t_ns;
	/* a very late sample was read after the next tick, but time must not decrease */
	if (frame->t_ns < reader->last_end_ns)
		frame->t_ns = reader->last_end_ns;
	reader->last_end_ns = frame->t_ns;
	reader->has_note_t = false;
	reader->last_tick = frame->number;
	reader->tick = 0;
	reader->frame = NULL;
	reader->item = (struct session_item){
		.what = SESSION_FRAME, .frame = frame, .t_ns = frame->t_ns, .text = ""
	};
	return 0;
}

int reader_end_frames(struct reader *reader, struct err *err)
{
	int rc = -EINVAL;

	if (!reader->frame)
		return 0;
	if (reader->is_partial || !is_partial(reader))
		rc = reader_finish_frame(reader, err);
	if (rc != -EINVAL)
		return rc;
	frame_unref(reader->frame);
	reader->frame = NULL;
	reader->is_cut = true;
	return 0;
}
