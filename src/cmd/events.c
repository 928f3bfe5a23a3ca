/* m1top events import: import event files for this machine's CPUs from Linux's tree, a tar archive
 * of it, or the list of the installed perf. */
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
#include "base/num.h"
#include "base/text.h"
#include "pmu/catalog.h"
#include "cmd/shared/program.h"
#include "cmd/verbs.h"
#include "pmu/machine.h"

#define FROM_A_TREE "give Linux's source, or a tar of it: m1top events import FROM"

/* State of an import. */
struct importing {
	struct import import;
	struct import_cpu cpu[TYPES_MAX];
	char to[PATH_MAX];
	char scratch[PATH_MAX - 1]; /* scratch folder; "": none yet */
};

/* Replace a path in a message. @path  internal path  @name  name that the user knows */
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

/* Limits of an archive: four times Linux's largest architecture. Larger ones are not event data. */
enum { UNPACKED_MAX = 64 << 20, MEMBERS_MAX = 20000 };

/* Totals of an archive; tar lists a member as "-rw-r--r-- 0/0  SIZE DATE TIME NAME". */
struct members {
	uint64_t bytes;
	unsigned n;
};

/* Check a member. @return reason for a refusal; NULL: accepted */
static const char *take_member(struct members *members, const char *line)
{
	bool is_folder = line[0] == 'd';
	uint64_t size;
	char word[64] = "";

	if (line[0] != '-' && line[0] != 'd')
		return strchr("lhbcpsCDMV", line[0]) ? "links and devices are not event files"
						     : NULL;
	for (int i = 0; i < 3; i++)
		text_next_word(&line, word, sizeof(word));
	if (num_parse_u64(word, &size)) /* tar names no size of a folder that it makes itself */
		size = is_folder ? 0 : UNPACKED_MAX + 1;
	if (size > UNPACKED_MAX)
		size = UNPACKED_MAX + 1;
	members->bytes += size;
	members->n++;
	return members->bytes > UNPACKED_MAX || members->n > MEMBERS_MAX
		       ? "more than 64 MiB of event files"
		       : NULL;
}

/*
 * Run tar on the event files of an archive. ARCH/ is placed directly in the scratch folder, without
 * the folders above it.
 *
 * @what  "-tvf": list and check; "-xvvf": unpack and check again, as the file may have changed
 */
static int run_tar(const struct importing *importing, const char *what, const char *from,
		   struct err *err)
{
	const char *arch = importing->import.arch, *why = NULL;
	char transform[64], map[64], files[64], line[512], last[512] = "";
	struct members members = { 0 };
	struct program tar;

	snprintf(transform, sizeof(transform), "--transform=s,^\\(.*/\\)*%s/,%s/,", arch, arch);
	snprintf(map, sizeof(map), "*%s/mapfile.csv", arch);
	snprintf(files, sizeof(files), "*%s/*.json", arch);

	const char *const argv[] = { "tar",
				     "--force-local",
				     "--numeric-owner",
				     "--no-same-owner",
				     "--wildcards",
				     transform,
				     "-C",
				     importing->scratch,
				     what,
				     from,
				     map,
				     files,
				     NULL };
	int rc = program_start(argv, true, &tar);

	if (rc)
		return err_set(err, -rc, "tar: %s", strerror(-rc));
	while (!why && fgets(line, sizeof(line), tar.out))
		if (!strncmp(line, "tar: ", 5) && !last[0])
			snprintf(last, sizeof(last), "%.*s", (int)strcspn(line, "\n"), line);
		else
			why = take_member(&members, line);
	if (why || ferror(tar.out)) /* end tar by a signal: the rest of its output is not needed */
		kill(tar.pid, SIGTERM);
	if (!program_end(&tar) && !why)
		return 0;
	if (why)
		return err_set(err, EINVAL, "%s: %s: %.*s", from, why, (int)strcspn(line, "\n"),
			       line);
	return err_set(err, EINVAL, "%s: not an archive of event files: %s", from,
		       last[0] ? last : "tar was interrupted");
}

/* Import the tree in the scratch folder. @from  its origin, for messages */
static int from_scratch(struct importing *importing, const char *from, struct err *err)
{
	char path[PATH_MAX], name[PATH_MAX];
	int rc = import_tree(&importing->import, importing->scratch, importing->to, err);

	snprintf(path, sizeof(path), "%s/", importing->scratch);
	snprintf(name, sizeof(name), "%s: ", from);
	return rename_source(rc, err, path, name);
}

static int from_list(struct importing *importing, const char *path, const char *name,
		     struct err *err)
{
	int rc = import_perf_list(&importing->import, path, importing->scratch, err);

