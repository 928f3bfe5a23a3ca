#include "backend/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "backend/sim/sim.h"
#include "backend/sim/group.h"
#include "backend/sim/hidden.h"
#include "backend/sim/machine.h"
#include "backend/sim/run.h"

static struct sim_backend *sim_of(struct backend *backend)
{
	return (struct sim_backend *)backend;
}

static const struct sim_backend *const_sim_of(const struct backend *backend)
{
	return (const struct sim_backend *)backend;
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
	base->virtual_clock = sim->options.virtual_clock;
	base->halt_after = sim->options.halt_after;
	base->n_threads = threads_for(base->machine.n_cores);
	sim->origin_ns = base->virtual_clock ? 0 : clock_now_ns();
	return 0;
}

static void sim_close(struct backend *backend)
{
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
