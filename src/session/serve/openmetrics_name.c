#include "session/serve/openmetrics_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* Units that event data use, and the base units of
 * https://prometheus.io/docs/practices/naming/#base-units */
static const struct unit {
	const char *from, *to;
	double factor;
} unit_table[] = {
	{ "%", "ratio", 0.01 },
	{ "/Kinst", "per_instruction", 1e-3 },
	{ "ns", "seconds", 1e-9 },
	{ "us", "seconds", 1e-6 },
	{ "µs", "seconds", 1e-6 },
	{ "ms", "seconds", 1e-3 },
	{ "msec", "seconds", 1e-3 },
	{ "s", "seconds", 1 },
	{ "sec", "seconds", 1 },
	{ "Hz", "hertz", 1 },
	{ "KHz", "hertz", 1e3 },
	{ "kHz", "hertz", 1e3 },
	{ "MHz", "hertz", 1e6 },
	{ "GHz", "hertz", 1e9 },
	{ "B", "bytes", 1 },
	{ "bytes", "bytes", 1 },
	{ "KB", "bytes", 1e3 },
	{ "MB", "bytes", 1e6 },
	{ "GB", "bytes", 1e9 },
	{ "KiB", "bytes", 1024 },
	{ "MiB", "bytes", 1048576 },
	{ "GiB", "bytes", 1073741824 },
	{ "B/s", "bytes_per_second", 1 },
	{ "KB/s", "bytes_per_second", 1e3 },
	{ "MB/s", "bytes_per_second", 1e6 },
	{ "GB/s", "bytes_per_second", 1e9 },
	{ "MB/sec", "bytes_per_second", 1e6 },
	{ "KiB/s", "bytes_per_second", 1024 },
	{ "MiB/s", "bytes_per_second", 1048576 },
	{ "GiB/s", "bytes_per_second", 1073741824 },
	{ "Joules", "joules", 1 },
	{ "J", "joules", 1 },
	{ "Watts", "watts", 1 },
	{ "W", "watts", 1 },
	{ "cycles", "cycles", 1 },
	{ "slots", "slots", 1 },
};

/* Words of names that say in another unit what the base unit says, and what stays of them. */
static const struct word {
	const char *unit, *word, *stays;
	bool is_last; /* elsewhere it means something else */
} word_table[] = {
	{ "ratio", "_percentage", "", false },
	{ "ratio", "_percent", "", false },
	{ "ratio", "_ratio", "", false },
	{ "ratio", "_rate", "", true },
	{ "ratio", "_share", "", true },
	{ "per_instruction", "_mpki", "_misses", false },
	{ "per_instruction", "_pki", "", false },
	{ "bytes_per_second", "_bytes_per_second", "", true },
	{ "bytes", "_bytes", "", true },
	{ "cycles", "_cycles", "", true },
	{ "slots", "_slots", "", true },
	{ "seconds", "_seconds", "", true },
};

static const struct unit *unit_find(const char *text)
{
	static const struct unit none = { "", "", 1 };

	for (size_t i = 0; i < ARRAY_SIZE(unit_table); i++) {
		if (strcmp(unit_table[i].from, text) == 0)
			return &unit_table[i];
	}
	return &none;
}

const char *openmetrics_unit(const char *unit, double *ret_factor)
{
	const struct unit *found = unit_find(unit);

	*ret_factor = found->factor;
	return found->to;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* "BranchMissRate" and "branch miss-rate" are "branch_miss_rate", "IPC" is "ipc". */
static void snake(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *c = name; *c && n + 2 < size; c++) {
		bool begins = is_upper(*c) && c > name && is_lower_or_digit(c[-1]);

		if (begins || (!is_upper(*c) && !is_lower_or_digit(*c))) {
			if (n && buf[n - 1] != '_')
				buf[n++] = '_';
		}
		if (is_upper(*c))
			buf[n++] = (char)(*c - 'A' + 'a');
		else if (is_lower_or_digit(*c))
			buf[n++] = *c;
	}
	while (n && buf[n - 1] == '_')
		n--;
	buf[n] = '\0';
}

/* @return where in the name; NULL */
static char *find_word(const struct word *word, char *name)
{
	size_t n = strlen(word->word);

	for (char *at = name; (at = strstr(at, word->word)); at++) {
		if (at > name && (at[n] == '\0' || (at[n] == '_' && !word->is_last)))
			return at;
	}
	return NULL;
}

static void replace_word(const char *unit, char *name, size_t size)
{
	char rest[OPENMETRICS_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(word_table); i++) {
		const struct word *word = &word_table[i];
		char *at = strcmp(word->unit, unit) == 0 ? find_word(word, name) : NULL;

		if (!at)
			continue;
		snprintf(rest, sizeof(rest), "%s%s", word->stays, at + strlen(word->word));
		snprintf(at, size - (size_t)(at - name), "%s", rest);
		return;
	}
}

void openmetrics_name(const struct metric *metric, struct openmetrics_name *ret)
{
	const struct unit *unit = unit_find(metric->unit);
	char name[OPENMETRICS_NAME_MAX / 2];

	snake(metric->name, name, sizeof(name));
	replace_word(unit->to, name, sizeof(name));
	*ret = (struct openmetrics_name){ .unit = unit->to, .factor = unit->factor };
	snprintf(ret->text, sizeof(ret->text), "m1top_metric_%s%s%s", name, *unit->to ? "_" : "",
		 unit->to);
}
