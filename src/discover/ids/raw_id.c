#include "discover/ids/raw_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Without a field "event" the config has so many. */
#define ANY_EVENT UINT64_C(0xff)

/* @return NULL: it has none */
static const struct pmu_format *field_of(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_formats; i++)
		if (strcmp(pmu->format[i].name, name) == 0 && pmu->format[i].mask)
			return &pmu->format[i];
	return NULL;
}

static uint64_t ones(uint64_t bits)
{
	return UINT64_MAX >> (64 - __builtin_popcountll(bits));
}

/* The opposite of raw_id_part. */
static uint64_t spread(uint64_t value, uint64_t bits)
{
	uint64_t id = 0;

	for (; bits; bits &= bits - 1, value >>= 1)
		id |= value & 1 ? bits & -bits : 0;
	return id;
}

uint64_t raw_id_part(uint64_t id, uint64_t bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; bits; bits &= bits - 1, i++)
		value |= (uint64_t) !!(id & bits & -bits) << i;
	return value;
}

void raw_id_bits(const struct pmu *pmu, uint64_t *ret_event, uint64_t *ret_umask)
{
	const struct pmu_format *event = field_of(pmu, "event"), *umask = field_of(pmu, "umask");
	bool is_raw = event && umask && !event->word && !umask->word;

	*ret_event = is_raw ? event->mask : event ? ones(event->mask) : ANY_EVENT;
	*ret_umask = is_raw ? umask->mask & ~event->mask : 0;
}

int raw_id_all(const struct pmu *pmu, struct ids *ret, struct err *err)
{
	struct ids ids = { 0 };
	uint64_t event, umask;

	raw_id_bits(pmu, &event, &umask);
	if (ones(event) >= IDS_MAX)
		return err_set(err, ERANGE, "%s has too many event ids to try them all: use --ids",
			       pmu->name);
	if (ids_all(ones(event), &ids))
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < ids.n; i++)
		ids.id[i] = spread(ids.id[i], event);
	*ret = ids;
	return 0;
}

int raw_id_check(const struct pmu *pmu, uint64_t id, struct err *err)
{
	uint64_t event, umask;

	raw_id_bits(pmu, &event, &umask);
	if (!(id & ~(event | umask)))
		return 0;
	if (!umask)
		return err_set(err, EINVAL, "event ids of %s end at 0x%02" PRIx64, pmu->name,
			       event);
	return err_set(err, EINVAL,
		       "0x%02" PRIx64
		       " is not an event id of %s: event and umask are the bits 0x%" PRIx64
		       " and 0x%" PRIx64,
		       id, pmu->name, event, umask);
}

int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err)
{
	const struct pmu_format *field = field_of(pmu, "event");
	uint64_t event, umask;
	int rc = raw_id_check(pmu, id, err);

	if (rc)
		return rc;
	raw_id_bits(pmu, &event, &umask);
	memset(ret_config, 0, CONFIG_WORDS * sizeof(*ret_config));
	ret_config[field ? field->word : 0] = umask || !field ? id : spread(id, field->mask);
	return 0;
}

bool raw_id_of(const struct pmu *pmu, const uint64_t *config, uint64_t *ret)
{
	const struct pmu_format *field = field_of(pmu, "event");
	uint64_t event, umask, again[CONFIG_WORDS], id = config[field ? field->word : 0];

	raw_id_bits(pmu, &event, &umask);
	if (field && !umask)
		id = raw_id_part(id, field->mask);
	if (raw_id_encode(pmu, id, again, NULL) ||
	    memcmp(again, config, CONFIG_WORDS * sizeof(*config)) != 0)
		return false;
	*ret = id;
	return true;
}
