#include "pmu/machine.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "base/utf8.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Location of one PMU's files, and of the current file. */
struct pmu_place {
	const char *root;
	char dir[PATH_MAX];        /* below root */
	char file[PATH_MAX + 512]; /* below root; named in messages */
};

/* Append a file and its problem to a list, if it fits. */
static void complain(struct err *list, const char *file, const char *why)
{
	static const char more[] = "; …";
	size_t used = strlen(list->text), size = sizeof(list->text);
	size_t n = strlen(file) + strlen(why) + sizeof("; : ") + sizeof(more);

	if (used + n < size)
		buf_printf(list->text, size, "%s%s: %s", used ? "; " : "", file, why);
	else if (used + sizeof(more) <= size && strcmp(list->text + used - strlen(more), more) != 0)
		buf_printf(list->text, size, "%s", more);
}

/* Ignore the PMU's current file; others stay usable. */
static void ignore_file(const struct pmu_place *at, struct pmu *pmu, const char *why)
{
	complain(&pmu->ignored, at->file + (pmu->ignored.text[0] ? strlen(at->dir) + 1 : 0), why);
}

static bool is_text(const char *bytes, size_t n)
{
	if (strlen(bytes) != n)
		return false;
	while (*bytes) {
		wchar_t c = utf8_next(&bytes);

		if (c == UTF8_REPLACEMENT || utf8_is_hidden(c))
			return false;
	}
	return true;
}

static int read_in(struct pmu_place *at, const char *name, char *buf, size_t size, struct err *err)
{
	int n;

	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, name);
	n = sysfs_read(at->root, at->file, buf, size);
	if (n < 0)
		return err_set(err, -n, "%s", strerror(-n));
	return is_text(buf, (size_t)n) ? n : err_set(err, EINVAL, "not text");
}

static int cpus_in(struct pmu_place *at, const char *name, struct cpus *ret, struct err *err)
{
	char text[4096];
	int n = read_in(at, name, text, sizeof(text), err);

	return n < 0 ? n : cpus_parse(text, ret, err);
}

/* Parse "config1:0-7,32"; a bit named twice counts once, as in perf.
 * @return 0, -EINVAL, -E2BIG for a config word that is not known */
static int parse_format(const char *text, struct pmu_format *ret)
{
	unsigned word = 0;

	if (strncmp(text, "config", 6) != 0)
		return -EINVAL;
	text += 6;
	if (isdigit((unsigned char)*text))
		word = (unsigned)(*text++ - '0');
	if (*text != ':')
		return -EINVAL;
	if (word >= CONFIG_TYPE)
		return -E2BIG;

	uint64_t mask = 0;

	do {
		text++;
		uint64_t bits = num_bit_range(&text);

		if (!bits)
			return -EINVAL;
		mask |= bits;
	} while (*text == ',');
	if (*text)
		return -EINVAL;
	ret->mask = mask;
	ret->word = (uint8_t)word;
	return 0;
}

static int add_format(struct pmu_place *at, const char *name, struct pmu *pmu, size_t *cap,
		      struct err *err)
{
	struct pmu_format format = { 0 };
	char text[128];
	int rc = read_in(at, name, text, sizeof(text), err);

	if (rc < 0)
		return rc;
	rc = parse_format(text, &format);
	if (rc == -E2BIG)
		return 0;
	if (rc || strlen(name) - 7 >= sizeof(format.name))
		return err_set(err, EINVAL, "\"%s\" is not a field such as config:0-7", text);
	snprintf(format.name, sizeof(format.name), "%s", name + 7);
	if (ARRAY_APPEND(pmu->format, *cap, pmu->n_formats, format))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* Whether a file such as events/NAME.scale belongs to events/NAME. */
static bool is_attribute(const char *name)
{
	static const char *const suffix[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };

	for (size_t i = 0; i < ARRAY_SIZE(suffix); i++) {
		size_t n = strlen(name), k = strlen(suffix[i]);

		if (n > k && strcmp(name + n - k, suffix[i]) == 0)
			return true;
	}
	return false;
}

/* @return whether the file exists and is usable */
static bool attribute(struct pmu_place *at, const char *name, const char *suffix, struct pmu *pmu,
		      char *buf, size_t size)
{
	struct err why;
	char path[512];

	snprintf(path, sizeof(path), "%s%s", name, suffix);

	int n = read_in(at, path, buf, size, &why);

	if (n < 0 && n != -ENOENT)
		ignore_file(at, pmu, why.text);
	return n >= 0;
}

/* Read scale, unit and per-pkg. Without a valid scale the unit is dropped, as it does not apply to
 * raw counts. */
static void alias_attributes(struct pmu_place *at, const char *name, struct pmu *pmu,
			     struct pmu_alias *alias)
{
	char text[64], unit[sizeof(alias->unit)];
	double scale = 1;

