/*
 * Random sets of events: each that the counters take at once is counted so, to the unit, in whatever order it is
 * asked for; each that they do not take is multiplexed, and said to be.
 *
 * What fits, and what it counts, is worked out here from the model's tables.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "model/counters.h"
#include "tap.h"

/* Legal sets of a server, if SETS does not say how many; illegal ones are a fifth of that. */
enum { N_LEGAL = 60, SET_MAX = 15 };

struct pmu {
	const char *server, *name;
	int cpu, n_counters, parts; /* of the sets of a server */
	const struct constraint *constraint;
	const struct rate *rate;
};

static const struct pmu pmus[] = {
	{ "hybrid", "cpu_core", 0, 12, 2, golden_cove, golden_cove_rates },
	{ "hybrid", "cpu_atom", 4, 9, 2, gracemont, gracemont_rates },
	{ "intel", "cpu", 5, 12, 1, golden_cove, golden_cove_rates },
	{ "amd", "cpu", 1, 6, 1, any6, zen_rates },
	{ "neoverse", "armv8_pmuv3_0", 2, 7, 1, neoverse_n2, n2_rates },
};

struct event {
	uint64_t config, counters;
};

struct set {
	struct event event[SET_MAX];
	int n;
};

static uint64_t between(uint64_t first, uint64_t last)
{
	return first + (uint64_t)random() % (last - first + 1);
}

/* An event of some row: where that holds for more than one, any. */
static struct event draw_event(const struct pmu *pmu)
{
	const struct constraint *row = pmu->constraint;
	struct event event;
	int n = 0;

	while (row[n].counters)
		n++;
	row += random() % n;
	event.config = row->first == row->last
			       ? row->first
			       : between(row->first + 1, row->last < 0xff ? row->last : 0xff);
	if (row->cmp == 0xff)
		event.config |= between(1, 0x7f) << 8;
	event.counters = counters_of(pmu->constraint, event.config);
	return event;
}

static bool fits(const struct set *set)
{
	__u64 counters[SET_MAX];

	for (int i = 0; i < set->n; i++)
		counters[i] = set->event[i].counters;
	return can_count(counters, set->n);
}

static void draw_set(const struct pmu *pmu, bool is_legal, struct set *ret)
{
	do {
		ret->n = (int)between(2, (unsigned)pmu->n_counters + 2);
		for (int i = 0; i < ret->n; i++) {
			ret->event[i] = draw_event(pmu);
			for (int j = 0; j < i; j++)
				if (ret->event[j].config == ret->event[i].config)
					i--, j = i;
		}
	} while (fits(ret) != is_legal);
}

static int run_m1top(const struct pmu *pmu, const struct set *set, char *output, size_t size)
{
	char command[2048];
	size_t n = (size_t)snprintf(command, sizeof command,
				    "m1top stat -C %d -n 1 -I 20 --budget 100 --format csv -e ",
				    pmu->cpu);

	for (int i = 0; i < set->n; i++)
		n += (size_t)snprintf(command + n, sizeof command - n, "%s%s/config=%#llx/",
				      i ? "," : "", pmu->name,
				      (unsigned long long)set->event[i].config);
	snprintf(command + n, sizeof command - n, " 2>&1");

	FILE *pipe = popen(command, "r");

	if (!pipe)
		return -1;
	n = fread(output, 1, size - 1, pipe);
	output[n] = '\0';

	int status = pclose(pipe);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct row {
	unsigned long long config, count;
	char quality[16];
};

/* …,pmu/config=0x…/,count,enabled_ns,running_ns,quality,error */
static bool parse_row(const char *line, struct row *ret)
{
	char text[256];
	const char *config;

	snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
	config = strstr(text, "/config=");
	return text[0] != '#' && config &&
	       sscanf(config, "/config=%llx/,%llu,%*u,%*u,%15[^,]", &ret->config, &ret->count,
		      ret->quality) == 3;
}

static bool has_event(const struct set *set, uint64_t config)
{
	for (int i = 0; i < set->n; i++)
		if (set->event[i].config == config)
			return true;
	return false;
}

/* Every event has a count of this quality; of one window all are as many microseconds of their rates. */
static bool is_counted(const struct pmu *pmu, const struct set *set, const char *output,
		       const char *wanted)
{
	unsigned long long us = 0;
	struct row row;
	int n = 0;

	for (const char *line = output; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!parse_row(line, &row))
			continue;

		unsigned long long rate = rate_of(pmu->rate, row.config, 0);
		bool is_whole = row.count && row.count % rate == 0;

		if (!has_event(set, row.config) || strcmp(row.quality, wanted) != 0 || !is_whole ||
		    (us && strcmp(wanted, "ok") == 0 && row.count / rate != us))
			return false;
		us = row.count / rate;
		n++;
	}
	return n == set->n;
}

static void print_set(const struct set *set, const char *output)
{
	for (int i = 0; i < set->n; i++)
		printf("# %#llx %#llx\n", (unsigned long long)set->event[i].config,
		       (unsigned long long)set->event[i].counters);
	printf("# %.400s\n", strstr(output, "tick,") ? strstr(output, "tick,") : output);
}

static void test_sets(const struct pmu *pmu, bool is_legal, int n_sets)
{
	static char output[65536];
	struct set set;
	int n_good = 0;

	for (int i = 0; i < n_sets; i++) {
		draw_set(pmu, is_legal, &set);

		bool is_good = run_m1top(pmu, &set, output, sizeof output) == 0 &&
			       is_counted(pmu, &set, output, is_legal ? "ok" : "scaled") &&
			       !strstr(output, " sets are multiplexed") == is_legal;

		n_good += is_good;
		if (!is_good)
			print_set(&set, output);
	}
	ok(n_good == n_sets, "%s: %d of %d sets that %s", pmu->name, n_good, n_sets,
	   is_legal ? "fit are counted at once, to the unit"
		    : "do not fit are multiplexed, and said to be");
}

int main(void)
{
	const char *server = getenv("SERVER"), *sets = getenv("SETS");
	int n_legal = sets && *sets ? (int)strtol(sets, NULL, 10) : N_LEGAL;

	srandom(1);
	for (size_t i = 0; server && i < sizeof pmus / sizeof *pmus; i++) {
		const struct pmu *pmu = &pmus[i];

		if (strcmp(pmu->server, server) != 0)
			continue;
		test_sets(pmu, true, n_legal / pmu->parts);
		test_sets(pmu, false, n_legal / 5 / pmu->parts);
	}
	return finish();
}
