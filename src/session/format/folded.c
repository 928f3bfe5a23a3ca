/* folded.c: samples as folded stacks, which flame graphs are made of: "task;outermost;…;function COUNT" */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/format.h"
#include "symbols/symbols.h"

static int by_stack(const void *a, const void *b)
{
	const struct folded_stack *left = a, *right = b;
	int order = strcmp(left->comm, right->comm);

	if (!order)
		order = task_order((uintptr_t)left->chain, (uintptr_t)right->chain);
	return order ? order : task_order((uintptr_t)left->place, (uintptr_t)right->place);
}

static void merge(struct folded *folded)
{
	size_t kept = 0;

	if (folded->n)
		qsort(folded->stack, folded->n, sizeof(*folded->stack), by_stack);
	for (size_t i = 0; i < folded->n; i++)
		if (kept && by_stack(&folded->stack[kept - 1], &folded->stack[i]) == 0)
			folded->stack[kept - 1].weight += folded->stack[i].weight;
		else
			folded->stack[kept++] = folded->stack[i];
	folded->n = folded->n_merged = kept;
}

/* Add the exact counts. @return 0 or -ENOMEM */
static int add_counts(struct folded *folded, const struct frame *frame,
		      const struct machine *machine)
{
	const struct hot_select select = { .of_root = folded->of_root };

	for (unsigned type = 0; frame->hot && type < machine->n_types; type++) {
		struct hot_rows *rows = hot_rows_new(frame, machine, type, &select);

		if (!rows)
			return -ENOMEM;
		folded->count += count_total(&rows->count).value;
		folded->lost += count_total(&rows->lost).value;
		free(rows);
	}
	return 0;
}

int folded_add(struct folded *folded, const struct frame *frame, const struct machine *machine)
{
	const struct frame_tasks *tasks = frame->tasks;

	if (add_counts(folded, frame, machine))
		return -ENOMEM;

	for (size_t i = 0; frame->hot && i < frame->hot->n; i++) {
		const struct hot_spot *spot = &frame->hot->spot[i];
		const struct core_task *task =
			tasks && spot->task < tasks->n ? &tasks->task[spot->task] : NULL;
		struct folded_stack stack = { .place = spot->place,
					      .chain = spot->chain,
					      .weight = spot->weight };

		if (folded->of_root && !(task && task->is_of_root))
			continue;
		snprintf(stack.comm, sizeof(stack.comm), "%s",
			 task ? task->comm : task_kind_name[TASK_UNATTRIBUTED]);
		(void)place_function_of(spot->place, spot->n);
		for (unsigned k = 0; spot->chain && k < spot->chain->n; k++)
			(void)place_function_of(spot->chain->caller[k], spot->n);
		if (array_append((void **)&folded->stack, &folded->cap, &folded->n, &stack,
				 sizeof(stack)))
			return -ENOMEM;
	}
	if (folded->n > folded->n_merged * 2 + 4096)
		merge(folded);
	return 0;
}

void folded_clear(struct folded *folded)
{
	free(folded->stack);
	*folded = (struct folded){ .of_root = folded->of_root };
}

/* A separator in a name is replaced. */
static void put_name(const char *name, struct text *out)
{
	for (; *name; name++)
		text_add(out, *name == ';' || *name == '\n' ? ":" : name, 1);
}

static void put_place(const struct place *place, struct text *out)
{
	const struct function *function = place_function(place);

	text_add(out, ";", 1);
	if (!function->is_named) {
		put_name(function->object->name, out);
		text_add(out, "+", 1);
	}
	put_name(function->name, out);
	text_string(out, function->is_kernel ? "_[k]" : "");
}

struct folded_line {
	size_t at; /* of its text in the buffer, which ends with a NUL */
	const char *text;
	double weight;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct folded_line *)a)->text, ((const struct folded_line *)b)->text);
}

/* Write stacks of equal names as one line. Lines are differences of the rounded running sum, so that they add up to the
 * count exactly. */
static void put_lines(struct folded_line *line, size_t n, const struct text *names, double count,
		      struct text *out)
{
	double weight = 0, sum = 0, before = 0;

	for (size_t i = 0; i < n; i++)
		line[i].text = names->bytes + line[i].at;
	if (n)
		qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++)
		weight += line[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += line[i].weight;
		if (i + 1 < n && by_text(&line[i], &line[i + 1]) == 0)
			continue;

		double until = i + 1 == n ? count : round(sum / weight * count);

		text_printf(out, "%s %.0f\n", line[i].text, until - before);
		before = until;
	}
}

static void folded_summary(struct format_context *context, const struct frame *sum,
			   struct text *out)
{
	const struct folded *folded = context->folded;
	struct folded_line *line = calloc(folded->n + 1, sizeof(*line));
	struct text names = { 0 };

	(void)sum;
	for (size_t i = 0; line && i < folded->n; i++) {
		const struct folded_stack *stack = &folded->stack[i];
		unsigned n_callers = stack->chain ? stack->chain->n : 0;

		line[i] = (struct folded_line){ .at = names.n, .weight = stack->weight };
		put_name(stack->comm, &names);
		for (unsigned k = n_callers; k-- > 0;)
			put_place(stack->chain->caller[k], &names);
		put_place(stack->place, &names);
		text_add(&names, "", 1);
	}
	if (line && !names.failed)
		put_lines(line, folded->n, &names, folded->count, out);
	else
		out->failed = true;
	if (folded->lost > 0)
		text_printf(out, "%s %.0f\n", task_kind_name[TASK_UNATTRIBUTED], folded->lost);
	text_fini(&names);
	free(line);
}

const struct format format_folded = { .name = "folded", .summary = folded_summary };
