/* median.h: sorting figures, their median, outliers, and Student's t */
#ifndef BASE_MEDIAN_H
#define BASE_MEDIAN_H

#include <stddef.h>

/** Sort in ascending order. No NaN. */
void sort_figures(double *value, size_t n);

/** Return the median; sorts the list. @n  at least 1 */
double median_of(double *value, size_t n);

/**
 * Compute the distance from the median beyond which a figure is an outlier: one in ten thousand normal
 * figures exceeds it. Fewer figures tell less about their scatter, so the distance is larger.
 *
 * @value  at least 1; becomes the deviations, in order
 * @least  minimum scatter
 */
double outlier_limit(double *value, size_t n, double least, double *ret_median);

/** Return the probability of a t, of either sign, at least this far from 0. @freedom  degrees of freedom,
 * above 0; whole or not.
 * Method: D. L. Wallace's normal deviate, good to three digits far into the tail */
double student_chance(double t, double freedom);

/** Return the t that is exceeded as rarely as the normal deviate z. */
double student_t(double z, double freedom);

#endif
