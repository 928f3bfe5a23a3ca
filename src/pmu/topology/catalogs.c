#include "pmu/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "pmu/catalog/build.h"

/* Hardware of the catalogue's machine. */
struct present {
	const char *core_pmu;
	const struct pmus *pmus;
	bool has_any; /* unknown devices may exist */
	bool has_any_model;
};

static bool has_device(const struct present *here, const char *unit, const char *compat)
{
	if (compat[0] ? here->has_any_model : here->has_any)
		return true;
	for (size_t i = 0; i < here->pmus->n; i++)
		if (pmu_is_of(&here->pmus->pmu[i], unit, compat))
			return true;
	return false;
}

static bool keep_metric(const struct present *here, const struct catalog_metric *metric)
{
	bool is_of_others = metric->pmu[0] && strcmp(metric->pmu, here->core_pmu) != 0;

	if ((metric->compat[0] || is_of_others) && !has_device(here, metric->pmu, metric->compat))
		return false;
	/* not another core PMU of a hybrid x86 machine, whose folder covers cpu_core and cpu_atom */
	return !is_of_others || strncmp(metric->pmu, "cpu_", 4) != 0;
}

int machine_narrow_catalog(struct catalog *catalog, const char *core_pmu, const struct pmus *pmus)
{
	struct present here = { core_pmu, pmus, pmus->is_recorded, pmus->is_recorded };
	struct catalog narrow = *catalog;
	struct catalog_event *event;
	struct catalog_metric *metric;

	event = arena_alloc(catalog->memory, catalog->n_events * sizeof(*event));
	metric = arena_alloc(catalog->memory, catalog->n_metrics * sizeof(*metric));
	if (!event || !metric)
		return -ENOMEM;
	for (size_t i = 0; i < pmus->n; i++)
		here.has_any_model &= !pmus->pmu[i].identifier[0];
	narrow.n_events = narrow.n_metrics = 0;
	for (size_t i = 0; i < catalog->n_events; i++)
		if (!catalog->event[i].compat[0] ||
		    has_device(&here, catalog->event[i].pmu, catalog->event[i].compat))
			event[narrow.n_events++] = catalog->event[i];
	for (size_t i = 0; i < catalog->n_metrics; i++)
		if (keep_metric(&here, &catalog->metric[i]))
			metric[narrow.n_metrics++] = catalog->metric[i];
	if (!core_pmu[0])
		narrow.n_presets = 0;
	narrow.event = event;
	narrow.metric = metric;
	if (catalog_index(&narrow) < 0)
		return -ENOMEM;
	*catalog = narrow;
	return 0;
}

/*
 * Derive the architecture from the machine's identity, as another root may be of another machine: a
 * MIDR, or mvendorid-marchid-mimpid. Without /proc/cpuinfo there is none.
 */
const char *machine_arch(const struct machine *machine)
{
	struct utsname name;

	if (strncmp(machine->cpuid, "0x", 2) == 0)
		return strchr(machine->cpuid, '-') ? "riscv" : "arm64";
	if (machine->cpuid[0] || uname(&name))
		return "x86";
	return strncmp(name.machine, "riscv", 5) == 0   ? "riscv"
	       : strncmp(name.machine, "aarch", 5) == 0 ? "arm64"
							: "x86";
}

const char *machine_cpuid(const struct machine *machine, unsigned type, char *buf, size_t size)
{
	uint64_t midr =
		machine->n_cores ? machine->core[machine_first_core(machine, type)].midr : 0;

	snprintf(buf, size, "%s", machine->cpuid);
	if (midr)
		snprintf(buf, size, "0x%016" PRIx64, midr);
	return buf;
}

bool machine_is_apple(const struct machine *machine)
{
	enum { IMPLEMENTER_APPLE = 0x61 };

	return machine->n_cores && machine->core[0].midr >> 24 == IMPLEMENTER_APPLE;
}

/* Whether files are missing; Linux has them only for cores other than Apple's. */
bool machine_lacks_files(const struct machine *machine, unsigned type)
{
	char cpuid[64];

	return machine->type[type].catalog->is_generic && !machine->simulated &&
	       !machine->recorded && !machine_is_apple(machine) &&
	       *machine_cpuid(machine, type, cpuid, sizeof(cpuid));
}

int machine_load_catalogs(struct machine *machine, const char *events_dir, struct err *err)
{
	char dir[PATH_MAX], imported[PATH_MAX] = "", first[64];
	int rc = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	if (!events_dir)
		catalog_find_imported(machine_cpuid(machine, 0, first, sizeof(first)), imported,
				      sizeof(imported));
	for (unsigned t = 0; t < machine->n_types && !rc; t++) {
		struct core_type *type = &machine->type[t];
		char cpuid[64];

		machine_cpuid(machine, t, cpuid, sizeof(cpuid));
		rc = catalog_load_with(dir, imported, machine_arch(machine), cpuid, &type->catalog,
				       err);
		if (!rc && machine_narrow_catalog(type->catalog, type->pmu ? type->pmu->name : "",
						  &machine->pmus))
			rc = err_set(err, ENOMEM, "out of memory");
	}
	return rc;
}
