#include "session/format/hot_notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "session/format/row_name.h"
#include "session/format/task_names.h"
#include "symbols/symbols.h"

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

static void put_hot(const struct hot_spot *note, const struct frame *frame,
		    const struct machine *machine, struct text *out)
{
	const struct core_task *task = &frame->tasks->task[note->task];
	unsigned later = later_rows(frame->tasks, note->task);

	text_printf(out, "# hot ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " cpu=%u pid=%" PRId64, machine->core[note->core].cpu, task_number(task));
	if (later)
		text_printf(out, " later=%u", later);
	text_printf(out, " n=%" PRIu64 " weight=%.9g weight2=%.9g function=", note->n, note->weight,
		    note->weight2);
	csv_value(out, note->function->name);
	text_printf(out, " object=");
	csv_value(out, note->function->object->name);
	text_printf(out, note->function->is_kernel ? " kernel=1\n" : "\n");
}

void hot_notes(const struct frame *frame, const struct machine *machine, struct text *out)
{
	const struct frame_hot *hot = frame->hot;
	static const enum hot_key by[] = { HOT_BY_CORE, HOT_BY_TASK, HOT_BY_FUNCTION, HOT_END };
	struct hot_spot *note = hot->n && frame->tasks ? calloc(hot->n, sizeof(*note)) : NULL;
	size_t n = 0;

	text_printf(out, "# samples ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " column=%u lost=%" PRIu64 " throttled=%" PRIu64 "\n", hot->column,
		    hot->n_lost, hot->n_throttled);
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
	free(note);
}
