/* groups.c: opens the groups of a set on all cores and closes them when no core reads them any more */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "sampler/threads/internal.h"

enum { FORGOTTEN_KEPT = 16 };

static struct core_thread *core_thread_of(const struct sampler *sampler, unsigned core)
{
	return &sampler->core_thread[core % sampler->n_core_threads];
}

static struct core_run *run_of(const struct sampler *sampler, unsigned core)
{
	return &core_thread_of(sampler, core)->run[core / sampler->n_core_threads];
}

unsigned groups_n_slots(const struct sampler *sampler, unsigned core)
{
	bool is_long =
		sampler->backend->of_tasks || machine_core_reads_devices(sampler->machine, core);

	return is_long ? SLOTS_MAX : CORE_SLOTS_MAX;
}

static unsigned n_groups(const struct sampler *sampler, const struct set *set)
{
	return set_n_mux(set) * sampler->machine->n_cores;
}

struct group *active_group(const struct sampler *sampler, const struct active_set *active,
			   unsigned core, unsigned mux)
{
	return atomic_load(&active->group[mux * sampler->machine->n_cores + core]);
}

static void close_groups(struct sampler *sampler, struct active_set *active)
{
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++) {
		sampler->backend->ops->group_close(atomic_load(&active->group[i]));
		atomic_store(&active->group[i], NULL);
	}
}

/* Open one mux group on all cores. @group  by core */
static int open_mux(struct sampler *sampler, struct active_set *active, const struct set *mux,
		    _Atomic(struct group *) *group, struct err *err)
{
	for (unsigned i = 0; i < sampler->machine->n_cores; i++) {
		struct group *opened = NULL;
		struct err said = { "" };
		int rc =
			sampler->backend->ops->group_open(sampler->backend, i, mux, &opened, &said);

		/* an offline core is shown as off and opened when it comes back */
		if (rc && rc != -ENODEV)
			return err_set(err, -rc, "%s", said.text);
		if (!rc && said.text[0])
			active->note = said;
		atomic_store(&group[i], rc ? NULL : opened);
	}
	return 0;
}

static int open_groups(struct sampler *sampler, struct active_set *active, struct err *err)
{
	int rc = 0;

	for (unsigned t = 0; t < set_n_mux(&active->of->set) && !rc; t++) {
		struct set mux;

		set_mux_group(&active->of->set, t, &mux);
		rc = open_mux(sampler, active, &mux, &active->group[t * sampler->machine->n_cores],
			      err);
	}
	if (rc)
		close_groups(sampler, active);
	return rc;
}

/* Find an identical set that was loaded earlier, to keep its number: the history then sees one set.
 * @return NULL: none, or it is freed or still read */
static struct active_set *find_retired(const struct sampler *sampler, const struct set *set)
{
	for (struct active_set *active = sampler->active_sets; active; active = active->next)
		if (active->retired_by && set_counts_same(&active->of->set, set) &&
		    plan_is_seen(sampler, active->retired_by))
			return active;
	return NULL;
}

static int load_again(struct sampler *sampler, struct active_set *active, struct err *err)
{
	/* the old groups are in `retired` and closed from there */
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++)
		atomic_store(&active->group[i], NULL);
	active->note = (struct err){ "" };

	int rc = open_groups(sampler, active, err);

	if (!rc)
		active->retired_by = 0;
	return rc;
}

/* Free a set and close its open groups. */
static void free_active(struct sampler *sampler, struct active_set *active)
{
	if (!active->retired_by)
		close_groups(sampler, active);
	frame_set_unref(active->of);
	free(active);
}

static int load_new(struct sampler *sampler, const struct set *set, struct active_set **ret,
		    struct err *err)
{
	struct active_set *active =
		calloc(1, sizeof(*active) + n_groups(sampler, set) * sizeof(active->group[0]));

	if (!active ||
	    frame_set_new(set, sampler->metrics, sampler->machine->n_types, &active->of)) {
		free(active);
		return err_set(err, ENOMEM, "out of memory");
	}
	active->of->set.number = sampler->n_sets + 1;

	int rc = open_groups(sampler, active, err);

	if (rc) {
		free_active(sampler, active);
		return rc;
	}
	sampler->n_sets++;
	active->next = sampler->active_sets;
	sampler->active_sets = active;
	*ret = active;
	return 0;
}

static bool is_planned(const struct sampler *sampler, const struct active_set *active)
{
	const struct plan *plan = plan_newest(sampler);

	while (plan && plan->active != active)
		plan = plan->next;
	return plan;
}

/* Whether no thread reads the set and no frame refers to it. */
static bool is_forgotten(const struct sampler *sampler, const struct active_set *active)
{
	/* acquire: the last frame's use came before */
	return !is_planned(sampler, active) &&
	       atomic_load_explicit(&active->of->refs, memory_order_acquire) == 1;
}

/* Free unreferenced sets except the newest, which may be loaded again. */
static void forget_sets(struct sampler *sampler)
{
	struct active_set **at = &sampler->active_sets;
	unsigned n = 0;

	while (*at) {
		struct active_set *active = *at;

		if (!is_forgotten(sampler, active) || n++ < FORGOTTEN_KEPT) {
			at = &active->next;
			continue;
		}
		*at = active->next;
		free_active(sampler, active);
	}
}

