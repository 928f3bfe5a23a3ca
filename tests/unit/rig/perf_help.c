/* perf_help.c: sets made by hand, to test the perf backend without event selection */
#include "rig/perf_help.h"

#include <string.h>
#include <time.h>

void assert_near_at(double value, double truth, double share, int line)
{
	if (!(value >= truth - share && value <= truth + share))
		fail_msg("line %d: %.9g is not %.9g to within %g", line, value, truth, share);
}

struct event event_make(const struct backend *backend, const char *pmu, const char *terms,
			const char *name)
{
	struct event event = { .pmu = pmu_find(&backend->machine.pmus, pmu), .scale = 1 };
	struct err err = { "" };

	snprintf(event.name, sizeof(event.name), "%s", name);
	if (!event.pmu || pmu_encode(event.pmu, terms, event.config, &err))
		fail_msg("%s/%s/: %s", pmu, terms, event.pmu ? err.text : "no such PMU");
	event.needs_counter = event.pmu && event.pmu->kind == PMU_CORE;
	return event;
}

void set_of(struct set *set, unsigned type, const struct event *event, unsigned n)
{
	memset(set, 0, sizeof(*set));
	set->number = 1;
	set->n_slots = n;
	for (unsigned i = 0; i < n; i++) {
		struct placement *place = &set->type[type];

		place->event[i] = &event[i];
		if (!event[i].refused[0])
			place->order[place->n_order++] = (uint8_t)i;
	}
}

struct backend *perf_backend(const char *root)
{
	struct backend_config config = { .name = "perf", .sysfs_root = root };
	struct backend *backend = NULL;
	struct err err = { "" };

	if (backend_perf.open(&config, &backend, &err))
		fail_msg("%s", err.text);
	return backend;
}

struct group *group_of(struct backend *backend, unsigned core, const struct set *set)
{
	struct group *group = NULL;
	struct err err = { "" };

	if (backend->ops->group_open(backend, core, set, &group, &err) || err.text[0])
		fail_msg("%s", err.text);
	return group;
}

int setup_real(void **state)
{
	struct backend_config config = { 0 };
	struct err err = { "" };

	*state = NULL;
	if (backend_perf.probe(&config, &err) == 0)
		*state = perf_backend(NULL);
	else
		print_message("skipped: %s\n", err.text);
	return 0;
}

int teardown_real(void **state)
{
	backend_close(*state);
	return 0;
}

struct backend *need_backend(void **state)
{
	if (!*state)
		skip();
	return *state;
}

void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 },
		  NULL);
}
