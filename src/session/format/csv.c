/* The session log, by core and complete enough to replay: docs/session-format.md. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/activity.h"
#include "pmu/sensors.h"
#include "session/format.h"
#include "session/format/note.h"
#include "session/format/row_name.h"
#include "session/format/task_names.h"
#include "symbols/symbols.h"

const char csv_heading[] =
	"tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,error";

/* ---- text and numbers ---- */

/* Whether a text needs no quotes. A loop, because strpbrk's start-up takes longer than a short name. */
static bool csv_is_plain(const char *s)
{
	while (*s && *s != '#' && *s != ',' && *s != '"' && *s != '\r' && *s != '\n')
		s++;
	return !*s;
}

void csv_quote(struct text *out, const char *s, bool on_one_line)
{
	text_add(out, "\"", 1);
	for (; *s; s++)
		if (*s == '"')
			text_add(out, "\"\"", 2);
		else
			text_add(out, on_one_line && (*s == '\n' || *s == '\r') ? " " : s, 1);
	text_add(out, "\"", 1);
}

/* Append a field and a comma: RFC 4180, and '#' also quoted, because readers take it as the start of a comment. */
static void csv_field(struct text *out, const char *s)
{
	if (csv_is_plain(s))
		text_string(out, s);
	else
		csv_quote(out, s, false);
	text_add(out, ",", 1);
}

void csv_value(struct text *out, const char *s)
{
	if (*s && !strpbrk(s, " \t\r\n\""))
		text_add(out, s, strlen(s));
	else
		csv_quote(out, s, true);
}

/* Write a number. @size  0 or from 1e-4 to below 1e15  @to  32 bytes @return end of the text */
static char *put_figure(double size, char *to)
{
	/* limits below which one more decimal fits */
	static const double end[] = { 99999.95, 9999.995,  999.9995,   99.99995,   9.999995,
				      .9999995, .09999995, .009999995, .0009999995 };
	static const uint64_t power[] = { 1,      10,      100,      1000,      10000,
					  100000, 1000000, 10000000, 100000000, 1000000000 };
	unsigned places = 0;

	while (places < ARRAY_SIZE(end) && size < end[places])
		places++;

	uint64_t digits = (uint64_t)(size * (double)power[places] + 0.5);

	for (; places && digits % 10 == 0; places--)
		digits /= 10;
	to = text_put_u64(to, digits / power[places], 1);
	if (!places)
		return to;
	*to++ = '.';
	return text_put_u64(to, digits % power[places], places);
}

void csv_figure(struct text *out, double figure)
{
	double size = fabs(figure);
	char buf[32] = "-";

	if (size >= 1e15 || (size < 1e-4 && size > 0)) {
		text_printf(out, "%.6g", figure);
		return;
	}

	const char *end = put_figure(size, buf + 1);
	const char *from = figure < 0 ? buf : buf + 1;

	text_add(out, from, (size_t)(end - from));
}

/* ---- rows and notes ---- */

/* A piece of text that was written to `out`. n = 0: none yet. */
struct csv_piece {
	size_t at, n;
};

/* State of writing one frame. The caller sets the first members; all others begin as 0. */
struct csv_rows {
	const struct format_context *context;
	const struct frame *frame;
	const uint16_t *metric; /* numbers of the metrics to write */
	size_t n_metrics;
	struct task_index *named; /* tasks already named, by BY_ID; those of the frame are added */
	struct column_set lost;   /* columns of which [unattributed] has counts */
	struct text *out;         /* only appended to meanwhile */

	struct csv_piece stamp;  /* of a core: "12,1.200000000,4,P," */
	struct csv_piece ending; /* of the last row: ",99999872,99999872,ok,\n" */
	struct count ends;       /* count in `ending` */
	unsigned type;           /* core type of the pieces below: "cpu,0,,cycles,"
	                          * "metric,,,IPC," */
	struct csv_piece event[COLUMNS_MAX], metric_name[METRICS_BOUND_MAX];
	size_t before_pid[COLUMNS_MAX]; /* length of the part of an event before the pid */
	size_t task;                    /* the first task of the frame that is not written yet */
};

