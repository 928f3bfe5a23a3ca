/* tasks.c: counters of simulated tasks, for backend_ops.tasks_open */
#include "pmu/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Counters of simulated tasks. A task in the cores' schedule counts what it does there. A command has no
 * core: it does the work of the first core of a type, and moves from type to type. */

/* Time that a command stays on cores of one type. */
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

static void backend_count(struct tasks *tasks, const struct sim_phase *phase, uint64_t from_ns,
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

/* Whether a command is on a core of this type while it stays on one, or a task runs in the slice. */
static bool backend_is_counted(const struct tasks *tasks, uint64_t stay,
			       const struct sim_phase *slice)
{
	const struct sim_backend *sim = tasks->sim;

	if (tasks->target[0].kind == TARGET_EXEC)
		return sim_hash(sim->options.seed, stay, 0, 0) % sim->base.machine.n_types ==
		       tasks->type;
	for (size_t i = 0; i < tasks->n; i++) {
		const struct task_target *target = &tasks->target[i];

		if (slice->tid && (uint32_t)target->id ==
					  (target->kind == TARGET_THREAD ? slice->tid : slice->pid))
			return true;
	}
	return false;
}

/* Count what the tasks do on a core, or a command on the first core of a type. */
static void count_core(struct tasks *tasks, unsigned core, uint64_t to_ns)
{
	bool is_command = tasks->target[0].kind == TARGET_EXEC;
	struct sim_load load = sim_load_of(tasks->sim, core);

	load.is_sliced = !is_command;
	if (is_command)
		load.schedule = NULL;
	for (uint64_t from_ns = tasks->counted_ns, end_ns; from_ns < to_ns; from_ns = end_ns) {
		uint64_t stay = (from_ns - tasks->opened_ns) / STAY_NS;
		struct sim_phase phase;

		sim_load_phase(&load, from_ns, &phase);
		end_ns = to_ns < phase.to_ns ? to_ns : phase.to_ns;
		if (is_command && end_ns > tasks->opened_ns + (stay + 1) * STAY_NS)
			end_ns = tasks->opened_ns + (stay + 1) * STAY_NS;
		if (backend_is_counted(tasks, stay, &phase))
			backend_count(tasks, &phase, from_ns, end_ns);
	}
}

static void tasks_count_until(struct tasks *tasks, uint64_t to_ns)
{
	const struct machine *machine = &tasks->sim->base.machine;
	bool is_command = tasks->target[0].kind == TARGET_EXEC;

	if (is_command)
		count_core(tasks, machine_first_core(machine, tasks->type), to_ns);
	for (unsigned i = 0; !is_command && i < machine->n_cores; i++)
		if (machine->core[i].type == tasks->type)
			count_core(tasks, i, to_ns);
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

	tasks_count_until(tasks, now_ns);
	ret->t_ns = tasks->sim->origin_ns + now_ns;
	ret->n_slots = (uint8_t)tasks->n_slots;
	for (unsigned slot = 0; slot < tasks->n_slots; slot++) {
		ret->state[slot] = tasks->state[slot];
		ret->raw[slot] =
			(struct raw){ tasks->value[slot], tasks->ran_ns, tasks->ran_ns, 0 };
	}
	return 0;
}

void sim_tasks_close(struct tasks *tasks)
{
	free(tasks);
}
