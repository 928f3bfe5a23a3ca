#include "pmu/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/machine.h"

const struct backend_ops *const backend_table[] = {
	&backend_apple,
	&backend_perf,
	&backend_sim,
	NULL,
};

/* Whether a probe failed only because of permissions, a busy counter or a resource limit. */
static bool is_denied(int result)
{
	return result == -EACCES || result == -EPERM || result == -EBUSY || result == -EMFILE;
}

static int open_named(const struct backend_config *config, struct backend **ret, struct err *err)
{
	struct text text = { 0 };

	for (size_t i = 0; backend_table[i]; i++)
		if (strcmp(backend_table[i]->name, config->name) == 0)
			return backend_table[i]->open(config, ret, err);
	text_printf(&text, "no backend is named \"%s\"; available: ", config->name);
	for (size_t i = 0; backend_table[i]; i++)
		text_printf(&text, "%s%s", i ? ", " : "", backend_table[i]->name);
	return text_to_err(&text, EINVAL, err);
}

#define CANNOT_TELL_TASKS \
	"the backend %s cannot tell tasks apart: it does not learn of context switches"

int backend_has_no_tasks(const struct backend_ops *ops, struct err *err)
{
	return err_set(err, ENOTSUP, CANNOT_TELL_TASKS "; perf does (--backend perf)", ops->name);
}

int backend_can_sample(const struct backend *backend, struct err *err)
{
	if (!backend->ops->sample_every)
		return err_set(
			err, ENOTSUP,
			"the backend %s counts, but cannot sample, so it cannot tell functions "
			"apart; perf does (--backend perf)",
			backend->ops->name);
	if (backend->without_rights)
		return err_set(
			err, EACCES,
			"functions are not told apart without the right to count whole CPUs: "
			"see `m1top doctor`");
	return 0;
}

int backend_has_cgroups(const struct backend *backend, struct err *err)
{
	if (*backend->no_cgroups.text)
		return err_set(err, ENOTSUP, "%s", backend->no_cgroups.text);
	if (!backend->ops->cgroups || backend->without_rights)
		return err_set(err, ENOTSUP,
			       "without counters of whole CPUs tasks have no cgroups");
	return 0;
}

/* Note that hardware counters are available, but only through a backend that cannot count tasks. */
static void note_without_tasks(const struct backend_config *config, struct backend *backend)
{
	bool is_needed = config->of_tasks && !machine_has_core_pmu(&backend->machine);

	for (size_t i = 0; is_needed && backend_table[i]; i++) {
		const struct backend_ops *better = backend_table[i];

		if (better->tasks_open || better->only_by_name || better->probe(config, NULL))
			continue;
		err_set(&backend->note, 0, "software events alone: " CANNOT_TELL_TASKS,
			better->name);
		return;
	}
}

/* Open a backend with a note, unless it has set its own, which is more specific. */
static int open_with_note(const struct backend_ops *ops, const struct backend_config *config,
			  const struct err *note, struct backend **ret, struct err *err)
{
	struct backend *backend;
	int result = ops->open(config, &backend, err);

	if (result < 0)
		return result;
	if (!backend->note.text[0])
		backend->note = *note;
	note_without_tasks(config, backend);
	*ret = backend;
	return 0;
}

static int open_first_usable(const struct backend_config *config, struct backend **ret,
			     struct err *err)
{
	struct err denied = { "" }, why = { "" };
	int denial = 0;

	for (size_t i = 0; backend_table[i]; i++) {
		if (backend_table[i]->only_by_name ||
		    (config->of_tasks && !backend_table[i]->tasks_open))
			continue;

		int result = backend_table[i]->probe(config, &why);

		if (result == 0)
			return open_with_note(backend_table[i], config, &denied, ret, err);
		if (is_denied(result) && !denial) {
			denial = result;
			denied = why;
		}
	}
	if (denial)
		return err_set(err, -denial, "%s", denied.text);
	/* the last one, perf, supports every machine */
	return err_set(
		err, ENODEV,
		"nothing can be counted on this machine: %s; `m1top --demo` shows a simulated M1",
		why.text);
}

int backend_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	if (config->name && config->name[0])
		return open_named(config, ret, err);
	return open_first_usable(config, ret, err);
}

