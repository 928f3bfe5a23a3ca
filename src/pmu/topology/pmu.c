#include "pmu/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/catalog.h"

const char *const pmu_kind_name[] = { [PMU_CORE] = "core",         [PMU_SOFTWARE] = "software",
				      [PMU_MSR] = "msr",           [PMU_TRACEPOINT] = "tracepoint",
				      [PMU_ACTIVITY] = "activity", [PMU_UNCORE] = "uncore" };

const char *pmus_names(const struct pmus *pmus, enum pmu_kind kind, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->pmu[i].kind == kind)
			buf_printf(buf, size, "%s%s", *buf ? ", " : "", pmus->pmu[i].name);
	return buf;
}

const struct pmu *pmu_find(const struct pmus *pmus, const char *name)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (strcmp(pmus->pmu[i].name, name) == 0)
			return &pmus->pmu[i];
	return NULL;
}

const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name)
{
	const struct pmu_alias *other_case = NULL;

	for (size_t i = 0; i < pmu->n_aliases; i++) {
		if (strcmp(pmu->alias[i].name, name) == 0)
			return &pmu->alias[i];
		if (ascii_casecmp(pmu->alias[i].name, name) == 0)
			other_case = &pmu->alias[i];
	}
	return other_case; /* as in perf */
}

/* Source: Linux arch/x86/events/intel/core.c, intel_pmu_hw_config(), and perf_event.h, INTEL_TD_METRIC_* */
bool pmu_divides_slots(const struct pmu *pmu, const uint64_t *config)
{
	uint64_t code = config[0] & 0xffff;

	return code >= 0x8000 && code <= 0x8700 && !(code & 0xff) && pmu_alias_find(pmu, "slots");
}

bool pmu_is_everywhere(const struct pmu *pmu)
{
	return pmu->kind == PMU_SOFTWARE || pmu->kind == PMU_MSR || pmu->kind == PMU_TRACEPOINT;
}

bool pmu_takes_counter(const struct pmu *pmu, const uint64_t *config)
{
	return pmu->kind == PMU_CORE && !pmu_divides_slots(pmu, config);
}

/* config, config1, … exist without a format file */
static const struct pmu_format whole_words[] = {
	{ "config", 0, UINT64_MAX },
	{ "config1", 1, UINT64_MAX },
	{ "config2", 2, UINT64_MAX },
	{ "config3", 3, UINT64_MAX },
};

static const struct pmu_format *find_format(const struct pmu_format *format, size_t n,
					    const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(format[i].name, name) == 0)
			return &format[i];
	return NULL;
}

const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name)
{
	return find_format(pmu->format, pmu->n_formats, name);
}

static int unknown_term(const struct pmu *pmu, const char *name, struct err *err)
{
	struct text text = { 0 };

	text_printf(&text, "%s has no term \"%s\"; it has ", pmu->name, name);
	for (size_t i = 0; i < pmu->n_formats; i++)
		text_printf(&text, "%s, ", pmu->format[i].name);
	text_printf(&text, "config, config1, config2, config3");
	if (*pmu->ignored.text)
		text_printf(&text, "; ignored: %s", pmu->ignored.text);
	return text_to_err(&text, EINVAL, err);
}

/* Deposit the low bits of a value into the bits of a mask, lowest first. */
static uint64_t deposit(uint64_t value, uint64_t mask)
{
	uint64_t word = 0;

	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			word |= mask & -mask;
	return word;
}

uint64_t pmu_field(const struct pmu_format *format, const uint64_t *config)
{
	uint64_t value = 0;
	unsigned n = 0;

	for (uint64_t mask = format->mask; mask; mask &= mask - 1, n++)
		if (config[format->word] & mask & -mask)
			value |= UINT64_C(1) << n;
	return value;
}

static int set_term(const struct pmu_format *format, const char *value, uint64_t *config,
		    struct err *err)
{
	uint64_t number = 1;
	int rc = value ? num_parse_u64(value, &number) : 0;
	int bits = __builtin_popcountll(format->mask);

	if (rc == -EINVAL)
		return err_set(err, EINVAL, "%s=%s is not a number", format->name, value);
	if (rc || (bits < 64 && number >> bits))
		return err_set(err, ERANGE, "%s=%s does not fit into %d bit%s", format->name,
			       value ? value : "1", bits, bits == 1 ? "" : "s");
	config[format->word] &= ~format->mask;
	config[format->word] |= deposit(number, format->mask);
	return 0;
}

