#include "pmu/backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const struct backend_ops *const backend_table[] = {
	&backend_apple,
	&backend_perf,
	&backend_sim,
	NULL,
};

static bool is_denied(int result)
{
	return result == -EACCES || result == -EPERM || result == -EBUSY;
}

static int unknown_name(const char *name, struct err *err)
{
	struct text known = { 0 };

	for (size_t i = 0; backend_table[i]; i++)
		text_printf(&known, "%s%s", i ? ", " : "", backend_table[i]->name);
	err_set(err, EINVAL, "there is no backend \"%s\"; known: %s", name,
		known.bytes ? known.bytes : "");
	text_fini(&known);
	return -EINVAL;
}

static int open_named(const struct backend_config *config, struct backend **ret, struct err *err)
{
	for (size_t i = 0; backend_table[i]; i++)
		if (strcmp(backend_table[i]->name, config->name) == 0)
			return backend_table[i]->open(config, ret, err);
	return unknown_name(config->name, err);
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

		if (backend_table[i] == &backend_sim)
			continue; /* simulated figures only where they were asked for */

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
	return err_set(err, ENODEV,
		       "nothing on this machine can be counted with; "
		       "`m1top --demo` shows a simulated M1");
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