/* Whether the set has a device event counted on this core's CPU. */
static bool counts_device(const struct machine *machine, unsigned core, const struct set *set)
{
	const struct placement *place = &set->type[machine->core[core].type];

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = place->event[slot];

		if (event && event_is_of_device(event) &&
		    cpus_has(&event->pmu->cpus, machine->core[core].cpu))
			return true;
	}
	return false;
}

int backend_fits(struct backend *backend, const struct set *set, struct err *err)
{
	const struct machine *machine = &backend->machine;
	bool has_tried[TYPES_MAX] = { false };

	for (unsigned core = 0; core < machine->n_cores; core++) {
		bool *tried = &has_tried[machine->core[core].type];
		struct group *group;

		if (*tried && !counts_device(machine, core, set))
			continue;
		*tried = true;

		int rc = backend->ops->group_open(backend, core, set, &group, err);

		if (rc == -ENOSPC || rc == -EINVAL)
			return rc;
		if (!rc)
			backend->ops->group_close(group);
	}
	return 0;
}

void backend_close(struct backend *backend)
{
	if (backend)
		backend->ops->close(backend);
}

void backend_split(const char *text, char *name, size_t size, const char **ret_options)
{
	const char *colon = strchr(text, ':');

	snprintf(name, size, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	*ret_options = colon ? colon + 1 : NULL;
}

/* Leave out isolated CPUs, which must not be disturbed, unless all are isolated. */
static int leave_isolated(struct machine *machine, const char *root, struct err *err)
{
	struct cpus isolated, left_out = { 0 }, keep = { 0 };

	sysfs_isolated(root, &isolated);
	for (unsigned i = 0; i < machine->n_cores; i++) {
		unsigned cpu = machine->core[i].cpu;

		cpus_add(cpus_has(&isolated, cpu) ? &left_out : &keep, cpu);
	}
	if (!cpus_count(&left_out) || !cpus_count(&keep))
		return 0;
	machine_note_cpus(machine, &left_out,
			  "isolated (isolcpus, nohz_full or a cpuset partition), and left "
			  "undisturbed; -C counts them");
	return machine_restrict(machine, &keep, err);
}

/* Leave out core PMUs, once the types are known, and those of devices. */
static void keep_software(struct machine *machine)
{
	struct pmus *pmus = &machine->pmus;

	for (unsigned type = 0; type < machine->n_types; type++)
		machine->type[type].pmu = NULL;
	for (; pmus->n && pmus->pmu[pmus->n - 1].kind > PMU_SOFTWARE; pmus->n--) {
		free(pmus->pmu[pmus->n - 1].format);
		free(pmus->pmu[pmus->n - 1].alias);
	}
}

int backend_find_machine(const struct backend_config *config, struct machine *machine,
			 struct err *err)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	int rc = sysfs_machine(root, machine, err);

	if (!rc && config->without_rights)
		keep_software(machine);
	if (!rc && config->cpus)
		rc = machine_keep(machine, config->cpus, err);
	else if (!rc && !config->of_tasks)
		rc = leave_isolated(machine, root, err);
	if (!rc && activity_find(machine, root, &activity_io))
		rc = err_set(err, ENOMEM, "out of memory");
	return rc ? rc : machine_load_catalogs(machine, config->events_dir, err);
}

struct of_tasks {
	struct backend base;
	struct backend_ops ops;
	struct backend *inner;
	struct core core[TYPES_MAX];
	const struct task_target *target;
	size_t n;
};

struct group {
	const struct backend_ops *ops; /* of the inner backend */
	struct tasks *tasks;
};

static struct of_tasks *of_tasks(struct backend *backend)
{
	return (struct of_tasks *)backend;
}

static int group_open(struct backend *backend, unsigned core, const struct set *set,
		      struct group **ret, struct err *err)
{
	const struct of_tasks *of = of_tasks(backend);
	struct group *group = malloc(sizeof(*group));

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	group->ops = of->inner->ops;
	of->inner->sample_rate.wanted = backend->sample_rate.wanted;
	of->inner->sample_rate.period = backend->sample_rate.period;

	int rc = group->ops->tasks_open(of->inner, of->target, of->n, of->core[core].type, set,
					&group->tasks, err);

	if (rc)
		free(group);
	else
		*ret = group;
	return rc;
}

static void group_close(struct group *group)
{
	if (!group)
		return;
	group->ops->tasks_close(group->tasks);
	free(group);
}

