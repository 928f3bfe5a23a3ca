/* test_pmu.c: terms become config words, or a text that says which term is wrong */
#include <string.h>

#include "rig/harness.h"
#include "pmu/machine.h"

static struct pmu_format formats[] = {
	{ "event", 0, 0xf000000ff }, /* config:0-7,32-35, as AMD's */
	{ "umask", 0, 0xff00 },      { "inv", 0, 1 << 23 },
	{ "odd", 1, 0x200081 }, /* config1:0,7,21 */
	{ "all", 2, UINT64_MAX },
};

static struct pmu_alias aliases[] = { { "cycles", "event=0x76", 1, "", false } };

static const struct pmu pmu = {
	.name = "cpu",
	.format = formats,
	.n_formats = ARRAY_SIZE(formats),
	.alias = aliases,
	.n_aliases = 1,
};

#define ROW(...)                      \
	{                             \
		__LINE__, __VA_ARGS__ \
	}

static void test_encode(void **state)
{
	static const struct {
		int line;
		const char *terms;
		uint64_t config[CONFIG_WORDS];
	} rows[] = {
		ROW("event=0x76", { 0x76 }),
		ROW("event=118", { 0x76 }),
		ROW("event=0x1c0,umask=0x1", { 0x1000001c0 }),
		ROW("event=0xfff", { 0xf000000ff }),
		ROW("event=0x800", { 0x800000000 }),
		ROW("inv", { 1 << 23 }),
		ROW("inv=0", { 0 }),
		ROW("odd=5", { 0, 0x200001 }),
		ROW("odd=2", { 0, 0x80 }),
		ROW("all=0xffffffffffffffff", { 0, 0, UINT64_MAX }),
		ROW("config=0x12,config1=3,config2=4,config3=5", { 0x12, 3, 4, 5 }),
		ROW("event=1,event=2", { 2 }),
		ROW("config=0xffff,umask=0", { 0xff }),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t config[CONFIG_WORDS] = { 9, 9, 9, 9 };
		struct err err = { "" };

		if (pmu_encode(&pmu, rows[i].terms, config, &err) ||
		    memcmp(config, rows[i].config, sizeof(config)) != 0)
			fail_msg("line %d: %s: config %#lx %s", rows[i].line, rows[i].terms,
				 config[0], err.text);
	}
}

