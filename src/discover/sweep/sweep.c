#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "discover/ids.h"
#include "discover/run/experiment.h"
#include "discover/sweep/internal.h"

/* ---- identity of the machine, compared with an earlier sweep's */

/* Record the machine, its kernel and the time. */
static void sweep_describe(struct sweep *sweep, const char *backend)
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

static bool has_all(const char *list, const char *of)
{
	char item[sizeof(((struct findings_machine *)NULL)->backend)];
	const char *at;
	size_t n;

	while (text_next_item(&of, &at, &n)) {
		snprintf(item, sizeof(item), "%.*s", (int)n, at);
		if (!text_has_item(list, item))
			return false;
	}
	return true;
}

/* Whether two backends are the same; the order of options does not matter: "sim:hidden,seed=3" is
 * "sim:seed=3,hidden". */
static bool is_same_backend(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	if (strcspn(b, ":") != n || strncmp(a, b, n) != 0 || !a[n] != !b[n])
		return false;
	return !a[n] || (has_all(a + n + 1, b + n + 1) && has_all(b + n + 1, a + n + 1));
}

/* Check that an old sweep is of this machine and its types. @return 0; -EINVAL naming the difference */
static int sweep_check_same(const struct sweep *sweep, const struct findings *old, struct err *err)
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

		/* their findings would be missing from the new report */
		if (type < 0)
			return err_set(err, EINVAL, "its %s cores are missing here (-C, offline?)",
				       old->type[i].name);
		if (strcmp(old->type[i].cpuid, now->type[type].cpuid) != 0)
			return err_set(err, EINVAL, "its %s cores are different: %s",
				       old->type[i].name, old->type[i].cpuid);
		/* earlier ids of x86 had no umask, and AMD's high bits elsewhere */
		if (old->type[i].umask_bits != now->type[type].umask_bits &&
		    old->ids.id[old->ids.n - 1] > 0xff)
			return err_set(err, EINVAL,
				       "its ids have an older format: start a new report");
	}
	return 0;
}

static bool simulates(const struct sweep *sweep)
{
	return sweep->backend->ops->run_workload;
}

/* Whether there are only software events, which are tried with the kernels that they count. */
static bool is_software_only(const struct sweep *sweep)
{
	return !machine_has_core_pmu(&sweep->backend->machine);
}

/* ---- cores ---- */

/* Return the target's core, else an online one before it. If there is none, measuring reports it. */
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

/* ---- ids ---- */

/* Check that some type has the id; other types skip it. */
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

/* Choose all ids that any type has. */
static int all_ids(struct sweep *sweep, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < sweep->findings.n_types && !rc; i++) {
		struct ids its = { 0 };

		rc = target_ids(&sweep->target[i], &its, err);
		if (!rc)
			rc = ids_add(&sweep->findings.ids, &its, err);
		ids_fini(&its);
	}
	return rc;
}

static int choose_ids(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	struct ids *ids = &sweep->findings.ids;

	if (!request->ids && !request->old)
		return all_ids(sweep, err);

	int rc = request->ids ? ids_parse(request->ids, ids, err) : 0;

	if (!rc && request->old)
		rc = ids_add(ids, &request->old->ids, err);
	return rc ? rc : check_ids(sweep, err);
}

/* ---- kernels ---- */

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
			       "there is no core PMU here to count %s: software events need the "
			       "kernels page-fault or context-switch",
			       kernel->name);
	return err_set(err, ENOTSUP, "this processor cannot run the kernel %s", kernel->name);
}

static void add_kernel(struct sweep *sweep, const struct kernel *kernel)
{
	struct findings *findings = &sweep->findings;
	unsigned i = findings->n_kernels;

	for (unsigned k = 0; k < i; k++)
		if (sweep->kernel[k] == kernel)
			return;
	if (i == KERNELS_MAX)
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

/* Add the user's kernel; a simulated core only knows the built-in ones. */
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

/* Report that the user must give the kernel again. The report's commands are shown, never run: a
 * report is data. @before  text before the options */
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

static int sweep_add_list(struct sweep *sweep, const char *names, struct err *err)
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
		return sweep_add_list(sweep, request->kernels, err);
	if (old || request->only_masks || request->custom)
		return rc;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		if (can_run(sweep, kernel))
			add_kernel(sweep, kernel);
	if (!sweep->findings.n_kernels)
		return err_set(err, ENOTSUP, "none of the kernels runs here");
	return 0;
}

/* ---- whole request ---- */

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

/* Find the id of a catalogue event that is nothing but an id. @return -1 if it is not in the list */
static long target_place_of(const struct target *target, const struct catalog_event *known,
			    const struct ids *ids)
{
	uint64_t config[CONFIG_WORDS] = { 0 }, id;
	bool is_of_pmu = target->is_core ? !known->pmu[0]
					 : known->pmu[0] && pmu_is_of(target->pmu, known->pmu,
								      known->compat);

	if (!is_of_pmu || pmu_encode(target->pmu, known->terms, config, NULL) ||
	    !raw_id_of(target->pmu, config, &id))
		return -1;
	return ids_find(ids, id);
}

/* Label the ids with the catalogue's names, which never affect verdicts. */
static void target_label(const struct target *target, struct findings *findings)
{
	const struct catalog *catalog = target->type->catalog;

	for (size_t i = 0; i < catalog->n_events; i++) {
		const struct catalog_event *known = &catalog->event[i];
		long place = target_place_of(target, known, &findings->ids);
		struct findings_id *of_id;

		if (place < 0)
			continue;
		of_id = findings_of_id(findings, target->index, (size_t)place);
		if (of_id->is_known)
			continue;
		snprintf(of_id->label, sizeof(of_id->label), "%s", known->name);
		of_id->catalogue = known->counters;
		of_id->is_known = true;
	}
}

