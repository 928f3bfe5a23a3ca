// SPDX-License-Identifier: GPL-2.0-only
/* profiles.c: the machines: what their PMUs are called, count, and where. Sources: Linux 6.12, as named */
#include "model.h"

static const char *const intel_format[] = { "event", "config:0-7", "umask", "config:8-15", "edge", "config:18", "inv",
	"config:23", "cmask", "config:24-31", "offcore_rsp", "config1:0-63", "ldlat", "config1:0-15", "frontend",
	"config1:0-23", NULL };
static const char *const amd_format[] = { "event", "config:0-7,32-35", "umask", "config:8-15", "edge", "config:18",
	"inv", "config:23", "cmask", "config:24-31", NULL };
static const char *const uncore_format[] = { "event", "config:0-7", "umask", "config:8-15", "edge", "config:18",
	"inv", "config:23", "thresh", "config:24-31", NULL };
/* arch/x86/events/intel/uncore_snbep.c, spr_uncore_cha_formats_attr, spr_uncore_raw_formats_attr, snr_uncore_iio_formats_attr */
static const char *const cha_format[] = { "event", "config:0-7", "umask", "config:8-15,32-63", "edge", "config:18",
	"inv", "config:23", "thresh", "config:24-31", NULL };
static const char *const raw_format[] = { "event", "config:0-7", "umask", "config:8-15,32-55", "edge", "config:18",
	"inv", "config:23", "thresh", "config:24-31", NULL };
static const char *const iio_format[] = { "event", "config:0-7", "umask", "config:8-15", "edge", "config:18",
	"inv", "config:23", "thresh", "config:24-35", "ch_mask", "config:36-47", "fc_mask", "config:48-50", NULL };
static const char *const arm_format[] = { "event", "config:0-15", "long", "config1:0", "rdpmc", "config1:1", NULL };
static const char *const arm_caps[] = { "slots", "0x00000005", "bus_slots", "0x00000000", "bus_width", "0x00000000", NULL };
static const char *const df_format[] = { "event", "config:0-7,32-37", "umask", "config:8-15,24-27", NULL };
/* arch/x86/events/amd/uncore.c, amd_uncore_umc_format_attr */
static const char *const umc_format[] = { "event", "config:0-7", "rdwrmask", "config:8-9", NULL };
static const char *const l3_format[] = { "event", "config:0-7", "umask", "config:8-15", "coreid", "config:42-44",
	"enallslices", "config:46", "enallcores", "config:47", "sliceid", "config:48-50", "threadmask", "config:56-57",
	NULL };

static const char *const glc_events[] = { "cpu-cycles", "event=0x3c", "instructions", "event=0xc0", "ref-cycles",
	"event=0x00,umask=0x03", "branch-instructions", "event=0xc4", "branch-misses", "event=0xc5",
	"cache-references", "event=0x2e,umask=0x4f", "cache-misses", "event=0x2e,umask=0x41", "bus-cycles",
	"event=0x3c,umask=0x01", "slots", "event=0x00,umask=0x4", "topdown-retiring", "event=0x00,umask=0x80",
	"topdown-bad-spec", "event=0x00,umask=0x81", "topdown-fe-bound", "event=0x00,umask=0x82",
	"topdown-be-bound", "event=0x00,umask=0x83", "topdown-heavy-ops", "event=0x00,umask=0x84",
	"topdown-br-mispredict", "event=0x00,umask=0x85", "topdown-fetch-lat", "event=0x00,umask=0x86",
	"topdown-mem-bound", "event=0x00,umask=0x87", NULL };
static const char *const grt_events[] = { "cpu-cycles", "event=0x3c", "instructions", "event=0xc0", "ref-cycles",
	"event=0x00,umask=0x03", "branch-instructions", "event=0xc4", "branch-misses", "event=0xc5",
	"cache-references", "event=0x2e,umask=0x4f", "cache-misses", "event=0x2e,umask=0x41", "topdown-retiring",
	"event=0xc2,umask=0x0", "topdown-bad-spec", "event=0x73,umask=0x0", "topdown-fe-bound",
	"event=0x71,umask=0x0", "topdown-be-bound", "event=0x74,umask=0x0", NULL };
static const char *const zen_events[] = { "cpu-cycles", "event=0x76", "instructions", "event=0xc0",
	"branch-instructions", "event=0xc2", "branch-misses", "event=0xc3", "cache-references",
	"event=0x60,umask=0xff", "cache-misses", "event=0x64,umask=0x09", NULL };
static const char *const n2_events[] = { "sw_incr", "event=0x0000", "l1i_cache_refill", "event=0x0001",
	"l1i_tlb_refill", "event=0x0002", "l1d_cache_refill", "event=0x0003", "l1d_cache", "event=0x0004",
	"l1d_tlb_refill", "event=0x0005", "inst_retired", "event=0x0008", "exc_taken", "event=0x0009",
	"exc_return", "event=0x000a", "cid_write_retired", "event=0x000b", "br_mis_pred", "event=0x0010",
	"cpu_cycles", "event=0x0011", "br_pred", "event=0x0012", "mem_access", "event=0x0013",
	"l1i_cache", "event=0x0014", "l1d_cache_wb", "event=0x0015", "l2d_cache", "event=0x0016",
	"l2d_cache_refill", "event=0x0017", "l2d_cache_wb", "event=0x0018", "bus_access", "event=0x0019",
	"memory_error", "event=0x001a", "inst_spec", "event=0x001b", "ttbr_write_retired", "event=0x001c",
	"bus_cycles", "event=0x001d", "l2d_cache_allocate", "event=0x0020", "br_retired", "event=0x0021",
	"br_mis_pred_retired", "event=0x0022", "stall_frontend", "event=0x0023", "stall_backend", "event=0x0024",
	"l1d_tlb", "event=0x0025", "l1i_tlb", "event=0x0026", "l3d_cache_allocate", "event=0x0029",
	"l3d_cache_refill", "event=0x002a", "l3d_cache", "event=0x002b", "l2d_tlb_refill", "event=0x002d",
	"l2d_tlb", "event=0x002f", "remote_access", "event=0x0031", "dtlb_walk", "event=0x0034",
	"itlb_walk", "event=0x0035", "ll_cache_rd", "event=0x0036", "ll_cache_miss_rd", "event=0x0037",
	"l1d_cache_lmiss_rd", "event=0x0039", "op_retired", "event=0x003a", "op_spec", "event=0x003b",
	"stall", "event=0x003c", "stall_slot_backend", "event=0x003d", "stall_slot_frontend", "event=0x003e",
	"stall_slot", "event=0x003f", NULL };
