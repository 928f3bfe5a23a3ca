/* tasks.c: the counters of simulated tasks. Of those that the cores run what they do; a command, which runs
 * elsewhere, does what the first core of a type does, and moves from type to type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "backend/sim/group.h"

/* So long a command stays on a core. */
#define STAY_NS (100 * NS_PER_MS)

struct tasks {
	struct sim_backend *sim;
	unsigned type;
	uint64_t opened_ns, counted_ns, ran_ns;
	unsigned n_slots;
	uint8_t state[SLOTS_MAX];
	const struct event *event[SLOTS_MAX];
	uint64_t value[SLOTS_MAX];
	size_t n;
	struct task_target target[];
};

static void count(struct tasks *tasks, const struct sim_phase *phase, uint64_t from_ns,
		  uint64_t to_ns)
{
	tasks->ran_ns += to_ns - from_ns;
	for (unsigned slot = 0; slot < tasks->n_slots; slot++) {
		const struct event *event = tasks->event[slot];

		if (tasks->state[slot] == RAW_OK)
			tasks->value[slot] +=
				sim_phase_count(phase, sim_event_of(tasks->sim, event->config[0]),
						event->privilege, from_ns, to_ns);
	}
}

static bool is_of_command(const struct tasks *tasks, uint64_t t_ns)
{
	uint64_t stay = (t_ns - tasks->opened_ns) / STAY_NS;

	return sim_hash(tasks->sim->options.seed, stay, 0, 0) % tasks->sim->base.machine.n_types ==
	       tasks->type;
}

static bool is_counted(const struct tasks *tasks, const struct sim_phase *slice)
{
	for (size_t i = 0; i < tasks->n; i++) {
		const struct task_target *target = &tasks->target[i];

		if (slice->tid && (uint32_t)target->id ==
					  (target->kind == TARGET_THREAD ? slice->tid : slice->pid))
			return true;
	}
	return false;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void count_command(struct tasks *tasks, struct sim_load load, uint64_t from_ns,
			  uint64_t to_ns)
{
	load.schedule = NULL;
	while (from_ns < to_ns) {
		uint64_t stay = (from_ns - tasks->opened_ns) / STAY_NS;
		uint64_t end_ns = least(to_ns, tasks->opened_ns + (stay + 1) * STAY_NS);
		struct sim_phase phase;

		sim_load_phase(&load, from_ns, &phase);
		end_ns = least(end_ns, phase.to_ns);
		if (is_of_command(tasks, from_ns))
			count(tasks, &phase, from_ns, end_ns);
		from_ns = end_ns;
	}
}

static void count_slices(struct tasks *tasks, struct sim_load load, uint64_t from_ns,
			 uint64_t to_ns)
{
	load.is_sliced = true;
	while (from_ns < to_ns) {
		struct sim_phase slice;

		sim_load_phase(&load, from_ns, &slice);

		uint64_t end_ns = least(to_ns, slice.to_ns);

		if (is_counted(tasks, &slice))
			count(tasks, &slice, from_ns, end_ns);
		from_ns = end_ns;
	}
}

static void count_until(struct tasks *tasks, uint64_t to_ns)
{
	const struct machine *machine = &tasks->sim->base.machine;
	unsigned first = machine_first_core(machine, tasks->type);

	if (tasks->target[0].kind == TARGET_EXEC)
		count_command(tasks, sim_load_of(tasks->sim, first), tasks->counted_ns, to_ns);
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (tasks->target[0].kind != TARGET_EXEC && machine->core[i].type == tasks->type)
			count_slices(tasks, sim_load_of(tasks->sim, i), tasks->counted_ns, to_ns);
	tasks->counted_ns = to_ns;
}

static int check_targets(struct backend *backend, const struct task_target *target, size_t n,
			 struct err *err)
{
	char comm[TASK_COMM_SIZE];

	for (size_t i = 0; i < n; i++)
		if (target[i].kind != TARGET_EXEC &&
		    backend->ops->task_comm(backend, (uint32_t)target[i].id, comm))
			return err_set(err, ESRCH, "there is no process %d", (int)target[i].id);
	return 0;
}

int sim_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
		   unsigned type, const struct set *set, struct tasks **ret, struct err *err)
{
	const struct pmu *pmu = backend->machine.type[type].pmu;
	int rc = check_targets(backend, target, n, err);

	if (rc)
		return rc;

	struct tasks *tasks = calloc(1, sizeof(*tasks) + n * sizeof(*target));

	if (!tasks)
		return err_set(err, ENOMEM, "no memory for the counters of tasks");
	tasks->sim = (struct sim_backend *)backend;
	tasks->type = type;
	tasks->n = n;
	memcpy(tasks->target, target, n * sizeof(*target));
	tasks->opened_ns = tasks->counted_ns = sim_now(tasks->sim);
	tasks->n_slots = set->n_slots;
	memcpy(tasks->event, set->type[type].event, sizeof(tasks->event));
	for (unsigned slot = 0; slot < set->n_slots; slot++)
		if (tasks->event[slot])
			tasks->state[slot] =
				tasks->event[slot]->pmu == pmu ? RAW_OK : RAW_UNSUPPORTED;
	*ret = tasks;
	return 0;
}

int sim_tasks_read(struct tasks *tasks, struct sample *ret)
{
	uint64_t now_ns = sim_now(tasks->sim);

	count_until(tasks, now_ns);
	ret->t_ns = tasks->sim->origin_ns + now_ns;
	ret->n_slots = (uint8_t)tasks->n_slots;
	for (unsigned slot = 0; slot < tasks->n_slots; slot++) {
		ret->state[slot] = tasks->state[slot];
		ret->raw[slot] = (struct raw){ tasks->value[slot], tasks->ran_ns, tasks->ran_ns };
	}
	return 0;
}

void sim_tasks_close(struct tasks *tasks)
{
	free(tasks);
}
