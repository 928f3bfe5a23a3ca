#include "session/format/row_name.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "session/format.h"
#include "session/format/note.h"

const char *row_kind(const struct format_context *context)
{
	return context->tasks ? task_by_name[context->tasks->sums.tasks.by]
			      : frame_by_name(context->by);
}

unsigned row_n(const struct format_context *context, const struct frame *frame, enum frame_by by)
{
	return context->tasks && by == context->by ? (unsigned)context->tasks->n
						   : frame_n_rows(context->machine, frame->set, by);
}

/* Get a line as a row. @i  0 … n-1 @ret  valid until the table changes */
static void task_table_row(const struct task_table *table, size_t i, struct frame_row *ret)
{
	const struct task_table_line *line = &table->line[i];

	*ret = (struct frame_row){
		.by = BY_SYSTEM,
		.index = line->type,
		.type = line->type,
		.task = line->task,
		.n_cores = 1,
		.n_on = 1,
		.state = CORE_ON,
		.t_ns = table->t_ns,
		.window_ns = table->sums.watched_ns[line->type],
		.count = line->count,
		.bound = &table->of->bound,
		.metric = line->metric,
	};
}

void row_get(const struct format_context *context, const struct frame *frame, enum frame_by by,
	     unsigned i, struct frame_row *ret)
{
	if (context->tasks && by == context->by)
		task_table_row(context->tasks, i, ret);
	else
		frame_row(frame, context->machine, context->metrics, by, i, ret);
}

struct reading row_rate(const struct format_context *context, const struct frame_row *row,
			const struct count *count)
{
	struct reading ret = count_total(count);
	uint64_t window_ns = row->window_ns;

	if (!context->tasks && !context->head.request.tasks)
		return count_rate(count);
	if (row->task)
		window_ns = task_sums_window_ns(&context->tasks->sums, row->type, count);
	if (!window_ns)
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	ret.value *= 1e9 / (double)window_ns;
	return ret;
}

const char *row_task_name(const struct format_context *context, const struct core_task *task,
			  const char *sep, char *buf, size_t size)
{
	enum task_by by = context->tasks->sums.tasks.by;

	if (task->kind != TASK_THREAD || by == BY_COMMAND || by == BY_CGROUP)
		snprintf(buf, size, "%s", core_task_name(task, by));
	else
		snprintf(buf, size, "%s-%u", task->comm, by == BY_THREAD ? task->tid : task->pid);
	for (char *at = buf; *sep && (at = strpbrk(at, sep)); at++)
		*at = '_';
	return buf;
}

const char *const gap_name[] = {
	[GAP_NONE] = "",
	[GAP_MISSED] = "missed",
	[GAP_SUSPENDED] = "suspended",
};

void gap_line(struct format_context *context, uint64_t t_ns, uint64_t n_frames, const char *why,
	      struct text *out)
{
	(void)context;
	note_put(out, "gap", NULL, t_ns, &(struct note_gap){ n_frames, why });
}

void text_seconds(struct text *out, uint64_t ns)
{
	text_u64(out, ns / NS_PER_S, 1);
	text_add(out, ".", 1);
	text_u64(out, ns % NS_PER_S, 9);
}
