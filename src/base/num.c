#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cleanup.h"

int num_parse_u64(const char *text, uint64_t *ret)
{
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;

	char *end;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;

	errno = 0;
	unsigned long long value = strtoull(text, &end, base);

	if (errno == ERANGE)
		return -ERANGE;
	if (*end || end == text + (base == 16 ? 2 : 0))
		return -EINVAL;
	*ret = value;
	return 0;
}

static locale_t c_locale(void)
{
	static locale_t c;

	if (!c)
		c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return c;
}

uint64_t num_bit_range(const char **at)
{
	unsigned long first, last;
	char *end;

	if (!isdigit((unsigned char)**at))
		return 0;
	first = last = strtoul(*at, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		last = strtoul(end + 1, &end, 10);
	*at = end;
	if (last > 63 || last < first)
		return 0;
	return (UINT64_MAX >> (63 - (last - first))) << first;
}

int num_parse_double(const char *text, double *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) && !strchr("-.", text[0]))
		return -EINVAL;
	errno = 0;
	double value = strtod_l(text, &end, c_locale());

	if (*end || end == text || !isfinite(value))
		return errno == ERANGE ? -ERANGE : -EINVAL;
	*ret = value;
	return 0;
}

int num_parse_size(const char *text, double *ret)
{
	static const char units[] = "kmg";
	size_t n = strcspn(text, "kmgKMG");
	const char *unit = text[n] ? strchr(units, ascii_lower(text[n])) : NULL;
	char number[32];
	double size;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (num_parse_double(number, &size) || size < 0 || size > 1e9 || (unit && text[n + 1]))
		return -EINVAL;
	for (size_t i = 0; unit && i <= (size_t)(unit - units); i++)
		size *= 1024;
	*ret = size;
	return 0;
}

/* Return the length of "%.*f", without the slower printing where rounding cannot add a digit. @places  at least 1 */
static int printed_length(double value, int places)
{
	if (value < 9.9)
		return 2 + places;
	if (value >= 10 && value < 99.9)
		return 3 + places;
	if (value >= 100 && value < 999.9)
		return 4 + places;
	return snprintf(NULL, 0, "%.*f", places, value);
}

/* Return the decimals that leave `digits` significant ones before the suffix, within the width. Counted
 * on the printed form: 9.96 with one decimal is 10.0, a digit more. */
static int decimals(double scaled, unsigned digits, unsigned width)
{
	int places = digits ? (int)digits - 1 : 0;

	for (; places > 0; places--) {
		int length = printed_length(scaled, places);

		if (length <= (int)digits + 1 && length <= (int)width)
			break;
	}
	return places;
}

static const char suffix[] = " kMGTPE";

unsigned num_si_step(double value)
{
	/* 999.6 would print as 1000: step up where rounding does */
	static const double end[] = { 999.5, 999.5e3, 999.5e6, 999.5e9, 999.5e12, 999.5e15 };
	double size = fabs(value);
	unsigned step = 0;

	while (step < ARRAY_SIZE(end) && size >= end[step])
		step++;
	return step;
}

/* Whether a value is below 0.1 with two digits: 0.0995 is 0.10. */
static bool is_small(double scaled)
{
	return scaled > 0 && scaled < 0.0995;
}

static bool reads_back(double value, int digits, char buf[NUM_SHORTEST_MAX])
{
	double back;

	snprintf(buf, NUM_SHORTEST_MAX, "%.*g", digits, value);
	return !num_parse_double(buf, &back) && back >= value && back <= value;
}

const char *num_shortest(double value, char buf[NUM_SHORTEST_MAX])
{
	/* if 15 digits (DBL_DIG) are not enough, fewer are not either */
	int digits = reads_back(value, 15, buf) ? 6 : 16;

	while (!reads_back(value, digits, buf) && digits < 17)
		digits++;
	return buf;
}

unsigned num_decimals(double value, unsigned usual)
{
	double scaled = fabs(value);
	unsigned n = 0;

	if (!is_small(scaled))
		return usual;
	for (; n < 18 && scaled < 9.95; n++)
		scaled *= 10;
	return n > usual ? n : usual;
}

