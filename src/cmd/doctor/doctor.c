/* m1top doctor: reports what this machine can count, what is missing, and the command that fixes it. */
#include "cmd/doctor/doctor.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/invoker.h"
#include "base/num.h"
#include "sampler/sampler.h"
#include "base/rights.h"
#include "base/text.h"
#include "cmd/options/config.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/program.h"
#include "cmd/shared/setup.h"
#include "pmu/activity.h"
#include "pmu/backend.h"
#include "pmu/event.h"
#include "pmu/sensors.h"
#include "symbols/symbols.h"

/* The lines: text is printed at once, JSON at the end. */
static struct {
	bool is_json;
	const char *section;
	struct listing lines;
} report = { .lines = { .heading = { "section", "status", "text" }, .n_columns = 3 } };

static void doctor_section(const char *heading)
{
	report.section = heading;
	if (!report.is_json)
		printf("%s\n", heading);
}

/* Apple silicon: the kernel's driver, the module m1pmu, and access from user space. */

#define BLACKLIST "initcall_blacklist=m1_pmu_driver_init"
#define MODULE    "/sys/module/m1pmu/"

static void tell_parts(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++) {
		uint64_t midr = machine->core[machine_first_core(machine, t)].midr;

		OK("type %s: MIDR %#" PRIx64 ", part %#" PRIx64 ", counters of %u bits",
		   machine->type[t].name, midr, midr >> 4 & 0xfff, machine->type[t].width);
	}
}

/* ---- the kernel's own driver ---- */

static int online_cpu_of(const struct pmu *pmu)
{
	struct cpus online;

	if (sysfs_online("", &online, NULL))
		return -1;
	cpus_each(&pmu->cpus, cpu)
		if (cpus_has(&online, (unsigned)cpu))
			return cpu;
	return -1;
}

static void tell_driver_of(const struct pmu *pmu)
{
	struct driver_trait trait[DRIVER_TRAITS];
	int cpu = online_cpu_of(pmu);

	if (cpu < 0) {
		NONE("%s: none of its cores is online", pmu->name);
		return;
	}
	OK("%s: the kernel's driver owns it: use m1top --backend perf", pmu->name);
	driver_traits(pmu, (unsigned)cpu, trait);
	for (unsigned i = 0; i < DRIVER_TRAITS; i++)
		doctor_say(trait[i].code ? "-" : "ok", "  %s: %s; %s", trait[i].what,
			   trait[i].code ? strerror(trait[i].code) : "yes", trait[i].means);
}

/* Whether the kernel's driver is disabled. Reads the whole command line: it may be long. */
static bool is_blacklisted(void)
{
	char line[4096];

	return sysfs_read("", "/proc/cmdline", line, sizeof(line)) > 0 && strstr(line, BLACKLIST);
}

/* Report the kernel's driver. @return whether it has the PMU */
static bool tell_driver(void)
{
	struct pmus pmus = { 0 };
	unsigned n = 0;

	if (!sysfs_pmus("", &pmus, NULL)) {
		for (size_t i = 0; i < pmus.n; i++) {
			if (fnmatch("apple_*_pmu", pmus.pmu[i].name, 0) == 0) {
				tell_driver_of(&pmus.pmu[i]);
				n++;
			}
		}
	}
	if (!n)
		NONE("the kernel's driver has no Apple PMU: %s",
		     is_blacklisted() ? "disabled by " BLACKLIST
				      : "this kernel was built without CONFIG_APPLE_M1_CPU_PMU, "
					"or does not know this chip");
	pmus_fini(&pmus);
	return n > 0;
}

/* ---- the module ---- */

static void module_file(const char *name, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), MODULE "%s", name);
	if (sysfs_read("", path, buf, size) < 0)
		snprintf(buf, size, "?");
}

static void tell_module(bool has_driver)
{
	char state[32], amu[8], l2c_bit[8];

	if (sysfs_exists("", MODULE "initstate")) {
		module_file("initstate", state, sizeof(state));
		module_file("parameters/amu", amu, sizeof(amu));
		module_file("parameters/l2c_bit", l2c_bit, sizeof(l2c_bit));
		OK("module m1pmu: %s, amu=%s, l2c_bit=%s", state, amu, l2c_bit);
	} else {
		NONE("module m1pmu: not loaded: sudo modprobe m1pmu (to build it: docs/apple.md)");
	}
	if (has_driver)
		NONE("  it refuses to load beside the kernel's driver, which cannot be unbound: "
		     "for exact counters boot with " BLACKLIST);
}

/* ---- access from user space ---- */

