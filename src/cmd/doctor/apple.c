/* doctor on Apple silicon: the kernel's driver, the module m1pmu, and access from user space. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/doctor/doctor.h"
#include "backend/apple/regs.h"
#include "machine/driver_traits.h"
#include "machine/sysfs.h"

#define BLACKLIST "initcall_blacklist=m1_pmu_driver_init"
#define MODULE    "/sys/module/m1pmu/"

bool doctor_is_apple(const struct machine *machine)
{
	return !machine->simulated && machine_is_apple(machine);
}

static void tell_parts(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		uint64_t midr = machine->core[machine_first_core(machine, t)].midr;

		OK("type %s: MIDR %#" PRIx64 ", part %#" PRIx64 ", counters of %u bits",
		   machine->type[t].name, midr, midr >> 4 & 0xfff, machine->type[t].width);
	}
}

/* ---- the kernel's own driver ---- */

static int online_cpu_of(const struct pmu *pmu)
{
	struct cpus online;

	if (sysfs_online("", &online, NULL))
		return -1;
	cpus_each(&pmu->cpus, cpu) {
		if (cpus_has(&online, (unsigned)cpu))
			return cpu;
	}
	return -1;
}

static void tell_driver_of(const struct pmu *pmu)
{
	struct driver_trait trait[DRIVER_TRAITS];
	int cpu = online_cpu_of(pmu);

	if (cpu < 0) {
		NONE("%s: none of its cores is online", pmu->name);
		return;
	}
	OK("%s: the kernel's driver owns it: use m1top --backend perf", pmu->name);
	driver_traits(pmu, (unsigned)cpu, trait);
	for (unsigned i = 0; i < DRIVER_TRAITS; i++)
		doctor_say(trait[i].code ? "-" : "ok", "  %s: %s; %s", trait[i].what,
			   trait[i].code ? strerror(trait[i].code) : "yes", trait[i].means);
}

/* The command line is read as a whole: it may be longer than a line. */
static bool is_blacklisted(void)
{
	char line[4096];

	return sysfs_read("", "/proc/cmdline", line, sizeof(line)) > 0 && strstr(line, BLACKLIST);
}

/* @return whether the kernel's driver has the PMU */
static bool tell_driver(void)
{
	struct pmus pmus = { 0 };
	unsigned n = 0;

	if (sysfs_pmus("", &pmus, NULL) >= 0) {
		for (size_t i = 0; i < pmus.n; i++) {
			if (fnmatch("apple_*_pmu", pmus.pmu[i].name, 0) == 0) {
				tell_driver_of(&pmus.pmu[i]);
				n++;
			}
		}
	}
	if (!n)
		NONE("the kernel's driver has no Apple PMU: %s",
		     is_blacklisted() ? "disabled by " BLACKLIST
				      : "this kernel was built without CONFIG_APPLE_M1_CPU_PMU, "
					"or does not know this chip");
	pmus_fini(&pmus);
	return n > 0;
}

/* ---- the module ---- */

static void module_file(const char *name, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), MODULE "%s", name);
	if (sysfs_read("", path, buf, size) < 0)
		snprintf(buf, size, "?");
}

static void tell_module(bool has_driver)
{
	char state[32], amu[8], l2c_bit[8];

	if (sysfs_exists("", MODULE "initstate")) {
		module_file("initstate", state, sizeof(state));
		module_file("parameters/amu", amu, sizeof(amu));
		module_file("parameters/l2c_bit", l2c_bit, sizeof(l2c_bit));
		OK("module m1pmu: %s, amu=%s, l2c_bit=%s", state, amu, l2c_bit);
	} else {
		NONE("module m1pmu: not loaded: sudo modprobe m1pmu (to build it: docs/apple.md)");
	}
	if (has_driver)
		NONE("  it refuses to load beside the kernel's driver, which cannot be unbound: "
		     "for exact counters boot with " BLACKLIST);
}

/* ---- access from user space ---- */

static void find_open(const struct machine *machine, struct cpus *ret)
{
	struct cpus before;
	uint64_t counter[N_APPLE_COUNTERS];

	if (cpus_get_affinity(&before))
		return;
	for (unsigned i = 0; i < machine->n_cores; i++) {
		if (cpus_pin(machine->core[i].cpu) == 0 && apple_el0_counters(counter))
			cpus_add(ret, machine->core[i].cpu);
	}
	cpus_set_affinity(&before);
}

/* By trying it: that needs no module and no rights. */
static void tell_el0(const struct machine *machine)
{
	struct cpus open = { 0 };
	char list[128];

	if (apple_el0_begin(NULL))
		return;
	find_open(machine, &open);
	apple_el0_end();
	if (cpus_count(&open))
		PROBLEM("PMCR0 bit 30 is set on cpu %s: every process can read and write their "
			"PMU (m1top --backend apple:el0, or another tool)",
			cpus_format(&open, list, sizeof(list)));
	else
		OK("PMCR0 bit 30 is clear: user space cannot touch the PMU");
}

void doctor_apple(const struct machine *machine)
{
	printf("Apple PMU\n");
	tell_parts(machine);
	tell_module(tell_driver());
	tell_el0(machine);
}
