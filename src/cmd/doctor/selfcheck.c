/* m1top doctor --selfcheck: measures known work, and the cost of measuring. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/rights.h"
#include "cmd/doctor/doctor.h"
#include "cmd/options.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"
#include "discover/kernel.h"
#include "discover/sweep.h"
#include "pmu/event.h"
#include "pmu/sample.h"

enum { SAMPLING_INTERVALS = 3, SAMPLING_LOADS = 3 };

/* Arm's recommended maximum for the average cost of counting. */
#define SAMPLING_LIMIT_PCT 5.0

/* Cost of sampling for one load. */
struct sampling_load {
	const char *kernel;
	double added_pct[SAMPLING_INTERVALS]; /* by the minimum of several runs */
	double noise_pct; /* median of the runs without sampling, relative to their minimum */
};

struct sampling_cost {
	bool is_cycles; /* cycles of the core; else CPU time of the work and of all of m1top */
	struct sampling_load load[SAMPLING_LOADS];
};

/* Share of m1top's own threads in the counts of a busy core. */
struct sampling_own {
	unsigned n; /* 0: this backend cannot attribute counts to tasks */
	char what[SLOTS_MAX + 1][EVENT_NAME_MAX]; /* events; the first is CPU time */
	double pct[SLOTS_MAX + 1]
		  [SAMPLING_INTERVALS]; /* of the whole core's count; NaN: nothing was counted */
};

/* Core type, kept while no backend is open. */
struct checked {
	char name[16];
	unsigned cpu;
	bool is_there; /* false: its core is offline */
};

struct selfcheck_run {
	const struct options *options;
	bool is_simulated;
	struct checked of[TYPES_MAX];
	unsigned n_types;
	unsigned type; /* type being checked */
};

static void clear_share(void)
{
	if (isatty(STDERR_FILENO))
		standard_output_clear_line(stderr);
}

/* Show the progress; a selfcheck_progress_fn. @data  struct selfcheck_run */
static void tell_share(const void *data, unsigned done, unsigned all)
{
	const struct selfcheck_run *check = data;

	clear_share();
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "checking type %s: %u %%", check->of[check->type].name,
			100 * done / all);
}

enum {
	PIECE_MAX = 100000,
	ROUNDS = 5, /* at most; --quick: one */
	OWN_ROUNDS = 4,
	QUEUE_DEPTH = 1024,
	WITHOUT = SAMPLING_INTERVALS
};

/* Duration of a run: longer than the longest interval, so that every run has a tick in it. */
#define WORK_NS (120 * NS_PER_MS)

/* Kernels bound by execution, by memory and by mispredicted branches. The first needs no memory:
 * any extra time is CPU time taken from it. */
static const char *const kernel_name[SAMPLING_LOADS] = { "add", "l2-miss", "branch-random" };

/* Intervals that are tested. */
static const unsigned sampling_interval_ms[SAMPLING_INTERVALS] = { 1, 10, 100 };

struct load {
	const struct kernel *kernel;
	struct workspace *workspace;
	uint64_t piece; /* units for which the workspace is prepared */
	uint64_t units;
};

struct bench {
	struct setup setup;
	unsigned cpu;
	unsigned rounds, own_rounds;
	struct load load[SAMPLING_LOADS];
	struct set cycles;
	int cycles_slot;     /* -1: not counted */
	struct group *group; /* NULL: not counted */
};

/* One run, on its own pinned thread, which ends before the next one starts. */
struct cost_run {
	const struct bench *bench;
	const struct load *load;
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

/* Do the work in pieces with one prepared workspace: preparing a large one takes far longer than a run. */
static void work_through(const struct load *load)
{
	uint64_t n;

	for (uint64_t left = load->units; left; left -= n) {
		n = left < load->piece ? left : load->piece;
		load->kernel->trigger(n, workspace_memory(load->workspace));
	}
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

	uint64_t from_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	work_through(work->load);
	work->cpu_ns = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from_ns);
	work->cycles = NAN;
	if (!bench->group)
		return NULL;
	work->rc = ops->group_read(bench->group, &to);
	ops->group_disable(bench->group);
	work->cycles = cycles_between(&from, &to, bench->cycles_slot);
	return NULL;
}