/* Test access from user space by a read, which needs no module and no rights. */
static void tell_el0(const struct machine *machine)
{
	struct cpus open = { 0 };
	char list[128];

	if (apple_el0_cpus(machine, &open))
		return;
	if (cpus_count(&open))
		PROBLEM("PMCR0 bit 30 is set on cpu %s: every process can read and write their "
			"PMU (m1top --backend apple:el0, or another tool)",
			cpus_format(&open, list, sizeof(list)));
	else
		OK("PMCR0 bit 30 is clear: user space cannot touch the PMU");
}

/* Rights: events that may be counted here, and rights that m1top keeps while it counts. */

/* Since Linux 5.8; headers may be older. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";

static void tell_paranoid(bool may)
{
	char level[16] = "-1";

	sysfs_read("", paranoid_path, level, sizeof(level));
	if (!sysfs_exists("", "/proc/sys/kernel"))
		PROBLEM("/proc is not mounted: tasks have no names; to mount it: mount -t proc "
			"proc /proc");
	else if (!sysfs_exists("", paranoid_path))
		PROBLEM("the kernel has no perf events: it needs CONFIG_PERF_EVENTS");
	else if (may)
		OK("perf_event_paranoid is %s: this user may count the whole machine", level);
	else
		PROBLEM("perf_event_paranoid is %s: the whole machine cannot be counted; for the "
			"reason see perf above",
			level);
}

static void tell_real_time(void)
{
	const char *fixed = rights_why_no_more();
	char self[512];

	if (sampler_may_real_time())
		OK("real time: reads of the counters come before ordinary programs (SCHED_FIFO)");
	else if (fixed)
		NONE("real time: a busy machine delays reads: cap_sys_nice no, and sudo and setcap "
		     "change nothing %s; for a container: docker run --cap-add SYS_NICE ...",
		     fixed);
	else
		NONE("real time: a busy machine delays reads: cap_sys_nice no; sudo setcap "
		     "cap_perfmon,cap_sys_nice+ep %s",
		     file_self(self, sizeof(self)));
}

static void tell_cgroups(void)
{
	struct err why = { "" };

	if (perf_cgroups_check("", &why))
		NONE("%s", why.text);
	else
		OK("tasks can be counted by cgroup: m1top stat --by cgroup");
}

static bool is_m1top(const char *pid)
{
	char name[32];

	return sysfs_process_name(pid, name, sizeof(name)) > 0 && strcmp(name, "m1top") == 0;
}

static void tell_one(pid_t pid)
{
	struct rights_held held;
	char caps[160];

	if (rights_of(pid, &held))
		return;
	doctor_say("-", "m1top (%d) runs as user %u with %s%s", (int)pid, held.uid,
		   rights_text(held.permitted, caps, sizeof(caps)),
		   held.no_new_privs ? ", no_new_privs" : "");
}

static void tell_running(void)
{
	AUTO_ENTRIES struct entries list = sysfs_list("", "/proc");
	uint64_t pid;

	for (int i = 0; i < list.n; i++)
		if (!num_parse_u64(list.entry[i]->d_name, &pid) && (pid_t)pid != getpid() &&
		    is_m1top(list.entry[i]->d_name))
			tell_one((pid_t)pid);
}

/* Report the rights of this user and of a counting m1top. Drops rights that doctor does not need
 * any more. @return whether it can see the open files of other users' processes */
static bool doctor_rights(void)
{
	const uint64_t perfmon = UINT64_C(1) << CAP_PERFMON, admin = UINT64_C(1) << CAP_SYS_ADMIN,
		       ptrace = UINT64_C(1) << CAP_SYS_PTRACE;
	struct rights_held held = { 0 };
	struct err err = { "" };
	char why[256];

	doctor_section("Rights");
	bool may = !backend_perf.probe(&(struct backend_config){ 0 }, NULL);
	bool is_known = !rights_of(0, &held), has = held.effective & (perfmon | admin);

	if (is_known)
		doctor_say(has && may ? "ok" : "-",
			   "capabilities: cap_perfmon %s, cap_sys_admin %s%s",
			   held.effective & perfmon ? "yes" : "no",
			   held.effective & admin ? "yes" : "no",
			   has && !may ? ": without effect here" : "");
	tell_paranoid(may);
	tell_real_time();
	if (may && symbols_kernel_is_hidden(why, sizeof(why)))
		PROBLEM("functions of the kernel have no names: %s", why);
	if (may)
		tell_cgroups();
	if (held.permitted)
		OK("m1top drops all other capabilities once it counts, and runs as user %u%s",
		   invoker_uid(),
		   invoker_uid() ? ""
				 : "; its screen keeps cap_sys_nice and cap_kill, in effect only "
				   "while a key of Task acts");
	tell_running();
	if (rights_keep(RIGHT_LOOK, &err))
		PROBLEM("%s", err.text);
	return held.effective & ptrace;
}