/* Copy a piece if there is one. @return false: it must be written and passed to end_piece */
static bool copy_piece(const struct csv_rows *rows, const struct csv_piece *piece)
{
	if (piece->n)
		text_repeat(rows->out, piece->at, piece->n);
	return piece->n;
}

/* @from  out->n before it was written */
static void end_piece(const struct csv_rows *rows, size_t from, struct csv_piece *ret)
{
	*ret = (struct csv_piece){ from, rows->out->n - from };
}

static void number_field(struct text *out, uint64_t number)
{
	text_u64(out, number, 1);
	text_add(out, ",", 1);
}

/* Write the first four fields. */
static void put_stamp(struct csv_rows *rows, unsigned core)
{
	const struct core *at = &rows->context->machine->core[core];
	size_t from = rows->out->n;

	if (copy_piece(rows, &rows->stamp))
		return;
	number_field(rows->out, rows->frame->number);
	text_seconds(rows->out, rows->frame->core[core].t_ns);
	text_add(rows->out, ",", 1);
	if (rows->context->head.request.tasks)
		text_add(rows->out, ",", 1); /* tasks run on any CPU */
	else
		number_field(rows->out, at->cpu);
	csv_field(rows->out, rows->context->machine->type[at->type].name);
	end_piece(rows, from, &rows->stamp);
}

static bool ends_alike(const struct count *a, const struct count *b)
{
	return a->enabled_ns == b->enabled_ns && a->running_ns == b->running_ns &&
	       a->quality == b->quality && a->error <= 0 && b->error <= 0;
}

/* Write the last four fields. @count  times, quality and error */
static void put_ending(struct csv_rows *rows, const struct count *count)
{
	struct text *out = rows->out;
	size_t from = out->n;

	if (ends_alike(count, &rows->ends) && copy_piece(rows, &rows->ending))
		return;
	text_add(out, ",", 1);
	number_field(out, count->enabled_ns);
	number_field(out, count->running_ns);
	text_string(out, quality_name(count->quality));
	text_add(out, ",", 1);
	if (count->error > 0)
		text_u64(out, (uint64_t)ceil(count->error), 1);
	text_add(out, "\n", 1);
	end_piece(rows, from, &rows->ending);
	rows->ends = *count;
}

static void put_event(struct csv_rows *rows, const struct event *event, unsigned slot)
{
	size_t from = rows->out->n;

	if (copy_piece(rows, &rows->event[slot]))
		return;
	csv_field(rows->out, event->pmu ? event->pmu->name : "");
	number_field(rows->out, slot);
	rows->before_pid[slot] = rows->out->n - from;
	text_add(rows->out, ",", 1);
	csv_field(rows->out, event->name);
	end_piece(rows, from, &rows->event[slot]);
}

static void put_count(struct csv_rows *rows, const struct frame_row *of, unsigned slot)
{
	const struct event *event = rows->frame->set->type[rows->type].event[slot];
	const struct count *count = &of->count[slot];

	if (!event || count->quality == QUALITY_NONE)
		return;
	put_stamp(rows, of->index);
	put_event(rows, event, slot);
	if (quality_has_value(count->quality))
		text_u64(rows->out, count->value, 1);
	put_ending(rows, count);
}

/* Whether the core has an input of the metric: that of a device only appears on the core that reads it. */
static bool csv_is_counted(const struct count *count, const struct metric_binding *binding)
{
	column_set_each(&binding->slots, slot)
		if (count[slot].quality != QUALITY_NONE)
			return true;
	return column_set_is_empty(&binding->slots);
}

/* Get the times of the input that ran least, for devices those of the mean one; without inputs the whole window. */
static struct count least_run(const struct frame_row *row, const struct metric_program *program,
			      const struct metric_binding *binding)
{
	struct count least = { .enabled_ns = row->window_ns, .running_ns = row->window_ns };

	for (unsigned i = 0; metric_input(program, i); i++) {
		struct count one;

		metric_input_count(binding, i, row->count, &one);
		if (one.n_summed > 1) {
			one.enabled_ns /= one.n_summed;
			one.running_ns /= one.n_summed;
		}
		if (!i || one.running_ns < least.running_ns)
			least = one;
	}
	return least;
}

