#include "pmu/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

struct scan {
	struct machine *machine;
	struct core *core; /* the current processor; NULL: not in the machine */
	char vendor[32];
	char riscv[3][20]; /* mvendorid, marchid, mimpid, as written */
	uint64_t family, model, stepping;
};

/* Positions of the MIDR_EL1 fields; architecture is 0xf ("by ID registers") on all arm64 */
static const struct midr_field {
	const char *name;
	unsigned shift;
} midr_fields[] = {
	{ "CPU implementer", 24 },
	{ "CPU variant", 20 },
	{ "CPU part", 4 },
	{ "CPU revision", 0 },
};

static const char *const riscv_names[] = { "mvendorid", "marchid", "mimpid" };

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
	}
	for (size_t i = 0; i < ARRAY_SIZE(midr_fields) && scan->core; i++)
		if (strcmp(name, midr_fields[i].name) == 0)
			scan->core->midr |= 0xf0000 | value << midr_fields[i].shift;
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
	for (size_t i = 0; i < ARRAY_SIZE(riscv_names); i++)
		if (strcmp(name, riscv_names[i]) == 0)
			snprintf(scan->riscv[i], sizeof(scan->riscv[i]), "%s", value);
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
	if (scan.riscv[0][0])
		snprintf(machine->cpuid, sizeof(machine->cpuid), "%s-%s-%s", scan.riscv[0],
			 scan.riscv[1], scan.riscv[2]);
	else if (scan.vendor[0])
		snprintf(machine->cpuid, sizeof(machine->cpuid), "%s-%u-%X-%X", scan.vendor,
			 (unsigned)scan.family, (unsigned)scan.model, (unsigned)scan.stepping);
}

static const char *const e_names[] = { "apple_icestorm_pmu", "apple_blizzard_pmu",
				       "apple_sawtooth_pmu", "apple_*-e_pmu",
				       "apple_*_e_pmu",      "cpu_atom" };
static const char *const p_names[] = { "apple_firestorm_pmu", "apple_avalanche_pmu",
				       "apple_everest_pmu",   "apple_*-p_pmu",
				       "apple_*_p_pmu",       "cpu_core" };

static void name_type(struct core_type *type)
{
	const char *name = type->pmu->name;

	if (sysfs_name_fits(name, e_names, ARRAY_SIZE(e_names)))
		name = "E";
	else if (sysfs_name_fits(name, p_names, ARRAY_SIZE(p_names)))
		name = "P";
	else if (strncmp(name, "armv8_", 6) == 0 || strncmp(name, "armv9_", 6) == 0)
		name += 6;
	snprintf(type->name, sizeof(type->name), "%.15s", name);
}

/* Compare types: E cores first, then by the lowest CPU. */
static int by_place(const void *a, const void *b)
{
	const struct core_type *x = a, *y = b;
	bool x_is_e = strcmp(x->name, "E") == 0, y_is_e = strcmp(y->name, "E") == 0;

	if (x_is_e != y_is_e)
		return x_is_e ? -1 : 1;
	return cpus_next(&x->pmu->cpus, -1) - cpus_next(&y->pmu->cpus, -1);
}

static int add_type(struct machine *machine, const struct pmu *pmu, struct err *err)
{
	if (machine->n_types == TYPES_MAX)
		return err_set(err, EINVAL, "more than %d kinds of core: no room for %s", TYPES_MAX,
			       pmu ? pmu->name : "a core without counters");

	struct core_type *type = &machine->type[machine->n_types++];

	*type = (struct core_type){ .name = "cpu", .pmu = pmu };
	if (pmu)
		name_type(type);
	return 0;
}

/* Remove CPUs that the machine does not have from the PMUs; firmware and hypervisors may list them. */
static void leave_absent(const char *root, struct machine *machine)
{
	struct cpus present, online, absent = { 0 };
	const char *by = NULL;
	char what[256];

	if (sysfs_cpus(root, "/sys/devices/system/cpu/present", &present, NULL) ||
	    sysfs_online(root, &online, NULL))
		return;
	for (size_t i = 0; machine->pmus.pmu && i < machine->pmus.n; i++) {
		struct pmu *pmu = &machine->pmus.pmu[i];
		struct cpus kept = { 0 };

		cpus_each(&pmu->cpus, cpu) {
			bool is_there = cpus_has(&present, (unsigned)cpu) ||
					cpus_has(&online, (unsigned)cpu);

			cpus_add(is_there ? &kept : &absent, (unsigned)cpu);
			if (!is_there && !by)
				by = pmu->name;
		}
		pmu->cpus = kept;
	}
	snprintf(what, sizeof(what), "not present on this machine, although PMU %s lists %s",
		 by ? by : "", cpus_count(&absent) > 1 ? "them" : "it");
	machine_note_cpus(machine, &absent, what);
}

