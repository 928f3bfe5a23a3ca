#include "session/report/packed.h"

#include <math.h>

static uint16_t code_of(double value, double low, double high)
{
	if (isnan(value))
		return 0;
	return (uint16_t)(1.5 + (high > low ? (value - low) / (high - low) : 0) * 65534);
}

void packed_numbers(const double *value, size_t n, double low, double high, struct text *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned n_bits = 0;

	text_add(out, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		uint16_t code = code_of(value[i], low, high);

		for (unsigned byte = 0; byte < 2; byte++) { /* little endian */
			bits = bits << 8 | ((uint32_t)code >> (byte * 8) & 0xff);
			for (n_bits += 8; n_bits >= 6; n_bits -= 6)
				text_add(out, &digits[bits >> (n_bits - 6) & 63], 1);
		}
	}
	if (n_bits)
		text_add(out, &digits[bits << (6 - n_bits) & 63], 1);
	for (size_t i = 2 * n % 3; i && i < 3; i++)
		text_add(out, "=", 1);
	text_add(out, "\"", 1);
}
