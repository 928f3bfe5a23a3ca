/* The measuring itself: one core type after the other, counters first, then kernel by kernel. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "discover/sweep/cost.h"
#include "discover/kernel/random.h"
#include "discover/sweep/internal.h"
#include "discover/sweep/sets.h"

enum { AGAIN = 4 }; /* times the repeats of what is unclear */

/* One core type being swept. */
struct work {
	struct sweep *sweep;
	const struct target *target;
	unsigned type;
	struct runner *runner;
	struct sweep_sets sets;
	struct costs costs; /* of the kernels */
};

static struct findings *findings_of(const struct work *work)
{
	return &work->sweep->findings;
}

/* ---- counters ---- */

/* Of a type's time: they take about as long as one more kernel. */
static double share_of_masks(const struct work *work)
{
	if (!work->target->is_core)
		return 0;
	return 1.0 / ((findings_of(work)->only_masks ? 0 : findings_of(work)->n_kernels) + 1);
}

struct mask_step {
	struct work *work;
	double share;
};

static bool tell_mask(void *context, size_t done, size_t all)
{
	const struct mask_step *step = context;

	sweep_tell(step->work->sweep, step->work->type, "",
		   all ? step->share * (double)done / (double)all : 0);
	return !sweep_is_stopped(step->work->sweep);
}

static size_t masks_to_find(const struct work *work, uint64_t *ret_id, size_t *ret_place)
{
	const struct findings *findings = findings_of(work);
	size_t n = 0;

	for (size_t i = 0; i < findings->ids.n; i++) {
		if (findings_of_id(findings, work->type, i)->is_mask_done)
			continue;
		ret_id[n] = findings->ids.id[i];
		ret_place[n++] = i;
	}
	return n;
}

static void keep_masks(struct work *work, const size_t *place, const struct mask *mask, size_t n,
		       bool is_whole)
{
	pthread_mutex_lock(&work->sweep->mutex);
	for (size_t i = 0; i < n; i++)
		if (is_whole || mask[i].source != MASK_UNKNOWN)
			findings_set_mask(findings_of(work), work->type, place[i], &mask[i]);
	pthread_mutex_unlock(&work->sweep->mutex);
}

static int find_masks(struct work *work, struct err *err)
{
	const struct findings *findings = findings_of(work);
	size_t max = findings->ids.n + 1;
	AUTO_FREE uint64_t *id = calloc(max, sizeof(*id));
	AUTO_FREE size_t *place = calloc(max, sizeof(*place));
	struct mask_step step = { work, share_of_masks(work) };

	if (!id || !place)
		return err_set(err, ENOMEM, "out of memory");

	size_t n = masks_to_find(work, id, place);

	if (!n)
		return 0;

	AUTO_FREE struct mask *found = calloc(n, sizeof(*found));

	if (!found)
		return err_set(err, ENOMEM, "out of memory");

	int rc = mask_find(work->sweep->backend, work->target->core, id, n, tell_mask, &step, found,
			   err);

	if (!rc || rc == -ECANCELED)
		keep_masks(work, place, found, n, !rc);
	return rc;
}

/* ---- experiments ---- */

