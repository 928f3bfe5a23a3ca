/* input.c: what an expression calls an event, and whether an event is that */
#include <stdio.h>
#include <string.h>

#include "metrics/expr/input.h"
#include "event/name.h"

static void take_modifiers(const char *modifiers, struct metric_wanted *ret)
{
	bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k');

	ret->has_privilege = user || kernel;
	ret->is_latency = strchr(modifiers, 'R');
	ret->privilege = user == kernel ? PRIVILEGE_BOTH : user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

struct metric_wanted metric_wanted_of(const char *input)
{
	struct metric_wanted ret = { .pmu = "" };
	const char *slash = strchr(input, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;
	const char *colon = strrchr(input, ':');
	size_t n = strlen(input);

	if (end) {
		snprintf(ret.pmu, sizeof(ret.pmu), "%.*s", (int)(slash - input), input);
		snprintf(ret.what, sizeof(ret.what), "%.*s", (int)(end - slash - 1), slash + 1);
		take_modifiers(end + 1, &ret);
		return ret;
	}
	if (colon && colon[1] && strspn(colon + 1, "ukpPHGRDS") == strlen(colon + 1)) {
		take_modifiers(colon + 1, &ret);
		n = (size_t)(colon - input);
	}
	snprintf(ret.what, sizeof(ret.what), "%.*s", (int)n, input);
	return ret;
}

/* A device's cycles are not a core's. */
static bool is_anothers(const struct event *event, const struct metric_wanted *wanted)
{
	return event_is_of_device(event) && !wanted->pmu[0] && event_synonyms_of(wanted->what)[0];
}

/* "EVENT/cmask=1/" is "cpu/EVENT,cmask=1/". */
static bool is_with_terms(const struct event *event, const struct metric_wanted *wanted)
{
	char name[2 * EVENT_NAME_MAX];

	snprintf(name, sizeof(name), "%s,%s", wanted->pmu, wanted->what);
	return event_is(event, name);
}

bool metric_is_wanted(const struct event *event, const char *input,
		      const struct metric_wanted *wanted)
{
	if ((wanted->has_privilege && event->privilege != wanted->privilege) ||
	    is_anothers(event, wanted))
		return false;
	if (event_is(event, input))
		return true;
	if (wanted->pmu[0] && (!event->pmu || !pmu_is_called(event->pmu, wanted->pmu)))
		return is_with_terms(event, wanted);
	return event_is(event, wanted->what);
}

bool metric_input_is(const struct event *event, const char *input)
{
	struct metric_wanted wanted = metric_wanted_of(input);

	return metric_is_wanted(event, input, &wanted);
}
