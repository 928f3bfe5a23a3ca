#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/catalog/build.h"

/*
 * Parse Counter, "5,6,7" or "0,2-9", as bits; 0 for words such as Linux's "Fixed counter 1".
 *
 * @return 0 or -EINVAL
 */
static int value_counters(const char *text, uint64_t *ret)
{
	uint64_t bits = 0;

	for (bool more = *text && !ascii_isalpha(*text); more;) {
		uint64_t range = num_bit_range(&text);

		more = *text == ',';
		if (!range || (*text && !more))
			return -EINVAL;
		bits |= range;
		text += more;
		text += strspn(text, " ");
	}
	*ret = bits;
	return 0;
}

/* Return the length of the number: 4 in "1e-6msec", 1 in "1events". */
static size_t number_length(const char *text)
{
	size_t n = strspn(text, "-.0123456789");

	if (n && (text[n] == 'e' || text[n] == 'E')) {
		size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
		size_t digits = strspn(text + n + 1 + sign, "0123456789");

		if (digits)
			n += 1 + sign + digits;
	}
	return n;
}

/*
 * Parse ScaleUnit: "1e-6msec", "100%".
 *
 * @ret_unit  points into text
 * @return    0, or -EINVAL without a leading number
 */
static int value_scale(const char *text, double *ret_scale, const char **ret_unit)
{
	char number[32];
	size_t n = number_length(text);

	if (!n || n >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (num_parse_double(number, ret_scale))
		return -EINVAL;
	*ret_unit = text + n;
	return 0;
}

/* Parse a code, decimal or 0x. Foreign data may list several, "0xb7,0xbb": the first counts, as in perf.
 * @return 0, -EINVAL or -ERANGE */
static int value_number(const char *text, uint64_t *ret)
{
	char number[32];
	size_t n = strcspn(text, ",");

	if (n >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	return num_parse_u64(number, ret);
}

/* The tables follow Linux's tools/perf/pmu-events/jevents.py. */

/* MSRs that hold a further value, and the term of the PMU cpu that carries it. */
static const struct {
	uint64_t index;
	const char *term;
} msrs[] = {
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f6, "ldlat" },
	{ 0x3f7, "frontend" },
};

/* Intel's fixed counters, for which the kernel's codes differ from those of the files. */
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

/* Units whose PMU is not "uncore_" plus the unit in lower case. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },   { "SBO", "uncore_sbox" },       { "QPI LL", "uncore_qpi" },
	{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },     { "CPU-M-CF", "cpum_cf" },
	{ "CPU-M-SF", "cpum_sf" },  { "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" },
	{ "L3PMC", "amd_l3" },      { "DFPMC", "amd_df" },          { "UMCPMC", "amd_umc" },
};

/* Units that are PMU names themselves; those that end with "_" are prefixes. */
static const char *const own_names[] = {
	"cpu",     "cpu_core",  "cpu_atom",    "hisi_",     "imx8_ddr", "imx9_ddr",
	"uncore_", "amd_", /* from perf's list */
	"ali_drw", "arm_cmn",   "smmuv3_pmcg", "software",  "msr",      "tool",
	"hwmon",   "starfive_", "arm_dsu",     "arm_cspmu", "activity",
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool is_own_name(const char *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++) {
		size_t n = strlen(own_names[i]);

		if (strncmp(unit, own_names[i], n) == 0 && (!unit[n] || own_names[i][n - 1] == '_'))
			return true;
	}
	return false;
}

/* Return the PMU of the Unit, in the arena as catalog_keep_text; "" for the core PMU. */
static const char *row_pmu_of(struct catalog_build *build, const struct catalog_row *row)
{
	const char *unit = or_empty(row->value[FIELD_UNIT]);
	char name[128];

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].pmu;
	if (!unit[0] || is_own_name(unit))
		return catalog_keep_text(build, unit, strlen(unit));
	snprintf(name, sizeof(name), "uncore_%s", unit);
	for (char *at = name; *at; at++)
		*at = ascii_lower(*at);
	return catalog_keep_text(build, name, strlen(name));
}

static int row_take_number(const struct catalog_row *row, enum catalog_field field, uint64_t *ret,
			   struct err *err)
{
	const char *text = row->value[field];

	if (value_number(text, ret) == 0)
		return 0;
	return catalog_problem(row, catalog_fields[field].name, err, "'%s' is not a number", text);
}

