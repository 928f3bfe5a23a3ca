/* median.h: lists of figures in order, and their middle */
#ifndef DISCOVER_ESTIMATE_MEDIAN_H
#define DISCOVER_ESTIMATE_MEDIAN_H

#include <stddef.h>

/** Ascending. No NaN. */
void sort_figures(double *value, size_t n);

/** The list is put in order for it. @n  at least 1 */
double median_of(double *value, size_t n);

#endif
