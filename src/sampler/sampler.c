/* sampler.c: main thread: sets and their groups, plans, start and stop of threads */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "sampler/sampler.h"
#include "sampler/threads/internal.h"
#include "symbols/symbols.h"

/* ---- plans ---- */

struct plan *plan_newest(const struct sampler *sampler)
{
	return atomic_load_explicit(&sampler->plan, memory_order_relaxed); /* only main writes it */
}

bool plan_is_on_cores(const struct sampler *sampler, uint32_t number)
{
	for (unsigned i = 0; i < sampler->n_core_threads; i++)
		if (atomic_load_explicit(&sampler->core_thread[i].plan_seen, memory_order_acquire) <
		    number)
			return false;
	return true;
}

bool plan_is_seen(const struct sampler *sampler, uint32_t number)
{
	return atomic_load_explicit(&sampler->collector.plan_seen, memory_order_acquire) >=
		       number &&
	       plan_is_on_cores(sampler, number);
}

/* Free a plan and all older ones. */
static void free_plans(struct sampler *sampler, struct plan *plan)
{
	while (plan) {
		struct plan *next = plan->next;

		if (plan != &sampler->last_plan)
			free(plan);
		plan = next;
	}
}

/* Free the plans older than the newest one that all threads have seen; main thread only. */
static void plan_forget_seen(struct sampler *sampler)
{
	struct plan *plan = plan_newest(sampler);

	while (plan && !plan_is_seen(sampler, plan->number))
		plan = plan->next;
	if (!plan)
		return;
	free_plans(sampler, plan->next);
	plan->next = NULL;
}

/* Shortest run of a mux group, to limit the cost of switching. The kernel also multiplexes every 4
 * ms. Source: Linux PERF_CPU_HRTIMER in kernel/events/core.c */
#define PART_MIN_NS (4 * NS_PER_MS)

/* Maximum number of rounds and of runs per interval, so that longer intervals and more groups cost
 * less. */
enum { ROUNDS_MAX = 16, RUNS_MAX = 48 };

unsigned mux_rounds(uint64_t interval_ns, unsigned n_mux)
{
	uint64_t n = interval_ns / (n_mux * PART_MIN_NS);
	uint64_t most = n_mux * ROUNDS_MAX < RUNS_MAX ? ROUNDS_MAX : RUNS_MAX / n_mux;

	n = n < most ? n : most;
	return n_mux < 2 || n < 1 ? 1 : (unsigned)n;
}

/* ---- groups: opened on all cores, closed when no core reads them any more ---- */

enum { UNUSED_SETS_MAX = 16 };

#define UNCLOSED_MAX_NS (2 * NS_PER_S)

struct retired {
	unsigned core;
	struct group *group;
	uint32_t plan;  /* closed when the core's thread has seen this plan, … */
	bool by_task;   /* … and also the collector */
	bool is_reopen; /* … or, if it was replaced, when the thread has adopted the new one */
};

static struct core_thread *core_thread_of(const struct sampler *sampler, unsigned core)
{
	return &sampler->core_thread[core % sampler->n_core_threads];
}

static struct core_run *run_of(const struct sampler *sampler, unsigned core)
{
	return &core_thread_of(sampler, core)->run[core / sampler->n_core_threads];
}

/* Whether events of devices are read on this core. */
static bool machine_core_reads_devices(const struct machine *machine, unsigned core)
{
	bool reads_one = false;

	for (size_t i = 0; i < machine->pmus.n; i++)
		reads_one |= machine->pmus.pmu[i].kind == PMU_UNCORE &&
			     cpus_has(&machine->pmus.pmu[i].cpus, machine->core[core].cpu);
	return reads_one;
}

/* Get the maximum number of slots in a read of a core. */
static unsigned groups_n_slots(const struct sampler *sampler, unsigned core)
{
	bool is_long =
		sampler->backend->of_tasks || machine_core_reads_devices(sampler->machine, core);

	return is_long ? SLOTS_MAX : CORE_SLOTS_MAX;
}

static unsigned n_groups(const struct sampler *sampler, const struct set *set)
{
	return set_n_mux(set) * sampler->machine->n_cores;
}

