#include "discover/run/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "discover/run/programs.h"
#include "pmu/count.h"

/* ---- interrupts of a CPU ---- */

/* /proc/interrupts, kept open; reads allocate nothing. */
struct interrupts {
	int fd; /* -1: closed */
	unsigned cpu;
	char *text; /* room for the whole file */
	size_t size;
};

static const char *skip_blanks(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

/* Parse decimal digits, fast, as the file is read around every run. @return false if there are none */
static bool interrupts_take_number(const char **at, uint64_t *ret)
{
	const char *digit = skip_blanks(*at);
	uint64_t value = 0;

	if (*digit < '0' || *digit > '9')
		return false;
	for (; *digit >= '0' && *digit <= '9'; digit++)
		value = value * 10 + (uint64_t)(*digit - '0');
	*at = digit;
	*ret = value;
	return true;
}

/* Parse "           CPU0       CPU1"; offline CPUs have no column. @return -1 if the CPU has none */
static int find_column(const char *text, unsigned cpu, unsigned *ret_n)
{
	int column = -1;
	unsigned n = 0;
	uint64_t number;

	for (text = skip_blanks(text); strncmp(text, "CPU", 3) == 0; text = skip_blanks(text)) {
		text += 3;
		if (!interrupts_take_number(&text, &number))
			break;
		if (number == cpu)
			column = (int)n;
		n++;
	}
	*ret_n = n;
	return column;
}

static uint64_t of_line(const char *at, unsigned column, unsigned n)
{
	uint64_t value, found = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!interrupts_take_number(&at, &value))
			return 0;
		if (i == column)
			found = value;
	}
	return found;
}

int interrupts_sum(const char *text, unsigned cpu, uint64_t *ret)
{
	unsigned n;
	int column = find_column(text, cpu, &n);
	uint64_t sum = 0;

	if (column < 0)
		return -ENODEV;
	while ((text = strchr(text, '\n')) && *++text) {
		text += strcspn(text, ":\n");
		if (*text == ':')
			sum += of_line(text + 1, (unsigned)column, n);
	}
	*ret = sum;
	return 0;
}

