#include "discover/estimate/student.h"

#include <math.h>

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
