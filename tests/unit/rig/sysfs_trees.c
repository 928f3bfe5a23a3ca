/* sysfs_trees.c: tables of sysfs files, by machine */
#include "rig/sysfs_trees.h"

/* clang-format off: it takes the rows for blocks */
#define CPU_SEAT(n, package, cluster, core)                           \
	{ CPU_DIR "cpu" n "/topology/physical_package_id", package }, \
		{ CPU_DIR "cpu" n "/topology/cluster_id", cluster },  \
	{                                                             \
		CPU_DIR "cpu" n "/topology/core_id", core             \
	}

#define CPU_THREADS(n, file, list)                      \
	{                                               \
		CPU_DIR "cpu" n "/topology/" file, list \
	}

#define ARM_CPU(n, id, package, cluster, core) \
	{ CPU_DIR "cpu" n "/regs/identification/midr_el1", id }, CPU_SEAT(n, package, cluster, core)
/* clang-format on */

const struct fake_file m1_files[] = {
	{ CPU_DIR "online", "0-6" },
	{ CPU_DIR "present", "0-7" },
	{ "proc/device-tree/model", "Apple MacBook Air (M1, 2020)" },
	{ "proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 48.00\nCPU implementer\t: 0x61" },
	ARM_CPU("0", "0x00000000611f0220", "0", "0", "0"),
	ARM_CPU("1", "0x00000000611f0220", "0", "0", "1"),
	ARM_CPU("2", "0x00000000611f0220", "0", "0", "2"),
	ARM_CPU("3", "0x00000000611f0220", "0", "0", "3"),
	ARM_CPU("4", "0x00000000611f0230", "0", "1", "0"),
	ARM_CPU("5", "0x00000000611f0230", "0", "1", "1"),
	ARM_CPU("6", "0x00000000611f0230", "0", "1", "2"),
	SOFTWARE_FILES,
	{ PMU_DIR "apple_icestorm_pmu/type", "10" },
	{ PMU_DIR "apple_icestorm_pmu/cpus", "0-3" },
	{ PMU_DIR "apple_icestorm_pmu/format/event", "config:0-7" },
	{ PMU_DIR "apple_icestorm_pmu/events/cycles", "event=0x0002" },
	{ PMU_DIR "apple_icestorm_pmu/events/instructions", "event=0x008c" },
	{ PMU_DIR "apple_firestorm_pmu/type", "11" },
	{ PMU_DIR "apple_firestorm_pmu/cpus", "4-7" },
	{ PMU_DIR "apple_firestorm_pmu/format/event", "config:0-7" },
	{ PMU_DIR "apple_firestorm_pmu/events/cycles", "event=0x0002" },
	{ PMU_DIR "apple_firestorm_pmu/events/instructions", "event=0x008c" },
	{ NULL, NULL },
};

const struct fake_file hybrid_files[] = {
	{ CPU_DIR "online", "0-7" },
	{ "proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
			  "model\t\t: 154\nmodel name\t: 12th Gen Intel(R) Core(TM) i3-1215U\n"
			  "stepping\t: 4\n\nprocessor\t: 4\nmodel\t\t: 154" },
	CPU_SEAT("0", "0", "0", "0"),
	CPU_SEAT("1", "0", "0", "0"),
	CPU_SEAT("2", "0", "8", "4"),
	CPU_SEAT("3", "0", "8", "4"),
	CPU_THREADS("0", "core_cpus_list", "0-1"),
	CPU_THREADS("1", "core_cpus_list", "0-1"),
	CPU_THREADS("2", "core_cpus_list", "2-3"),
	CPU_THREADS("3", "core_cpus_list", "2-3"),
	CPU_SEAT("4", "0", "16", "8"),
	CPU_SEAT("5", "0", "16", "9"),
	CPU_SEAT("6", "0", "16", "10"),
	CPU_SEAT("7", "0", "16", "11"),
	SOFTWARE_FILES,
	{ PMU_DIR "msr/type", "12" },
	{ PMU_DIR "msr/format/event", "config:0-63" },
	{ PMU_DIR "msr/events/tsc", "event=0x00" },
	{ PMU_DIR "cpu_core/type", "4" },
	{ PMU_DIR "cpu_core/cpus", "0-3" },
	{ PMU_DIR "cpu_core/format/event", "config:0-7" },
	{ PMU_DIR "cpu_core/format/umask", "config:8-15" },
	{ PMU_DIR "cpu_core/events/cpu-cycles", "event=0x3c" },
	{ PMU_DIR "cpu_atom/type", "10" },
	{ PMU_DIR "cpu_atom/cpus", "4-7" },
	{ PMU_DIR "cpu_atom/format/event", "config:0-7" },
	{ PMU_DIR "intel_pt/type", "13" },
	{ PMU_DIR "intel_pt/format/cyc", "config:1" },
	{ NULL, NULL },
};