/* @return bytes; -errno; the buffer's size if there may be more */
static ssize_t interrupts_read_all(const struct interrupts *interrupts)
{
	size_t n = 0;

	while (n < interrupts->size) {
		ssize_t got =
			pread(interrupts->fd, interrupts->text + n, interrupts->size - n, (off_t)n);

		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* Read the interrupts of the CPU since boot. @return 0; -ENODEV if it has gone offline; -errno */
static int interrupts_read(struct interrupts *interrupts, uint64_t *ret)
{
	ssize_t n = interrupts_read_all(interrupts);

	if (n < 0)
		return (int)n;
	if ((size_t)n >= interrupts->size)
		return -EFBIG;
	interrupts->text[n] = '\0';
	return interrupts_sum(interrupts->text, interrupts->cpu, ret);
}

/* Allocate twice the current size, as numbers grow and devices are added. */
static int interrupts_make_room(struct interrupts *interrupts)
{
	interrupts->size = 4096;
	for (;;) {
		ssize_t n;

		free(interrupts->text);
		interrupts->text = malloc(interrupts->size);
		if (!interrupts->text)
			return -ENOMEM;
		n = interrupts_read_all(interrupts);
		if (n < 0)
			return (int)n;
		if ((size_t)n <= interrupts->size / 2)
			return 0;
		interrupts->size *= 2;
	}
}

static void interrupts_close(struct interrupts *interrupts)
{
	if (!interrupts || interrupts->fd < 0)
		return;
	close(interrupts->fd);
	free(interrupts->text);
	*interrupts = (struct interrupts){ .fd = -1 };
}

/* @return 0; -errno if the kernel does not provide the file; -ENODEV if the CPU has no column: it is offline */
static int interrupts_open(unsigned cpu, struct interrupts *ret, struct err *err)
{
	struct interrupts made = { .fd = open("/proc/interrupts", O_RDONLY | O_CLOEXEC),
				   .cpu = cpu };
	uint64_t unused;
	int rc = made.fd < 0 ? -errno : interrupts_make_room(&made);

	if (!rc)
		rc = interrupts_read(&made, &unused);
	if (rc) {
		interrupts_close(&made);
		return err_set(err, -rc, "/proc/interrupts of CPU %u: %s", cpu, strerror(-rc));
	}
	*ret = made;
	return 0;
}

enum { WARM_UNITS = 64 };

/* approximate time to start a program; its own run time is unknown */
#define PROGRAM_NS (2 * NS_PER_MS)

struct runner {
	struct backend *backend;
	unsigned core;
	bool is_pinned;
	struct cpus before; /* original affinity of the thread */
	struct interrupts interrupts;
	struct group *group;   /* NULL: nothing is loaded */
	const struct set *set; /* of the group */
	unsigned n_slots;
	uint8_t width[SLOTS_MAX];
	const struct kernel *kernel; /* NULL: none is selected */
	struct workspace *workspace;
	const atomic_bool *stop; /* NULL: programs are never stopped */
	struct err last_error;
};

/* Disturbances that the operating system counts for the thread and its CPU. */
struct boundary {
	long switches;
	uint64_t interrupts;
};

static unsigned runner_cpu_of(const struct runner *runner)
{
	return runner->backend->machine.core[runner->core].cpu;
}

static bool simulates(const struct runner *runner)
{
	return runner->backend->ops->run_workload;
}

static int pin(struct runner *runner, struct err *err)
{
	unsigned cpu = runner_cpu_of(runner);
	int rc = cpus_get_affinity(&runner->before);

	if (rc)
		return err_set(err, -rc, "sched_getaffinity: %s", strerror(-rc));
	if (cpus_pin(cpu))
		return err_set(err, ENODEV, "CPU %u cannot be used: it is offline or not allowed",
			       cpu);
	runner->is_pinned = true;
	return interrupts_open(cpu, &runner->interrupts, err);
}

static void unpin(struct runner *runner)
{
	interrupts_close(&runner->interrupts);
	if (runner->is_pinned)
		cpus_set_affinity(&runner->before);
}

bool runner_may_use(struct backend *backend, unsigned core)
{
	struct runner runner = { .backend = backend, .core = core, .interrupts.fd = -1 };

	if (simulates(&runner))
		return backend->ops->core_online(backend, core);

	bool may = !pin(&runner, NULL);

	unpin(&runner);
	return may;
}

int runner_open(struct backend *backend, unsigned core, struct runner **ret, struct err *err)
{
	struct runner *runner = calloc(1, sizeof(*runner));

	if (!runner)
		return err_set(err, ENOMEM, "out of memory");
	runner->backend = backend;
	runner->core = core;
	runner->interrupts.fd = -1;

	int rc = simulates(runner) ? 0 : pin(runner, err);

	if (rc) {
		runner_close(runner);
		return rc;
	}
	*ret = runner;
	return 0;
}

void runner_stop_on(struct runner *runner, const atomic_bool *stop)
{
	runner->stop = stop;
}

void runner_close(struct runner *runner)
{
	if (!runner)
		return;
	runner->backend->ops->group_close(runner->group);
	workspace_free(runner->workspace);
	unpin(runner);
	free(runner);
}

int runner_load(struct runner *runner, const struct set *set, struct err *err)
{
	const struct machine *machine = &runner->backend->machine;
	unsigned index = machine->core[runner->core].type;
	const struct core_type *type = &machine->type[index];
	struct group *group;

	runner->backend->ops->group_close(runner->group);
	runner->group = NULL;

	int rc = runner->backend->ops->group_open(runner->backend, runner->core, set, &group, err);

	if (rc)
		return rc;
	runner->group = group;
	runner->set = set;
	runner->n_slots = set->n_slots;
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set->type[index].event[slot];

		runner->width[slot] =
			event && event->pmu == type->pmu && type->width ? (uint8_t)type->width : 64;
	}
	return 0;
}

/* ---- runs ---- */

static uint64_t units_of(const struct kernel *kernel, uint64_t n)
{
	return (uint64_t)ceil((double)n / kernel->triggers - 1e-9);
}

double runner_triggers(const struct kernel *kernel, uint64_t n)
{
	return (double)units_of(kernel, n) * kernel->triggers;
}

static void run_code(struct runner *runner, bool is_trigger, uint64_t n_units)
{
	kernel_fn *code = is_trigger ? runner->kernel->trigger : runner->kernel->control;

	code(n_units, workspace_memory(runner->workspace));
}

/* @return number of interruptions that a simulated core would have had */
static unsigned work(struct runner *runner, bool is_trigger, uint64_t n)
{
	const struct kernel *kernel = runner->kernel;

	if (simulates(runner)) {
		const struct workload workload = { kernel->name, is_trigger,
						   runner_triggers(kernel, n) };

		return runner->backend->ops->run_workload(runner->group, &workload);
	}
	run_code(runner, is_trigger, units_of(kernel, n));
	return 0;
}

/* @return 0; -errno if interrupts cannot be read any more */
static int runner_look(struct runner *runner, struct boundary *ret)
{
	struct rusage usage = { 0 };

	if (!runner->is_pinned)
		return 0;
	getrusage(RUSAGE_THREAD, &usage);
	ret->switches = usage.ru_nvcsw + usage.ru_nivcsw;
	return interrupts_read(&runner->interrupts, &ret->interrupts);
}

/* Whether the kernel switches on purpose, which in others is a disturbance. */
static bool switches(const struct kernel *kernel)
{
	return kernel->software && strcmp(kernel->software, "context-switches") == 0;
}

/* Return the first reason to reject a run; lost counts are checked separately. */
static enum disturbance runner_judge(const struct runner *runner, const struct boundary *before,
				     const struct boundary *after, unsigned n_played)
{
	if (runner->is_pinned && sched_getcpu() != (int)runner_cpu_of(runner))
		return DISTURBED_MIGRATED;
	if (n_played)
		return DISTURBED_INTERRUPTED;
	if (switches(runner->kernel))
		return UNDISTURBED;
	if (after->switches != before->switches)
		return DISTURBED_SWITCHED;
	if (after->interrupts != before->interrupts)
		return DISTURBED_INTERRUPTED;
	return UNDISTURBED;
}

static bool runner_is_lost(uint8_t state)
{
	return state == RAW_LOST || state == RAW_RESTARTED;
}

/* @return false if a counter did not count all the time */
static bool take_counts(const struct runner *runner, const struct sample *before,
			const struct sample *after, struct run *ret)
{
	bool is_whole = true;

	for (unsigned slot = 0; slot < runner->n_slots; slot++) {
		const struct raw *from = &before->raw[slot], *to = &after->raw[slot];

		ret->state[slot] = runner_is_lost(before->state[slot]) ? before->state[slot]
								       : after->state[slot];
		if (ret->state[slot] == RAW_OK)
			ret->count[slot] =
				counter_delta(from->value, to->value, runner->width[slot]);
		if (runner_is_lost(ret->state[slot]) ||
		    (ret->state[slot] == RAW_OK &&
		     to->running_ns - from->running_ns < to->enabled_ns - from->enabled_ns))
			is_whole = false;
	}
	return is_whole;
}

/* Count the work, with as little else as possible between the two reads. */
static int runner_count(struct runner *runner, bool is_trigger, uint64_t n, struct sample *before,
			struct sample *after, unsigned *ret_played)
{
	const struct backend_ops *ops = runner->backend->ops;
	int rc = ops->group_enable(runner->group);

	if (rc)
		return rc;
	before->t_ns = clock_now_ns();
	rc = ops->group_read(runner->group, before);
	if (!rc) {
		*ret_played = work(runner, is_trigger, n);
		after->t_ns = clock_now_ns();
		rc = ops->group_read(runner->group, after);
	}

	int stopped = ops->group_disable(runner->group);

	return rc ? rc : stopped;
}

/* Return how long the programs ran, without starting and waiting. */
static uint64_t time_at_work(const struct sample *sample)
{
	uint64_t ns = 0;

	for (unsigned slot = 0; slot < sample->n_slots; slot++)
		if (sample->state[slot] == RAW_OK && sample->raw[slot].enabled_ns > ns)
			ns = sample->raw[slot].enabled_ns;
	return ns;
}

/* Get the counts of a program, which may have shared counters: partial counts are scaled, a
 * counter that never ran is lost. @ret  counts and states of the slots  @return false if any is
 * lost */
static bool program_counts(const struct sample *sample, struct run *ret)
{
	bool is_whole = true;

	for (unsigned slot = 0; slot < sample->n_slots; slot++) {
		const struct raw *raw = &sample->raw[slot];
		const struct count count = {
			.value = raw->value,
			.enabled_ns = raw->enabled_ns,
			.running_ns = raw->running_ns,
			.quality = quality_of_times(raw->enabled_ns, raw->running_ns),
		};

		ret->state[slot] = sample->state[slot];
		if (ret->state[slot] != RAW_OK)
			continue;
		if (quality_has_value(count.quality))
			ret->count[slot] = (uint64_t)llround(count_total(&count).value);
		else
			ret->state[slot] = RAW_LOST;
		is_whole &= ret->state[slot] == RAW_OK;
	}
	return is_whole;
}

static int run_program(struct runner *runner, bool is_trigger, uint64_t n, struct run *ret)
{
	const struct programs *programs = runner->kernel->programs;
	struct sample sample = { 0 };
	struct run run = { 0 };
	int rc = program_run(is_trigger ? programs->trigger : programs->control, n, runner->backend,
			     runner->backend->machine.core[runner->core].type, runner->set,
			     runner->stop, &sample, &runner->last_error);

	if (rc)
		return rc;
	run.ns = time_at_work(&sample);
	if (!program_counts(&sample, &run))
		run.disturbance = DISTURBED_LOST;
	*ret = run;
	return 0;
}

int runner_run(struct runner *runner, bool is_trigger, uint64_t n, struct run *ret)
{
	struct sample before = { 0 }, after = { 0 };
	struct boundary from = { 0 }, to = { 0 };
	struct run run = { 0 };
	unsigned n_played = 0;

	if (runner->kernel->programs)
		return run_program(runner, is_trigger, n, ret);
	if (runner->workspace) /* NULL: no code is run */
		workspace_prepare(runner->workspace, units_of(runner->kernel, n));

	int rc = runner_look(runner, &from);

	if (!rc)
		rc = runner_count(runner, is_trigger, n, &before, &after, &n_played);
	if (!rc)
		rc = runner_look(runner, &to);
	if (rc)
		return rc;
	run.ns = after.t_ns - before.t_ns;
	run.disturbance = runner_judge(runner, &from, &to, n_played);
	if (!take_counts(runner, &before, &after, &run) && !run.disturbance)
		run.disturbance = DISTURBED_LOST;
	*ret = run;
	return 0;
}

/* Try more than once: a set that is multiplexed with another program's may be off for a while. */
bool runner_counts(struct runner *runner)
{
	const struct backend_ops *ops = runner->backend->ops;
	bool runs = false;

	for (unsigned i = 0; i < 3 && !runs; i++) {
		struct sample before = { 0 }, after = { 0 };
		struct run run = { 0 };

		if (ops->group_enable(runner->group))
			return true; /* the first real run reports the error */
		runs = ops->group_read(runner->group, &before) ||
		       ops->group_read(runner->group, &after) ||
		       take_counts(runner, &before, &after, &run);
		ops->group_disable(runner->group);
	}
	return runs;
}

uint64_t runner_cost_ns(struct runner *runner, uint64_t n)
{
	uint64_t from_ns = clock_now_ns(), n_units;
	struct boundary unused;

	if (simulates(runner))
		return 1;
	if (runner->kernel->programs)
		return PROGRAM_NS;
	n_units = units_of(runner->kernel, n);
	for (int is_trigger = 0; is_trigger < 2; is_trigger++) {
		workspace_prepare(runner->workspace, n_units);
		(void)runner_look(runner, &unused);
		run_code(runner, is_trigger, n_units);
		(void)runner_look(runner, &unused);
	}
	return clock_now_ns() - from_ns;
}

static void warm_up(struct runner *runner)
{
	const struct kernel *kernel = runner->kernel;
	uint64_t n = kernel->n_max < WARM_UNITS ? kernel->n_max : WARM_UNITS;

	for (int is_trigger = 0; is_trigger < 2; is_trigger++) {
		workspace_prepare(runner->workspace, n);
		run_code(runner, is_trigger, n);
	}
}

int runner_use(struct runner *runner, const struct kernel *kernel, struct err *err)
{
	struct workspace *workspace = NULL;
	int rc = 0;

	if (!simulates(runner) && !kernel_runs_here(kernel))
		return err_set(err, ENOTSUP, "this processor cannot run the kernel %s",
			       kernel->name);
	if (!simulates(runner))
		rc = workspace_new(kernel, runner_cpu_of(runner), &workspace, err);
	if (rc)
		return rc;
	workspace_free(runner->workspace);
	runner->workspace = workspace;
	runner->kernel = kernel;
	if (!simulates(runner) && !kernel->programs)
		warm_up(runner);
	return 0;
}

const char *runner_note(const struct runner *runner)
{
	return runner->workspace ? workspace_note(runner->workspace) : "";
}

const char *runner_last_error(const struct runner *runner)
{
	return runner->last_error.text;
}