/* Find the CPUs to show: online ones, and offline ones that a core PMU lists. */
static int find_cpus(const char *root, const struct machine *machine, struct cpus *ret,
		     struct err *err)
{
	int rc = sysfs_online(root, ret, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < machine->pmus.n; i++) {
		const struct pmu *pmu = &machine->pmus.pmu[i];

		if (pmu->kind != PMU_CORE)
			continue;
		cpus_each(&pmu->cpus, cpu)
			cpus_add(ret, (unsigned)cpu);
	}
	if (cpus_count(ret) > CORES_MAX)
		return err_set(err, EINVAL, "%u CPUs: m1top supports at most %d", cpus_count(ret),
			       CORES_MAX);
	return 0;
}

/* @return index; -1 if no type has the CPU */
static int type_of_cpu(const struct machine *machine, unsigned cpu)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		const struct pmu *pmu = machine->type[t].pmu;

		if (!pmu || cpus_has(&pmu->cpus, cpu))
			return (int)t;
	}
	return -1;
}

static int find_types(struct machine *machine, const struct cpus *cpus, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < machine->pmus.n && !rc; i++) {
		const struct pmu *pmu = &machine->pmus.pmu[i];

		if (pmu->kind == PMU_CORE && cpus_count(&pmu->cpus))
			rc = add_type(machine, pmu, err);
	}
	if (rc)
		return rc;
	qsort(machine->type, machine->n_types, sizeof(machine->type[0]), by_place);
	cpus_each(cpus, cpu)
		if (type_of_cpu(machine, (unsigned)cpu) < 0)
			return add_type(machine, NULL, err);
	return 0;
}

static int sysfs_machine_add_cores(struct machine *machine, const struct cpus *cpus,
				   struct err *err)
{
	struct core *core = calloc(cpus_count(cpus) + 1, sizeof(*core));

	if (!core)
		return err_set(err, ENOMEM, "out of memory");
	machine->core = core;
	cpus_each(cpus, cpu)
		core[machine->n_cores++] = (struct core){
			.cpu = (unsigned)cpu,
			.type = (unsigned)type_of_cpu(machine, (unsigned)cpu),
		};
	if (machine->n_types == 1)
		snprintf(machine->type[0].name, sizeof(machine->type[0].name), "cpu");
	return 0;
}

/* Position of a core in the topology. */
struct seat {
	unsigned type;
	int package, cluster, core, llc, node;
};

static int topology(const char *root, unsigned cpu, const char *what)
{
	uint64_t value;

	if (sysfs_cpu_number(root, cpu, what, &value, NULL))
		return -1;
	return value < 65535 ? (int)value : -1; /* 65535: x86 CPU without this level */
}

static void find_clusters(const struct seat *seat, unsigned n, unsigned *ret_first)
{
	uint64_t key[CORES_MAX];

	for (unsigned i = 0; i < n; i++)
		key[i] = (uint64_t)seat[i].type << 32 | (uint32_t)(uint16_t)seat[i].package << 16 |
			 (uint16_t)seat[i].cluster;
	machine_first_alike(key, n, ret_first);
}

/* Number the clusters of each type, if useful: one with a single core (x86: every core has its own
 * L2) is not. */
static void number_clusters(struct machine *machine, struct seat *seat)
{
	unsigned n = machine->n_cores, first[CORES_MAX];
	bool is_useful[TYPES_MAX] = { false };

	find_clusters(seat, n, first);
	for (unsigned i = 0; i < n; i++)
		is_useful[seat[i].type] |=
			seat[i].cluster >= 0 && seat[i].core != seat[first[i]].core;
	for (unsigned i = 0; i < n; i++)
		if (!is_useful[seat[i].type])
			seat[i].cluster = -1;
	find_clusters(seat, n, first);
	for (unsigned i = 0; i < n; i++)
		machine->core[i].cluster =
			first[i] == i ? machine->n_clusters++ : machine->core[first[i]].cluster;
}