struct group *active_group(const struct sampler *sampler, const struct active_set *active,
			   unsigned core, unsigned mux)
{
	return atomic_load(&active->group[mux * sampler->machine->n_cores + core]);
}

static void close_groups(struct sampler *sampler, struct active_set *active)
{
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++) {
		sampler->backend->ops->group_close(atomic_load(&active->group[i]));
		atomic_store(&active->group[i], NULL);
	}
}

/* Open one mux group on all cores. @group  by core */
static int open_mux(struct sampler *sampler, struct active_set *active, const struct set *mux,
		    _Atomic(struct group *) *group, struct err *err)
{
	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		struct group *opened = NULL;
		struct err error = { "" };
		int rc = sampler->backend->ops->group_open(sampler->backend, i, mux, &opened,
							   &error);

		/* an offline core is shown as off and opened when it comes back */
		if (rc && rc != -ENODEV)
			return err_set(err, -rc, "%s", error.text);
		if (!rc && error.text[0])
			active->note = error;
		atomic_store(&group[i], rc ? NULL : opened);
	}
	return 0;
}

static int open_groups(struct sampler *sampler, struct active_set *active, struct err *err)
{
	int rc = 0;

	for (unsigned t = 0; t < set_n_mux(&active->of->set) && !rc; t++) {
		struct set mux;

		set_mux_group(&active->of->set, t, &mux);
		rc = open_mux(sampler, active, &mux, &active->group[t * sampler->machine->n_cores],
			      err);
	}
	if (rc)
		close_groups(sampler, active);
	return rc;
}

/* Find an identical set that was loaded earlier, to keep its number: the history then sees one set.
 * @return NULL: none, or it is freed or still read */
static struct active_set *find_retired(const struct sampler *sampler, const struct set *set)
{
	for (struct active_set *active = sampler->active_sets; active; active = active->next)
		if (active->retired_by && set_counts_same(&active->of->set, set) &&
		    plan_is_seen(sampler, active->retired_by))
			return active;
	return NULL;
}

static int load_again(struct sampler *sampler, struct active_set *active, struct err *err)
{
	/* the old groups are in `retired` and closed from there */
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++)
		atomic_store(&active->group[i], NULL);
	active->note = (struct err){ "" };

	int rc = open_groups(sampler, active, err);

	if (!rc)
		active->retired_by = 0;
	return rc;
}

/* Free a set and close its open groups. */
static void free_active(struct sampler *sampler, struct active_set *active)
{
	if (!active->retired_by)
		close_groups(sampler, active);
	frame_set_unref(active->of);
	free(active);
}

static int load_new(struct sampler *sampler, const struct set *set, struct active_set **ret,
		    struct err *err)
{
	struct active_set *active =
		calloc(1, sizeof(*active) + n_groups(sampler, set) * sizeof(active->group[0]));

	if (!active ||
	    frame_set_new(set, sampler->metrics, sampler->machine->n_types, &active->of)) {
		free(active);
		return err_set(err, ENOMEM, "out of memory");
	}
	active->of->set.number = sampler->n_sets + 1;

	int rc = open_groups(sampler, active, err);

	if (rc) {
		free_active(sampler, active);
		return rc;
	}
	sampler->n_sets++;
	active->next = sampler->active_sets;
	sampler->active_sets = active;
	*ret = active;
	return 0;
}

static bool is_planned(const struct sampler *sampler, const struct active_set *active)
{
	const struct plan *plan = plan_newest(sampler);

	while (plan && plan->active != active)
		plan = plan->next;
	return plan;
}

/* Whether no thread reads the set and no frame refers to it. */
static bool is_forgotten(const struct sampler *sampler, const struct active_set *active)
{
	/* acquire: the last frame's use came before */
	return !is_planned(sampler, active) &&
	       atomic_load_explicit(&active->of->refs, memory_order_acquire) == 1;
}

/* Free unreferenced sets except the newest, which may be loaded again. */
static void forget_sets(struct sampler *sampler)
{
	struct active_set **at = &sampler->active_sets;
	unsigned n = 0;

	while (*at) {
		struct active_set *active = *at;

		if (!is_forgotten(sampler, active) || n++ < UNUSED_SETS_MAX) {
			at = &active->next;
			continue;
		}
		*at = active->next;
		free_active(sampler, active);
	}
}

