/* tasks_check.c: a frame's tasks against its counts */
#include "rig/tasks_check.h"

/* Sum a column over the tasks of one core. */
static uint64_t tasks_sum(const struct frame *frame, unsigned core, unsigned column)
{
	const struct frame_tasks *tasks = frame->tasks;
	uint64_t sum = 0;

	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].core == core)
			sum += tasks->value[i * tasks->n_slots + column];
	return sum;
}

uint64_t tasks_of_kind(const struct frame *frame, enum task_kind kind, unsigned column)
{
	const struct frame_tasks *tasks = frame->tasks;
	uint64_t sum = 0;

	for (size_t i = 0; i < tasks->n; i++)
		if (tasks->task[i].kind == kind)
			sum += tasks->value[i * tasks->n_slots + column];
	return sum;
}

unsigned check_conservation(const struct frame *frame)
{
	unsigned n = 0;

	assert_non_null(frame->tasks);
	for (unsigned core = 0; core < frame->n_cores; core++) {
		for (unsigned i = 0; i < frame->n_slots; i++) {
			const struct count *count = &frame_counts(frame, core)[i];
			uint64_t sum = tasks_sum(frame, core, i);

			if (sum != (quality_has_value(count->quality) ? count->value : 0))
				fail_msg("frame %lu core %u column %u: %lu of %lu (%s)",
					 frame->number, core, i, sum, count->value,
					 quality_name(count->quality));
			n += quality_has_value(count->quality);
		}
	}
	return n;
}
