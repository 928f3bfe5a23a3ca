#include "machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Under another root the identity decides, not the machine that this was compiled for. */
const char *machine_arch(const struct machine *machine)
{
	return strncmp(machine->cpuid, "0x", 2) == 0 ? "arm64" : "x86";
}

static int narrow(const struct machine *machine, const struct core_type *type, struct err *err)
{
	const char *core_pmu = type->pmu ? type->pmu->name : "";

	if (machine_narrow_catalog(type->catalog, core_pmu, &machine->pmus))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
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

/* What Linux knows is of other cores than Apple's. */
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
		char cpuid[64];

		machine_cpuid(machine, t, cpuid, sizeof(cpuid));
		rc = catalog_load_with(dir, imported, machine_arch(machine), cpuid,
				       &machine->type[t].catalog, err);
		if (!rc)
			rc = narrow(machine, &machine->type[t], err);
	}
	return rc;
}
