/* Counting in a process: each event by itself, since what is inherited cannot be read as a group. */
#include "backend/perf/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "event/request.h"

/* One event on one PMU. A slot has one for each core PMU; of software events they are all the same. */
struct tasks_part {
	uint8_t slot;
	int fd; /* -1: it cannot be counted, and that was said */
	const struct event *event;
};

struct tasks {
	uint8_t n_slots;
	uint8_t state[SLOTS_MAX];
	unsigned n_parts;
	struct tasks_part part[SLOTS_MAX * TYPES_MAX];
};

struct tasks_opening {
	struct perf *perf;
	struct tasks *tasks;
	pid_t pid;
	struct text missing;
	struct err *err;
};

static bool is_there(const struct tasks *tasks, unsigned slot, const struct event *event)
{
	for (unsigned i = 0; i < tasks->n_parts; i++)
		if (tasks->part[i].slot == slot && event_counts_as(tasks->part[i].event, event))
			return true;
	return false;
}

static void not_counted(struct tasks_opening *opening, const struct event *event, const char *why)
{
	text_printf(&opening->missing, "%s%s of %s: %s", opening->missing.n ? "; " : "",
		    event->name, event->pmu->name, why);
}

/* What belongs to a device, a package or the idle cores is nobody's in particular. */
static const char *why_not(const struct event *event)
{
	if (event->pmu->kind != PMU_CORE && event->pmu->kind != PMU_SOFTWARE)
		return "it does not belong to any process";
	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege)
		return "its PMU cannot tell user from kernel";
	return NULL;
}

static int open_event(const struct tasks_opening *opening, const struct event *event)
{
	union perf_attr attr;

	perf_attr(event->pmu, event->config, event->privilege, true, &attr);
	attr.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.attr.enable_on_exec = 1;
	attr.attr.inherit = 1;
	return perf_open_task(opening->perf, &attr, opening->pid);
}

static int refused(struct tasks_opening *opening, const struct event *event, int code)
{
	if (code == ESRCH)
		return err_set(opening->err, ESRCH, "process %d is gone", (int)opening->pid);
	if (code == EACCES || code == EPERM)
		return perf_denied(opening->perf->root, code, opening->err);
	if (code == EMFILE || code == ENFILE)
		return err_set(opening->err, code, "%s: %s", event->name, perf_reason(code));
	not_counted(opening, event, perf_reason(code));
	return 0;
}

static int add_event(struct tasks_opening *opening, unsigned slot, const struct event *event)
{
	struct tasks *tasks = opening->tasks;
	const char *why = why_not(event);
	int fd = -1, rc = 0;

	if (is_there(tasks, slot, event))
		return 0;
	if (why)
		not_counted(opening, event, why);
	else
		fd = open_event(opening, event);
	if (fd < 0 && !why)
		rc = refused(opening, event, -fd);
	if (fd >= 0)
		tasks->state[slot] = RAW_OK;
	tasks->part[tasks->n_parts++] =
		(struct tasks_part){ (uint8_t)slot, fd >= 0 ? fd : -1, event };
	return rc;
}

static int add_type(struct tasks_opening *opening, const struct placement *place)
{
	int rc = 0;

	for (unsigned i = 0; i < place->n_order && !rc; i++)
		rc = add_event(opening, place->order[i], place->event[place->order[i]]);
	return rc;
}

static void init_slots(struct tasks *tasks, const struct set *set)
{
	tasks->n_slots = (uint8_t)set->n_slots;
	for (unsigned slot = 0; slot < set->n_slots; slot++)
		tasks->state[slot] = set_event(set, slot) ? RAW_UNSUPPORTED : RAW_EMPTY;
}

int perf_tasks_open(struct backend *backend, pid_t pid, const struct set *set, struct tasks **ret,
		    struct err *err)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));
	struct tasks_opening opening = {
		.perf = (struct perf *)backend, .tasks = tasks, .pid = pid, .err = err
	};
	int rc = 0;

	if (!tasks)
		return err_set(err, ENOMEM, "out of memory");
	init_slots(tasks, set);
	for (unsigned type = 0; type < backend->machine.n_types && !rc; type++)
		rc = add_type(&opening, &set->type[type]);
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

/* The parts take turns as the process moves between core types: only their sum has a meaning. All of
 * them are enabled as long as the process runs, on whatever core. */
static void add_values(struct raw *sum, const struct values *values)
{
	sum->value += values->value;
	sum->running_ns += values->running_ns;
	if (values->enabled_ns > sum->enabled_ns)
		sum->enabled_ns = values->enabled_ns;
}

int perf_tasks_read(struct tasks *tasks, struct sample *ret)
{
	struct sample sample = *ret;

	sample.n_slots = tasks->n_slots;
	memcpy(sample.state, tasks->state, sizeof(sample.state));
	memset(sample.raw, 0, sizeof(sample.raw));
	for (unsigned i = 0; i < tasks->n_parts; i++) {
		const struct tasks_part *part = &tasks->part[i];
		struct values values;

		if (part->fd < 0)
			continue;
		if (read(part->fd, &values, sizeof(values)) != (ssize_t)sizeof(values))
			return -EIO;
		add_values(&sample.raw[part->slot], &values);
	}
	*ret = sample;
	return 0;
}

void perf_tasks_close(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (unsigned i = 0; i < tasks->n_parts; i++)
		if (tasks->part[i].fd >= 0)
			close(tasks->part[i].fd);
	free(tasks);
}
