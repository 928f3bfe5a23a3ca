/* Which machine is swept, and whether it is the one that was swept before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "discover/sweep/internal.h"

void sweep_describe(struct sweep *sweep, const char *backend)
{
	const struct machine *machine = &sweep->backend->machine;
	struct findings_machine *ret = &sweep->findings.machine;
	struct utsname name = { 0 };

	uname(&name);
	snprintf(ret->model, sizeof(ret->model), "%s", machine->model);
	snprintf(ret->cpuid, sizeof(ret->cpuid), "%s", machine->cpuid);
	snprintf(ret->kernel, sizeof(ret->kernel), "%.20s %.50s %.20s", name.sysname, name.release,
		 name.machine);
	snprintf(ret->backend, sizeof(ret->backend), "%s",
		 backend ? backend : sweep->backend->ops->name);
	snprintf(ret->m1top, sizeof(ret->m1top), "%s", M1TOP_VERSION);
	clock_rfc3339(clock_wall_ns(), ret->date, sizeof(ret->date));
	ret->is_simulated = machine->simulated;
}

/* The part of a list that ends at a comma, or at the end. */
static bool has_item(const char *list, const char *item, size_t n)
{
	for (; list; list = strchr(list, ','), list += !!list)
		if (strcspn(list, ",") == n && strncmp(list, item, n) == 0)
			return true;
	return false;
}

static bool has_all(const char *list, const char *of)
{
	for (; of; of = strchr(of, ','), of += !!of)
		if (!has_item(list, of, strcspn(of, ",")))
			return false;
	return true;
}

/* "sim:hidden,seed=3" is "sim:seed=3,hidden". */
static bool is_same_backend(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	if (strcspn(b, ":") != n || strncmp(a, b, n) != 0 || !a[n] != !b[n])
		return false;
	return !a[n] || (has_all(a + n + 1, b + n + 1) && has_all(b + n + 1, a + n + 1));
}

int sweep_check_same(const struct sweep *sweep, const struct findings *old, struct err *err)
{
	const struct findings *now = &sweep->findings;

	if (!is_same_backend(now->machine.backend, old->machine.backend))
		return err_set(err, EINVAL, "it was made with --backend %s", old->machine.backend);
	if (strcmp(now->machine.model, old->machine.model) != 0 ||
	    strcmp(now->machine.cpuid, old->machine.cpuid) != 0)
		return err_set(err, EINVAL, "it is from another machine: %s, %s",
			       old->machine.model, old->machine.cpuid);
	for (unsigned i = 0; i < old->n_types; i++) {
		int type = findings_type_named(now, old->type[i].name);

		/* what was found on them would be missing from the report that is written */
		if (type < 0)
			return err_set(err, EINVAL, "its %s cores are missing here (-C, offline?)",
				       old->type[i].name);
		if (strcmp(old->type[i].cpuid, now->type[type].cpuid) != 0)
			return err_set(err, EINVAL, "its %s cores are different: %s",
				       old->type[i].name, old->type[i].cpuid);
		/* ids of x86 were once without a umask: those of AMD had their high bits elsewhere */
		if (old->type[i].umask_bits != now->type[type].umask_bits &&
		    old->ids.id[old->ids.n - 1] > 0xff)
			return err_set(err, EINVAL,
				       "its ids are written in another way: start a new report");
	}
	return 0;
}
