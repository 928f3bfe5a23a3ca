#include "backend/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "backend/sim/sim.h"
#include "backend/sim/group.h"
#include "backend/sim/hidden.h"
#include "backend/sim/machine.h"
#include "backend/sim/recorder.h"
#include "backend/sim/run.h"

static struct sim_backend *sim_of(struct backend *backend)
{
	return (struct sim_backend *)backend;
}

static const struct sim_backend *const_sim_of(const struct backend *backend)
{
	return (const struct sim_backend *)backend;
}

uint64_t sim_now(const struct sim_backend *sim)
{
	if (!sim->base.virtual_clock)
		return clock_now_ns() - sim->origin_ns;
	/* acquire: whoever sees the new time sees the faults injected before it */
	return atomic_load_explicit(&sim->now_ns, memory_order_acquire);
}

struct sim_load sim_load_of(const struct sim_backend *sim, unsigned core)
{
	unsigned cpu = sim->base.machine.core[core].cpu;

	return (struct sim_load){
		.seed = sim->options.seed,
		.cpu = cpu,
		.type = cpu < sim->options.cores / 2 ? SIM_E : SIM_P,
		.schedule = sim->options.tasks ? &sim->schedule : NULL,
	};
}

const struct sim_event *sim_event_of(const struct sim_backend *sim, uint64_t id)
{
	return sim->options.hidden ? sim_hidden_event(sim->options.seed, id) : sim_event_find(id);
}

static int sim_probe(const struct backend_config *config, struct err *err)
{
	(void)config;
	(void)err;
	return 0;
}

static unsigned threads_for(unsigned n_cores)
{
	long n_host = sysconf(_SC_NPROCESSORS_ONLN);

	return n_host > 0 && (unsigned long)n_host < n_cores ? (unsigned)n_host : n_cores;
}

static int make(struct sim_backend *sim, const struct backend_config *config, struct err *err)
{
	struct backend *base = &sim->base;
	int result = sim_options_parse(config->options, &sim->options, err);

	if (result < 0)
		return result;
	result = sim_machine_make(&sim->options, config->events_dir, &base->machine, err);
	if (result == 0 && config->cpus)
		result = machine_restrict(&base->machine, config->cpus, err);
	if (result < 0)
		return result;
	sim->schedule = (struct sim_schedule){ .seed = sim->options.seed,
					       .n_cores = sim->options.cores,
					       .n_tasks = sim->options.tasks,
					       .n_short = sim->options.short_tasks };
	base->virtual_clock = sim->options.virtual_clock;
	base->halt_after = sim->options.halt_after;
	base->n_threads = threads_for(base->machine.n_cores);
	sim->origin_ns = base->virtual_clock ? 0 : clock_now_ns();
	return 0;
}

static void sim_close(struct backend *backend)
{
	for (unsigned i = 0; i < backend->machine.n_cores; i++)
		sim_recorder_free(atomic_load(&sim_of(backend)->recorder[i]));
	machine_fini(&backend->machine);
	free(sim_of(backend));
}

static int sim_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	struct sim_backend *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return err_set(err, ENOMEM, "no memory for the simulation");
	sim->base.ops = &backend_sim;

	int result = make(sim, config, err);

	if (result < 0) {
		sim_close(&sim->base);
		return result;
	}
	*ret = &sim->base;
	return 0;
}

static void sim_advance(struct backend *backend, uint64_t t_ns)
{
	/* release: faults injected before are seen by whoever sees the new time */
	if (backend->virtual_clock)
		atomic_store_explicit(&sim_of(backend)->now_ns, t_ns, memory_order_release);
}

static unsigned cpu_of(const struct backend *backend, unsigned core)
{
	return backend->machine.core[core].cpu;
}

static bool is_online(struct backend *backend, unsigned core)
{
	const struct sim_backend *sim = sim_of(backend);

	return !sim_faults_at(&sim->options.faults, FAULT_OFFLINE, cpu_of(backend, core), 0,
			      sim_now(sim));
}

static void drain(struct backend *backend, unsigned core, const struct switch_sink *sink)
{
	/* acquire: it is complete */
	struct sim_recorder *recorder =
		atomic_load_explicit(&sim_of(backend)->recorder[core], memory_order_acquire);

	if (recorder)
		sim_recorder_drain(recorder, sink);
}

static int task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	const struct sim_schedule *schedule = &sim_of(backend)->schedule;
	const char *comm =
		schedule->n_tasks ? sim_schedule_comm(schedule, tid) : sim_load_comm(tid);

	if (!comm)
		return -ESRCH;
	snprintf(ret_comm, TASK_COMM_SIZE, "%s", comm);
	return 0;
}

const struct backend_ops backend_sim = {
	.name = "sim",
	.what = "a simulated Apple M1, for tests and for a first look (--demo)",
	.only_by_name = true,
	.probe = sim_probe,
	.open = sim_open,
	.close = sim_close,
	.group_open = sim_group_open,
	.group_close = sim_group_close,
	.group_enable = sim_group_enable,
	.group_disable = sim_group_disable,
	.group_read = sim_group_read,
	.core_online = is_online,
	.advance = sim_advance,
	.run_workload = sim_group_run,
	.tasks_open = sim_tasks_open,
	.tasks_read = sim_tasks_read,
	.tasks_close = sim_tasks_close,
	.switches_drain = drain,
	.task_comm = task_comm,
};

/* ---- behind the scenes ---- */

bool sim_is_hidden(const struct backend *backend)
{
	return backend->ops == &backend_sim && const_sim_of(backend)->options.hidden;
}

struct sim_answer sim_truth_of_id(const struct backend *backend, unsigned type, uint64_t id,
				  const char *kernel)
{
	const struct sim_backend *sim = const_sim_of(backend);
	struct sim_load load = sim_load_of(sim, machine_first_core(&backend->machine, type));
	struct sim_answer answer = sim_hidden_id(load.seed, id);

	answer.k = sim_hidden_k(load.seed, load.type, id, kernel);
	return answer;
}

double sim_truth_of_workload(const struct backend *backend, unsigned type, uint64_t id,
			     const struct workload *workload)
{
	const struct sim_backend *sim = const_sim_of(backend);
	struct sim_load load = sim_load_of(sim, machine_first_core(&backend->machine, type));
	const struct sim_run run = {
		.seed = load.seed,
		.type = load.type,
		.is_hidden = sim->options.hidden,
		.workload = workload,
	};

	return sim_run_mean(&run, id);
}
