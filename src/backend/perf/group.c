#include "backend/perf/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "activity/activity.h"
#include "machine/sysfs.h"

/* Events that one read(2) delivers together: a group of the kernel. */
struct bundle {
	const struct pmu *uncore; /* NULL: the core's own group */
	uint8_t n;
	uint8_t slot[SLOTS_MAX]; /* in the order of the kernel's values; [0] leads */
	uint64_t enabled_ns;     /* at the last read; 0 before the first */
};

struct group {
	uint8_t n_slots;
	uint8_t n_bundles;
	bool is_counting;
	uint8_t state[SLOTS_MAX];       /* of a slot while all is well */
	int fd[SLOTS_MAX];              /* by slot, -1 */
	struct activity_core *activity; /* NULL: nothing of it is asked for */
	struct bundle bundle[];         /* room for the core and each event of a device */
};

/* What opening a group needs at hand. */
struct group_opening {
	struct perf *perf;
	struct group *group;
	const struct placement *place;
	const struct core *core;
	struct text missing; /* "NAME: reason; …" of events that are not counted here */
	struct err *err;
};

static int leader_fd(const struct group *group, const struct bundle *bundle)
{
	return group->fd[bundle->slot[0]];
}

static struct bundle *bundle_for(struct group *group, const struct pmu *pmu)
{
	const struct pmu *uncore = pmu->kind == PMU_UNCORE ? pmu : NULL;
	struct bundle *bundle = group->bundle;

	while (bundle < group->bundle + group->n_bundles && bundle->uncore != uncore)
		bundle++;
	bundle->uncore = uncore;
	return bundle;
}

static void join_bundle(struct group *group, struct bundle *bundle, unsigned slot, int fd)
{
	if (!bundle->n)
		group->n_bundles++;
	bundle->slot[bundle->n++] = (uint8_t)slot;
	group->fd[slot] = fd;
	group->state[slot] = RAW_OK;
}

static void not_counted(struct group_opening *opening, const struct event *event, const char *why)
{
	text_printf(&opening->missing, "%s%s on CPU %u: %s", opening->missing.n ? "; " : "",
		    event->name, opening->core->cpu, why);
}

const char *perf_reason(int code)
{
	switch (code) {
	case ENOENT: return "this PMU has no such event";
	case E2BIG: return "this kernel is too old for its encoding";
	case EINVAL: return "the kernel does not accept its encoding";
	case EMFILE:
		return "no file descriptors are left (raise `ulimit -n`; `m1top doctor` says how "
		       "far)";
	case ENFILE: return "the system has no file descriptors left (raise fs.file-max)";
	default: return strerror(code);
	}
}

static int open_event(const struct group_opening *opening, const struct event *event, int leader)
{
	union perf_attr attr;

	perf_attr(event->pmu, event->config, event->privilege, leader < 0, &attr);
	return perf_open(opening->perf, &attr, opening->core->cpu, leader);
}

