/* measure.c: measurement: one core type after the other, first counters, then kernel by kernel. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "discover/run/mask.h"
#include "discover/run/experiment.h"
#include "discover/sweep/internal.h"
#include "discover/sweep/pack.h"

enum { AGAIN = 4 }; /* multiple of the repeats for unclear estimates */

/* One core type being swept. */
struct work {
	struct sweep *sweep;
	struct findings *findings; /* of the sweep */
	const struct target *target;
	unsigned type;
	struct runner *runner;
	size_t *place; /* indexes of the ids that pack members refer to */
	size_t n_places;
	struct packs packs;
	uint32_t n_loaded;  /* sets loaded so far, for numbering */
	struct costs costs; /* by kernel */
};

/* Set and its events, which must live while it is loaded. Too large for the stack. */
struct sweep_set {
	struct event cycles, event[CORE_SLOTS_MAX];
	struct set set;
	int slot[CORE_SLOTS_MAX]; /* by member of the pack */
	int cycles_slot;          /* -1: not counted */
};

/* Make the events of a pack. */

static int make_events(const struct work *work, const struct kernel *kernel,
		       const struct pack *pack, struct sweep_set *ret, struct err *err)
{
	const struct findings *findings = work->findings;
	enum privilege privilege = target_privilege(work->target, kernel);
	int rc = 0;

	ret->cycles = work->target->cycles;
	ret->cycles.privilege = privilege;
	for (unsigned i = 0; i < pack->n && !rc; i++) {
		size_t place = work->place[pack->member[i]];
		const struct findings_id *of_id = findings_of_id(findings, work->type, place);

		rc = target_event(work->target, findings->ids.id[place], &of_id->mask, privilege,
				  &ret->event[i], err);
	}
	return rc;
}

static int measure_slot_of(const struct placement *placement, const struct event *event)
{
	for (int slot = 0; slot < SLOTS_MAX; slot++)
		if (placement->event[slot] == event)
			return slot;
	return -1;
}

static int measure_make_set(struct work *work, const struct kernel *kernel, const struct pack *pack,
			    struct sweep_set *ret, struct err *err)
{
	struct placement *placement = &ret->set.type[work->type];
	struct want want[CORE_SLOTS_MAX + 1];
	size_t n = 0;
	int rc = make_events(work, kernel, pack, ret, err);

	if (rc)
		return rc;
	ret->set.number = ++work->n_loaded;
	if (work->target->has_cycles)
		want[n++] = (struct want){ .event = &ret->cycles, .slot = -1 };
	for (unsigned i = 0; i < pack->n; i++)
		want[n++] = (struct want){ .event = &ret->event[i], .slot = -1 };
	if (placement_make(work->target->type, want, n, placement, NULL))
		return err_set(err, ENOSPC, "not enough counters for the events");
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (placement->event[slot])
			ret->set.n_slots = slot + 1;
	for (unsigned i = 0; i < pack->n; i++)
		ret->slot[i] = measure_slot_of(placement, &ret->event[i]);
	ret->cycles_slot = work->target->has_cycles ? measure_slot_of(placement, &ret->cycles) : -1;
	return 0;
}

static size_t places_to_try(const struct work *work, unsigned kernel, size_t *ret)
{
	const struct findings *findings = work->findings;
	size_t n = 0;

	for (size_t i = 0; i < findings->ids.n; i++)
		if (!findings_tried(findings, work->type, kernel)[i])
			ret[n++] = i;
	return n;
}

static int pack_places(struct work *work)
{
	AUTO_FREE uint64_t *counters = calloc(work->n_places + 1, sizeof(*counters));
	const struct target *target = work->target;

	if (!counters)
		return -ENOMEM;
	for (size_t i = 0; i < work->n_places; i++)
		counters[i] = target_counters(
			target, &findings_of_id(work->findings, work->type, work->place[i])->mask);
	packs_fini(&work->packs);
	return packs_make(target->type, counters, work->n_places, target->is_core,
			  target->has_cycles ? &target->cycles : NULL, &work->packs);
}