void doctor_say(const char *mark, const char *fmt, ...)
{
	const char *status = *mark == '-' ? "absent" : *mark == '!' ? "problem" : mark, *text;
	AUTO_TEXT struct text line = { 0 };
	va_list args;

	va_start(args, fmt);
	text_vprintf(&line, fmt, args);
	va_end(args);
	text = line.failed ? "" : line.bytes;
	if (report.is_json)
		LISTING_ADD(&report.lines, report.section, status, text + strspn(text, " "));
	else
		printf("  %-3s%s\n", mark, text);
}

static void cpus_of(const struct machine *machine, unsigned type, char *buf, size_t size)
{
	struct cpus cpus = { 0 };

	for (unsigned i = 0; i < machine->n_cores; i++)
		if (machine->core[i].type == type)
			cpus_add(&cpus, machine->core[i].cpu);
	cpus_format(&cpus, buf, size);
}

static void tell_types(const struct machine *machine)
{
	char cpus[128], fixed[64];

	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct core_type *type = &machine->type[i];

		cpus_of(machine, i, cpus, sizeof(cpus));
		fixed[0] = '\0';
		if (type->n_fixed)
			snprintf(fixed, sizeof(fixed), ", %u of them fixed: for one event each",
				 type->n_fixed);

		if (!type->pmu)
			NONE("cores of type %s: cpu %s, the kernel shows no hardware counters",
			     type->name, cpus);
		else if (!type->n_counters)
			PROBLEM("cores of type %s: cpu %s, %s: no counter could be opened",
				type->name, cpus, type->pmu->name);
		else
			OK("cores of type %s: cpu %s, %s, %u hardware counters%s", type->name, cpus,
			   type->pmu->name, type->n_counters, fixed);
	}
}

static void tell_lines(const char *mark, const char *line)
{
	for (; line && *line; line += strcspn(line, "\n") + 1)
		doctor_say(mark, "%.*s", (int)strcspn(line, "\n"), line);
}

static void tell_machine(const struct machine *machine)
{
	struct utsname name;

	doctor_section("Machine");
	OK("%s%s", machine->model, machine->simulated ? " (SIMULATED)" : "");
	OK("%u cores in %u cluster%s, processor %s", machine->n_cores, machine->n_clusters,
	   machine->n_clusters == 1 ? "" : "s", *machine->cpuid ? machine->cpuid : "unknown");
	tell_types(machine);
	tell_lines("-", machine->cpu_notes);
	if (!uname(&name))
		OK("kernel %s %s %s", name.sysname, name.release, name.machine);
}

static void tell_pmus(const struct machine *machine)
{
	bool has_streams = false;
	char cpus[128];

	doctor_section("PMUs");
	for (size_t i = 0; i < machine->pmus.n; i++) {
		const struct pmu *pmu = &machine->pmus.pmu[i];

		const char *why_not = stream_refusal(pmu);

		if (pmu->kind == PMU_ACTIVITY)
			continue; /* not a PMU of the kernel: see tell_activity */
		cpus_format(&pmu->cpus, cpus, sizeof(cpus));
		doctor_say(why_not ? "-" : "ok", "%s: %s, type %" PRIu32 ", cpu %s%s%s", pmu->name,
			   pmu_kind_name[pmu->kind], pmu->type, cpus, why_not ? ": " : "",
			   why_not ? why_not : "");
		has_streams |= stream_can_filter(pmu) && !why_not;
	}
	if (has_streams && machine->lacks_secure)
		OK("smmuv3_pmcg: all streams are Non-secure: this system has no Secure state "
		   "(EL3)");
	if (!machine->pmus.n)
		NONE("none");
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
	tell_lines("!", config->problems.bytes);
	options_fini_copy(&with, options);
}

static void tell_config(const struct options *options)
{
	static struct config config; /* large */
	struct err err = { "" };

	doctor_section("Configuration");
	if (config_open(options, &config, &err) < 0)
		PROBLEM("%s", err.text);
	else
		tell_file(&config, options);
	config_close(&config);
}