	if (attribute(at, name, ".scale", pmu, text, sizeof(text)) &&
	    (num_parse_double(text, &scale) || scale <= 0)) {
		ignore_file(at, pmu, "not a number above 0");
		scale = 0;
	}
	if (attribute(at, name, ".unit", pmu, unit, sizeof(unit)) && scale > 0)
		snprintf(alias->unit, sizeof(alias->unit), "%s", unit);
	if (scale > 0)
		alias->scale = scale;
	if (attribute(at, name, ".per-pkg", pmu, text, sizeof(text)))
		alias->per_pkg = strcmp(text, "0") != 0;
}

static int add_alias(struct pmu_place *at, const char *name, struct pmu *pmu, size_t *cap,
		     struct err *err)
{
	struct pmu_alias alias = { .scale = 1 };
	uint64_t config[CONFIG_WORDS];

	if (is_attribute(name))
		return 0;

	int rc = read_in(at, name, alias.terms, sizeof(alias.terms), err);

	if (rc < 0)
		return rc;
	if (!rc || !is_text(name, strlen(name)))
		return err_set(err, EINVAL, "not an event such as event=0x11");
	if (strlen(name) - 7 >= sizeof(alias.name))
		return err_set(err, EINVAL, "the name is too long");
	/* terms with a question mark get their values from the user */
	if (!strchr(alias.terms, '?') && pmu_encode(pmu, alias.terms, config, NULL))
		return err_set(err, EINVAL, "\"%s\" does not fit format/", alias.terms);
	snprintf(alias.name, sizeof(alias.name), "%s", name + 7);
	alias_attributes(at, name, pmu, &alias);
	if (ARRAY_APPEND(pmu->alias, *cap, pmu->n_aliases, alias))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

typedef int (*add_fn)(struct pmu_place *at, const char *name, struct pmu *pmu, size_t *cap,
		      struct err *err);

/* Read every usable file of format/ or events/; a PMU may have neither. @return 0, -ENOMEM */
static int each_file(struct pmu_place *at, const char *folder, add_fn add, struct pmu *pmu,
		     struct err *err)
{
	size_t cap = 0;

	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, folder);

	AUTO_ENTRIES struct entries list = sysfs_list(at->root, at->file);

	if (list.n < 0 && list.n != -ENOENT)
		ignore_file(at, pmu, strerror(-list.n));
	for (int i = 0; i < list.n; i++) {
		char name[300];
		struct err why;

		if (list.entry[i]->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", folder, list.entry[i]->d_name);

		int rc = add(at, name, pmu, &cap, &why);

		if (rc == -ENOMEM)
			return err_set(err, ENOMEM, "out of memory");
		if (rc)
			ignore_file(at, pmu, why.text);
	}
	return 0;
}

static bool has_file(struct pmu_place *at, const char *name)
{
	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, name);
	return sysfs_exists(at->root, at->file);
}

/* @return false if the PMU does not count */
static bool classify(struct pmu_place *at, const char *name, enum pmu_kind *ret)
{
	/* these have a cpumask or events, but can only trace */
	static const char *const tracers[] = { "arm_spe_*", "hisi_ptt*", "cs_etm*", "intel_pt" };
	static const char *const cores[] = { "cpu", "armv8_pmuv3*", "apple_*_pmu" };

	if (sysfs_name_fits(name, tracers, ARRAY_SIZE(tracers)))
		return false;
	if (strcmp(name, "software") == 0)
		*ret = PMU_SOFTWARE;
	else if (strcmp(name, "msr") == 0)
		*ret = PMU_MSR;
	else if (strcmp(name, "tracepoint") == 0)
		*ret = PMU_TRACEPOINT;
	else if (has_file(at, "cpus") || sysfs_name_fits(name, cores, ARRAY_SIZE(cores)))
		*ret = PMU_CORE;
	else if (has_file(at, "cpumask") || has_file(at, "events"))
		*ret = PMU_UNCORE;
	else
		return false;
	return true;
}

static int read_type(struct pmu_place *at, uint32_t *ret, struct err *err)
{
	char text[32];
	uint64_t type;
	int n = read_in(at, "type", text, sizeof(text), err);

	if (n < 0)
		return n;
	if (num_parse_u64(text, &type) || type > UINT32_MAX)
		return err_set(err, EINVAL, "\"%s\" is not a PMU type", text);
	*ret = (uint32_t)type;
	return 0;
}

/* Read the CPUs to read a device on; all if unknown, as in perf. */
static void read_cpumask(struct pmu_place *at, struct pmu *pmu, const struct cpus *online)
{
	struct err why;

	if (cpus_in(at, "cpumask", &pmu->cpus, &why) == 0)
		return;
	pmu->cpus = *online;
	ignore_file(at, pmu,
		    buf_printf(why.text, sizeof(why.text), "; it is counted on every CPU"));
}

static void read_cpus(struct pmu_place *at, struct pmu *pmu, const struct cpus *online)
{
	struct err why;

	if (pmu->kind == PMU_UNCORE)
		read_cpumask(at, pmu, online);
	else if (pmu->kind != PMU_CORE || !has_file(at, "cpus"))
		pmu->cpus = *online;
	else if (cpus_in(at, "cpus", &pmu->cpus, &why))
		ignore_file(at, pmu, why.text);
}

static bool is_of_a_core_pmu(const struct pmus *pmus, unsigned cpu)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->pmu[i].kind == PMU_CORE && cpus_has(&pmus->pmu[i].cpus, cpu))
			return true;
	return false;
}