static int doctor_selfcheck_run(const struct bench *bench, const struct load *load,
				struct cost_run *ret, struct err *err)
{
	struct cost_run work = { .bench = bench, .load = load };
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, run_work, &work);

	if (rc)
		return err_set(err, rc, "cannot start a worker thread: %s", strerror(rc));
	pthread_join(thread, NULL);
	if (work.rc)
		return err_set(err, -work.rc, "CPU %u: %s", bench->cpu, strerror(-work.rc));
	*ret = work;
	return 0;
}

static int make_sampler(const struct bench *bench, unsigned interval_ms, struct sampler **ret,
			struct err *err)
{
	const struct sampler_config config = {
		.backend = bench->setup.backend,
		.metrics = &bench->setup.metrics,
		.interval_ns = interval_ms * NS_PER_MS,
	};

	return sampler_new(&config, ret, err);
}

static int run_sampled(const struct bench *bench, const struct load *load, unsigned interval_ms,
		       struct cost_run *ret, struct err *err)
{
	struct sampler *sampler;
	int rc = make_sampler(bench, interval_ms, &sampler, err);

	if (rc)
		return rc;
	rc = sampler_start(sampler, &bench->setup.first, err);
	if (!rc)
		rc = doctor_selfcheck_run(bench, load, ret, err);
	sampler_free(sampler);
	return rc;
}

/* ---- setup ---- */

/* Make a set of the sampler's events, or of none, and one more event. @return 0; -ENOSPC */
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

/* Whether both fit at once: multiplexing would be extra work. */
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

/* Count cycles, if possible: a core whose slots are counters cannot have a second set. */
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

/* Choose a number of units that takes long enough. */
static int calibrate(const struct bench *bench, struct load *load, struct err *err)
{
	struct cost_run work = { 0 };
	int rc = 0;

	load->piece = load->kernel->n_max < PIECE_MAX ? load->kernel->n_max : PIECE_MAX;
	workspace_prepare(load->workspace, load->piece);
	for (load->units = load->piece; !rc; load->units *= 2) {
		rc = doctor_selfcheck_run(bench, load, &work, err);
		if (work.cpu_ns * 8 >= (double)WORK_NS)
			break;
	}
	if (!rc)
		load->units = (uint64_t)((double)load->units * (double)WORK_NS / work.cpu_ns);
	return rc;
}

static int open_load(struct bench *bench, unsigned i, struct err *err)
{
	struct load *load = &bench->load[i];

	load->kernel = kernel_find(kernel_name[i]);
	if (!kernel_runs_here(load->kernel))
		return err_set(err, ENOTSUP, "no code for this processor");

	int rc = workspace_new(load->kernel, bench->cpu, &load->workspace, err);

	return rc ? rc : calibrate(bench, load, err);
}

static int bench_open(const struct options *options, unsigned cpu, struct bench *bench,
		      struct err *err)
{
	struct options one = *options;
	char list[16];

	*bench = (struct bench){
		.cpu = cpu,
		.cycles_slot = -1,
		.rounds = options->is_quick ? 1 : ROUNDS,
		.own_rounds = options->is_quick ? 1 : OWN_ROUNDS,
	};
	snprintf(list, sizeof(list), "%u", cpu);
	one.cpus = list;

	int rc = setup_open(&one, 0, &bench->setup, err);

	if (rc)
		return rc;
	count_cycles(bench);
	for (unsigned i = 0; i < SAMPLING_LOADS && !rc; i++)
		rc = open_load(bench, i, err);
	return rc;
}

static void bench_close(struct bench *bench)
{
	if (bench->setup.backend)
		bench->setup.backend->ops->group_close(bench->group);
	for (unsigned i = 0; i < SAMPLING_LOADS; i++)
		workspace_free(bench->load[i].workspace);
	setup_close(&bench->setup);
}

/* ---- measuring ---- */

/* Runs of one load, with each interval and without sampling. */
struct runs {
	double cpu_ns[SAMPLING_INTERVALS + 1][ROUNDS], cycles[SAMPLING_INTERVALS + 1][ROUNDS];
};

/* Compare the minimum of each kind: other activity on the machine only adds. */
static void selfcheck_compare(double (*runs)[ROUNDS], unsigned rounds, struct sampling_load *ret)
{
	for (unsigned kind = 0; kind <= WITHOUT; kind++)
		sort_figures(runs[kind], rounds);
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
		ret->added_pct[i] = 100 * (runs[i][0] / runs[WITHOUT][0] - 1);
	ret->noise_pct = 100 * (runs[WITHOUT][rounds / 2] / runs[WITHOUT][0] - 1);
}

