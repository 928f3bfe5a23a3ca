#include <string.h>

#include "discover/ids/mask_ways.h"
#include "discover/ids/raw_id.h"

/* Cycles, instructions, and cycles again fill PMC0, PMC1, PMC2 … of an Apple PMU, in this order. */
struct driver {
	const struct mask_search *search;
	bool can_fill; /* the driver is of the kind, and names both events */
	uint64_t cycles[CONFIG_WORDS], instructions[CONFIG_WORDS];
};

static bool find_filler(const struct pmu *pmu, const char *name, uint64_t *ret)
{
	const struct pmu_alias *alias = pmu_alias_find(pmu, name);

	return alias && pmu_encode(pmu, alias->terms, ret, NULL) == 0;
}

/* Does one group take copies of the id behind so many fillers? @return 1, 0 or -errno */
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

/* The most copies that one group takes, by halving: more never fit where fewer do not. */
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

/* With each counter that is filled, a copy less fits if the counter was one of the id's. */
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
	*ret = copies ? 0 : counters; /* room is left when all is filled: it fills otherwise */
	return 0;
}

/* Behind cycles and instructions, which have PMC0 and PMC1. */
static uint8_t fillers_above(uint64_t counters)
{
	return counters >> 2 ? (uint8_t)(61 - __builtin_clzll(counters)) : UINT8_MAX;
}

static int find_one(const struct driver *driver, uint64_t id, struct mask *ret)
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
		.above = fillers_above(counters),
	};
	return 0;
}

int mask_by_driver(const struct mask_search *search, struct mask *ret, struct err *err)
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
		rc = find_one(&driver, search->id[i], &ret[i]);
		if (rc)
			err_set(err, -rc, "asking the driver about event 0x%llx: %s",
				(unsigned long long)search->id[i], strerror(-rc));
	}
	return rc ? rc : mask_tell(search, search->n, search->n, err);
}
