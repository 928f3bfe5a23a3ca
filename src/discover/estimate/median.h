/* median.h: lists of figures in order, their middle, and what lies far from it */
#ifndef DISCOVER_ESTIMATE_MEDIAN_H
#define DISCOVER_ESTIMATE_MEDIAN_H

#include <stddef.h>

/** Ascending. No NaN. */
void sort_figures(double *value, size_t n);

/** The list is put in order for it. @n  at least 1 */
double median_of(double *value, size_t n);

/**
 * How far from their median normal figures may lie before they are taken for disturbed: one in
 * ten thousand does, which is farther the fewer there are to tell of their scatter.
 *
 * @value  at least 1; becomes the deviations, in order
 * @least  scatter
 */
double median_reach(double *value, size_t n, double least, double *ret_median);

#endif