/* Only asked. @leader  -1: alone */
static bool opens(const struct group_opening *opening, const struct event *event, int leader)
{
	int fd = open_event(opening, event, leader);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Some SMMUs' counters share one filter: then the event fits as soon as it counts their streams. */
static bool fits_with_streams(const struct group_opening *opening, const struct event *event,
			      const struct bundle *bundle)
{
	const struct event *leader = opening->place->event[bundle->slot[0]];
	struct event same = *event;

	if (event->streams == leader->streams)
		return false;
	same.config[1] = (event->config[1] & ~event->streams) | leader->streams;
	return opens(opening, &same, leader_fd(opening->group, bundle));
}

static int does_not_fit(const struct group_opening *opening, const struct event *event,
			const struct bundle *bundle, int code)
{
	struct text text = { 0 };

	text_printf(&text, "%s does not fit with ", event->name);
	for (unsigned i = 0; i < bundle->n; i++)
		text_printf(&text, "%s%s", i ? ", " : "",
			    opening->place->event[bundle->slot[i]]->name);
	text_printf(&text, " on CPU %u: %s has %s", opening->core->cpu, event->pmu->name,
		    fits_with_streams(opening, event, bundle)
			    ? "one stream filter for all its counters; give its events the "
			      "same stream="
			    : "no counter left for it");
	return text_to_err(&text, code, opening->err);
}

static bool is_offline(const struct group_opening *opening)
{
	struct cpus online;

	return sysfs_online(opening->perf->root, &online, NULL) == 0 &&
	       !cpus_has(&online, opening->core->cpu);
}

/* Refusals that end it all are an error, others only leave this slot uncounted. */
static int refused(struct group_opening *opening, const struct event *event,
		   const struct bundle *bundle, int code)
{
	if (code == EACCES || code == EPERM)
		return perf_denied(opening->perf->root, code, opening->err);
	if (is_offline(opening))
		return err_set(opening->err, ENODEV, "CPU %u is offline", opening->core->cpu);
	/* alone it opens, in the group it did not: then the group is too large for the PMU */
	if ((code == EINVAL || code == ENOSPC) && bundle->n && opens(opening, event, -1))
		return does_not_fit(opening, event, bundle, code);
	not_counted(opening, event, perf_reason(code));
	return 0;
}

static int add_event(struct group_opening *opening, unsigned slot)
{
	const struct event *event = opening->place->event[slot];
	struct bundle *bundle = bundle_for(opening->group, event->pmu);

	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege) {
		not_counted(opening, event, "its PMU cannot tell user from kernel");
		return 0;
	}

	int fd = open_event(opening, event, bundle->n ? leader_fd(opening->group, bundle) : -1);

	if (fd < 0)
		return refused(opening, event, bundle, -fd);
	join_bundle(opening->group, bundle, slot, fd);
	return 0;
}

static bool is_core_event(const struct event *event)
{
	return event->pmu->kind == PMU_CORE;
}

/* Software and msr events are everywhere, also on a CPU that was offline when `cpus` was read. */
static bool counts_on(const struct pmu *pmu, unsigned cpu)
{
	if (pmu->kind == PMU_ACTIVITY) /* not the kernel's to count */
		return false;
	return pmu->kind == PMU_SOFTWARE || pmu->kind == PMU_MSR || cpus_has(&pmu->cpus, cpu);
}

/* Hardware events lead: software ones can follow them, never the other way about. */
static int add_events(struct group_opening *opening, bool core_events)
{
	const struct placement *place = opening->place;
	int rc = 0;

	for (unsigned i = 0; i < place->n_order && !rc; i++) {
		const struct event *event = place->event[place->order[i]];

		if (is_core_event(event) == core_events &&
		    counts_on(event->pmu, opening->core->cpu))
			rc = add_event(opening, place->order[i]);
	}
	return rc;
}

/* Before anything is open: an uncore event belongs to other cores, the rest is not counted. */
static void init_slots(struct group *group, const struct set *set, const struct placement *place,
		       unsigned cpu)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		const struct event *event = place->event[i];
		bool elsewhere =
			event && event_is_of_device(event) && !cpus_has(&event->pmu->cpus, cpu);

		group->fd[i] = -1;
		group->state[i] = event && !elsewhere ? RAW_UNSUPPORTED : RAW_EMPTY;
	}
	group->n_slots = (uint8_t)sample_n_slots(group->state, set->n_slots);
}

static int open_activity(struct group_opening *opening)
{
	const struct machine *machine = &opening->perf->base.machine;
	const struct activity_slots slots = placement_activity(opening->place);
	struct err why = { "" };
	int rc = activity_core_open(machine, (unsigned)(opening->core - machine->core), &slots,
				    &opening->group->activity, &why);

	if (rc && is_offline(opening))
		return err_set(opening->err, ENODEV, "CPU %u is offline", opening->core->cpu);
	return rc ? err_set(opening->err, -rc, "%s", why.text) : 0;
}

static int open_all(struct group_opening *opening)
{
	int rc = add_events(opening, true);

	if (!rc)
		rc = add_events(opening, false);
	if (!rc)
		rc = open_activity(opening);
	if (!rc)
		err_set(opening->err, 0, "%s", opening->missing.n ? opening->missing.bytes : "");
	text_fini(&opening->missing);
	return rc;
}

static struct group *group_new(const struct placement *place)
{
	size_t n_bundles = 1;

	for (unsigned i = 0; i < place->n_order; i++)
		n_bundles += event_is_of_device(place->event[place->order[i]]);
	return calloc(1, sizeof(struct group) + n_bundles * sizeof(struct bundle));
}