int pmu_encode(const struct pmu *pmu, const char *terms, uint64_t *ret_config, struct err *err)
{
	uint64_t config[CONFIG_WORDS] = { 0 };
	char copy[512], given[sizeof(copy)];

	if (strlen(terms) >= sizeof(copy))
		return err_set(err, EINVAL, "%s: more than %zu characters of terms", pmu->name,
			       sizeof(copy) - 1);
	snprintf(copy, sizeof(copy), "%s", terms);
	for (char *rest = copy, *term; (term = strsep(&rest, ","));) {
		char *value = term;
		const char *name = strsep(&value, "=");
		const struct pmu_format *format = pmu_format_find(pmu, name);

		if (!format)
			format = find_format(whole_words, ARRAY_SIZE(whole_words), name);
		if (!format)
			return unknown_term(pmu, name, err);

		if (value && strcmp(value, "?") == 0) {
			/* a parameter: the user's terms follow those of the event's name */
			snprintf(given, sizeof(given), ",%s=", name);
			if (rest && strstr(terms + (rest - copy) - 1, given))
				continue;
			return err_set(
				err, EINVAL,
				"%s: Required parameter '%s' not specified: append %sVALUE to "
				"the event's name",
				pmu->name, name, given);
		}

		int rc = set_term(format, value, config, err);

		if (rc)
			return err_prefix(err, -rc, "%s: ", pmu->name);
	}
	memcpy(ret_config, config, sizeof(config));
	return 0;
}

void pmus_fini(struct pmus *pmus)
{
	if (!pmus)
		return;
	for (size_t i = 0; i < pmus->n; i++) {
		free(pmus->pmu[i].format);
		free(pmus->pmu[i].alias);
	}
	free(pmus->pmu);
	*pmus = (struct pmus){ 0 };
}

int pmu_make_apple(struct pmu *ret, const char *name, uint32_t type, unsigned event_bits)
{
	static const struct pmu_alias aliases[] = {
		{ .name = "cycles", .terms = "event=0x02", .scale = 1 },
		{ .name = "instructions", .terms = "event=0x8c", .scale = 1 },
	};

	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->type = type;
	ret->kind = PMU_CORE;
	ret->honours_privilege = true;
	ret->format = calloc(1, sizeof(*ret->format));
	ret->alias = calloc(1, sizeof(aliases));
	if (!ret->format || !ret->alias)
		return -ENOMEM;
	ret->n_formats = 1;
	ret->format[0] =
		(struct pmu_format){ .name = "event", .mask = (UINT64_C(1) << event_bits) - 1 };
	ret->n_aliases = ARRAY_SIZE(aliases);
	memcpy(ret->alias, aliases, sizeof(aliases));
	return 0;
}

/* Whether a suffix is an instance number: "", "0", "_0", "_1a". */
static bool is_instance(const char *rest)
{
	if (*rest == '_')
		return rest[1] && !rest[1 + strspn(rest + 1, "0123456789abcdef")];
	return !rest[strspn(rest, "0123456789")];
}

/* Whether a name consists of the unit's comma-separated parts in order, each followed by a number. */
static bool name_matches(const char *name, const char *unit)
{
	size_t n = strcspn(unit, ",");
	char part[64];

	if (strncmp(name, unit, n) != 0)
		return false;
	for (name += n, unit += n; *unit; unit += n) {
		unit++;
		n = strcspn(unit, ",");
		snprintf(part, sizeof(part), "%.*s", (int)n, unit);
		name = strstr(name, part);
		if (!name)
			return false;
		name += n;
	}
	return is_instance(name);
}

bool pmu_is_of(const struct pmu *pmu, const char *unit, const char *compat)
{
	return name_matches(pmu->name, unit) &&
	       (!compat[0] || catalog_pattern_matches(compat, pmu->identifier));
}

/* Whether a PMU has this name; as in perf, "uncore_" may be omitted: metrics have cha@…@. */
bool pmu_has_name(const struct pmu *pmu, const char *name)
{
	char uncore[sizeof(pmu->name) + 8];

	snprintf(uncore, sizeof(uncore), "uncore_%s", name);
	return strcmp(pmu->name, name) == 0 || pmu_is_of(pmu, name, "") ||
	       pmu_is_of(pmu, uncore, "");
}

size_t pmu_kind_length(const char *name)
{
	size_t n = 1;

	while (!is_instance(name + n))
		n++;
	return n;
}

/* Return the next character of a name without instance numbers; '\0' at the end. */
static char next_common(const char **name)
{
	*name += strspn(*name, "0123456789");
	return is_instance(*name) ? '\0' : *(*name)++;
}

bool pmu_is_same_kind(const struct pmu *a, const struct pmu *b)
{
	const char *one = a->name, *two = b->name;
	char c;

	do {
		c = next_common(&one);
		if (c != next_common(&two))
			return false;
	} while (c);
	return true;
}
