#include "discover/run/mask.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "discover/ids.h"

/* Parameters of mask_find. */
struct mask_search {
	struct backend *backend;
	unsigned core;
	const struct core_type *type; /* type of the core; has a PMU */
	const uint64_t *id;
	size_t n;
	mask_progress_fn *progress; /* NULL: no reports */
	void *context;
};

/* Report the progress. @return 0 or -ECANCELED */
static int mask_tell(const struct mask_search *search, size_t done, size_t all, struct err *err)
{
	if (search->progress && !search->progress(search->context, done, all))
		return err_set(err, ECANCELED, "stopped");
	return 0;
}

/* Search by driver. Cycles, instructions, and cycles again fill PMC0, PMC1, PMC2 … of an Apple
 * PMU, in this order. */
struct driver {
	const struct mask_search *search;
	bool can_fill; /* first-fit driver that names both events */
	uint64_t cycles[CONFIG_WORDS], instructions[CONFIG_WORDS];
};

static bool find_filler(const struct pmu *pmu, const char *name, uint64_t *ret)
{
	const struct pmu_alias *alias = pmu_alias_find(pmu, name);

	return alias && pmu_encode(pmu, alias->terms, ret, NULL) == 0;
}

/* Test whether one group accepts copies of the id behind the fillers. @return 1, 0 or -errno */
static int ask(const struct driver *driver, unsigned n_fillers, uint64_t id, unsigned copies)
{
	const struct mask_search *search = driver->search;
	uint64_t config[CORE_SLOTS_MAX][CONFIG_WORDS] = { 0 };
	uint64_t wanted[CONFIG_WORDS];

	if (raw_id_encode(search->type->pmu, id, wanted, NULL))
		return 0;
	if (!copies)
		return 1;
	if (n_fillers + copies > CORE_SLOTS_MAX)
		return 0;
	for (unsigned i = 0; i < n_fillers; i++)
		memcpy(config[i], i == 1 ? driver->instructions : driver->cycles,
		       sizeof(config[i]));
	for (unsigned i = 0; i < copies; i++)
		memcpy(config[n_fillers + i], wanted, sizeof(wanted));
	return search->backend->ops->accepts(search->backend, search->core,
					     (const uint64_t(*)[CONFIG_WORDS])config,
					     n_fillers + copies);
}

/* Find the largest number of copies that one group accepts, by bisection. */
static int count_copies(const struct driver *driver, uint64_t id, unsigned *ret)
{
	unsigned fits = 0, too_many = CORE_SLOTS_MAX + 1;

	while (fits + 1 < too_many) {
		unsigned middle = (fits + too_many) / 2;
		int answer = ask(driver, 0, id, middle);

		if (answer < 0)
			return answer;
		*(answer ? &fits : &too_many) = middle;
	}
	*ret = fits;
	return 0;
}

/* Fill one counter after the other; if it was one of the id's, one copy less fits. */
static int walk_counters(const struct driver *driver, uint64_t id, unsigned copies, uint64_t *ret)
{
	uint64_t counters = 0;

	for (unsigned n = 0; n < driver->search->type->n_counters && copies; n++) {
		int answer = ask(driver, n + 1, id, copies);

		if (answer < 0)
			return answer;
		if (answer)
			continue;
		counters |= UINT64_C(1) << n;
		copies--;
	}
	*ret = copies ? 0 : counters; /* room left with all counters filled: the driver fills them
				       * in another order */
	return 0;
}

static int mask_driver_find_one(const struct driver *driver, uint64_t id, struct mask *ret)
{
	unsigned copies;
	uint64_t counters = 0;
	int rc = count_copies(driver, id, &copies);

	if (!rc && driver->can_fill)
		rc = walk_counters(driver, id, copies, &counters);
	if (rc || !copies)
		return rc;
	*ret = (struct mask){
		.source = MASK_BY_DRIVER,
		.counters = counters,
		.copies = (uint8_t)copies,
		/* fillers, after cycles and instructions on PMC0 and PMC1, below the highest counter */
		.above = counters >> 2 ? (uint8_t)(61 - __builtin_clzll(counters)) : UINT8_MAX,
	};
	return 0;
}

/*
 * Find masks from the groups that a driver accepts. A driver that takes the lowest free counter of
 * an event's mask and never moves an event can be tested for each counter: cycles and instructions
 * fill those below, and the copies that still fit are counted.
 *
 * @ret    by id; UNKNOWN on entry
 * @return 0; -ECANCELED; -EACCES, -EMFILE … of opening events
 */
