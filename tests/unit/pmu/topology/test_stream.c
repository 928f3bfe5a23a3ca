/* StreamIDs: what is accepted, what the hardware is told, and which ids that lets through. */
#include <string.h>

#include "rig/harness.h"
#include "pmu/event.h"

static void ids_and_ranges(void **state)
{
	static const struct {
		const char *text;
		bool has_span;
		uint32_t id;
	} rows[] = {
		{ "0x42", false, 0x42 },
		{ "66", false, 0x42 },
		{ "0", false, 0 },
		{ "0x42-0x42", false, 0x42 },
		{ "0xffffffff", false, 0xffffffff },
		{ "0x42-0x43", true, 0x42 },
		{ "0x40-0x43", true, 0x41 },
		{ "0x40-0x7f", true, 0x5f },
		{ "64-127", true, 0x5f },
		{ "0-1", true, 0 },
		{ "0-0xffff", true, 0x7fff },
		{ "0x80000000-0xffffffff", true, 0xbfffffff },
		{ "0-0xffffffff", true, 0x7fffffff },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream_filter filter;
		struct err err = { "" };

		if (stream_parse(rows[i].text, &filter, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		if (filter.has_span != rows[i].has_span || filter.id != rows[i].id)
			fail_msg("%s: %d 0x%x", rows[i].text, filter.has_span, filter.id);
	}
}

static void what_cannot_be_matched(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "0x40-0x80", "the nearest is 0x40-0x7f" },
		{ "0x41-0x7f", "the nearest is 0x40-0x7f" },
		{ "0x40-0x5e", "the nearest is 0x40-0x5f" },
		{ "0x1-0x2", "the nearest is 0x1" },
		{ "0x60-0x9f", "the nearest is 0x60-0x7f" },
		{ "0xfffffff1-0xffffffff", "the nearest is 0xfffffff0-0xffffffff" },
		{ "1-0xffffffff", "the nearest is 0x0-0xffffffff" },
		{ "", "give a StreamID" },
		{ "0x", "give a StreamID" },
		{ "-1", "give a StreamID" },
		{ "1-", "give a StreamID" },
		{ "5-4", "give a StreamID" },
		{ "0x40-0x7f-", "give a StreamID" },
		{ "0x100000000", "give a StreamID" },
		{ "99999999999999999999", "give a StreamID" },
		{ "any", "give a StreamID" },
		{ "000000000000000000000000000001", "give a StreamID" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream_filter filter = { .id = 7 };
		struct err err = { "" };

		assert_int_equal(stream_parse(rows[i].text, &filter, &err), -EINVAL);
		assert_int_equal(filter.id, 7);
		if (!strstr(err.text, rows[i].says) || !strstr(err.text, rows[i].text))
			fail_msg("%s: %s", rows[i].text, err.text);
	}
}

/* The rule as the architecture tells it, bit by bit: below the lowest 0, and that bit itself, nothing
 * is compared. */
static bool matches(const struct stream_filter *filter, uint32_t stream)
{
	unsigned bit = 0;

	if (filter->has_span) {
		while (bit < 32 && filter->id >> bit & 1)
			bit++;
		bit++;
	}
	return bit > 31 || filter->id >> bit == stream >> bit;
}

/* Every range of 16 bits that is accepted lets through what it says, and no other id. */
static void the_pattern_is_the_range(void **state)
{
	unsigned n_accepted = 0;

	(void)state;
	for (unsigned bits = 0; bits <= 16; bits++) {
		/* a few of the many places for small ranges, each of the large ones' */
		uint32_t n = 1U << bits, step = bits < 12 ? 0x1357U / n * n + n : n;

		for (uint32_t first = 0; first < 0x10000; first += step) {
			uint32_t last = first + n - 1;
			struct stream_filter filter;
			char text[32];

			snprintf(text, sizeof(text), "0x%x-0x%x", first, last);
			assert_int_equal(stream_parse(text, &filter, NULL), 0);
			for (uint32_t id = 0; id < 0x10000; id++) {
				bool is_in = id >= first && id <= last;

				if (stream_matches(&filter, id) != is_in ||
				    matches(&filter, id) != is_in)
					fail_msg("%s: 0x%x", text, id);
			}
			n_accepted++;
		}
	}
	assert_true(n_accepted > 100);
}

/* And of all ranges of 8 bits just those are accepted. */
static void only_aligned_powers_of_two(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 256; first++) {
		for (unsigned last = first; last < 256; last++) {
			unsigned n = last - first + 1;
			bool can_be = (n & (n - 1)) == 0 && first % n == 0;
			struct stream_filter filter;
			char text[32];

			snprintf(text, sizeof(text), "%u-%u", first, last);
			if (stream_parse(text, &filter, NULL) != (can_be ? 0 : -EINVAL))
				fail_msg("%s", text);
		}
	}
}

static struct pmu_format pmcg_format[] = {
	{ "event", 0, 0xffff },
	{ "filter_enable", 1, UINT64_C(1) << 33 },
	{ "filter_span", 1, UINT64_C(1) << 32 },
	{ "filter_stream_id", 1, UINT32_MAX },
};

