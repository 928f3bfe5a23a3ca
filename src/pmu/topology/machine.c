#include "pmu/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int machine_core_of_cpu(const struct machine *machine, unsigned cpu)
{
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (machine->core[i].cpu == cpu)
			return (int)i;
	return -1;
}

void machine_number(struct machine *machine)
{
	struct core *core = machine->core;
	unsigned n = machine->n_cores;

	machine->n_physical = machine->n_sockets = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned j = 0;

		while (core[j].type != core[i].type || core[j].thread0 != core[i].thread0)
			j++;
		core[i].physical = j < i ? core[j].physical : machine->n_physical++;
	}
	/* by type: with one socket each, sockets equal types */
	for (unsigned type = 0; type < machine->n_types; type++)
		for (unsigned i = 0; i < n; i++) {
			unsigned j = 0;

			if (core[i].type != type)
				continue;
			while (core[j].type != type || core[j].package != core[i].package)
				j++;
			core[i].socket = j < i ? core[j].socket : machine->n_sockets++;
		}
}

bool machine_has_smt(const struct machine *machine)
{
	return machine->n_physical < machine->n_cores;
}

/* @but  core to leave out; n_cores: none */
static const char *threads_but(const struct machine *machine, unsigned physical, unsigned but,
			       char *buf, size_t size)
{
	struct cpus cpus = { { 0 } };

	for (unsigned i = 0; i < machine->n_cores; i++)
		if (i != but && machine->core[i].physical == physical)
			cpus_add(&cpus, machine->core[i].cpu);
	return cpus_format(&cpus, buf, size);
}

const char *machine_threads(const struct machine *machine, unsigned physical, char *buf,
			    size_t size)
{
	return threads_but(machine, physical, machine->n_cores, buf, size);
}

const char *machine_siblings(const struct machine *machine, unsigned core, char *buf, size_t size)
{
	return threads_but(machine, machine->core[core].physical, core, buf, size);
}

void machine_note_cpus(struct machine *machine, const struct cpus *cpus, const char *what)
{
	size_t n = strlen(machine->cpu_notes), room = sizeof(machine->cpu_notes) - n;
	char list[128];

	if (cpus_count(cpus) &&
	    (size_t)snprintf(machine->cpu_notes + n, room, "cpu %s: %s\n",
			     cpus_format(cpus, list, sizeof(list)), what) >= room)
		machine->cpu_notes[n] = '\0';
}

bool machine_has_core_pmu(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		if (machine->type[t].pmu)
			return true;
	}
	return false;
}

unsigned machine_first_core(const struct machine *machine, unsigned type)
{
	unsigned i = 0;

	while (i + 1 < machine->n_cores && machine->core[i].type != type)
		i++;
	return i;
}

/* Renumber used items in the old order; UINT_MAX marks unused ones. */
static unsigned renumber(const bool *used, unsigned n, unsigned *number)
{
	unsigned next = 0;

	for (unsigned i = 0; i < n; i++)
		number[i] = used[i] ? next++ : (unsigned)-1;
	return next;
}

static void drop_catalog(struct machine *machine, unsigned type)
{
	struct catalog *catalog = machine->type[type].catalog;
	bool is_shared = false;

	for (unsigned i = 0; i < machine->n_types; i++)
		is_shared |= i != type && machine->type[i].catalog == catalog;
	if (!is_shared)
		catalog_free(catalog);
	machine->type[type].catalog = NULL;
}

static void drop_unused_types(struct machine *machine)
{
	bool used[TYPES_MAX] = { false };
	unsigned number[TYPES_MAX];

	for (unsigned i = 0; i < machine->n_cores; i++)
		used[machine->core[i].type] = true;

	unsigned n = renumber(used, machine->n_types, number);

	for (unsigned i = 0; i < machine->n_types; i++) {
		if (used[i])
			machine->type[number[i]] = machine->type[i];
		else
			drop_catalog(machine, i);
	}
	for (unsigned i = 0; i < machine->n_cores; i++)
		machine->core[i].type = number[machine->core[i].type];
	machine->n_types = n;
}

