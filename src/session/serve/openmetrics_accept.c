/* Content negotiation: RFC 9110 section 12.5.1, as far as two types go. */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "session/serve/openmetrics.h"

const char *const openmetrics_type[N_OPENMETRICS_FLAVOURS] = {
	[OPENMETRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[OPENMETRICS_0_0_4] = "text/plain; version=0.0.4; charset=utf-8",
};

/* One item of the header: "type/subtype;q=0.5". Parameters end at `end`. */
static bool has_type(const char *item, const char *end, const char *type)
{
	size_t n = strlen(type);

	return (size_t)(end - item) >= n && strncasecmp(item, type, n) == 0 &&
	       (item + n == end || strchr("; \t", item[n]));
}

static const char *parameter(const char *item, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = item; (at = memchr(at, ';', (size_t)(end - at)));) {
		at++;
		at += strspn(at, " \t");
		if (at + n < end && strncasecmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

static double weight(const char *item, const char *end)
{
	const char *q = parameter(item, end, "q");
	char text[8] = "";
	double value;

	if (!q)
		return 1;
	for (size_t i = 0; i + 1 < sizeof(text) && q + i < end && strchr(".0123456789", q[i]); i++)
		text[i] = q[i];
	return num_parse_double(text, &value) ? 0 : value;
}

/* Version 1.x is ours, and so is the 0.0.1 that Prometheus says beside it. */
static bool has_our_version(const char *item, const char *end)
{
	const char *version = parameter(item, end, "version");

	return !version || *version == '1' || strncmp(version, "0.0.1", 5) == 0;
}

enum openmetrics_flavour openmetrics_accepted(const char *accept)
{
	double open = 0, plain = 0;

	for (const char *item = accept; item && *item;) {
		const char *end = item + strcspn(item, ",");
		double q = weight(item, end);

		if (has_type(item, end, "application/openmetrics-text")) {
			if (has_our_version(item, end) && q > open)
				open = q;
		} else if (has_type(item, end, "text/plain") && q > plain) {
			plain = q;
		}
		item = end + strspn(end, ", \t");
	}
	return open > 0 && open >= plain ? OPENMETRICS_1_0 : OPENMETRICS_0_0_4;
}
