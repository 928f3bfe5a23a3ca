/* doctor on activity monitors: what each core type's frequency and utilisation come from. */
#include <errno.h>
#include <stdio.h>

#include "cmd/doctor.h"
#include "pmu/activity.h"

/* @return false: the path is used, or there are no more */
static bool tell_path(const struct machine *machine, unsigned type, unsigned n)
{
	const char *of = machine->type[type].name, *name, *what;
	struct err why = { "" };
	int rc = activity_ask(machine, type, n, &name, &what, &why);

	/* a better path that is shut is nothing wrong while a lesser one serves */
	bool is_served = activity_path_name(machine, type);

	if (!rc)
		OK("type %s: %s: %s", of, name, what);
	else if (rc == -ENODEV || (rc != -ENOENT && is_served))
		NONE("type %s: %s: %s", of, name, why.text);
	else if (rc != -ENOENT)
		PROBLEM("type %s: %s: %s", of, name, why.text);
	return rc && rc != -ENOENT;
}

void doctor_activity(const struct machine *machine)
{
	printf("Frequency and utilisation\n");
	if (!machine->activity)
		NONE("nothing here says how long a core was idle");
	for (unsigned type = 0; type < machine->n_types; type++) {
		for (unsigned n = 0; tell_path(machine, type, n); n++)
			;
	}
}
