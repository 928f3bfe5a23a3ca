#include "backend/perf/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sysfs.h"

static bool is_apple(const struct pmu *pmu)
{
	return strncmp(pmu->name, "apple_", 6) == 0;
}

static void describe_counters(struct perf *perf)
{
	struct machine *machine = &perf->base.machine;

	for (unsigned t = 0; t < machine->n_types; t++) {
		struct core_type *type = &machine->type[t];

		type->width = 64; /* the kernel accumulates */
		if (!type->pmu)
			continue;
		/* an offline CPU takes no events */
		unsigned cpu = sysfs_cpu_of_type(perf->root, machine, t);

		/* PMC0-9, the lowest free legal one first: drivers/perf/apple_m1_cpu_pmu.c */
		type->first_fit = is_apple(type->pmu);
		if (type->first_fit)
			type->n_counters = 10;
		else
			perf_count_counters(perf, type, cpu);
	}
}

static void take_note(struct perf *perf, bool of_tasks, int left_out, const struct err *why)
{
	struct err *note = &perf->base.note;

	if (left_out)
		err_set(note, 0, "ignored %d PMU%s: %.800s", left_out, left_out > 1 ? "s" : "",
			why->text);
	if (!machine_has_core_pmu(&perf->base.machine))
		err_prefix(note, 0, "no hardware counters here: %ssoftware events%s",
			   of_tasks ? "" : "utilisation and ", left_out ? "; " : "");
}

static int find_machine(const struct backend_config *config, struct perf *perf, struct err *err)
{
	struct machine *machine = &perf->base.machine;
	struct err why = { "" };
	int code, left_out = sysfs_pmus(perf->root, &machine->pmus, &why);

	if (left_out < 0)
		return err_set(err, ENODEV, "this kernel has no perf events: %s", why.text);
	if (!machine->pmus.n)
		return err_set(err, ENODEV, "this kernel shows no PMU%s%s", left_out ? ": " : "",
			       why.text);

	int rc = backend_find_machine(config, machine, err);

	if (rc)
		return rc;
	describe_counters(perf);
	take_note(perf, config->of_tasks, left_out, &why);
	if (config->of_tasks)
		perf->base.user_only =
			!perf_may_count_task(perf, PRIVILEGE_BOTH, &code) && code == EACCES;
	return 0;
}

static void perf_backend_close(struct backend *backend)
{
	struct perf *perf = (struct perf *)backend;

	perf_rings_free(perf);
	machine_fini(&perf->base.machine);
	free(perf);
}

static int perf_backend_open(const struct backend_config *config, struct backend **ret,
			     struct err *err)
{
	if (config->options && config->options[0])
		return err_set(err, EINVAL, "perf:%s: this backend has no options",
			       config->options);

	struct perf *perf = calloc(1, sizeof(*perf));

	if (!perf)
		return err_set(err, ENOMEM, "out of memory");
	perf->base.ops = &backend_perf;
	perf->base.pins = true;
	snprintf(perf->root, sizeof(perf->root), "%s",
		 config->sysfs_root ? config->sysfs_root : "");

	int rc = find_machine(config, perf, err);

	if (!rc && perf_rings_new(perf))
		rc = err_set(err, ENOMEM, "out of memory");
	if (rc) {
		perf_backend_close(&perf->base);
		return rc;
	}
	*ret = &perf->base;
	return 0;
}

const struct backend_ops backend_perf = {
	.name = "perf",
	.what = "perf_event_open: hardware, uncore, software and msr events of the kernel",
	.probe = perf_probe,
	.open = perf_backend_open,
	.close = perf_backend_close,
	.group_open = perf_group_open,
	.group_close = perf_group_close,
	.group_enable = perf_group_enable,
	.group_disable = perf_group_disable,
	.group_read = perf_group_read,
	.holders = perf_holders,
	.accepts = perf_accepts,
	.tasks_open = perf_tasks_open,
	.tasks_read = perf_tasks_read,
	.tasks_close = perf_tasks_close,
	.switches_drain = perf_switches_drain,
	.task_comm = perf_task_comm,
};