static int read_numbers(const struct catalog_row *row, uint64_t *number, struct err *err)
{
	int r = 0;

	for (enum catalog_field i = 0; i < N_FIELDS && !r; i++) {
		number[i] = 0;
		if (catalog_fields[i].term && catalog_row_has(row, i))
			r = row_take_number(row, i, &number[i], err);
	}
	if (r)
		return r;
	/* two fields make one term; newer files have both in UMask */
	number[FIELD_EVENT_CODE] |= number[FIELD_EXT_SEL] << 8;
	if (number[FIELD_UMASK] <= 0xff)
		number[FIELD_UMASK] |= number[FIELD_UMASK_EXT] << 8;
	return 0;
}

enum { TERMS_MAX = 400 };

static void put_number(char *terms, const char *term, uint64_t number)
{
	buf_printf(terms, TERMS_MAX + 1, "%s%s=0x%" PRIx64, *terms ? "," : "", term, number);
}

static bool is_id(enum catalog_field field)
{
	return field == FIELD_EVENT_CODE || field == FIELD_CONFIG_CODE ||
	       field == FIELD_EVENTID_CODE;
}

/* Write the non-zero terms, and the event number even if zero. */
static void put_numbers(const struct catalog_row *row, const uint64_t *number, char *terms,
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

/* Write the MSR value: "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10001"; index 0 means none. */
static int put_msr(struct catalog_build *build, const struct catalog_row *row, char *terms,
		   struct err *err)
{
	uint64_t index = 0, value = 0;

	if (!catalog_row_has(row, FIELD_MSR_INDEX))
		return 0;

	int r = row_take_number(row, FIELD_MSR_INDEX, &index, err);

	if (r || !index)
		return r;
	if (!msr_term(index))
		return catalog_refuse(build, row, FIELD_MSR_INDEX,
				      "not a register that perf knows");
	if (!catalog_row_has(row, FIELD_MSR_VALUE))
		return catalog_refuse(build, row, FIELD_MSR_VALUE,
				      "missing, but MSRIndex is given");
	r = row_take_number(row, FIELD_MSR_VALUE, &value, err);
	if (!r)
		put_number(terms, msr_term(index), value);
	return r;
}

static void put_fixed(char *terms, struct catalog_event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_events); i++) {
		if (ascii_casecmp(event->name, fixed_events[i].name) != 0)
			continue;
		snprintf(terms, TERMS_MAX, "%s", fixed_events[i].terms);
		event->id = fixed_events[i].id;
	}
}

/*
 * Encode an event: its id, and terms named after the fields of Linux's drivers.
 *
 * @return 0; 1 if perf could not encode it either: added to build->refused; -EINVAL, -ENOMEM
 */
static int catalog_take_terms(struct catalog_build *build, const struct catalog_row *row,
			      struct catalog_event *event, struct err *err)
{
	char terms[TERMS_MAX + 1] = "";
	uint64_t number[N_FIELDS];

	if (catalog_row_has(row, FIELD_LEGACY_CONFIG))
		return catalog_refuse(build, row, FIELD_LEGACY_CONFIG, "not understood");

	int r = read_numbers(row, number, err);

	if (r)
		return r;
	put_numbers(row, number, terms, event);
	if (catalog_row_has(row, FIELD_FILTER))
		buf_printf(terms, sizeof(terms), "%s%s", *terms ? "," : "",
			   row->value[FIELD_FILTER]);
	r = put_msr(build, row, terms, err);
	if (r)
		return r;
	put_fixed(terms, event);
	if (!*terms)
		snprintf(terms, sizeof(terms), "event=0x0");
	if (strlen(terms) >= TERMS_MAX)
		return catalog_refuse(build, row, FIELD_FILTER, "the encoding is too long");
	event->terms = catalog_keep_text(build, terms, strlen(terms));
	return 0;
}

#define FIELD_KIND(number, name, term, is_list) [number] = { name, term, is_list },

const struct catalog_field_kind catalog_fields[N_FIELDS] = { CATALOG_FIELDS(FIELD_KIND) };

/* Copy the field's text to the arena; "" if absent. */
static const char *row_keep(struct catalog_build *build, const struct catalog_row *row,
			    enum catalog_field field)
{
	const char *text = or_empty(row->value[field]);

	return catalog_keep_text(build, text, strlen(text));
}

