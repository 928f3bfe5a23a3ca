/* raw_id.h: event numbers of a PMU: which there are, and how each is written into a config */
#ifndef DISCOVER_IDS_RAW_ID_H
#define DISCOVER_IDS_RAW_ID_H

#include "discover/ids/ids.h"
#include "machine/pmu.h"

/*
 * A PMU with a field "umask" (x86) has ids as perf's rUUEE: the bits of event and umask where they are
 * in the config, umask << 8 | event, AMD's high event bits in 32-35. Others have the plain number in
 * their field "event", or without one the config itself.
 */

/** The bits of an id that are the event's and the umask's. @ret_umask  0: it has none */
void raw_id_bits(const struct pmu *pmu, uint64_t *ret_event, uint64_t *ret_umask);

/** What stands in these bits of an id, without gaps: 0x1c2 of AMD's 0x1000000c2. */
uint64_t raw_id_part(uint64_t id, uint64_t bits);

/** Those tried where none are asked for: every event; the umask is 0.
 * @return 0; -ERANGE more than IDS_MAX; -ENOMEM */
int raw_id_all(const struct pmu *pmu, struct ids *ret, struct err *err);

/** @return 0; -EINVAL there is no such id, saying where they end or of which bits they are */
int raw_id_check(const struct pmu *pmu, uint64_t id, struct err *err);

/** As a config. @return 0; as raw_id_check */
int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err);

/** The id of a config. @return false: something else is set in it */
bool raw_id_of(const struct pmu *pmu, const uint64_t *config, uint64_t *ret);

#endif
