#include "cmd/doctor/sampling_cost.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/shared/setup.h"
#include "discover/kernel/kernel.h"

enum { ROUNDS = 5, OWN_ROUNDS = 4, QUEUE_DEPTH = 1024, WITHOUT = SAMPLING_INTERVALS };

/* Longer than the longest interval, so that every run has a tick in it. */
#define WORK_NS (120 * NS_PER_MS)

/* Needs no memory: what it takes longer is what was taken from it. */
#define KERNEL  "add"

const unsigned sampling_interval_ms[SAMPLING_INTERVALS] = { 1, 10, 100 };

struct bench {
	struct setup setup;
	unsigned cpu;
	const struct kernel *kernel;
	struct workspace *workspace;
	struct set cycles;
	int cycles_slot;     /* -1: they are not counted */
	struct group *group; /* NULL: likewise */
	uint64_t units;
};

/* One run, on a thread of its own: pinned, and gone before others are started. */
struct cost_run {
	const struct bench *bench;
	double cpu_ns, cycles; /* NaN: not counted */
	uint32_t tid;
	int rc;
};

static double cycles_between(const struct sample *from, const struct sample *to, int slot)
{
	const struct raw *a = &from->raw[slot], *b = &to->raw[slot];

	if (from->state[slot] != RAW_OK || to->state[slot] != RAW_OK ||
	    b->running_ns - a->running_ns < b->enabled_ns - a->enabled_ns)
		return NAN;
	return (double)(b->value - a->value);
}

static void *run_work(void *data)
{
	struct cost_run *work = data;
	const struct bench *bench = work->bench;
	const struct backend_ops *ops = bench->setup.backend->ops;
	struct sample from = { 0 }, to = { 0 };

	work->tid = (uint32_t)gettid();
	work->rc = cpus_pin(bench->cpu);
	if (!work->rc && bench->group)
		work->rc = ops->group_enable(bench->group);
	if (!work->rc && bench->group)
		work->rc = ops->group_read(bench->group, &from);
	if (work->rc)
		return NULL;

	uint64_t from_ns = clock_process_cpu_ns();

	bench->kernel->trigger(bench->units, workspace_memory(bench->workspace));
	work->cpu_ns = (double)(clock_process_cpu_ns() - from_ns);
	work->cycles = NAN;
	if (!bench->group)
		return NULL;
	work->rc = ops->group_read(bench->group, &to);
	ops->group_disable(bench->group);
	work->cycles = cycles_between(&from, &to, bench->cycles_slot);
	return NULL;
}

static int run(const struct bench *bench, struct cost_run *ret, struct err *err)
{
	struct cost_run work = { .bench = bench };
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, run_work, &work);

	if (rc)
		return err_set(err, rc, "cannot start a thread to work on: %s", strerror(rc));
	pthread_join(thread, NULL);
	if (work.rc)
		return err_set(err, -work.rc, "CPU %u: %s", bench->cpu, strerror(-work.rc));
	*ret = work;
	return 0;
}

static int run_sampled(const struct bench *bench, unsigned interval_ms, struct cost_run *ret,
		       struct err *err)
{
	const struct sampler_config config = {
		.backend = bench->setup.backend,
		.metrics = &bench->setup.metrics,
		.interval_ns = interval_ms * NS_PER_MS,
	};
	struct sampler *sampler;
	int rc = sampler_new(&config, &sampler, err);

	if (rc)
		return rc;
	rc = sampler_start(sampler, &bench->setup.first, err);
	if (!rc)
		rc = run(bench, ret, err);
	sampler_free(sampler);
	return rc;
}

/* ---- setting up ---- */

/* A set of what the sampler counts, or of nothing, and one more event. @return 0; -ENOSPC */
static int set_with(const struct bench *bench, bool has_sampled, const struct event *event,
		    struct set *ret, int *ret_slot)
{
	const struct placement *sampled = &bench->setup.first.type[0];
	struct placement *placement = &ret->type[0];
	struct want want[SLOTS_MAX + 1];
	size_t n = 0;

	want[n++] = (struct want){ .event = event, .slot = -1 };
	for (unsigned i = 0; has_sampled && i < sampled->n_order && n <= SLOTS_MAX; i++)
		want[n++] = (struct want){ .event = sampled->event[sampled->order[i]], .slot = -1 };
	memset(ret, 0, sizeof(*ret));
	ret->number = 1;
	if (placement_make(&bench->setup.backend->machine.type[0], want, n, placement, NULL))
		return -ENOSPC;
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (placement->event[slot])
			ret->n_slots = slot + 1;
	*ret_slot = 0;
	while (placement->event[*ret_slot] != event)
		++*ret_slot;
	return 0;
}

