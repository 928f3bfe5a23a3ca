#include "base/median.h"

#include <math.h>
#include <stdlib.h>

enum { SHORT = 64 };

#define MAD_SIGMA 1.4826 /* standard deviation per median absolute deviation */
#define FAR       3.8906 /* normal deviate that one in ten thousand exceeds */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sort by insertion: much faster than qsort for short lists. */
static void insert_each(double *value, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double moved = value[i];
		size_t j = i;

		for (; j > 0 && value[j - 1] > moved; j--)
			value[j] = value[j - 1];
		value[j] = moved;
	}
}

void sort_figures(double *value, size_t n)
{
	if (n <= SHORT)
		insert_each(value, n);
	else
		qsort(value, n, sizeof(*value), by_value);
}

double median_of(double *value, size_t n)
{
	sort_figures(value, n);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

static double correction(double freedom)
{
	return (8 * freedom + 1) / (8 * freedom + 3);
}

double student_chance(double t, double freedom)
{
	double z = sqrt(freedom * log1p(t * t / freedom)) * correction(freedom);

	return erfc(z / sqrt(2));
}

double student_t(double z, double freedom)
{
	double corrected = z / correction(freedom);

	return sqrt(freedom * expm1(corrected * corrected / freedom));
}

/*
 * F. R. Hampel's rule. The median of the deviations tells about as much of the scatter as the standard
 * deviation of half as many figures.
 */
double outlier_limit(double *value, size_t n, double least, double *ret_median)
{
	double middle = median_of(value, n);

	for (size_t i = 0; i < n; i++)
		value[i] = fabs(value[i] - middle);
	*ret_median = middle;
	return MAD_SIGMA * fmax(median_of(value, n), least) *
	       student_t(FAR, fmax((double)n / 2 - 1, 0.5));
}
