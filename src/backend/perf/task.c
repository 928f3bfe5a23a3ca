/* Counting in tasks: each event by itself, since what is inherited cannot be read as a group. */
#include "backend/perf/perf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/num.h"
#include "base/text.h"

/* Software events of a machine with several types of core are counted CPU by CPU, and so is, in a slot of
 * its own, how long the tasks were on cores of the type: nothing else tells what its PMU missed. */
enum { SLOT_TIME = SLOTS_MAX };

/* One event of one task, on all CPUs or on one. */
struct tasks_part {
	uint8_t slot;
	pid_t tid;
	int fd;
};

struct tasks {
	uint8_t n_slots;
	uint8_t state[SLOTS_MAX];
	bool has_time; /* the first parts are of SLOT_TIME */
	struct tasks_part *part;
	size_t n_parts, cap_parts;
};

struct tasks_opening {
	struct perf *perf;
	struct tasks *tasks;
	const struct placement *place;
	unsigned type;
	bool on_exec;
	uint64_t told; /* slots of which it was said that they are missing */
	struct text missing;
	struct err *err;
};

/* Once, however many threads. */
static void not_counted(struct tasks_opening *opening, unsigned slot, const char *why)
{
	const struct event *event = opening->place->event[slot];

	if (opening->told >> slot & 1)
		return;
	opening->told |= UINT64_C(1) << slot;
	text_printf(&opening->missing, "%s%s of %s: %s", opening->missing.n ? "; " : "",
		    event->name, event->pmu->name, why);
}

/* What belongs to a device or a package is nobody's in particular. */
static const char *why_not(const struct event *event)
{
	if (event->pmu->kind == PMU_UNCORE || event->pmu->kind == PMU_ACTIVITY)
		return "it does not belong to any process";
	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege)
		return "its PMU cannot tell user from kernel";
	return NULL;
}

static int add_part(struct tasks_opening *opening, union perf_attr *attr, unsigned slot, pid_t tid,
		    int cpu)
{
	struct tasks *tasks = opening->tasks;
	struct tasks_part part = { (uint8_t)slot, tid,
				   perf_open_task(opening->perf, attr, tid, cpu) };

	if (part.fd < 0)
		return part.fd;
	if (array_append((void **)&tasks->part, &tasks->cap_parts, &tasks->n_parts, &part,
			 sizeof(part))) {
		close(part.fd);
		return -ENOMEM;
	}
	return 0;
}

/* On one CPU after the other, of this type. */
static int add_by_cpu(struct tasks_opening *opening, union perf_attr *attr, unsigned slot,
		      pid_t tid)
{
	const struct machine *machine = &opening->perf->base.machine;
	int rc = 0;

	for (unsigned i = 0; i < machine->n_cores && !rc; i++)
		if (machine->core[i].type == opening->type)
			rc = add_part(opening, attr, slot, tid, (int)machine->core[i].cpu);
	return rc;
}

static void task_attr(const struct tasks_opening *opening, const struct event *event,
		      union perf_attr *ret)
{
	bool is_clock =
		event->pmu->kind == PMU_SOFTWARE && event->config[0] <= PERF_COUNT_SW_TASK_CLOCK;

	perf_attr(event->pmu, event->config, event->privilege, opening->on_exec, ret);
	ret->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	ret->attr.inherit = 1;
	/* clocks take no notice of it, and so need no right to the kernel's part of a task */
	ret->attr.exclude_kernel |= is_clock;
}

static int open_event(struct tasks_opening *opening, const struct event *event, unsigned slot,
		      pid_t tid)
{
	bool is_everywhere = event->pmu->kind == PMU_SOFTWARE || event->pmu->kind == PMU_MSR;
	union perf_attr attr;

	task_attr(opening, event, &attr);
	return is_everywhere && opening->tasks->has_time ? add_by_cpu(opening, &attr, slot, tid)
							 : add_part(opening, &attr, slot, tid, -1);
}

/* @return 0: this event alone cannot be counted */
static int refused(struct tasks_opening *opening, pid_t tid, int code)
{
	if (code == ESRCH)
		return err_set(opening->err, ESRCH, "there is no thread %d", (int)tid);
	if (code == EACCES || code == EPERM)
		return perf_tasks_denied(opening->perf->root, tid, code, opening->err);
	if (code == EMFILE || code == ENFILE || code == ENOMEM)
		return err_set(opening->err, code, "process %d: %s", (int)tid, perf_reason(code));
	return 0;
}

static int add_event(struct tasks_opening *opening, unsigned slot, pid_t tid)
{
	const struct event *event = opening->place->event[slot];
	int code = -open_event(opening, event, slot, tid);
	int rc = code ? refused(opening, tid, code) : 0;

	if (!code)
		opening->tasks->state[slot] = RAW_OK;
	else if (!rc)
		not_counted(opening, slot, perf_reason(code));
	return rc;
}