static void put_metric_name(struct csv_rows *rows, const struct metric *metric, unsigned column)
{
	size_t from = rows->out->n;

	if (copy_piece(rows, &rows->metric_name[column]))
		return;
	text_string(rows->out, "metric,,,");
	csv_field(rows->out, metric->name);
	end_piece(rows, from, &rows->metric_name[column]);
}

static void put_metric(struct csv_rows *rows, const struct frame_row *of, unsigned number)
{
	const struct frame *frame = rows->frame;
	const struct metric *metric = &rows->context->metrics->metric[number];
	int column = metrics_column(frame->bound, (int)number);
	const struct metric_binding *binding =
		column < 0 ? NULL : frame->bound->binding[rows->type][column];

	if (!binding || !csv_is_counted(of->count, binding))
		return;

	const struct reading *reading = &of->metric[column];
	struct count ends = least_run(of, metric->program[rows->type], binding);

	ends.quality = reading->quality;
	ends.error = 0;
	put_stamp(rows, of->index);
	put_metric_name(rows, metric, (unsigned)column);
	if (quality_has_value(reading->quality))
		csv_figure(rows->out, reading->value);
	put_ending(rows, &ends);
}

/* ---- tasks ---- */

static void note_task(const struct core_task *task, struct text *out)
{
	const struct note_task note = {
		.number = task_number(task),
		.process = task->kind == TASK_THREAD ? task->pid : UINT32_MAX,
		.name = task->comm,
		.cgroup = task->cgroup ? task->cgroup->path : NULL,
		.container = task->cgroup ? cgroup_container(task->cgroup) : NULL,
	};

	note_put(out, "task", NULL, task->first_ns, &note);
}

static void name_task(struct csv_rows *rows, const struct core_task *task)
{
	const struct core_task *written = task_names_find(rows->named, task_number(task));

	if (written && task_names_same(written, task))
		return;
	note_task(task, rows->out);
	if (task_names_set(rows->named, task))
		rows->out->failed = true;
}

/* Find the next task of a frame that has rows, from number *i on, and move *i past it. @return NULL: none */
static const struct core_task *next_with_rows(const struct frame *frame, size_t *i)
{
	const struct frame_tasks *tasks = frame ? frame->tasks : NULL;

	for (; tasks && *i < tasks->n; ++*i)
		if (frame_has_task_rows(frame, tasks->task[*i].core))
			return &tasks->task[(*i)++];
	return NULL;
}

/* Collect the tasks that have rows in a frame, whose notes were written. @return 0 or -ENOMEM */
static int csv_named_tasks(const struct frame *frame, struct task_index *ret)
{
	const struct core_task *task;
	int rc = 0;

	for (size_t i = 0; !rc && (task = next_with_rows(frame, &i));)
		rc = task_names_set(ret, task);
	return rc;
}

/* Append a "# task" note for each task that has rows in a frame. @frame  NULL: none */
static void csv_note_tasks(const struct frame *frame, struct text *out)
{
	struct task_index named = { .by = BY_ID };
	struct csv_rows rows = { .out = out, .named = &named };
	const struct core_task *task;

	for (size_t i = 0; (task = next_with_rows(frame, &i));)
		name_task(&rows, task);
	task_index_clear(&named);
}

static void put_number(struct text *out, int64_t number)
{
	if (number < 0)
		text_add(out, "-", 1);
	text_u64(out, (uint64_t)(number < 0 ? -number : number), 1);
}

