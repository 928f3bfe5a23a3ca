#include "pmu/catalog_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { COUNTER_MAX = 63 };

static int range_bits(const char **text, uint64_t *bits)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;

	unsigned long first = strtoul(*text, &end, 10);
	unsigned long last = first;

	if (*end == '-' && isdigit((unsigned char)end[1]))
		last = strtoul(end + 1, &end, 10);
	if (last > COUNTER_MAX || first > last)
		return -EINVAL;
	*bits |= (UINT64_MAX >> (COUNTER_MAX - last)) & (UINT64_MAX << first);
	*text = end;
	return 0;
}

int value_counters(const char *text, uint64_t *ret)
{
	uint64_t bits = 0;

	if (*text && !isalpha((unsigned char)*text)) {
		for (;;) {
			if (range_bits(&text, &bits))
				return -EINVAL;
			if (!*text)
				break;
			if (*text++ != ',')
				return -EINVAL;
			text += strspn(text, " ");
		}
	}
	*ret = bits;
	return 0;
}

/* "1e-6msec": 4, but "1events": 1 */
static size_t number_length(const char *text)
{
	size_t n = strspn(text, "-.0123456789");

	if (n && (text[n] == 'e' || text[n] == 'E')) {
		size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
		size_t digits = strspn(text + n + 1 + sign, "0123456789");

		if (digits)
			n += 1 + sign + digits;
	}
	return n;
}

int value_scale(const char *text, double *ret_scale, const char **ret_unit)
{
	char number[32];
	size_t n = number_length(text);

	if (!n || n >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (num_parse_double(number, ret_scale))
		return -EINVAL;
	*ret_unit = text + n;
	return 0;
}

int value_number(const char *text, bool may_be_list, uint64_t *ret)
{
	char number[32];
	size_t n = may_be_list ? strcspn(text, ",") : strlen(text);

	if (n >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	return num_parse_u64(number, ret);
}
