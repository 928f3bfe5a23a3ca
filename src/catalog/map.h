/* map.h: mapfile.csv: which folder holds the events of which CPU */
#ifndef CATALOG_MAP_H
#define CATALOG_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/** EventType: what a row's folder is to its CPU. */
enum map_kind {
	MAP_SHARED, /* ours: what relatives have in common */
	MAP_UNCORE, /* in older trees of Linux */
	MAP_CORE,   /* the CPU's own */
	N_MAP_KINDS
};

struct map_row {
	char cpuid[200]; /* a MIDR, or a regular expression */
	char folder[200];
	enum map_kind kind;
	bool is_generic; /* MAP_CORE "generic" (ours): what all CPUs of a family have, not one model's */
};

/**
 * Read the rows whose EventType is one of the kinds above.
 *
 * @ret, @ret_n  new array, to be freed by the caller
 * @return       0, -ENOENT, -EINVAL with file and line
 */
int catalog_map_read(const char *path, struct map_row **ret, size_t *ret_n, struct err *err);

/**
 * Is a row meant for a CPU?
 *
 * Two numbers are MIDRs: the same implementer, architecture and part, variant and revision at
 * least the row's; part 0 in a row stands for every part, implementer 0 for every implementer.
 * Else the row is an extended regular expression over the whole id, with or without its stepping,
 * as in perf.
 */
bool catalog_map_matches(const struct map_row *row, const char *cpuid);

/** The first matching row of a kind. @return NULL without one, and where its folder is "-" */
const struct map_row *catalog_map_find(const struct map_row *rows, size_t n, const char *cpuid,
				       enum map_kind kind);

/** The word that a row of this kind has as its EventType. */
const char *catalog_map_type(const struct map_row *row);

#endif
