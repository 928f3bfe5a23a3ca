#include "discover/raw_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* @return NULL: it has none */
static const struct pmu_format *event_field(const struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->n_formats; i++)
		if (strcmp(pmu->format[i].name, "event") == 0 && pmu->format[i].mask)
			return &pmu->format[i];
	return NULL;
}

uint64_t raw_id_last(const struct pmu *pmu)
{
	const struct pmu_format *field = event_field(pmu);

	return field ? UINT64_MAX >> (64 - __builtin_popcountll(field->mask)) : 0xff;
}

int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err)
{
	char terms[40];

	snprintf(terms, sizeof(terms), "%s=0x%" PRIx64, event_field(pmu) ? "event" : "config", id);
	return pmu_encode(pmu, terms, ret_config, err);
}
