#include "machine/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"

#define DEVICES "/sys/bus/event_source/devices"

/* The place of one PMU's files, and of one of them. */
struct pmu_place {
	const char *root;
	char dir[PATH_MAX];        /* below root */
	char file[PATH_MAX + 512]; /* below root; the one that a message names */
};

static int read_in(struct pmu_place *at, const char *name, char *buf, size_t size, struct err *err)
{
	int n;

	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, name);
	n = sysfs_read(at->root, at->file, buf, size);
	return n < 0 ? err_set(err, -n, "%s", strerror(-n)) : n;
}

static int cpus_in(struct pmu_place *at, const char *name, struct cpus *ret, struct err *err)
{
	char text[4096];
	int n = read_in(at, name, text, sizeof(text), err);

	return n < 0 ? n : cpus_parse(text, ret, err);
}

/* "config1:0-7,32": @return 0, -EINVAL, -E2BIG for a word newer than we know */
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
	if (word >= CONFIG_WORDS)
		return -E2BIG;

	uint64_t mask = 0;

	do {
		text++;
		uint64_t bits = num_bit_range(&text);

		if (!bits || mask & bits)
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
	if (array_append((void **)&pmu->format, cap, &pmu->n_formats, &format, sizeof(format)))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* events/NAME.scale and its like belong to events/NAME */
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

/* @return 1 there, 0 not there, or -errno */
static int attribute(struct pmu_place *at, const char *name, const char *suffix, char *buf,
		     size_t size, struct err *err)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", name, suffix);

	int rc = read_in(at, path, buf, size, err);

	return rc == -ENOENT ? 0 : rc < 0 ? rc : 1;
}

static int alias_attributes(struct pmu_place *at, const char *name, struct pmu_alias *alias,
			    struct err *err)
{
	char text[64];
	int rc = attribute(at, name, ".scale", text, sizeof(text), err);

	if (rc > 0 && num_parse_double(text, &alias->scale))
		return err_set(err, EINVAL, "\"%s\" is not a number", text);
	if (rc >= 0)
		rc = attribute(at, name, ".unit", alias->unit, sizeof(alias->unit), err);
	if (rc >= 0)
		rc = attribute(at, name, ".per-pkg", text, sizeof(text), err);
	if (rc > 0)
		alias->per_pkg = strcmp(text, "0") != 0;
	return rc < 0 ? rc : 0;
}

static int add_alias(struct pmu_place *at, const char *name, struct pmu *pmu, size_t *cap,
		     struct err *err)
{
	struct pmu_alias alias = { .scale = 1 };

	if (is_attribute(name))
		return 0;

	int rc = read_in(at, name, alias.terms, sizeof(alias.terms), err);

	if (rc < 0)
		return rc;
	if (!rc || strlen(name) - 7 >= sizeof(alias.name))
		return err_set(err, EINVAL, "not an event such as event=0x11");
	snprintf(alias.name, sizeof(alias.name), "%s", name + 7);
	rc = alias_attributes(at, name, &alias, err);
	if (rc)
		return rc;
	if (array_append((void **)&pmu->alias, cap, &pmu->n_aliases, &alias, sizeof(alias)))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

typedef int (*add_fn)(struct pmu_place *at, const char *name, struct pmu *pmu, size_t *cap,
		      struct err *err);

/* Every file of format/ or events/; a PMU may well have neither. */
static int each_file(struct pmu_place *at, const char *folder, add_fn add, struct pmu *pmu,
		     struct err *err)
{
	struct dirent **entry;
	size_t cap = 0;
	int rc = 0;

	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, folder);