/* Find the next CPUs of a type without its activity source, all for the same reason. @reported  extended */
static void find_lacking(const struct machine *machine, unsigned type, struct cpus *reported,
			 struct cpus *ret, struct err *ret_why)
{
	for (unsigned i = 0; i < machine->n_cores; i++) {
		const struct core *core = &machine->core[i];
		struct err why = { "" };

		if (core->type != type || cpus_has(reported, core->cpu) ||
		    !activity_probe_path_core(machine, i, &why))
			continue;
		if (!cpus_count(ret))
			*ret_why = why;
		if (strcmp(why.text, ret_why->text) != 0)
			continue;
		cpus_add(ret, core->cpu);
		cpus_add(reported, core->cpu);
	}
}

static void tell_lacking(const struct machine *machine, unsigned type, const char *path)
{
	struct cpus reported = { 0 }, cpus;
	char list[128];
	struct err why;

	do {
		cpus = (struct cpus){ 0 };
		find_lacking(machine, type, &reported, &cpus, &why);
		if (cpus_count(&cpus))
			NONE("type %s: %s: not on cpu %s: %s", machine->type[type].name, path,
			     cpus_format(&cpus, list, sizeof(list)), why.text);
	} while (cpus_count(&cpus));
}

/* Report one path to activity counts. @return false: the path is in use, or there are no more */
static bool tell_path(const struct machine *machine, unsigned type, unsigned n)
{
	const char *of = machine->type[type].name, *name, *what;
	struct err why = { "" };
	int rc = activity_probe_path(machine, type, n, &name, &what, &why);

	/* a better path that is unavailable is no problem while another one serves */
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
	doctor_section("Frequency and utilisation");
	if (!machine->activity)
		NONE("nothing on this machine reports how long a core was idle");
	for (unsigned type = 0; type < machine->n_types; type++)
		for (unsigned n = 0; tell_path(machine, type, n); n++)
			;
}

static void tell_sensors(struct machine *machine)
{
	unsigned n_of_chips;

	sensors_find(machine);
	n_of_chips = sensors_of_chips(machine->sensors);
	if (n_of_chips)
		OK("power, temperatures, fans: %u sensors", n_of_chips);
	else
		NONE("power, temperatures, fans: no hwmon chip%s",
		     strstr(M1TOP_WITHOUT, "sensors") ? ", or built without libsensors" : "");
	if (machine->sensors && machine->sensors->n > n_of_chips)
		OK("pressure: waiting for cpu, memory and io is read from "
		   "/proc/pressure");
	else
		NONE("pressure: /proc/pressure cannot be read: the kernel needs CONFIG_PSI, and "
		     "psi=1 "
		     "on its command line if that is off by default");
}

static void tell_backends(const struct options *options, const struct backend *used)
{
	const struct backend_config config = { .events_dir = options->events_dir };

	doctor_section("Backends");
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
	for (size_t i = 0; used && i < used->machine.pmus.n; i++)
		if (*used->machine.pmus.pmu[i].ignored.text)
			NONE("ignored: %s", used->machine.pmus.pmu[i].ignored.text);
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

	/* the kernel's watchdog does not take counters that m1top programs by slot */
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

/* Get the command that imports a model's event files, depending on what this machine has. */
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
	/* with either, imported files are not used */
	bool has_folder = options->events_dir || (folder && *folder);
	char dir[PATH_MAX];
	struct err err = { "" };

	doctor_section("Event data");
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

static void tell_all(const struct options *options, struct backend *shown,
		     const struct backend *used)
{
	if (shown) {
		tell_machine(&shown->machine);
		tell_pmus(&shown->machine);
		tell_activity(&shown->machine);
		if (!shown->machine.simulated)
			tell_sensors(&shown->machine);
	}
	tell_backends(options, used);
	if (shown && !shown->machine.simulated && machine_is_apple(&shown->machine)) {
		doctor_section("Apple PMU");
		tell_parts(&shown->machine);
		tell_module(tell_driver());
		tell_el0(&shown->machine);
	}

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

	if (!usable && !*options->backend) /* show the machine even if nothing may be counted */
		setup_perf(options, &shown, NULL);
	report.is_json = options->json;
	if (!report.is_json)
		printf("m1top %s\n", M1TOP_VERSION);
	tell_config(options);
	tell_all(options, shown, usable ? shown : NULL);
	if (report.lines.failed)
		rc = err_set(&err, ENOMEM, "out of memory");
	else if (report.is_json)
		listing_print_json(&report.lines);
	listing_fini(&report.lines);
	if (rc)
		fprintf(stderr, "m1top: %s\n", err.text);
	backend_close(shown);
	return options_exit_status(rc);
}