static void test_encode_refuses(void **state)
{
	static const struct {
		int line;
		const char *terms;
		int code;
		const char *text; /* what the message must say */
	} rows[] = {
		ROW("nosuch=1", EINVAL, "cpu has no term \"nosuch\"; it has event, umask, inv"),
		ROW("cycles", EINVAL, "no term \"cycles\""),
		ROW("", EINVAL, "no term \"\""),
		ROW("event=1,", EINVAL, "no term \"\""),
		ROW("event=", EINVAL, "event= is not a number"),
		ROW("event=?", EINVAL, "cpu: Required parameter 'event' not specified"),
		ROW("event=-1", EINVAL, "event=-1"),
		ROW("umask=0x100", ERANGE, "umask=0x100 does not fit into 8 bits"),
		ROW("inv=2", ERANGE, "does not fit into 1 bit"),
		ROW("odd=8", ERANGE, "3 bits"),
		ROW("all=0x10000000000000000", ERANGE, "64 bits"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t config[CONFIG_WORDS] = { 9, 9, 9, 9 };
		struct err err = { "" };
		int rc = pmu_encode(&pmu, rows[i].terms, config, &err);

		if (rc != -rows[i].code || !strstr(err.text, rows[i].text))
			fail_msg("line %d: \"%s\": %d %s", rows[i].line, rows[i].terms, rc,
				 err.text);
		assert_int_equal(config[0], 9);
	}
}

static void test_terms_too_long(void **state)
{
	uint64_t config[CONFIG_WORDS];
	struct err err = { "" };
	char terms[600];

	(void)state;
	memset(terms, '1', sizeof(terms) - 1);
	terms[sizeof(terms) - 1] = '\0';
	assert_int_equal(pmu_encode(&pmu, terms, config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "characters"));
}

static void test_find(void **state)
{
	struct pmu list[] = { pmu };
	struct pmus pmus = { .pmu = list, .n = 1 };

	(void)state;
	assert_ptr_equal(pmu_find(&pmus, "cpu"), &list[0]);
	assert_null(pmu_find(&pmus, "cp"));
	assert_ptr_equal(pmu_alias_find(&pmu, "cycles"), &aliases[0]);
	assert_null(pmu_alias_find(&pmu, "cycle"));
	pmus_fini(NULL);
}

static void test_units(void **state)
{
	static const struct {
		const char *name, *unit;
		bool matches;
	} rows[] = {
		{ "uncore_imc_0", "uncore_imc", true },
		{ "uncore_imc_1a", "uncore_imc", true },
		{ "uncore_imc", "uncore_imc", true },
		{ "uncore_imc_free_running_0", "uncore_imc", false },
		{ "uncore_imc_free_running_0", "uncore_imc_free_running", true },
		{ "uncore_imc_free_running_0", "uncore_imc_free_running_0", true },
		{ "uncore_imc_free_running_1", "uncore_imc_free_running_0", false },
		{ "uncore_chacms_0", "uncore_cha", false },
		{ "uncore_imc_", "uncore_imc", false },
		{ "imx8_ddr0", "imx8_ddr", true },
		{ "amd_l3", "amd_l3", true },
		{ "ali_drw_27080", "ali_drw", true },
		{ "hisi_sccl1_ddrc0", "hisi_sccl,ddrc", true },
		{ "hisi_sccl3_l3c12", "hisi_sccl,ddrc", false },
		{ "hisi_sccl1_ddrc0", "hisi_sccl", false },
		{ "cpu_core", "cpu_core", true },
		{ "cpu_core", "cpu_atom", false },
		{ "msr", "software", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu one = { .n_formats = 0 };

		snprintf(one.name, sizeof(one.name), "%s", rows[i].name);
		if (pmu_is_of(&one, rows[i].unit, "") != rows[i].matches)
			fail_msg("%s, %s", rows[i].name, rows[i].unit);
	}
}

static void test_models(void **state)
{
	static const struct {
		const char *identifier, *compat;
		bool matches;
	} rows[] = {
		{ "i.MX8MP", "i.MX8MP", true },
		{ "i.MX8MPX", "i.MX8MP", false },
		{ "436010003", "(434|436|43c|43a).*", true },
		{ "4360", "(434|436|43c|43a)", false },
		{ "x436", "(434|436).*", false },
		{ "", ".*", false }, /* a device that does not say what it is */
		{ "a", "(", false },
		{ "", "", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu one = { .name = "arm_cmn_0" };

		snprintf(one.identifier, sizeof(one.identifier), "%s", rows[i].identifier);
		if (pmu_is_of(&one, "arm_cmn", rows[i].compat) != rows[i].matches)
			fail_msg("%s, %s", rows[i].identifier, rows[i].compat);
	}
}

static void test_kinds(void **state)
{
	static const struct {
		const char *a, *b;
		bool are_like;
	} rows[] = {
		{ "uncore_imc_0", "uncore_imc_1", true },
		{ "uncore_imc_0", "uncore_imc_0", true },
		{ "uncore_cha_9", "uncore_cha_10", true },
		{ "uncore_imc_0", "uncore_imc_free_running_0", false },
		{ "uncore_imc_0", "uncore_cha_0", false },
		{ "smmuv3_pmcg_2b440", "smmuv3_pmcg_2bc42", true },
		{ "hisi_sccl1_ddrc0", "hisi_sccl3_ddrc1", true },
		{ "hisi_sccl1_ddrc0", "hisi_sccl1_l3c0", false },
		{ "amd_l3", "amd_umc_0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmu a = { .n_formats = 0 }, b = { .n_formats = 0 };

		snprintf(a.name, sizeof(a.name), "%s", rows[i].a);
		snprintf(b.name, sizeof(b.name), "%s", rows[i].b);
		if (pmu_is_same_kind(&a, &b) != rows[i].are_like ||
		    pmu_is_same_kind(&b, &a) != rows[i].are_like)
			fail_msg("%s, %s", rows[i].a, rows[i].b);
	}
}

/* A field is read back as it was laid, however its bits are spread. */
static void test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmu.n_formats; i++) {
		uint64_t config[CONFIG_WORDS];
		char terms[300];

		snprintf(terms, sizeof(terms), "%s=1", pmu.format[i].name);
		assert_int_equal(pmu_encode(&pmu, terms, config, NULL), 0);
		assert_int_equal(pmu_field(&pmu.format[i], config), 1);
		memset(config, 0xff, sizeof(config));
		assert_int_equal(__builtin_popcountll(pmu_field(&pmu.format[i], config) + 1),
				 __builtin_popcountll(pmu.format[i].mask) < 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),         cmocka_unit_test(test_encode_refuses),
		cmocka_unit_test(test_terms_too_long), cmocka_unit_test(test_find),
		cmocka_unit_test(test_units),          cmocka_unit_test(test_models),
		cmocka_unit_test(test_kinds),          cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
