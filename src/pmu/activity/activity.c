#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "pmu/activity.h"
#include "pmu/activity/path.h"
#include "pmu/machine.h"
#include "pmu/sensors.h"

/* Kernel's average frequency over its last tick (Linux 6.15), multiplied by the active time. */

#define CPUFREQ_FILE "cpufreq/cpuinfo_avg_freq"

/* @ret_khz  0: idle  @return 0 or -errno */
static int read_khz(const struct activity_core *core, uint64_t *ret_khz)
{
	char text[32];
	ssize_t n = core->place.io->pread(core->fd, text, sizeof(text) - 1, 0);

	/* the CPU had no recent tick and was idle
	 * Source: Linux drivers/cpufreq/cpufreq.c, arch/arm64/kernel/topology.c */
	if (n < 0 && (errno == EAGAIN || errno == EOPNOTSUPP)) {
		*ret_khz = 0;
		return 0;
	}
	if (n <= 0)
		return n ? -errno : -EIO;
	if (text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return num_parse_u64(text, ret_khz);
}

static int cpufreq_open_core(struct activity_core *core, struct err *err)
{
	char path[128];
	uint64_t khz;
	int rc = read_khz(core, &khz);

	if (rc)
		return err_set(err, -rc, "%s: %s",
			       activity_file(core->place.cpu, CPUFREQ_FILE, path, sizeof(path)),
			       rc == -EINVAL ? "not a frequency in kHz" : strerror(-rc));
	return idle_open(&core->place, &core->idle, err);
}

static enum raw_state cpufreq_read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns, khz = 0;
	enum raw_state state = idle_count(core, window_ns, &active_ns);

	if (state != RAW_OK)
		return state;
	if (read_khz(core, &khz) || (double)khz > 1e3 * ACTIVITY_MHZ_MAX)
		return RAW_LOST;
	core->value[ACTIVITY_CYCLES] += (uint64_t)((double)khz * (double)active_ns * 1e-6);
	return RAW_OK;
}

const struct activity_path activity_cpufreq = {
	.name = "cpufreq",
	.what = "cpuinfo_avg_freq, the kernel's average over its last tick, times the active time",
	.is_estimate = true,
	.file = CPUFREQ_FILE,
	.whose = "Linux 6.15 and later have it if counters measure the frequency",
	.events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME),
	.open = cpufreq_open_core,
	.read = cpufreq_read_core,
};

/* ACPI's feedback counters (CPPC): delivered performance against a reference. */

#define FOLDER    "acpi_cppc/"
#define FILE_NAME FOLDER "feedback_ctrs"

/* Parse "ref:123" at *at and advance past it. */
static bool activity_take(const char **at, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	char *end;

	if (strncmp(*at, name, n) != 0 || !isdigit((unsigned char)(*at)[n]))
		return false;
	*ret = strtoull(*at + n, &end, 10);
	*at = end;
	return true;
}

/* Parse "ref:123 del:456". Source: Linux drivers/acpi/cppc_acpi.c */
static int activity_parse(const char *text, uint64_t *ret_ref, uint64_t *ret_del)
{
	uint64_t ref, del;

	if (!activity_take(&text, "ref:", &ref) || !activity_take(&text, " del:", &del) ||
	    text[strspn(text, "\n")])
		return -EINVAL;
	*ret_ref = ref;
	*ret_del = del;
	return 0;
}