/* Write a count of a task, after the row of its core. */
static void put_task_count(struct csv_rows *rows, size_t i, unsigned slot)
{
	const struct core_task *task = &rows->frame->tasks->task[i];
	const struct csv_piece *event = &rows->event[slot];
	size_t before = rows->before_pid[slot];
	struct count count;

	core_task_count(rows->frame, i, slot, &count);
	if (count.quality == QUALITY_OK && task->kind != TASK_UNATTRIBUTED &&
	    column_set_has(&rows->lost, slot))
		count.quality = QUALITY_PARTIAL;
	put_stamp(rows, task->core);
	text_repeat(rows->out, event->at, before);
	put_number(rows->out, task_number(task));
	text_repeat(rows->out, event->at + before, event->n - before);
	if (quality_has_value(count.quality))
		text_u64(rows->out, count.value, 1);
	put_ending(rows, &count);
}

static void put_task(struct csv_rows *rows, size_t i)
{
	const struct core_task *task = &rows->frame->tasks->task[i];

	if (!frame_has_task_rows(rows->frame, task->core))
		return;
	name_task(rows, task);
	for (unsigned slot = 0; slot < rows->frame->n_slots; slot++)
		if (frame_has_task_row(rows->frame, task->core, slot))
			put_task_count(rows, i, slot);
	if (task->ended_ns)
		note_put(rows->out, "exit", NULL, task->ended_ns,
			 &(struct note_task){ .number = task_number(task) });
}

static void put_tasks(struct csv_rows *rows, unsigned core)
{
	const struct frame_tasks *tasks = rows->frame->tasks;

	while (tasks && rows->task < tasks->n && tasks->task[rows->task].core < core)
		rows->task++;
	for (; tasks && rows->task < tasks->n && tasks->task[rows->task].core == core; rows->task++)
		put_task(rows, rows->task);
}

/* Append the rows of a core that is on: counts, metrics, then tasks. Called in the order of cores. */
static void csv_rows_core(struct csv_rows *rows, unsigned core)
{
	const struct format_context *context = rows->context;
	unsigned type = context->machine->core[core].type;
	struct frame_row row;

	if (type != rows->type) {
		memset(rows->event, 0, sizeof(rows->event));
		memset(rows->metric_name, 0, sizeof(rows->metric_name));
		rows->type = type;
	}
	rows->stamp.n = 0;
	frame_row(rows->frame, context->machine, context->metrics, BY_CORE, core, &row);
	for (unsigned slot = 0; slot < rows->frame->n_slots; slot++)
		put_count(rows, &row, slot);
	for (size_t i = 0; i < rows->n_metrics; i++)
		put_metric(rows, &row, rows->metric[i]);
	put_tasks(rows, core);
}

static void describe_core(const struct machine *machine, const struct core *core, struct text *out)
{
	struct core note = *core;

	if (!machine->n_llcs)
		note.llc_id = UINT_MAX;
	if (!machine->n_nodes)
		note.node_id = UINT_MAX;
	if (core->thread0 == core->cpu)
		note.thread0 = UINT_MAX;
	note_put(out, "cpu", machine, 0, &note);
}

/* Write the sources of the events of the PMU "activity". */
static void describe_sources(const struct machine *machine, struct text *out)
{
	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct note_source note = { activity_path_name(machine, i), i,
						  activity_events(machine, i) };

		if (note.path)
			note_put(out, "source " ACTIVITY_PMU, machine, 0, &note);
	}
}

static void describe_sensors(const struct sensors *sensors, struct text *out)
{
	for (unsigned i = 0; sensors && i < sensors->n; i++) {
		const struct sensor *sensor = &sensors->sensor[i];

		note_put(out, "sensor", NULL, 0,
			 &(struct note_sensor){ sensor_forms[sensor->kind].name, sensor->name,
						sensor_forms[sensor->kind].unit });
	}
}

/* Write the values of the literals that expressions use. */
static void describe_literals(const struct format_context *context, struct text *out)
{
	const struct literals *literals = &context->metrics->literals;
	struct note_literals note;

	for (unsigned type = 0; type < context->machine->n_types; type++) {
		note.type = type;
		memcpy(note.value, literals->value[type], sizeof(note.value));
		if (literals->is_known[type])
			note_put(out, "literals", context->machine, 0, &note);
	}
}

