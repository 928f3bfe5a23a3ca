#include "event/set_devices.h"

#include <string.h>

/* The event of a column if a device counts it. */
static const struct event *device_event(const struct set *set, unsigned column)
{
	const struct event *event = set_event(set, column);

	return event && event_is_of_device(event) ? event : NULL;
}

bool set_is_of_device(const struct set *set, unsigned column)
{
	return device_event(set, column);
}

static unsigned device_of(struct set_devices *devices, const struct pmu *pmu)
{
	unsigned i = 0;

	while (i < devices->n && devices->pmu[i] != pmu)
		i++;
	if (i == devices->n)
		devices->pmu[devices->n++] = pmu;
	return i;
}

/* What it counts, without where: "x" of uncore_imc_0/x/. */
static const char *what_of(const struct event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash ? slash : event->name;
}

static unsigned event_of(struct set_devices *devices, const struct event *event)
{
	unsigned i = 0;

	while (i < devices->n_events && strcmp(what_of(devices->event[i]), what_of(event)) != 0)
		i++;
	if (i == devices->n_events)
		devices->event[devices->n_events++] = event;
	return i;
}

void set_devices(const struct set *set, struct set_devices *ret)
{
	ret->n = ret->n_events = 0;
	memset(ret->columns, 0, sizeof(ret->columns));
	memset(ret->column, COLUMN_NONE, sizeof(ret->column));
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = device_event(set, i);

		if (!event)
			continue;

		unsigned device = device_of(ret, event->pmu), number = event_of(ret, event);

		ret->columns[device] |= UINT64_C(1) << i;
		if (ret->column[device][number] == COLUMN_NONE) /* another mux group has it, too */
			ret->column[device][number] = (uint8_t)i;
	}
}
