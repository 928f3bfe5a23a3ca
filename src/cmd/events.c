/* m1top events import: keep the event files of this machine's CPUs, from Linux's tree, a tar of it, or
 * what the installed perf lists. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "catalog/import.h"
#include "cmd/shared/program.h"
#include "cmd/shared/verbs.h"
#include "machine/sysfs.h"

#define FROM_A_TREE "name Linux's source, or a tar of it: m1top events import FROM"

/* Where an import reads and what it reads itself into. */
struct importing {
	struct import import;
	struct import_cpu cpu[TYPES_MAX];
	char to[PATH_MAX];
	char scratch[PATH_MAX - 1]; /* a folder, "" until there is one */
};

/* In a message: `path` is ours, `name` what the user knows. */
static int rename_source(int rc, struct err *err, const char *path, const char *name)
{
	char *at = strstr(err->text, path);
	struct err was = *err;

	if (rc && at)
		err_set(err, -rc, "%.*s%s%s", (int)(at - err->text), was.text, name,
			was.text + (at - err->text) + strlen(path));
	return rc;
}

static int make_scratch(struct importing *importing, struct err *err)
{
	const char *in = getenv("TMPDIR");

	in = in && in[0] ? in : "/tmp";
	snprintf(importing->scratch, sizeof(importing->scratch), "%s/m1top-import-XXXXXX", in);
	if (mkdtemp(importing->scratch))
		return 0;
	importing->scratch[0] = '\0';
	return err_set(err, errno, "%s: %s", in, strerror(errno));
}

/* Whatever folders it has above it, ARCH/ comes to lie in the scratch folder. */
static int unpack(const struct importing *importing, const char *from, struct err *err)
{
	const char *arch = importing->import.arch;
	char transform[64], map[64], files[64], line[512], first[512] = "";
	struct program tar;

	snprintf(transform, sizeof(transform), "--transform=s,^\\(.*/\\)*%s/,%s/,", arch, arch);
	snprintf(map, sizeof(map), "*%s/mapfile.csv", arch);
	snprintf(files, sizeof(files), "*%s/*.json", arch);

	const char *const argv[] = { "tar",         "--force-local",
				     "--wildcards", transform,
				     "-C",          importing->scratch,
				     "-xf",         from,
				     map,           files,
				     NULL };
	int rc = program_start(argv, true, &tar);

	if (rc)
		return err_set(err, -rc, "tar: %s", strerror(-rc));
	while (fgets(line, sizeof(line), tar.out))
		if (!first[0])
			snprintf(first, sizeof(first), "%.*s", (int)strcspn(line, "\n"), line);
	if (ferror(tar.out)) /* by a signal: nobody wants the rest */
		kill(tar.pid, SIGTERM);
	if (!program_end(&tar))
		return 0;
	return err_set(err, EINVAL, "%s: %s", from, first[0] ? first : "tar was interrupted");
}

/* The tree in the scratch folder, which was made of `from`. */
static int from_scratch(struct importing *importing, const char *from, struct err *err)
{
	char path[PATH_MAX], name[PATH_MAX];
	int rc = import_tree(&importing->import, importing->scratch, importing->to, err);

	snprintf(path, sizeof(path), "%s/", importing->scratch);
	snprintf(name, sizeof(name), "%s: ", from);
	return rename_source(rc, err, path, name);
}

static int from_tar(struct importing *importing, const char *from, struct err *err)
{
	int rc = unpack(importing, from, err);

	return rc ? rc : from_scratch(importing, from, err);
}

static int from_list(struct importing *importing, const char *path, const char *name,
		     struct err *err)
{
	int rc = import_perf_list(&importing->import, path, importing->scratch, err);

	return rc ? rename_source(rc, err, path, name) : from_scratch(importing, name, err);
}

static int from_perf(struct importing *importing, struct err *err)
{
	static const char *const argv[] = { "perf", "list", "-j", "pmu", "metric", NULL };
	struct program perf;
	char version[64], path[32];
	int rc;

	if (!perf_version(version, sizeof(version)))
		return err_set(err, ENOENT, "perf is not installed: " FROM_A_TREE);
	if (!perf_lists_json(version))
		return err_set(
			err, ENOENT,
			"perf %s cannot list its events as JSON, 6.3 and later can: " FROM_A_TREE,
			version);

	rc = program_start(argv, false, &perf);
	if (rc)
		return err_set(err, -rc, "perf: %s", strerror(-rc));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(perf.out));
	rc = from_list(importing, path, "perf list -j", err);
	if (rc) /* likewise */
		kill(perf.pid, SIGTERM);
	program_end(&perf);
	if (rc == -ENOENT)
		err_set(err, ENOENT, "perf %s knows no events of %s: " FROM_A_TREE, version,
			importing->cpu[0].id);
	return rc;
}

