#include "catalog/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "catalog/value.h"

/* Every table here says what Linux's tools/perf/pmu-events/jevents.py does with such a field. */

/* Registers that a further value goes to, and the term of the PMU cpu that carries it. */
static const struct {
	uint64_t index;
	const char *term;
} msrs[] = {
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f6, "ldlat" },
	{ 0x3f7, "frontend" },
};

/* Fixed counters of Intel's: the codes of the files are not what the kernel takes. */
static const struct {
	const char *name, *terms;
	uint64_t id;
} fixed_events[] = {
	{ "INST_RETIRED.ANY", "event=0xc0", 0xc0 },
	{ "INST_RETIRED.ANY_P", "event=0xc0", 0xc0 },
	{ "CPU_CLK_UNHALTED.REF", "event=0x0,umask=0x3", 0 },
	{ "CPU_CLK_UNHALTED.THREAD", "event=0x3c", 0x3c },
	{ "CPU_CLK_UNHALTED.CORE", "event=0x3c", 0x3c },
	{ "CPU_CLK_UNHALTED.THREAD_ANY", "event=0x3c,any=0x1", 0x3c },
};

/* Units that are not "uncore_" and themselves in lower case. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },   { "SBO", "uncore_sbox" },       { "QPI LL", "uncore_qpi" },
	{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },     { "CPU-M-CF", "cpum_cf" },
	{ "CPU-M-SF", "cpum_sf" },  { "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" },
	{ "L3PMC", "amd_l3" },      { "DFPMC", "amd_df" },          { "UMCPMC", "amd_umc" },
};

/* What the PMU itself is called; with "_" at its end it begins several names. */
static const char *const own_names[] = {
	"cpu",     "cpu_core",  "cpu_atom",    "hisi_",     "imx8_ddr", "imx9_ddr",
	"uncore_", "amd_", /* in perf's list */
	"ali_drw", "arm_cmn",   "smmuv3_pmcg", "software",  "msr",      "tool",
	"hwmon",   "starfive_", "arm_dsu",     "arm_cspmu", "activity",
};

static bool is_own_name(const char *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++) {
		size_t n = strlen(own_names[i]);

		if (strncmp(unit, own_names[i], n) == 0 && (!unit[n] || own_names[i][n - 1] == '_'))
			return true;
	}
	return false;
}

static void lower(char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			*text = (char)(*text - 'A' + 'a');
}

const char *catalog_pmu_of_unit(struct catalog_build *build, const char *unit)
{
	char name[128];

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].pmu;
	if (!unit[0] || is_own_name(unit))
		return catalog_keep_text(build, unit, strlen(unit));
	snprintf(name, sizeof(name), "uncore_%s", unit);
	lower(name);
	return catalog_keep_text(build, name, strlen(name));
}

/* Foreign data may name several codes, "0xb7,0xbb": the first counts, as in perf. */
static int take_number(struct catalog_build *build, const struct catalog_row *row,
		       enum catalog_field field, uint64_t *ret, struct err *err)
{
	const char *text = row->value[field];

	if (value_number(text, !build->is_strict, ret) == 0)
		return 0;
	return catalog_problem(build, row, catalog_fields[field].name, err, "'%s' is not a number",
			       text);
}

static int read_numbers(struct catalog_build *build, const struct catalog_row *row,
			uint64_t *number, struct err *err)
{
	int r = 0;

	for (enum catalog_field i = 0; i < N_FIELDS && !r; i++) {
		number[i] = 0;
		if (catalog_fields[i].term && catalog_row_has(row, i))
			r = take_number(build, row, i, &number[i], err);
	}
	if (r)
		return r;
	/* two fields, one term; newer files have both in UMask already */
	number[FIELD_EVENT_CODE] |= number[FIELD_EXT_SEL] << 8;
	if (number[FIELD_UMASK] <= 0xff)
		number[FIELD_UMASK] |= number[FIELD_UMASK_EXT] << 8;
	return 0;
}

struct terms {
	char text[400];
	size_t used;
};

static void put(struct terms *terms, const char *text)
{
	if (terms->used < sizeof(terms->text))
		terms->used += (size_t)snprintf(terms->text + terms->used,
						sizeof(terms->text) - terms->used, "%s%s",
						terms->used ? "," : "", text);
}

static void put_number(struct terms *terms, const char *term, uint64_t number)
{
	char text[64];

	snprintf(text, sizeof(text), "%s=0x%" PRIx64, term, number);
	put(terms, text);
}

static bool is_id(enum catalog_field field)
{
	return field == FIELD_EVENT_CODE || field == FIELD_CONFIG_CODE ||
	       field == FIELD_EVENTID_CODE;
}

/* What is zero is left out but for the event itself. */
static void put_numbers(const struct catalog_row *row, const uint64_t *number, struct terms *terms,
			struct catalog_event *event)
{
	for (enum catalog_field i = 0; i < N_FIELDS; i++) {
		const char *term = catalog_fields[i].term;

		if (!term || !term[0] || !(number[i] || (is_id(i) && catalog_row_has(row, i))))
			continue;
		put_number(terms, term, number[i]);
		if (is_id(i))
			event->id = number[i];
	}
}

static const char *msr_term(uint64_t index)
{
	for (size_t i = 0; i < ARRAY_SIZE(msrs); i++)
		if (msrs[i].index == index)
			return msrs[i].term;
	return NULL;
}

/* "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10001"; index 0 says nothing */
static int put_msr(struct catalog_build *build, const struct catalog_row *row, struct terms *terms,
		   struct err *err)
{
	uint64_t index = 0, value = 0;

	if (!catalog_row_has(row, FIELD_MSR_INDEX))
		return 0;

	int r = take_number(build, row, FIELD_MSR_INDEX, &index, err);

	if (r || !index)
		return r;
	if (!msr_term(index))
		return catalog_refuse(build, row, FIELD_MSR_INDEX, "not a register that perf knows",
				      err);
	if (!catalog_row_has(row, FIELD_MSR_VALUE))
		return catalog_refuse(build, row, FIELD_MSR_VALUE, "missing, but MSRIndex is given",
				      err);
	r = take_number(build, row, FIELD_MSR_VALUE, &value, err);
	if (!r)
		put_number(terms, msr_term(index), value);
	return r;
}

static void put_fixed(struct terms *terms, struct catalog_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_events); i++) {
		if (strcasecmp(event->name, fixed_events[i].name) != 0)
			continue;
		terms->used = 0;
		put(terms, fixed_events[i].terms);
		event->id = fixed_events[i].id;
	}
}

int catalog_take_terms(struct catalog_build *build, const struct catalog_row *row,
		       struct catalog_event *event, struct err *err)
{
	struct terms terms = { .used = 0 };
	uint64_t number[N_FIELDS];

	if (catalog_row_has(row, FIELD_LEGACY_CONFIG))
		return catalog_refuse(build, row, FIELD_LEGACY_CONFIG, "not understood", err);

	int r = read_numbers(build, row, number, err);

	if (r)
		return r;
	put_numbers(row, number, &terms, event);
	if (catalog_row_has(row, FIELD_FILTER))
		put(&terms, row->value[FIELD_FILTER]);
	r = put_msr(build, row, &terms, err);
	if (r)
		return r;
	put_fixed(&terms, event);
	if (!terms.used)
		put(&terms, "event=0x0");
	if (terms.used >= sizeof(terms.text))
		return catalog_refuse(build, row, FIELD_FILTER, "the encoding is too long", err);
	event->terms = catalog_keep_text(build, terms.text, terms.used);
	return 0;
}