/* Start the symbols for the first set with samples. */
static int start_symbols(struct sampler *sampler, struct err *err)
{
	int rc = backend_can_sample(sampler->backend, err);
	struct symbols *symbols = sampler->symbols;

	if (!rc && !symbols)
		rc = symbols_start(&symbols, err);
	sampler->symbols = symbols;
	return rc;
}

/*
 * Open a set on every core, all its mux groups, disabled. An offline core gets no groups.
 *
 * @return 0; the error of group_open, then no group is left open
 */
static int groups_load(struct sampler *sampler, const struct set *set, struct active_set **ret,
		       struct err *err)
{
	const struct backend_ops *ops = sampler->backend->ops;

	if (set->by_task && !ops->switches_drain)
		return backend_has_no_tasks(ops, err);

	struct active_set *again = find_retired(sampler, set);
	int rc = set->samples ? start_symbols(sampler, err) : 0;

	if (rc)
		return rc;
	rc = again ? load_again(sampler, again, err) : load_new(sampler, set, ret, err);

	if (!rc && again)
		*ret = again;
	return rc;
}

static void retire(struct sampler *sampler, const struct active_set *active, unsigned core,
		   struct group *group, bool is_reopen)
{
	if (!group)
		return;
	if (array_reserve((void **)&sampler->retired, &sampler->cap_retired, sampler->n_retired,
			  sizeof(*sampler->retired)))
		return; /* it stays open until the process ends: no memory to note it */
	sampler->retired[sampler->n_retired++] = (struct retired){
		.core = core,
		.group = group,
		.plan = plan_newest(sampler)->number,
		.by_task = active->of->set.by_task,
		.is_reopen = is_reopen,
	};
}

/* Close a set's groups as soon as every core has switched to the newest plan. */
static void groups_retire(struct sampler *sampler, struct active_set *active)
{
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++) {
		/* the pointers stay: a core thread may still enable the next mux group */
		retire(sampler, active, i % sampler->machine->n_cores,
		       atomic_load(&active->group[i]), false);
	}
	active->retired_by = plan_newest(sampler)->number;
}

static bool is_out_of_use(const struct sampler *sampler, const struct retired *retired)
{
	if (retired->is_reopen)
		return atomic_load_explicit(&run_of(sampler, retired->core)->reopen,
					    memory_order_acquire) == REOPEN_NO;
	/* its records belong to the last window of the previous plan, which the collector closes */
	if (retired->by_task && atomic_load_explicit(&sampler->collector.plan_seen,
						     memory_order_acquire) < retired->plan)
		return false;
	return atomic_load_explicit(&core_thread_of(sampler, retired->core)->plan_seen,
				    memory_order_acquire) >= retired->plan;
}

static void close_retired(struct sampler *sampler, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < sampler->n_retired; i++) {
		if (all || is_out_of_use(sampler, &sampler->retired[i]))
			sampler->backend->ops->group_close(sampler->retired[i].group);
		else
			sampler->retired[kept++] = sampler->retired[i];
	}
	sampler->n_retired = kept;
}

/* Report an error once per core, however often reopening is tried. */
static void tell_last_error(struct sampler *sampler, struct core_run *run, const struct err *error)
{
	if (!run->is_reported)
		err_set(&sampler->last_error, 0,
			"cpu %u is online again, but cannot be counted: %s",
			sampler->machine->core[run->core].cpu, error->text);
	run->is_reported = true;
}

/* Open all mux groups of a set on one core, or none. */
static int groups_open_core(struct sampler *sampler, const struct set *set, unsigned core,
			    struct group *ret[MUX_MAX], struct err *err)
{
	const struct backend_ops *ops = sampler->backend->ops;
	int rc = 0;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct set mux;

		set_mux_group(set, t, &mux);
		rc = ops->group_open(sampler->backend, core, &mux, &ret[t], err);
		while (rc && t)
			ops->group_close(ret[--t]);
		if (rc)
			return rc;
	}
	return 0;
}