/* Return 0: tasks count from opening or exec on. */
static int group_enable(struct group *group UNUSED)
{
	return 0;
}

static int group_read(struct group *group, struct sample *ret)
{
	return group->ops->tasks_read(group->tasks, ret);
}

static bool core_online(struct backend *backend UNUSED, unsigned core UNUSED)
{
	return true;
}

static void advance(struct backend *backend, uint64_t t_ns)
{
	struct backend *inner = of_tasks(backend)->inner;

	if (inner->ops->advance)
		inner->ops->advance(inner, t_ns);
}

static const char *holders(struct backend *backend, char *buf, size_t size)
{
	struct backend *inner = of_tasks(backend)->inner;

	if (inner->ops->holders)
		return inner->ops->holders(inner, buf, size);
	return memset(buf, 0, size);
}

static const char *faults(struct backend *backend, char *buf, size_t size)
{
	struct backend *inner = of_tasks(backend)->inner;

	return inner->ops->faults ? inner->ops->faults(inner, buf, size) : memset(buf, 0, size);
}

static void switches_drain(struct backend *backend, unsigned type, const struct switch_sink *sink)
{
	const struct of_tasks *of = of_tasks(backend);

	for (unsigned i = 0; i < of->inner->machine.n_cores; i++)
		if (of->inner->machine.core[i].type == type)
			of->inner->ops->switches_drain(of->inner, i, sink);
	backend->sample_rate.limit = of->inner->sample_rate.limit;
}

static void sample_every(struct backend *backend, unsigned type, uint64_t stream, uint64_t period)
{
	const struct of_tasks *of = of_tasks(backend);

	for (unsigned i = 0; i < of->inner->machine.n_cores; i++)
		if (of->inner->machine.core[i].type == type)
			of->inner->ops->sample_every(of->inner, i, stream, period);
}

static int switches_fd(const struct backend *backend)
{
	const struct backend *inner = ((const struct of_tasks *)backend)->inner;

	return inner->ops->switches_fd(inner);
}

static int task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	struct backend *inner = of_tasks(backend)->inner;

	return inner->ops->task_comm(inner, tid, ret_comm);
}

static void close_all(struct backend *backend)
{
	if (!backend)
		return;
	backend_close(of_tasks(backend)->inner);
	free(backend);
}

/* Copy the inner backend's machine, with one core per type. */
static void make_machine(struct of_tasks *of)
{
	struct machine *machine = &of->base.machine;

	*machine = of->inner->machine;
	machine->core = of->core;
	machine->n_cores = machine->n_clusters = machine->n_types;
	for (unsigned type = 0; type < machine->n_types; type++) {
		of->core[type] =
			of->inner->machine.core[machine_first_core(&of->inner->machine, type)];
		of->core[type].cluster = type;
		/* sums of several tasks: neither a register's width nor a core's speed limits them */
		machine->type[type].width = 64;
		machine->type[type].first_fit |= machine->type[type].slot_is_counter;
		machine->type[type].slot_is_counter = false;
	}
	machine_number(machine);
}

int backend_of_tasks(struct backend *inner, const struct task_target *target, size_t n,
		     struct backend **ret, struct err *err)
{
	struct of_tasks *of = inner->ops->tasks_open ? calloc(1, sizeof(*of)) : NULL;

	if (!of) {
		int rc = inner->ops->tasks_open ? err_set(err, ENOMEM, "out of memory")
						: backend_has_no_tasks(inner->ops, err);

		backend_close(inner);
		return rc;
	}
	of->ops = (struct backend_ops){
		.name = inner->ops->name,
		.what = inner->ops->what,
		.probe = inner->ops->probe,
		.close = close_all,
		.group_open = group_open,
		.group_close = group_close,
		.group_enable = group_enable,
		.group_disable = group_enable,
		.group_read = group_read,
		.core_online = core_online,
		.advance = advance,
		.holders = holders,
		.faults = faults,
		.switches_drain = switches_drain,
		.sample_every = sample_every,
		.switches_fd = switches_fd,
		.task_comm = task_comm,
	};
	of->inner = inner;
	of->target = target;
	of->n = n;
	of->base = *inner;
	of->base.ops = &of->ops;
	of->base.pins = false;
	of->base.n_threads = 1;
	of->base.of_tasks = true;
	make_machine(of);
	*ret = &of->base;
	return 0;
}
