#include "cmd/stat/beside.h"

#include <string.h>

#include "base/cleanup.h"
#include "event/request.h"

/* What -e asks for. */
struct asked_events {
	struct event_spec *spec;
	size_t n;
};

static bool is_asked(const struct setup *setup, unsigned type, const struct asked_events *asked,
		     const struct event *event)
{
	const struct event *one;

	for (size_t i = 0; i < asked->n; i++)
		if (!event_resolve(setup->events, type, &asked->spec[i], setup->plain.privilege,
				   &one, NULL) &&
		    event_counts_as(one, event))
			return true;
	return false;
}

static void add_name(struct text *names, const char *name)
{
	if (!names->n || !strstr(names->bytes, name))
		text_printf(names, "%s%s", names->n ? "," : "", name);
}

void beside_events(const struct options *options, const struct setup *setup, struct text *ret)
{
	AUTO_FREE struct event_spec *spec = NULL;
	struct asked_events asked = { 0 };
	const struct machine *machine = &setup->backend->machine;

	if (options->preset || !(options->events || options->metrics))
		return;
	if (options->events && event_specs_parse(options->events, &spec, &asked.n, NULL))
		return;
	asked.spec = spec;
	for (unsigned type = 0; type < machine->n_types; type++) {
		const struct event *const *pair = setup->first.type[type].event;

		if (!type_has_fixed_pair(&machine->type[type]))
			continue;
		for (unsigned i = 0; i < 2; i++)
			if (pair[i] && !is_asked(setup, type, &asked, pair[i]))
				add_name(ret, pair[i]->name);
	}
}
