#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "backend/perf/perf.h"
#include "machine/driver_traits.h"

enum { APPLE_CYCLES = 0x02, APPLE_INST_BRANCH = 0x8d, EXTENDED_SHIFT = 32 };

static void with_guests(const struct pmu *pmu, struct perf_event_attr *attr)
{
	attr->type = pmu->type;
	attr->config = APPLE_CYCLES;
	attr->exclude_guest = 0;
}

static void extended(const struct pmu *pmu, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_HARDWARE;
	attr->config = (uint64_t)pmu->type << EXTENDED_SHIFT | PERF_COUNT_HW_CPU_CYCLES;
}

static void generic_branches(const struct pmu *pmu, struct perf_event_attr *attr)
{
	extended(pmu, attr);
	attr->config += PERF_COUNT_HW_BRANCH_INSTRUCTIONS - PERF_COUNT_HW_CPU_CYCLES;
}

static void raw_id(const struct pmu *pmu, struct perf_event_attr *attr)
{
	attr->type = pmu->type;
	attr->config = APPLE_INST_BRANCH;
}

/* What has changed from kernel to kernel. Versions are not asked: distributions carry patches.
 * Source: Linux drivers/perf/apple_m1_cpu_pmu.c and its history */
static const struct trait {
	const char *what;
	void (*make)(const struct pmu *pmu, struct perf_event_attr *attr);
	const char *yes, *no;
} table[DRIVER_TRAITS] = {
	{ "counts by event id (0x8d)", raw_id, "every event of the catalogue can be counted",
	  "only what the kernel itself names can be counted" },
	{ "takes exclude_guest=0", with_guests, "it can tell guests from the host",
	  "an older driver: m1top sets exclude_guest=1" },
	{ "takes the extended hardware type", extended, "generic names find this core type",
	  "generic names count one core type only: m1top never uses them" },
	{ "knows the generic name branches", generic_branches, "perf stat -e branches works here",
	  "for other tools: m1top counts it by id" },
};

static int try(const struct pmu *pmu, unsigned cpu, const struct trait *trait)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_guest = 1,
	};

	trait->make(pmu, &attr);

	AUTO_FD int fd =
		(int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? errno : 0;
}

void driver_traits(const struct pmu *pmu, unsigned cpu, struct driver_trait ret[DRIVER_TRAITS])
{
	for (unsigned i = 0; i < DRIVER_TRAITS; i++) {
		int code = try(pmu, cpu, &table[i]);

		ret[i] = (struct driver_trait){
			.what = table[i].what,
			.code = code,
			.means = code ? table[i].no : table[i].yes,
		};
	}
}