/* Reopen the groups of a core that came back: the kernel never revives the old ones. */
static void reopen(struct sampler *sampler, unsigned core)
{
	struct active_set *active = plan_newest(sampler)->active;
	struct core_run *run = run_of(sampler, core);
	struct group *group[MUX_MAX];
	struct err error = { "" };
	int rc = groups_open_core(sampler, &active->of->set, core, group, &error);

	if (rc) {                  /* the core thread continues to ask */
		if (rc != -ENODEV) /* ENODEV: offline again */
			tell_last_error(sampler, run, &error);
		return;
	}
	run->is_reported = false;
	for (unsigned t = 0; t < set_n_mux(&active->of->set); t++) {
		retire(sampler, active, core, active_group(sampler, active, core, t), true);
		atomic_store(&active->group[t * sampler->machine->n_cores + core], group[t]);
	}
	/* release: the core thread sees the groups */
	atomic_store_explicit(&run->reopen, REOPEN_PROVIDED, memory_order_release);
}

/* End counting if there has been no memory for a frame for UNCLOSED_MAX_NS. */
static void end_without_memory(struct sampler *sampler)
{
	uint64_t since_ns =
		atomic_load_explicit(&sampler->collector.unclosed_ns, memory_order_relaxed);

	if (since_ns && sampler_clock_ns(sampler) > since_ns + UNCLOSED_MAX_NS)
		err_set(&sampler->backend->ended, ENOMEM,
			"out of memory: nothing was counted for %u s",
			(unsigned)(UNCLOSED_MAX_NS / NS_PER_S));
}

void sampler_service(struct sampler *sampler)
{
	end_without_memory(sampler);
	close_retired(sampler, false);
	plan_forget_seen(sampler);
	forget_sets(sampler);
	for (unsigned core = 0; sampler->running && core < sampler->machine->n_cores; core++) {
		if (atomic_load_explicit(&run_of(sampler, core)->reopen, memory_order_acquire) ==
		    REOPEN_WANTED)
			reopen(sampler, core);
	}
}

/* Close all groups and free all sets; no core thread runs any more. */
static void groups_fini(struct sampler *sampler)
{
	close_retired(sampler, true);
	free(sampler->retired);
	while (sampler->active_sets) {
		struct active_set *active = sampler->active_sets;

		sampler->active_sets = active->next;
		free_active(sampler, active);
	}
}

/* ---- sessions ---- */

static int recording_step(struct sampler *sampler);

/* Refuse a change of set or interval. @return -EOPNOTSUPP */
static int recording_refuse(struct err *err)
{
	return err_set(err, EOPNOTSUPP,
		       "this is a recorded session: its events and interval cannot be changed");
}

/* Publish the first frame, which contains the set. @return 0 or -errno */
static int recording_start(struct sampler *sampler, struct err *err)
{
	if (!recording_step(sampler))
		return 0;
	if (sampler->last_error.text[0])
		return err_set(err, EINVAL, "%s", sampler->last_error.text);
	return err_set(err, ENODATA, "the recorded session has no samples");
}

/* Publish the next frame. @return as sampler_step */
static int recording_step(struct sampler *sampler)
{
	const struct frame *frame;
	int rc = sampler->recording->next(sampler->recording->data, &frame, &sampler->last_error);

	if (rc)
		return -ENODATA;
	frame_unref(sampler->played);
	sampler->played = frame_ref(frame);
	collector_publish(sampler, frame);
	collector_wake_consumers(sampler);
	return 0;
}

/* RING_DEPTH: 64 ms at the shortest interval; with more than RING_FULL_CORES cores rings are
 * shorter and drained more often */
enum { RING_DEPTH = 128, RING_FULL_CORES = 128, RING_DEPTH_MIN = 16 };

/* Wall clock of virtual time, the same day in every run: 2020-11-17 12:00 UTC. */
#define VIRTUAL_WALL_NS (UINT64_C(1605614400) * NS_PER_S)

uint64_t sampler_clock_ns(const struct sampler *sampler)
{
	return sampler->backend->virtual_clock ? sampler->virtual_ns : clock_now_ns();
}

/* Allocate zeroed structs that begin at cache lines. */
static void *make_lines(size_t n, size_t size)
{
	void *made = aligned_alloc(CACHE_LINE, n * size);

	return made ? memset(made, 0, n * size) : NULL;
}

