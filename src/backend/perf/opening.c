/* opening.c: a set's events on a core, as the groups that the kernel takes */
#include "backend/perf/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "activity/activity.h"
#include "event/request.h"
#include "machine/sysfs.h"

/* What opening a group needs at hand. */
struct group_opening {
	struct perf *perf;
	struct group *group;
	const struct placement *place;
	const struct core *core;
	bool by_task;
	struct text missing; /* "NAME: reason; …" of events that are not counted here */
	struct err *err;
};

static struct bundle *bundle_for(struct group *group, const struct pmu *pmu)
{
	const struct pmu *uncore = pmu->kind == PMU_UNCORE ? pmu : NULL;
	struct bundle *bundle = group->bundle;

	while (bundle < group->bundle + group->n_bundles && bundle->uncore != uncore)
		bundle++;
	bundle->uncore = uncore;
	return bundle;
}

static bool is_new(const struct group *group, const struct bundle *bundle)
{
	return bundle == group->bundle + group->n_bundles;
}

static void append(struct group *group, struct bundle *bundle, uint8_t slot, int fd)
{
	if (is_new(group, bundle)) {
		bundle->leader = fd;
		bundle->order.switches = VALUE_NONE;
		group->n_bundles++;
	}
	bundle->order.slot[bundle->order.n++] = slot;
}

static void join_bundle(struct group *group, struct bundle *bundle, unsigned slot, int fd)
{
	append(group, bundle, (uint8_t)slot, fd);
	group->fd[slot] = fd;
	group->state[slot] = RAW_OK;
}

/* Before those of slots. */
static void join_unseen(struct group *group, int fd)
{
	append(group, &group->bundle[0], VALUE_NONE, fd);
	group->unseen[group->n_unseen++] = fd;
}

static int leader_of(const struct group *group, const struct bundle *bundle)
{
	return is_new(group, bundle) ? -1 : bundle->leader;
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
	if (opening->by_task)
		perf_switches_clock(&attr); /* a group has one clock */
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
	unsigned first = bundle->order.slot[0];
	const struct event *leader = first == VALUE_NONE ? NULL : opening->place->event[first];
	struct event same = *event;

	if (!leader || event->streams == leader->streams)
		return false;
	same.config[1] = (event->config[1] & ~event->streams) | leader->streams;
	return opens(opening, &same, bundle->leader);
}

static int does_not_fit(const struct group_opening *opening, const struct event *event,
			const struct bundle *bundle, int code)
{
	struct text text = { 0 };
	size_t n;

	text_printf(&text, "%s does not fit with ", event->name);
	n = text.n;
	for (unsigned i = 0; i < bundle->order.n; i++)
		if (bundle->order.slot[i] != VALUE_NONE)
			text_printf(&text, "%s%s", text.n > n ? ", " : "",
				    opening->place->event[bundle->order.slot[i]]->name);
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
	if ((code == EINVAL || code == ENOSPC) && bundle->order.n && opens(opening, event, -1))
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

	int fd = open_event(opening, event, leader_of(opening->group, bundle));

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
		    opening->group->fd[place->order[i]] < 0 &&
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

static const struct event *find_share_of_slots(const struct group_opening *opening)
{
	const struct placement *place = opening->place;

	for (unsigned i = 0; i < place->n_order; i++) {
		const struct event *event = place->event[place->order[i]];

		if (is_core_event(event) && counts_on(event->pmu, opening->core->cpu) &&
		    pmu_divides_slots(event->pmu, event->config))
			return event;
	}
	return NULL;
}

/* The set may have slots itself; else nobody sees that they are counted. */
static int lead_by_slots(struct group_opening *opening)
{
	const struct event *share = find_share_of_slots(opening);
	const struct placement *place = opening->place;
	struct event slots;
	int fd;

	if (!share)
		return 0;
	slots = *share;
	if (pmu_encode(share->pmu, pmu_alias_find(share->pmu, "slots")->terms, slots.config,
		       opening->err))
		return -EINVAL;
	for (unsigned i = 0; i < place->n_order; i++)
		if (event_counts_as(place->event[place->order[i]], &slots))
			return add_event(opening, place->order[i]);
	fd = open_event(opening, &slots, -1);
	if (fd >= 0)
		join_unseen(opening->group, fd);
	return 0; /* where it cannot be counted, its shares are refused and named */
}

/* Before all other events: hardware events may follow a software leader like this one, and the kernel then keeps
 * all of them among the hardware events. */
static int count_switches(struct group_opening *opening)
{
	struct group *group = opening->group;
	int leader = leader_of(group, &group->bundle[0]);
	union perf_attr attr;

	perf_switches_attr(leader < 0, &attr);

	int fd = perf_open(opening->perf, &attr, opening->core->cpu, leader);

	if (fd == -EACCES || fd == -EPERM)
		return perf_denied(opening->perf->root, -fd, opening->err);
	if (fd < 0 && is_offline(opening))
		return err_set(opening->err, ENODEV, "CPU %u is offline", opening->core->cpu);
	if (fd < 0)
		return err_set(opening->err, -fd, "cannot record context switches on CPU %u: %s",
			       opening->core->cpu, perf_reason(-fd));
	join_unseen(group, fd);
	group->bundle[0].order.switches = (uint8_t)(group->bundle[0].order.n - 1);
	return 0;
}

/* Once it is known what a record of this group holds: the collector looks at all that have joined. */
static int record_switches(struct group_opening *opening)
{
	struct group *group = opening->group;

	group->switches.order = group->bundle[0].order;
	group->switches.n_slots = group->n_slots;
	return perf_switches_join(opening->perf, opening->core, group->unseen[group->n_unseen - 1],
				  &group->switches, opening->err);
}

static int open_all(struct group_opening *opening)
{
	int rc = lead_by_slots(opening);

	if (!rc && opening->by_task)
		rc = count_switches(opening);
	if (!rc)
		rc = add_events(opening, true);
	if (!rc)
		rc = add_events(opening, false);
	if (!rc && opening->by_task)
		rc = record_switches(opening);
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
		.by_task = set->by_task && set->n_slots,
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
