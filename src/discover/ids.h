/* ids.h: event numbers of a PMU, their encoding, and lists of them: "0x00-0xff,0x195" */
#ifndef DISCOVER_IDS_H
#define DISCOVER_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "pmu/machine.h"
#include "base/text.h"

enum mask_source {
	MASK_UNKNOWN,     /* not found: no kernel makes the id count, or the kernel refuses it */
	MASK_BY_COUNTING, /* programmed on every counter: these counted, consistently */
	MASK_BY_DRIVER,   /* from a driver's table, as seen by the groups that it accepts */
};

/** Counters that can count an id. */
struct mask {
	enum mask_source source;
	uint64_t counters; /* bit n: counter n; 0 if the driver does not reveal them */
	uint8_t copies;    /* by driver: copies of the id that fit into one group */
	uint8_t above;     /* by driver: most cycles events that may precede it; -1 as 0xff */
};

/** List of ids, ascending, without duplicates. `{ 0 }` is empty. */
struct ids {
	uint64_t *id;
	size_t n;
};

enum { IDS_MAX = 1 << 20 };

/** Parse a list. @return 0; -EINVAL naming an invalid item; -ERANGE more than IDS_MAX; -ENOMEM */
int ids_parse(const char *text, struct ids *ret, struct err *err);

/** List every id from 0 to last. @return 0 or -ENOMEM */
int ids_all(uint64_t last, struct ids *ret);

/** Add the ids of another list. @return 0 or -ENOMEM */
int ids_add(struct ids *ids, const struct ids *more, struct err *err);

/** Find an id. @return its index; -1 if it is missing */
long ids_find(const struct ids *ids, uint64_t id);

/** Append a list in the form of ids_parse, with ranges. @is_in  by index, whether to write it; NULL: all */
void ids_print(const struct ids *ids, const bool *is_in, struct text *ret);

/** Free and empty the list; NULL is accepted. */
void ids_fini(struct ids *ids);

/*
 * A PMU with a field "umask" (x86) has ids like perf's rUUEE: event and umask bits at their places
 * in the config, umask << 8 | event, AMD's high event bits in 32-35. Other ids are the number in
 * the field "event", or without that field the config itself.
 */

/** Get the event and umask bits of an id. @ret_umask  0: there is no umask */
void raw_id_bits(const struct pmu *pmu, uint64_t *ret_event, uint64_t *ret_umask);

/** Extract these bits of an id, without gaps: 0x1c2 for AMD's 0x1000000c2. */
uint64_t raw_id_part(uint64_t id, uint64_t bits);

/**
 * List the ids tried by default: every event, with umask 0.
 * @return 0; -ERANGE more than IDS_MAX; -ENOMEM
 */
int raw_id_all(const struct pmu *pmu, struct ids *ret, struct err *err);

/** Check an id. @return 0; -EINVAL for an invalid id, naming the valid range or bits */
int raw_id_check(const struct pmu *pmu, uint64_t id, struct err *err);

/** Encode an id as a config. @return 0; as raw_id_check */
int raw_id_encode(const struct pmu *pmu, uint64_t id, uint64_t *ret_config, struct err *err);

/** Get the id of a config. @return false if other bits are set */
bool raw_id_of(const struct pmu *pmu, const uint64_t *config, uint64_t *ret);

#endif