int perf_group_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err)
{
	const struct core *on = &backend->machine.core[core];
	struct group *group = group_new(&set->type[on->type]);
	struct group_opening opening = {
		.perf = (struct perf *)backend,
		.group = group,
		.place = &set->type[on->type],
		.core = on,
		.err = err,
	};

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	init_slots(group, set, opening.place, on->cpu);

	int rc = open_all(&opening);

	if (rc) {
		perf_group_close(group);
		return rc;
	}
	*ret = group;
	return 0;
}

void perf_group_close(struct group *group)
{
	if (!group)
		return;
	/* the leader last, or the kernel makes each of the others a leader first */
	for (unsigned b = group->n_bundles; b-- > 0;) {
		for (unsigned i = group->bundle[b].n; i-- > 0;)
			close(group->fd[group->bundle[b].slot[i]]);
	}
	activity_core_close(group->activity);
	free(group);
}

/*
 * The leader alone: it takes the others along, which are never disabled themselves. Linux 6.18 does
 * not bring siblings back that PERF_IOC_FLAG_GROUP has disabled (test_mux_groups_count_again).
 */
static int each_leader(struct group *group, unsigned long request)
{
	for (unsigned b = 0; b < group->n_bundles; b++) {
		group->bundle[b].enabled_ns = 0;
		if (ioctl(leader_fd(group, &group->bundle[b]), request, 0))
			return -errno;
	}
	return 0;
}

int perf_group_enable(struct group *group)
{
	group->is_counting = true;
	activity_core_enable(group->activity);
	return each_leader(group, PERF_EVENT_IOC_ENABLE);
}

int perf_group_disable(struct group *group)
{
	group->is_counting = false;
	activity_core_disable(group->activity);
	return each_leader(group, PERF_EVENT_IOC_DISABLE);
}

/* read(2) of a group: PERF_FORMAT_GROUP with both times */
struct group_values {
	uint64_t nr;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[SLOTS_MAX];
};

/*
 * A CPU that goes offline takes the group apart: the leader is left alone (nr), and its clock
 * stands still, which is all that shows for a group of one.
 */
static bool is_torn(const struct group *group, const struct bundle *bundle,
		    const struct group_values *values)
{
	return values->nr < bundle->n ||
	       (group->is_counting && values->enabled_ns == bundle->enabled_ns);
}

/* @return 0; -ENODEV torn; -EIO no value */
static int read_bundle(struct group *group, struct bundle *bundle, struct sample *ret)
{
	struct group_values values;
	ssize_t n = read(leader_fd(group, bundle), &values, sizeof(values));

	/* 0: a pinned event that lost its counter; not ours, but never take it for a value */
	if (n < (ssize_t)(3 * sizeof(uint64_t)))
		return n < 0 && errno == ENODEV ? -ENODEV : -EIO;
	if (is_torn(group, bundle, &values))
		return -ENODEV;
	bundle->enabled_ns = values.enabled_ns;
	for (unsigned i = 0; i < bundle->n; i++) {
		ret->raw[bundle->slot[i]] = (struct raw){
			.value = values.value[i],
			.enabled_ns = values.enabled_ns,
			.running_ns = values.running_ns,
		};
	}
	return 0;
}

/* How long the core's own events have counted; 0: there are none. */
static uint64_t core_enabled_ns(const struct group *group)
{
	for (unsigned b = 0; b < group->n_bundles; b++) {
		if (!group->bundle[b].uncore)
			return group->bundle[b].enabled_ns;
	}
	return 0;
}

int perf_group_read(struct group *group, struct sample *ret)
{
	ret->n_slots = group->n_slots;
	memcpy(ret->state, group->state, sizeof(ret->state));
	for (unsigned b = 0; b < group->n_bundles; b++) {
		struct bundle *bundle = &group->bundle[b];
		int rc = read_bundle(group, bundle, ret);

		if (rc == -ENODEV && !bundle->uncore)
			return rc;
		for (unsigned i = 0; rc && i < bundle->n; i++)
			ret->state[bundle->slot[i]] = RAW_LOST;
	}
	activity_core_read(group->activity, core_enabled_ns(group), ret);
	return 0;
}
