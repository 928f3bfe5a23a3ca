#include "catalog/map.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "catalog/build.h"

/* MIDR_EL1, Arm ARM D24.2: implementer 31:24, variant 23:20, architecture 19:16, part 15:4,
 * revision 3:0 */
static bool midr_matches(uint64_t row, uint64_t cpu)
{
	uint64_t implementer = 0xff000000, part = 0xfff0, version = 0xf0000f;

	if (row & implementer && (row ^ cpu) & implementer)
		return false;
	if (row & part && (row ^ cpu) & part)
		return false;

	uint64_t variant = cpu >> 20 & 0xf, row_variant = row >> 20 & 0xf;

	if (!(row & version) || variant != row_variant)
		return variant >= row_variant;
	return (cpu & 0xf) >= (row & 0xf);
}

static bool regex_matches(const regex_t *regex, const char *cpuid)
{
	regmatch_t match;

	return regexec(regex, cpuid, 1, &match, 0) == 0 && match.rm_so == 0 &&
	       cpuid[match.rm_eo] == '\0';
}

static bool pattern_matches(const char *pattern, const char *cpuid)
{
	regex_t regex;
	char model[200];
	const char *stepping = strrchr(cpuid, '-');

	if (regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	snprintf(model, sizeof(model), "%.*s", (int)(stepping ? stepping - cpuid : 0), cpuid);

	bool matches = regex_matches(&regex, cpuid) || (model[0] && regex_matches(&regex, model));

	regfree(&regex);
	return matches;
}

bool catalog_map_matches(const struct map_row *row, const char *cpuid)
{
	uint64_t midr, of_row;

	if (!cpuid[0])
		return false;
	if (num_parse_u64(cpuid, &midr) == 0 && num_parse_u64(row->cpuid, &of_row) == 0)
		return midr_matches(of_row, midr);
	return pattern_matches(row->cpuid, cpuid);
}

const struct map_row *catalog_map_find(const struct map_row *rows, size_t n, const char *cpuid,
				       enum map_kind kind)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == kind && catalog_map_matches(&rows[i], cpuid))
			return strcmp(rows[i].folder, "-") != 0 ? &rows[i] : NULL;
	return NULL;
}

/* the next field of a line; NULL behind the last */
static char *next_field(char **rest)
{
	char *field = strsep(rest, ",");

	return field ? field + strspn(field, " \t") : NULL;
}

/* a MIDR is a regular expression, too */
static bool is_pattern(const char *id)
{
	regex_t regex;

	if (regcomp(&regex, id, REG_EXTENDED | REG_NOSUB))
		return false;
	regfree(&regex);
	return true;
}

static const char *const kinds[N_MAP_KINDS] = {
	[MAP_SHARED] = "shared",
	[MAP_UNCORE] = "uncore",
	[MAP_CORE] = "core",
};

const char *catalog_map_type(const struct map_row *row)
{
	return row->is_generic ? "generic" : kinds[row->kind];
}

static int parse_line(char *line, struct map_row *ret, bool *ret_is_known)
{
	char *id = next_field(&line), *version = next_field(&line);
	char *folder = next_field(&line), *type = next_field(&line);

	if (!type || !version || !id[0] || !folder[0] || strlen(id) >= sizeof(ret->cpuid) ||
	    strlen(folder) >= sizeof(ret->folder) || !is_pattern(id))
		return -EINVAL;
	snprintf(ret->cpuid, sizeof(ret->cpuid), "%s", id);
	snprintf(ret->folder, sizeof(ret->folder), "%s", folder);
	ret->is_generic = !strcmp(type, "generic");
	for (ret->kind = 0; ret->kind < N_MAP_KINDS && strcmp(type, kinds[ret->kind]) != 0;)
		ret->kind++;
	if (ret->is_generic)
		ret->kind = MAP_CORE;
	*ret_is_known = ret->kind < N_MAP_KINDS;
	return 0;
}

static bool is_comment(const char *line)
{
	return !line[0] || line[0] == '#' || !strncmp(line, "Family-model", 12);
}

int catalog_map_read(const char *path, struct map_row **ret, size_t *ret_n, struct err *err)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE struct map_row *rows = NULL;
	size_t n = 0, cap = 0, size;
	int r = catalog_read_text(path, &text, &size, err);

	if (r)
		return r;

	unsigned number = 0;
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n"));) {
		bool is_known;

		number++;
		line[strcspn(line, "\r")] = '\0';
		if (is_comment(line))
			continue;
		if (array_reserve((void **)&rows, &cap, n, sizeof(*rows)))
			return err_set(err, ENOMEM, "%s: out of memory", path);
		if (parse_line(line, &rows[n], &is_known))
			return err_set(err, EINVAL, "%s:%u: not 'cpuid,version,folder,type'", path,
				       number);
		n += is_known;
	}
	*ret = rows;
	*ret_n = n;
	rows = NULL;
	return 0;
}
