#include "machine/pmu.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

/* "", "0", "_0", "_1a": what tells the instances of one kind apart */
static bool is_instance(const char *rest)
{
	if (*rest == '_')
		return rest[1] && !rest[1 + strspn(rest + 1, "0123456789abcdef")];
	return !rest[strspn(rest, "0123456789")];
}

/* The parts between commas, in this order, each with its own number behind it. */
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

static bool identifier_matches(const char *identifier, const char *compat)
{
	regex_t regex;
	regmatch_t match;

	if (!identifier[0] || regcomp(&regex, compat, REG_EXTENDED))
		return false;

	bool matches = regexec(&regex, identifier, 1, &match, 0) == 0 && match.rm_so == 0 &&
		       identifier[match.rm_eo] == '\0';

	regfree(&regex);
	return matches;
}

bool pmu_is_of(const struct pmu *pmu, const char *unit, const char *compat)
{
	return name_matches(pmu->name, unit) &&
	       (!compat[0] || identifier_matches(pmu->identifier, compat));
}

/* As in perf, "uncore_" need not be said: metrics have cha@…@. */
bool pmu_is_called(const struct pmu *pmu, const char *name)
{
	char uncore[sizeof(pmu->name) + 8];

	snprintf(uncore, sizeof(uncore), "uncore_%s", name);
	return strcmp(pmu->name, name) == 0 || pmu_is_of(pmu, name, "") ||
	       pmu_is_of(pmu, uncore, "");
}

/* Of what all instances' names have in common the next character; '\0' at the end. */
static char next_common(const char **name)
{
	*name += strspn(*name, "0123456789");
	return is_instance(*name) ? '\0' : *(*name)++;
}

bool pmu_is_like(const struct pmu *a, const struct pmu *b)
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
