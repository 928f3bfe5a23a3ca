/* m1top doctor: what this machine can count, what is missing, and the command that fixes it. */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "activity/activity.h"
#include "base/num.h"
#include "cmd/config/config.h"
#include "cmd/doctor/doctor.h"
#include "cmd/shared/program.h"
#include "cmd/shared/setup.h"
#include "backend/perf/perf.h"
#include "machine/stream.h"
#include "machine/sysfs.h"

void doctor_say(const char *mark, const char *fmt, ...)
{
	va_list args;

	printf("  %-3s", mark);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void cpus_of(const struct machine *machine, unsigned type, char *buf, size_t size)
{
	struct cpus cpus = { 0 };

	for (unsigned i = 0; i < machine->n_cores; i++) {
		if (machine->core[i].type == type)
			cpus_add(&cpus, machine->core[i].cpu);
	}
	cpus_format(&cpus, buf, size);
}

static const char *fixed_text(const struct core_type *type, char *buf, size_t size)
{
	buf[0] = '\0';
	if (type->n_fixed)
		snprintf(buf, size, ", %u of them fixed: for one event each", type->n_fixed);
	return buf;
}

static void tell_types(const struct machine *machine)
{
	char cpus[128], fixed[64];

	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct core_type *type = &machine->type[i];

		cpus_of(machine, i, cpus, sizeof(cpus));
		if (!type->pmu)
			NONE("cores of type %s: cpu %s, the kernel shows no hardware counters",
			     type->name, cpus);
		else if (!type->n_counters)
			PROBLEM("cores of type %s: cpu %s, %s: no counter could be opened",
				type->name, cpus, type->pmu->name);
		else
			OK("cores of type %s: cpu %s, %s, %u hardware counters%s", type->name, cpus,
			   type->pmu->name, type->n_counters,
			   fixed_text(type, fixed, sizeof(fixed)));
	}
}

static void tell_machine(const struct machine *machine)
{
	struct utsname name;

	printf("Machine\n");
	OK("%s%s", machine->model, machine->simulated ? " (SIMULATED)" : "");
	OK("%u cores in %u cluster%s, processor %s", machine->n_cores, machine->n_clusters,
	   machine->n_clusters == 1 ? "" : "s", *machine->cpuid ? machine->cpuid : "unknown");
	tell_types(machine);
	if (!uname(&name))
		OK("kernel %s %s %s", name.sysname, name.release, name.machine);
}

static void tell_pmus(const struct machine *machine)
{
	bool has_streams = false;
	char cpus[128];

	printf("PMUs\n");
	for (size_t i = 0; i < machine->pmus.n; i++) {
		const struct pmu *pmu = &machine->pmus.pmu[i];

		const char *why_not = stream_refusal(pmu);

		if (pmu->kind == PMU_ACTIVITY)
			continue; /* not the kernel's: see tell_activity */
		cpus_format(&pmu->cpus, cpus, sizeof(cpus));
		doctor_say(why_not ? "-" : "ok", "%s: %s, type %" PRIu32 ", cpu %s%s%s", pmu->name,
			   pmu_kind_name(pmu->kind), pmu->type, cpus, why_not ? ": " : "",
			   why_not ? why_not : "");
		has_streams |= stream_can_filter(pmu) && !why_not;
	}
	if (has_streams && machine->lacks_secure)
		OK("smmuv3_pmcg: all streams are Non-secure: this system has no Secure state "
		   "(EL3)");
	if (!machine->pmus.n)
		NONE("none");
}

static void tell_problems(const struct config *config)
{
	const char *line = config->problems.bytes;

	for (; line && *line; line += strcspn(line, "\n") + 1)
		PROBLEM("%.*s", (int)strcspn(line, "\n"), line);
}

static void tell_file(struct config *config, const struct options *options)
{
	struct options with = *options;

	config_apply(config, VERB_LIVE, &with);
	if (!*config->path)
		NONE("no home folder is known: use --config FILE");
	else if (!config->exists)
		NONE("%s does not exist; key W on the screen writes it", config->path);
	else if (!config->n_problems)
		OK("%s", config->path);
	tell_problems(config);
	options_fini_copy(&with, options);
}

static void tell_config(const struct options *options)
{
	struct config *config = malloc(sizeof(*config));
	struct err err = { "" };

	printf("Configuration\n");
	if (!config)
		return;
	if (config_open(options, config, &err) < 0)
		PROBLEM("%s", err.text);
	else
		tell_file(config, options);
	config_close(config);
	free(config);
}