/* Both at once, or they would be multiplexed, and that is work of its own. */
static bool has_room(const struct bench *bench, const struct event *event, struct set *both)
{
	struct backend *backend = bench->setup.backend;
	struct group *group = NULL;
	struct err err = { "" };
	int slot;

	if (set_n_mux(&bench->setup.first) > 1 || set_with(bench, true, event, both, &slot) ||
	    backend->ops->group_open(backend, 0, both, &group, &err))
		return false;
	backend->ops->group_close(group);
	return !*err.text;
}

/* Where slots are counters nobody may have a second set of them on a core. */
static void count_cycles(struct bench *bench)
{
	struct backend *backend = bench->setup.backend;
	const struct core_type *type = &backend->machine.type[0];
	const struct event_spec spec = { .slot = -1, .text = "cycles" };
	const struct event *event;

	if (!type->pmu || type->slot_is_counter ||
	    event_resolve(bench->setup.events, 0, &spec, PRIVILEGE_BOTH, &event, NULL) ||
	    *event->refused || !has_room(bench, event, &bench->cycles) ||
	    set_with(bench, false, event, &bench->cycles, &bench->cycles_slot) ||
	    backend->ops->group_open(backend, 0, &bench->cycles, &bench->group, NULL))
		bench->group = NULL;
}

/* As many units as take long enough. */
static int calibrate(struct bench *bench, struct err *err)
{
	struct cost_run work = { 0 };
	int rc = 0;

	for (bench->units = 100000; !rc; bench->units *= 2) {
		rc = run(bench, &work, err);
		if (work.cpu_ns * 8 >= (double)WORK_NS)
			break;
	}
	if (!rc)
		bench->units = (uint64_t)((double)bench->units * (double)WORK_NS / work.cpu_ns);
	return rc;
}

static int bench_open(const struct options *options, unsigned cpu, struct bench *bench,
		      struct err *err)
{
	struct options one = *options;
	int rc;

	*bench = (struct bench){ .cpu = cpu, .cycles_slot = -1, .kernel = kernel_find(KERNEL) };
	if (!kernel_runs_here(bench->kernel))
		return err_set(err, ENOTSUP, "no code for this processor");
	one.cpus = (struct cpus){ 0 };
	cpus_add(&one.cpus, cpu);
	one.has_cpus = true;
	rc = setup_open(&one, 0, &bench->setup, err);
	if (rc)
		return rc;
	rc = workspace_new(bench->kernel, cpu, &bench->workspace, err);
	if (rc)
		return rc;
	count_cycles(bench);
	return calibrate(bench, err);
}

static void bench_close(struct bench *bench)
{
	if (bench->setup.backend)
		bench->setup.backend->ops->group_close(bench->group);
	workspace_free(bench->workspace);
	setup_close(&bench->setup);
}

/* ---- measuring ---- */

/* The least: what else the machine does only adds. */
static void keep_least(double *least, double value)
{
	if (isnan(*least) || value < *least)
		*least = value;
}

static int measure(const struct bench *bench, sampling_progress_fn *progress, void *context,
		   struct sampling_cost *ret, struct err *err)
{
	double cpu[SAMPLING_INTERVALS + 1], cycles[SAMPLING_INTERVALS + 1];
	unsigned all = ROUNDS * (SAMPLING_INTERVALS + 1);
	bool has_cycles = true;

	for (unsigned i = 0; i <= WITHOUT; i++)
		cpu[i] = cycles[i] = NAN;
	for (unsigned i = 0; i < all; i++) {
		unsigned kind = i % (SAMPLING_INTERVALS + 1);
		struct cost_run work = { 0 };
		int rc;

		if (progress)
			progress(context, i, all);
		rc = kind == WITHOUT ? run(bench, &work, err)
				     : run_sampled(bench, sampling_interval_ms[kind], &work, err);
		if (rc)
			return rc;
		has_cycles &= !isnan(work.cycles);
		keep_least(&cpu[kind], work.cpu_ns);
		keep_least(&cycles[kind], work.cycles);
	}
	ret->is_cycles = has_cycles;
	ret->without = has_cycles ? cycles[WITHOUT] : cpu[WITHOUT];
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
		ret->with[i] = has_cycles ? cycles[i] : cpu[i];
	return 0;
}

/* ---- whose counts they are ---- */

/* Of the one core that is sampled: time, and then a sum a column. */
struct own_sums {
	uint32_t worker[OWN_ROUNDS]; /* threads of this process that do the work */
	uint64_t own[1 + COLUMNS_MAX], all[1 + COLUMNS_MAX];
};