static int take_scale(struct catalog_build *build, const struct catalog_row *row, double *ret_scale,
		      const char **ret_unit, struct err *err)
{
	const char *text = or_empty(row->value[FIELD_SCALE_UNIT]);
	const char *unit = "";

	*ret_scale = 1;
	if (*text && value_scale(text, ret_scale, &unit))
		return catalog_problem(row, "ScaleUnit", err, "'%s' is not a number and a unit",
				       text);
	*ret_unit = catalog_keep_text(build, unit, strlen(unit));
	return 0;
}

/* Parse Counter; invalid lists of non-core units are ignored. */
static int take_counters(const struct catalog_row *row, uint64_t *ret, struct err *err)
{
	const char *text = row->value[FIELD_COUNTER];

	if (!text || !value_counters(text, ret) || catalog_row_has(row, FIELD_UNIT))
		return 0;
	return catalog_problem(row, "Counter", err,
			       "'%s' is not a list of counters such as 5,6,7 or 0,2-9", text);
}

/* Split "a b c" into a list; never NULL. */
static const char *const *aliases_of(struct catalog_build *build, const struct catalog_row *row)
{
	static const char *const none[] = { NULL };
	const char *text = or_empty(row->value[FIELD_ALIASES]);
	const char **list = arena_alloc(build->arena, (strlen(text) / 2 + 2) * sizeof(*list));

	build->is_out_of_memory |= !list;
	if (!list)
		return none;
	text += strspn(text, " ");
	for (size_t n = 0; *text; n++) {
		size_t length = strcspn(text, " ");

		list[n] = catalog_keep_text(build, text, length);
		text += length;
		text += strspn(text, " ");
	}
	return list;
}

static const char *topic_of(struct catalog_build *build, const struct catalog_row *row)
{
	const char *slash = strrchr(row->file, '/');
	const char *name = slash ? slash + 1 : row->file;

	return catalog_keep_text(build, name, strcspn(name, "."));
}

/* Whether a flag is "1": PerPkg, Occupancy, Deprecated, Approximate. */
static bool is_set(const struct catalog_row *row, enum catalog_field field)
{
	return catalog_row_has(row, field) && strcmp(row->value[field], "0") != 0;
}

/* Return the long description, else the brief one. */
static const char *row_what_of(struct catalog_build *build, const struct catalog_row *row)
{
	return row_keep(build, row,
			catalog_row_has(row, FIELD_PUBLIC) ? FIELD_PUBLIC : FIELD_BRIEF);
}

static int row_add_event(struct catalog_build *build, const struct catalog_row *row,
			 struct err *err)
{
	struct catalog_event event = {
		.name = row_keep(build, row, FIELD_EVENT_NAME),
		.short_name = row_keep(build, row, FIELD_SHORT_NAME),
		.brief = row_keep(build, row, FIELD_BRIEF),
		.what = row_what_of(build, row),
		.pmu = row_pmu_of(build, row),
		.compat = row_keep(build, row, FIELD_COMPAT),
		.source = row_keep(build, row, FIELD_SOURCE),
		.topic = topic_of(build, row),
		.alias = aliases_of(build, row),
		.per_pkg = is_set(row, FIELD_PER_PKG),
		.is_occupancy = is_set(row, FIELD_OCCUPANCY),
		.is_deprecated = is_set(row, FIELD_DEPRECATED),
	};
	int r = catalog_take_terms(build, row, &event, err);

	if (!r)
		r = take_counters(row, &event.counters, err);
	if (!r)
		r = take_scale(build, row, &event.scale, &event.unit, err);
	if (!r)
		r = ARRAY_APPEND(build->event, build->cap_events, build->n_events, event);
	return r > 0 ? 0 : r; /* 1: noted in build->refused */
}

static int row_add_metric(struct catalog_build *build, const struct catalog_row *row,
			  struct err *err)
{
	struct catalog_metric metric = {
		.name = row_keep(build, row, FIELD_METRIC_NAME),
		.short_name = row_keep(build, row, FIELD_SHORT_NAME),
		.expr = row_keep(build, row, FIELD_METRIC_EXPR),
		.group = row_keep(build, row, FIELD_METRIC_GROUP),
		.pmu = row_pmu_of(build, row),
		.compat = row_keep(build, row, FIELD_COMPAT),
		.threshold = row_keep(build, row, FIELD_METRIC_THRESHOLD),
		.brief = row_keep(build, row, FIELD_BRIEF),
		.what = row_what_of(build, row),
		.alias = aliases_of(build, row),
		.is_approximate = is_set(row, FIELD_APPROXIMATE),
	};
	int r = take_scale(build, row, &metric.scale, &metric.unit, err);
	return r ? r : ARRAY_APPEND(build->metric, build->cap_metrics, build->n_metrics, metric);
}