/* The next CPUs of a type that lack what it counts by, all for the same reason. @told  grows */
static void find_lacking(const struct machine *machine, unsigned type, struct cpus *told,
			 struct cpus *ret, struct err *ret_why)
{
	for (unsigned i = 0; i < machine->n_cores; i++) {
		const struct core *core = &machine->core[i];
		struct err why = { "" };

		if (core->type != type || cpus_has(told, core->cpu) ||
		    !activity_ask_core(machine, i, &why))
			continue;
		if (!cpus_count(ret))
			*ret_why = why;
		if (strcmp(why.text, ret_why->text) != 0)
			continue;
		cpus_add(ret, core->cpu);
		cpus_add(told, core->cpu);
	}
}

static void tell_lacking(const struct machine *machine, unsigned type, const char *path)
{
	struct cpus told = { 0 }, cpus;
	char list[128];
	struct err why;

	do {
		cpus = (struct cpus){ 0 };
		find_lacking(machine, type, &told, &cpus, &why);
		if (cpus_count(&cpus))
			NONE("type %s: %s: not on cpu %s: %s", machine->type[type].name, path,
			     cpus_format(&cpus, list, sizeof(list)), why.text);
	} while (cpus_count(&cpus));
}

/* @return false: the path is used, or there are no more */
static bool tell_path(const struct machine *machine, unsigned type, unsigned n)
{
	const char *of = machine->type[type].name, *name, *what;
	struct err why = { "" };
	int rc = activity_ask(machine, type, n, &name, &what, &why);

	/* a better path that is shut is nothing wrong while a lesser one serves */
	bool is_served = activity_path_name(machine, type);

	if (!rc) {
		OK("type %s: %s: %s", of, name, what);
		tell_lacking(machine, type, name);
	} else if (rc == -ENODEV || (rc != -ENOENT && is_served))
		NONE("type %s: %s: %s", of, name, why.text);
	else if (rc != -ENOENT)
		PROBLEM("type %s: %s: %s", of, name, why.text);
	return rc && rc != -ENOENT;
}

static void tell_activity(const struct machine *machine)
{
	printf("Frequency and utilisation\n");
	if (!machine->activity)
		NONE("nothing on this machine reports how long a core was idle");
	for (unsigned type = 0; type < machine->n_types; type++) {
		for (unsigned n = 0; tell_path(machine, type, n); n++)
			;
	}
}

static void tell_backends(const struct options *options, const struct backend *used)
{
	const struct backend_config config = { .events_dir = options->events_dir };

	printf("Backends\n");
	for (size_t i = 0; backend_table[i]; i++) {
		const struct backend_ops *ops = backend_table[i];
		struct err why = { "" };
		int rc = ops->probe(&config, &why);
		bool is_used = used && used->ops == ops;

		if (rc)
			doctor_say(rc == -ENODEV ? "-" : "!", "%s: %s", ops->name, why.text);
		else
			doctor_say(is_used ? "ok" : "-", "%s: %s%s", ops->name, ops->what,
				   is_used ? ", in use" : "");
	}
	if (used && *used->note.text)
		NONE("%s", used->note.text);
}

static void tell_files(const struct machine *machine)
{
	uint64_t need = backend_files_needed(machine->n_cores);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_max >= need)
		OK("open files: %" PRIu64 " allowed, %" PRIu64 " are enough for every event",
		   (uint64_t)limit.rlim_max, need);
	else
		PROBLEM("open files: %" PRIu64 " allowed, %" PRIu64
			" may be needed: sudo prlimit --pid $$ --nofile=%" PRIu64,
			(uint64_t)limit.rlim_max, need, need);
}

static void tell_watchdog(const struct machine *machine)
{
	bool has_counters = false;

	/* counters that are ours by the slot are not the kernel's to take */
	for (unsigned i = 0; i < machine->n_types; i++)
		has_counters |= machine->type[i].pmu && !machine->type[i].slot_is_counter;
	if (has_counters && perf_watchdog_holds(""))
		PROBLEM("the NMI watchdog holds one counter of every core; to free it: sudo sysctl "
			"kernel.nmi_watchdog=0");
}

