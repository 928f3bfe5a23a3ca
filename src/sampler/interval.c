#include "sampler/sampler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "sampler/sampler.h"

static const uint64_t ladder_ms[] = { 1,     2,      5,      10,      20,     50,    100,
				      200,   500,    1000,   2000,    5000,   10000, 30000,
				      60000, 300000, 600000, 1800000, 3600000 };

static const struct {
	const char *name;
	double ns;
} unit[] = { { "", 1e9 },     { "s", 1e9 },  { "ms", 1e6 },  { "us", 1e3 },
	     { "min", 60e9 }, { "m", 60e9 }, { "h", 3600e9 } };

int interval_parse(const char *text, uint64_t *ret_ns)
{
	char number[32];
	double value;

	text += strspn(text, " ");

	size_t n = strspn(text, "0123456789.");

	if (!n || n >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, n);
	number[n] = '\0';
	text += n + strspn(text + n, " ");
	for (size_t i = 0; i < ARRAY_SIZE(unit); i++) {
		if (strcmp(text, unit[i].name) != 0)
			continue;
		if (num_parse_double(number, &value) < 0 || value * unit[i].ns > 1e18)
			return -EINVAL;
		*ret_ns = (uint64_t)llround(value * unit[i].ns);
		return 0;
	}
	return -EINVAL;
}

uint64_t interval_next(uint64_t now_ns, int step)
{
	const size_t n = ARRAY_SIZE(ladder_ms);

	for (size_t i = 0; step > 0 && i < n; i++)
		if (ladder_ms[i] * NS_PER_MS > now_ns)
			return ladder_ms[i] * NS_PER_MS;
	for (size_t i = n; step < 0 && i > 0; i--)
		if (ladder_ms[i - 1] * NS_PER_MS < now_ns)
			return ladder_ms[i - 1] * NS_PER_MS;
	return now_ns;
}

const char *interval_text(uint64_t interval_ns, char *buf, size_t size)
{
	double s = (double)interval_ns / 1e9;

	if (s < 1)
		snprintf(buf, size, "%.4g ms", s * 1e3);
	else if (s < 120)
		snprintf(buf, size, s < 10 ? "%.1f s" : "%.4g s", s);
	else
		snprintf(buf, size, "%.4g min", s / 60);
	return buf;
}

const char *duration_text(uint64_t duration_ns, char *buf, size_t size)
{
	unsigned long s = (unsigned long)(duration_ns / NS_PER_S);
	uint64_t tenths = duration_ns / (NS_PER_S / 10);

	if (!tenths)
		snprintf(buf, size, "%.0f ms", (double)duration_ns / 1e6);
	else if (s < 60)
		snprintf(buf, size, "%.1f s", (double)tenths / 10);
	else if (s < 3600)
		snprintf(buf, size, "%lu min %02lu s", s / 60, s % 60);
	else
		snprintf(buf, size, "%lu h %02lu min", s / 3600, s / 60 % 60);
	return buf;
}
