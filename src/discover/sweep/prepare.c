/* What a request means on this machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "discover/ids/raw_id.h"
#include "discover/sweep/internal.h"

static bool simulates(const struct sweep *sweep)
{
	return sweep->backend->ops->run_workload;
}

/* Only software events are there: they are tried with the kernels that they count. */
static bool is_software_only(const struct sweep *sweep)
{
	return !machine_has_core_pmu(&sweep->backend->machine);
}

/* ---- where ---- */

/* The target's own core, else one before it that is online. Where there is none, measuring says so. */
static unsigned usable_core(const struct sweep *sweep, const struct target *target)
{
	for (unsigned core = target->core + 1; core-- > 0;)
		if (sweep->backend->machine.core[core].type == target->index &&
		    runner_may_use(sweep->backend, core))
			return core;
	return target->core;
}

static int make_targets(struct sweep *sweep, struct err *err)
{
	const struct machine *machine = &sweep->backend->machine;
	int rc = 0;

	for (unsigned i = 0; i < machine->n_types && !rc; i++) {
		struct findings_type *type = &sweep->findings.type[i];
		struct target *target = &sweep->target[i];

		rc = target_make(sweep->events, i, target, err);
		if (rc)
			break;
		target->core = usable_core(sweep, target);
		snprintf(type->name, sizeof(type->name), "%s", target->type->name);
		machine_cpuid(machine, i, type->cpuid, sizeof(type->cpuid));
		snprintf(type->pmu, sizeof(type->pmu), "%s", target->pmu->name);
		type->cpu = machine->core[target->core].cpu;
		type->n_counters = target->type->n_counters;
		type->choosable = target->choosable;
		if (target->is_core)
			raw_id_bits(target->pmu, &type->event_bits, &type->umask_bits);
	}
	sweep->findings.n_types = machine->n_types;
	return rc;
}

/* ---- which ids ---- */

/* One that some type has: the others give it up. */
static int check_id(const struct sweep *sweep, uint64_t id, struct err *err)
{
	for (unsigned i = 1; i < sweep->findings.n_types; i++)
		if (!target_check_id(&sweep->target[i], id, NULL))
			return 0;
	return target_check_id(&sweep->target[0], id, err);
}

static int check_ids(const struct sweep *sweep, struct err *err)
{
	const struct ids *ids = &sweep->findings.ids;
	int rc = 0;

	for (size_t i = 0; i < ids->n && !rc; i++)
		rc = check_id(sweep, ids->id[i], err);
	return rc;
}

static int add_ids(struct ids *ids, const struct ids *more, struct err *err)
{
	struct ids all;

	if (ids_join(ids, more, &all))
		return err_set(err, ENOMEM, "out of memory");
	ids_fini(ids);
	*ids = all;
	return 0;
}

/* What any type has. */
static int all_ids(struct sweep *sweep, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < sweep->findings.n_types && !rc; i++) {
		struct ids its = { 0 };

		rc = target_ids(&sweep->target[i], &its, err);
		if (!rc)
			rc = add_ids(&sweep->findings.ids, &its, err);
		ids_fini(&its);
	}
	return rc;
}

static int choose_ids(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	struct ids *ids = &sweep->findings.ids, given = { 0 };
	int rc;

	if (!request->ids && !request->old)
		return all_ids(sweep, err);
	rc = request->ids ? ids_parse(request->ids, &given, err) : 0;
	if (!rc)
		rc = add_ids(ids, &given, err);
	if (!rc && request->old)
		rc = add_ids(ids, &request->old->ids, err);
	ids_fini(&given);
	return rc ? rc : check_ids(sweep, err);
}

/* ---- which kernels ---- */

static bool can_run(const struct sweep *sweep, const struct kernel *kernel)
{
	if (is_software_only(sweep) && !kernel->software && kernel_find(kernel->name))
		return false;
	return simulates(sweep) || kernel_runs_here(kernel);
}

static int cannot_run(const struct sweep *sweep, const struct kernel *kernel, struct err *err)
{
	if (is_software_only(sweep) && !kernel->software)
		return err_set(err, ENODEV,
			       "no core PMU here could count %s: software events go with the "
			       "kernels page-fault and context-switch",
			       kernel->name);
	return err_set(err, ENOTSUP, "this processor cannot run the kernel %s", kernel->name);
}

static bool has_kernel(const struct sweep *sweep, const struct kernel *kernel)
{
	for (unsigned i = 0; i < sweep->findings.n_kernels; i++)
		if (sweep->kernel[i] == kernel)
			return true;
	return false;
}

static void add_kernel(struct sweep *sweep, const struct kernel *kernel)
{
	struct findings *findings = &sweep->findings;
	unsigned i = findings->n_kernels;

	if (i == KERNELS_MAX || has_kernel(sweep, kernel))
		return;
	snprintf(findings->kernel[i], sizeof(findings->kernel[i]), "%s", kernel->name);
	sweep->kernel[i] = kernel;
	findings->n_kernels++;
}

