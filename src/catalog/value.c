#include "catalog/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

int value_counters(const char *text, uint64_t *ret)
{
	uint64_t bits = 0;

	for (bool more = *text && !isalpha((unsigned char)*text); more;) {
		uint64_t range = num_bit_range(&text);

		more = *text == ',';
		if (!range || (*text && !more))
			return -EINVAL;
		bits |= range;
		text += more;
		text += strspn(text, " ");
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