/* Measure one round. It begins with another kind each time: the position in the round can cost more than sampling. */
static int measure_load(const struct bench *bench, const struct load *load, unsigned round,
			struct runs *runs, bool *has_cycles, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i <= WITHOUT && !rc; i++) {
		unsigned kind = (i + round) % (WITHOUT + 1);
		struct cost_run work = { 0 };

		rc = kind == WITHOUT
			     ? doctor_selfcheck_run(bench, load, &work, err)
			     : run_sampled(bench, load, sampling_interval_ms[kind], &work, err);
		*has_cycles &= !isnan(work.cycles);
		runs->cpu_ns[kind][round] = work.cpu_ns;
		runs->cycles[kind][round] = work.cycles;
	}
	return rc;
}

static int selfcheck_measure(const struct bench *bench, const struct selfcheck_run *check,
			     struct sampling_cost *ret, struct err *err)
{
	struct runs runs[SAMPLING_LOADS];

	ret->is_cycles = true;
	for (unsigned i = 0; i < bench->rounds * SAMPLING_LOADS; i++) {
		unsigned load = i % SAMPLING_LOADS;

		tell_share(check, i, bench->rounds * SAMPLING_LOADS);
		int rc = measure_load(bench, &bench->load[load], i / SAMPLING_LOADS, &runs[load],
				      &ret->is_cycles, err);

		if (rc)
			return rc;
	}
	for (unsigned i = 0; i < SAMPLING_LOADS; i++) {
		ret->load[i].kernel = kernel_name[i];
		selfcheck_compare(ret->is_cycles ? runs[i].cycles : runs[i].cpu_ns, bench->rounds,
				  &ret->load[i]);
	}
	return 0;
}

/* ---- attribution ---- */

/* Sums for the sampled core: time, then one sum per column. */
struct own_sums {
	uint32_t worker[OWN_ROUNDS]; /* worker threads of this process */
	uint64_t own[1 + COLUMNS_MAX], all[1 + COLUMNS_MAX];
};

static bool is_worker(const struct own_sums *sums, uint32_t tid)
{
	for (unsigned i = 0; i < OWN_ROUNDS; i++)
		if (sums->worker[i] == tid)
			return true;
	return false;
}

static void add_task(const struct frame_tasks *tasks, size_t i, uint64_t *sum)
{
	sum[0] += core_task_time_ns(tasks, i);
	for (unsigned column = 0; column < tasks->n_slots; column++)
		sum[1 + column] += tasks->value[i * tasks->n_slots + column];
}

