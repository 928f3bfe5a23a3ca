/* group.c: a set's events on a core as kernel groups: opening, reading, closing */
#include "pmu/perf/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/machine.h"
#include "pmu/set.h"

/* Events of one kernel group, delivered by one read(2). */
struct bundle {
	const struct pmu *uncore; /* NULL: the core's own group */
	int leader;
	struct value_order order;
	uint64_t enabled_ns; /* at the last read; 0 before the first */
};

struct group {
	uint8_t n_slots;
	uint8_t n_bundles;
	bool is_counting;
	uint8_t state[SLOTS_MAX]; /* by slot, without faults */
	int fd[SLOTS_MAX];        /* by slot, -1 */
	int root_fd[SLOTS_MAX];   /* likewise, of the set's root and what it starts, on this CPU */
	int unseen[UNSEEN_MAX];   /* events without a slot, in the core's own group */
	uint8_t n_unseen;
	struct activity_core *activity; /* NULL: no such event is requested */
	struct switch_stream switches;
	struct bundle bundle[]; /* room for the core's group and one per device event */
};

void perf_group_close(struct group *group)
{
	if (!group)
		return;
	perf_switches_leave(&group->switches);
	/* leader last: otherwise the kernel makes each sibling a leader first */
	for (unsigned b = group->n_bundles; b-- > 0;) {
		const struct value_order *order = &group->bundle[b].order;

		for (unsigned i = order->n; i-- > 0;)
			close(order->slot[i] == VALUE_NONE ? group->unseen[--group->n_unseen]
							   : group->fd[order->slot[i]]);
	}
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (group->root_fd[slot] >= 0)
			close(group->root_fd[slot]);
	activity_core_close(group->activity);
	free(group);
}

/*
 * Apply an ioctl to the leaders only; siblings follow and are never disabled themselves. Linux 6.18
 * does not restart siblings that PERF_IOC_FLAG_GROUP has disabled (test_mux_groups_count_again).
 */
