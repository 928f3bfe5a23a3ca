#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/backend.h"
#include "pmu/machine.h"
#include "pmu/sim/device.h"
#include "pmu/sim/group.h"
#include "pmu/sim/load.h"
#include "pmu/sim/options.h"
#include "pmu/sim/run.h"

enum { CLUSTER_CORES = 4 };

/* Differences between the two core types.
 * Source: Linux arch/arm64/include/asm/cputype.h (MIDR parts), drivers/perf/apple_m1_cpu_pmu.c */
static const struct kind {
	const char *name;
	const char *pmu;
	uint32_t pmu_type;
	uint64_t midr;
} kinds[N_SIM_TYPES] = {
	[SIM_E] = { "E", "apple_icestorm_pmu", 6, 0x611f0220 },
	[SIM_P] = { "P", "apple_firestorm_pmu", 7, 0x611f0230 },
};

/* PMUs are sorted by name: Firestorm before Icestorm */
static const enum sim_type pmu_order[] = { SIM_P, SIM_E };

static int make_pmus(struct pmus *pmus, unsigned n_devices)
{
	int result = 0;

	pmus->pmu = calloc(ARRAY_SIZE(pmu_order) + n_devices, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return -ENOMEM;
	pmus->n = ARRAY_SIZE(pmu_order) + n_devices;
	for (unsigned i = 0; i < ARRAY_SIZE(pmu_order) && result == 0; i++) {
		const struct kind *kind = &kinds[pmu_order[i]];

		result = pmu_make_apple(&pmus->pmu[i], kind->pmu, kind->pmu_type, 8);
	}
	for (unsigned i = 0; i < n_devices && result == 0; i++)
		result = sim_device_make(i, &pmus->pmu[ARRAY_SIZE(pmu_order) + i]);
	return result;
}

static struct pmu *backend_pmu_of(const struct pmus *pmus, enum sim_type type)
{
	return &pmus->pmu[pmu_order[0] == type ? 0 : 1];
}

/* Return the place of core `nth` of the `n` cores of a type. A socket's cores are neighbours, and all
 * first threads come before all second ones, as Linux numbers the CPUs of most x86 servers. */
static struct core seat_of(const struct sim_options *options, unsigned nth, unsigned n)
{
	unsigned n_physical = n / options->smt, physical = nth % n_physical;
	unsigned n_socket = n_physical / options->sockets;                    /* per socket */
	unsigned n_clusters = (n_socket + CLUSTER_CORES - 1) / CLUSTER_CORES; /* per socket */
	unsigned package = physical / n_socket;

	return (struct core){
		.cluster = package * n_clusters + physical % n_socket / CLUSTER_CORES,
		.package = package,
		.thread0 = physical,
	};
}

static int make_cores(struct machine *machine, const struct sim_options *options)
{
	unsigned n = options->cores, n_e = n / 2, n_clusters = 0; /* clusters of E cores */

	machine->core = calloc(n, sizeof(*machine->core));
	if (!machine->core)
		return -ENOMEM;
	machine->n_cores = n;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		enum sim_type type = cpu < n_e ? SIM_E : SIM_P;
		unsigned first = type == SIM_E ? 0 : n_e;
		struct core *core = &machine->core[cpu];

		*core = seat_of(options, cpu - first, type == SIM_E ? n_e : n - n_e);
		core->cpu = cpu;
		core->type = type;
		core->thread0 += first;
		n_clusters = cpu == n_e ? machine->n_clusters : n_clusters;
		core->cluster += n_clusters;
		core->midr = kinds[type].midr;
		if (core->cluster >= machine->n_clusters)
			machine->n_clusters = core->cluster + 1;
		cpus_add(&backend_pmu_of(&machine->pmus, type)->cpus, cpu);
	}
	return 0;
}

static void midr_text(uint64_t midr, char *buf, size_t size)
{
	snprintf(buf, size, "0x%016" PRIx64, midr);
}

static int make_types(struct machine *machine, bool is_nameless, const char *events_dir,
		      struct err *err)
{
	char dir[4096], cpuid[32] = "";
	int result = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	for (enum sim_type type = SIM_E; type < N_SIM_TYPES && result == 0; type++) {
		struct core_type *made = &machine->type[type];

		if (!is_nameless)
			midr_text(kinds[type].midr, cpuid, sizeof(cpuid));
		result = catalog_load(dir, "arm64", cpuid, &made->catalog, err);
		snprintf(made->name, sizeof(made->name), "%s", kinds[type].name);
		made->pmu = backend_pmu_of(&machine->pmus, type);
		if (!result &&
		    machine_narrow_catalog(made->catalog, made->pmu->name, &machine->pmus))
			result = err_set(err, ENOMEM, "out of memory");
		made->n_counters = SIM_COUNTERS;
		made->width = SIM_WIDTH;
		made->slot_is_counter = true;
		machine->n_types = type + 1;
	}
	return result;
}