/* Get the catalogue's name of an event if a reader cannot infer it. @return NULL: it can */
static const char *known_name(const struct core_type *type, const struct event *event)
{
	const struct catalog_event *known[1] = { NULL };

	return event->known && type->catalog &&
			       (catalog_lookup(type->catalog, event->name, known, 1) != 1 ||
				known[0] != event->known)
		       ? event->known->name
		       : NULL;
}

static void describe_slot(const struct machine *machine, const struct set *set, unsigned type,
			  unsigned slot, struct text *out)
{
	static const char *const levels[] = { [PRIVILEGE_USER] = "u", [PRIVILEGE_KERNEL] = "k" };
	const struct placement *placement = &set->type[type];
	enum privilege privilege = placement->event[slot]->privilege;
	bool is_mux = set_n_mux(set) > 1, has_counter = placement->counter[slot] != COUNTER_NONE;
	struct note_set note = {
		.number = set->number,
		.type = type,
		.slot = slot,
		.by_task = set->by_task,
		.is_sampled = set->samples && set->sampled == slot,
		.mux = is_mux ? set_mux_of(set, slot) : UINT_MAX,
		.splits_metrics = is_mux && set->splits_metrics,
		.skips = is_mux ? set->skips[slot] : 0,
		.event = *placement->event[slot],
		.known = known_name(&machine->type[type], placement->event[slot]),
		.levels = privilege == PRIVILEGE_BOTH ? NULL : levels[privilege],
		.width = machine->type[type].width,
		.counter = has_counter ? placement->counter[slot] : UINT_MAX,
	};

	if (!note.event.streams)
		note.event.short_name[0] = '\0';
	note_put(out, "set", machine, 0, &note);
}

static void describe_set(struct format_context *context, const struct set *set, struct text *out)
{
	for (unsigned type = 0; type < context->machine->n_types; type++) {
		for (unsigned slot = 0; slot < set->n_slots; slot++)
			if (set->type[type].event[slot])
				describe_slot(context->machine, set, type, slot, out);
	}
	context->last_set = set->number;
}

const char *metric_expr_on(const struct metric *metric, const struct core_type *type)
{
	const struct catalog_metric *known = NULL;

	if (!metric->own && type->catalog)
		known = catalog_metric_find(type->catalog, metric->name);
	return known ? known->expr : metric->expr;
}

static void describe_metric(const struct metric *metric, const struct machine *machine,
			    unsigned type, struct text *out)
{
	const struct note_metric note = {
		.name = metric->name,
		.type = type,
		.unit = metric->unit,
		.scale = metric->scale,
		.expr = metric_expr_on(metric, &machine->type[type]),
		.threshold = metric->threshold,
	};

	note_put(out, "metric", machine, 0, &note);
}

/* List the metrics to write while a set is counted. @bound  of that set; NULL: not known yet */
static size_t list_metrics(const struct format_context *context, const struct metrics_bound *bound,
			   const uint16_t **ret)
{
	if (context->head.request.of_sets && !bound)
		return 0;
	*ret = context->head.request.of_sets ? bound->requested : context->shown;
	return context->head.request.of_sets ? bound->n_requested : context->n_shown;
}

static void describe_metrics(struct format_context *context, const struct metrics_bound *bound,
			     struct text *out)
{
	const uint16_t *shown;
	size_t n = context->metrics ? list_metrics(context, bound, &shown) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct metric *metric = &context->metrics->metric[shown[i]];

		for (unsigned type = 0; type < context->machine->n_types; type++)
			if (metric->program[type])
				describe_metric(metric, context->machine, type, out);
	}
	context->last_bound = bound;
}