/* @return 0; -EAGAIN idle; -errno */
static int read_counters(const struct activity_core *core, uint64_t *ret_ref, uint64_t *ret_del)
{
	char text[64];
	ssize_t n = core->place.io->pread(core->fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return errno == EOPNOTSUPP ? -EAGAIN : -errno;
	text[n] = '\0';
	return activity_parse(text, ret_ref, ret_del);
}

static int read_scale(const struct activity_place *place, struct activity_cppc *ret,
		      struct err *err)
{
	const char *root = place->root;
	int rc = sysfs_cpu_number(root, place->cpu, FOLDER "reference_perf", &ret->reference_perf,
				  err);

	if (!rc)
		rc = sysfs_cpu_number(root, place->cpu, FOLDER "nominal_perf", &ret->nominal_perf,
				      err);
	if (!rc)
		rc = sysfs_cpu_number(root, place->cpu, FOLDER "nominal_freq", &ret->nominal_mhz,
				      err);
	if (rc)
		return rc;
	if (!ret->reference_perf || !ret->nominal_perf || !ret->nominal_mhz)
		return err_set(err, ENODATA,
			       "cpu%u/" FOLDER
			       ": the firmware does not give nominal performance in MHz",
			       place->cpu);
	/* firmware that did not set it has all ones. Source: include/acpi/cppc_acpi.h */
	if (sysfs_cpu_number(root, place->cpu, FOLDER "wraparound_time", &ret->wraparound_s,
			     NULL) ||
	    ret->wraparound_s == UINT64_MAX || ret->wraparound_s == UINT32_MAX)
		ret->wraparound_s = 0;
	return 0;
}

static int first_read(struct activity_core *core, struct err *err)
{
	char path[128];
	int rc = read_counters(core, &core->cppc.ref, &core->cppc.del);

	if (rc == -EAGAIN)
		return 0;
	activity_file(core->place.cpu, FILE_NAME, path, sizeof(path));
	if (rc)
		return err_set(err, -rc, "%s: %s", path,
			       rc == -EINVAL ? "not \"ref:N del:N\"" : strerror(-rc));
	core->cppc.is_known = true;
	if (!core->cppc.ref && !core->cppc.del)
		return err_set(err, ENODATA,
			       "%s: the counters are 0: firmware has not enabled them", path);
	return 0;
}

static int activity_open_core(struct activity_core *core, struct err *err)
{
	int rc = read_scale(&core->place, &core->cppc, err);

	if (!rc)
		rc = first_read(core, err);
	return rc ? rc : idle_open(&core->place, &core->idle, err);
}

/* Return the increment of a register of unknown width, 32 or 64 bits: one below 2^32 may have
 * wrapped there.
 * Source: Linux drivers/cpufreq/cppc_cpufreq.c */
static uint64_t gain(uint64_t before, uint64_t after)
{
	return after >= before || before > UINT32_MAX ? after - before : (uint32_t)(after - before);
}

static enum raw_state activity_count(struct activity_core *core, uint64_t window_ns,
				     uint64_t active_ns, uint64_t ref, uint64_t del)
{
	struct activity_cppc *cppc = &core->cppc;
	uint64_t more_ref = gain(cppc->ref, ref), more_del = gain(cppc->del, del);
	uint64_t most = (uint64_t)(ACTIVITY_MHZ_MAX * 1e-3) * (window_ns + NS_PER_S);
	bool was_known = cppc->is_known;

	cppc->ref = ref;
	cppc->del = del;
	cppc->is_known = true;
	if (!was_known || more_ref > most || more_del > most ||
	    (cppc->wraparound_s && window_ns / NS_PER_S >= cppc->wraparound_s))
		return RAW_RESTARTED;
	if (!more_ref)
		return RAW_OK;

	/* the ratio of the two counters; ACPI does not define the reference's tick rate, so the time
	 * comes from another source */
	double mhz = (double)cppc->reference_perf * (double)more_del / (double)more_ref *
		     (double)cppc->nominal_mhz / (double)cppc->nominal_perf;

	if (mhz > ACTIVITY_MHZ_MAX)
		return RAW_RESTARTED;
	core->value[ACTIVITY_CYCLES] += (uint64_t)(mhz * (double)active_ns * 1e-3);
	return RAW_OK;
}

static enum raw_state activity_read_core(struct activity_core *core, uint64_t window_ns)
{
	uint64_t active_ns, ref = 0, del = 0;
	enum raw_state state = idle_count(core, window_ns, &active_ns);

	if (state != RAW_OK)
		return state;

	int rc = read_counters(core, &ref, &del);

	if (rc == -EAGAIN)
		return RAW_OK;
	return rc ? RAW_LOST : activity_count(core, window_ns, active_ns, ref, del);
}

const struct activity_path activity_cppc = {
	.name = "cppc",
	.what = "ACPI's feedback counters, delivered against reference, times the active time",
	.file = FILE_NAME,
	.whose = "servers that boot with ACPI have it",
	.events = ACTIVITY_BIT(ACTIVITY_CYCLES) | ACTIVITY_BIT(ACTIVITY_TIME),
	.open = activity_open_core,
	.read = activity_read_core,
};

enum { AUX_MAX = ACTIVITY_RUN - ACTIVITY_AUX };

#define AUX_UNLIKE UINT64_MAX /* event types have 16 bits */

static const struct activity_path *const paths[] = {
	&activity_amu,
	&activity_cppc,
	&activity_cpufreq,
	&activity_idle,
};

/* Names, indexed by enum activity_event. "cycles" and "instructions" are the core PMU's. */
static const char *const names[] = {
	[ACTIVITY_CYCLES] = "active-cycles",
	[ACTIVITY_TIME] = "active-time",
	[ACTIVITY_INSTRUCTIONS] = "active-instructions",
	[ACTIVITY_STALL] = "memory-stall",
};

/* The same from ACTIVITY_RUN on. */
static const char *const time_names[] = { "run-time", "wait-time", "sleep-time", "throttled-time",
					  "limit-time" };

/* ---- choice of a path ---- */

static const struct activity_path *nth_path(const struct activity *activity, unsigned n)
{
	if (activity->given)
		return n ? NULL : activity->given;
	return n < ARRAY_SIZE(paths) ? paths[n] : NULL;
}

static struct activity_place activity_place_of(const struct activity *activity, unsigned cpu)
{
	return (struct activity_place){ .io = activity->io, .root = activity->root, .cpu = cpu };
}

/* Whether an error affects only that core. */
static bool is_of_core(int rc)
{
	return rc == -EOPNOTSUPP || rc == -ENXIO || rc == -ENODATA;
}

/* @ret  cpu and events are set if the path is usable */
static int probe_type(const struct activity *activity, const struct machine *machine, unsigned type,
		      const struct activity_path *path, struct activity_choice *ret,
		      struct err *err)
{
	/* an online CPU; offline ones have no files */
	unsigned cpu = activity->given ? machine->core[machine_first_core(machine, type)].cpu
				       : sysfs_cpu_of_type(activity->root, machine, type);
	struct activity_place place = activity_place_of(activity, cpu);
	int rc = activity_probe(path, &place, &ret->events, err);

	for (unsigned i = 0; path->is_by_core && is_of_core(rc) && i < machine->n_cores; i++) {
		place.cpu = machine->core[i].cpu;
		if (machine->core[i].type == type &&
		    !activity_probe(path, &place, &ret->events, NULL))
			rc = 0;
	}
	if (!rc)
		ret->cpu = place.cpu;
	return rc;
}

static void find_lacking(const struct activity *activity, const struct machine *machine,
			 unsigned type, struct activity_choice *choice)
{
	for (unsigned i = 0; choice->path->is_by_core && i < machine->n_cores; i++) {
		struct activity_place place = activity_place_of(activity, machine->core[i].cpu);
		uint32_t events;

		if (machine->core[i].type == type &&
		    is_of_core(activity_probe(choice->path, &place, &events, NULL)))
			cpus_add(&choice->lacking, place.cpu);
	}
}

/* Whether the kernel has the times of each thread. Without CONFIG_SCHED_INFO all are 0; with it the time of a thread that
 * has just started may be, but it has been started once. */
static bool has_schedstat(const struct activity *activity)
{
	char text[96];
	uint64_t n_runs;

	return !activity->given &&
	       sysfs_read(activity->root, "/proc/self/schedstat", text, sizeof(text)) > 0 &&
	       text_word_u64(text, 2, &n_runs) && n_runs;
}

/* Choose the best usable path. The best path's error is the refusal of other events, as only it
 * has more events. */
static void activity_choose(struct activity *activity, const struct machine *machine, unsigned type)
{
	struct activity_choice *choice = &activity->type[type];
	const struct activity_path *path;

	for (unsigned n = 0; (path = nth_path(activity, n)); n++) {
		struct err why = { "" };

		if (probe_type(activity, machine, type, path, choice, &why) == 0) {
			choice->path = path;
			choice->events |= has_schedstat(activity) ? ACTIVITY_TIMES : 0;
			find_lacking(activity, machine, type, choice);
			snprintf(choice->name, sizeof(choice->name), "%s", path->name);
			return;
		}
		if (!n)
			snprintf(choice->refusal, sizeof(choice->refusal), "%.*s",
				 (int)strcspn(why.text, ";"), why.text);
	}
}

int activity_probe_path(const struct machine *machine, unsigned type, unsigned n,
			const char **ret_name, const char **ret_what, struct err *err)
{
	const struct activity *activity = machine->activity;
	const struct activity_path *path = activity ? nth_path(activity, n) : NULL;
	struct activity_choice ignored;

	if (!path)
		return -ENOENT;

	int rc = probe_type(activity, machine, type, path, &ignored, err);

	*ret_name = path->name;
	*ret_what = path->what;
	return rc == -ENOENT ? -ENODEV : rc;
}

int activity_probe_path_core(const struct machine *machine, unsigned core, struct err *err)
{
	const struct activity *activity = machine->activity;
	const struct activity_path *path = activity->type[machine->core[core].type].path;
	struct activity_place place = activity_place_of(activity, machine->core[core].cpu);
	uint32_t events;

	return path && path->is_by_core ? activity_probe(path, &place, &events, err) : 0;
}

const char *activity_path_name(const struct machine *machine, unsigned type)
{
	const struct activity *activity = machine->activity;

	return activity && activity->type[type].name[0] ? activity->type[type].name : NULL;
}

uint32_t activity_events(const struct machine *machine, unsigned type)
{
	return machine->activity ? machine->activity->type[type].events : 0;
}

const char *activity_refusal(const struct machine *machine, unsigned type, uint64_t event)
{
	const struct activity_choice *choice = &machine->activity->type[type];
	bool is_of_cgroups = event >= ACTIVITY_THROTTLED && event < N_ACTIVITY_EVENTS;

	if (event < N_ACTIVITY_EVENTS && choice->events >> event & 1)
		return NULL;
	if (is_of_cgroups && !machine->activity->by_cgroup)
		return "counted by cgroup alone: stat --by cgroup";
	if (is_of_cgroups && choice->events & ACTIVITY_TIMES)
		return "no whole cgroup hierarchy with the controller cpu is mounted here";
	if (event >= ACTIVITY_RUN && event < N_ACTIVITY_EVENTS)
		return "there is no /proc/PID/schedstat here";
	return choice->refusal[0] ? choice->refusal : "these cores cannot count it";
}

void activity_by_cgroup(struct machine *machine)
{
	struct activity *activity = machine->activity;
	struct cgroup_folders folders;

	if (!activity)
		return;
	activity->by_cgroup = true;
	if (activity->given)
		return;
	cgroup_folders_find(&folders, activity->root);
	for (unsigned t = 0; *folders.cpu && t < TYPES_MAX; t++)
		if (activity->type[t].events & ACTIVITY_TIMES)
			activity->type[t].events |= ACTIVITY_OF_CGROUPS;
}

const char *activity_core_refusal(const struct machine *machine, uint64_t event)
{
	return event == ACTIVITY_WAIT && !(machine->activity && machine->activity->has_waits)
		       ? "the kernel has no /proc/schedstat (CONFIG_SCHEDSTATS)"
		       : NULL;
}

/* ---- PMU ---- */

static void add_alias(struct pmu *pmu, enum activity_event event, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_alias(struct pmu *pmu, enum activity_event event, const char *format, ...)
{
	struct pmu_alias *alias = &pmu->alias[pmu->n_aliases++];
	va_list args;

	alias->scale = 1;
	va_start(args, format);
	vsnprintf(alias->name, sizeof(alias->name), format, args);
	va_end(args);
	snprintf(alias->terms, sizeof(alias->terms), "event=%d", event);
}

/* @ret  AUX_UNLIKE if cores of two types differ  @return number of auxiliary counters */
static unsigned aux_types(const struct activity *activity, uint64_t ret[AUX_MAX])
{
	unsigned n = 0;

	for (unsigned t = 0; t < TYPES_MAX; t++) {
		const struct activity_place place =
			activity_place_of(activity, activity->type[t].cpu);
		uint64_t type[AUX_MAX];
		unsigned n_here = activity->type[t].path == &activity_amu
					  ? activity_aux_types(&place, type)
					  : 0;

		for (unsigned i = 0; i < n_here; i++)
			ret[i] = i < n && ret[i] != type[i] ? AUX_UNLIKE : type[i];
		n = n_here > n ? n_here : n;
	}
	return n;
}

/* Add the event names. Auxiliary counters count processor-specific events: named by index and by
 * event type. */
static void add_aliases(struct pmu *pmu, const struct activity *activity)
{
	uint64_t type[AUX_MAX];
	unsigned n = aux_types(activity, type);

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		add_alias(pmu, (enum activity_event)i, "%s", names[i]);
	for (unsigned i = 0; i < n; i++) {
		add_alias(pmu, (enum activity_event)(ACTIVITY_AUX + i), "aux%u", i);
		if (type[i] != AUX_UNLIKE)
			add_alias(pmu, (enum activity_event)(ACTIVITY_AUX + i), "aux-0x%" PRIx64,
				  type[i]);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(time_names); i++)
		add_alias(pmu, (enum activity_event)(ACTIVITY_RUN + i), "%s", time_names[i]);
}

/* @return 0 or -ENOMEM; the PMU owns what was allocated */
static int describe(struct pmu *pmu, const struct activity *activity)
{
	pmu->kind = PMU_ACTIVITY;
	pmu->type = UINT32_MAX;
	pmu->format = calloc(1, sizeof(*pmu->format));
	pmu->alias = calloc(ARRAY_SIZE(names) + 2 * AUX_MAX + ARRAY_SIZE(time_names),
			    sizeof(*pmu->alias));
	if (!pmu->format || !pmu->alias)
		return -ENOMEM;
	pmu->format[0] = (struct pmu_format){ .name = "event", .mask = 0xff };
	pmu->n_formats = 1;
	add_aliases(pmu, activity);
	return 0;
}

/*
 * Insert a PMU in sort order, before events point to any PMU.
 *
 * @pmu    its contents become the machine's
 * @return 0 or -ENOMEM
 */
static int machine_add_pmu(struct machine *machine, const struct pmu *pmu)
{
	struct pmus *pmus = &machine->pmus;
	size_t at = 0; /* behind all PMUs of its kind */
	struct pmu *grown = malloc((pmus->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	while (at < pmus->n && pmus->pmu[at].kind <= pmu->kind)
		at++;
	if (at)
		memcpy(grown, pmus->pmu, at * sizeof(*grown));
	grown[at] = *pmu;
	if (at < pmus->n)
		memcpy(grown + at + 1, pmus->pmu + at, (pmus->n - at) * sizeof(*grown));
	for (unsigned i = 0; i < machine->n_types; i++) {
		const struct pmu *was = machine->type[i].pmu;
		size_t index = was ? (size_t)(was - pmus->pmu) : 0;

		if (was)
			machine->type[i].pmu = grown + index + (index >= at);
	}
	free(pmus->pmu);
	pmus->pmu = grown;
	pmus->n++;
	return 0;
}

static int add_pmu(struct machine *machine, const struct activity *activity)
{
	struct pmu pmu = { .name = ACTIVITY_PMU, .cpus = machine_cpus(machine) };
	int rc = describe(&pmu, activity);

	if (!rc)
		rc = machine_add_pmu(machine, &pmu);
	if (rc) {
		free(pmu.format);
		free(pmu.alias);
	}
	return rc;
}

static int activity_find_path(struct machine *machine, const struct activity *with)
{
	struct activity *activity = malloc(sizeof(*activity));
	bool any = false;
	int rc = 0;

	if (!activity)
		return -ENOMEM;
	*activity = *with;
	for (unsigned type = 0; type < machine->n_types; type++) {
		activity_choose(activity, machine, type);
		any |= activity->type[type].path != NULL;
	}
	if (any)
		rc = add_pmu(machine, activity);
	if (rc || !any) {
		free(activity);
		return rc;
	}
	machine->activity = activity;
	return 0;
}

int activity_find(struct machine *machine, const char *root, const struct activity_io *io)
{
	struct activity activity = { .io = io };

	snprintf(activity.root, sizeof(activity.root), "%s", root);
	activity.has_waits = sysfs_exists(root, "/proc/schedstat");
	machine->lacks_secure = activity_knows_no_el3(io);
	return activity_find_path(machine, &activity);
}

int activity_give(struct machine *machine, const struct activity_path *path)
{
	struct activity activity = { .given = path };

	return activity_find_path(machine, &activity);
}

int activity_recorded(struct machine *machine, struct pmu *pmu, unsigned type, const char *path,
		      uint32_t events)
{
	if (!machine->activity)
		machine->activity = calloc(1, sizeof(*machine->activity));
	if (!machine->activity || (!pmu->alias && describe(pmu, machine->activity)))
		return -ENOMEM;

	struct activity_choice *choice = &machine->activity->type[type];

	snprintf(choice->name, sizeof(choice->name), "%.15s", path);
	choice->events = events;
	return 0;
}