	int n = sysfs_list(at->root, at->file, &entry);

	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return err_set(err, -n, "%s", strerror(-n));
	for (int i = 0; i < n; i++) {
		char name[300];

		snprintf(name, sizeof(name), "%s/%s", folder, entry[i]->d_name);
		if (!rc && entry[i]->d_name[0] != '.')
			rc = add(at, name, pmu, &cap, err);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

static bool has_file(struct pmu_place *at, const char *name)
{
	snprintf(at->file, sizeof(at->file), "%s/%s", at->dir, name);
	return sysfs_exists(at->root, at->file);
}

/* @return false: not a PMU that counts */
static bool classify(struct pmu_place *at, const char *name, enum pmu_kind *ret)
{
	/* these have a cpumask but can only trace */
	static const char *const tracers[] = { "arm_spe_*", "hisi_ptt*" };
	static const char *const cores[] = { "cpu", "armv8_pmuv3*", "apple_*_pmu" };

	if (sysfs_name_fits(name, tracers, ARRAY_SIZE(tracers)))
		return false;
	if (strcmp(name, "software") == 0)
		*ret = PMU_SOFTWARE;
	else if (strcmp(name, "msr") == 0)
		*ret = PMU_MSR;
	else if (has_file(at, "cpus") || sysfs_name_fits(name, cores, ARRAY_SIZE(cores)))
		*ret = PMU_CORE;
	else if (has_file(at, "cpumask"))
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

static int read_cpus(struct pmu_place *at, struct pmu *pmu, const struct cpus *online,
		     struct err *err)
{
	if (pmu->kind == PMU_UNCORE)
		return cpus_in(at, "cpumask", &pmu->cpus, err);
	if (pmu->kind == PMU_CORE && has_file(at, "cpus"))
		return cpus_in(at, "cpus", &pmu->cpus, err);
	pmu->cpus = *online;
	return 0;
}

/* @return 0, or -errno with the file's name in err; what was allocated stays in pmu */
static int read_pmu(struct pmu_place *at, const struct cpus *online, struct pmu *pmu,
		    struct err *err)
{
	int rc = read_type(at, &pmu->type, err);

	if (!rc)
		rc = read_cpus(at, pmu, online, err);
	if (!rc)
		rc = each_file(at, "format", add_format, pmu, err);
	if (!rc)
		rc = each_file(at, "events", add_alias, pmu, err);
	if (!rc && read_in(at, "identifier", pmu->identifier, sizeof(pmu->identifier), NULL) < 0)
		pmu->identifier[0] = '\0';
	pmu->honours_privilege = pmu->kind == PMU_CORE || pmu->kind == PMU_SOFTWARE;
	return rc ? err_prefix(err, -rc, "%s: ", at->file) : 0;
}

static int add_pmu(const char *root, const char *name, const struct cpus *online, struct pmus *pmus,
		   size_t *cap, struct err *err)
{
	struct pmu_place at = { .root = root };
	struct pmu pmu = { 0 };

	snprintf(at.dir, sizeof(at.dir), DEVICES "/%s", name);
	if (!classify(&at, name, &pmu.kind))
		return 0;
	if (strlen(name) >= sizeof(pmu.name))
		return err_set(err, EINVAL, "%s: the name is too long", at.dir);
	snprintf(pmu.name, sizeof(pmu.name), "%s", name);

	int rc = read_pmu(&at, online, &pmu, err);

	if (!rc && array_append((void **)&pmus->pmu, cap, &pmus->n, &pmu, sizeof(pmu)))
		rc = err_set(err, ENOMEM, "out of memory");
	if (rc) {
		free(pmu.format);
		free(pmu.alias);
	}
	return rc;
}

static int by_kind_then_name(const void *a, const void *b)
{
	const struct pmu *x = a, *y = b;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

/* Put one more complaint behind those that are there. */
static void complain(struct err *all, const struct err *one)
{
	size_t used;

	if (!all)
		return;
	used = strlen(all->text);
	snprintf(all->text + used, sizeof(all->text) - used, "%s%s", used ? "; " : "", one->text);
}

int sysfs_pmus(const char *root, struct pmus *ret, struct err *err)
{
	struct pmus pmus = { 0 };
	struct cpus online;
	struct dirent **entry;
	size_t cap = 0;
	int left_out = 0;
	int rc = sysfs_online(root, &online, err);

	if (rc)
		return rc;

	int n = sysfs_list(root, DEVICES, &entry);

	if (n < 0)
		return err_set(err, -n, DEVICES ": %s", strerror(-n));
	err_set(err, 0, "%s", "");
	for (int i = 0; i < n; i++) {
		struct err why;

		if (entry[i]->d_name[0] != '.' &&
		    add_pmu(root, entry[i]->d_name, &online, &pmus, &cap, &why)) {
			complain(err, &why);
			left_out++;
		}
		free(entry[i]);
	}
	free(entry);
	if (pmus.n)
		qsort(pmus.pmu, pmus.n, sizeof(*pmus.pmu), by_kind_then_name);
	*ret = pmus;
	return left_out;
}