static void tell_holders(struct backend *backend, bool sees_all)
{
	char holders[512];

	if (!backend->ops->holders)
		return;
	backend->ops->holders(backend, holders, sizeof(holders));
	if (*holders)
		PROBLEM("other users of counters: %s%s", holders,
			sees_all ? " (stop them, or count fewer events)" : "");
	else
		OK("no other users of counters%s",
		   sees_all ? "" : ", as far as this user can see: sudo m1top doctor sees all");
}

/* The one line that gets a model's event files, by what there is on this machine. */
static void import_line(char *buf, size_t size)
{
	char version[64];
	glob_t tars = { 0 };

	if (perf_version(version, sizeof(version)) && perf_lists_json(version))
		snprintf(buf, size, "m1top events import");
	else if (!glob("/usr/src/linux-source-*.tar.*", 0, NULL, &tars))
		snprintf(buf, size, "m1top events import %s", tars.gl_pathv[tars.gl_pathc - 1]);
	else if (!access("/usr/bin/apt-get", X_OK))
		snprintf(buf, size,
			 "sudo apt-get install linux-source && "
			 "m1top events import /usr/src/linux-source-*.tar.xz");
	else
		snprintf(buf, size,
			 "m1top events import FROM, which is Linux's source or a tar of it");
	globfree(&tars);
}

static void tell_missing(const struct machine *machine, unsigned type)
{
	char cpuid[64], line[PATH_MAX];

	if (!machine_lacks_files(machine, type))
		return;
	machine_cpuid(machine, type, cpuid, sizeof(cpuid));
	import_line(line, sizeof(line));
	doctor_say(machine->type[type].pmu ? "!" : "-",
		   "type %s: no event files of this model, %s; to get them: %s",
		   machine->type[type].name, cpuid, line);
}

static void tell_events(const struct options *options, const struct machine *machine)
{
	const char *folder = getenv("M1TOP_EVENTS");
	/* with either, nothing is read of what was imported */
	bool has_folder = options->events_dir || (folder && *folder);
	char dir[PATH_MAX];
	struct err err = { "" };

	printf("Event data\n");
	if (catalog_find_dir(options->events_dir, dir, sizeof(dir), &err)) {
		PROBLEM("%s", err.text);
		return;
	}
	OK("folder %s", dir);
	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct catalog *catalog = machine->type[i].catalog;
		bool is_known = catalog->cpu && *catalog->cpu;

		doctor_say(is_known ? "ok" : "-",
			   "type %s: %s, %zu events, %zu metrics, %zu presets",
			   machine->type[i].name, is_known ? catalog->cpu : "generic events only",
			   catalog->n_events, catalog->n_metrics, catalog->n_presets);
		if (strcmp(catalog->dir, dir) != 0)
			OK("type %s: imported: %s", machine->type[i].name, catalog->dir);
		if (!has_folder)
			tell_missing(machine, i);
	}
}

/* The machine even where nothing may be counted: perf builds it without opening a counter. */
static int open_any(const struct options *options, struct backend **ret, struct err *err)
{
	struct options perf = *options;

	if (*options->backend)
		return -ENODEV;
	snprintf(perf.backend, sizeof(perf.backend), "perf");
	return setup_backend(&perf, ret, err);
}

static void tell_all(const struct options *options, struct backend *shown,
		     const struct backend *used)
{
	if (shown) {
		tell_machine(&shown->machine);
		tell_pmus(&shown->machine);
	}
	if (shown)
		tell_activity(&shown->machine);
	tell_backends(options, used);
	if (shown && doctor_is_apple(&shown->machine))
		doctor_apple(&shown->machine);

	bool sees_all = doctor_rights();

	if (!shown)
		return;
	tell_files(&shown->machine);
	tell_watchdog(&shown->machine);
	tell_holders(shown, sees_all);
	tell_events(options, &shown->machine);
}

int doctor_run(const struct options *options)
{
	struct backend *shown = NULL;
	struct err err = { "" };

	if (options->selfcheck)
		return doctor_selfcheck(options);

	int rc = setup_backend(options, &shown, &err);
	bool usable = !rc;

	if (!usable)
		open_any(options, &shown, NULL);
	printf("m1top %s\n", M1TOP_VERSION);
	tell_config(options);
	tell_all(options, shown, usable ? shown : NULL);
	if (!usable)
		fprintf(stderr, "m1top: %s\n", err.text);
	backend_close(shown);
	return options_exit_status(rc);
}
