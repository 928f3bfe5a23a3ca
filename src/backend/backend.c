#include "backend/backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "activity/activity.h"
#include "base/text.h"
#include "machine/sysfs.h"

const struct backend_ops *const backend_table[] = {
	&backend_apple,
	&backend_perf,
	&backend_sim,
	NULL,
};

/* It could count, were it not for rights, for somebody else, or for a limit. */
static bool is_denied(int result)
{
	return result == -EACCES || result == -EPERM || result == -EBUSY || result == -EMFILE;
}

static int unknown_name(const char *name, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "no backend is named \"%s\"; available: ", name);
	for (size_t i = 0; backend_table[i]; i++)
		text_printf(&text, "%s%s", i ? ", " : "", backend_table[i]->name);
	return text_to_err(&text, EINVAL, err);
}

static int open_named(const struct backend_config *config, struct backend **ret, struct err *err)
{
	for (size_t i = 0; backend_table[i]; i++)
		if (strcmp(backend_table[i]->name, config->name) == 0)
			return backend_table[i]->open(config, ret, err);
	return unknown_name(config->name, err);
}

#define CANNOT_TELL_TASKS \
	"the backend %s cannot tell tasks apart: it does not learn of context switches"

int backend_has_no_tasks(const struct backend_ops *ops, struct err *err)
{
	return err_set(err, ENOTSUP, CANNOT_TELL_TASKS "; perf does (--backend perf)", ops->name);
}

/* One that could count, were it not for tasks; NULL: there is none. */
static const struct backend_ops *find_without_tasks(const struct backend_config *config)
{
	for (size_t i = 0; backend_table[i]; i++)
		if (!backend_table[i]->tasks_open && !backend_table[i]->only_by_name &&
		    backend_table[i]->probe(config, NULL) == 0)
			return backend_table[i];
	return NULL;
}

/* Hardware counters are there, but what has them knows no tasks. */
static void note_without_tasks(const struct backend_config *config, struct backend *backend)
{
	const struct backend_ops *better = NULL;

	if (config->of_tasks && !machine_has_core_pmu(&backend->machine))
		better = find_without_tasks(config);
	if (better)
		err_set(&backend->note, 0, "software events alone: " CANNOT_TELL_TASKS,
			better->name);
}

/* A note of the backend's own says more than why a better one was passed over. */
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
	struct err denied = { "" };
	int denial = 0;

	for (size_t i = 0; backend_table[i]; i++) {
		struct err why = { "" };

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
	return err_set(
		err, ENODEV,
		"nothing can be counted on this machine; `m1top --demo` shows a simulated M1");
}

int backend_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	if (config->name && config->name[0])
		return open_named(config, ret, err);
	return open_first_usable(config, ret, err);
}

/* Is there a device's event that is counted on this core's CPU? */
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

	for (unsigned core = 0; core < machine->n_cores; core++) {
		struct group *group;

		if (core != machine_first_core(machine, machine->core[core].type) &&
		    !counts_device(machine, core, set))
			continue;

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

int backend_find_machine(const struct backend_config *config, struct machine *machine,
			 struct err *err)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	int rc = sysfs_machine(root, machine, err);

	if (!rc && config->cpus)
		rc = machine_restrict(machine, config->cpus, err);
	if (!rc && activity_find(machine, root, &activity_io))
		rc = err_set(err, ENOMEM, "out of memory");
	return rc ? rc : machine_load_catalogs(machine, config->events_dir, err);
}
