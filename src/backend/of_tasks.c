/* of_tasks.c: a backend whose cores are core types, and count what some tasks did on them */
#include "backend/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* They count from their opening on, or from exec. */
static int group_enable(struct group *group)
{
	(void)group;
	return 0;
}

static int group_read(struct group *group, struct sample *ret)
{
	return group->ops->tasks_read(group->tasks, ret);
}

static bool core_online(struct backend *backend, unsigned core)
{
	(void)backend, (void)core;
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

static void close_all(struct backend *backend)
{
	if (!backend)
		return;
	backend_close(of_tasks(backend)->inner);
	free(backend);
}

/* Everything else of the machine is the inner backend's. */
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
		/* several tasks at a time, added up: no register's width and no core's speed limits them */
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
