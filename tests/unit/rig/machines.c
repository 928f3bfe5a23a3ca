/* machines.c: small machines built by hand: an M1, a generic one, one without hardware counters */
#include "rig/machines.h"

/* Room in a machine built by hand. */
enum { ROOM_CORES = 16, ROOM_PMUS = 80 };

struct pmu *machines_add_pmu(struct machine *machine, const char *name, enum pmu_kind kind,
			     uint64_t event_mask)
{
	struct pmu *pmu = &machine->pmus.pmu[machine->pmus.n++];

	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->type = kind == PMU_SOFTWARE ? 1 : 8 + (uint32_t)machine->pmus.n;
	pmu->kind = kind;
	pmu->honours_privilege = kind == PMU_CORE || kind == PMU_SOFTWARE;
	if (event_mask) {
		pmu->format = calloc(2, sizeof(*pmu->format));
		pmu->n_formats = 1;
		snprintf(pmu->format[0].name, sizeof(pmu->format[0].name), "event");
		pmu->format[0].mask = event_mask;
	}
	return pmu;
}

void machines_add_aliases(struct pmu *pmu, const struct named_terms *list)
{
	size_t n = 0;

	while (list[n].name)
		n++;
	pmu->alias = calloc(n, sizeof(*pmu->alias));
	for (; pmu->n_aliases < n; pmu->n_aliases++) {
		struct pmu_alias *alias = &pmu->alias[pmu->n_aliases];

		snprintf(alias->name, sizeof(alias->name), "%s", list[pmu->n_aliases].name);
		snprintf(alias->terms, sizeof(alias->terms), "%s", list[pmu->n_aliases].terms);
		alias->scale = 1;
	}
}

void machines_add_type(struct machine *machine, const char *name, const struct pmu *pmu,
		       const char *arch, const char *cpuid)
{
	struct core_type *type = &machine->type[machine->n_types++];
	const char *dir = getenv("M1TOP_EVENTS");
	struct err err = { "" };

	snprintf(type->name, sizeof(type->name), "%s", name);
	type->pmu = pmu;
	type->width = 64;
	if (catalog_load(dir ? dir : "events", arch, cpuid, &type->catalog, &err) < 0)
		fail_msg("%s", err.text);
}

void machines_add_cores(struct machine *machine, unsigned n, unsigned type, unsigned cluster)
{
	for (unsigned i = 0; i < n; i++) {
		struct core *core = &machine->core[machine->n_cores];

		core->cpu = machine->n_cores++;
		core->type = type;
		core->cluster = cluster;
	}
	machine->n_clusters = cluster + 1;
}

void machines_begin(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	machine->core = calloc(ROOM_CORES, sizeof(*machine->core));
	machine->pmus.pmu = calloc(ROOM_PMUS, sizeof(*machine->pmus.pmu));
}

void machines_m1(struct machine *machine, bool slot_is_counter)
{
	static const struct named_terms aliases[] = { { "cycles", "event=0x02" },
						      { "instructions", "event=0x8c" },
						      { NULL, NULL } };
	static const char *const pmu[] = { "apple_icestorm_pmu", "apple_firestorm_pmu" };
	static const char *const cpuid[] = { "0x00000000611f0220", "0x00000000611f0230" };

	machines_begin(machine);
	for (unsigned type = 0; type < 2; type++)
		machines_add_aliases(machines_add_pmu(machine, pmu[type], PMU_CORE, 0xff), aliases);
	machines_add_pmu(machine, "software", PMU_SOFTWARE, 0);
	for (unsigned type = 0; type < 2; type++) {
		machines_add_type(machine, type ? "P" : "E", &machine->pmus.pmu[type], "arm64",
				  cpuid[type]);
		machine->type[type].n_counters = 10;
		machine->type[type].first_fit = !slot_is_counter;
		machine->type[type].slot_is_counter = slot_is_counter;
		machines_add_cores(machine, 4, type, type);
	}
}

void machines_add_x86_rest(struct machine *machine)
{
	static const struct named_terms msr[] = { { "tsc", "event=0x00" }, { NULL, NULL } };

	machines_add_pmu(machine, "software", PMU_SOFTWARE, 0);
	machines_add_aliases(machines_add_pmu(machine, "msr", PMU_MSR, UINT64_MAX), msr);
}

void machines_generic(struct machine *machine)
{
	static const struct named_terms aliases[] = {
		{ "cpu-cycles", "event=0x3c" },          { "instructions", "event=0xc0" },
		{ "branch-instructions", "event=0xc4" }, { "branch-misses", "event=0xc5" },
		{ "cache-misses", "event=0x2e" },        { NULL, NULL },
	};

	machines_begin(machine);
	machines_add_aliases(machines_add_pmu(machine, "cpu", PMU_CORE, 0xffff), aliases);
	machines_add_x86_rest(machine);
	machines_add_type(machine, "cpu", &machine->pmus.pmu[0], "x86", "");
	machines_add_cores(machine, 4, 0, 0);
}

void machines_software(struct machine *machine)
{
	machines_begin(machine);
	machines_add_x86_rest(machine);
	machines_add_type(machine, "cpu", NULL, "x86", "");
	machines_add_cores(machine, 2, 0, 0);
}
