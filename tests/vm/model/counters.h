/* SPDX-License-Identifier: GPL-2.0-only */
/* counters.h: which counters take which events, and how fast each counts: for the module and for its tests
 *
 * Sources: Linux 6.12, as named */
#ifndef PMU_MODEL_COUNTERS_H
#define PMU_MODEL_COUNTERS_H

#include <linux/types.h>

/* Counters of a core, as bits: those for any event, fixed ones, and what Intel's slots are divided into. */
#define GP(mask)   ((__u64)(mask))
#define FIXED(n)   (1ull << (32 + (n)))
#define METRIC(n)  (1ull << (48 + (n)))
#define ANY_METRIC (0xffull << 48)

enum { COUNTERS_MAX = 64 };

/* Where events may be counted: (config & cmp) from first to last. The first row that matches holds. */
struct constraint {
	__u64 first, last, cmp;
	__u64 counters; /* 0: the table's end */
};

/* What an event counts in a microsecond. */
struct rate {
	__u64 config, per_us; /* 0: the table's end */
};

static inline __u64 counters_of(const struct constraint *row, __u64 config)
{
	while (row->counters && !((config & row->cmp) >= row->first && (config & row->cmp) <= row->last))
		row++;
	return row->counters;
}

/* Those that are in no row have a rate that hardly another event has. */
static inline __u64 rate_of(const struct rate *row, __u64 config, __u64 config1)
{
	while (row->per_us && row->config != config)
		row++;
	return row->per_us ? row->per_us :
			     1 + (config * 0x9e3779b97f4a7c15ull ^ config1 * 0xc2b2ae3d27d4eb4full) % 977;
}

/* Who has a counter makes room where it can: bipartite matching. @on  by counter: who has it, -1 */
static inline int place(int which, const __u64 *counters, int *on, __u64 *tried)
{
	__u64 left;

	while ((left = counters[which] & ~*tried)) {
		int i = __builtin_ctzll(left);

		*tried |= 1ull << i;
		if (on[i] < 0 || place(on[i], counters, on, tried)) {
			on[i] = which;
			return 1;
		}
	}
	return 0;
}

/* Is there a counter for each? @counters  that each may take */
static inline int can_count(const __u64 *counters, int n)
{
	int on[COUNTERS_MAX], i;

	for (i = 0; i < COUNTERS_MAX; i++)
		on[i] = -1;
	for (i = 0; i < n; i++) {
		__u64 tried = 0;

		if (!place(i, counters, on, &tried))
			return 0;
	}
	return 1;
}

/* arch/x86/events/intel/core.c, intel_glc_event_constraints */
static const struct constraint golden_cove[] = {
	{ 0x00c0, 0x00c0, 0xffff, GP(0xff) | FIXED(0) },
	{ 0x0100, 0x0100, 0xffff, FIXED(0) },
	{ 0x003c, 0x003c, 0xffff, GP(0xff) | FIXED(1) },
	{ 0x0300, 0x0300, 0xffff, FIXED(2) },
	{ 0x013c, 0x013c, 0xffff, GP(0xff) | FIXED(2) },
	{ 0x0400, 0x0400, 0xffff, FIXED(3) },
	{ 0x8000, 0x8000, 0xffff, METRIC(0) },
	{ 0x8100, 0x8100, 0xffff, METRIC(1) },
	{ 0x8200, 0x8200, 0xffff, METRIC(2) },
	{ 0x8300, 0x8300, 0xffff, METRIC(3) },
	{ 0x8400, 0x8400, 0xffff, METRIC(4) },
	{ 0x8500, 0x8500, 0xffff, METRIC(5) },
	{ 0x8600, 0x8600, 0xffff, METRIC(6) },
	{ 0x8700, 0x8700, 0xffff, METRIC(7) },
	{ 0x2e, 0x2e, 0xff, GP(0xff) },
	{ 0x3c, 0x3c, 0xff, GP(0xff) },
	{ 0x01, 0x8f, 0xff, GP(0xf) },
	{ 0x01a3, 0x01a3, 0xffff, GP(0xf) },
	{ 0x02a3, 0x02a3, 0xffff, GP(0xf) },
	{ 0x08a3, 0x08a3, 0xffff, GP(0xf) },
	{ 0x04a4, 0x04a4, 0xffff, GP(0x1) },
	{ 0x08a4, 0x08a4, 0xffff, GP(0x1) },
	{ 0x02cd, 0x02cd, 0xffff, GP(0x1) },
	{ 0xce, 0xce, 0xff, GP(0x1) },
	{ 0xd0, 0xdf, 0xff, GP(0xf) },
	{ 0, 0xff, 0xff, GP(0xff) },
	{}
};

/* the same file, intel_grt_event_constraints */
static const struct constraint gracemont[] = {
	{ 0x00c0, 0x00c0, 0xffff, GP(0x3f) | FIXED(0) },
	{ 0x003c, 0x003c, 0xffff, GP(0x3f) | FIXED(1) },
	{ 0x0300, 0x0300, 0xffff, FIXED(2) },
	{ 0x013c, 0x013c, 0xffff, GP(0x3f) | FIXED(2) },
	{ 0, 0xff, 0xff, GP(0x3f) },
	{}
};

/* drivers/perf/arm_pmuv3.c, armv8pmu_get_event_idx() */
static const struct constraint neoverse_n2[] = {
	{ 0x11, 0x11, 0xffff, GP(0x3f) | FIXED(0) },
	{ 0, 0xffff, 0xffff, GP(0x3f) },
	{}
};

static const struct constraint any6[] = { { 0, ~0ull, ~0ull, GP(0x3f) }, {} };
static const struct constraint any4[] = { { 0, ~0ull, ~0ull, GP(0xf) }, {} };

static const struct rate golden_cove_rates[] = {
	{ 0x3c, 3000 }, { 0xc0, 4500 }, { 0x300, 2000 }, { 0x400, 18000 }, { 0x8000, 7200 }, { 0x8100, 1440 },
	{ 0x8200, 3960 }, { 0x8300, 5400 }, { 0x8400, 900 }, { 0x8500, 1200 }, { 0x8600, 2100 }, { 0x8700, 3000 }, {}
};
static const struct rate gracemont_rates[] = { { 0x3c, 2200 }, { 0xc0, 1800 }, { 0x300, 2000 }, {} };
static const struct rate zen_rates[] = { { 0x76, 3500 }, { 0xc0, 5000 }, {} };
static const struct rate n2_rates[] = { { 0x11, 3300 }, { 0x08, 6600 }, { 0x3a, 7100 }, { 0x3b, 8200 }, { 0x3f, 9400 },
	{ 0x3d, 4100 }, { 0x3e, 5300 }, { 0x10, 40 }, {} };
/* 12.5 W and 31 W */
static const struct rate power_rates[] = { { 0x02, 53687 }, { 0x05, 133144 }, {} };
static const struct rate no_rates[] = { {} };

#endif
