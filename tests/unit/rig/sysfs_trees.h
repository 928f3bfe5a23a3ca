/* sysfs_trees.h: sysfs files of machines that are not here, as their kernels show them */
#ifndef TESTS_SYSFS_TREES_H
#define TESTS_SYSFS_TREES_H

#include "rig/fake_root.h"

/* clang-format off: it takes the rows for blocks */
#define SOFTWARE_FILES                                                              \
	{ PMU_DIR "software/type", "1" }, { PMU_DIR "tracepoint/type", "2" },       \
		{ PMU_DIR "breakpoint/type", "5" }, { PMU_DIR "kprobe/type", "8" }, \
	{                                                                           \
		PMU_DIR "uprobe/type", "9"                                          \
	}
/* clang-format on */

/** Files of an M1 whose CPU 7 is offline: it has no identification and no topology. */
extern const struct fake_file m1_files[];

/** Files of a hybrid x86: two P cores with two threads each, four E cores in one L2 module. */
extern const struct fake_file hybrid_files[];

/** Files of two sockets with one core of two threads each, on a Linux without core_cpus_list. */
extern const struct fake_file server_files[];

/** Files of an ACPI server with PMUv3 and SMMUs, without MIDR files: /proc/cpuinfo identifies its cores. */
extern const struct fake_file smmu_files[];

#endif
