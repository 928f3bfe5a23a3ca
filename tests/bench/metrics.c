/* metrics.c: what 100 metrics × 10 cores cost a tick: prints "metrics_us 7.2", the median of many
 * ticks, each with counts of its own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "metrics/metrics.h"
#include "pmu/backend.h"

enum { N_METRICS = 100, N_CORES = 10, N_SLOTS = 10, N_TICKS = 2001 };

/* The shapes that Apple's and Arm's catalogues have. */
static const char *const shapes[] = {
	"e%u / e0",
	"1000 * e%u / e1",
	"(e%u + e3) / (e4 + e5)",
	"(e%u - e3) / e0",
	"max(0, (e%u + e6 + e7) / e8 - 1)",
	"1 - e%u / (8 * e0)",
	"64 * e%u / duration_time",
	"(e%u / e9) * (1 - e2 / (8 * e0))",
};

static struct event event[N_SLOTS];
static struct set set = { .n_slots = N_SLOTS };
static struct metrics metrics;
static struct metrics_bound bound;

static int make(void)
{
	metrics.metric = calloc(N_METRICS, sizeof(*metrics.metric));
	if (!metrics.metric)
		return -1;
	for (unsigned i = 0; i < N_SLOTS; i++) {
		snprintf(event[i].name, sizeof(event[i].name), "e%u", i);
		set.type[0].event[i] = &event[i];
	}
	for (; metrics.n < N_METRICS; metrics.n++) {
		const char *shape = shapes[metrics.n % (sizeof(shapes) / sizeof(shapes[0]))];
		const char *mark = strchr(shape, '%');
		char expr[80];

		snprintf(expr, sizeof(expr), "%.*s%u%s", (int)(mark - shape), shape,
			 metrics.n % N_SLOTS, mark + 2);
		metrics.metric[metrics.n].scale = 100;
		metrics.metric[metrics.n].unit = metrics.metric[metrics.n].group = "";
		if (metric_compile(expr, NULL, &metrics.metric[metrics.n].program[0], NULL))
			return -1;
	}
	return metrics_bind(&metrics, &set, 1, &bound);
}

static void fill(struct count *slot)
{
	static uint64_t value;

	for (unsigned i = 0; i < N_CORES * N_SLOTS; i++)
		slot[i] = (struct count){ .value = ++value * 7919,
					  .enabled_ns = NS_PER_S,
					  .running_ns = NS_PER_S,
					  .quality = QUALITY_OK };
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(void)
{
	static struct count slot[N_CORES * N_SLOTS];
	static struct reading reading[N_CORES][METRICS_BOUND_MAX];
	static uint64_t took_ns[N_TICKS];
	double sum = 0;

	if (make() || bound.n != N_METRICS)
		return 1;
	for (unsigned tick = 0; tick < N_TICKS; tick++) {
		fill(slot);

		uint64_t start_ns = clock_now_ns();

		for (unsigned core = 0; core < N_CORES; core++)
			metrics_eval(&metrics, &bound, 0, slot + core * N_SLOTS, reading[core]);
		took_ns[tick] = clock_now_ns() - start_ns;
		sum += reading[tick % N_CORES][tick % N_METRICS].value;
	}
	qsort(took_ns, N_TICKS, sizeof(took_ns[0]), by_size);

	uint64_t median_ns = took_ns[N_TICKS / 2];

	printf("metrics_us %.2f\nchecksum %g\n", (double)median_ns / 1e3, sum);
	metrics_bound_fini(&bound);
	metrics_fini(&metrics);
	return 0;
}