static int row_add_preset(struct catalog_build *build, const struct catalog_row *row)
{
	const struct catalog_preset preset = {
		.name = row_keep(build, row, FIELD_PRESET_NAME),
		.group = row_keep(build, row, FIELD_PRESET_GROUP),
		.brief = row_keep(build, row, FIELD_BRIEF),
		.what = row_what_of(build, row),
		.event = row->list[FIELD_EVENTS],
		.metric = row->list[FIELD_METRICS],
	};

	return ARRAY_APPEND(build->preset, build->cap_presets, build->n_presets, preset);
}

static int row_add_part(struct catalog_build *build, const struct catalog_row *row)
{
	const struct catalog_part part = {
		.name = row_keep(build, row, FIELD_PART_NAME),
		.brief = row_keep(build, row, FIELD_BRIEF),
		.metric = row->list[FIELD_METRICS],
		.preset = row->list[FIELD_PRESETS],
	};

	return ARRAY_APPEND(build->part, build->cap_parts, build->n_parts, part);
}

static const char *architectural_name_of(const struct catalog_row *row)
{
	const char *event = row->value[FIELD_EVENT_NAME];

	return event ? event : row->value[FIELD_METRIC_NAME];
}

int catalog_keep_std(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_row kept = { .file = "", .item = row->item };

	if (!architectural_name_of(row))
		return 0;
	for (enum catalog_field i = 0; i < N_FIELDS; i++) {
		const char *text = row->value[i];

		kept.value[i] = text ? catalog_keep_text(build, text, strlen(text)) : NULL;
	}
	if (ARRAY_APPEND(build->std, build->cap_std, build->n_std, kept))
		return err_set(err, ENOMEM, "%s: out of memory", row->file);
	return 0;
}

/* Find an event to inherit from; of equal names the last counts, as in perf. */
static const struct catalog_row *find_std(const struct catalog_build *build, const char *name)
{
	for (size_t i = build->n_std; i-- > 0;)
		if (ascii_casecmp(architectural_name_of(&build->std[i]), name) == 0)
			return &build->std[i];
	return NULL;
}

/* Resolve ArchStdEvent: take missing fields from the event or metric it names.
 * @ret     the row itself if it names none
 * @return  0; 1 if the name is unknown: noted by catalog_refuse; -ENOMEM */
static int catalog_inherit(struct catalog_build *build, const struct catalog_row *row,
			   struct catalog_row *ret)
{
	const char *name = row->value[FIELD_ARCH_STD];

	*ret = *row;
	if (!name)
		return 0;

	const struct catalog_row *std = find_std(build, name);

	if (!std)
		return catalog_refuse(build, row, FIELD_ARCH_STD,
				      "not in the files of the architecture's folder");
	for (enum catalog_field i = 0; i < N_FIELDS; i++)
		if (!ret->value[i])
			ret->value[i] = std->value[i];
	return 0;
}

int catalog_add_row(struct catalog_build *build, const struct catalog_row *own, struct err *err)
{
	struct catalog_row with_std;
	const struct catalog_row *row = &with_std;
	int r = catalog_inherit(build, own, &with_std);

	if (r > 0)
		return 0;
	if (!r && catalog_row_has(row, FIELD_EVENT_NAME))
		r = row_add_event(build, row, err);
	if (!r && catalog_row_has(row, FIELD_METRIC_NAME) &&
	    catalog_row_has(row, FIELD_METRIC_EXPR))
		r = row_add_metric(build, row, err);
	if (!r && catalog_row_has(row, FIELD_PRESET_NAME) && row->list[FIELD_EVENTS])
		r = row_add_preset(build, row);
	if (!r && catalog_row_has(row, FIELD_PART_NAME) && row->list[FIELD_METRICS])
		r = row_add_part(build, row);
	return r == -ENOMEM ? err_set(err, ENOMEM, "%s: out of memory", own->file) : r;
}