static int sweep_fill(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	struct findings *findings = &sweep->findings;
	int rc = findings_make_room(findings);

	for (unsigned i = 0; i < findings->n_types && !rc; i++)
		target_label(&sweep->target[i], findings);
	if (!rc && request->old)
		rc = findings_take_over(findings, request->old);
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* Fill in targets, kernels and findings, empty or old, from a request. Errors of sweep_new */
static int sweep_prepare(struct sweep *sweep, const struct sweep_request *request, struct err *err)
{
	if (event_table_new(&sweep->backend->machine, &sweep->events))
		return err_set(err, ENOMEM, "out of memory");
	if (request->only_masks && is_software_only(sweep))
		return err_set(err, ENODEV, "no core PMU here has counters with masks");
	sweep_describe(sweep, request->backend_text);
	sweep->findings.only_masks =
		request->only_masks ||
		(request->old && request->old->only_masks && !request->kernels);

	int rc = make_targets(sweep, err);

	if (!rc && request->old)
		rc = sweep_check_same(sweep, request->old, err);
	if (!rc)
		rc = choose_ids(sweep, request, err);
	if (!rc)
		rc = choose_kernels(sweep, request, err);
	choose_plan(sweep, request);
	return rc ? rc : sweep_fill(sweep, request, err);
}

int sweep_new(const struct sweep_request *request, struct sweep **ret, struct err *err)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));

	if (!sweep)
		return err_set(err, ENOMEM, "out of memory");
	sweep->backend = request->backend;
	sweep->began_share = -1;
	pthread_mutex_init(&sweep->mutex, NULL);

	int rc = sweep_prepare(sweep, request, err);

	if (rc) {
		sweep_free(sweep);
		return rc;
	}
	*ret = sweep;
	return 0;
}

static void *sweep_run(void *data)
{
	struct sweep *sweep = data;
	struct err err = { "" };
	int rc = sweep_measure(sweep, &err);

	pthread_mutex_lock(&sweep->mutex);
	sweep->result = rc;
	sweep->err = err;
	sweep->findings.is_complete = !rc;
	sweep->findings.spent_ns += clock_now_ns() - sweep->began_ns;
	sweep->progress.is_over = true;
	sweep->progress.version++;
	if (!rc)
		sweep->progress.share = 1;
	pthread_mutex_unlock(&sweep->mutex);
	return NULL;
}

int sweep_start(struct sweep *sweep, struct err *err)
{
	sweep->began_ns = clock_now_ns();

	int rc = pthread_create(&sweep->thread, NULL, sweep_run, sweep);

	if (rc)
		return err_set(err, rc, "cannot start the measuring thread: %s", strerror(rc));
	sweep->is_started = true;
	return 0;
}

void sweep_stop(struct sweep *sweep)
{
	/* relaxed: no other data depend on it */
	atomic_store_explicit(&sweep->stop, true, memory_order_relaxed);
}

/* Estimate the remaining time; earlier parts are excluded from the elapsed time. */
static uint64_t time_left(struct sweep *sweep, double share)
{
	uint64_t spent_ns = clock_now_ns() - sweep->began_ns;

	if (sweep->began_share < 0)
		sweep->began_share = share;

	double done = share - sweep->began_share;

	if (done < 0.002 || spent_ns < NS_PER_S / 5)
		return UINT64_MAX;
	return (uint64_t)((double)spent_ns * (1 - share) / done);
}

void sweep_report_progress(struct sweep *sweep, unsigned type, const char *kernel, double share)
{
	struct sweep_progress *progress = &sweep->progress;

	share = (type + share) / sweep->findings.n_types;
	pthread_mutex_lock(&sweep->mutex);
	progress->share = share;
	progress->left_ns = time_left(sweep, share);
	snprintf(progress->type, sizeof(progress->type), "%s", sweep->findings.type[type].name);
	snprintf(progress->kernel, sizeof(progress->kernel), "%s", kernel);
	progress->version++;
	pthread_mutex_unlock(&sweep->mutex);
}

void sweep_get_progress(struct sweep *sweep, struct sweep_progress *ret)
{
	pthread_mutex_lock(&sweep->mutex);
	*ret = sweep->progress;
	pthread_mutex_unlock(&sweep->mutex);
}

bool sweep_runs(struct sweep *sweep)
{
	struct sweep_progress progress;

	sweep_get_progress(sweep, &progress);
	return sweep->is_started && !progress.is_over;
}

int sweep_findings(struct sweep *sweep, struct findings *ret, struct err *err)
{
	struct findings findings = { 0 };

	pthread_mutex_lock(&sweep->mutex);

	int rc = findings_copy(&sweep->findings, &findings);

	if (!rc && sweep->began_ns && !sweep->progress.is_over)
		findings.spent_ns += clock_now_ns() - sweep->began_ns;
	pthread_mutex_unlock(&sweep->mutex);
	if (!rc)
		rc = findings_decide(&findings);
	if (!rc)
		*ret = findings;
	else
		findings_fini(&findings);
	return rc ? err_set(err, ENOMEM, "out of memory") : 0;
}

int sweep_result(struct sweep *sweep, struct err *err)
{
	if (sweep->is_started)
		pthread_join(sweep->thread, NULL);
	sweep->is_started = false;
	if (sweep->result)
		return err_set(err, -sweep->result, "%s", sweep->err.text);
	return 0;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	sweep_stop(sweep);
	sweep_result(sweep, NULL);
	event_table_free(sweep->events);
	findings_fini(&sweep->findings);
	pthread_mutex_destroy(&sweep->mutex);
	free(sweep);
}
