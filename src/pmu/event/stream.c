#include "pmu/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"

/* Range, ends included; 64 bits, so that the length fits. */
struct stream_range {
	uint64_t first, last;
};

static uint64_t stream_gap(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int stream_parse_range(const char *text, struct stream_range *ret)
{
	char first[24];
	const char *dash = strchr(text, '-');
	size_t n = dash ? (size_t)(dash - text) : strlen(text);
	struct stream_range range;

	if (n >= sizeof(first))
		return -EINVAL;
	snprintf(first, sizeof(first), "%.*s", (int)n, text);
	if (num_parse_u64(first, &range.first))
		return -EINVAL;
	range.last = range.first;
	if (dash && num_parse_u64(dash + 1, &range.last))
		return -EINVAL;
	if (range.last > UINT32_MAX || range.first > range.last)
		return -EINVAL;
	*ret = range;
	return 0;
}

/* Return an aligned range of 2^bits ids: the one that contains `first`, or the one behind it. */
static struct stream_range aligned(uint64_t first, unsigned bits, bool is_behind)
{
	uint64_t at = ((first >> bits) + is_behind) << bits;

	return (struct stream_range){ at, at + (UINT64_C(1) << bits) - 1 };
}

/* Find the matchable range whose ends are closest; of equal ones the larger, then the lower. */
static struct stream_range nearest(const struct stream_range *wanted)
{
	struct stream_range best = { 0, UINT32_MAX };
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 2 * 33; i++) {
		struct stream_range range = aligned(wanted->first, 32 - i / 2, i % 2);
		uint64_t away = stream_gap(range.first, wanted->first) +
				stream_gap(range.last, wanted->last);

		if (range.last <= UINT32_MAX && away < least) {
			best = range;
			least = away;
		}
	}
	return best;
}

static int cannot_match(const char *text, const struct stream_range *nearest, struct err *err)
{
	char last[24] = "";

	if (nearest->last > nearest->first)
		snprintf(last, sizeof(last), "-0x%llx", (unsigned long long)nearest->last);
	return err_set(err, EINVAL,
		       "stream=%s cannot be matched: the hardware matches one id, or a power of "
		       "two ids that starts at a multiple of it; the nearest is 0x%llx%s",
		       text, (unsigned long long)nearest->first, last);
}

int stream_parse(const char *text, struct stream_filter *ret, struct err *err)
{
	struct stream_range range, possible;

	if (stream_parse_range(text, &range))
		return err_set(
			err, EINVAL,
			"stream=%s: give a StreamID (0x42) or a range (0x40-0x7f) of 32 bits",
			text);
	possible = nearest(&range);
	if (possible.first != range.first || possible.last != range.last)
		return cannot_match(text, &possible, err);

	uint64_t n = range.last - range.first + 1;

	/* 2^Y ids: bit Y-1 is 0, lower bits are 1, higher bits are compared */
	ret->has_span = n > 1;
	ret->id = (uint32_t)(range.first | (n / 2 ? n / 2 - 1 : 0));
	return 0;
}

/* Return the lowest 0 bit and the bits below it. */
static uint32_t spanned(const struct stream_filter *filter)
{
	return filter->has_span ? filter->id ^ (filter->id + 1) : 0;
}

bool stream_matches(const struct stream_filter *filter, uint32_t stream)
{
	return ((filter->id ^ stream) & ~spanned(filter)) == 0;
}

enum { FILTER_ENABLE, FILTER_SPAN, FILTER_ID };

static const char *const fields[] = { "filter_enable", "filter_span", "filter_stream_id" };

bool stream_can_filter(const struct pmu *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!pmu_format_find(pmu, fields[i]))
			return false;
	return true;
}

/* Return the filter fields, all in config1. The kernel reads the other two only if filter_enable is set. */
uint64_t stream_bits(const struct pmu *pmu, const uint64_t *config)
{
	uint64_t mask = 0;

	if (!stream_can_filter(pmu))
		return 0;

	const struct pmu_format *enable = pmu_format_find(pmu, fields[FILTER_ENABLE]);

	if (!(config[enable->word] & enable->mask))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		mask |= pmu_format_find(pmu, fields[i])->mask;
	return config[enable->word] & mask;
}

static uint64_t field_of(const struct pmu *pmu, const uint64_t *config, unsigned field)
{
	return pmu_field(pmu_format_find(pmu, fields[field]), config);
}

void stream_range(const struct pmu *pmu, const uint64_t *config, uint32_t *ret_first,
		  uint32_t *ret_last)
{
	const struct stream_filter filter = {
		.has_span = field_of(pmu, config, FILTER_SPAN),
		.id = (uint32_t)field_of(pmu, config, FILTER_ID),
	};

	*ret_first = filter.id & ~spanned(&filter);
	*ret_last = filter.id | spanned(&filter);
}

/* Whether a filter is set that does not match all ids. */
static bool is_filtered(const struct pmu *pmu, const uint64_t *config)
{
	return stream_bits(pmu, config) && !(field_of(pmu, config, FILTER_SPAN) &&
					     field_of(pmu, config, FILTER_ID) == UINT32_MAX);
}

const struct stream_scope *stream_scope(const struct pmu *pmu, const uint64_t *config,
					bool lacks_secure)
{
	static const struct stream_scope only = {
		"all streams are Non-secure: no Secure state here",
		"SMMUv3 counts leave out no streams for being Secure: this system has no Secure "
		"state (EL3)",
	};
	static const struct stream_scope filtered = {
		"Non-secure streams alone",
		"SMMUv3 counts with a stream filter are of Non-secure streams alone, whatever the "
		"firmware lets in (SCR.SO)",
	};
	static const struct stream_scope unfiltered = {
		"without Secure streams, unless the firmware allows them",
		"SMMUv3 counts leave out Secure streams unless the firmware lets them in (SCR.SO); "
		"Linux cannot see whether it does",
	};

	if (!stream_can_filter(pmu) || !stream_has(pmu, config))
		return NULL;
	if (lacks_secure)
		return &only;
	return is_filtered(pmu, config) ? &filtered : &unfiltered;
}

const char *stream_refusal(const struct pmu *pmu)
{
	bool reads_as_zero = stream_can_filter(pmu) && !pmu->n_aliases && !*pmu->identifier;

	return reads_as_zero ? "its registers read as zero: the firmware keeps it from Linux "
			       "(SCR.NSRA)"
			     : NULL;
}

bool stream_has(const struct pmu *pmu, const uint64_t *config)
{
	return config[0] != 0 && pmu_is_of(pmu, "smmuv3_pmcg", "");
}
