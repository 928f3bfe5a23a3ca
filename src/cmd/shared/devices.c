#include "cmd/shared/devices.h"

#include <errno.h>

#include "base/cleanup.h"

int devices_none(const struct machine *machine, struct err *err)
{
	char names[600];

	if (machine->recorded)
		return err_set(err, EINVAL, "--by device: this session has no events of devices");
	pmus_names(&machine->pmus, PMU_UNCORE, names, sizeof(names));
	if (!*names)
		return err_set(err, EINVAL, "--by device: this machine has no uncore PMU");
	return err_set(err, EINVAL,
		       "--by device: no event of a device is counted; choose one with -e "
		       "PMU/EVENT/ (m1top list events); devices: %s",
		       names);
}

static bool is_of_device(const struct options *options, const struct setup *setup,
			 const struct event_spec *spec)
{
	const struct event *event;

	if (event_resolve(setup->events, 0, spec, options->privilege, &event, NULL))
		return false;
	return event_is_of_device(event);
}

static bool are_events_of_devices(const struct options *options, const struct setup *setup)
{
	AUTO_FREE struct event_spec *given = NULL;
	AUTO_FREE struct event_spec *spec = NULL;
	bool are_devices = true;
	size_t n;

	if (event_specs_parse(options->events, &given, &n, NULL) ||
	    event_specs_expand(setup->events, given, n, &spec, &n, NULL))
		return false;
	for (size_t i = 0; i < n && are_devices; i++)
		are_devices = is_of_device(options, setup, &spec[i]);
	return are_devices;
}

bool devices_give_metrics(const struct metrics *metrics, const struct set *set,
			  const struct metrics_selection *chosen)
{
	struct metrics_bound bound;
	bool are_devices = true;

	if (metrics_bind(metrics, set, metrics->machine->n_types, &bound))
		return false;
	for (size_t i = 0; i < chosen->n && are_devices; i++) {
		int column = metrics_column(&bound, chosen->number[i]);

		are_devices = column >= 0 && metrics_is_of_devices(&bound, (unsigned)column);
	}
	metrics_bound_fini(&bound);
	return are_devices;
}

/* Check the request, not the set: on Apple's cores a set has cycles and instructions without a request. */
bool devices_are_requested(const struct options *options, const struct setup *setup)
{
	if (options->preset || !(options->events || options->metrics))
		return false;
	return (!options->events || are_events_of_devices(options, setup)) &&
	       (!options->metrics ||
		devices_give_metrics(&setup->metrics, &setup->first, &setup->selection));
}
