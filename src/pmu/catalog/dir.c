#include "pmu/catalog.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/invoker.h"
#include "pmu/catalog/build.h"

/* Write the path of one place to look, "" if it does not apply. */
typedef void place_fn(char *ret, size_t size);

static void from_environment(char *ret, size_t size)
{
	const char *dir = getenv("M1TOP_EVENTS");

	snprintf(ret, size, "%s", dir ? dir : "");
}

/* Get the program's folder with links resolved; without /proc, from the name it was started with. */
static void program_folder(char *ret, size_t size)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	AUTO_FREE char *self = realpath("/proc/self/exe", NULL);

	if (!self && started)
		self = realpath(started, NULL);
	snprintf(ret, size, "%s", self ? self : "");

	char *slash = strrchr(ret, '/');

	if (slash)
		*slash = '\0';
}

static void folder_of_program(char *ret, size_t size)
{
	char folder[PATH_MAX];

	program_folder(folder, sizeof(folder));
	snprintf(ret, size, "%.*s%s", (int)size - 8, folder, folder[0] ? "/events" : "");
}

/* Find events/ beside the link ./m1top, which points to build/VARIANT/m1top. */
static void folder_of_build(char *ret, size_t size)
{
	char folder[PATH_MAX];
	char *build = NULL;

	program_folder(folder, sizeof(folder));
	for (char *at = folder; (at = strstr(at, "/build/")); at++)
		build = at;
	snprintf(ret, size, "%.*s%s", build ? (int)(build - folder) : 0, folder,
		 build ? "/events" : "");
}

static void from_data_home(char *ret, size_t size)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0])
		snprintf(ret, size, "%s/m1top/events", data);
	else if (home && home[0])
		snprintf(ret, size, "%s/.local/share/m1top/events", home);
	else
		ret[0] = '\0';
}

static void from_prefix(char *ret, size_t size)
{
	snprintf(ret, size, "%s", M1TOP_PREFIX "/share/m1top/events");
}

static place_fn *const places[] = {
	from_environment, folder_of_program, folder_of_build, from_data_home, from_prefix,
};

/* root's imports, for all users */
#define SYSTEM_DATA "/var/lib"

/* Get the user's data folder; under sudo, the caller's. */
static int user_data(char *ret, size_t size)
{
	const char *data = getenv("XDG_DATA_HOME");
	char home[PATH_MAX - 32];

	if (data && data[0]) {
		snprintf(ret, size, "%s", data);
		return 0;
	}
	if (invoker_home(home, sizeof(home)))
		return -ENOENT;
	snprintf(ret, size, "%s/.local/share", home);
	return 0;
}

static int imported_below(const char *data, const char *cpuid, char *ret, size_t size)
{
	int n = snprintf(ret, size, "%s/m1top/imported/%s", data, cpuid);

	return n >= 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static bool is_name(const char *cpuid)
{
	return cpuid[0] && cpuid[0] != '.' && !strchr(cpuid, '/');
}

int catalog_import_dir(const char *cpuid, char *ret, size_t size, struct err *err)
{
	const char *data = getenv("XDG_DATA_HOME");
	char below[PATH_MAX] = SYSTEM_DATA;
	/* under sudo that variable is the caller's; root's data does not go there */
	bool is_users = geteuid() || (!invoker_uid() && data && data[0]);

	if (!is_name(cpuid))
		return err_set(err, EINVAL, "the processor's id is not known here: '%s'", cpuid);
	if (is_users && user_data(below, sizeof(below)))
		return err_set(err, ENOENT, "no home folder is known: set XDG_DATA_HOME");
	if (imported_below(below, cpuid, ret, size))
		return err_set(err, ENAMETOOLONG, "%s: the path is too long", below);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return path[0] && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool exists(const char *folder, const char *below)
{
	char path[PATH_MAX];

	return !access(catalog_path(path, folder, below), F_OK);
}

/* Whether a folder has ARCH/mapfile.csv or common/common. */
static bool is_tree(const char *path)
{
	AUTO_DIR DIR *folder = opendir(path);
	bool found = folder && exists(path, "common/common");
	char map[300];

	for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
		snprintf(map, sizeof(map), "%s/mapfile.csv", entry->d_name);
		found = entry->d_name[0] != '.' && exists(path, map);
	}
	return found;
}

/* Find the event data of the only kernel source in a folder. */
static bool find_source(const char *path, const char *arch, char *ret)
{
	AUTO_DIR DIR *folder = opendir(path);
	unsigned n = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char source[PATH_MAX], tree[PATH_MAX];

		catalog_path(tree, catalog_path(source, path, entry->d_name), arch);
		if (entry->d_name[0] != '.' && is_tree(tree) && !n++)
			snprintf(ret, PATH_MAX, "%s", tree);
	}
	return n == 1;
}

/* Find the tree in the given folder, in a kernel source, or one level above or below. */
static int use_given(const char *given, char *ret, size_t size, struct err *err)
{
	static const char *const beneath[] = { "tools/perf/pmu-events/arch", "perf/pmu-events/arch",
					       "pmu-events/arch", "arch" };
	char path[PATH_MAX];
	bool found = is_tree(given);

	snprintf(path, sizeof(path), "%s", given);
	for (size_t i = 0; i < ARRAY_SIZE(beneath) && !found; i++)
		found = is_tree(catalog_path(path, given, beneath[i]));
	if (!found)
		found = find_source(given, beneath[0], path);
	if (!found && exists(given, "mapfile.csv"))
		found = is_tree(catalog_path(path, given, ".."));
	if (!found && !is_folder(given))
		return err_set(err, ENOENT, "no event data: %s is not a folder", given);
	snprintf(ret, size, "%s", found ? path : given);
	return 0;
}

int catalog_find_dir(const char *given, char *ret, size_t size, struct err *err)
{
	char tried[800] = "", path[PATH_MAX];

	if (given)
		return use_given(given, ret, size, err);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		places[i](path, sizeof(path));
		if (is_folder(path)) {
			snprintf(ret, size, "%s", path);
			return 0;
		}
		if (path[0])
			buf_printf(tried, sizeof(tried), "%s%s", *tried ? ", " : "", path);
	}
	return err_set(err, ENOENT, "no event data in %s; use --events-dir to name its folder",
		       tried);
}

void catalog_find_imported(const char *cpuid, char *ret, size_t size)
{
	char below[PATH_MAX];

	from_environment(below, sizeof(below));
	if (!below[0] && is_name(cpuid)) {
		if (!user_data(below, sizeof(below)) && !imported_below(below, cpuid, ret, size) &&
		    is_folder(ret))
			return;
		if (!imported_below(SYSTEM_DATA, cpuid, ret, size) && is_folder(ret))
			return;
	}
	ret[0] = '\0';
}
