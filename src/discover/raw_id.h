/* raw_id.h: event numbers of a PMU: how many there are, and how each is written into a config */
#ifndef DISCOVER_RAW_ID_H
#define DISCOVER_RAW_ID_H

#include "pmu/pmu.h"

/** The largest that the PMU's field "event" holds; of one without such a field 0xff. */
uint64_t raw_id_last(const struct pmu *pmu);

/** The plain number, in the bits that are the event's: not all of them need to stand together (AMD).
 * @return as pmu_encode */
int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err);

#endif
