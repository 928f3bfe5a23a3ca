/* frame.c: the sets of a session; frames assembled from rows, tasks and notes */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/event.h"
#include "session/format/row_name.h"
#include "session/read/internal.h"

/* ---- sets ---- */

static const struct catalog_event *known_of(const struct catalog *catalog, const char *name)
{
	const struct catalog_event *known[1];

	return catalog_lookup(catalog, name, known, 1) == 1 ? known[0] : NULL;
}

/* Set the names. `known` is given if the requested name is not the catalogue's, `short` if the heading differs. */
static void take_names(const struct core_type *type, const struct note *note, const char *name,
		       struct event *event)
{
	const struct note_word *known = note_value(note, "known");
	const struct note_word *heading = note_value(note, "short");

	event->known = known_of(type->catalog, known ? known->value : name);
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (heading)
		snprintf(event->short_name, sizeof(event->short_name), "%s", heading->value);
	else if (event->known && *event->known->short_name)
		snprintf(event->short_name, sizeof(event->short_name), "%s",
			 event->known->short_name);
	else
		event_abbreviate(name, event->short_name, sizeof(event->short_name));
	event->counters = event->known ? event->known->counters : 0;
	event->is_cycles = event_is(event, "cycles");
	event->is_instructions = event_is(event, "instructions");
}

static void take_configs(struct note *note, struct event *event)
{
	static const char *const key[CONFIG_WORDS] = { "config", "config1", "config2", "config3",
						       "config4" };

	note_need(note, key[0]);
	for (unsigned i = 0; i < CONFIG_WORDS; i++)
		event->config[i] = note_u64_or(note, key[i], UINT64_MAX, 0);
}

static enum privilege privilege_of(struct note *note)
{
	const struct note_word *word = note_value(note, "levels");

