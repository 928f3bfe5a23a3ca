#include "pmu/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "pmu/catalog/build.h"

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

void import_remove(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int import_put(const char *path, const char *bytes, size_t n, struct err *err)
{
	int rc = file_make_folders(path, 0755);
	FILE *file = rc ? NULL : fopen(path, "wxe");

	if (!file)
		return err_set(err, rc ? -rc : errno, "%s: %s", path, strerror(rc ? -rc : errno));
	errno = EIO;
	if (fwrite(bytes, 1, n, file) != n)
		rc = -errno;
	if (fclose(file) && !rc)
		rc = -errno;
	return rc ? err_set(err, -rc, "%s: %s", path, strerror(-rc)) : 0;
}

static int copy_files(struct import *import, const struct text *files, const char *from,
		      const char *to, struct err *err)
{
	const char *path = files->bytes, *end = path + files->n;
	int rc = 0;

	for (; path < end && !rc; path += strlen(path) + 1) {
		AUTO_FREE char *bytes = NULL;
		const char *within = path + strlen(from) + 1;
		char copy[PATH_MAX];
		size_t n = 0;

		catalog_path(copy, to, within);
		if (!access(copy, F_OK))
			continue; /* shared by two CPUs */

		/* not through a link: a file that only root may read must not be copied */
		AUTO_FD int fd = file_open_beneath(from, within, 0);

		rc = fd < 0 ? fd : file_read_fd(fd, FILE_BYTES_MAX, &bytes, &n);
		if (rc)
			return err_set(err, -rc, "%s/%s: %s", from, within, file_error(rc));
		rc = import_put(copy, bytes, n, err);
		import->n_files++;
		import->n_bytes += n;
	}
	return rc;
}

/* Load the CPU's data first, so that only readable data is kept. */
static int copy_cpu(struct import *import, struct import_cpu *cpu, const char *from, const char *to,
		    struct err *err)
{
	AUTO_TEXT struct text files = { 0 };
	struct catalog *catalog = NULL;
	int rc = catalog_load_cpu(from, import->arch, cpu->id, &files, &catalog, err);

	if (!rc && files.failed)
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc) {
		snprintf(cpu->folder, sizeof(cpu->folder), "%s", catalog->cpu);
		cpu->n_events = catalog->n_events;
		cpu->n_metrics = catalog->n_metrics;
		cpu->n_refused = catalog->n_refused;
		rc = copy_files(import, &files, from, to, err);
	}
	catalog_free(catalog);
	return rc;
}

static bool is_of_any(const struct import *import, const struct map_row *row)
{
	for (unsigned i = 0; i < import->n_cpus; i++)
		if (import->cpu[i].folder[0] && catalog_map_matches(row, import->cpu[i].id))
			return true;
	return false;
}

/* Copy the map's rows of these CPUs, in order. */
static int copy_map(struct import *import, const char *from, const char *to, struct err *err)
{
	AUTO_FREE struct map_row *rows = NULL;
	AUTO_TEXT struct text text = { 0 };
	char path[PATH_MAX], map[PATH_MAX];
	size_t n;
	int rc;

	catalog_path(map, import->arch, "mapfile.csv");

	AUTO_FD int plain = file_open_beneath(from, map, 0);

	if (plain < 0)
		return err_set(err, -plain, "%s/%s: %s", from, map, file_error(plain));
	rc = catalog_map_read(catalog_path(path, from, map), &rows, &n, err);
	for (size_t i = 0; !rc && i < n; i++)
		if (is_of_any(import, &rows[i]))
			text_printf(&text, "%s,-,%s,%s\n", rows[i].cpuid, rows[i].folder,
				    catalog_map_type(&rows[i]));
	if (!rc && text.failed)
		rc = err_set(err, ENOMEM, "out of memory");
	if (!rc)
		rc = import_put(catalog_path(path, to, map), text.bytes, text.n, err);
	import->n_files++;
	import->n_bytes += text.n;
	return rc;
}

static int copy_all(struct import *import, const char *from, const char *to, struct err *err)
{
	unsigned n_found = 0;
	int rc = 0;

	for (unsigned i = 0; i < import->n_cpus && (!rc || rc == -ENOENT); i++) {
		rc = copy_cpu(import, &import->cpu[i], from, to, err);
		n_found += !rc;
	}
	if (rc == -ENOENT && n_found)
		rc = 0; /* some of the CPUs have data */
	return rc ? rc : copy_map(import, from, to, err);
}

/* Sync the new folder and exchange it with the old one, which is removed. On file systems without
 * exchange there is briefly neither. */
static int put_in_place(const char *made, const char *to)
{
	AUTO_FD int fd = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char old[PATH_MAX + 8];

	if (fd < 0 || syncfs(fd))
		return -errno;
	if (!rename(made, to))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	if (!renameat2(AT_FDCWD, made, AT_FDCWD, to, RENAME_EXCHANGE)) {
		import_remove(made);
		return 0;
	}
	snprintf(old, sizeof(old), "%s.old", made);
	if (rename(to, old))
		return -errno;
	if (rename(made, to)) {
		int rc = -errno;

		rename(old, to);
		return rc;
	}
	import_remove(old);
	return 0;
}

int import_tree(struct import *import, const char *from, const char *to, struct err *err)
{
	char made[PATH_MAX];
	int rc = file_make_folders(to, 0755);

	if (!rc && (size_t)snprintf(made, sizeof(made), "%s.XXXXXX", to) >= sizeof(made))
		rc = -ENAMETOOLONG;
	if (!rc && (!mkdtemp(made) || chmod(made, 0755)))
		rc = -errno;
	if (rc)
		return err_set(err, -rc, "%s: %s", to, strerror(-rc));
	rc = copy_all(import, from, made, err);
	if (!rc) {
		rc = put_in_place(made, to);
		if (rc)
			err_set(err, -rc, "%s: %s", to, strerror(-rc));
	}
	if (rc)
		import_remove(made);
	return rc;
}
