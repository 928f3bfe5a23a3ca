#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/read/internal.h"
#include "symbols/symbols.h"

void reader_take_samples(struct reader *reader, struct note *note)
{
	struct read_hot *hot = &reader->hot;
	unsigned column = (unsigned)note_u64(note, "column", COLUMNS_MAX - 1);

	if (note->rc || !reader->frame)
		return;
	if (column >= reader->frame->n_slots) {
		note_fail(note, note_value(note, "column"), "the set has no column %u", column);
		return;
	}
	hot->of.column = column;
	hot->of.n_lost = note_u64_or(note, "lost", UINT64_MAX, 0);
	hot->of.n_throttled = note_u64_or(note, "throttled", UINT64_MAX, 0);
	hot->of.n_samples = 0;
	hot->of.n = 0;
	hot->is_noted = true;
}

/* Find the row of a task on a core that so many later ones follow. @return UINT32_MAX if the frame has none */
static uint32_t task_of(const struct reader *reader, unsigned core, int64_t number, uint64_t later)
{
	const struct read_tasks *tasks = &reader->task_rows;

	for (size_t i = tasks->n; i-- > 0 && tasks->task[i].core >= core;)
		if (tasks->task[i].core == core && task_number(&tasks->task[i]) == number &&
		    !later--)
			return (uint32_t)i;
	return UINT32_MAX;
}

void reader_take_hot(struct reader *reader, struct note *note)
{
	struct read_hot *hot = &reader->hot;
	const char *function = note_need(note, "function"), *object = note_need(note, "object");
	const char *pid = note_need(note, "pid");
	uint64_t cpu = note_u64(note, "cpu", READER_CPUS_MAX - 1);
	struct hot_spot spot = {
		.n = note_u64(note, "n", UINT32_MAX),
		.weight = note_double_or(note, "weight", 0),
		.weight2 = note_double_or(note, "weight2", 0),
	};
	int64_t number = 0;

	if (!note->rc && !reader_parse_task(pid, strlen(pid), &number))
		note_fail(note, note_value(note, "pid"), "expected the number of a task");
	if (!note->rc && reader->core_of_cpu[cpu] < 0)
		note_fail(note, note_value(note, "cpu"), "expected a CPU of the head");
	if (!note->rc &&
	    !(spot.weight > 0 && spot.weight < 1e18 && spot.weight2 > 0 && spot.weight2 < 1e36))
		note_fail(note, note_value(note, "weight"), "expected a weight and its square");
	if (note->rc || !reader->frame || !hot->is_noted)
		return;
	spot.core = (uint16_t)reader->core_of_cpu[cpu];
	spot.task = task_of(reader, spot.core, number, note_u64_or(note, "later", UINT32_MAX, 0));
	spot.place = place_of(object, function, 0, note_value(note, "kernel") != NULL);
	if (array_append((void **)&hot->of.spot, &hot->cap, &hot->of.n, &spot, sizeof(spot)))
		note_no_memory(note);
	hot->of.n_samples += spot.n;
}

void reader_forget_hot(struct reader *reader)
{
	reader->hot.of.n = 0;
	reader->hot.is_noted = false;
}

int reader_finish_hot(struct reader *reader, struct err *err)
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