int groups_load(struct sampler *sampler, const struct set *set, struct active_set **ret,
		struct err *err)
{
	const struct backend_ops *ops = sampler->backend->ops;

	if (set->by_task && !ops->switches_drain)
		return backend_has_no_tasks(ops, err);

	struct active_set *again = find_retired(sampler, set);
	int rc = again ? load_again(sampler, again, err) : load_new(sampler, set, ret, err);

	if (!rc && again)
		*ret = again;
	return rc;
}

static void retire(struct sampler *sampler, const struct active_set *active, unsigned core,
		   struct group *group, bool is_reopen)
{
	if (!group)
		return;
	if (array_reserve((void **)&sampler->retired, &sampler->cap_retired, sampler->n_retired,
			  sizeof(*sampler->retired)))
		return; /* it stays open until the process ends: no memory to note it */
	sampler->retired[sampler->n_retired++] = (struct retired){
		.core = core,
		.group = group,
		.plan = plan_newest(sampler)->number,
		.by_task = active->of->set.by_task,
		.is_reopen = is_reopen,
	};
}

void groups_retire(struct sampler *sampler, struct active_set *active)
{
	for (unsigned i = 0; i < n_groups(sampler, &active->of->set); i++) {
		/* the pointers stay: a core thread may still enable the next mux group */
		retire(sampler, active, i % sampler->machine->n_cores,
		       atomic_load(&active->group[i]), false);
	}
	active->retired_by = plan_newest(sampler)->number;
}

static bool is_out_of_use(const struct sampler *sampler, const struct retired *retired)
{
	if (retired->is_reopen)
		return atomic_load_explicit(&run_of(sampler, retired->core)->reopen,
					    memory_order_acquire) == REOPEN_NO;
	/* its records belong to the last window of the previous plan, which the collector closes */
	if (retired->by_task && atomic_load_explicit(&sampler->collector.plan_seen,
						     memory_order_acquire) < retired->plan)
		return false;
	return atomic_load_explicit(&core_thread_of(sampler, retired->core)->plan_seen,
				    memory_order_acquire) >= retired->plan;
}

static void close_retired(struct sampler *sampler, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < sampler->n_retired; i++) {
		if (all || is_out_of_use(sampler, &sampler->retired[i]))
			sampler->backend->ops->group_close(sampler->retired[i].group);
		else
			sampler->retired[kept++] = sampler->retired[i];
	}
	sampler->n_retired = kept;
}

/* Report an error once per core, however often reopening is tried. */
static void tell_last_error(struct sampler *sampler, struct core_run *run, const struct err *said)
{
	if (!run->is_told)
		err_set(&sampler->last_error, 0,
			"cpu %u is online again, but cannot be counted: %s",
			sampler->machine->core[run->core].cpu, said->text);
	run->is_told = true;
}

/* Open all mux groups of a set on one core, or none. */
static int groups_open_core(struct sampler *sampler, const struct set *set, unsigned core,
			    struct group *ret[MUX_MAX], struct err *err)
{
	const struct backend_ops *ops = sampler->backend->ops;
	int rc = 0;

	for (unsigned t = 0; t < set_n_mux(set); t++) {
		struct set mux;

		set_mux_group(set, t, &mux);
		rc = ops->group_open(sampler->backend, core, &mux, &ret[t], err);
		while (rc && t)
			ops->group_close(ret[--t]);
		if (rc)
			return rc;
	}
	return 0;
}

/* Reopen the groups of a core that came back: the kernel never revives the old ones. */
static void reopen(struct sampler *sampler, unsigned core)
{
	struct active_set *active = plan_newest(sampler)->active;
	struct core_run *run = run_of(sampler, core);
	struct group *group[MUX_MAX];
	struct err said = { "" };
	int rc = groups_open_core(sampler, &active->of->set, core, group, &said);

	if (rc) {                  /* the core thread continues to ask */
		if (rc != -ENODEV) /* ENODEV: offline again */
			tell_last_error(sampler, run, &said);
		return;
	}
	run->is_told = false;
	for (unsigned t = 0; t < set_n_mux(&active->of->set); t++) {
		retire(sampler, active, core, active_group(sampler, active, core, t), true);
		atomic_store(&active->group[t * sampler->machine->n_cores + core], group[t]);
	}
	/* release: the core thread sees the groups */
	atomic_store_explicit(&run->reopen, REOPEN_PROVIDED, memory_order_release);
}

void sampler_service(struct sampler *sampler)
{
	close_retired(sampler, false);
	plan_forget_seen(sampler);
	forget_sets(sampler);
	for (unsigned core = 0; sampler->running && core < sampler->machine->n_cores; core++) {
		if (atomic_load_explicit(&run_of(sampler, core)->reopen, memory_order_acquire) ==
		    REOPEN_WANTED)
			reopen(sampler, core);
	}
}

void groups_fini(struct sampler *sampler)
{
	close_retired(sampler, true);
	free(sampler->retired);
	while (sampler->active_sets) {
		struct active_set *active = sampler->active_sets;

		sampler->active_sets = active->next;
		free_active(sampler, active);
	}
}