static bool is_worker(const struct own_sums *sums, uint32_t tid)
{
	for (unsigned i = 0; i < OWN_ROUNDS; i++)
		if (sums->worker[i] == tid)
			return true;
	return false;
}

static bool is_own(const struct own_sums *sums, const struct core_task *task)
{
	return task->pid == (uint32_t)getpid() && !is_worker(sums, task->tid);
}

static void add_task(const struct frame_tasks *tasks, size_t i, uint64_t *sum)
{
	sum[0] += core_task_time_ns(tasks, i);
	for (unsigned column = 0; column < tasks->n_slots; column++)
		sum[1 + column] += tasks->value[i * tasks->n_slots + column];
}

static void add_frame(struct own_sums *sums, const struct frame *frame)
{
	const struct frame_tasks *tasks = frame->tasks;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		add_task(tasks, i, sums->all);
		if (is_own(sums, &tasks->task[i]))
			add_task(tasks, i, sums->own);
	}
}

static int work_sampled(const struct bench *bench, struct sampler *sampler, struct queue *queue,
			struct own_sums *sums, struct err *err)
{
	struct set set = bench->setup.first;
	const struct frame *frame;

	set.by_task = true;

	int rc = sampler_start(sampler, &set, err);

	for (unsigned i = 0; i < OWN_ROUNDS && !rc; i++) {
		struct cost_run work = { 0 };

		rc = run(bench, &work, err);
		sums->worker[i] = work.tid;
	}
	sampler_stop(sampler);
	while ((frame = queue_pop(queue, NULL))) {
		add_frame(sums, frame);
		frame_unref(frame);
	}
	return rc;
}

static int measure_own(const struct bench *bench, unsigned interval, struct sampling_own *ret,
		       struct err *err)
{
	const struct sampler_config config = {
		.backend = bench->setup.backend,
		.metrics = &bench->setup.metrics,
		.interval_ns = sampling_interval_ms[interval] * NS_PER_MS,
	};
	struct own_sums sums = { 0 };
	struct sampler *sampler;
	struct queue *queue;
	int rc = sampler_new(&config, &sampler, err);

	if (rc)
		return rc;
	rc = sampler_subscribe(sampler, QUEUE_DEPTH, &queue, err);
	if (!rc)
		rc = work_sampled(bench, sampler, queue, &sums, err);
	for (unsigned i = 0; i < ret->n; i++)
		ret->pct[i][interval] = 100 * (double)sums.own[i] / (double)sums.all[i];
	sampler_free(sampler);
	return rc;
}

static void name_rows(const struct set *set, struct sampling_own *ret)
{
	ret->n = 1;
	snprintf(ret->what[0], sizeof(ret->what[0]), "CPU time");
	for (unsigned column = 0; column < set->n_slots && ret->n <= SLOTS_MAX; column++) {
		const struct event *event = set_event(set, column);
		bool has = event && tasks_have_column(set, column);

		snprintf(ret->what[ret->n], sizeof(ret->what[0]), "%s", has ? event->name : "");
		ret->n++;
	}
}

static int measure_all_own(const struct bench *bench, sampling_progress_fn *progress, void *context,
			   struct sampling_own *ret, struct err *err)
{
	int rc = 0;

	name_rows(&bench->setup.first, ret);
	for (unsigned i = 0; i < SAMPLING_INTERVALS && !rc; i++) {
		if (progress)
			progress(context, i, SAMPLING_INTERVALS);
		rc = measure_own(bench, i, ret, err);
	}
	ret->n = rc ? 0 : ret->n;
	return rc == -ENOTSUP ? 0 : rc;
}

/* ---- both ---- */

int sampling_cost_measure(const struct options *options, unsigned cpu,
			  sampling_progress_fn *progress, void *context, struct sampling_cost *ret,
			  struct sampling_own *ret_own, struct err *err)
{
	struct bench *bench = calloc(1, sizeof(*bench)); /* sets are large */
	int rc;

	if (!bench)
		return err_set(err, ENOMEM, "out of memory");
	rc = bench_open(options, cpu, bench, err);
	if (!rc)
		rc = measure(bench, progress, context, ret, err);
	if (!rc)
		rc = measure_all_own(bench, progress, context, ret_own, err);
	bench_close(bench);
	free(bench);
	return rc;
}

double sampling_cost_pct(const struct sampling_cost *cost, unsigned interval)
{
	return 100 * (cost->with[interval] - cost->without) / cost->without;
}