static void bits_of_an_event(void **state)
{
	struct pmu pmcg = { .format = pmcg_format, .n_formats = ARRAY_SIZE(pmcg_format) };
	struct pmu other = { .format = pmcg_format, .n_formats = 3 };
	static const struct {
		const char *terms;
		uint64_t bits;
		uint32_t first, last;
	} rows[] = {
		{ "event=1", 0, 0, 0 },
		{ "event=1,filter_stream_id=0x42", 0, 0, 0 }, /* the kernel does not look at it */
		{ "event=1,filter_enable=1,filter_stream_id=0x42", 0x200000042, 0x42, 0x42 },
		{ "event=2,filter_enable=1,filter_span=1,filter_stream_id=0x5f", 0x30000005f, 0x40,
		  0x7f },
		{ "filter_enable=1,filter_span=1,filter_stream_id=0x42", 0x300000042, 0x42, 0x43 },
		{ "filter_enable=1,filter_span=1,filter_stream_id=0xffffffff", 0x3ffffffff, 0,
		  UINT32_MAX },
	};

	(void)state;
	assert_true(stream_can_filter(&pmcg));
	assert_false(stream_can_filter(&other));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t config[CONFIG_WORDS];
		uint32_t first, last;

		assert_int_equal(pmu_encode(&pmcg, rows[i].terms, config, NULL), 0);
		assert_true(stream_bits(&pmcg, config) == rows[i].bits);
		if (!rows[i].bits)
			continue;
		stream_range(&pmcg, config, &first, &last);
		assert_true(first == rows[i].first && last == rows[i].last);
	}
	assert_true(stream_bits(&other, (uint64_t[CONFIG_WORDS]){ 1, UINT64_MAX }) == 0);
}

static void what_is_of_streams(void **state)
{
	struct pmu pmcg = { .name = "smmuv3_pmcg_2b440" }, imc = { .name = "uncore_imc_0" };

	(void)state;
	assert_true(stream_has(&pmcg, (uint64_t[CONFIG_WORDS]){ 1 }));
	assert_false(stream_has(&pmcg, (uint64_t[CONFIG_WORDS]){ 0, 0x200000042 }));
	assert_false(stream_has(&imc, (uint64_t[CONFIG_WORDS]){ 1 }));
}

/* With a filter SCR.SO does not matter; a raw one that matches all ids is none. */
static void which_states_are_counted(void **state)
{
	struct pmu pmcg = { .name = "smmuv3_pmcg_2b440",
			    .format = pmcg_format,
			    .n_formats = ARRAY_SIZE(pmcg_format) };
	struct pmu imc = { .name = "uncore_imc_0" };
	static const struct {
		const char *terms, *brief;
	} rows[] = {
		{ "event=0", NULL },
		{ "event=0,filter_enable=1,filter_stream_id=0x42", NULL },
		{ "event=1", "without Secure streams, unless the firmware allows them" },
		{ "event=0x81", "without Secure streams, unless the firmware allows them" },
		{ "event=1,filter_enable=1,filter_span=1,filter_stream_id=0xffffffff",
		  "without Secure streams, unless the firmware allows them" },
		{ "event=1,filter_enable=1,filter_span=1,filter_stream_id=0x7fffffff",
		  "Non-secure streams alone" },
		{ "event=1,filter_enable=1,filter_stream_id=0xffffffff",
		  "Non-secure streams alone" },
		{ "event=2,filter_enable=1,filter_stream_id=0", "Non-secure streams alone" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct stream_scope *scope;
		uint64_t config[CONFIG_WORDS];

		assert_int_equal(pmu_encode(&pmcg, rows[i].terms, config, NULL), 0);
		scope = stream_scope(&pmcg, config, false);
		assert_int_equal(!scope, !rows[i].brief);
		if (!scope)
			continue;
		assert_string_equal(scope->brief, rows[i].brief);
		scope = stream_scope(&pmcg, config, true);
		assert_string_equal(scope->brief,
				    "all streams are Non-secure: no Secure state here");
	}
	assert_null(stream_scope(&imc, (uint64_t[CONFIG_WORDS]){ 1 }, false));
}

static void registers_that_read_as_zero(void **state)
{
	struct pmu_alias alias = { .name = "cycles" };
	struct pmu pmcg = { .format = pmcg_format, .n_formats = ARRAY_SIZE(pmcg_format) };
	struct pmu other = { .name = "breakpoint" };

	(void)state;
	assert_non_null(strstr(stream_refusal(&pmcg), "read as zero"));
	assert_null(stream_refusal(&other));
	pmcg.n_aliases = 1;
	pmcg.alias = &alias;
	assert_null(stream_refusal(&pmcg));
	pmcg.n_aliases = 0;
	snprintf(pmcg.identifier, sizeof(pmcg.identifier), "0x4832043b");
	assert_null(stream_refusal(&pmcg));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_and_ranges),
		cmocka_unit_test(what_cannot_be_matched),
		cmocka_unit_test(the_pattern_is_the_range),
		cmocka_unit_test(only_aligned_powers_of_two),
		cmocka_unit_test(bits_of_an_event),
		cmocka_unit_test(what_is_of_streams),
		cmocka_unit_test(which_states_are_counted),
		cmocka_unit_test(registers_that_read_as_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