/* JSON, of perf or not, begins with a bracket, which no archive does. A pipe can be read only once. */
static int is_list(const char *from, bool *ret, struct err *err)
{
	AUTO_FD int fd = file_open(from);
	char begin[64];
	struct stat st;

	*ret = fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode);
	if (*ret)
		return 0;

	ssize_t n = fd < 0 ? fd : read(fd, begin, sizeof(begin) - 1);

	if (n < 0)
		return err_set(err, fd < 0 ? -fd : errno, "%s: %s", from,
			       file_error(fd < 0 ? fd : -errno));
	begin[n] = '\0';
	n = (ssize_t)strspn(begin, " \t\r\n");
	*ret = begin[n] == '[' || begin[n] == '{';
	return 0;
}

static int from_any(struct importing *importing, const char *from, struct err *err)
{
	char tree[PATH_MAX];
	struct stat st;
	bool is_json = false;
	int rc;

	if (from && strcmp(from, "-") != 0 && !stat(from, &st) && S_ISDIR(st.st_mode)) {
		rc = catalog_find_dir(from, tree, sizeof(tree), err);
		return rc ? rc : import_tree(&importing->import, tree, importing->to, err);
	}
	rc = make_scratch(importing, err);
	if (rc)
		return rc;
	if (!from)
		return from_perf(importing, err);
	if (!strcmp(from, "-"))
		return from_list(importing, "/dev/stdin", "standard input", err);
	rc = is_list(from, &is_json, err);
	if (rc)
		return rc;
	return is_json ? from_list(importing, from, from, err) : from_tar(importing, from, err);
}

static bool is_told_before(const struct importing *importing, unsigned cpu)
{
	for (unsigned i = 0; i < cpu; i++)
		if (!strcmp(importing->cpu[i].id, importing->cpu[cpu].id))
			return true;
	return false;
}

static void tell(const struct importing *importing)
{
	for (unsigned i = 0; i < importing->import.n_cpus; i++) {
		const struct import_cpu *cpu = &importing->cpu[i];

		if (is_told_before(importing, i))
			continue;
		if (!cpu->folder[0]) {
			printf("%s: no events of this model there\n", cpu->id);
			continue;
		}
		printf("%s: %s, %zu events, %zu metrics", cpu->id, cpu->folder, cpu->n_events,
		       cpu->n_metrics);
		if (cpu->n_refused)
			printf("; %zu events without a complete encoding left out", cpu->n_refused);
		putchar('\n');
	}
	printf("%zu files, %.0f KiB, are now in %s\n", importing->import.n_files,
	       (double)importing->import.n_bytes / 1024, importing->to);
}

/* Without a catalogue: what an earlier import left must not be in the way. */
static int find_cpus(struct importing *importing, struct machine *machine, struct err *err)
{
	int rc = sysfs_machine("", machine, err);

	if (rc)
		return rc;
	importing->import = (struct import){ .arch = machine_arch(machine),
					     .cpu = importing->cpu,
					     .n_cpus = machine->n_types };
	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct pmu *pmu = machine->type[i].pmu;

		machine_cpuid(machine, i, importing->cpu[i].id, sizeof(importing->cpu[i].id));
		importing->cpu[i].pmu = pmu ? pmu->name : "";
	}
	return catalog_import_dir(importing->cpu[0].id, importing->to, sizeof(importing->to), err);
}

static void interrupt(int number)
{
	(void)number;
}

/* What is being read fails with EINTR, and the scratch folder goes as after any other error. */
static void take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &(struct sigaction){ .sa_handler = interrupt }, NULL);
}

static int import(const char *from, struct err *err)
{
	struct importing *importing = calloc(1, sizeof(*importing));
	struct machine machine = { 0 };
	int rc = importing ? find_cpus(importing, &machine, err)
			   : err_set(err, ENOMEM, "out of memory");

	take_signals();
	umask(022); /* for everybody to read */
	if (!rc)
		rc = from_any(importing, from, err);
	if (!rc)
		tell(importing);
	if (importing && importing->scratch[0])
		import_remove(importing->scratch);
	machine_fini(&machine);
	free(importing);
	return rc;
}

int events_run(const struct options *options)
{
	struct err err = { "" };

	if (!options->n_words || strcmp(options->word[0], "import") != 0) {
		fprintf(stderr, "usage: m1top events import [FROM]\n");
		return EXIT_USAGE;
	}
	return options_end(import(options->n_words > 1 ? options->word[1] : NULL, &err), &err);
}
