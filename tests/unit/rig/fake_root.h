/* fake_root.h: folders that look like /sys and /proc of machines that are not here */
#ifndef TESTS_FAKE_ROOT_H
#define TESTS_FAKE_ROOT_H

#include <assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A file below the root; the table ends with a NULL path. */
struct fake_file {
	const char *path;
	const char *text; /* without the newline that is added */
};

/* A table of PMU files is shorter to read with these. */
#define PMU_DIR "sys/bus/event_source/devices/"
#define CPU_DIR "sys/devices/system/cpu/"

/* A memory controller of Intel's servers. */
#define FAKE_IMC(n)                                                                              \
	{ PMU_DIR "uncore_imc_" n "/type", "2" n }, { PMU_DIR "uncore_imc_" n "/cpumask", "0" }, \
		{ PMU_DIR "uncore_imc_" n "/format/event", "config:0-7" },                       \
		{ PMU_DIR "uncore_imc_" n "/format/umask", "config:8-15" },                      \
	{                                                                                        \
		PMU_DIR "uncore_imc_" n "/events/clockticks", "event=0xff"                       \
	}

static inline void fake_put(const char *root, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}

	FILE *file = fopen(full, "w");

	assert(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

/** The same of JSON that has ' for ". */
static inline void fake_put_json(const char *root, const struct fake_file *file)
{
	char *text = strdup(file->text);

	assert(text);
	for (char *c = text; (c = strchr(c, '\''));)
		*c = '"';
	fake_put(root, file->path, text);
	free(text);
}

/** A new folder with these files. @return its path, in `root` */
static inline char *fake_root(char *root, size_t size, const struct fake_file *file)
{
	snprintf(root, size, "/tmp/m1top-test-XXXXXX");

	char *made = mkdtemp(root);

	assert(made);
	for (; file->path; file++)
		fake_put(root, file->path, file->text);
	return made;
}

static inline int fake_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void fake_root_remove(const char *root)
{
	nftw(root, fake_unlink, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