const struct fake_file server_files[] = {
	{ CPU_DIR "online", "0-3" },
	{ "proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
			  "model\t\t: 106\nmodel name\t: Intel(R) Xeon(R) Platinum 8380\n"
			  "stepping\t: 6" },
	CPU_SEAT("0", "0", "0", "0"),
	CPU_SEAT("1", "0", "0", "0"),
	CPU_SEAT("2", "1", "64", "0"),
	CPU_SEAT("3", "1", "64", "0"),
	CPU_THREADS("0", "thread_siblings_list", "0-1"),
	CPU_THREADS("1", "thread_siblings_list", "0-1"),
	CPU_THREADS("2", "thread_siblings_list", "2-3"),
	CPU_THREADS("3", "thread_siblings_list", "2-3"),
	SOFTWARE_FILES,
	{ PMU_DIR "cpu/type", "4" },
	{ PMU_DIR "cpu/format/event", "config:0-7" },
	{ PMU_DIR "cpu/format/umask", "config:8-15" },
	{ PMU_DIR "cpu/format/edge", "config:18" },
	{ PMU_DIR "cpu/format/offcore_rsp", "config1:0-63" },
	{ PMU_DIR "cpu/events/branch-misses", "event=0xc5" },
	{ PMU_DIR "uncore_imc_0/type", "14" },
	{ PMU_DIR "uncore_imc_0/cpumask", "0,2" },
	{ PMU_DIR "uncore_imc_0/format/event", "config:0-7" },
	{ PMU_DIR "uncore_imc_0/format/umask", "config:8-15" },
	{ PMU_DIR "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x0f" },
	{ PMU_DIR "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5" },
	{ PMU_DIR "uncore_imc_0/events/cas_count_read.unit", "MiB" },
	{ PMU_DIR "power/type", "15" },
	{ PMU_DIR "power/cpumask", "0,2" },
	{ PMU_DIR "power/format/event", "config:0-7" },
	{ PMU_DIR "power/events/energy-pkg", "event=0x02" },
	{ PMU_DIR "power/events/energy-pkg.scale", "2.3283064365386962890625e-10" },
	{ PMU_DIR "power/events/energy-pkg.unit", "Joules" },
	{ PMU_DIR "power/events/energy-pkg.per-pkg", "1" },
	{ NULL, NULL },
};

const struct fake_file smmu_files[] = {
	{ CPU_DIR "online", "0-1" },
	{ "sys/class/dmi/id/product_name", "Mt. Jade" },
	{ "proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
			  "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n"
			  "processor\t: 1\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
			  "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1" },
	SOFTWARE_FILES,
	{ PMU_DIR "armv8_pmuv3_0/type", "10" },
	{ PMU_DIR "armv8_pmuv3_0/cpus", "0-1" },
	{ PMU_DIR "armv8_pmuv3_0/format/event", "config:0-15" },
	{ PMU_DIR "armv8_pmuv3_0/format/long", "config1:0" },
	{ PMU_DIR "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011" },
	{ PMU_DIR "armv8_pmuv3_0/caps/slots", "0x00000008" },
	{ PMU_DIR "arm_spe_0/type", "11" },
	{ PMU_DIR "arm_spe_0/cpumask", "0-1" },
	{ PMU_DIR "smmuv3_pmcg_2b442/type", "12" },
	{ PMU_DIR "smmuv3_pmcg_2b442/cpumask", "0" },
	{ PMU_DIR "smmuv3_pmcg_2b442/format/event", "config:0-15" },
	{ PMU_DIR "smmuv3_pmcg_2b442/format/filter_stream_id", "config1:0-31" },
	{ PMU_DIR "smmuv3_pmcg_2b442/format/filter_span", "config1:32" },
	{ PMU_DIR "smmuv3_pmcg_2b442/format/filter_enable", "config1:33" },
	{ PMU_DIR "smmuv3_pmcg_2b442/events/tlb_miss", "event=0x02" },
	{ NULL, NULL },
};
