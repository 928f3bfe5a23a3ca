/* stream.h: which StreamIDs an SMMUv3 performance counter counts: ranges and the driver's pattern */
#ifndef MACHINE_STREAM_H
#define MACHINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/pmu.h"

/**
 * What Linux's arm_smmuv3_pmu takes as filter_span and filter_stream_id. With a span the lowest 0 of
 * the id and the ones below it match anything; without, the id matches itself.
 *
 * Source: Arm IHI 0070 (SMMUv3), SMMU_PMCG_SMRn; Linux drivers/perf/arm_smmuv3_pmu.c
 */
struct stream_filter {
	bool has_span;
	uint32_t id;
};

/** The streams of which Security state a count is of: a total may not be the whole traffic. */
struct stream_scope {
	const char *brief;
	const char *sentence; /* said once where such counts are shown */
};

/**
 * The filter of "0x42", "66" or "0x40-0x7f".
 *
 * @return 0; -EINVAL for what is no id or range, and for a range that the hardware cannot match (a
 *         power of two ids that begins at a multiple of itself), naming the nearest that it can
 */
int stream_parse(const char *text, struct stream_filter *ret, struct err *err);

/** Does a filter let this StreamID be counted? */
bool stream_matches(const struct stream_filter *filter, uint32_t stream);

/** Can this PMU's events be filtered by stream: has its format filter_enable and the rest? */
bool stream_can_filter(const struct pmu *pmu);

/**
 * The filter's bits of an event: equal in two events that count the same streams, 0 for all streams.
 *
 * @config  CONFIG_WORDS words, as pmu_encode gave them
 */
uint64_t stream_bits(const struct pmu *pmu, const uint64_t *config);

/** The StreamIDs, from first to last, of an event's filter: stream_bits() is not 0. */
void stream_range(const struct pmu *pmu, const uint64_t *config, uint32_t *ret_first,
		  uint32_t *ret_last);

/**
 * Without a filter it is up to the firmware (SCR.SO) whether Secure streams are counted, too. A filter
 * matches Non-secure ones alone, as Linux leaves FILTER_SEC_SID 0.
 *
 * Source: Arm IHI 0070 (SMMUv3), 10.4 and 10.6; Linux drivers/perf/arm_smmuv3_pmu.c
 *
 * @lacks_secure  as machine.lacks_secure
 * @return        NULL for what is not of streams, or of a machine that is not this one
 */
const struct stream_scope *stream_scope(const struct pmu *pmu, const uint64_t *config,
					bool lacks_secure);

/**
 * Do all registers of a counter group read as zero, as where the firmware keeps it from Linux
 * (SCR.NSRA)? The driver makes a PMU without events of it, whose counts are always 0.
 *
 * @return NULL: no
 */
const char *stream_refusal(const struct pmu *pmu);

/**
 * Is what an event counts of streams? The cycles of an SMMU's clock (its event 0) are not, whatever
 * the filter, nor is what other devices count.
 *
 * Source: Arm IHI 0070 (SMMUv3), 10.3 Monitor events
 */
bool stream_has(const struct pmu *pmu, const uint64_t *config);

#endif
