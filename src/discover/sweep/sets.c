/* Which ids are counted together, and the sets made of them. */
#include "discover/sweep/sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static int make_events(const struct sweep_sets *sets, const struct kernel *kernel,
		       const struct pack *pack, struct sweep_set *ret, struct err *err)
{
	const struct findings *findings = sets->findings;
	enum privilege privilege = target_privilege(sets->target, kernel);
	int rc = 0;

	ret->cycles = sets->target->cycles;
	ret->cycles.privilege = privilege;
	for (unsigned i = 0; i < pack->n && !rc; i++) {
		size_t place = sets->place[pack->member[i]];
		const struct findings_id *of_id =
			findings_of_id(findings, sets->target->index, place);

		rc = target_event(sets->target, findings->ids.id[place], &of_id->mask, privilege,
				  &ret->event[i], err);
	}
	return rc;
}

static int slot_of(const struct placement *placement, const struct event *event)
{
	for (int slot = 0; slot < SLOTS_MAX; slot++)
		if (placement->event[slot] == event)
			return slot;
	return -1;
}

static int make_set(struct sweep_sets *sets, const struct kernel *kernel, const struct pack *pack,
		    struct sweep_set *ret, struct err *err)
{
	struct placement *placement = &ret->set.type[sets->target->index];
	struct want want[CORE_SLOTS_MAX + 1];
	size_t n = 0;
	int rc = make_events(sets, kernel, pack, ret, err);

	if (rc)
		return rc;
	ret->set.number = ++sets->n_loaded;
	if (sets->target->has_cycles)
		want[n++] = (struct want){ .event = &ret->cycles, .slot = -1 };
	for (unsigned i = 0; i < pack->n; i++)
		want[n++] = (struct want){ .event = &ret->event[i], .slot = -1 };
	if (placement_make(sets->target->type, want, n, placement, NULL))
		return err_set(err, ENOSPC, "not enough counters for the events");
	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		if (placement->event[slot])
			ret->set.n_slots = slot + 1;
	for (unsigned i = 0; i < pack->n; i++)
		ret->slot[i] = slot_of(placement, &ret->event[i]);
	ret->cycles_slot = sets->target->has_cycles ? slot_of(placement, &ret->cycles) : -1;
	return 0;
}

static size_t places_to_try(const struct sweep_sets *sets, unsigned kernel, size_t *ret)
{
	const struct findings *findings = sets->findings;
	size_t n = 0;

	for (size_t i = 0; i < findings->ids.n; i++)
		if (!findings_is_tried(findings, sets->target->index, kernel, i))
			ret[n++] = i;
	return n;
}

static int pack_places(struct sweep_sets *sets)
{
	AUTO_FREE uint64_t *counters = calloc(sets->n_places + 1, sizeof(*counters));
	const struct target *target = sets->target;

	if (!counters)
		return -ENOMEM;
	for (size_t i = 0; i < sets->n_places; i++)
		counters[i] = target_counters(
			target,
			&findings_of_id(sets->findings, sets->target->index, sets->place[i])->mask);
	packs_fini(&sets->packs);
	return packs_make(target->type, counters, sets->n_places, target->is_core,
			  target->has_cycles ? &target->cycles : NULL, &sets->packs);
}

/* Packs are kept from kernel to kernel, with what was learnt of those that were refused. */
int sweep_sets_make(struct sweep_sets *sets, unsigned kernel, struct err *err)
{
	size_t *place = calloc(sets->findings->ids.n + 1, sizeof(*place));

	if (!place)
		return err_set(err, ENOMEM, "out of memory");

	size_t n = places_to_try(sets, kernel, place);
	bool is_same = sets->place && n == sets->n_places &&
		       memcmp(place, sets->place, n * sizeof(*place)) == 0;

	if (is_same) {
		free(place);
		return 0;
	}
	free(sets->place);
	sets->place = place;
	sets->n_places = n;
	return pack_places(sets) ? err_set(err, ENOMEM, "out of memory") : 0;
}

bool sweep_is_refusal(int rc)
{
	return rc == -EINVAL || rc == -ENOSPC || rc == -EOPNOTSUPP || rc == -ENOENT;
}

/* More events than fit, or one that keeps the others from running, though that could not be known:
 * half of them go into a set of their own. */
int sweep_sets_load(struct sweep_sets *sets, struct runner *runner, const struct kernel *kernel,
		    size_t i, struct sweep_set *ret, struct err *err)
{
	for (;;) {
		const struct pack *pack = &sets->packs.pack[i];
		int rc;

		*ret = (struct sweep_set){ 0 };
		rc = make_set(sets, kernel, pack, ret, err);
		if (!rc)
			rc = runner_load(runner, &ret->set, err);
		if (!rc && pack->n > 1 && !runner_counts(runner))
			rc = err_set(err, ENOSPC, "the set never runs");
		if (!sweep_is_refusal(rc) || pack->n == 1)
			return rc;
		if (packs_split(&sets->packs, i))
			return err_set(err, ENOMEM, "out of memory");
	}
}

void sweep_sets_fini(struct sweep_sets *sets)
{
	packs_fini(&sets->packs);
	free(sets->place);
	sets->place = NULL;
}
