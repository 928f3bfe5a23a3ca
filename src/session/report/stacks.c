/* stacks.c: what the largest commands had of an event over time, one upon the other */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "session/report/packed.h"
#include "session/report/report.h"

/* One event of a core type. */
struct stack {
	size_t figure; /* of the session's sums */
	const struct task_sum *top[REPORT_TASKS];
	size_t n;     /* of them; those of all others together stand upon them */
	double *rate; /* [which × cells + cell] */
	double high;  /* of all together */
};

struct stacks {
	const struct task_sums *sums;
	struct stack *stack;
	size_t n, n_cells;
};

static const double *rates_of(const struct stacks *stacks, const struct stack *stack, size_t which)
{
	return stack->rate + which * stacks->n_cells;
}

/* @return 0 or -ENOMEM */
static int begin(struct stacks *stacks, size_t n_max)
{
	stacks->stack = calloc(n_max + 1, sizeof(*stacks->stack));
	if (!stacks->stack)
		return -ENOMEM;
	for (size_t i = 0; i < stacks->sums->n_figures && stacks->n < n_max; i++) {
		struct stack *stack = &stacks->stack[stacks->n];

		stack->figure = i;
		stack->n = task_sums_top(stacks->sums, i, REPORT_TASKS, stack->top);
		if (!stack->n)
			continue;
		stack->rate = calloc((stack->n + 1) * stacks->n_cells, sizeof(*stack->rate));
		if (!stack->rate)
			return -ENOMEM;
		stacks->n++;
	}
	return 0;
}

/* @return SIZE_MAX: it was not counted then */
static size_t figure_then(const struct task_sums *then, const struct task_figure *figure)
{
	for (size_t i = 0; i < then->n_figures; i++)
		if (then->figure[i].type == figure->type &&
		    event_is_same(then->figure[i].event, figure->event))
			return i;
	return SIZE_MAX;
}

static double all_rates(const struct task_sums *then, size_t figure)
{
	double sum = 0;

	for (size_t i = 0; i < then->n; i++)
		sum += task_sums_rate(then, &then->sum[i], figure);
	return sum;
}

static void fill_stack(const struct stacks *stacks, struct stack *stack,
		       const struct task_sums *then, size_t cell)
{
	size_t figure = figure_then(then, &stacks->sums->figure[stack->figure]);
	double rest = figure < SIZE_MAX ? all_rates(then, figure) : NAN;

	stack->high = fmax(stack->high, rest);
	for (size_t i = 0; i < stack->n; i++) {
		const struct task_sum *sum = task_sums_find(then, stack->top[i]);
		double rate = isnan(rest) ? NAN : sum ? task_sums_rate(then, sum, figure) : 0;

		stack->rate[i * stacks->n_cells + cell] = rate;
		rest -= rate;
	}
	stack->rate[stack->n * stacks->n_cells + cell] = isnan(rest) ? NAN : fmax(rest, 0);
}

/* @return 0 or -ENOMEM */
static int fill_cell(const struct stacks *stacks, const struct history *history, size_t cell)
{
	struct task_sums then = { .tasks.by = BY_COMMAND, .machine = stacks->sums->machine };
	const struct frame *frame = history_frame(history, cell);
	int rc = !frame ? -ENOMEM : frame->tasks ? task_sums_add(&then, frame) : 0;

	for (size_t i = 0; !rc && i < stacks->n; i++)
		fill_stack(stacks, &stacks->stack[i], &then, cell);
	task_sums_fini(&then);
	frame_unref(frame);
	return rc;
}

static void write_stack(const struct stacks *stacks, const struct stack *stack, struct text *out)
{
	const struct task_figure *figure = &stacks->sums->figure[stack->figure];

	text_printf(out, "\n{\"type\":");
	text_json(out, stacks->sums->machine->type[figure->type].name);
	text_printf(out, ",\"name\":");
	text_json(out, figure->event->name);
	text_printf(out, ",\"unit\":");
	text_json(out, figure->event->unit);
	text_printf(out, ",\"high\":%.9g,\"names\":[", stack->high);
	for (size_t i = 0; i < stack->n; i++) {
		text_json(out, stack->top[i]->task.comm);
		text_add(out, ",", 1);
	}
	text_printf(out, "\"all others\"],\"values\":[");
	for (size_t i = 0; i <= stack->n; i++) {
		text_printf(out, "%s", i ? "," : "");
		packed_numbers(rates_of(stacks, stack, i), stacks->n_cells, 0, stack->high, out);
	}
	text_printf(out, "]}");
}

void report_stacks(const struct summary *summary, const struct history *history, size_t max_bytes,
		   struct text *out)
{
	struct stacks stacks = { .sums = &summary->commands, .n_cells = history_n(history) };
	size_t bytes = (REPORT_TASKS + 1) * (stacks.n_cells + 1) * PACKED_BYTES;
	int rc = begin(&stacks, max_bytes / bytes);

	for (size_t i = 0; !rc && stacks.n && i < stacks.n_cells; i++)
		rc = fill_cell(&stacks, history, i);
	text_printf(out, ",\"stacks\":[");
	for (size_t i = 0; !rc && i < stacks.n; i++) {
		text_printf(out, "%s", i ? "," : "");
		write_stack(&stacks, &stacks.stack[i], out);
	}
	text_printf(out, "]");
	out->failed |= rc != 0;
	for (size_t i = 0; i < stacks.n; i++)
		free(stacks.stack[i].rate);
	free(stacks.stack);
}
