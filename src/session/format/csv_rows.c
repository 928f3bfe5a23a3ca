#include "session/format/csv_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "session/format/csv_text.h"
#include "session/format/row_name.h"

/* @return false: it is to be written, and end_piece told */
static bool copy_piece(const struct csv_rows *rows, const struct csv_piece *piece)
{
	if (piece->n)
		text_again(rows->out, piece->at, piece->n);
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

/* The first four fields. */
static void put_stamp(struct csv_rows *rows, unsigned core)
{
	const struct core *at = &rows->context->machine->core[core];
	size_t from = rows->out->n;

	if (copy_piece(rows, &rows->stamp))
		return;
	number_field(rows->out, rows->frame->number);
	text_seconds(rows->out, rows->frame->core[core].t_ns);
	text_add(rows->out, ",", 1);
	if (rows->context->asked.tasks)
		text_add(rows->out, ",", 1); /* they have run anywhere */
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

/* The last four. @count  how long, how well, with which error */
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

static void put_count(struct csv_rows *rows, unsigned core, unsigned slot)
{
	const struct event *event = rows->frame->set->type[rows->type].event[slot];
	const struct count *count = &frame_counts(rows->frame, core)[slot];

	if (!event || count->quality == QUALITY_NONE)
		return;
	put_stamp(rows, core);
	put_event(rows, event, slot);
	if (quality_has_value(count->quality))
		text_u64(rows->out, count->value, 1);
	put_ending(rows, count);
}

/* A device's metric is in the rows of the core that reads the device. */
static bool is_counted(const struct count *count, const struct metric_binding *binding)
{
	uint64_t rest = binding->slots;

	while (rest && count[__builtin_ctzll(rest)].quality == QUALITY_NONE)
		rest &= rest - 1;
	return rest || !binding->slots;
}

/* A metric was measured as long as the input that ran least, of devices the mean one; one without
 * inputs all the time. */
static struct count least_run(const struct frame *frame, unsigned core,
			      const struct metric_program *program,
			      const struct metric_binding *binding)
{
	struct count least = { .enabled_ns = frame->core[core].window_ns,
			       .running_ns = frame->core[core].window_ns };

	for (unsigned i = 0; metric_input(program, i); i++) {
		struct count one;

		metric_input_count(binding, i, frame_counts(frame, core), &one);
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

static void put_metric(struct csv_rows *rows, unsigned core, unsigned number)
{
	const struct frame *frame = rows->frame;
	const struct metric *metric = &rows->context->metrics->metric[number];
	int column = metrics_column(frame->bound, (int)number);
	const struct metric_binding *binding =
		column < 0 ? NULL : frame->bound->binding[rows->type][column];

	if (!binding || !is_counted(frame_counts(frame, core), binding))
		return;

	const struct reading *reading = &frame_metrics(frame, core)[column];
	struct count ends = least_run(frame, core, metric->program[rows->type], binding);

	ends.quality = reading->quality;
	ends.error = 0;
	put_stamp(rows, core);
	put_metric_name(rows, metric, (unsigned)column);
	if (quality_has_value(reading->quality))
		csv_figure(rows->out, reading->value);
	put_ending(rows, &ends);
}

/* ---- tasks ---- */

static void note_task(const struct core_task *task, struct text *out)
{
	text_printf(out, "# task ");
	text_seconds(out, task->first_ns);
	text_printf(out, " %" PRId64, task_number(task));
	if (task->kind == TASK_THREAD)
		text_printf(out, " process=%" PRIu32, task->pid);
	text_printf(out, " name=");
	csv_value(out, task->comm);
	text_printf(out, "\n");
}

static void name_task(struct csv_rows *rows, const struct core_task *task)
{
	const struct core_task *said = task_names_find(rows->named, task_number(task));

	if (said && task_names_same(said, task))
		return;
	note_task(task, rows->out);
	if (task_names_say(rows->named, task))
		rows->out->failed = true;
}

/* The next task of a frame with rows, from number *i on, which moves behind it. @return NULL: none */
static const struct core_task *next_with_rows(const struct frame *frame, size_t *i)
{
	const struct frame_tasks *tasks = frame ? frame->tasks : NULL;

	for (; tasks && *i < tasks->n; ++*i)
		if (frame_has_task_rows(frame, tasks->task[*i].core))
			return &tasks->task[(*i)++];
	return NULL;
}

int csv_named_tasks(const struct frame *frame, struct task_names *ret)
{
	const struct core_task *task;
	int rc = 0;

	for (size_t i = 0; !rc && (task = next_with_rows(frame, &i));)
		rc = task_names_say(ret, task);
	return rc;
}

void csv_note_tasks(const struct frame *frame, struct text *out)
{
	struct task_names named = { 0 };
	struct csv_rows rows = { .out = out, .named = &named };
	const struct core_task *task;

	for (size_t i = 0; (task = next_with_rows(frame, &i));)
		name_task(&rows, task);
	task_names_fini(&named);
}

static void put_number(struct text *out, int64_t number)
{
	if (number < 0)
		text_add(out, "-", 1);
	text_u64(out, (uint64_t)(number < 0 ? -number : number), 1);
}

/* The row of its core stands above. */
static void put_task_count(struct csv_rows *rows, size_t i, unsigned slot)
{
	const struct core_task *task = &rows->frame->tasks->task[i];
	const struct csv_piece *event = &rows->event[slot];
	size_t before = rows->before_pid[slot];
	struct count count;

	core_task_count(rows->frame, i, slot, &count);
	put_stamp(rows, task->core);
	text_again(rows->out, event->at, before);
	put_number(rows->out, task_number(task));
	text_again(rows->out, event->at + before, event->n - before);
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
	if (!task->ended_ns)
		return;
	text_printf(rows->out, "# exit ");
	text_seconds(rows->out, task->ended_ns);
	text_printf(rows->out, " task %" PRId64 "\n", task_number(task));
}

static void put_tasks(struct csv_rows *rows, unsigned core)
{
	const struct frame_tasks *tasks = rows->frame->tasks;

	while (tasks && rows->task < tasks->n && tasks->task[rows->task].core < core)
		rows->task++;
	for (; tasks && rows->task < tasks->n && tasks->task[rows->task].core == core; rows->task++)
		put_task(rows, rows->task);
}

void csv_rows_core(struct csv_rows *rows, unsigned core)
{
	unsigned type = rows->context->machine->core[core].type;

	if (type != rows->type) {
		memset(rows->event, 0, sizeof(rows->event));
		memset(rows->metric_name, 0, sizeof(rows->metric_name));
		rows->type = type;
	}
	rows->stamp.n = 0;
	for (unsigned slot = 0; slot < rows->frame->n_slots; slot++)
		put_count(rows, core, slot);
	for (size_t i = 0; i < rows->n_metrics; i++)
		put_metric(rows, core, rows->metric[i]);
	put_tasks(rows, core);
}