	if (rc && strstr(err->text, "$: not an array"))
		return err_set(
			err, EINVAL,
			"%s: not the output of perf list -j; for files of Intel's perfmon or Arm's "
			"telemetry-solution, give the folder that contains all of them",
			name);
	return rc ? rename_source(rc, err, path, name) : from_scratch(importing, name, err);
}

static int from_perf(struct importing *importing, struct err *err)
{
	static const char *const argv[] = { "perf", "list", "-j", "pmu", "metric", NULL };
	struct program perf;
	char version[64], path[32];

	if (!perf_version(version, sizeof(version)))
		return err_set(err, ENOENT, "perf is not installed: " FROM_A_TREE);
	if (!perf_lists_json(version))
		return err_set(
			err, ENOENT,
			"perf %s cannot list its events as JSON, 6.3 and later can: " FROM_A_TREE,
			version);

	int rc = program_start(argv, false, &perf);

	if (rc)
		return err_set(err, -rc, "perf: %s", strerror(-rc));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(perf.out));
	rc = from_list(importing, path, "perf list -j", err);
	if (rc) /* as for tar */
		kill(perf.pid, SIGTERM);
	program_end(&perf);
	if (rc == -ENOENT)
		err_set(err, ENOENT, "perf %s knows no events of %s: " FROM_A_TREE, version,
			importing->cpu[0].id);
	return rc;
}

/* Detect whether a file is a list in JSON: it begins with a bracket, unlike archives. A pipe, which
 * can be read only once, counts as a list. */
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

/* Vendors' formats of event data, and the commands that convert them. */
static const struct vendor_format {
	const char *sign, *what, *convert;
} vendor_formats[] = {
	{ "scripts/create_perf_json.py", "Intel's perfmon",
	  "cd FROM/scripts; ./create_perf_json.py --outdir DIR/x86" },
	{ "tools/perf_json_generator/generate.py", "Arm's telemetry-solution",
	  "FROM/tools/perf_json_generator/generate.py LINUX/tools/perf --telemetry-files "
	  "FROM/data/pmu/cpu/MODEL.json:MODEL" },
	{ "pmu/common_armv8.json", "ARM-software/data",
	  "tools/perf_json_generator/generate.py of Arm's telemetry-solution" },
};

/* Refuse a vendor's format. @return 0, or -EINVAL with the command that converts it */
static int refuse_vendor(const char *from, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(vendor_formats); i++) {
		const struct vendor_format *format = &vendor_formats[i];
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", from, format->sign);
		if (!access(path, F_OK))
			return err_set(err, EINVAL,
				       "%s: %s has its own format. Convert it (%s), then import "
				       "the result",
				       from, format->what, format->convert);
	}
	return 0;
}

static int from_any(struct importing *importing, const char *from, struct err *err)
{
	char tree[PATH_MAX];
	struct stat st;
	bool is_json = false;
	int rc;

	if (from && strcmp(from, "-") != 0 && !stat(from, &st) && S_ISDIR(st.st_mode)) {
		rc = refuse_vendor(from, err);
		if (!rc)
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
	if (is_json)
		return from_list(importing, from, from, err);
	rc = run_tar(importing, "-tvf", from, err);
	if (!rc)
		rc = run_tar(importing, "-xvvf", from, err);
	return rc ? rc : from_scratch(importing, from, err);
}

static bool is_reported_before(const struct importing *importing, unsigned cpu)
{
	for (unsigned i = 0; i < cpu; i++)
		if (!strcmp(importing->cpu[i].id, importing->cpu[cpu].id))
			return true;
	return false;
}

static void events_tell(const struct importing *importing)
{
	for (unsigned i = 0; i < importing->import.n_cpus; i++) {
		const struct import_cpu *cpu = &importing->cpu[i];

		if (is_reported_before(importing, i))
			continue;
		if (!cpu->folder[0]) {
			printf("%s: no events for this model\n", cpu->id);
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

/* Find the CPUs without a catalogue: files of an earlier import must not interfere. */
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

/* Interrupt again each second: the first signal may come just before a read. */
static void interrupt(int number)
{
	(void)number;
	alarm(1);
}

/* Let signals interrupt reads with EINTR; the scratch folder is then removed as after any other error. */
static void take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &(struct sigaction){ .sa_handler = interrupt }, NULL);
}

static int import(const char *from, struct err *err)
{
	static struct importing state; /* large */
	struct importing *importing = &state;
	struct machine machine = { 0 };
	int rc = find_cpus(importing, &machine, err);

	take_signals();
	umask(022); /* files readable by all users */
	if (!rc)
		rc = from_any(importing, from, err);
	if (!rc)
		events_tell(importing);
	if (importing->scratch[0])
		import_remove(importing->scratch);
	machine_fini(&machine);
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
