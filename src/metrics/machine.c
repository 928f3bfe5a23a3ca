#include "metrics/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "metrics/own.h"
#include "catalog/map.h"

static int literal(void *data, const char *name, double *ret)
{
	const struct metrics_machine *m = data;

	return literals_get(m->literals, m->type, name, ret);
}

static int resolve(const struct metrics_machine *m, const char *name, struct err *err)
{
	AUTO_FREE struct event_spec *unit = NULL;
	const struct event *event;
	struct event_spec spec;
	size_t n;
	int rc = event_spec_parse(name, &spec, err);

	if (!rc)
		rc = event_specs_expand(m->events, &spec, 1, &unit, &n, err);
	if (!rc) /* the first device is as good as the others */
		rc = event_resolve(m->events, m->type, unit, PRIVILEGE_BOTH, &event, err);
	/* how it is programmed a session does not say, and it need not be: the catalogue has it */
	if (rc == -EINVAL && m->machine->recorded)
		return 0;
	if (!rc && event->refused[0])
		rc = err_set(err, ENOENT, "%s: %s", name, event->refused);
	return rc;
}

/* Any event may have been counted on a recorded machine; the sets will tell. */
int metrics_machine_find_event(struct metrics_machine *m, const char *name, struct err *err)
{
	return m->machine->recorded ? 0 : resolve(m, name, err);
}

/* How a recorded PMU encodes its events nobody knows, but which names its cores have. */
static bool has_event(void *data, const char *name)
{
	const struct metrics_machine *m = data;
	const struct catalog_event *known[1];

	if (m->machine->recorded && !strchr(name, '/') &&
	    catalog_lookup(m->machine->type[m->type].catalog, name, known, 1) > 0)
		return true;
	return resolve(m, name, NULL) == 0;
}

/* A MIDR without a part number is no CPU, though a row of mapfile.csv may say so. */
static bool is_midr_of_none(const char *id)
{
	char *end;
	unsigned long long midr = strtoull(id, &end, 0);

	return !*end && !(midr & 0xfff0);
}

static bool is_cpu(void *data, const char *id)
{
	const struct metrics_machine *m = data;
	struct map_row row = { .kind = MAP_CORE };
	char cpuid[64];

	if (strlen(id) >= sizeof(row.cpuid) || is_midr_of_none(id))
		return false;
	memcpy(row.cpuid, id, strlen(id) + 1);
	machine_cpuid(m->machine, m->type, cpuid, sizeof(cpuid));
	return catalog_map_matches(&row, cpuid) || strcmp(id, cpuid) == 0;
}

/* As it is spelt: `slots` is an event where SLOTS is a metric. */
static const char *metric(void *data, const char *name)
{
	const struct metrics_machine *m = data;
	const struct catalog_metric *known =
		catalog_metric_exact(m->machine->type[m->type].catalog, name);

	if (known)
		return known->expr;
	return m->metrics ? metrics_own_expr(m->metrics, name) : NULL;
}

int metrics_machine_init(struct metrics_machine *ret, const struct machine *machine,
			 const struct literals *literals)
{
	*ret = (struct metrics_machine){
		.machine = machine,
		.literals = literals,
		.context = { .runtime = 1, /* perf's, but on POWER */
			     .literal = literal,
			     .has_event = has_event,
			     .is_cpu = is_cpu,
			     .metric = metric },
	};
	return event_table_new(machine, &ret->events);
}

void metrics_machine_fini(struct metrics_machine *machine)
{
	if (machine)
		event_table_free(machine->events);
}

const struct metric_context *metrics_machine_of_type(struct metrics_machine *machine, unsigned type)
{
	machine->type = type;
	machine->context.data = machine;
	return &machine->context;
}
