#include "machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Under another root the identity decides, not the machine that this was compiled for. */
static const char *arch_of(const struct machine *machine)
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

int machine_load_catalogs(struct machine *machine, const char *events_dir, struct err *err)
{
	char dir[PATH_MAX];
	int rc = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	for (unsigned t = 0; t < machine->n_types && !rc; t++) {
		char cpuid[64];

		machine_cpuid(machine, t, cpuid, sizeof(cpuid));
		rc = catalog_load(dir, arch_of(machine), cpuid, &machine->type[t].catalog, err);
		if (!rc)
			rc = narrow(machine, &machine->type[t], err);
	}
	return rc;
}