static int make_core_threads(struct sampler *sampler)
{
	unsigned n_cores = sampler->machine->n_cores;
	unsigned n_core_threads = sampler->backend->n_threads;

	if (!n_core_threads || n_core_threads > n_cores)
		n_core_threads = n_cores;
	sampler->n_core_threads = n_core_threads;
	sampler->core_thread = make_lines(n_core_threads, sizeof(*sampler->core_thread));
	sampler->run = make_lines(n_cores, sizeof(*sampler->run));
	if (!sampler->core_thread || !sampler->run)
		return -ENOMEM;

	struct core_run *next = sampler->run;

	for (unsigned i = 0; i < n_core_threads; i++) {
		struct core_thread *thread = &sampler->core_thread[i];

		*thread = (struct core_thread){ .sampler = sampler, .number = i, .run = next };
		for (unsigned core = i; core < n_cores; core += n_core_threads) {
			thread->run[thread->n_runs].core = core;
			thread->run[thread->n_runs++].late_ns = 0;
		}
		next += thread->n_runs;
	}
	return 0;
}

static int make_rings(struct sampler *sampler)
{
	unsigned n_cores = sampler->machine->n_cores;
	unsigned depth = RING_DEPTH;
	enum { HUGE = 2 * 1024 * 1024 };
	size_t bytes = 0, huge_bytes;

	while (depth > RING_DEPTH_MIN && depth * n_cores > RING_DEPTH * RING_FULL_CORES)
		depth /= 2;
	sampler->ring_depth = depth;
	for (unsigned i = 0; i < n_cores; i++) {
		sampler->run[i].n_slots = groups_n_slots(sampler, sampler->run[i].core);
		bytes += ring_bytes(depth, sample_size(sampler->run[i].n_slots));
	}
	/* a thousand rings of three pages each are too many for the TLB; the kernel clears a huge page as a whole */
	huge_bytes = depth < RING_DEPTH ? bytes / HUGE * HUGE : 0;
	sampler->rings = huge_bytes ? aligned_alloc(HUGE, (bytes + HUGE - 1) / HUGE * HUGE)
				    : aligned_alloc(64, bytes);
	if (!sampler->rings)
		return -ENOMEM;
	madvise(sampler->rings, huge_bytes, MADV_HUGEPAGE);
	bytes = 0;
	for (unsigned i = 0; i < n_cores; i++) {
		struct core_run *run = &sampler->run[i];
		size_t size = sample_size(run->n_slots);

		run->ring = ring_init(sampler->rings + bytes, depth, size);
		bytes += ring_bytes(depth, size);
		sampler->collector.window[run->core].ring = run->ring;
	}
	return 0;
}

static uint64_t started_wall_ns(const struct sampler_config *config)
{
	if (config->recording)
		return config->recording->started_wall_ns;
	return config->backend->virtual_clock ? VIRTUAL_WALL_NS : clock_wall_ns();
}

/* Make the collector's wait as short as its priority demands: the holder inherits it. */
static void make_consumers_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t inherits;

	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &inherits);
	pthread_mutexattr_destroy(&inherits);
}

int sampler_new(const struct sampler_config *config, struct sampler **ret, struct err *err)
{
	if (config->interval_ns < INTERVAL_MIN_NS || config->interval_ns > INTERVAL_MAX_NS)
		return err_set(err, EINVAL, "the interval must be between 1 ms and 1 h");

	struct sampler *sampler = calloc(1, sizeof(*sampler));

	if (!sampler)
		return err_set(err, ENOMEM, "out of memory");
	sampler->backend = config->backend;
	if (config->backend->ops->cgroups && config->backend->pins)
		cgroup_read_containers(); /* with the rights of the start */
	sampler->metrics = config->metrics;
	sampler->lag_ns = config->lag_ns;
	sampler->real_time =
		config->real_time && config->backend->pins && !config->backend->virtual_clock;
	sampler->recording = config->recording;
	sampler->machine = &config->backend->machine;
	make_consumers_lock(&sampler->consumers_lock);
	sampler->start_ns = sampler_clock_ns(sampler);
	sampler->start_wall_ns = started_wall_ns(config);

	struct plan *plan = calloc(1, sizeof(*plan));

	int rc = plan ? collector_init(sampler) : -ENOMEM;

	if (!rc && !config->recording && (make_core_threads(sampler) || make_rings(sampler)))
		rc = -ENOMEM;
	if (rc) {
		free(plan);
		sampler_free(sampler);
		return err_set(err, -rc, "cannot make the sampler: %s", strerror(-rc));
	}
	/* plan 0 is never executed: it holds the interval until sampler_start and is the head of the list */
	plan->interval_ns = config->interval_ns;
	plan->n_mux = plan->n_ticks = 1;
	atomic_init(&sampler->plan, plan);
	sampler->collector.plan = plan;
	sampler->collector.closed_tick = TICK_CLOSING;
	*ret = sampler;
	return 0;
}