static void csv_begin(struct format_context *context, struct text *out)
{
	const struct machine *machine = context->machine;
	const struct session_request *request = &context->head.request;
	struct session_head head = context->head;

	clock_rfc3339(head.started_wall_ns, head.started, sizeof(head.started));
	note_put(out, "m1top session 1", machine, 0, NULL);
	note_put(out, "host", machine, 0, &head);
	note_put(out, "machine", machine, 0, machine);
	for (unsigned i = 0; i < machine->n_types; i++)
		note_put(out, "type", machine, 0, &machine->type[i]);
	for (unsigned i = 0; i < machine->n_cores; i++)
		describe_core(machine, &machine->core[i], out);
	describe_sources(machine, out);
	/* devices for which the event data has several models */
	for (size_t i = 0; i < machine->pmus.n; i++)
		if (machine->pmus.pmu[i].kind == PMU_UNCORE && *machine->pmus.pmu[i].identifier)
			note_put(out, "pmu", machine, 0, &machine->pmus.pmu[i]);
	describe_sensors(machine->sensors, out);
	if (context->metrics)
		describe_literals(context, out);
	if (request->preset || request->metrics || request->extra || request->tasks ||
	    request->by_device || request->of_sets)
		note_put(out, "asked", machine, 0, request);
	if (context->first)
		describe_set(context, context->first, out);
	describe_metrics(context, context->bound, out);
	csv_note_tasks(context->last_frame, out);
	context->last_interval_ns = context->head.interval_ns;
	if (context->continues)
		return; /* a second heading in a file would be read as a row */
	text_printf(out, "%s\n", csv_heading);
}

static void csv_gap(struct format_context *context, uint64_t t_ns, uint64_t n_frames,
		    const char *why, struct text *out)
{
	gap_line(context, t_ns, n_frames, why, out);
	if (strcmp(why, GAP_YIELDED) == 0)
		context->last_set = 0;
}

static void note_changes(struct format_context *context, const struct frame *frame,
			 struct text *out)
{
	if (frame->gap != GAP_NONE)
		gap_line(context, frame->t_ns, frame->n_missed, gap_name[frame->gap], out);
	if (frame->set->number != context->last_set && !frame->set->n_slots)
		csv_gap(context, frame->t_ns, 0, GAP_YIELDED, out);
	if (frame->set->number != context->last_set) {
		describe_set(context, frame->set, out);
		context->last_bound = NULL;
	}
	if (context->head.request.of_sets && frame->bound != context->last_bound)
		describe_metrics(context, frame->bound, out);
	if (frame->interval_ns == context->last_interval_ns)
		return;
	note_put(out, "interval", NULL, frame->t_ns, frame);
	context->last_interval_ns = frame->interval_ns;
}

static void note_own(struct format_context *context, const struct frame *frame, struct text *out)
{
	if (!frame->own_known)
		return;
	if (context->last_own_ns && frame->t_ns < context->last_own_ns + NS_PER_S)
		return;
	context->last_own_ns = frame->t_ns;
	note_put(out, "own", NULL, frame->t_ns, frame);
}

static void note_power(struct format_context *context, const struct frame *frame, unsigned core,
		       struct text *out)
{
	bool off = frame->core[core].state == CORE_OFF;

	if (off == context->last_off[core])
		return;
	context->last_off[core] = off;
	note_put(out, off ? "off" : "on", context->machine, frame->t_ns,
		 &(struct note_hot){ .core = core });
}

/* ---- samples of code ---- */

static int by_samples(const void *a, const void *b)
{
	const struct hot_spot *one = a, *other = b;
	int order = task_order(one->core, other->core);

	if (!order)
		order = task_order(one->task, other->task);
	if (!order)
		order = task_order(other->n, one->n);
	if (!order)
		order = strcmp(one->function->object->name, other->function->object->name);
	return order ? order : strcmp(one->function->name, other->function->name);
}

/* Count the later rows of a task on its core: exec, another cgroup or a number used again begin one. */
static unsigned later_rows(const struct frame_tasks *tasks, size_t at)
{
	const struct core_task *task = &tasks->task[at];
	unsigned n = 0;

	for (size_t i = at + 1; i < tasks->n && tasks->task[i].core == task->core; i++)
		n += task_number(&tasks->task[i]) == task_number(task);
	return n;
}