static int mask_by_driver(const struct mask_search *search, struct mask *ret, struct err *err)
{
	const struct core_type *type = search->type;
	struct driver driver = { .search = search };
	int rc = 0;

	driver.can_fill = type->first_fit && type->n_counters < CORE_SLOTS_MAX &&
			  find_filler(type->pmu, "cycles", driver.cycles) &&
			  find_filler(type->pmu, "instructions", driver.instructions);
	for (size_t i = 0; i < search->n && !rc; i++) {
		rc = mask_tell(search, i, search->n, err);
		if (rc)
			return rc;
		rc = mask_driver_find_one(&driver, search->id[i], &ret[i]);
		if (rc)
			err_set(err, -rc, "cannot ask the driver about event 0x%llx: %s",
				(unsigned long long)search->id[i], strerror(-rc));
	}
	return rc ? rc : mask_tell(search, search->n, search->n, err);
}

enum {
	FIRST_COUNTER = 2, /* PMC0 and PMC1 are fixed */
	TRIGGERS = 10000,  /* per run */
	REPEATS = 5,       /* repeats that must agree */
	TRIES = 20,        /* runs, some of which may be lost */
	FLOOR = 16,        /* least significant count; fewer may come from the read itself */
	SHARE = 8,         /* within 1/8 of the highest is equal, below 1/8 of it is none */
};

/* Load one event on every programmable counter. */
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
		place->order[place->n_order++] = (uint16_t)slot;
	}
	return runner_load(runner, &set, err);
}

/* Return the counters that counted. All see the same events, so each has about the highest count,
 * or none. @return 0: too few counts, or a count in between */
static uint64_t mask_counters_of(const struct run *run, unsigned n_counters)
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

/* Run until enough repeats agree; the first run without counts ends the kernel's try. */
static int agree(const struct mask_search *search, struct runner *runner, uint64_t n, uint64_t *ret)
{
	unsigned n_agreed = 0;
	uint64_t counters = 0;

	for (unsigned i = 0; i < TRIES && n_agreed < REPEATS; i++) {
		struct run run;
		int rc = runner_run(runner, true, n, &run);

		if (rc)
			return rc;
		/* interrupts and other tasks affect all counters alike; a run on another CPU is useless */
		if (run.disturbance == DISTURBED_MIGRATED || run.disturbance == DISTURBED_LOST)
			continue;

		uint64_t now = mask_counters_of(&run, search->type->n_counters);

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
	struct event event = {
		.pmu = search->type->pmu,
		.config = { id },
		.needs_counter = true,
		.scale = 1,
	};
	uint64_t counters = 0;

	snprintf(event.name, sizeof(event.name), "r%02" PRIx64, id);

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

/* Try one kernel on all ids that are not settled. */
static int with_kernel(const struct mask_search *search, struct runner *runner, size_t number,
		       struct mask *ret, struct err *err)
{
	const struct kernel *kernel = &kernel_table[number];
	size_t all = count_kernels() * search->n;
	/* limited by the kernel's units: some take hundreds of units per trigger */
	uint64_t n = (uint64_t)fmin((double)kernel->n_max * kernel->triggers, TRIGGERS);
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
			continue; /* no memory for it; other kernels will do */
		rc = with_kernel(search, runner, i, ret, err);
	}
	return rc ? rc : mask_tell(search, n_kernels * search->n, n_kernels * search->n, err);
}

/*
 * Program an id on every counter, run kernels until something counts, and see which counters did.
 *
 * @ret    as for mask_by_driver
 * @return 0; -ECANCELED; errors of the runner
 */
static int mask_by_counting(const struct mask_search *search, struct mask *ret, struct err *err)
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

int mask_find(struct backend *backend, unsigned core, const uint64_t *id, size_t n,
	      mask_progress_fn *progress, void *context, struct mask *ret, struct err *err)
{
	const struct core_type *type = &backend->machine.type[backend->machine.core[core].type];
	const struct mask_search search = { backend, core, type, id, n, progress, context };

	if (!type->pmu)
		return err_set(err, ENODEV, "%s cores have no hardware counters", type->name);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct mask){ .source = MASK_UNKNOWN };
	if (backend->ops->accepts)
		return mask_by_driver(&search, ret, err);
	if (type->slot_is_counter)
		return mask_by_counting(&search, ret, err);
	return 0;
}