/* Place an offline CPU, which shows no topology but its node, with a neighbour of its type. */
static void take_seat(struct seat *seat, const struct seat *from, bool of_node)
{
	int node = seat->node;

	if (seat->package >= 0 || seat->type != from->type || from->package < 0 ||
	    (of_node && node >= 0 && node != from->node))
		return;
	*seat = *from;
	if (node >= 0)
		seat->node = node;
}

/* Place offline CPUs with the neighbour before, else with the one behind; of their node, else any. */
static void seat_offline(struct seat *seat, unsigned n)
{
	for (unsigned of_node = 2; of_node-- > 0;) {
		for (unsigned i = 1; i < n; i++)
			take_seat(&seat[i], &seat[i - 1], of_node);
		for (unsigned i = n; i-- > 1;)
			take_seat(&seat[i - 1], &seat[i], of_node);
	}
}

/* Find the NUMA nodes. A node's list has its online CPUs; a link names offline ones. Nodes without
 * CPUs seat none. Without the folder the kernel has no NUMA, and all is node 0.
 * Source: Linux drivers/base/node.c, include/linux/topology.h (cpu_to_node) */
static void find_nodes(const char *root, const struct machine *machine, struct seat *seat)
{
	AUTO_ENTRIES struct entries list = sysfs_list(root, "/sys/devices/system/node");

	for (unsigned i = 0; i < machine->n_cores; i++)
		seat[i].node = list.n > 0 ? -1 : 0;
	for (int k = 0; k < list.n; k++) {
		const char *name = list.entry[k]->d_name;
		struct cpus cpus = { { 0 } };
		char path[256];
		uint64_t node, linked;

		if (strncmp(name, "node", 4) != 0 || num_parse_u64(name + 4, &node) ||
		    node > INT_MAX)
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/node/%s/cpulist", name);
		sysfs_cpus(root, path, &cpus, NULL);
		*strrchr(path, '/') = '\0';

		AUTO_ENTRIES struct entries links = sysfs_list(root, path);

		for (int i = 0; i < links.n; i++)
			if (strncmp(links.entry[i]->d_name, "cpu", 3) == 0 &&
			    !num_parse_u64(links.entry[i]->d_name + 3, &linked) &&
			    linked < CPUS_MAX)
				cpus_add(&cpus, (unsigned)linked);
		cpus_each(&cpus, cpu) {
			int core = machine_core_of_cpu(machine, (unsigned)cpu);

			if (core >= 0)
				seat[core].node = (int)node;
		}
	}
}

/* Find the last-level cache of a CPU. @ret  CPUs that share it  @return its number; -1: unknown */
static int find_llc(const char *root, unsigned cpu, struct cpus *ret)
{
	uint64_t level, last = 0, id;
	char name[64], path[128];
	int number = -1;

	for (unsigned i = 0;; i++) {
		snprintf(name, sizeof(name), "cache/index%u/level", i);
		if (sysfs_cpu_number(root, cpu, name, &level, NULL))
			return number;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, i);
		if (level <= last || sysfs_cpus(root, path, ret, NULL) || !cpus_has(ret, cpu))
			continue;
		last = level;
		snprintf(name, sizeof(name), "cache/index%u/id", i);
		number = sysfs_cpu_number(root, cpu, name, &id, NULL) || id > INT_MAX
				 ? cpus_next(ret, -1)
				 : (int)id;
	}
}

/* Find the last-level caches; the CPUs that share one are known from the first of them. */
static void find_llcs(const char *root, const struct machine *machine, struct seat *seat)
{
	for (unsigned i = 0; i < machine->n_cores; i++)
		seat[i].llc = -1;
	for (unsigned i = 0; i < machine->n_cores; i++) {
		struct cpus cpus = { { 0 } };
		int number = seat[i].llc < 0 ? find_llc(root, machine->core[i].cpu, &cpus) : -1;

		if (number < 0)
			continue;
		cpus_each(&cpus, cpu) {
			int core = machine_core_of_cpu(machine, (unsigned)cpu);

			if (core >= (int)i)
				seat[core].llc = number;
		}
	}
}

static unsigned first_thread(const char *root, unsigned cpu)
{
	/* the second name is that of Linux before 5.3 */
	static const char *const name[] = { "core_cpus_list", "thread_siblings_list" };
	struct cpus threads = { { 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(name) && !cpus_has(&threads, cpu); i++) {
		char path[128], text[4096];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			 name[i]);
		if (sysfs_read(root, path, text, sizeof(text)) >= 0)
			cpus_parse(text, &threads, NULL);
	}
	return cpus_has(&threads, cpu) ? (unsigned)cpus_next(&threads, -1) : cpu;
}

