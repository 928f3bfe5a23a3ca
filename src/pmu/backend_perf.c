#include "pmu/backend_perf.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/sysfs.h"

/* Under another root the identity decides, not the machine that this was compiled for. */
static const char *arch_of(const struct machine *machine)
{
	return strncmp(machine->cpuid, "0x", 2) == 0 ? "arm64" : "x86";
}

static unsigned first_core(const struct machine *machine, unsigned type)
{
	unsigned i = 0;

	while (i + 1 < machine->n_cores && machine->core[i].type != type)
		i++;
	return i;
}

static int narrow(const struct machine *machine, const struct core_type *type, struct err *err)
{
	const char *core_pmu = type->pmu ? type->pmu->name : "";

	if (catalog_narrow(type->catalog, core_pmu, &machine->pmus))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

static int load_catalogs(const struct backend_config *config, struct machine *machine,
			 struct err *err)
{
	char dir[PATH_MAX];
	int rc = catalog_find_dir(config->events_dir, dir, sizeof(dir), err);

	for (unsigned t = 0; t < machine->n_types && !rc; t++) {
		uint64_t midr = machine->core[first_core(machine, t)].midr;
		char cpuid[64];

		snprintf(cpuid, sizeof(cpuid), "%s", machine->cpuid);
		if (midr)
			snprintf(cpuid, sizeof(cpuid), "0x%016" PRIx64, midr);
		rc = catalog_load(dir, arch_of(machine), cpuid, &machine->type[t].catalog, err);
		if (!rc)
			rc = narrow(machine, &machine->type[t], err);
	}
	return rc;
}

static bool is_apple(const struct pmu *pmu)
{
	return strncmp(pmu->name, "apple_", 6) == 0;
}

/* Any CPU of the type that is online: an offline one takes no events. */
static unsigned a_cpu_of(const struct perf *perf, unsigned type)
{
	const struct machine *machine = &perf->base.machine;
	unsigned first = machine->core[first_core(machine, type)].cpu;
	struct cpus online;

	if (sysfs_online(perf->root, &online, NULL))
		return first;
	for (unsigned i = 0; i < machine->n_cores; i++) {
		if (machine->core[i].type == type && cpus_has(&online, machine->core[i].cpu))
			return machine->core[i].cpu;
	}
	return first;
}

static void describe_counters(struct perf *perf)
{
	struct machine *machine = &perf->base.machine;

	for (unsigned t = 0; t < machine->n_types; t++) {
		struct core_type *type = &machine->type[t];

		type->width = 64; /* the kernel accumulates */
		if (!type->pmu)
			continue;
		/* PMC0-9, the lowest free legal one first: drivers/perf/apple_m1_cpu_pmu.c */
		type->first_fit = is_apple(type->pmu);
		type->n_counters =
			type->first_fit ? 10
					: perf_count_counters(perf, type->pmu, a_cpu_of(perf, t));
	}
}

static bool has_core_pmu(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		if (machine->type[t].pmu)
			return true;
	}
	return false;
}

static void take_note(struct perf *perf, int left_out, const struct err *why)
{
	struct err *note = &perf->base.note;

	if (left_out)
		err_set(note, 0, "left out %d PMU%s: %.800s", left_out, left_out > 1 ? "s" : "",
			why->text);
	if (!has_core_pmu(&perf->base.machine))
		err_prefix(note, 0, "no hardware counters here: software and msr events%s",
			   left_out ? "; " : "");
}

static int find_machine(const struct backend_config *config, struct perf *perf, struct err *err)
{
	struct machine *machine = &perf->base.machine;
	struct err why = { "" };
	int left_out = sysfs_pmus(perf->root, &machine->pmus, &why);

	if (left_out < 0)
		return err_set(err, ENODEV, "this kernel has no perf events: %s", why.text);
	if (!machine->pmus.n)
		return err_set(err, ENODEV, "this kernel shows no PMU%s%s", left_out ? ": " : "",
			       why.text);

	int rc = sysfs_machine(perf->root, machine, err);

	if (!rc && config->cpus)
		rc = machine_restrict(machine, config->cpus, err);
	if (!rc)
		rc = load_catalogs(config, machine, err);
	if (rc)
		return rc;
	describe_counters(perf);
	take_note(perf, left_out, &why);
	return 0;
}

static void perf_backend_close(struct backend *backend)
{
	struct perf *perf = (struct perf *)backend;

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
};
