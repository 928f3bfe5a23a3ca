#include "backend/perf/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "activity/activity.h"

void perf_group_close(struct group *group)
{
	if (!group)
		return;
	perf_switches_leave(&group->switches);
	/* the leader last, or the kernel makes each of the others a leader first */
	for (unsigned b = group->n_bundles; b-- > 0;) {
		const struct value_order *order = &group->bundle[b].order;

		for (unsigned i = order->n; i-- > 0;)
			close(order->slot[i] == VALUE_NONE ? group->unseen[--group->n_unseen]
							   : group->fd[order->slot[i]]);
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

/*
 * A CPU that goes offline takes the group apart: the leader is left alone (nr), and its clock
 * stands still, which is all that shows for a group of one.
 */
static bool is_torn(const struct group *group, const struct bundle *bundle,
		    const struct group_values *values)
{
	return values->nr < bundle->order.n ||
	       (group->is_counting && values->enabled_ns == bundle->enabled_ns);
}

static void take_switches(const struct group *group, const struct group_values *values,
			  struct sample *ret)
{
	ret->at.stream = group->switches.id;
	ret->at.n = values->value[group->switches.order.switches];
	ret->at.enabled_ns = values->enabled_ns;
	ret->at.running_ns = values->running_ns;
	ret->attributable = 0;
}

/* @return 0; -ENODEV torn; -EIO no value */
static int read_bundle(struct group *group, struct bundle *bundle, struct sample *ret)
{
	const struct value_order *order = &bundle->order;
	struct group_values values;
	ssize_t n = read(bundle->leader, &values, sizeof(values));

	/* 0: a pinned event that lost its counter; not ours, but never take it for a value */
	if (n < (ssize_t)(3 * sizeof(uint64_t)))
		return n < 0 && errno == ENODEV ? -ENODEV : -EIO;
	if (is_torn(group, bundle, &values))
		return -ENODEV;
	bundle->enabled_ns = values.enabled_ns;
	if (order->switches != VALUE_NONE)
		take_switches(group, &values, ret);
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
		for (unsigned i = 0; rc && i < bundle->order.n; i++)
			if (bundle->order.slot[i] != VALUE_NONE)
				ret->state[bundle->order.slot[i]] = RAW_LOST;
	}
	activity_core_read(group->activity, core_enabled_ns(group), ret);
	return 0;
}
