#include "pmu/catalog.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/catalog/build.h"

/* Whether two MIDRs match. MIDR_EL1, Arm ARM D24.2: implementer 31:24, variant 23:20, architecture
 * 19:16, part 15:4, revision 3:0 */
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

bool catalog_pattern_matches(const char *pattern, const char *text)
{
	regex_t regex;
	regmatch_t match;

	if (!text[0] || regcomp(&regex, pattern, REG_EXTENDED))
		return false;

	bool matches = regexec(&regex, text, 1, &match, 0) == 0 && match.rm_so == 0 &&
		       text[match.rm_eo] == '\0';

	regfree(&regex);
	return matches;
}

bool catalog_map_matches(const struct map_row *row, const char *cpuid)
{
	const char *stepping = strrchr(cpuid, '-');
	char model[200];
	uint64_t midr, of_row;

	if (num_parse_u64(cpuid, &midr) == 0 && num_parse_u64(row->cpuid, &of_row) == 0)
		return midr_matches(of_row, midr);
	snprintf(model, sizeof(model), "%.*s", (int)(stepping ? stepping - cpuid : 0), cpuid);
	return catalog_pattern_matches(row->cpuid, cpuid) ||
	       catalog_pattern_matches(row->cpuid, model);
}

const struct map_row *catalog_map_find(const struct map_row *rows, size_t n, const char *cpuid,
				       enum map_kind kind)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == kind && catalog_map_matches(&rows[i], cpuid))
			return strcmp(rows[i].folder, "-") != 0 ? &rows[i] : NULL;
	return NULL;
}

/* Return the next field of a line; NULL after the last. */
static char *next_field(char **rest)
{
	char *field = strsep(rest, ",");

	return field ? field + strspn(field, " \t") : NULL;
}

/* Whether an id is a valid regular expression; a MIDR is one, too. */
static bool is_pattern(const char *id)
{
	regex_t regex;

	if (regcomp(&regex, id, REG_EXTENDED | REG_NOSUB))
		return false;
	regfree(&regex);
	return true;
}

static const char *const kinds[N_MAPFILE_KINDS] = {
	[MAPFILE_SHARED] = "shared",
	[MAPFILE_UNCORE] = "uncore",
	[MAPFILE_CORE] = "core",
};

const char *catalog_map_type(const struct map_row *row)
{
	return row->is_generic ? "generic" : kinds[row->kind];
}

/* Whether a folder is outside the tree; imports are written and read only inside. */
static bool leads_out(const char *folder)
{
	size_t n;

	for (const char *at = folder; *at; at += n + (at[n] == '/')) {
		n = strcspn(at, "/");
		if (!n || (n == 2 && at[0] == '.' && at[1] == '.'))
			return true;
	}
	return false;
}

static int parse_line(char *line, struct map_row *ret, bool *ret_is_known)
{
	char *id = next_field(&line), *version = next_field(&line);
	char *folder = next_field(&line), *type = next_field(&line);

	if (!type || !version || !id[0] || !folder[0] || strlen(id) >= sizeof(ret->cpuid) ||
	    strlen(folder) >= sizeof(ret->folder) || !is_pattern(id))
		return -EINVAL;
	if (leads_out(folder))
		return -EXDEV;
	snprintf(ret->cpuid, sizeof(ret->cpuid), "%s", id);
	snprintf(ret->folder, sizeof(ret->folder), "%s", folder);
	ret->is_generic = !strcmp(type, "generic");
	for (ret->kind = 0; ret->kind < N_MAPFILE_KINDS && strcmp(type, kinds[ret->kind]) != 0;)
		ret->kind++;
	if (ret->is_generic)
		ret->kind = MAPFILE_CORE;
	*ret_is_known = ret->kind < N_MAPFILE_KINDS;
	return 0;
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
		if (!line[0] || line[0] == '#' || !strncmp(line, "Family-model", 12))
			continue;
		if (ARRAY_RESERVE(rows, cap, n))
			return err_set(err, ENOMEM, "%s: out of memory", path);
		r = parse_line(line, &rows[n], &is_known);
		if (r)
			return err_set(err, EINVAL, "%s:%u: %s", path, number,
				       r == -EXDEV ? "the folder leads out of the tree"
						   : "not 'cpuid,version,folder,type'");
		n += is_known;
	}
	*ret = rows;
	*ret_n = n;
	rows = NULL;
	return 0;
}