static int each_leader(struct group *group, unsigned long request)
{
	for (unsigned b = 0; b < group->n_bundles; b++) {
		group->bundle[b].enabled_ns = 0;
		if (ioctl(group->bundle[b].leader, request, 0))
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
	uint64_t value[VALUES_MAX];
};

/* @return 0; -ENODEV torn; -EIO no value */
static int read_bundle(struct group *group, struct bundle *bundle, struct sample *ret)
{
	const struct value_order *order = &bundle->order;
	struct group_values values;
	ssize_t n = read(bundle->leader, &values, sizeof(values));

	/* 0: a pinned event that lost its counter; ours are not pinned, but it must not pass as a value */
	if (n < (ssize_t)(3 * sizeof(uint64_t)))
		return n < 0 && errno == ENODEV ? -ENODEV : -EIO;
	/* the CPU went offline, which takes the group apart: only the leader is left (nr), and its
	 * clock stops, the only sign for a group of one */
	if (values.nr < order->n || (group->is_counting && values.enabled_ns == bundle->enabled_ns))
		return -ENODEV;
	bundle->enabled_ns = values.enabled_ns;
	if (order->switches != VALUE_NONE) {
		ret->at.stream = group->switches.id;
		ret->at.n = values.value[group->switches.order.switches];
		ret->at.enabled_ns = values.enabled_ns;
		ret->at.running_ns = values.running_ns;
		ret->attributable = 0;
	}
	for (unsigned i = 0; i < order->n; i++) {
		if (order->slot[i] == VALUE_NONE)
			continue;
		if (order->switches != VALUE_NONE)
			ret->attributable |= UINT64_C(1) << order->slot[i];
		ret->raw[order->slot[i]] = (struct raw){
			.value = values.value[i],
			.enabled_ns = values.enabled_ns,
			.running_ns = values.running_ns,
		};
	}
	return 0;
}

/* Read the counts of the root: on this CPU, where the reading thread runs, they stand still meanwhile. A counter that
 * was not enabled has seen no exec. */
static void read_root(const struct group *group, struct sample *ret)
{
	for (unsigned slot = 0; slot < group->n_slots; slot++) {
		uint64_t value[2] = { 0 }; /* and the time enabled */

		if (group->root_fd[slot] >= 0 &&
		    read(group->root_fd[slot], value, sizeof(value)) == (ssize_t)sizeof(value) &&
		    value[1])
			ret->rooted |= UINT64_C(1) << slot;
		ret->raw[slot].of_root = value[0];
	}
}

int perf_group_read(struct group *group, struct sample *ret)
{
	uint64_t enabled_ns = 0; /* of the core's own events */

	ret->n_slots = group->n_slots;
	memcpy(ret->state, group->state, sizeof(ret->state));
	for (unsigned b = 0; b < group->n_bundles; b++) {
		struct bundle *bundle = &group->bundle[b];
		int rc = read_bundle(group, bundle, ret);

		if (rc == -ENODEV && !bundle->uncore)
			return rc;
		for (unsigned i = 0; rc && i < bundle->order.n; i++)
			if (bundle->order.slot[i] != VALUE_NONE)
				ret->state[bundle->order.slot[i]] = RAW_LOST;
		if (!bundle->uncore)
			enabled_ns = bundle->enabled_ns;
	}
	read_root(group, ret);
	activity_core_read(group->activity, enabled_ns, ret);
	return 0;
}

/* ---- opening ---- */

/* State of opening a group. */
struct group_opening {
	struct perf *perf;
	struct group *group;
	const struct placement *place;
	const struct core *core;
	bool by_task;
	const struct set *set;
	struct text missing; /* "NAME: reason; …" of events not counted here */
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

static void opening_append(struct group *group, struct bundle *bundle, uint8_t slot, int fd)
{
	if (is_new(group, bundle)) {
		bundle->leader = fd;
		bundle->order.switches = VALUE_NONE;
		group->n_bundles++;
	}
	bundle->order.slot[bundle->order.n++] = slot;
}

/* Add an event without a slot; called before any slot's event. */
static void join_unseen(struct group *group, int fd)
{
	opening_append(group, &group->bundle[0], VALUE_NONE, fd);
	group->unseen[group->n_unseen++] = fd;
}

static int leader_of(const struct group *group, const struct bundle *bundle)
{
	return is_new(group, bundle) ? -1 : bundle->leader;
}

static void opening_not_counted(struct group_opening *opening, const struct event *event,
				const char *why)
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

static bool is_core_event(const struct event *event)
{
	return event->pmu->kind == PMU_CORE;
}

static int open_event(const struct group_opening *opening, const struct event *event, int leader)
{
	union perf_attr attr;

	perf_attr(event->pmu, event->config, event->privilege, leader < 0, &attr);
	if (opening->by_task)
		perf_switches_clock(&attr); /* a group has one clock */
	return perf_open(opening->perf, &attr, opening->core->cpu, leader);
}

/* Whether an event can be opened; closes it again. @leader  -1: alone */
static bool opens(const struct group_opening *opening, const struct event *event, int leader)
{
	AUTO_FD int fd = open_event(opening, event, leader);

	return fd >= 0;
}

/* Whether the event fits with the leader's stream filter: the counters of some SMMUs share one. */
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

/* @return -ENODEV if the CPU is offline; 0 */
static int check_online(const struct group_opening *opening)
{
	unsigned cpu = opening->core->cpu;

	return sysfs_is_online(opening->perf->root, cpu)
		       ? 0
		       : err_set(opening->err, ENODEV, "CPU %u is offline", cpu);
}

/* Handle a refused event: fatal ones are an error, others leave only this slot uncounted. */
static int opening_refused(struct group_opening *opening, const struct event *event,
			   const struct bundle *bundle, int code)
{
	if (code == EACCES || code == EPERM)
		return perf_denied(opening->perf->root, code, opening->err);
	if (check_online(opening))
		return -ENODEV;
	/* it opens alone, but not in the group: the group is too large for the PMU */
	if ((code == EINVAL || code == ENOSPC) && bundle->order.n && opens(opening, event, -1))
		return does_not_fit(opening, event, bundle, code);
	opening_not_counted(opening, event, perf_reason(code));
	return 0;
}

static bool has_cgroups(const struct group_opening *opening)
{
	return !*opening->perf->base.no_cgroups.text;
}

/* Open the event that is sampled, with the least skid that the PMU can do. */
static int open_sampled(struct group_opening *opening, const struct event *event, int leader)
{
	struct switch_stream *stream = &opening->group->switches;
	unsigned precise = is_core_event(event) ? 3 : 0;
	union perf_attr attr;
	int fd;

	if (!opening->perf->base.sample_rate.limit)
		perf_read_limit(opening->perf);
	do {
		perf_attr(event->pmu, event->config, event->privilege, leader < 0, &attr);
		perf_switches_clock(&attr);
		perf_sampled_attr(event, &opening->perf->base.sample_rate, has_cgroups(opening),
				  opening->set->chains, &attr);
		attr.attr.precise_ip = precise & 3;
		fd = perf_open(opening->perf, &attr, opening->core->cpu, leader);
	} while (fd < 0 && precise--);
	stream->sampled_fd = fd;
	stream->period = attr.attr.sample_period;
	stream->has_period = attr.attr.sample_type & PERF_SAMPLE_PERIOD;
	stream->has_chains = opening->set->chains;
	return fd;
}

static int open_slot(struct group_opening *opening, unsigned slot, int leader)
{
	const struct event *event = opening->place->event[slot];
	bool is_sampled = opening->by_task && opening->set->samples &&
			  slot == opening->set->sampled && !event_no_samples(event);
	int fd = is_sampled ? open_sampled(opening, event, leader) : -EINVAL;

	/* counted at least: a PMU without an interrupt, for example */
	return fd < 0 ? open_event(opening, event, leader) : fd;
}

/* Count an event in the set's root and all that it starts, on this CPU and from its exec on, unless that needs one more
 * counter: the kernel would take turns with the others. Without it, what was lost is only known of the whole core. */
static int open_of_root(const struct group_opening *opening, const struct event *event)
{
	const struct roots *roots = &opening->set->roots;
	union perf_attr attr;

	if (!roots->tells_lost || roots->task->kind != TARGET_EXEC ||
	    (event->pmu->kind != PMU_SOFTWARE && event->pmu->kind != PMU_TRACEPOINT))
		return -1;
	perf_attr(event->pmu, event->config, event->privilege, true, &attr);
	attr.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.attr.inherit = 1;
	return perf_open_task(opening->perf, &attr, roots->task->id, (int)opening->core->cpu);
}

static int opening_add_event(struct group_opening *opening, unsigned slot)
{
	const struct event *event = opening->place->event[slot];
	struct bundle *bundle = bundle_for(opening->group, event->pmu);

	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege) {
		opening_not_counted(opening, event, "its PMU cannot tell user from kernel");
		return 0;
	}

	int fd = open_slot(opening, slot, leader_of(opening->group, bundle));

	if (fd < 0)
		return opening_refused(opening, event, bundle, -fd);
	opening_append(opening->group, bundle, (uint8_t)slot, fd);
	opening->group->fd[slot] = fd;
	opening->group->root_fd[slot] = open_of_root(opening, event);
	opening->group->state[slot] = RAW_OK;
	return 0;
}

static bool counts_on(const struct pmu *pmu, unsigned cpu)
{
	if (pmu->kind == PMU_ACTIVITY) /* not counted by the kernel */
		return false;
	return pmu_is_everywhere(pmu) || cpus_has(&pmu->cpus, cpu);
}

/* Open core or other events; hardware events come first, as software events can follow them but
 * not lead them. */
static int add_events(struct group_opening *opening, bool core_events)
{
	const struct placement *place = opening->place;
	int rc = 0;

	for (unsigned i = 0; i < place->n_order && !rc; i++) {
		const struct event *event = place->event[place->order[i]];

		if (is_core_event(event) == core_events &&
		    opening->group->fd[place->order[i]] < 0 &&
		    counts_on(event->pmu, opening->core->cpu))
			rc = opening_add_event(opening, place->order[i]);
	}
	return rc;
}

/* Set the initial states: an uncore event of other cores is empty here, the rest is not counted. */
static void init_slots(struct group *group, const struct set *set, const struct placement *place,
		       unsigned cpu)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		const struct event *event = place->event[i];
		bool elsewhere =
			event && event_is_of_device(event) && !cpus_has(&event->pmu->cpus, cpu);

		group->fd[i] = group->root_fd[i] = -1;
		group->state[i] = event && !elsewhere ? RAW_UNSUPPORTED : RAW_EMPTY;
	}
	group->n_slots = (uint8_t)sample_n_slots(group->state, set->n_slots);
	group->switches.sampled_fd = -1;
}