/* Find clusters, caches, nodes, sockets and physical cores. */
static int find_seats(const char *root, struct machine *machine, struct err *err)
{
	AUTO_FREE struct seat *seat = calloc(machine->n_cores + 1, sizeof(*seat));

	if (!seat)
		return err_set(err, ENOMEM, "out of memory");
	for (unsigned i = 0; i < machine->n_cores; i++) {
		unsigned cpu = machine->core[i].cpu;

		seat[i].type = machine->core[i].type;
		seat[i].package = topology(root, cpu, "topology/physical_package_id");
		seat[i].cluster = topology(root, cpu, "topology/cluster_id");
		seat[i].core = topology(root, cpu, "topology/core_id");
	}
	find_nodes(root, machine, seat);
	find_llcs(root, machine, seat);
	seat_offline(seat, machine->n_cores);
	number_clusters(machine, seat);
	for (unsigned i = 0; i < machine->n_cores; i++) {
		machine->core[i].package = seat[i].package > 0 ? (unsigned)seat[i].package : 0;
		machine->core[i].llc_id = (unsigned)seat[i].llc;
		machine->core[i].node_id = (unsigned)seat[i].node;
		machine->core[i].thread0 = first_thread(root, machine->core[i].cpu);
	}
	machine_number(machine);
	return 0;
}

/* Find the MIDRs. An offline core has no identification files; it gets that of its type. */
static void find_midrs(const char *root, struct machine *machine)
{
	uint64_t of_type[TYPES_MAX] = { 0 };

	for (unsigned i = 0; i < machine->n_cores; i++) {
		struct core *core = &machine->core[i];

		sysfs_cpu_number(root, core->cpu, SYSFS_MIDR, &core->midr, NULL);
		if (!of_type[core->type])
			of_type[core->type] = core->midr;
	}
	for (unsigned i = 0; i < machine->n_cores; i++) {
		struct core *core = &machine->core[i];

		if (!core->midr)
			core->midr = of_type[core->type];
	}
}

static void find_model(const char *root, struct machine *machine)
{
	static const char *const place[] = { "/proc/device-tree/model",
					     "/sys/class/dmi/id/product_name" };

	for (size_t i = 0; i < ARRAY_SIZE(place) && !machine->model[0]; i++)
		if (sysfs_read(root, place[i], machine->model, sizeof(machine->model)) < 0)
			machine->model[0] = '\0';
}

/* Find the highest clock of each type, if a cpufreq driver says it. */
static void find_clocks(const char *root, struct machine *machine)
{
	for (unsigned i = 0; i < machine->n_cores; i++) {
		uint32_t *mhz = &machine->type[machine->core[i].type].max_mhz;
		uint64_t khz;

		if (!sysfs_cpu_number(root, machine->core[i].cpu, "cpufreq/cpuinfo_max_freq", &khz,
				      NULL) &&
		    khz / 1000 > *mhz && khz / 1000 <= UINT32_MAX)
			*mhz = (uint32_t)(khz / 1000);
	}
}

int sysfs_machine(const char *root, struct machine *machine, struct err *err)
{
	struct machine made = { .pmus = machine->pmus };
	struct cpus cpus;
	int rc;

	leave_absent(root, &made);
	rc = find_cpus(root, &made, &cpus, err);
	if (!rc)
		rc = find_types(&made, &cpus, err);
	if (!rc)
		rc = sysfs_machine_add_cores(&made, &cpus, err);
	if (!rc)
		rc = find_seats(root, &made, err);
	if (rc) {
		free(made.core);
		return rc;
	}
	sysfs_cpuinfo(root, &made);
	find_midrs(root, &made);
	find_model(root, &made);
	find_clocks(root, &made);
	if (made.n_cores && made.core[0].midr)
		snprintf(made.cpuid, sizeof(made.cpuid), "0x%016" PRIx64, made.core[0].midr);
	*machine = made;
	return 0;
}

unsigned sysfs_cpu_of_type(const char *root, const struct machine *machine, unsigned type)
{
	unsigned first = machine->core[machine_first_core(machine, type)].cpu;
	struct cpus online;

	if (sysfs_online(root, &online, NULL))
		return first;
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (machine->core[i].type == type && cpus_has(&online, machine->core[i].cpu))
			return machine->core[i].cpu;
	return first;
}
