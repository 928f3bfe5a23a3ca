#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Return the length of "%.*f", without the slower printing where rounding cannot add a digit. */
static int printed_length(double value, int places)
{
	if (value < 9.9)
		return 2 + places;
	if (value >= 10 && value < 99.9)
		return 3 + places;
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

	snprintf(buf, size, "%s%.*f%.*s", value < 0 ? "-" : "", places, scaled, step ? 1 : 0,
		 &suffix[step]);
	return buf;
}

const char *num_error(double share, bool ascii, char *buf, size_t size)
{
	double percent = fmax(100 * share, 0.1);

	if (share > 0)
		snprintf(buf, size, "%s%.*f %%", ascii ? "+-" : "±", percent < 9.95, percent);
	else
		snprintf(buf, size, "%s", "");
	return buf;
}