/*
 * Make a machine whose first half are E cores and whose second half are P cores, in clusters of four.
 *
 * @options     numbers of cores and devices; with `hidden` the catalogue has generic events only
 * @events_dir  argument of --events-dir; NULL: search
 * @ret         release with machine_fini
 * @return      0, -ENOMEM, or an error of the catalogue
 */
static int sim_machine_make(const struct sim_options *options, const char *events_dir,
			    struct machine *ret, struct err *err)
{
	struct machine machine = { .model = "Simulated Apple M1", .simulated = true };
	int result;

	midr_text(kinds[SIM_E].midr, machine.cpuid, sizeof(machine.cpuid));
	if (make_pmus(&machine.pmus, options->smmus) < 0 || make_cores(&machine, options) < 0) {
		result =
			err_set(err, ENOMEM, "no memory for a machine of %u cores", options->cores);
		goto fail;
	}
	result = make_types(&machine, options->hidden, events_dir, err);
	if (result < 0)
		goto fail;
	machine_number(&machine);
	if (activity_give(&machine, &sim_activity) < 0) {
		result = err_set(err, ENOMEM, "out of memory");
		goto fail;
	}
	*ret = machine;
	return 0;
fail:
	machine_fini(&machine);
	return result;
}

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

/* Whether a command is on a core of this type while it stays on one. */
static bool is_of_command(const struct tasks *tasks, uint64_t stay)
{
	return sim_hash(tasks->sim->options.seed, stay, 0, 0) % tasks->sim->base.machine.n_types ==
	       tasks->type;
}

static bool backend_is_counted(const struct tasks *tasks, const struct sim_phase *slice)
{
	for (size_t i = 0; i < tasks->n; i++) {
		const struct task_target *target = &tasks->target[i];

		if (slice->tid && (uint32_t)target->id ==
					  (target->kind == TARGET_THREAD ? slice->tid : slice->pid))
			return true;
	}
	return false;
}

static uint64_t backend_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
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
		end_ns = backend_least(to_ns, phase.to_ns);
		if (is_command)
			end_ns = backend_least(end_ns, tasks->opened_ns + (stay + 1) * STAY_NS);
		if (is_command ? is_of_command(tasks, stay) : backend_is_counted(tasks, &phase))
			backend_count(tasks, &phase, from_ns, end_ns);
	}
}

static void count_until(struct tasks *tasks, uint64_t to_ns)
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

static int sim_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
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

static int sim_tasks_read(struct tasks *tasks, struct sample *ret)
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

static void sim_tasks_close(struct tasks *tasks)
{
	free(tasks);
}

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
	/* acquire: a thread that sees the new time sees the faults injected before it */
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

static int backend_make(struct sim_backend *sim, const struct backend_config *config,
			struct err *err)
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
		free(atomic_load(&sim_of(backend)->recorder[i]));
	machine_fini(&backend->machine);
	free(sim_of(backend));
}

static int sim_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	struct sim_backend *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return err_set(err, ENOMEM, "no memory for the simulation");
	sim->base.ops = &backend_sim;

	int result = backend_make(sim, config, err);

	if (result < 0) {
		sim_close(&sim->base);
		return result;
	}
	*ret = &sim->base;
	return 0;
}

static void sim_advance(struct backend *backend, uint64_t t_ns)
{
	/* release: a thread that sees the new time sees the faults injected before it */
	if (backend->virtual_clock)
		atomic_store_explicit(&sim_of(backend)->now_ns, t_ns, memory_order_release);
}

static bool is_online(struct backend *backend, unsigned core)
{
	const struct sim_backend *sim = sim_of(backend);

	return !sim_faults_at(&sim->options.faults, FAULT_OFFLINE, backend->machine.core[core].cpu,
			      0, sim_now(sim));
}

static int task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	const char *comm = sim_load_comm(&sim_of(backend)->schedule, tid);

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
	.switches_drain = sim_switches_drain,
	.task_comm = task_comm,
};

/* ---- the truth that discover has to find ---- */

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
