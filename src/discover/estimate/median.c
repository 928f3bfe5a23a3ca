#include "discover/estimate/median.h"

#include <stdlib.h>

enum { SHORT = 64 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of short lists insertion beats qsort's calls many times over. */
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
