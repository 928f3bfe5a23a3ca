/* catalog_check.h: mistakes in event data, looked for stricter than the program does */
#ifndef TESTS_CATALOG_CHECK_H
#define TESTS_CATALOG_CHECK_H

#include "base/text.h"
#include "pmu/catalog.h"

/**
 * Find the mistakes that another layer sees in one CPU's catalogue, e.g. metrics_check in expressions.
 *
 * @ret    one line per mistake is appended, beginning with catalog->cpu, here the path of the folder
 * @return number of mistakes, or -ENOMEM
 */
typedef int catalog_judge_fn(const struct catalog *catalog, struct text *ret);

/**
 * Look for mistakes in all data below a folder, stricter than catalog_load, which lets pass what
 * Linux's own files contain: unknown fields, missing descriptions, names and aliases that clash,
 * a Counter that allows nothing, a ShortName that is too long, a preset with an unknown event or
 * one on a counter it is not legal on (for a shared preset: on any of its CPUs), folders that no
 * mapfile.csv leads to.
 *
 * @judge  called for each CPU's catalogue without such mistakes; may be NULL
 * @ret    one line per mistake is appended, in the form of catalog_load's errors
 * @return number of mistakes, or -errno if the folder could not be read
 */
int catalog_check(const char *dir, catalog_judge_fn *judge, struct text *ret, struct err *err);

/**
 * Find the mistakes in a catalogue that only its expressions show: syntax, unknown events and metrics, a
 * preset whose events do not give its metrics.
 */
catalog_judge_fn metrics_check;

#endif