static int add_findings(struct work *work, unsigned kernel, const struct pack *pack,
			const struct sweep_set *loaded, const struct experiment_result *result)
{
	struct findings *findings = findings_of(work);
	int cycles = loaded->cycles_slot, rc = 0;

	pthread_mutex_lock(&work->sweep->mutex);
	for (unsigned i = 0; i < pack->n && !rc; i++) {
		struct finding finding = {
			.id = findings->ids.id[work->sets.place[pack->member[i]]],
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

/* An event that the kernel takes under no circumstances: tried, and unknown. */
static int give_up(struct work *work, unsigned kernel, const struct pack *pack)
{
	struct experiment_result result = { 0 };
	const struct sweep_set loaded = { .cycles_slot = -1 };

	estimate_make(NULL, 0, &result.estimate[0]);
	result.typical[0][0] = result.typical[0][1] = NAN;
	result.typical_ns[0] = result.typical_ns[1] = NAN;
	return add_findings(work, kernel, pack, &loaded, &result);
}

static uint64_t seed_of(const struct work *work, unsigned kernel, size_t i)
{
	uint64_t mixed = findings_of(work)->plan.seed ^
			 ((uint64_t)work->type << 56 | (uint64_t)kernel << 40 | i);

	return random_next(&mixed);
}

static void add_up(struct experiment_result *to, const struct experiment_result *from)
{
	to->n_runs += from->n_runs;
	for (unsigned i = 0; i < N_DISTURBANCES; i++)
		to->rejected[i] += from->rejected[i];
}

/* What is unclear is asked again, from the beginning: runs that made it look like something must not
 * have a say twice. */
static int ask_again(struct work *work, const struct kernel *kernel, const struct sweep_set *loaded,
		     struct experiment_plan *plan, struct experiment_result *result)
{
	struct experiment_result again;
	unsigned n = 0;
	int rc;

	for (unsigned slot = 0; slot < loaded->set.n_slots; slot++)
		n += (int)slot != loaded->cycles_slot &&
		     estimate_is_unclear(&result->estimate[slot]);
	if (!n)
		return 0;
	plan->repeats = plan->repeats * AGAIN < REPEATS_MAX ? plan->repeats * AGAIN : REPEATS_MAX;
	plan->seed++;
	rc = experiment_run(work->runner, kernel, loaded->set.n_slots, loaded->cycles_slot, plan,
			    &work->sweep->stop, &again);
	if (rc)
		return rc;
	for (unsigned slot = 0; slot < loaded->set.n_slots; slot++)
		if (estimate_is_unclear(&result->estimate[slot]))
			result->estimate[slot] = again.estimate[slot];
	add_up(result, &again);
	return 0;
}

static int experiment(struct work *work, unsigned number, size_t i, const struct sweep_set *loaded,
		      struct experiment_result *ret)
{
	const struct kernel *kernel = work->sweep->kernel[number];
	struct experiment_plan plan = findings_of(work)->plan;
	int rc;

	plan.seed = seed_of(work, number, i);
	experiment_cap(kernel, &plan);
	rc = experiment_run(work->runner, kernel, loaded->set.n_slots, loaded->cycles_slot, &plan,
			    &work->sweep->stop, ret);
	return rc ? rc : ask_again(work, kernel, loaded, &plan, ret);
}

static int run_experiment(struct work *work, unsigned kernel, size_t i,
			  const struct sweep_set *loaded, struct err *err)
{
	struct experiment_result result;
	int rc = experiment(work, kernel, i, loaded, &result);

	if (rc == -ECANCELED)
		return err_set(err, ECANCELED, "stopped");
	if (rc)
		return err_set(err, -rc, "CPU %u: %s", findings_of(work)->type[work->type].cpu,
			       *runner_last_error(work->runner) ? runner_last_error(work->runner)
								: strerror(-rc));
	rc = add_findings(work, kernel, &work->sets.packs.pack[i], loaded, &result);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

static int try_pack(struct work *work, unsigned kernel, size_t i, struct err *err)
{
	struct sweep_set *loaded = calloc(1, sizeof(*loaded));
	int rc = loaded ? 0 : err_set(err, ENOMEM, "out of memory");

	if (!rc)
		rc = sweep_sets_load(&work->sets, work->runner, work->sweep->kernel[kernel], i,
				     loaded, err);
	if (!rc)
		rc = run_experiment(work, kernel, i, loaded, err);
	else if (loaded && sweep_is_refusal(rc))
		rc = give_up(work, kernel, &work->sets.packs.pack[i]);
	free(loaded);
	return rc;
}

/* @before  the text: "", "left out: " */
static void keep_note(struct work *work, unsigned kernel, const char *before, const char *text)
{
	char *note = findings_of(work)->note[work->type][kernel];

	pthread_mutex_lock(&work->sweep->mutex);
	snprintf(note, KERNEL_NOTE_MAX, "%s%s", before, text);
	pthread_mutex_unlock(&work->sweep->mutex);
}

static double share_at(const struct work *work, unsigned kernel, size_t i)
{
	double masks = share_of_masks(work);
	double in_kernel = work->sets.packs.n ? (double)i / (double)work->sets.packs.n : 1;

	return masks + (1 - masks) * costs_share(&work->costs, kernel, in_kernel);
}

/* One that cannot get its memory is left out, and says so. */
static int try_kernel(struct work *work, unsigned kernel, struct err *err)
{
	struct err why = { "" };
	int rc = sweep_sets_make(&work->sets, kernel, err);

	if (rc || !work->sets.n_places)
		return rc;
	if (runner_use(work->runner, work->sweep->kernel[kernel], &why)) {
		keep_note(work, kernel, "left out: ", why.text);
		return 0;
	}
	keep_note(work, kernel, "", runner_note(work->runner));
	for (size_t i = 0; i < work->sets.packs.n && !rc; i++) {
		sweep_tell(work->sweep, work->type, work->sweep->kernel[kernel]->name,
			   share_at(work, kernel, i));
		rc = sweep_is_stopped(work->sweep) ? err_set(err, ECANCELED, "stopped")
						   : try_pack(work, kernel, i, err);
	}
	return rc;
}

static int try_kernels(struct work *work, struct err *err)
{
	const struct findings *findings = findings_of(work);
	int rc = runner_open(work->sweep->backend, work->target->core, &work->runner, err);

	if (rc)
		return rc;
	runner_stop_on(work->runner, &work->sweep->stop);
	costs_measure(work->runner, work->sweep->kernel, findings->n_kernels, &findings->plan,
		      &work->costs);
	for (unsigned kernel = 0; kernel < findings->n_kernels && !rc; kernel++)
		rc = try_kernel(work, kernel, err);
	runner_close(work->runner);
	sweep_sets_fini(&work->sets);
	return rc;
}

static int measure_type(struct sweep *sweep, unsigned type, struct err *err)
{
	struct work work = {
		.sweep = sweep,
		.target = &sweep->target[type],
		.type = type,
		.sets = { .target = &sweep->target[type], .findings = &sweep->findings },
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