/* Give core PMUs with unreadable lists the CPUs that no other core PMU has. */
static void fill_cpus(struct pmus *pmus, const struct cpus *online)
{
	for (size_t i = 0; i < pmus->n; i++) {
		struct cpus *cpus = &pmus->pmu[i].cpus;

		if (pmus->pmu[i].kind != PMU_CORE || cpus_count(cpus))
			continue;
		cpus_each(online, cpu)
			if (!is_of_a_core_pmu(pmus, (unsigned)cpu))
				cpus_add(cpus, (unsigned)cpu);
	}
}

/* @return 0, or -errno with the file's name in err; what was allocated stays in pmu */
static int read_pmu(struct pmu_place *at, const struct cpus *online, struct pmu *pmu,
		    struct err *err)
{
	int rc = read_type(at, &pmu->type, err);

	if (!rc)
		read_cpus(at, pmu, online);
	if (!rc)
		rc = each_file(at, "format", add_format, pmu, err);
	if (!rc)
		rc = each_file(at, "events", add_alias, pmu, err);
	if (!rc && read_in(at, "identifier", pmu->identifier, sizeof(pmu->identifier), NULL) < 0)
		pmu->identifier[0] = '\0';
	pmu->honours_privilege = pmu->kind == PMU_CORE || pmu->kind == PMU_SOFTWARE;
	return rc;
}

/* @return 0, -ENOMEM; an unusable PMU is added to pmus->ignored */
static int add_pmu(const char *root, const char *name, const struct cpus *online, struct pmus *pmus,
		   size_t *cap)
{
	struct pmu_place at = { .root = root };
	struct pmu pmu = { 0 };
	struct err why;
	int rc;

	snprintf(at.dir, sizeof(at.dir), DEVICES "/%s", name);
	snprintf(at.file, sizeof(at.file), "%s", at.dir);
	if (!classify(&at, name, &pmu.kind))
		return 0;
	snprintf(pmu.name, sizeof(pmu.name), "%s", name);
	if (strlen(name) >= sizeof(pmu.name) || !is_text(name, strlen(name)))
		rc = err_set(&why, EINVAL, "the name is not one that can be used");
	else
		rc = read_pmu(&at, online, &pmu, &why);
	if (!rc)
		rc = ARRAY_APPEND(pmus->pmu, *cap, pmus->n, pmu);
	if (!rc)
		return 0;
	free(pmu.format);
	free(pmu.alias);
	if (rc != -ENOMEM)
		complain(&pmus->ignored, at.file, why.text);
	return rc == -ENOMEM ? rc : 0;
}

static int by_kind_then_name(const void *a, const void *b)
{
	const struct pmu *x = a, *y = b;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

int sysfs_pmus(const char *root, struct pmus *ret, struct err *err)
{
	struct pmus pmus = { 0 };
	struct cpus online;
	size_t cap = 0;
	int rc = sysfs_online(root, &online, err);

	if (rc)
		return rc;

	AUTO_ENTRIES struct entries list = sysfs_list(root, DEVICES);

	if (list.n < 0)
		return err_set(err, -list.n, DEVICES ": %s", strerror(-list.n));
	for (int i = 0; i < list.n && !rc; i++)
		if (list.entry[i]->d_name[0] != '.')
			rc = add_pmu(root, list.entry[i]->d_name, &online, &pmus, &cap);
	if (rc) {
		pmus_fini(&pmus);
		return err_set(err, -rc, "out of memory");
	}
	if (pmus.n)
		qsort(pmus.pmu, pmus.n, sizeof(*pmus.pmu), by_kind_then_name);
	fill_cpus(&pmus, &online);
	snprintf(pmus.root, sizeof(pmus.root), "%s", root);
	*ret = pmus;
	return 0;
}