	if (!word)
		return PRIVILEGE_BOTH;
	if (strcmp(word->value, "u") != 0 && strcmp(word->value, "k") != 0)
		note_fail(note, word, "levels=%s: expected u or k", word->value);
	return *word->value == 'u' ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

/* @return NULL on errors */
static const struct event *make_event(struct reader *reader, struct note *note, unsigned type)
{
	struct read_event *made = calloc(1, sizeof(*made));
	const struct note_word *refused = note_value(note, "refused");

	if (!made) {
		note_no_memory(note);
		return NULL;
	}
	made->next = reader->events;
	reader->events = made;

	struct event *event = &made->event;
	const char *name = note_need(note, "event");

	event->pmu = reader_pmu(reader, note_need(note, "pmu"), note);
	take_configs(note, event);
	event->streams = note_u64_or(note, "streams", UINT64_MAX, 0);
	event->privilege = privilege_of(note);
	snprintf(event->unit, sizeof(event->unit), "%s", note_need(note, "unit"));
	note_need(note, "scale");
	event->scale = note_double_or(note, "scale", 1);
	if (note->rc)
		return NULL;
	take_names(&reader->machine.type[type], note, name, event);
	event->needs_counter = event->pmu && pmu_takes_counter(event->pmu, event->config);
	snprintf(event->refused, sizeof(event->refused), "%s", refused ? refused->value : "");
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
static void take_mux(struct note *note, struct set *set, unsigned slot)
{
	if (!note_value(note, "turn"))
		return;

	uint64_t mux = note_u64(note, "turn", MUX_MAX - 1);
	uint64_t skips = note_u64_or(note, "skips", SLOTS_MAX - 1, 0);

	if (note->rc)
		return;
	set->skips[slot] = (uint8_t)skips;
	set->splits_metrics = note_value(note, "split");
	while (set->n_mux <= mux)
		set->first[set->n_mux++] = (uint16_t)slot;
	if (slot < set->first[mux])
		set->first[mux] = (uint16_t)slot;
	if (slot + 1 > set->first[set->n_mux])
		set->first[set->n_mux] = (uint16_t)(slot + 1);
}

static void set_add_event(struct reader *reader, struct note *note, struct set *set)
{
	unsigned type = note_type(note);
	unsigned slot = (unsigned)note_u64(note, "slot", COLUMNS_MAX - 1);
	struct placement *to = &set->type[type];

	if (to->event[slot])
		note_fail(note, NULL, "slot %u of type %s occurs twice", slot,
			  reader->machine.type[type].name);

	const struct event *event = note->rc ? NULL : make_event(reader, note, type);
	uint8_t counter =
		(uint8_t)note_u64_or(note, "counter", COUNTER_NONE - 1, to->counter[slot]);

	take_mux(note, set, slot);
	if (note->rc)
		return;
	set->by_task |= note_value(note, "tasks") != NULL;
	if (note_value(note, "sampled")) {
		set->samples = true;
		set->sampled = (uint16_t)slot;
	}
	to->counter[slot] = counter;
	to->event[slot] = event;
	if (slot >= set->n_slots)
		set->n_slots = slot + 1;
}

/* Process "# set N …". */
static void reader_take_set(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 1);
	struct read_set *set;
	uint64_t number;

	if (!word || num_parse_u64(word->value, &number) || !number || number > UINT32_MAX) {
		note_fail(note, word, "expected the number of a set");
		return;
	}

	/* described again, after a rewind or, when presets rotate, on a return to it: frames of all times share one
	 * set */
	set = known_set(reader, number);
	if (set && (reader->is_second_pass || set != reader->set || set->is_redescribed)) {
		set->is_redescribed = true;
		reader->set = set;
		return;
	}
	set = find_set(reader, number, note);
	if (!note->rc)
		set_add_event(reader, note, &set->of.set);
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

static uint64_t note_time(struct note *note)
{
	const struct note_word *word = note_word(note, 1);
	uint64_t t_ns = 0;

	if (!word || !reader_parse_time(word->value, strlen(word->value), &t_ns))
		note_fail(note, word, "expected a time in seconds");
	return t_ns;
}

static void expect_at(struct reader *reader, uint64_t t_ns)
{
	reader->note_t_ns = t_ns;
	reader->has_note_t = true;
}

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

/* Parse plain word n as a task's number. @return 0 on errors */
static int64_t tasks_number_of(struct note *note, size_t n)
{
	const struct note_word *word = note_word(note, n);
	int64_t number = 0;

	if (!word || !reader_parse_task(word->value, strlen(word->value), &number))
		note_fail(note, word, "expected the number of a task");
	return number;
}

static void take_task(struct reader *reader, struct note *note)
{
	struct core_task task = { .first_ns = note_time(note) };
	int64_t number = tasks_number_of(note, 2);
	const struct note_word *cgroup, *container;

	task.kind = (uint8_t)task_kind_of(number);
	if (task.kind == TASK_THREAD) {
		task.tid = (uint32_t)number;
		task.pid = (uint32_t)note_u64(note, "process", UINT32_MAX);
	}
	snprintf(task.comm, sizeof(task.comm), "%s", note_need(note, "name"));
	cgroup = note_value(note, "cgroup");
	container = note_value(note, "container");
	if (cgroup && container)
		cgroup_name_container(cgroup->value, container->value);
	if (cgroup)
		task.cgroup = cgroup_of_shown(cgroup->value);
	if (!note->rc && task_names_set(&reader->names, &task))
		note_no_memory(note);
}

/* Process "# exit", which follows the rows of the ended task. */
static void take_exit(struct reader *reader, struct note *note)
{
	struct read_tasks *tasks = &reader->task_rows;
	uint64_t t_ns = note_time(note);
	int64_t number = tasks_number_of(note, 3);

	if (note->rc || !reader->frame)
		return;
	if (!tasks->n || task_number(&tasks->task[tasks->n - 1]) != number)
		note_fail(note, note_word(note, 3), "the rows above are not of this task");
	else
		tasks->task[tasks->n - 1].ended_ns = t_ns;
}

/* Process "# tasks", which follows the rows of its frame. */
static void take_tasks(struct reader *reader, struct note *note)
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
	expect_at(reader, t_ns);
}

/* ---- rows of tasks ---- */

static void forget_tasks(struct reader *reader)
{
	struct read_tasks *tasks = &reader->task_rows;

	tasks->n = 0;
	tasks->core = -1;
	tasks->is_noted = false;
	tasks->n_switches = tasks->n_lost = 0;
	tasks->cost_share = 0;
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

	if (array_reserve((void **)&tasks->value, &tasks->cap_values, (tasks->n + 1) * n_slots,
			  sizeof(*tasks->value)) ||
	    array_reserve((void **)&tasks->time_ns, &tasks->cap_times, (tasks->n + 1) * n_mux,
			  sizeof(*tasks->time_ns)) ||
	    array_append((void **)&tasks->task, &tasks->cap, &tasks->n, task, sizeof(*task)))
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
	ret->n_switches = tasks->n_switches;
	ret->n_lost = tasks->n_lost;
	ret->cost_share = tasks->cost_share;
	frame->tasks = ret;
	return 0;
}

/* ---- notes among the rows: gaps, marks, cores that go offline and online ---- */

static void take_interval(struct reader *reader, struct note *note)
{
	uint64_t t_ns = note_time(note);

	if (!note->rc && !reader_parse_interval(note_word(note, 2), &reader->interval_ns))
		note_fail(note, note_word(note, 2), "expected an interval in ms");
	if (!note->rc)
		expect_at(reader, t_ns);
}

/* Get the reason, the rest of the line, which may have several words: "(log too slow)". */
static void gap_reason(const struct note *note, char *buf, size_t size)
{
	size_t used = 0;

	for (size_t i = 4; note_word(note, i) && used < size; i++) {
		int n = snprintf(buf + used, size - used, "%s%s", used ? " " : "",
				 note_word(note, i)->value);

		used += n > 0 ? (size_t)n : 0;
	}
	used = strlen(buf);
	if (used > 1 && buf[0] == '(' && buf[used - 1] == ')') {
		buf[used - 1] = '\0';
		memmove(buf, buf + 1, used - 1);
	}
}

static void take_gap(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 2);
	uint64_t t_ns = note_time(note), n = 0;