static void put_hot(const struct hot_spot *spot, const struct frame *frame,
		    const struct machine *machine, struct text *out)
{
	const struct note_hot note = {
		.core = spot->core,
		.task = task_number(&frame->tasks->task[spot->task]),
		.later = later_rows(frame->tasks, spot->task),
		.n = spot->n,
		.weight = spot->weight,
		.weight2 = spot->weight2,
		.function = spot->function->name,
		.object = spot->function->object->name,
		.is_kernel = spot->function->is_kernel,
	};

	note_put(out, "hot", machine, frame->t_ns, &note);
}

/* Append "# samples", and a "# hot" per core, task and function, most samples first. */
static void note_hot(const struct frame *frame, const struct machine *machine, struct text *out)
{
	const struct frame_hot *hot = frame->hot;
	static const enum hot_key by[] = { HOT_BY_CORE, HOT_BY_TASK, HOT_BY_FUNCTION, HOT_END };
	AUTO_FREE struct hot_spot *note =
		hot->n && frame->tasks ? calloc(hot->n, sizeof(*note)) : NULL;
	size_t n = 0;

	note_put(out, "samples", machine, frame->t_ns, hot);
	if (!note) {
		out->failed |= hot->n && frame->tasks;
		return;
	}
	for (size_t i = 0; i < hot->n; i++)
		if (hot->spot[i].task < frame->tasks->n)
			note[n++] = hot->spot[i];
	hot_resolve(note, n);
	n = hot_merge(note, n, by);
	qsort(note, n, sizeof(*note), by_samples);
	for (size_t i = 0; i < n; i++)
		put_hot(&note[i], frame, machine, out);
}

/* Write a row for each sensor, once for each time that they were read. */
static void put_sensors(struct format_context *context, const struct frame *frame, struct text *out)
{
	const struct sensed *sensed = frame->sensed;
	const struct sensors *sensors = context->machine->sensors;

	for (unsigned i = 0; sensed && sensed->t_ns > context->last_sensed_ns && i < sensors->n;
	     i++) {
		number_field(out, frame->number);
		text_seconds(out, sensed->t_ns);
		text_printf(out, ",,," SENSOR_ROW ",%u,,", i);
		csv_field(out, sensors->sensor[i].name);
		if (!isnan(sensed->value[i]))
			csv_figure(out, sensed->value[i]);
		text_printf(out, isnan(sensed->value[i]) ? ",,,lost,\n" : ",,,ok,\n");
	}
	context->last_sensed_ns = sensed ? sensed->t_ns : 0;
}

static void csv_frame(struct format_context *context, const struct frame *frame, struct text *out)
{
	struct task_index named = { .by = BY_ID };
	struct csv_rows rows = { .context = context, .frame = frame, .out = out, .named = &named };

	if (frame->tasks && csv_named_tasks(context->last_frame, &named))
		out->failed = true;
	for (size_t i = 0; frame->tasks && i < frame->tasks->n; i++)
		if (frame->tasks->task[i].kind == TASK_UNATTRIBUTED)
			frame_task_columns(frame->tasks, i, &rows.lost);
	rows.n_metrics = list_metrics(context, frame->bound, &rows.metric);
	note_changes(context, frame, out);
	for (unsigned core = 0; core < frame->n_cores; core++) {
		note_power(context, frame, core, out);
		if (frame->core[core].state == CORE_ON)
			csv_rows_core(&rows, core);
	}
	put_sensors(context, frame, out);
	if (frame->hot)
		note_hot(frame, context->machine, out);
	if (frame->tasks)
		note_put(out, "tasks", NULL, frame->t_ns, frame->tasks);
	note_own(context, frame, out);
	task_index_clear(&named);
	context->last_frame = frame->tasks ? frame : NULL;
}

static void csv_mark(struct format_context *context, uint64_t t_ns, const char *note,
		     struct text *out)
{
	(void)context;
	note_put(out, "mark", NULL, t_ns, &(struct note_gap){ .why = note });
}

const struct format format_csv = {
	.name = "csv",
	.begin = csv_begin,
	.frame = csv_frame,
	.mark = csv_mark,
	.gap = csv_gap,
};