/* How long it was on cores of this type: an event that never happens, but whose time runs. */
static int add_time(struct tasks_opening *opening, pid_t tid)
{
	static const struct pmu software = { .type = PERF_TYPE_SOFTWARE, .kind = PMU_SOFTWARE };
	static const struct event dummy = { .name = "dummy",
					    .pmu = &software,
					    .privilege = PRIVILEGE_USER,
					    .config = { PERF_COUNT_SW_DUMMY } };
	int rc = opening->tasks->has_time ? open_event(opening, &dummy, SLOT_TIME, tid) : 0;

	return rc ? refused(opening, tid, -rc) : 0;
}

static bool is_counted(const struct tasks *tasks, pid_t tid)
{
	size_t i = 0;

	while (i < tasks->n_parts && tasks->part[i].tid != tid)
		i++;
	return i < tasks->n_parts;
}

/* Once, however often it is asked for: by its id, and as one of its process. */
static int add_thread(struct tasks_opening *opening, pid_t tid)
{
	const struct placement *place = opening->place;
	int rc;

	if (is_counted(opening->tasks, tid))
		return 0;
	rc = add_time(opening, tid);

	for (unsigned i = 0; i < place->n_order && !rc; i++)
		if (!why_not(place->event[place->order[i]]))
			rc = add_event(opening, place->order[i], tid);
	return rc;
}

static int add_process(struct tasks_opening *opening, pid_t pid)
{
	char path[300];
	unsigned n = 0;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/proc/%d/task", opening->perf->root, (int)pid);

	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && !rc && (entry = readdir(dir))) {
		uint64_t tid;

		if (num_parse_u64(entry->d_name, &tid))
			continue;
		rc = add_thread(opening, (pid_t)tid);
		n += !rc;
		rc = rc == -ESRCH ? 0 : rc; /* it has ended since */
	}
	if (dir)
		closedir(dir);
	return rc || n ? rc : err_set(opening->err, ESRCH, "there is no process %d", (int)pid);
}

static int add_target(struct tasks_opening *opening, const struct task_target *target)
{
	opening->on_exec = target->kind == TARGET_EXEC;
	return target->kind == TARGET_PROCESS ? add_process(opening, target->id)
					      : add_thread(opening, target->id);
}

static void init_slots(struct tasks_opening *opening, const struct set *set)
{
	struct tasks *tasks = opening->tasks;

	tasks->n_slots = (uint8_t)set->n_slots;
	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = opening->place->event[slot];
		const char *why = event && !*event->refused ? why_not(event) : NULL;

		tasks->state[slot] = event ? RAW_UNSUPPORTED : RAW_EMPTY;
		if (why)
			not_counted(opening, slot, why);
	}
}

int perf_tasks_open(struct backend *backend, const struct task_target *target, size_t n,
		    unsigned type, const struct set *set, struct tasks **ret, struct err *err)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	struct tasks_opening opening = { .perf = (struct perf *)backend,
					 .tasks = tasks,
					 .place = &set->type[type],
					 .type = type,
					 .err = err };
	int rc = 0;

	if (!tasks)
		return err_set(err, ENOMEM, "out of memory");
	tasks->has_time = backend->machine.n_types > 1;
	init_slots(&opening, set);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_target(&opening, &target[i]);
	if (rc) {
		perf_tasks_close(tasks);
	} else {
		err_set(err, 0, "%s", opening.missing.n ? opening.missing.bytes : "");
		*ret = tasks;
	}
	text_fini(&opening.missing);
	return rc;
}

/* read(2) of one event with both times */
struct values {
	uint64_t value, enabled_ns, running_ns;
};

/* An event is enabled as long as its task runs, on whatever core: where there are several types the
 * time on this one, read before, is what counts, and what has passed since is no time missed. */
static void take_time(const struct tasks *tasks, uint64_t time_ns, struct sample *sample)
{
	for (unsigned slot = 0; slot < tasks->n_slots && tasks->has_time; slot++) {
		struct raw *raw = &sample->raw[slot];

		raw->enabled_ns = time_ns > raw->running_ns ? time_ns : raw->running_ns;
	}
}

int perf_tasks_read(struct tasks *tasks, struct sample *ret)
{
	struct raw sum[SLOTS_MAX + 1] = { 0 };

	for (size_t i = 0; i < tasks->n_parts; i++) {
		struct raw *raw = &sum[tasks->part[i].slot];
		struct values values;

		if (read(tasks->part[i].fd, &values, sizeof(values)) != (ssize_t)sizeof(values))
			return -EIO;
		raw->value += values.value;
		raw->enabled_ns += values.enabled_ns;
		raw->running_ns += values.running_ns;
	}
	ret->n_slots = tasks->n_slots;
	memcpy(ret->state, tasks->state, sizeof(ret->state));
	memcpy(ret->raw, sum, tasks->n_slots * sizeof(ret->raw[0]));
	take_time(tasks, sum[SLOT_TIME].running_ns, ret);
	return 0;
}

void perf_tasks_close(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->n_parts; i++)
		close(tasks->part[i].fd);
	free(tasks->part);
	free(tasks);
}
