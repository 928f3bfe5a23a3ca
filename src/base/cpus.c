#include "base/cpus.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static int cpus_number(const char **at, unsigned *ret)
{
	if (!isdigit((unsigned char)**at))
		return -EINVAL;

	char *end;
	unsigned long value = strtoul(*at, &end, 10);

	if (value >= CPUS_MAX)
		return -ERANGE;
	*at = end;
	*ret = (unsigned)value;
	return 0;
}

static int range(const char **at, struct cpus *set)
{
	unsigned first = 0;
	int rc = cpus_number(at, &first);
	unsigned last = first;

	if (!rc && **at == '-') {
		(*at)++;
		rc = cpus_number(at, &last);
	}
	if (rc)
		return rc;
	if (last < first)
		return -EINVAL;
	bits_add_range(set->word, first, last);
	return 0;
}

int cpus_parse(const char *text, struct cpus *ret, struct err *err)
{
	struct cpus set = { 0 };
	const char *at = text + strspn(text, " \t\n");

	while (*at) {
		int rc = range(&at, &set);

		if (rc == -ERANGE)
			return err_set(err, ERANGE, "\"%s\": CPU numbers end at %d", text,
				       CPUS_MAX - 1);
		bool more = *at == ',' && at[1];

		at += more ? 1 : strspn(at, " \t\n");
		if (rc || (!more && *at))
			return err_set(err, EINVAL, "\"%s\" is not a CPU list such as 0-3,8", text);
	}
	*ret = set;
	return 0;
}

const char *cpus_format(const struct cpus *set, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	cpus_each(set, first) {
		int last = first;

		while (cpus_has(set, (unsigned)last + 1))
			last++;

		char item[32];
		int n = last == first ? snprintf(item, sizeof(item), "%d", first)
				      : snprintf(item, sizeof(item), "%d-%d", first, last);

		if (used + (size_t)n + sizeof(",…") > size) {
			snprintf(buf + used, size - used, "…");
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "," : "", item);
		first = last;
	}
	return buf;
}

int cpus_next(const struct cpus *set, int after)
{
	return bits_next(set->word, CPUS_MAX / 64, after);
}

unsigned cpus_count(const struct cpus *set)
{
	return bits_count(set->word, CPUS_MAX);
}

void cpus_add(struct cpus *set, unsigned cpu)
{
	assert(cpu < CPUS_MAX);
	bits_add(set->word, cpu);
}

bool cpus_has(const struct cpus *set, unsigned cpu)
{
	return cpu < CPUS_MAX && bits_has(set->word, cpu);
}

/* The kernel's mask consists of 64-bit words as well. */
_Static_assert(sizeof(long) == sizeof(uint64_t), "m1top is for 64-bit machines");

int cpus_get_affinity(struct cpus *ret)
{
	struct cpus set = { 0 };

	if (sched_getaffinity(0, sizeof(set.word), (cpu_set_t *)set.word))
		return -errno;
	*ret = set;
	return 0;
}

int cpus_set_affinity(const struct cpus *set)
{
	return sched_setaffinity(0, sizeof(set->word), (const cpu_set_t *)set->word) ? -errno : 0;
}

int cpus_pin(unsigned cpu)
{
	struct cpus only = { 0 };

	cpus_add(&only, cpu);
	return cpus_set_affinity(&only);
}
