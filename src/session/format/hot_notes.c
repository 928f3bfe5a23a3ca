#include "session/format/hot_notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "session/format.h"
#include "session/format/row_name.h"
#include "session/format/task_names.h"
#include "symbols/symbols.h"

/* Samples of one core and task in one function. */
struct hot_note {
	struct hot_spot sum; /* place: any of the function */
	const struct function *function;
};

static int by_core_and_task(const struct hot_note *one, const struct hot_note *other)
{
	int order = task_order(one->sum.core, other->sum.core);

	return order ? order : task_order(one->sum.task, other->sum.task);
}

static int by_function(const void *a, const void *b)
{
	const struct hot_note *one = a, *other = b;
	int order = by_core_and_task(one, other);

	return order ? order : task_order((uintptr_t)one->function, (uintptr_t)other->function);
}

static int by_samples(const void *a, const void *b)
{
	const struct hot_note *one = a, *other = b;
	int order = by_core_and_task(one, other);

	if (!order)
		order = task_order(other->sum.n, one->sum.n);
	if (!order)
		order = strcmp(one->function->object->name, other->function->object->name);
	return order ? order : strcmp(one->function->name, other->function->name);
}

/* Sum spots of one core, task and function. @note  by_function  @return number of sums */
static size_t sum_spots(struct hot_note *note, size_t n)
{
	size_t last = 0;

	for (size_t i = 1; i < n; i++) {
		if (by_function(&note[last], &note[i]) != 0) {
			note[++last] = note[i];
			continue;
		}
		note[last].sum.n += note[i].sum.n;
		note[last].sum.weight += note[i].sum.weight;
		note[last].sum.weight2 += note[i].sum.weight2;
	}
	return n ? last + 1 : 0;
}

static void put_hot(const struct hot_note *note, const struct frame *frame,
		    const struct machine *machine, struct text *out)
{
	const struct core_task *task = &frame->tasks->task[note->sum.task];

	text_printf(out, "# hot ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " cpu=%u pid=%" PRId64 " n=%" PRIu32 " weight=%.9g weight2=%.9g function=",
		    machine->core[note->sum.core].cpu, task_number(task), note->sum.n,
		    note->sum.weight, note->sum.weight2);
	csv_value(out, note->function->name);
	text_printf(out, " object=");
	csv_value(out, note->function->object->name);
	text_printf(out, note->function->is_kernel ? " kernel=1\n" : "\n");
}

void hot_notes(const struct frame *frame, const struct machine *machine, struct text *out)
{
	const struct frame_hot *hot = frame->hot;
	struct hot_note *note = hot->n && frame->tasks ? calloc(hot->n, sizeof(*note)) : NULL;
	size_t n = 0;

	text_printf(out, "# samples ");
	text_seconds(out, frame->t_ns);
	text_printf(out, " column=%u lost=%" PRIu64 " throttled=%" PRIu64 "\n", hot->column,
		    hot->n_lost, hot->n_throttled);
	if (!note) {
		out->failed |= hot->n && frame->tasks;
		return;
	}
	for (size_t i = 0; i < hot->n; i++) {
		if (hot->spot[i].task < frame->tasks->n)
			note[n++] = (struct hot_note){ hot->spot[i],
						       place_function(hot->spot[i].place) };
	}
	qsort(note, n, sizeof(*note), by_function);
	n = sum_spots(note, n);
	qsort(note, n, sizeof(*note), by_samples);
	for (size_t i = 0; i < n; i++)
		put_hot(&note[i], frame, machine, out);
	free(note);
}