/* Pack the ids still to try; if they are the same as for the last kernel, keep its packs, with the
 * known refusals. */
static int sweep_sets_make(struct work *work, unsigned kernel, struct err *err)
{
	size_t *place = calloc(work->findings->ids.n + 1, sizeof(*place));

	if (!place)
		return err_set(err, ENOMEM, "out of memory");

	size_t n = places_to_try(work, kernel, place);
	bool is_same = work->place && n == work->n_places &&
		       memcmp(place, work->place, n * sizeof(*place)) == 0;

	if (is_same) {
		free(place);
		return 0;
	}
	free(work->place);
	work->place = place;
	work->n_places = n;
	return pack_places(work) ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* Whether an error means that the event is invalid. */
static bool sweep_is_refusal(int rc)
{
	return rc == -EINVAL || rc == -ENOSPC || rc == -EOPNOTSUPP || rc == -ENOENT;
}

/* Load a pack's set. If it does not fit, or an event keeps the others from running, half of it
 * goes into a pack of its own. */
static int sweep_sets_load(struct work *work, const struct kernel *kernel, size_t i,
			   struct sweep_set *ret, struct err *err)
{
	for (;;) {
		const struct pack *pack = &work->packs.pack[i];
		int rc;

		*ret = (struct sweep_set){ 0 };
		rc = measure_make_set(work, kernel, pack, ret, err);
		if (!rc)
			rc = runner_load(work->runner, &ret->set, err);
		if (!rc && pack->n > 1 && !runner_counts(work->runner))
			rc = err_set(err, ENOSPC, "the set never runs");
		if (!sweep_is_refusal(rc) || pack->n == 1)
			return rc;
		if (packs_split(&work->packs, i))
			return err_set(err, ENOMEM, "out of memory");
	}
}

/* ---- counters ---- */

/* Return the counter search's share of a type's time: about as long as one more kernel. */
static double share_of_masks(const struct work *work)
{
	if (!work->target->is_core)
		return 0;
	return 1.0 / ((work->findings->only_masks ? 0 : work->findings->n_kernels) + 1);
}

static bool tell_mask(void *context, size_t done, size_t all)
{
	const struct work *work = context;

	sweep_report_progress(work->sweep, work->type, "",
			      all ? share_of_masks(work) * (double)done / (double)all : 0);
	return !is_stopped(&work->sweep->stop);
}

static size_t masks_to_find(const struct work *work, uint64_t *ret_id, size_t *ret_place)
{
	const struct findings *findings = work->findings;
	size_t n = 0;

	for (size_t i = 0; i < findings->ids.n; i++) {
		if (findings_of_id(findings, work->type, i)->is_mask_done)
			continue;
		ret_id[n] = findings->ids.id[i];
		ret_place[n++] = i;
	}
	return n;
}

static int find_masks(struct work *work, struct err *err)
{
	const struct findings *findings = work->findings;
	size_t max = findings->ids.n + 1;
	AUTO_FREE uint64_t *id = calloc(max, sizeof(*id));
	AUTO_FREE size_t *place = calloc(max, sizeof(*place));

	if (!id || !place)
		return err_set(err, ENOMEM, "out of memory");

	size_t n = masks_to_find(work, id, place);

	if (!n)
		return 0;

	AUTO_FREE struct mask *found = calloc(n, sizeof(*found));

	if (!found)
		return err_set(err, ENOMEM, "out of memory");

	int rc = mask_find(work->sweep->backend, work->target->core, id, n, tell_mask, work, found,
			   err);

	if (rc && rc != -ECANCELED)
		return rc;
	pthread_mutex_lock(&work->sweep->mutex);
	for (size_t i = 0; i < n; i++)
		if (!rc || found[i].source != MASK_UNKNOWN)
			findings_set_mask(work->findings, work->type, place[i], &found[i]);
	pthread_mutex_unlock(&work->sweep->mutex);
	return rc;
}

/* ---- experiments ---- */

static int add_findings(struct work *work, unsigned kernel, const struct pack *pack,
			const struct sweep_set *loaded, const struct experiment_result *result)
{
	struct findings *findings = work->findings;
	int cycles = loaded->cycles_slot, rc = 0;

	pthread_mutex_lock(&work->sweep->mutex);
	for (unsigned i = 0; i < pack->n && !rc; i++) {
		struct finding finding = {
			.id = findings->ids.id[work->place[pack->member[i]]],
			.type = (uint16_t)work->type,
			.kernel = (uint16_t)kernel,
			.estimate = result->estimate[loaded->slot[i]],
		};

		for (unsigned kind = 0; kind < 2; kind++) {
			finding.count[kind] = result->typical[loaded->slot[i]][kind];
			finding.cycles[kind] = cycles < 0 ? NAN : result->typical[cycles][kind];
			finding.ns[kind] = cycles < 0 ? result->typical_ns[kind] : NAN;
		}
		rc = findings_add(findings, &finding);
	}
	findings->n_runs += result->n_runs;
	for (unsigned i = 0; i < N_DISTURBANCES; i++)
		findings->rejected[i] += result->rejected[i];
	pthread_mutex_unlock(&work->sweep->mutex);
	return rc;
}

/* Mark an event that the kernel always refuses as tried, with an unknown result. */
static int measure_give_up(struct work *work, unsigned kernel, const struct pack *pack)
{
	struct experiment_result result = { 0 };
	const struct sweep_set loaded = { .cycles_slot = -1 };

	estimate_make(NULL, 0, &result.estimate[0]);
	result.typical[0][0] = result.typical[0][1] = NAN;
	result.typical_ns[0] = result.typical_ns[1] = NAN;
	return add_findings(work, kernel, pack, &loaded, &result);
}

/* Repeat unclear estimates from scratch: the runs that made them look like a response must not
 * count twice. */
static int ask_again(struct work *work, const struct kernel *kernel, const struct sweep_set *loaded,
		     struct experiment_plan *plan, struct experiment_result *result)
{
	struct experiment_result again;
	unsigned n = 0;

	for (unsigned slot = 0; slot < loaded->set.n_slots; slot++)
		n += (int)slot != loaded->cycles_slot &&
		     estimate_is_unclear(&result->estimate[slot]);
	if (!n)
		return 0;
	plan->repeats = plan->repeats * AGAIN < REPEATS_MAX ? plan->repeats * AGAIN : REPEATS_MAX;
	plan->seed++;

	int rc = experiment_run(work->runner, kernel, loaded->set.n_slots, loaded->cycles_slot,
				plan, &work->sweep->stop, &again);

	if (rc)
		return rc;
	for (unsigned slot = 0; slot < loaded->set.n_slots; slot++)
		if (estimate_is_unclear(&result->estimate[slot]))
			result->estimate[slot] = again.estimate[slot];
	result->n_runs += again.n_runs;
	for (unsigned i = 0; i < N_DISTURBANCES; i++)
		result->rejected[i] += again.rejected[i];
	return 0;
}

static int run_experiment(struct work *work, unsigned kernel, size_t i,
			  const struct sweep_set *loaded, struct err *err)
{
	const struct kernel *its = work->sweep->kernel[kernel];
	struct experiment_plan plan = work->findings->plan;
	struct experiment_result result;

	plan.seed ^= (uint64_t)work->type << 56 | (uint64_t)kernel << 40 | i;
	plan.seed = random_next(&plan.seed);
	experiment_cap(its, &plan);

	int rc = experiment_run(work->runner, its, loaded->set.n_slots, loaded->cycles_slot, &plan,
				&work->sweep->stop, &result);

	if (!rc)
		rc = ask_again(work, its, loaded, &plan, &result);
	if (rc == -ECANCELED)
		return err_set(err, ECANCELED, "stopped");
	if (rc)
		return err_set(err, -rc, "CPU %u: %s", work->findings->type[work->type].cpu,
			       *runner_last_error(work->runner) ? runner_last_error(work->runner)
								: strerror(-rc));
	rc = add_findings(work, kernel, &work->packs.pack[i], loaded, &result);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

static int try_pack(struct work *work, unsigned kernel, size_t i, struct err *err)
{
	AUTO_FREE struct sweep_set *loaded = calloc(1, sizeof(*loaded));
	int rc = loaded ? 0 : err_set(err, ENOMEM, "out of memory");

	if (!rc)
		rc = sweep_sets_load(work, work->sweep->kernel[kernel], i, loaded, err);
	if (!rc)
		rc = run_experiment(work, kernel, i, loaded, err);
	else if (loaded && sweep_is_refusal(rc))
		rc = measure_give_up(work, kernel, &work->packs.pack[i]);
	return rc;
}

/* @before  prefix: "", "left out: " */
static void keep_note(struct work *work, unsigned kernel, const char *before, const char *text)
{
	char *note = work->findings->note[work->type][kernel];

	pthread_mutex_lock(&work->sweep->mutex);
	snprintf(note, KERNEL_NOTE_MAX, "%s%s", before, text);
	pthread_mutex_unlock(&work->sweep->mutex);
}

static double share_at(const struct work *work, unsigned kernel, size_t i)
{
	double masks = share_of_masks(work);
	double in_kernel = work->packs.n ? (double)i / (double)work->packs.n : 1;

	return masks + (1 - masks) * costs_share(&work->costs, kernel, in_kernel);
}

/* Try a kernel; one without memory is left out with a note. */
static int try_kernel(struct work *work, unsigned kernel, struct err *err)
{
	struct err why = { "" };
	int rc = sweep_sets_make(work, kernel, err);

	if (rc || !work->n_places)
		return rc;
	if (runner_use(work->runner, work->sweep->kernel[kernel], &why)) {
		keep_note(work, kernel, "left out: ", why.text);
		return 0;
	}
	keep_note(work, kernel, "", runner_note(work->runner));
	for (size_t i = 0; i < work->packs.n && !rc; i++) {
		sweep_report_progress(work->sweep, work->type, work->sweep->kernel[kernel]->name,
				      share_at(work, kernel, i));
		rc = is_stopped(&work->sweep->stop) ? err_set(err, ECANCELED, "stopped")
						    : try_pack(work, kernel, i, err);
	}
	return rc;
}

static int try_kernels(struct work *work, struct err *err)
{
	const struct findings *findings = work->findings;
	int rc = runner_open(work->sweep->backend, work->target->core, &work->runner, err);

	if (rc)
		return rc;
	runner_stop_on(work->runner, &work->sweep->stop);
	costs_measure(work->runner, work->sweep->kernel, findings->n_kernels, &findings->plan,
		      &work->costs);
	for (unsigned kernel = 0; kernel < findings->n_kernels && !rc; kernel++)
		rc = try_kernel(work, kernel, err);
	runner_close(work->runner);
	packs_fini(&work->packs);
	free(work->place);
	return rc;
}

static int measure_type(struct sweep *sweep, unsigned type, struct err *err)
{
	struct work work = {
		.sweep = sweep,
		.target = &sweep->target[type],
		.type = type,
		.findings = &sweep->findings,
	};
	int rc = work.target->is_core ? find_masks(&work, err) : 0;

	if (rc || sweep->findings.only_masks)
		return rc;
	return try_kernels(&work, err);
}

int sweep_measure(struct sweep *sweep, struct err *err)
{
	bool was_probing = sweep->backend->is_probing;
	int rc = 0;

	sweep->backend->is_probing = true;
	for (unsigned type = 0; type < sweep->findings.n_types && !rc; type++)
		rc = measure_type(sweep, type, err);
	sweep->backend->is_probing = was_probing;
	return rc;
}