static const char *const no_events[] = { NULL };
/* arch/x86/events/rapl.c: 2^-32 J each */
static const char *const power_format[] = { "event", "config:0-7", NULL };
static const char *const power_events[] = { "energy-pkg", "event=0x02", "energy-pkg.unit", "Joules", "energy-pkg.scale",
	"2.3283064365386962890625e-10", "energy-psys", "event=0x05", "energy-psys.unit", "Joules", "energy-psys.scale",
	"2.3283064365386962890625e-10", NULL };

#define INTEL_GENERIC { [PERF_COUNT_HW_CPU_CYCLES] = 0x3c, [PERF_COUNT_HW_INSTRUCTIONS] = 0xc0, \
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x4f2e, [PERF_COUNT_HW_CACHE_MISSES] = 0x412e, \
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0xc4, [PERF_COUNT_HW_BRANCH_MISSES] = 0xc5, \
	[PERF_COUNT_HW_BUS_CYCLES] = 0x13c, [PERF_COUNT_HW_REF_CPU_CYCLES] = 0x300 }
#define ZEN_GENERIC { [PERF_COUNT_HW_CPU_CYCLES] = 0x76, [PERF_COUNT_HW_INSTRUCTIONS] = 0xc0, \
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60, [PERF_COUNT_HW_CACHE_MISSES] = 0x964, \
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0xc2, [PERF_COUNT_HW_BRANCH_MISSES] = 0xc3 }

/* drivers/perf/arm_pmuv3.c, armv8_pmuv3_perf_map */
#define ARM_GENERIC { [PERF_COUNT_HW_CPU_CYCLES] = 0x11, [PERF_COUNT_HW_INSTRUCTIONS] = 0x08, \
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04, [PERF_COUNT_HW_CACHE_MISSES] = 0x03, \
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x21, [PERF_COUNT_HW_BRANCH_MISSES] = 0x10, \
	[PERF_COUNT_HW_BUS_CYCLES] = 0x1d, [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23, \
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24 }

#define GLC .counters = GP(0xff) | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3) | ANY_METRIC, .constraint = golden_cove, \
	.rate = golden_cove_rates, .format = intel_format, .event = glc_events, .generic = INTEL_GENERIC
#define UNCORE(title, n, any, bits) { .name = title, .type = -1, .is_uncore = true, .counters = GP(n), \
	.constraint = any, .rate = no_rates, .format = bits, .event = no_events }

static const struct model hybrid[] = {
	{ .name = "cpu_core", .type = PERF_TYPE_RAW, .cpus = "0-3", GLC },
	{ .name = "cpu_atom", .type = -1, .cpus = "4-7", .counters = GP(0x3f) | FIXED(0) | FIXED(1) | FIXED(2),
	  .constraint = gracemont, .rate = gracemont_rates, .format = intel_format, .event = grt_events,
	  .generic = INTEL_GENERIC },
	UNCORE("uncore_imc_0", 0x1f, any6, uncore_format),
	UNCORE("uncore_arb_0", 0x3, any4, uncore_format),
	{}
};
static const struct model intel[] = {
	{ .name = "cpu", .type = PERF_TYPE_RAW, GLC },
	UNCORE("uncore_imc_0", 0xf, any4, uncore_format),
	UNCORE("uncore_imc_1", 0xf, any4, uncore_format),
	UNCORE("uncore_cha_0", 0xf, any4, cha_format),
	UNCORE("uncore_cha_1", 0xf, any4, cha_format),
	UNCORE("uncore_upi_0", 0xf, any4, raw_format),
	UNCORE("uncore_m2m_0", 0xf, any4, raw_format),
	UNCORE("uncore_iio_0", 0xf, any4, iio_format),
	{}
};
static const struct model amd[] = {
	{ .name = "cpu", .type = PERF_TYPE_RAW, .counters = GP(0x3f), .constraint = any6, .rate = zen_rates,
	  .format = amd_format, .event = zen_events, .generic = ZEN_GENERIC },
	UNCORE("amd_df", 0xf, any4, df_format),
	UNCORE("amd_l3", 0x3f, any6, l3_format),
	UNCORE("amd_umc_0", 0xf, any4, umc_format),
	{}
};
static const struct model neoverse[] = {
	{ .name = "armv8_pmuv3_0", .type = -1, .counters = GP(0x3f) | FIXED(0), .constraint = neoverse_n2,
	  .rate = n2_rates, .format = arm_format, .event = n2_events, .caps = arm_caps, .generic = ARM_GENERIC },
	{}
};

static const struct model power[] = {
	{ .name = "power", .type = -1, .is_uncore = true, .counters = GP(0xf), .constraint = any4, .rate = power_rates,
	  .format = power_format, .event = power_events },
	{}
};

const struct profile model_profiles[] = {
	{ "hybrid", hybrid }, { "intel", intel }, { "amd", amd }, { "neoverse", neoverse }, { "power", power }, {}
};