static void selfcheck_add_frame(struct own_sums *sums, const struct frame *frame)
{
	const struct frame_tasks *tasks = frame->tasks;

	for (size_t i = 0; tasks && i < tasks->n; i++) {
		add_task(tasks, i, sums->all);
		if (tasks->task[i].pid == (uint32_t)getpid() &&
		    !is_worker(sums, tasks->task[i].tid))
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

	for (unsigned i = 0; i < bench->own_rounds && !rc; i++) {
		struct cost_run work = { 0 };

		rc = doctor_selfcheck_run(bench, &bench->load[0], &work, err);
		sums->worker[i] = work.tid;
	}
	sampler_stop(sampler);
	while ((frame = queue_pop(queue, NULL))) {
		selfcheck_add_frame(sums, frame);
		frame_unref(frame);
	}
	return rc;
}

static int measure_own(const struct bench *bench, unsigned interval, struct sampling_own *ret,
		       struct err *err)
{
	struct own_sums sums = { 0 };
	struct sampler *sampler;
	struct queue *queue;
	int rc = make_sampler(bench, sampling_interval_ms[interval], &sampler, err);

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

static int measure_all_own(const struct bench *bench, const struct selfcheck_run *check,
			   struct sampling_own *ret, struct err *err)
{
	int rc = 0;

	name_rows(&bench->setup.first, ret);
	for (unsigned i = 0; i < SAMPLING_INTERVALS && !rc; i++) {
		tell_share(check, i, SAMPLING_INTERVALS);
		rc = measure_own(bench, i, ret, err);
	}
	ret->n = rc ? 0 : ret->n;
	return rc == -ENOTSUP ? 0 : rc;
}

/* ---- cost and attribution ---- */

/*
 * Run the same loads on one CPU, alone and while the events of -e and -P, or the default ones, are
 * sampled there; then run the first load with counts by task.
 *
 * @return 0, with a reason if ret_own is empty; errors of setup_open and sampler_start; -ENOTSUP:
 *         no
 *         kernel runs here; -ENOMEM: no memory for a load
 */
static int sampling_cost_measure(const struct selfcheck_run *check, struct sampling_cost *ret,
				 struct sampling_own *ret_own, struct err *err)
{
	static struct bench bench; /* sets are large */
	int rc = bench_open(check->options, check->of[check->type].cpu, &bench, err);

	if (!rc)
		rc = selfcheck_measure(&bench, check, ret, err);
	if (!rc)
		rc = measure_all_own(&bench, check, ret_own, err);
	bench_close(&bench);
	return rc;
}

/* Round -0.00 to 0, for "+0.00". */
static double shown(double pct)
{
	return pct > -0.005 && pct < 0.005 ? 0 : pct;
}

/* ---- counts ---- */

static const char *why_not(const struct selfcheck *row)
{
	if (*row->why)
		return row->why;
	return row->state == SELFCHECK_NO_KERNEL ? "this processor has no such instruction"
						 : "not counted";
}

/* Print the events that cannot be counted here once, not for each kernel. */
static void print_missing(const struct selfcheck *row, int n, bool has_counters)
{
	char what[160] = "";

	for (int i = 0; i < n; i++) {
		if (row[i].state != SELFCHECK_NO_EVENT || strstr(what, row[i].what))
			continue;
		snprintf(what + strlen(what), sizeof(what) - strlen(what), "%s%s",
			 *what ? ", " : "", row[i].what);
	}
	if (*what)
		NONE("%s: %s", what,
		     has_counters ? "no event here is known to count these"
				  : "no hardware counter here could count these");
}

static void print_counts(const struct selfcheck *row, int n)
{
	printf("     %-16s %-18s %12s %12s %12s\n", "kernel", "event", "measured", "true",
	       "difference");
	for (int i = 0; i < n; i++)
		if (row[i].state == SELFCHECK_MEASURED)
			doctor_say(selfcheck_is_off(&row[i]) ? "!" : "ok",
				   "%-16s %-18s %12.0f %12.0f %+10.2f %%", row[i].kernel,
				   row[i].event, row[i].measured, row[i].truth,
				   shown(selfcheck_off_pct(&row[i])));
		else if (row[i].state != SELFCHECK_NO_EVENT)
			NONE("%-16s %-18s %s", row[i].kernel, row[i].event, why_not(&row[i]));
}

static int check_counts(struct selfcheck_run *check, struct backend *backend,
			struct event_table *events, struct err *err)
{
	struct selfcheck row[SELFCHECK_ROWS];
	struct checked *of = &check->of[check->type];
	struct target target;
	int n = target_make(events, check->type, &target, err);

	if (n)
		return n;
	of->cpu = backend->machine.core[target.core].cpu;
	printf("Counts on cpu %u, type %s (! is more than %g %% off)\n", of->cpu, of->name,
	       SELFCHECK_LIMIT_PCT);
	n = selfcheck_counts(backend, events, check->type, tell_share, check, row, err);
	clear_share();
	if (n < 0)
		return n;
	of->is_there = true;
	print_counts(row, n);
	print_missing(row, n, target.is_core);
	return 0;
}

static int check_types(struct selfcheck_run *check, struct backend *backend,
		       struct event_table *events, struct err *err)
{
	int rc = 0;

	for (check->type = 0; check->type < check->n_types && !rc; check->type++) {
		struct checked *of = &check->of[check->type];

		snprintf(of->name, sizeof(of->name), "%s", backend->machine.type[check->type].name);
		rc = check_counts(check, backend, events, err);
		if (rc == -ENODEV) {
			NONE("%s", err->text);
			rc = 0;
		}
	}
	return rc;
}

static int check_all_counts(struct selfcheck_run *check, struct err *err)
{
	struct event_table *events = NULL;
	struct backend *backend;
	int rc = setup_backend(check->options, &backend, err);

	if (rc)
		return rc;
	rc = setup_keep_rights(check->options, backend, RIGHT_DEVICE, err);
	if (rc) {
		backend_close(backend);
		return rc;
	}
	printf("m1top %s: %s%s\n", M1TOP_VERSION, backend->machine.model,
	       backend->machine.simulated ? " (SIMULATED)" : "");
	check->is_simulated = backend->machine.simulated;
	check->n_types = backend->machine.n_types;
	rc = event_table_new(&backend->machine, &events) ? err_set(err, ENOMEM, "out of memory")
							 : check_types(check, backend, events, err);
	event_table_free(events);
	backend_close(backend);
	return rc;
}

/* ---- cost of sampling ---- */

static void print_intervals(const char *what)
{
	printf("     %-24s", what);
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
		printf("  every %3u ms", sampling_interval_ms[i]);
}

/* Get the mark of a load. "-": even runs without sampling differ by more than the limit. */
static const char *cost_mark(const struct sampling_load *load)
{
	if (load->noise_pct > SAMPLING_LIMIT_PCT)
		return "-";
	for (unsigned i = 0; i < SAMPLING_INTERVALS; i++)
		if (load->added_pct[i] > SAMPLING_LIMIT_PCT)
			return "!";
	return "ok";
}

static void print_cost(const struct sampling_cost *cost)
{
	print_intervals("kernel");
	printf("         noise\n");
	for (const struct sampling_load *load = cost->load; load < cost->load + SAMPLING_LOADS;
	     load++)
		doctor_say(cost_mark(load), "%-24s %+11.2f %% %+11.2f %% %+11.2f %% %11.2f %%",
			   load->kernel, shown(load->added_pct[0]), shown(load->added_pct[1]),
			   shown(load->added_pct[2]), load->noise_pct);
}

static void print_own(const struct sampling_own *own)
{
	print_intervals("");
	putchar('\n');
	for (unsigned row = 0; row < own->n; row++) {
		char text[32];

		if (!*own->what[row])
			continue;
		printf("     %-24s", own->what[row]);
		for (unsigned i = 0; i < SAMPLING_INTERVALS; i++) {
			snprintf(text, sizeof(text), isnan(own->pct[row][i]) ? "-" : "%.3f %%",
				 own->pct[row][i]);
			printf(" %13s", text);
		}
		putchar('\n');
	}
}

static int check_cost(struct selfcheck_run *check, struct err *err)
{
	const struct checked *of = &check->of[check->type];
	struct sampling_cost cost = { 0 };
	struct sampling_own own;
	int rc = sampling_cost_measure(check, &cost, &own, err);

	clear_share();
	if (rc == -ENOTSUP || rc == -ENOMEM) {
		NONE("what sampling adds to work: %s", err->text);
		return 0;
	}
	if (rc)
		return rc;
	printf("What sampling adds to the %s of work on cpu %u, type %s (! above %g %%, "
	       "- noise above it)\n",
	       cost.is_cycles ? "cycles" : "CPU time, m1top's own threads included,", of->cpu,
	       of->name, SAMPLING_LIMIT_PCT);
	print_cost(&cost);
	if (!own.n) {
		NONE("m1top's own counts: %s", err->text);
		return 0;
	}
	printf("What m1top's own threads took of each counter of cpu %u, type %s, while it "
	       "worked\n",
	       of->cpu, of->name);
	print_own(&own);
	return 0;
}

static int check_all_costs(struct selfcheck_run *check, struct err *err)
{
	int rc = 0;

	if (check->is_simulated) {
		printf("What sampling adds to work\n");
		NONE("SIMULATED: no core here does real work that sampling could disturb");
		return 0;
	}
	for (check->type = 0; check->type < check->n_types && !rc; check->type++)
		if (check->of[check->type].is_there)
			rc = check_cost(check, err);
	return rc;
}

/* Refuse a mistyped event before the runs, which take seconds. */
static int check_events(const struct options *options, struct err *err)
{
	static struct setup setup; /* sets are large */

	if (!options->events && !options->preset)
		return 0;

	int rc = setup_open(options, 0, &setup, err);

	setup_close(&setup);
	return rc;
}

/* Measure the cost of each core after the backend of the counts is closed: register counters have one owner. */
int doctor_selfcheck(const struct options *options)
{
	struct selfcheck_run check = { .options = options };
	struct err err = { "" };
	int rc = check_events(options, &err);

	if (!rc)
		rc = check_all_counts(&check, &err);
	if (!rc)
		rc = check_all_costs(&check, &err);
	return options_end(rc, &err);
}
