#include "machine/sysfs_cpuinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

struct scan {
	struct machine *machine;
	struct core *core; /* the processor being described; NULL: not one of ours */
	char vendor[32];
	uint64_t family, model, stepping;
};

/* Where the fields of MIDR_EL1 are; architecture reads 0xf ("by ID registers") on all arm64 */
static const struct midr_field {
	const char *name;
	unsigned shift;
} midr_fields[] = {
	{ "CPU implementer", 24 },
	{ "CPU variant", 20 },
	{ "CPU part", 4 },
	{ "CPU revision", 0 },
};

static void read_midr_field(struct scan *scan, const char *name, uint64_t value)
{
	for (size_t i = 0; i < ARRAY_SIZE(midr_fields) && scan->core; i++) {
		if (strcmp(name, midr_fields[i].name) == 0)
			scan->core->midr |= 0xf0000 | value << midr_fields[i].shift;
	}
}

static void read_number(struct scan *scan, const char *name, uint64_t value)
{
	if (strcmp(name, "processor") == 0) {
		int core = machine_core_of_cpu(scan->machine, (unsigned)value);

		scan->core = core < 0 ? NULL : &scan->machine->core[core];
	} else if (strcmp(name, "cpu family") == 0) {
		scan->family = value;
	} else if (strcmp(name, "model") == 0) {
		scan->model = value;
	} else if (strcmp(name, "stepping") == 0) {
		scan->stepping = value;
	} else {
		read_midr_field(scan, name, value);
	}
}

static void read_line(struct scan *scan, char *line)
{
	char *value = line;
	const char *name = strsep(&value, ":");
	uint64_t number;

	if (!value)
		return;
	line[strcspn(line, "\t")] = '\0';
	value += strspn(value, " ");
	value[strcspn(value, "\n")] = '\0';
	if (strcmp(name, "vendor_id") == 0)
		snprintf(scan->vendor, sizeof(scan->vendor), "%s", value);
	else if (strcmp(name, "model name") == 0)
		snprintf(scan->machine->model, sizeof(scan->machine->model), "%s", value);
	else if (num_parse_u64(value, &number) == 0)
		read_number(scan, name, number);
}

void sysfs_cpuinfo(const char *root, struct machine *machine)
{
	struct scan scan = { .machine = machine };
	char path[4096];
	AUTO_FREE char *line = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root ? root : "");

	AUTO_FILE FILE *file = fopen(path, "re");

	while (file && getline(&line, &size, file) > 0)
		read_line(&scan, line);
	if (scan.vendor[0])
		snprintf(machine->cpuid, sizeof(machine->cpuid), "%s-%u-%X-%X", scan.vendor,
			 (unsigned)scan.family, (unsigned)scan.model, (unsigned)scan.stepping);
}