	if (!word || num_parse_u64(word->value, &n))
		note_fail(note, word, "expected a number of frames");
	if (note->rc)
		return;
	reader->text[0] = '\0';
	gap_reason(note, reader->text, sizeof(reader->text));
	if (reader->set && strcmp(reader->text, GAP_YIELDED) == 0)
		reader->set->is_redescribed = true;
	if (strcmp(reader->text, "missed") != 0 && strcmp(reader->text, "suspended") != 0) {
		reader->item = (struct session_item){
			.what = SESSION_GAP, .t_ns = t_ns, .n = n, .text = reader->text
		};
		return;
	}
	reader->gap = reader->text[0] == 'm' ? GAP_MISSED : GAP_SUSPENDED;
	reader->n_missed = n;
	expect_at(reader, t_ns);
}

static void take_mark(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 2);
	uint64_t t_ns = note_time(note);

	if (note->rc)
		return;
	snprintf(reader->text, sizeof(reader->text), "%s", word ? word->value : "");
	reader->item =
		(struct session_item){ .what = SESSION_MARK, .t_ns = t_ns, .text = reader->text };
}

/* Process "# off" or "# on", which is before the core's rows within the first frame that it applies to. */
static void take_power(struct reader *reader, struct note *note)
{
	const struct note_word *word = note_word(note, 3);
	bool is_off = strcmp(note->word[0].value, "off") == 0;
	uint64_t t_ns = note_time(note), cpu = 0;

	if (!word || num_parse_u64(word->value, &cpu) || cpu >= READER_CPUS_MAX ||
	    reader->core_of_cpu[cpu] < 0)
		note_fail(note, word, "expected a CPU of the head");
	if (!note->rc)
		note->rc = reader_begin_frame(reader, note->err);
	if (note->rc)
		return;

	unsigned core = (unsigned)reader->core_of_cpu[cpu];

	reader->core[core].is_off = is_off;
	reader->frame->core[core].state = is_off ? CORE_OFF : CORE_LATE;
	expect_at(reader, t_ns);
}

/* Get a value times `unit`, limited to 0 … `most`; 0 if missing. */
static double notes_value_of(const struct note *note, const char *key, double unit, double most)
{
	const struct note_word *word = note_value(note, key);
	double value = 0;

	if (word && num_parse_double(word->value, &value))
		return 0;
	return fmax(0, fmin(value * unit, most));
}

/* Process "# own", which follows the rows of its frame. */
static void take_own(struct reader *reader, struct note *note)
{
	struct frame *frame = reader->frame;
	uint64_t t_ns = note_time(note);

	if (note->rc || !frame)
		return;
	frame->own_known = true;
	frame->own_core_share = (float)notes_value_of(note, "core_pct", 0.01, CPUS_MAX);
	frame->own_total_share = (float)notes_value_of(note, "total_pct", 0.01, CPUS_MAX);
	frame->own_wakeups_per_s = (float)notes_value_of(note, "wakeups_s", 1, 1e9);
	frame->late_max_ns = (uint32_t)notes_value_of(note, "late_max_us", 1e3, UINT32_MAX);
	frame->late_p99_ns = (uint32_t)notes_value_of(note, "late_p99_us", 1e3, UINT32_MAX);
	frame->n_dropped = (uint64_t)notes_value_of(note, "dropped", 1, 1e18);
	expect_at(reader, t_ns);
}

