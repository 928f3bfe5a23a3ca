/*
 * Sets of events that the driver's first-fit rule makes hard: m1top finds an order for every legal one,
 * and multiplexes the events of an illegal one.
 *
 * Which set is legal is worked out here from the masks alone, by trying. Each kernel gets other sets.
 */
#include <ctype.h>
#include <errno.h>
#include <sys/utsname.h>

#include "perf.h"
#include "tap.h"

enum { N_LEGAL = 100, N_ILLEGAL = 25, SET_SIZE = 8, CPU = 4, EVENTS_KNOWN_MAX = 256 };

struct event {
	char name[64];
	unsigned config, mask;
};

static struct event events[EVENTS_KNOWN_MAX];
static int n_events;

/* "0,2-9" → a bit for each */
static unsigned parse_mask(const char *text)
{
	unsigned mask = 0;

	while (isdigit(*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last; first++)
			mask |= 1u << first;
		text = *end == ',' ? end + 1 : end;
	}
	return mask;
}

static void learn_events(void)
{
	FILE *list = popen("m1top list events", "r");
	char line[512], counters[32];

	while (list && n_events < EVENTS_KNOWN_MAX && fgets(line, sizeof line, list)) {
		struct event *event = &events[n_events];

		if (sscanf(line, "%63s apple_%*s event=%x PMC%31s", event->name, &event->config,
			   counters) != 3)
			continue;
		event->mask = parse_mask(counters);
		n_events++;
	}
	if (list)
		pclose(list);
}

static bool fits(const int *set, int n, unsigned used)
{
	if (n == 0)
		return true;
	for (int i = 0; i < 10; i++) {
		if ((events[set[0]].mask & ~used & (1u << i)) &&
		    fits(set + 1, n - 1, used | 1u << i))
			return true;
	}
	return false;
}

static void draw(int *set)
{
	for (int i = 0; i < SET_SIZE; i++) {
		bool is_new;

		do {
			is_new = true;
			set[i] = (int)(random() % n_events);
			for (int j = 0; j < i; j++)
				is_new &= set[j] != set[i];
		} while (!is_new);
	}
}

/* Draw until it is legal, or until it is not. Half of the events have few counters: many sets are not. */
static void draw_set(int *set, bool is_legal)
{
	do
		draw(set);
	while (fits(set, SET_SIZE, 0) != is_legal);
}

/* Opened as they were drawn, without a thought for the order. */
static bool opens_as_drawn(const int *set, int type)
{
	uint64_t configs[SET_SIZE];
	int fds[SET_SIZE], n;

	for (int i = 0; i < SET_SIZE; i++)
		configs[i] = events[set[i]].config;
	n = group_open(type, CPU, configs, SET_SIZE, fds);
	group_close(fds, n);
	return n == SET_SIZE;
}

/* Run m1top stat on the set; returns its exit status, the output is in `output`. */
static int run_m1top(const int *set, char *output, size_t size)
{
	char command[1024];
	size_t n =
		(size_t)snprintf(command, sizeof command,
				 "m1top stat -C %d -n 1 -I 20 --budget 100 --format csv -e ", CPU);
	FILE *pipe;
	int status;

	for (int i = 0; i < SET_SIZE; i++)
		n += (size_t)snprintf(command + n, sizeof command - n, "%s%s", i ? "," : "",
				      events[set[i]].name);
	snprintf(command + n, sizeof command - n, " 2>&1");
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	n = fread(output, 1, size - 1, pipe);
	output[n] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Every event of the set has a row of its own with a count of this quality. */
static bool is_counted(const int *set, const char *output, const char *quality)
{
	for (int i = 0; i < SET_SIZE; i++) {
		const char *row = output, *found;
		bool is_found = false;
		char name[72];

		snprintf(name, sizeof name, ",%s,", events[set[i]].name);
		while (!is_found && (row = strstr(row, name))) {
			found = strstr(row, quality);
			is_found = strncmp(row + strlen(name), "0,", 2) != 0 && found &&
				   found < row + strcspn(row, "\n");
			row++;
		}
		if (!is_found)
			return false;
	}
	return true;
}

static void print_set(const int *set, const char *output)
{
	for (int i = 0; i < SET_SIZE; i++)
		printf("# %s %#x\n", events[set[i]].name, events[set[i]].mask);
	printf("# %.400s\n", output);
}

static void test_legal(int type)
{
	int set[SET_SIZE], n_fit = 0, n_fit_as_drawn = 0;
	static char output[65536];

	for (int i = 0; i < N_LEGAL; i++) {
		draw_set(set, true);
		n_fit_as_drawn += opens_as_drawn(set, type);
		if (run_m1top(set, output, sizeof output) == 0 && is_counted(set, output, ",ok,"))
			n_fit++;
		else
			print_set(set, output);
	}
	ok(n_fit == N_LEGAL, "%d of %d legal sets of %d events fit and count", n_fit, N_LEGAL,
	   SET_SIZE);
	ok(n_fit_as_drawn < N_LEGAL, "the order matters: as drawn the kernel refuses %d of them",
	   N_LEGAL - n_fit_as_drawn);
}

/* More events than there are counters for: they are multiplexed, and the figures say so. */
static void test_multiplexing(void)
{
	int set[SET_SIZE], n_counted = 0, n_told = 0;
	static char output[65536];

	for (int i = 0; i < N_ILLEGAL; i++) {
		bool is_counted_all, is_told;

		draw_set(set, false);
		is_counted_all = run_m1top(set, output, sizeof output) == 0 &&
				 is_counted(set, output, ",scaled,");
		is_told = strstr(output, " sets are multiplexed") &&
			  !strstr(output, "nvalid argument");
		n_counted += is_counted_all;
		n_told += is_told;
		if (!is_counted_all || !is_told)
			print_set(set, output);
	}
	ok(n_counted == N_ILLEGAL, "%d of %d sets that do not fit at once are multiplexed",
	   n_counted, N_ILLEGAL);
	ok(n_told == N_ILLEGAL, "%d of %d with a word about it", n_told, N_ILLEGAL);
}

int main(void)
{
	struct utsname kernel;
	int type = pmu_type("apple_firestorm_pmu");

	uname(&kernel);
	srandom((unsigned)(kernel.release[2] + kernel.release[3]));
	learn_events();
	if (!ok(n_events >= 90, "m1top lists %d events of the M1 with their counters", n_events))
		return finish();
	test_legal(type);
	test_multiplexing();
	return finish();
}