/* Format "6.6e-4". @return its length */
static int exponent(double scaled, int places, char *buf, size_t size)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*e", places, scaled);

	int n = (int)strcspn(text, "e");

	return snprintf(buf, size, "%.*se-%ld", n, text, labs(strtol(text + n + 1, NULL, 10)));
}

/* Format two digits as 0.0066, .0066 or 6.6e-3, the first that fits; else one. Many zeros are hard to
 * count. */
static void small(double scaled, int width, char *buf, size_t size)
{
	char fixed[32];
	int n = snprintf(fixed, sizeof(fixed), "%.*f", (int)num_decimals(scaled, 2), scaled);

	if (n <= width && scaled >= 0.0001)
		snprintf(buf, size, "%s", fixed);
	else if (n - 1 <= width && scaled >= 0.001)
		snprintf(buf, size, "%s", fixed + 1);
	else if (exponent(scaled, 1, buf, size) > width && exponent(scaled, 0, buf, size) > width)
		snprintf(buf, size, ">0");
}

const char *num_si(double value, unsigned digits, unsigned width, char *buf, size_t size)
{
	return num_si_at(value, num_si_step(value), digits, width, buf, size);
}

const char *num_bytes(uint64_t bytes, char *buf, size_t size)
{
	char number[16];
	size_t n = strspn(num_si((double)bytes, 2, 6, number, sizeof(number)), "0123456789.");

	snprintf(buf, size, "%.*s %sB", (int)n, number, number + n);
	return buf;
}

/* Format as "%s%.*f%c" does, in a tenth of the time. @return false: too long, or too close to a tie to be sure */
static bool quick_fixed(bool is_negative, double scaled, int places, char unit, char *buf,
			size_t size)
{
	static const double power[] = { 1, 10, 100, 1000 };
	char text[24], *at = text + sizeof(text);

	if (places > 3 || scaled >= 1e6)
		return false;
	scaled *= power[places];

	unsigned long n = (unsigned long)scaled, rest = n + (scaled - (double)n > 0.5);

	if (fabs(scaled - (double)n - 0.5) < 1e-6)
		return false;
	*--at = '\0';
	if (unit)
		*--at = unit;
	for (int i = 0; rest || i <= places; rest /= 10) {
		*--at = (char)('0' + rest % 10);
		if (++i == places)
			*--at = '.';
	}
	if (is_negative)
		*--at = '-';
	if (text + sizeof(text) - at > (ptrdiff_t)size)
		return false;
	memcpy(buf, at, (size_t)(text + sizeof(text) - at));
	return true;
}

const char *num_si_at(double value, unsigned step, unsigned digits, unsigned width, char *buf,
		      size_t size)
{
	double scaled = fabs(value);

	buf[0] = '\0';
	if (isnan(value))
		return buf;
	if (value < 0 && width > 1)
		width--;
	for (unsigned i = 0; i < step; i++)
		scaled /= 1000;
	if (!step && is_small(scaled)) {
		int sign = snprintf(buf, size, "%s", value < 0 ? "-" : "");

		small(scaled, (int)width, buf + sign, size - (size_t)sign);
		return buf;
	}
	if (step)
		width--;
	int places = step ? decimals(scaled, digits, width)
			  : (scaled == floor(scaled) ? 0 : decimals(scaled, digits, width));

	if (!quick_fixed(value < 0, scaled, places, step ? suffix[step] : '\0', buf, size))
		snprintf(buf, size, "%s%.*f%.*s", value < 0 ? "-" : "", places, scaled,
			 step ? 1 : 0, &suffix[step]);
	return buf;
}

const char *num_error(double value, double below, double above, bool ascii, char *buf, size_t size)
{
	double percent = fmax(100 * above, 0.1);
	char low[16], high[16];

	if (below < above)
		snprintf(buf, size, "%s%s%s", num_si(value * (1 - below), 2, 4, low, sizeof(low)),
			 ascii ? "-" : "–", num_si(value * (1 + above), 2, 4, high, sizeof(high)));
	else if (above > 0)
		snprintf(buf, size, "%s%.*f %%", ascii ? "+-" : "±", percent < 9.95, percent);
	else
		snprintf(buf, size, "%s", "");
	return buf;
}

/* ---- statistics ---- */

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