static void drop_unused_clusters(struct machine *machine)
{
	bool used[CORES_MAX] = { false };
	unsigned number[CORES_MAX];

	for (unsigned i = 0; i < machine->n_cores; i++)
		used[machine->core[i].cluster] = true;
	machine->n_clusters = renumber(used, machine->n_clusters, number);
	for (unsigned i = 0; i < machine->n_cores; i++)
		machine->core[i].cluster = number[machine->core[i].cluster];
}

/* Find a kept CPU of the same socket to read a device on: its driver counts the whole socket on
 * any of its CPUs. If a PMU has several CPUs in a socket, their cores are unknown. @return -1:
 * none */
static int find_stand_in(const struct machine *machine, const struct pmu *pmu,
			 const struct cpus *keep, unsigned package)
{
	unsigned n = 0;
	int ret = -1;

	for (unsigned i = machine->n_cores; i-- > 0;) {
		const struct core *core = &machine->core[i];

		if (core->package != package)
			continue;
		n += cpus_has(&pmu->cpus, core->cpu);
		if (cpus_has(keep, core->cpu))
			ret = (int)core->cpu;
	}
	return n == 1 ? ret : -1;
}

/* Let devices whose CPU is not kept be read on another CPU of their socket; they are counted for
 * any cores. */
static void move_devices(struct machine *machine, const struct cpus *keep)
{
	for (size_t i = 0; i < machine->pmus.n; i++) {
		struct pmu *pmu = &machine->pmus.pmu[i];

		for (unsigned k = 0; k < machine->n_cores && pmu->kind == PMU_UNCORE; k++) {
			const struct core *core = &machine->core[k];
			int other = -1;

			if (cpus_has(&pmu->cpus, core->cpu) && !cpus_has(keep, core->cpu))
				other = find_stand_in(machine, pmu, keep, core->package);
			if (other >= 0)
				cpus_add(&pmu->cpus, (unsigned)other);
		}
	}
}

int machine_restrict(struct machine *machine, const struct cpus *keep, struct err *err)
{
	struct cpus absent = { 0 };
	unsigned kept = 0;

	for (unsigned i = 0; i < machine->n_cores; i++)
		kept += cpus_has(keep, machine->core[i].cpu);
	cpus_each(keep, cpu) {
		if (machine_core_of_cpu(machine, (unsigned)cpu) < 0)
			cpus_add(&absent, (unsigned)cpu);
	}
	if (!kept) {
		char list[64];

		return err_set(err, ENODEV, "none of the CPUs %s exists on this machine",
			       cpus_format(keep, list, sizeof(list)));
	}

	machine_note_cpus(machine, &absent, "not online on this machine, left out of -C");
	move_devices(machine, keep);
	kept = 0;
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (cpus_has(keep, machine->core[i].cpu))
			machine->core[kept++] = machine->core[i];
	machine->n_cores = kept;
	drop_unused_types(machine);
	drop_unused_clusters(machine);
	machine_number(machine);
	return 0;
}

void machine_fini(struct machine *machine)
{
	if (!machine)
		return;
	for (unsigned i = 0; i < machine->n_types; i++)
		drop_catalog(machine, i);
	pmus_fini(&machine->pmus);
	free(machine->activity);
	free(machine->sensors);
	free(machine->core);
	memset(machine, 0, sizeof(*machine));
}

const char *machine_cores_text(const struct machine *machine, char *buf, size_t size)
{
	if (machine->n_types < 2) {
		snprintf(buf, size, "%u core%s", machine->n_cores,
			 machine->n_cores == 1 ? "" : "s");
		return buf;
	}
	buf[0] = '\0';
	for (unsigned type = 0; type < machine->n_types; type++) {
		unsigned n_cores = 0;

		for (unsigned core = 0; core < machine->n_cores; core++)
			n_cores += machine->core[core].type == type;
		buf_printf(buf, size, "%s%u %s", type ? " + " : "", n_cores,
			   machine->type[type].name);
	}
	return buf;
}