static int open_activity(struct group_opening *opening)
{
	const struct machine *machine = &opening->perf->base.machine;
	const struct activity_slots slots =
		placement_activity(opening->place, opening->set->by_task);
	struct err why = { "" };
	int rc = activity_core_open(machine, (unsigned)(opening->core - machine->core), &slots,
				    &opening->group->activity, &why);

	if (rc && check_online(opening))
		return -ENODEV;
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

/* Open Intel's slots event as the leader, in its own slot if the set has it, else unseen. */
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
			return opening_add_event(opening, place->order[i]);
	fd = open_event(opening, &slots, -1);
	if (fd >= 0)
		join_unseen(opening->group, fd);
	return 0; /* without it, the events that divide it are refused and named */
}

/* Count context switches, before all other events: hardware events may follow this software
 * leader, and the kernel then keeps the whole group with the hardware events. */
static int count_switches(struct group_opening *opening)
{
	struct group *group = opening->group;
	int leader = leader_of(group, &group->bundle[0]);
	union perf_attr attr;

	perf_switches_attr(leader < 0, &attr);
	if (!opening->perf->has_probed_cgroups)
		perf_cgroups_check(opening->perf->root, &opening->perf->base.no_cgroups);
	opening->perf->has_probed_cgroups = true;
	if (has_cgroups(opening))
		perf_switches_add_cgroups(&attr);
	if (opening->set->samples) /* new mappings of code, and code that the kernel generates */
		attr.attr.mmap = attr.attr.mmap2 = attr.attr.ksymbol = 1;

	int fd = perf_open(opening->perf, &attr, opening->core->cpu, leader);

	if (fd == -EACCES || fd == -EPERM)
		return perf_denied(opening->perf->root, -fd, opening->err);
	if (fd < 0 && check_online(opening))
		return -ENODEV;
	if (fd < 0)
		return err_set(opening->err, -fd, "cannot record context switches on CPU %u: %s",
			       opening->core->cpu, perf_reason(-fd));
	join_unseen(group, fd);
	group->bundle[0].order.switches = (uint8_t)(group->bundle[0].order.n - 1);
	return 0;
}

static int open_all(struct group_opening *opening)
{
	struct group *group = opening->group;
	int rc = lead_by_slots(opening);

	if (!rc && opening->by_task)
		rc = count_switches(opening);
	if (!rc)
		rc = add_events(opening, true);
	if (!rc)
		rc = add_events(opening, false);
	if (!rc && opening->by_task) {
		/* last: the collector examines all groups that have joined */
		group->switches.order = group->bundle[0].order;
		group->switches.n_slots = group->n_slots;
		rc = perf_switches_join(opening->perf, opening->core,
					group->unseen[group->n_unseen - 1], &group->switches,
					opening->err);
	}
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
		.set = set,
		.by_task = set->by_task && set->n_slots && !backend->without_rights,
		.err = err,
	};

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	init_slots(group, set, opening.place, on->cpu);

	int rc = backend->without_rights ? open_activity(&opening) : open_all(&opening);

	if (rc)
		perf_group_close(group);
	else
		*ret = group;
	return rc;
}
