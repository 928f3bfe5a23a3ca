#include "pmu/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Under another root the identity decides, not the machine that this was compiled for. */
static const char *arch_of(const struct machine *machine)
{
	return strncmp(machine->cpuid, "0x", 2) == 0 ? "arm64" : "x86";
}

int machine_load_catalogs(struct machine *machine, const char *events_dir, struct err *err)
{
	char dir[PATH_MAX];
	int rc = catalog_find_dir(events_dir, dir, sizeof(dir), err);

	for (unsigned t = 0; t < machine->n_types && !rc; t++) {
		uint64_t midr = machine->core[machine_first_core(machine, t)].midr;
		char cpuid[64];

		snprintf(cpuid, sizeof(cpuid), "%s", machine->cpuid);
		if (midr)
			snprintf(cpuid, sizeof(cpuid), "0x%016" PRIx64, midr);
		rc = catalog_load(dir, arch_of(machine), cpuid, &machine->type[t].catalog, err);
	}
	return rc;
}