int sampler_subscribe(struct sampler *sampler, unsigned depth, struct queue **ret, struct err *err)
{
	struct queue *queue;
	int rc = queue_new(depth, &queue, err);

	if (rc)
		return rc;
	rc = -EBUSY;
	pthread_mutex_lock(&sampler->consumers_lock);
	for (unsigned i = 0; rc && i < CONSUMERS_MAX; i++) {
		if (!sampler->consumer[i]) {
			sampler->consumer[i] = queue;
			rc = 0;
		}
	}
	pthread_mutex_unlock(&sampler->consumers_lock);
	if (rc) {
		queue_free(queue);
		return err_set(err, EBUSY, "more than %d consumers of frames", CONSUMERS_MAX);
	}
	*ret = queue;
	return 0;
}

void sampler_detach(struct sampler *sampler, struct queue *queue)
{
	pthread_mutex_lock(&sampler->consumers_lock);
	for (unsigned i = 0; i < CONSUMERS_MAX; i++) {
		if (sampler->consumer[i] == queue)
			sampler->consumer[i] = NULL;
	}
	pthread_mutex_unlock(&sampler->consumers_lock);
}

void sampler_unsubscribe(struct sampler *sampler, struct queue *queue)
{
	sampler_detach(sampler, queue);
	queue_free(queue);
}

