#include "metrics/expression.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "pmu/machine.h"

#define CPU "/sys/devices/system/cpu/"

struct literal_query {
	const char *root;
	const struct machine *machine;
	unsigned type;
};

static bool cpus_of(const struct literal_query *q, const char *path, struct cpus *ret)
{
	char text[4096];

	return sysfs_read(q->root, path, text, sizeof(text)) >= 0 &&
	       cpus_parse(text, ret, NULL) == 0;
}

/* Whether the machine is this host, and not simulated or recorded. */
static bool is_here(const struct literal_query *q)
{
	return !q->machine->simulated && !q->machine->recorded;
}

/* Get the online CPUs; of a simulated or recorded machine those of its cores. */
static struct cpus online(const struct literal_query *q)
{
	struct cpus cpus;

	return is_here(q) && sysfs_online(q->root, &cpus, NULL) == 0 ? cpus
								     : machine_cpus(q->machine);
}

static double num_cpus_online(const struct literal_query *q)
{
	struct cpus cpus = online(q);

	return cpus_count(&cpus);
}

static double num_cpus(const struct literal_query *q)
{
	struct cpus present = { { 0 } };
	int last = -1;

	if (!is_here(q) || !cpus_of(q, CPU "present", &present))
		present = online(q);
	cpus_each(&present, cpu)
		last = cpu;
	return last + 1;
}

/* Get the CPUs that share a core, die or package with a CPU. */
static bool siblings(const struct literal_query *q, int cpu, const char *what, struct cpus *ret)
{
	char path[96];

	snprintf(path, sizeof(path), CPU "cpu%d/topology/%s", cpu, what);
	return is_here(q) && cpus_of(q, path, ret);
}

/* Count the groups of CPUs; the members of a group are known from its first CPU. */
static double count_groups(const struct literal_query *q, const char *what, const char *older)
{
	struct cpus cpus = online(q), known = { { 0 } };
	unsigned n = 0;

	cpus_each(&cpus, cpu) {
		struct cpus group;

		if (cpus_has(&known, (unsigned)cpu) ||
		    (!siblings(q, cpu, what, &group) && !siblings(q, cpu, older, &group)))
			continue;
		n++;
		cpus_each(&group, member)
			cpus_add(&known, (unsigned)member);
	}
	return n;
}

static double num_cores(const struct literal_query *q)
{
	if (q->machine->simulated)
		return q->machine->n_physical;
	return count_groups(q, "core_cpus_list", "thread_siblings_list");
}

/* Count dies: 0 if the kernel reports none, as in perf. */
static double num_dies(const struct literal_query *q)
{
	return q->machine->simulated ? 1 : count_groups(q, "die_cpus_list", "die_cpus_list");
}

static double num_packages(const struct literal_query *q)
{
	unsigned n = 1;

	if (!q->machine->simulated)
		return count_groups(q, "package_cpus_list", "core_siblings_list");
	for (unsigned i = 0; i < q->machine->n_cores; i++)
		if (q->machine->core[i].package >= n)
			n = q->machine->core[i].package + 1;
	return n;
}

static double smt_on(const struct literal_query *q)
{
	struct cpus cpus = online(q);
	char active[8];

	if (q->machine->simulated)
		return machine_has_smt(q->machine);
	if (sysfs_read(q->root, CPU "smt/active", active, sizeof(active)) >= 0)
		return active[0] == '1';
	cpus_each(&cpus, cpu) {
		struct cpus core;

		if (siblings(q, cpu, "core_cpus_list", &core) && cpus_count(&core) > 1)
			return 1;
	}
	return 0;
}

/* Whether all threads of every core are counted, which with -C may not be so. */
static double core_wide(const struct literal_query *q)
{
	struct cpus counted = machine_cpus(q->machine);

	cpus_each(&counted, cpu) {
		struct cpus core = { { 0 } };

		siblings(q, cpu, "core_cpus_list", &core);
		cpus_each(&core, thread)
			if (!cpus_has(&counted, (unsigned)thread))
				return 0;
	}
	return 1;
}

/* Get the dispatch slots per cycle: Arm's PMMIR_EL1.SLOTS. */
static double slots(const struct literal_query *q)
{
	const struct pmu *pmu = q->machine->type[q->type].pmu;
	char path[160], text[32];
	uint64_t value;

	if (!pmu || !is_here(q))
		return NAN;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/caps/slots", pmu->name);
	if (sysfs_read(q->root, path, text, sizeof(text)) < 0 || num_parse_u64(text, &value) ||
	    !value)
		return NAN;
	return (double)value;
}

/* Calculate the TSC frequency from Intel's CPUID leaf 0x15: crystal frequency and multiplier. 0: not reported */
static double crystal_tsc_freq(void)
{
#ifdef __x86_64__
	unsigned divisor, factor, hz, none;

	if (__get_cpuid(0x15, &divisor, &factor, &hz, &none) && divisor)
		return (double)hz * factor / divisor;
#endif
	return 0;
}

/* Get the frequency of the time stamp counter, from CPUID or, on older CPUs, from the name:
 * "model name : Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz". */
static double system_tsc_freq(const struct literal_query *q)
{
	double hz = is_here(q) && !q->root[0] ? crystal_tsc_freq() : 0;

	if (hz > 0)
		return hz;

	struct machine named = { .model = "" };

	if (is_here(q))
		sysfs_cpuinfo(q->root, &named);

	const char *model = q->machine->recorded ? q->machine->model : named.model;
	const char *at = strstr(model, " @ ");

	return at && strstr(at, "GHz") ? strtod(at + 3, NULL) * 1e9 : NAN;
}

static double has_pmem(const struct literal_query *q)
{
	return is_here(q) && sysfs_exists(q->root, "/sys/firmware/acpi/tables/NFIT");
}

static const struct {
	const char *name;
	double (*read)(const struct literal_query *q);
	bool is_of_type;  /* false: the same on all types */
	bool is_recorded; /* known for any session, from its cores or their model */
} literals[LITERALS_N] = {
	{ "smt_on", smt_on, false, false },
	{ "core_wide", core_wide, false, false },
	{ "num_cpus", num_cpus, false, true },
	{ "num_cpus_online", num_cpus_online, false, true },
	{ "num_cores", num_cores, false, false },
	{ "num_dies", num_dies, false, false },
	{ "num_packages", num_packages, false, false },
	{ "slots", slots, true, false },
	{ "system_tsc_freq", system_tsc_freq, false, true },
	{ "has_pmem", has_pmem, false, false },
};

const char *literal_name(unsigned i)
{
	return i < LITERALS_N ? literals[i].name : NULL;
}

static double read_one(const struct literal_query *q, unsigned i)
{
	bool is_known = is_here(q) || q->machine->simulated || literals[i].is_recorded;

	return is_known ? literals[i].read(q) : NAN;
}

void literals_read(const char *root, const struct machine *machine, struct literals *ret)
{
	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct literal_query query = { root, machine, type };

		ret->is_known[type] = !machine->recorded;
		for (unsigned i = 0; i < LITERALS_N; i++)
			ret->value[type][i] = type && !literals[i].is_of_type ? ret->value[0][i]
									      : read_one(&query, i);
	}
}

int literals_get(const struct literals *from, unsigned type, const char *name, double *ret)
{
	for (unsigned i = 0; *name == '#' && i < LITERALS_N; i++) {
		if (ascii_casecmp(literals[i].name, name + 1) == 0) {
			*ret = from->value[type][i];
			return 0;
		}
	}
	return -ENOENT;
}
