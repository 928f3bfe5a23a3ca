/* import.h: event files of this machine's CPUs, taken from elsewhere and kept */
#ifndef CATALOG_IMPORT_H
#define CATALOG_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/** One core type, and what was taken for it. */
struct import_cpu {
	char id[64];      /* as catalog_load's cpuid */
	const char *pmu;  /* its core PMU; "" for none */
	char folder[256]; /* from here on import_tree's: "x86/amdzen5"; "" where there is nothing */
	size_t n_events, n_metrics, n_refused;
};

/** The core types of a machine. */
struct import {
	const char *arch; /* as catalog_load's */
	struct import_cpu *cpu;
	unsigned n_cpus;
	size_t n_files; /* import_tree's */
	uint64_t n_bytes;
};

/**
 * Copy what a tree has of these CPUs and of devices into a folder: whole or, where anything fails,
 * nothing, and what was there before stays.
 *
 * @from   laid out as catalog_load wants it
 * @to     is replaced; folders above it are made
 * @return 0; -ENOENT where it has none of the CPUs; as catalog_load; -errno of what cannot be written
 */
int import_tree(struct import *import, const char *from, const char *to, struct err *err);

/**
 * Make a tree out of what `perf list -j` prints (Linux 6.3 and later): its metrics, and events that
 * are from its own files. Which counters can count an event it does not say. Whose metrics are on
 * hybrid machines is seen from their events; two of one name without any are left out.
 *
 * @path   of the file, which may be a pipe
 * @tree   a folder
 * @return 0; -ENOENT where it knows nothing of this machine; -EINVAL with file and place; -errno
 */
int import_perf_list(const struct import *import, const char *path, const char *tree,
		     struct err *err);

/** Write a file and the folders above it, for everybody to read. @return 0 or -errno */
int import_put(const char *path, const char *bytes, size_t n, struct err *err);

/** Remove a folder and all in it, as far as that is possible. */
void import_remove(const char *folder);

#endif