/* Publish a plan that begins now; all other properties stay as they are. */
static int publish(struct sampler *sampler, struct active_set *active, uint64_t interval_ns,
		   bool stop)
{
	struct plan *last = plan_newest(sampler);
	/* stopping must not fail without memory */
	struct plan *plan = stop ? &sampler->last_plan : calloc(1, sizeof(*plan));
	unsigned n_mux = active ? set_n_mux(&active->of->set) : 1;

	if (!plan)
		return -ENOMEM;
	*plan = (struct plan){ .number = last->number + 1,
			       .t0_ns = sampler_clock_ns(sampler),
			       .interval_ns = interval_ns,
			       .n_mux = n_mux,
			       .n_ticks = n_mux * mux_rounds(interval_ns, n_mux),
			       .active = active,
			       .stop = stop,
			       .next = last };
	/* release: a thread that sees the pointer sees the plan and its groups */
	atomic_store_explicit(&sampler->plan, plan, memory_order_release);
	for (unsigned i = 0; i < sampler->n_core_threads; i++) {
		atomic_uint *wake = &sampler->core_thread[i].wake;

		atomic_store_explicit(wake, plan->number, memory_order_release);
		syscall(SYS_futex, wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	collector_wake(sampler);
	if (sampler->backend->virtual_clock) {
		for (unsigned i = 0; i < sampler->n_core_threads; i++)
			core_thread_step(&sampler->core_thread[i], 0);
		collector_drain(sampler, false);
	}
	return 0;
}

static void stop_threads(struct sampler *sampler, unsigned n_core_threads, bool collector)
{
	for (unsigned i = 0; i < n_core_threads; i++)
		pthread_join(sampler->core_thread[i].thread, NULL);
	if (collector) {
		atomic_store(&sampler->stop_collector, true);
		collector_wake(sampler);
		pthread_join(sampler->collector.thread, NULL);
	}
}

static bool threads_are_ready(const struct sampler *sampler)
{
	return atomic_load_explicit(&sampler->n_ready, memory_order_acquire) ==
	       sampler->n_core_threads;
}

/* Wait until all core threads are so far; one that is held up delays the start for a second at most. */
static void wait_for_threads(const struct sampler *sampler, bool (*is_done)(const struct sampler *),
			     uint64_t give_up_ns)
{
	const struct timespec pause = { .tv_nsec = 50 * NS_PER_US };

	while (!is_done(sampler) && clock_now_ns() < give_up_ns)
		nanosleep(&pause, NULL);
}

/* Start the threads, then the first plan: its windows begin together, however long a thread took to start. */
static int start_threads(struct sampler *sampler, struct active_set *first, struct err *err)
{
	uint64_t interval_ns = plan_newest(sampler)->interval_ns;
	uint64_t give_up_ns = clock_now_ns() + NS_PER_S;
	sigset_t all, before;
	unsigned n = 0;
	int rc = 0;

	/* signals go to the main thread only, except that of real_time_begin */
	sigfillset(&all);
	sigdelset(&all, SIGXCPU);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (sampler->real_time)
		real_time_begin();
	for (; !rc && n < sampler->n_core_threads; n += !rc)
		rc = pthread_create(&sampler->core_thread[n].thread, NULL, core_thread_main,
				    &sampler->core_thread[n]);
	if (!rc) {
		wait_for_threads(sampler, threads_are_ready, give_up_ns);
		rc = -publish(sampler, first, interval_ns, false);
	}
	if (!rc)
		rc = pthread_create(&sampler->collector.thread, NULL, collector_main, sampler);
	if (sampler->real_time)
		real_time_end();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc) {
		/* a command is counted from its start */
		wait_for_threads(sampler, sampler_has_begun, give_up_ns);
		return 0;
	}
	publish(sampler, first, interval_ns, true);
	stop_threads(sampler, n, false);
	return err_set(err, rc, "cannot start %u threads: %s", sampler->n_core_threads + 1,
		       strerror(rc));
}

/* Check that each mux group runs for at least the shortest interval. */
static int check_mux(const struct set *set, uint64_t interval_ns, struct err *err)
{
	unsigned n_mux = set_n_mux(set);

	if (n_mux > 1 && interval_ns < n_mux * INTERVAL_MIN_NS)
		return err_set(err, EINVAL,
			       "the interval must be at least %u ms: %u sets are multiplexed in it",
			       n_mux, n_mux);
	return 0;
}

static int sampler_load_set(struct sampler *sampler, const struct set *set, struct active_set **ret,
			    struct err *err)
{
	int rc = check_mux(set, plan_newest(sampler)->interval_ns, err);

	return rc ? rc : groups_load(sampler, set, ret, err);
}

int sampler_start(struct sampler *sampler, const struct set *first, struct err *err)
{
	struct active_set *active = NULL;
	int rc;

	if (sampler->recording)
		return recording_start(sampler, err);
	rc = sampler_load_set(sampler, first, &active, err);
	if (rc)
		return rc;
	sampler->running = true;
	rc = sampler->backend->virtual_clock
		     ? publish(sampler, active, plan_newest(sampler)->interval_ns, false)
		     : start_threads(sampler, active, err);
	if (rc)
		sampler->running = false;
	return rc;
}

int sampler_load(struct sampler *sampler, const struct set *next, struct err *err)
{
	struct active_set *before = plan_newest(sampler)->active;
	struct active_set *active = NULL;

	if (sampler->recording)
		return recording_refuse(err);

	int rc = sampler_load_set(sampler, next, &active, err);

	if (rc)
		return rc;
	rc = publish(sampler, active, plan_newest(sampler)->interval_ns, false);
	if (rc)
		return err_set(err, -rc, "out of memory");
	groups_retire(sampler, before);
	return 0;
}

int sampler_set_interval(struct sampler *sampler, uint64_t interval_ns, struct err *err)
{
	if (sampler->recording)
		return recording_refuse(err);
	if (interval_ns < INTERVAL_MIN_NS || interval_ns > INTERVAL_MAX_NS)
		return err_set(err, EINVAL, "the interval must be between 1 ms and 1 h");

	struct active_set *active = plan_newest(sampler)->active;
	int rc = active ? check_mux(&active->of->set, interval_ns, err) : 0;

	if (!rc && publish(sampler, active, interval_ns, false))
		rc = err_set(err, ENOMEM, "out of memory");
	return rc;
}

void sampler_exclude_thread(struct sampler *sampler, pthread_t thread)
{
	clockid_t *id = &sampler->apart[sampler->n_apart];

	assert(!sampler->running && sampler->n_apart < APART_MAX);
	if (pthread_getcpuclockid(thread, id))
		return;
	sampler->n_apart++;
	sampler_add_for_frames(sampler, clock_ns(*id));
}

void sampler_add_for_frames(struct sampler *sampler, uint64_t cpu_ns)
{
	/* relaxed: a counter, orders nothing */
	atomic_fetch_add_explicit(&sampler->for_frames_ns, cpu_ns, memory_order_relaxed);
}

void sampler_cut(struct sampler *sampler)
{
	if (sampler->recording)
		return;
	publish(sampler, plan_newest(sampler)->active, plan_newest(sampler)->interval_ns, false);
}

void sampler_step_mux(struct sampler *sampler)
{
	uint64_t tick = sampler->core_thread[0].next_tick;
	uint64_t t_ns = plan_deadline_ns(plan_newest(sampler), tick);

	sampler->virtual_ns = t_ns;
	sampler->backend->ops->advance(sampler->backend, t_ns);
	for (unsigned i = 0; i < sampler->n_core_threads; i++)
		core_thread_step(&sampler->core_thread[i], tick);
	collector_drain(sampler, false);
	sampler_service(sampler);
}

int sampler_step(struct sampler *sampler)
{
	uint64_t halt_after = sampler->backend->halt_after;
	unsigned n_ticks = plan_newest(sampler)->n_ticks;

	if (sampler->recording)
		return recording_step(sampler);
	if (halt_after && sampler->core_thread[0].next_tick > halt_after * n_ticks)
		return -ENODATA;
	do
		sampler_step_mux(sampler);
	while ((sampler->core_thread[0].next_tick - 1) % n_ticks);
	return 0;
}

void sampler_stop(struct sampler *sampler)
{
	if (!sampler->running)
		return;
	sampler->running = false;
	publish(sampler, plan_newest(sampler)->active, plan_newest(sampler)->interval_ns, true);
	if (!sampler->backend->virtual_clock)
		stop_threads(sampler, sampler->n_core_threads, true);
	collector_drain(sampler, true);
}

void sampler_set_last(struct sampler *sampler, uint64_t number)
{
	/* relaxed: orders nothing */
	atomic_store_explicit(&sampler->last_frame, number, memory_order_relaxed);
}

bool sampler_has_begun(const struct sampler *sampler)
{
	return plan_is_on_cores(sampler, plan_newest(sampler)->number);
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_stop(sampler);
	frame_unref(sampler->played);
	groups_fini(sampler);
	for (unsigned i = 0; i < CONSUMERS_MAX; i++)
		queue_free(sampler->consumer[i]);
	free(sampler->rings);
	free_plans(sampler, plan_newest(sampler));
	collector_fini(sampler);
	symbols_stop(sampler->symbols);
	free(sampler->core_thread);
	free(sampler->run);
	pthread_mutex_destroy(&sampler->consumers_lock);
	free(sampler);
}

const struct set *sampler_set(const struct sampler *sampler)
{
	if (sampler->played)
		return sampler->played->set;
	return plan_newest(sampler)->active ? &plan_newest(sampler)->active->of->set : NULL;
}

const struct metrics_bound *sampler_bound(const struct sampler *sampler)
{
	if (sampler->played)
		return sampler->played->bound;
	return plan_newest(sampler)->active ? &plan_newest(sampler)->active->of->bound : NULL;
}

uint64_t sampler_interval(const struct sampler *sampler)
{
	if (sampler->played)
		return sampler->played->interval_ns;
	return plan_newest(sampler)->interval_ns;
}

uint64_t sampler_started_wall_ns(const struct sampler *sampler)
{
	return sampler->start_wall_ns;
}

uint64_t sampler_now_ns(const struct sampler *sampler)
{
	if (sampler->recording)
		return sampler->played ? sampler->played->t_ns : 0;
	return sampler_clock_ns(sampler) - sampler->start_ns;
}

bool sampler_lacks_real_time(const struct sampler *sampler)
{
	return sampler->real_time && sampler->running && !real_time_is_on();
}

bool sampler_is_recording(const struct sampler *sampler)
{
	return sampler->recording;
}

struct symbols *sampler_symbols(const struct sampler *sampler)
{
	return sampler->symbols;
}

const struct backend *sampler_backend(const struct sampler *sampler)
{
	return sampler->backend;
}
