#include "activity/activity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "activity/path.h"
#include "machine/sysfs.h"

enum { AUX_MAX = N_ACTIVITY_EVENTS - ACTIVITY_AUX };

#define AUX_UNLIKE UINT64_MAX /* types of events have 16 bits */

static const struct activity_path *const paths[] = {
	&activity_amu,
	&activity_cppc,
	&activity_cpufreq,
	&activity_idle,
};

/* By enum activity_event. Not "cycles" and "instructions": those are the core PMU's. */
static const char *const names[] = {
	[ACTIVITY_CYCLES] = "active-cycles",
	[ACTIVITY_TIME] = "active-time",
	[ACTIVITY_INSTRUCTIONS] = "active-instructions",
	[ACTIVITY_STALL] = "memory-stall",
};

/* ---- which path ---- */

static const struct activity_path *nth_path(const struct activity *activity, unsigned n)
{
	if (activity->given)
		return n ? NULL : activity->given;
	return n < ARRAY_SIZE(paths) ? paths[n] : NULL;
}

static struct activity_place place_of(const struct activity *activity, unsigned cpu)
{
	return (struct activity_place){ .io = activity->io, .root = activity->root, .cpu = cpu };
}

/* An offline core has no files: one that is online stands for its type. */
static unsigned cpu_of_type(const struct activity *activity, const struct machine *machine,
			    unsigned type)
{
	return activity->given ? machine->core[machine_first_core(machine, type)].cpu
			       : sysfs_cpu_of_type(activity->root, machine, type);
}

/* Is it that core alone which the path cannot be used on? */
static bool is_of_core(int rc)
{
	return rc == -EOPNOTSUPP || rc == -ENXIO || rc == -ENODATA;
}

/* @ret  its cpu and events are filled in where the path can be used */
static int probe_type(const struct activity *activity, const struct machine *machine, unsigned type,
		      const struct activity_path *path, struct activity_choice *ret,
		      struct err *err)
{
	struct activity_place place = place_of(activity, cpu_of_type(activity, machine, type));
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
		struct activity_place place = place_of(activity, machine->core[i].cpu);
		uint32_t events;

		if (machine->core[i].type == type &&
		    is_of_core(activity_probe(choice->path, &place, &events, NULL)))
			cpus_add(&choice->lacking, place.cpu);
	}
}

/* Only the best path has the events that a lesser one lacks: what keeps it away is the reason. */
static void choose(struct activity *activity, const struct machine *machine, unsigned type)
{
	struct activity_choice *choice = &activity->type[type];
	const struct activity_path *path;

	for (unsigned n = 0; (path = nth_path(activity, n)); n++) {
		struct err why = { "" };

		if (probe_type(activity, machine, type, path, choice, &why) == 0) {
			choice->path = path;
			find_lacking(activity, machine, type, choice);
			snprintf(choice->name, sizeof(choice->name), "%s", path->name);
			return;
		}
		if (!n)
			snprintf(choice->refusal, sizeof(choice->refusal), "%.*s",
				 (int)strcspn(why.text, ";"), why.text);
	}
}

int activity_ask(const struct machine *machine, unsigned type, unsigned n, const char **ret_name,
		 const char **ret_what, struct err *err)
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

int activity_ask_core(const struct machine *machine, unsigned core, struct err *err)
{
	const struct activity *activity = machine->activity;
	const struct activity_path *path = activity->type[machine->core[core].type].path;
	struct activity_place place = place_of(activity, machine->core[core].cpu);
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

	if (event < N_ACTIVITY_EVENTS && choice->events >> event & 1)
		return NULL;
	return choice->refusal[0] ? choice->refusal : "these cores cannot count it";
}

/* ---- the PMU ---- */

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

/* @ret  AUX_UNLIKE where cores of two types differ  @return how many auxiliary counters there are */
static unsigned aux_types(const struct activity *activity, uint64_t ret[AUX_MAX])
{
	unsigned n = 0;

	for (unsigned t = 0; t < TYPES_MAX; t++) {
		const struct activity_place place = place_of(activity, activity->type[t].cpu);
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

/* What an auxiliary counter counts is the processor's affair: it goes by its place, and by its type. */
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
}

/* @return 0 or -ENOMEM; what was allocated is the PMU's */
static int describe(struct pmu *pmu, const struct activity *activity)
{
	pmu->kind = PMU_ACTIVITY;
	pmu->type = UINT32_MAX;
	pmu->format = calloc(1, sizeof(*pmu->format));
	pmu->alias = calloc(ARRAY_SIZE(names) + 2 * AUX_MAX, sizeof(*pmu->alias));
	if (!pmu->format || !pmu->alias)
		return -ENOMEM;
	pmu->format[0] = (struct pmu_format){ .name = "event", .mask = 0xff };
	pmu->n_formats = 1;
	add_aliases(pmu, activity);
	return 0;
}

static int add_pmu(struct machine *machine, const struct activity *activity)
{
	struct pmu pmu = { .name = ACTIVITY_PMU };
	int rc = describe(&pmu, activity);

	for (unsigned i = 0; i < machine->n_cores; i++)
		cpus_add(&pmu.cpus, machine->core[i].cpu);
	if (!rc)
		rc = machine_add_pmu(machine, &pmu);
	if (rc) {
		free(pmu.format);
		free(pmu.alias);
	}
	return rc;
}

static int find(struct machine *machine, const struct activity *with)
{
	struct activity *activity = malloc(sizeof(*activity));
	bool any = false;
	int rc = 0;

	if (!activity)
		return -ENOMEM;
	*activity = *with;
	for (unsigned type = 0; type < machine->n_types; type++) {
		choose(activity, machine, type);
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
	machine->lacks_secure = activity_knows_no_el3(io);
	return find(machine, &activity);
}

int activity_give(struct machine *machine, const struct activity_path *path)
{
	struct activity activity = { .given = path };

	return find(machine, &activity);
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
