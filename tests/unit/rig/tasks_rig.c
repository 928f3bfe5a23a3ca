/* tasks_rig.c: frames of the simulation whose counts are divided among tasks made by hand */
#include "rig/tasks_rig.h"

/* Divide a number into n parts: each takes a share of what is left, the last one the rest. */
static void divide(uint64_t whole, unsigned n, uint64_t seed, size_t stride, uint64_t *ret)
{
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		ret[i * stride] = i + 1 < n ? whole / 4 * (seed >> 62) : whole;
		whole -= ret[i * stride];
	}
}

/* Make task i of n on a core: processes of three threads, two commands, cgroups below others; the last ones are no threads. */
static struct core_task hand_made(unsigned core, unsigned i, unsigned n)
{
	static const char *const path[] = { "/", "/a", "/a/b/c", "/b", "/a/d" };
	unsigned left = n - 1 - i;
	struct core_task task = { .core = (uint16_t)core };

	if (left + 1 < N_TASK_KINDS) {
		task = task_of_kind(TASK_IDLE + left);
		task.core = (uint16_t)core;
		return task;
	}
	task.pid = 100 + i / 3 * 3;
	task.tid = 100 + i;
	task.first_ns = 1000 + i;
	snprintf(task.comm, sizeof(task.comm), "c%u", i / 3 % 2);
	task.cgroup = cgroup_get(path[i % ARRAY_SIZE(path)]);
	return task;
}

void give_tasks(const struct frame *frame, unsigned n, unsigned seed)
{
	unsigned n_mux = set_n_mux(frame->set), n_slots = frame->n_slots;
	struct frame_tasks *tasks = frame_tasks_new((size_t)frame->n_cores * n, n_slots, n_mux);

	assert_non_null(tasks);
	for (unsigned core = 0; core < frame->n_cores; core++) {
		size_t first = (size_t)core * n;

		for (unsigned i = 0; i < n; i++)
			tasks->task[first + i] = hand_made(core, i, n);
		for (unsigned column = 0; column < n_slots; column++)
			divide(frame_counts(frame, core)[column].value, n, seed + column, n_slots,
			       &tasks->value[first * n_slots + column]);
		for (unsigned mux = 0; mux < n_mux; mux++)
			divide(frame->core[core].window_ns / n_mux, n, seed + core, n_mux,
			       &tasks->time_ns[first * n_mux + mux]);
	}
	frame_tasks_unref(frame->tasks);
	((struct frame *)frame)->tasks = tasks;
}
