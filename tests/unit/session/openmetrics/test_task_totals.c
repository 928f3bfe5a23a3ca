/* Commands and cgroups by name: bounded, growing as long as they are there, and together what the cores counted. */
#include "rig/tasks_rig.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/openmetrics.h"

#define INTERVAL_NS (100 * NS_PER_MS)

enum { TASKS_A_CORE = 30, NAMED = 4, FRAMES = 400, NAMES_MAX = NAMED + N_TASK_KINDS };

/* What was told of a name in the frame before. */
struct told {
	char comm[TASK_COMM_SIZE];
	uint64_t value, time_ns;
};

struct names {
	struct told told[NAMES_MAX];
	size_t n;
};

/* Commands come and go: which are large changes every 40 frames. */
static const struct frame *next_frame(const struct rig *rig)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(rig->sampler), 0);
	frame = queue_pop(rig->queue, NULL);
	assert_non_null(frame);
	give_tasks(frame, TASKS_A_CORE, (unsigned)frame->number);
	for (size_t i = 0; i < frame->tasks->n; i++) {
		struct core_task *task = &frame->tasks->task[i];

		unsigned which = task->tid / 4 + (unsigned)frame->number / 40 * 3;
		char path[32];

		if (task->kind != TASK_THREAD)
			continue;
		snprintf(task->comm, sizeof(task->comm), "c%u", which);
		snprintf(path, sizeof(path), "/a/%u", which);
		task->cgroup = cgroup_get(path);
	}
	return frame;
}

/* All of a type's cores and of all names. */
static void check_sums(const struct totals *totals, const struct task_totals *of, unsigned n_types)
{
	const struct machine *machine = totals->machine;
	const struct task_total *total;

	for (unsigned type = 0; type < n_types; type++)
		for (unsigned column = 0; column < totals->last->n_slots; column++) {
			uint64_t cores = 0, commands = 0;

			for (unsigned core = 0; core < machine->n_cores; core++)
				if (machine->core[core].type == type)
					cores +=
						frame_counts(totals->sum.frame, core)[column].value;
			for (size_t i = 0; (total = task_totals_named(of, i)); i++)
				commands += total->sum.count[type * totals->last->n_slots + column]
						    .value;
			assert_true(commands <= cores);
			if (totals->n_frames < 40) /* none has gone, with what it had */
				assert_true(commands == cores);
		}
}

/* @return how many names were not there before */
static unsigned check_names(const struct totals *totals, struct names *names)
{
	struct names now = { .n = 0 };
	const struct task_total *total;
	unsigned n_new = 0;

	for (; (total = task_totals_named(&totals->tasks, now.n)); now.n++) {
		struct told *told = &now.told[now.n];
		const struct told *was = NULL;

		assert_true(now.n < NAMES_MAX - 1);
		memcpy(told->comm, total->sum.task.comm, sizeof(told->comm));
		told->value = total->sum.count[0].value;
		told->time_ns = total->time_ns[0];
		for (size_t i = 0; i < names->n; i++)
			if (strcmp(names->told[i].comm, told->comm) == 0)
				was = &names->told[i];
		n_new += !was;
		assert_true(!was || (was->value <= told->value && was->time_ns <= told->time_ns));
	}
	*names = now;
	return n_new;
}

static void names_are_few_and_only_grow(void **state)
{
	struct names names = { .n = 0 };
	struct totals totals;
	struct rig rig;
	unsigned n_new = 0;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", INTERVAL_NS);
	totals_init(&totals, &rig.backend->machine, NAMED, NAMED);
	for (unsigned i = 0; i < FRAMES; i++) {
		const struct frame *frame = next_frame(&rig);

		assert_int_equal(totals_add(&totals, frame, 0), 0);
		frame_unref(frame);
		check_sums(&totals, &totals.tasks, rig.backend->machine.n_types);
		check_sums(&totals, &totals.cgroups, rig.backend->machine.n_types);
		n_new += check_names(&totals, &names);
		assert_int_equal(names.n, NAMED + N_TASK_KINDS - 1);
	}
	assert_int_equal(task_totals_named(&totals.cgroups, 0)->sum.task.cgroup->depth, 2);
	assert_null(task_totals_named(&totals.cgroups, NAMED + N_TASK_KINDS - 1));
	assert_in_range(n_new, NAMES_MAX, FRAMES); /* some have changed, and not all the time */
	totals_fini(&totals);
	rig_down(&rig);
}

/* Memory is that of commands which were heard of in the last minutes. */
static void those_that_are_gone_are_forgotten(void **state)
{
	struct totals totals;
	struct rig rig;
	size_t n;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3,cores=2", INTERVAL_NS);
	totals_init(&totals, &rig.backend->machine, NAMED, 0);
	for (unsigned i = 0; i < 3; i++) {
		const struct frame *frame = next_frame(&rig);

		for (size_t k = 0; i && k < frame->tasks->n; k++)
			if (frame->tasks->task[k].kind == TASK_THREAD)
				snprintf(frame->tasks->task[k].comm, TASK_COMM_SIZE, "last");
		((struct frame *)frame)->t_ns += i > 1 ? 301 * NS_PER_S : 0;
		assert_int_equal(totals_add(&totals, frame, 0), 0);
		frame_unref(frame);
		n = totals.tasks.n;
		assert_true(i < 2 ? n > NAMED : n == 1);
	}
	assert_string_equal(task_totals_named(&totals.tasks, 0)->sum.task.comm, "last");
	assert_string_equal(task_totals_named(&totals.tasks, 1)->sum.task.comm, "[idle]");
	assert_string_equal(task_totals_named(&totals.tasks, 3)->sum.task.comm, "[others]");
	assert_null(task_totals_named(&totals.tasks, 4));
	totals_fini(&totals);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_few_and_only_grow),
		cmocka_unit_test(those_that_are_gone_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