static int add_named(struct sweep *sweep, const char *name, struct err *err)
{
	const struct kernel *kernel = kernel_find(name);

	if (!kernel)
		return err_set(err, EINVAL,
			       "no kernel is named \"%s\": see m1top discover --list-kernels",
			       name);
	if (!can_run(sweep, kernel))
		return cannot_run(sweep, kernel, err);
	add_kernel(sweep, kernel);
	return 0;
}

/* A simulated core does the work of kernels that it knows, and of no others. */
static int add_custom(struct sweep *sweep, const struct custom *custom, struct err *err)
{
	if (simulates(sweep))
		return err_set(err, ENOTSUP, "a simulated machine cannot run your code");
	if (custom->kernel.programs && !sweep->backend->ops->tasks_open)
		return backend_has_no_tasks(sweep->backend->ops, err);
	add_kernel(sweep, &custom->kernel);
	sweep->findings.custom = custom->origin;
	return 0;
}

/* What the report says of it is repeated, and never run: a report is data. @before  the options */
static int needs_custom(const struct custom_origin *old, const char *name, const char *before,
			struct err *err)
{
	struct text text = { 0 };

	if (strcmp(old->name, name) != 0)
		return err_set(err, EINVAL,
			       "its kernel \"%s\" is not built in: give its --trigger and "
			       "--control, or its --asm, with --name %s",
			       name, name);
	text_printf(&text, "its kernel \"%s\" %s:", name, before);
	custom_origin_options(old, &text);
	return text_to_err(&text, EINVAL, err);
}

static int add_old(struct sweep *sweep, const struct sweep_request *request, const char *name,
		   struct err *err)
{
	const struct custom_origin *old = &request->old->custom;
	const struct custom *custom = request->custom;

	if (custom && strcmp(custom->kernel.name, name) == 0) {
		if (!custom_origin_differs(old, &custom->origin))
			return add_custom(sweep, custom, err);
		if (*old->assembly && strcmp(old->assembly, custom->origin.assembly) == 0)
			return err_set(err, EINVAL, "its kernel \"%s\" has changed: %s", name,
				       old->assembly);
		return needs_custom(old, name, "differs", err);
	}
	if (!kernel_find(name))
		return needs_custom(old, name, "is your own: give it again", err);
	return add_named(sweep, name, err);
}

static int add_list(struct sweep *sweep, const char *names, struct err *err)
{
	int rc = 0;

	while (!rc && *names) {
		char name[KERNEL_NAME_MAX];
		size_t n = strcspn(names, ",");

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name)),
			 names);
		rc = add_named(sweep, name, err);
		names += n;
		names += *names == ',';
	}
	if (!rc && !sweep->findings.n_kernels)
		return err_set(err, EINVAL, "needs at least one kernel");
	return rc;
}

static int choose_kernels(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	const struct findings *old = request->old;
	int rc = 0;

	for (unsigned i = 0; old && i < old->n_kernels && !rc; i++)
		rc = add_old(sweep, request, old->kernel[i], err);
	if (request->custom && !rc)
		rc = add_custom(sweep, request->custom, err);
	if (request->kernels && !rc)
		return add_list(sweep, request->kernels, err);
	if (old || request->only_masks || request->custom)
		return rc;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (can_run(sweep, kernel))
			add_kernel(sweep, kernel);
	if (!sweep->findings.n_kernels)
		return err_set(err, ENOTSUP, "none of the kernels runs here");
	return 0;
}

/* ---- all together ---- */

static void choose_plan(struct sweep *sweep, const struct sweep_request *request)
{
	struct findings *findings = &sweep->findings;

	if (request->old) {
		findings->plan = request->old->plan;
		findings->is_quick = request->old->is_quick;
	} else {
		findings->is_quick = request->is_quick;
		experiment_plan_init(request->is_quick, &findings->plan);
	}
	if (request->repeats)
		findings->plan.repeats = request->repeats;
	if (request->seed)
		findings->plan.seed = request->seed;
}

static int fill(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	struct findings *findings = &sweep->findings;
	int rc = findings_make_room(findings);

	for (unsigned i = 0; i < findings->n_types && !rc; i++)
		target_label(&sweep->target[i], findings);
	if (!rc && request->old)
		rc = findings_take_over(findings, request->old);
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

int sweep_prepare(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	int rc;

	if (event_table_new(&sweep->backend->machine, &sweep->events))
		return err_set(err, ENOMEM, "out of memory");
	if (request->only_masks && is_software_only(sweep))
		return err_set(err, ENODEV, "no core PMU here has counters with masks");
	sweep_describe(sweep, request->backend_text);
	sweep->findings.only_masks =
		request->only_masks ||
		(request->old && request->old->only_masks && !request->kernels);
	rc = make_targets(sweep, err);
	if (!rc && request->old)
		rc = sweep_check_same(sweep, request->old, err);
	if (!rc)
		rc = choose_ids(sweep, request, err);
	if (!rc)
		rc = choose_kernels(sweep, request, err);
	choose_plan(sweep, request);
	return rc ? rc : fill(sweep, request, err);
}