/* Add an expression that was entered on the screen while recording; "# asked" has those of the start. One that does not
 * compile is ignored. */
static void define(struct reader *reader, const char *name, const char *expr)
{
	struct metrics_selection selection = { .n = 0 };
	struct text defined = { 0 };

	text_printf(&defined, "%s=%s", name, expr);
	if (!defined.failed)
		metrics_select(&reader->metrics, defined.bytes, &selection, NULL);
	metrics_selection_fini(&selection);
	text_fini(&defined);
}

/* Process "# metric", which follows its set, once per type. */
static void notes_take_metric(struct reader *reader, struct note *note)
{
	const struct note_word *name = note_word(note, 1), *expr = note_value(note, "expr");
	struct read_set *set = reader->set;

	if (!name || !expr)
		return;
	if (metrics_find(&reader->metrics, name->value) < 0 && reader->n_tried++ < METRICS_OWN_MAX)
		define(reader, name->value, expr->value);

	int found = metrics_find(&reader->metrics, name->value);
	uint16_t number = (uint16_t)found;

	if (found >= 0 && set && !set->is_bound &&
	    array_append((void **)&set->noted, &set->cap_noted, &set->n_noted, &number,
			 sizeof(number)))
		note_no_memory(note);
}

static const struct note_kind *notes_kind_of(const char *line)
{
	static const struct note_kind kinds[] = {
		{ "interval", take_interval, NOTE_ENDS_FRAME },
		{ "gap", take_gap, NOTE_ENDS_FRAME },
		{ "mark", take_mark, NOTE_ENDS_FRAME },
		{ "off", take_power, NOTE_ENDS_EARLIER_FRAME },
		{ "on", take_power, NOTE_ENDS_EARLIER_FRAME },
		{ "own", take_own, NOTE_ENDS_EARLIER_FRAME },
		{ "set", reader_take_set, NOTE_ENDS_FRAME },
		{ "metric", notes_take_metric, NOTE_ENDS_FRAME },
		{ "task", take_task, NOTE_IN_FRAME },
		{ "exit", take_exit, NOTE_IN_FRAME },
		{ "tasks", take_tasks, NOTE_IN_FRAME },
		{ "samples", reader_take_samples, NOTE_IN_FRAME },
		{ "hot", reader_take_hot, NOTE_IN_FRAME },
	};

	return note_kind_of(kinds, ARRAY_SIZE(kinds), line);
}

/* Whether a note is about a later frame than the open one. Reads happen at the tick or later. */
static bool is_later(const struct reader *reader, const char *line)
{
	const char *at = strchr(line + 2, ' ');
	uint64_t t_ns, latest_ns = 0;

	if (!reader->tick || !at || !reader_parse_time(at + 1, strcspn(at + 1, " "), &t_ns))
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
		return note_take(kind, reader, line, err);
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
	reader_forget_hot(reader);
	return 0;
}

/* Give counts without a value the core's window where it is missing: sums must be scaled to it, too. */
static void fill_windows(const struct frame *frame, unsigned core, struct count *count)
{
	for (unsigned i = 0; i < frame->n_slots; i++)
		if (count_is_requested(&count[i]) && !count[i].enabled_ns)
			count[i].enabled_ns = frame->core[core].window_ns;
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
			fill_windows(frame, core, count);
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

static bool is_counted_here(const struct event *event)
{
	return event && !*event->refused && !event_is_of_device(event);
}

/* Whether a core lacks some of its counts. Counts of devices are not checked: most cores have none. */
static bool lacks_counts(const struct reader *reader, unsigned core)
{
	const struct frame *frame = reader->frame;
	const struct placement *placement = &frame->set->type[reader->machine.core[core].type];

	for (unsigned i = 0; i < frame->n_slots; i++)
		if (is_counted_here(placement->event[i]) &&
		    !frame->count[(size_t)core * frame->n_slots + i].quality)
			return true;
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
		rc = reader_finish_hot(reader, err);
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
