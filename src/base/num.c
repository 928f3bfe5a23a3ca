#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Decimals that leave `digits` significant ones in front of the suffix, within the width. Counted
 * on what is printed: 9.96 with one decimal is 10.0, a digit more. */
static int decimals(double scaled, unsigned digits, unsigned width)
{
	int places = digits ? (int)digits - 1 : 0;

	for (; places > 0; places--) {
		int length = snprintf(NULL, 0, "%.*f", places, scaled);

		if (length <= (int)digits + 1 && length <= (int)width)
			break;
	}
	return places;
}

static const char suffix[] = " kMGTPE";

unsigned num_si_step(double value)
{
	double scaled = fabs(value);
	unsigned step = 0;

	/* 999.6 would print as 1000: step up where rounding does */
	while (step < sizeof(suffix) - 2 && scaled >= 999.5) {
		scaled /= 1000;
		step++;
	}
	return step;
}

const char *num_si(double value, unsigned digits, unsigned width, char *buf, size_t size)
{
	return num_si_at(value, num_si_step(value), digits, width, buf, size);
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
	if (step)
		width--;
	int places = step ? decimals(scaled, digits, width)
			  : (scaled == floor(scaled) ? 0 : decimals(scaled, digits, width));

	snprintf(buf, size, "%s%.*f%.*s", value < 0 ? "-" : "", places, scaled, step ? 1 : 0,
		 &suffix[step]);
	return buf;
}
