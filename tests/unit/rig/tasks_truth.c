/* tasks_truth.c: a frame's tasks against the schedule of the simulation */
#include "rig/tasks_truth.h"

#include "base/array.h"
#include "base/cleanup.h"

/* One life of a thread id in one cgroup, on one core in one window. */
struct task_truth {
	uint32_t tid, life;
	const struct cgroup *cgroup; /* NULL: none */
	uint64_t time_ns;
	uint64_t value[COLUMNS_MAX];
};

struct core_truth {
	size_t n, cap;
	struct task_truth *task; /* by tid, then life */
};

/* Cgroups of a simulation, in the order of their ids. */
struct cgroup_list {
	const struct cgroup *cgroup[64];
	unsigned n;
};

static void take_cgroup(void *data, const struct task_note *note)
{
	struct cgroup_list *list = data;

	assert_int_equal(note->cgroup, SIM_CGROUP + list->n);
	assert_true(list->n < ARRAY_SIZE(list->cgroup));
	list->cgroup[list->n++] = cgroup_get(note->path);
}

static const struct cgroup *cgroup_of(const struct sim_backend *sim, uint32_t id)
{
	struct cgroup_list list = { .n = 0 };

	if (!id)
		return NULL;
	sim_schedule_cgroups(&sim->schedule,
			     &(struct switch_sink){ .data = &list, .take_note = take_cgroup });
	assert_true(id - SIM_CGROUP < list.n);
	return list.cgroup[id - SIM_CGROUP];
}

static int cgroup_order(const struct cgroup *a, const struct cgroup *b)
{
	return a && b ? cgroup_compare(a, b) : 0;
}

static int truth_order(const void *a, const void *b)
{
	const struct task_truth *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	if (left->life != right->life)
		return left->life < right->life ? -1 : 1;
	return cgroup_order(left->cgroup, right->cgroup);
}

/* Find the task of a slice; add it if it is new. */
static struct task_truth *truth_of(struct core_truth *truth, const struct sim_backend *sim,
				   const struct sim_phase *slice)
{
	const struct task_truth none = { .tid = slice->tid,
					 .life = slice->life,
					 .cgroup = cgroup_of(sim, slice->cgroup) };

	for (size_t i = truth->n; i-- > 0;)
		if (truth->task[i].tid == slice->tid && truth->task[i].life == slice->life &&
		    truth->task[i].cgroup == none.cgroup)
			return &truth->task[i];
	assert_int_equal(
		array_append((void **)&truth->task, &truth->cap, &truth->n, &none, sizeof(none)),
		0);
	return &truth->task[truth->n - 1];
}

/*
 * Add what each task did on a core while a mux group counted, by the schedule.
 *
 * @from_ns, @to_ns  simulated time
 */
static void add_truth(const struct backend *backend, unsigned core, const struct set *set,
		      unsigned mux, uint64_t from_ns, uint64_t to_ns, struct core_truth *ret)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	const struct placement *place = &set->type[backend->machine.core[core].type];
	struct sim_load load = sim_load_of(sim, core);

	load.is_sliced = true;
	while (from_ns < to_ns) {
		struct sim_phase slice;

		sim_load_phase(&load, from_ns, &slice);

		uint64_t end_ns = slice.to_ns < to_ns ? slice.to_ns : to_ns;
		struct task_truth *task = truth_of(ret, sim, &slice);

		for (unsigned i = 0; i < set->n_slots; i++) {
			const struct event *event = place->event[i];

			if (event && event->pmu->kind == PMU_CORE && set_mux_of(set, i) == mux)
				task->value[i] +=
					sim_phase_count(&slice, sim_event_of(sim, event->config[0]),
							event->privilege, from_ns, end_ns);
		}
		task->time_ns += end_ns - from_ns;
		from_ns = end_ns;
	}
}

/* Find what each task did on a core in a window, mux group by mux group. */
static void find_truth(const struct sampler *sampler, unsigned core, const struct set *set,
		       uint64_t from_ns, uint64_t to_ns, struct core_truth *ret)
{
	const struct plan *plan = plan_newest(sampler);

	if (set_n_mux(set) == 1)
		add_truth(sampler->backend, core, set, 0, from_ns, to_ns, ret);
	for (uint64_t tick = 0; set_n_mux(set) > 1 && plan_deadline_ns(plan, tick) < to_ns;
	     tick++) {
		uint64_t begin = plan_deadline_ns(plan, tick),
			 end = plan_deadline_ns(plan, tick + 1);

		add_truth(sampler->backend, core, set, mux_of_tick(plan->t0_ns, tick, plan->n_mux),
			  begin > from_ns ? begin : from_ns, end < to_ns ? end : to_ns, ret);
	}
	if (ret->n)
		qsort(ret->task, ret->n, sizeof(*ret->task), truth_order);
}

/* Compare two rows by tid, then by the time at which they were first seen. */
static int row_order(const void *a, const void *b)
{
	const struct core_task *left = *(const struct core_task *const *)a;
	const struct core_task *right = *(const struct core_task *const *)b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	if (left->first_ns != right->first_ns)
		return left->first_ns < right->first_ns ? -1 : 1;
	return cgroup_order(left->cgroup, right->cgroup);
}

size_t check_truth(const struct sampler *sampler, const struct frame *frame)
{
	uint64_t start_ns = sampler->start_ns;
	const struct frame_tasks *tasks = frame->tasks;
	size_t at = 0, n_checked = 0;

	for (unsigned core = 0; core < frame->n_cores; core++) {
		const struct frame_core *fc = &frame->core[core];
		struct core_truth truth = { 0 };
		const struct core_task **row =
			calloc(tasks->n + 1, sizeof(const struct core_task *));
		size_t n = 0;

		for (; at < tasks->n && tasks->task[at].core == core; at++)
			row[n++] = &tasks->task[at];
		if (fc->state == CORE_ON)
			find_truth(sampler, core, frame->set, start_ns + fc->t_ns - fc->window_ns,
				   start_ns + fc->t_ns, &truth);
		qsort(row, n, sizeof(const struct core_task *), row_order);
		assert_int_equal(n, truth.n);
		for (size_t i = 0; truth.task && i < n; i++) {
			size_t number = (size_t)(row[i] - tasks->task);

			assert_int_equal(row[i]->tid, truth.task[i].tid);
			assert_ptr_equal(row[i]->cgroup, truth.task[i].cgroup);
			assert_int_equal(core_task_time_ns(tasks, number), truth.task[i].time_ns);
			for (unsigned c = 0; c < frame->n_slots; c++)
				if (frame_counts(frame, core)[c].quality == QUALITY_OK ||
				    set_n_mux(frame->set) > 1)
					assert_int_equal(tasks->value[number * tasks->n_slots + c],
							 truth.task[i].value[c]);
			n_checked++;
		}
		free(row);
		free(truth.task);
	}
	assert_int_equal(at, tasks->n);
	return n_checked;
}
