#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/apple/apple.h"
#include "machine/sysfs.h"

enum { IMPLEMENTER_APPLE = 0x61 };

/* Cores of one type, as the module describes them. */
struct kind {
	struct m1pmu_cpu like; /* any of them */
	struct cpus cpus;
};

struct kinds {
	struct kind list[TYPES_MAX];
	unsigned n;
};

/* What the kernel's own driver calls their PMUs, so that -e apple_firestorm_pmu/…/ means the same.
 * Source: Linux drivers/perf/apple_m1_cpu_pmu.c; M3: downstream kernels. */
static const struct name {
	const char *family;
	uint8_t type;
	const char *pmu;
} names[] = {
	{ "M1", 'E', "apple_icestorm_pmu" }, { "M1", 'P', "apple_firestorm_pmu" },
	{ "M2", 'E', "apple_blizzard_pmu" }, { "M2", 'P', "apple_avalanche_pmu" },
	{ "M3", 'E', "apple_sawtooth_pmu" }, { "M3", 'P', "apple_everest_pmu" },
};

/* A chip without a name above: its family's, in the form that sysfs_machine tells E and P by. */
static void name_pmu(const struct m1pmu_cpu *like, char *buf, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].type == like->type && strcmp(names[i].family, like->family) == 0) {
			snprintf(buf, size, "%s", names[i].pmu);
			return;
		}
	}
	snprintf(buf, size, "apple_%.11s_%c_pmu", like->family, like->type);
	for (char *at = buf; *at; at++)
		*at = (char)tolower((unsigned char)*at);
}

static int add_to_kind(struct kinds *kinds, const struct m1pmu_cpu *cpu, struct err *err)
{
	unsigned i = 0;

	while (i < kinds->n && (kinds->list[i].like.type != cpu->type ||
				strcmp(kinds->list[i].like.family, cpu->family) != 0))
		i++;
	if (i == TYPES_MAX)
		return err_set(err, EINVAL, "more than %d kinds of core", TYPES_MAX);
	if (i == kinds->n)
		kinds->list[kinds->n++].like = *cpu;
	cpus_add(&kinds->list[i].cpus, cpu->cpu);
	return 0;
}

bool apple_is_here(const struct backend_config *config)
{
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	uint64_t midr = 0;
	struct cpus online;

	if (sysfs_online(root, &online, NULL))
		return false;
	cpus_each(&online, cpu) {
		if (!midr)
			sysfs_cpu_number(root, (unsigned)cpu, SYSFS_MIDR, &midr, NULL);
	}
	return midr >> 24 == IMPLEMENTER_APPLE;
}

/* The kernel's account of a core goes first: it is what everything else here goes by.
 * Source: parts of P cores are odd, AsahiLinux docs and Linux arch/arm64/include/asm/cputype.h */
static uint8_t type_of(const char *root, const struct m1pmu_cpu *cpu)
{
	uint64_t midr = cpu->midr;

	sysfs_cpu_number(root, cpu->cpu, SYSFS_MIDR, &midr, NULL);
	return midr & 0x10 ? 'P' : 'E';
}

/* A CPU that was never online has no type yet: it is left out. */
static int find_kinds(const struct apple *apple, const struct m1pmu_info *info, const char *root,
		      struct kinds *kinds, struct err *err)
{
	for (unsigned i = 0; i < info->n_cpus && i < CPUS_MAX; i++) {
		struct m1pmu_cpu cpu = { .cpu = i };
		int rc = apple->io->request(apple->fd, M1PMU_CPU, &cpu);

		if (rc == -EINVAL) /* a gap in the numbers */
			continue;
		if (rc)
			return err_set(err, -rc, "m1pmu does not describe CPU %u: %s", i,
				       strerror(-rc));
		if (!cpu.type)
			continue;
		cpu.type = type_of(root, &cpu);
		rc = add_to_kind(kinds, &cpu, err);
		if (rc)
			return rc;
	}
	return kinds->n ? 0 : err_set(err, ENODEV, "m1pmu knows none of these cores");
}

static int make_pmu(const struct kind *kind, unsigned number, struct pmu *pmu)
{
	char name[sizeof(pmu->name)];

	name_pmu(&kind->like, name, sizeof(name));
	pmu->cpus = kind->cpus;
	return pmu_make_apple(pmu, name, number, kind->like.event_bits);
}

static int make_pmus(const struct kinds *kinds, struct pmus *pmus, struct err *err)
{
	int rc = 0;

	pmus->pmu = calloc(kinds->n + 1, sizeof(*pmus->pmu));
	if (!pmus->pmu)
		return err_set(err, ENOMEM, "out of memory");
	pmus->n = kinds->n;
	for (unsigned i = 0; i < kinds->n && !rc; i++)
		rc = make_pmu(&kinds->list[i], i, &pmus->pmu[i]);
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

static void describe_types(struct machine *machine, const struct kinds *kinds)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		struct core_type *type = &machine->type[t];

		type->width = 64;
		if (!type->pmu)
			continue;
		type->n_counters = kinds->list[type->pmu->type].like.n_counters;
		type->width = kinds->list[type->pmu->type].like.width;
		type->slot_is_counter = true;
	}
}

int apple_machine_make(struct apple *apple, const struct m1pmu_info *info,
		       const struct backend_config *config, struct err *err)
{
	struct machine *machine = &apple->base.machine;
	const char *root = config->sysfs_root ? config->sysfs_root : "";
	struct kinds kinds = { 0 };
	int rc = find_kinds(apple, info, root, &kinds, err);

	if (!rc)
		rc = make_pmus(&kinds, &machine->pmus, err);
	if (!rc)
		rc = backend_find_machine(config, machine, err);
	if (!rc)
		describe_types(machine, &kinds);
	return rc;
}
