#include <inttypes.h>
#include <stdio.h>

#include "discover/ids/mask_ways.h"

enum {
	FIRST_COUNTER = 2, /* PMC0 and PMC1 are fixed */
	TRIGGERS = 10000,  /* of a run */
	REPEATS = 5,       /* that must agree */
	TRIES = 20,        /* a run may be lost */
	FLOOR = 16,        /* counts that say something; fewer may be the reading's own */
	SHARE = 8,         /* one eighth off the highest, or of it, is none of it and nothing */
};

static void make_event(const struct mask_search *search, uint64_t id, struct event *ret)
{
	*ret = (struct event){
		.pmu = search->type->pmu,
		.config = { id },
		.needs_counter = true,
		.scale = 1,
	};
	snprintf(ret->name, sizeof(ret->name), "r%02" PRIx64, id);
}

/* One event on every counter that can be set. */
static int load_everywhere(const struct mask_search *search, struct runner *runner,
			   const struct event *event, struct err *err)
{
	struct set set = { .n_slots = search->type->n_counters };
	struct placement *place = &set.type[search->backend->machine.core[search->core].type];

	for (unsigned slot = 0; slot < set.n_slots; slot++)
		place->counter[slot] = COUNTER_NONE;
	for (unsigned slot = FIRST_COUNTER; slot < set.n_slots; slot++) {
		place->event[slot] = event;
		place->counter[slot] = (uint8_t)slot;
		place->order[place->n_order++] = (uint8_t)slot;
	}
	return runner_load(runner, &set, err);
}

/* All see the same events, so a counter has as many as the highest, or has none.
 * @return those that have; 0: too few counts, or something between */
static uint64_t counters_of(const struct run *run, unsigned n_counters)
{
	uint64_t highest = 0, counters = 0;

	for (unsigned i = FIRST_COUNTER; i < n_counters; i++)
		if (run->state[i] == RAW_OK && run->count[i] > highest)
			highest = run->count[i];
	if (highest < FLOOR)
		return 0;
	for (unsigned i = FIRST_COUNTER; i < n_counters; i++) {
		uint64_t count = run->state[i] == RAW_OK ? run->count[i] : 0;

		if (highest - count <= highest / SHARE)
			counters |= UINT64_C(1) << i;
		else if (count > highest / SHARE)
			return 0;
	}
	return counters;
}

/* Interrupts and other tasks count on all counters alike; a run on another CPU says nothing. */
static bool is_usable(const struct run *run)
{
	return run->disturbance != DISTURBED_MIGRATED && run->disturbance != DISTURBED_LOST;
}

/* Run until enough repeats agree. The first one without counts ends it: this is no kernel for it. */
static int agree(const struct mask_search *search, struct runner *runner, uint64_t n, uint64_t *ret)
{
	unsigned n_agreed = 0;
	uint64_t counters = 0;

	for (unsigned i = 0; i < TRIES && n_agreed < REPEATS; i++) {
		struct run run;
		int rc = runner_run(runner, true, n, &run);

		if (rc)
			return rc;
		if (!is_usable(&run))
			continue;

		uint64_t now = counters_of(&run, search->type->n_counters);

		if (!now || (n_agreed && now != counters))
			return 0;
		counters = now;
		n_agreed++;
	}
	if (n_agreed == REPEATS)
		*ret = counters;
	return 0;
}

static int find_one(const struct mask_search *search, struct runner *runner, uint64_t n,
		    uint64_t id, struct mask *ret, struct err *err)
{
	struct event event;
	uint64_t counters = 0;

	make_event(search, id, &event);

	int rc = load_everywhere(search, runner, &event, err);

	if (rc)
		return rc;
	rc = agree(search, runner, n, &counters);
	if (rc)
		return err_set(err, -rc, "CPU %u went offline",
			       search->backend->machine.core[search->core].cpu);
	if (counters)
		*ret = (struct mask){ .source = MASK_BY_COUNTING, .counters = counters };
	return 0;
}

static size_t count_kernels(void)
{
	size_t n = 0;

	while (kernel_table[n].name)
		n++;
	return n;
}

/* As many as its units allow: of some it takes hundreds to trigger once. */
static uint64_t triggers_of(const struct kernel *kernel)
{
	double most = (double)kernel->n_max * kernel->triggers;

	return most < TRIGGERS ? (uint64_t)most : TRIGGERS;
}

/* All ids with one kernel, but those that others have settled. */
static int with_kernel(const struct mask_search *search, struct runner *runner, size_t number,
		       struct mask *ret, struct err *err)
{
	const struct kernel *kernel = &kernel_table[number];
	size_t all = count_kernels() * search->n;
	uint64_t n = triggers_of(kernel);
	int rc = 0;

	for (size_t i = 0; i < search->n && !rc; i++) {
		if (ret[i].source != MASK_UNKNOWN)
			continue;
		rc = mask_tell(search, number * search->n + i, all, err);
		if (!rc)
			rc = find_one(search, runner, n, search->id[i], &ret[i], err);
	}
	return rc;
}

static bool all_settled(const struct mask_search *search, const struct mask *mask)
{
	for (size_t i = 0; i < search->n; i++)
		if (mask[i].source == MASK_UNKNOWN)
			return false;
	return true;
}

static int run_kernels(const struct mask_search *search, struct runner *runner, struct mask *ret,
		       struct err *err)
{
	bool simulates = search->backend->ops->run_workload;
	size_t n_kernels = count_kernels();
	int rc = 0;

	for (size_t i = 0; i < n_kernels && !rc && !all_settled(search, ret); i++) {
		struct err unused = { "" };

		if (!simulates && !kernel_runs_here(&kernel_table[i]))
			continue;
		if (runner_use(runner, &kernel_table[i], &unused))
			continue; /* no memory for it; others do as well */
		rc = with_kernel(search, runner, i, ret, err);
	}
	return rc ? rc : mask_tell(search, n_kernels * search->n, n_kernels * search->n, err);
}

int mask_by_counting(const struct mask_search *search, struct mask *ret, struct err *err)
{
	struct runner *runner;
	bool was_probing = search->backend->is_probing;
	int rc = runner_open(search->backend, search->core, &runner, err);

	if (rc)
		return rc;
	search->backend->is_probing = true;
	rc = run_kernels(search, runner, ret, err);
	runner_close(runner);
	search->backend->is_probing = was_probing;
	return rc;
}
