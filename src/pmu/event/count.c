#include "pmu/count.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *mark;
} qualities[N_QUALITIES] = {
	[QUALITY_NONE] = { "none", "" },
	[QUALITY_OK] = { "ok", "" },
	[QUALITY_SCALED] = { "scaled", "~" },
	[QUALITY_PENDING] = { "pending", "…" },
	[QUALITY_UNDEFINED] = { "undefined", "-" },
	[QUALITY_NOT_COUNTED] = { "not_counted", "-" },
	[QUALITY_NOT_SUPPORTED] = { "not_supported", "n/s" },
	[QUALITY_LOST] = { "lost", "lost" },
	[QUALITY_OFF] = { "off", "off" },
};

const char *quality_name(enum quality quality)
{
	assert(quality < N_QUALITIES);
	return qualities[quality].name;
}

const char *quality_mark(enum quality quality)
{
	assert(quality < N_QUALITIES);
	return qualities[quality].mark;
}

enum quality quality_of_times(uint64_t enabled_ns, uint64_t running_ns)
{
	if (!running_ns) /* a counter that did not run has no valid count */
		return QUALITY_NOT_COUNTED;
	return running_ns < enabled_ns ? QUALITY_SCALED : QUALITY_OK;
}

uint64_t counter_delta(uint64_t before, uint64_t after, unsigned width)
{
	assert(width >= 1 && width <= 64);
	return (after - before) & (UINT64_MAX >> (64 - width));
}

static struct reading over(const struct count *count, double factor, uint64_t divisor_ns)
{
	struct reading none = { .quality = count->quality };

	if (!quality_has_value(count->quality))
		return none;
	if (!divisor_ns)
		return (struct reading){ .quality = QUALITY_UNDEFINED };
	return (struct reading){ .value = ((double)count->value + count->extra) * factor /
					  (double)divisor_ns,
				 .quality = count->quality };
}

struct reading count_rate(const struct count *count)
{
	if (count->n_summed <= 1)
		return over(count, 1e9, count->running_ns);
	if (count->quality == QUALITY_OK) /* each core has its own window */
		return (struct reading){ .value = count->rates, .quality = QUALITY_OK };
	/* an estimate is scaled as a whole; the times of a sum are sums, too, so value / running
	 * is the average core's rate */
	return over(count, count->n_summed * 1e9, count->running_ns);
}

struct reading count_total(const struct count *count)
{
	if (count->quality == QUALITY_OK) /* exact: no multiplication by a ratio of one */
		return (struct reading){ .value = (double)count->value, .quality = QUALITY_OK };
	return over(count, (double)count->enabled_ns, count->running_ns);
}

double count_missed_ns(const struct count *count)
{
	return fmax(0, (double)count->enabled_ns - (double)count->running_ns);
}

double count_error(const struct count *count)
{
	if (count->quality != QUALITY_SCALED || !count->value ||
	    count->running_ns >= count->enabled_ns)
		return 0;
	return count->error / ((double)count->value + count->extra);
}

/* Add what was counted, and how well. */
static void add_counted(struct count *sum, const struct count *one)
{
	sum->value += one->value;
	sum->extra += one->extra;
	sum->running_ns += one->running_ns;
	if (one->error > 0)
		sum->error = hypot(sum->error, one->error);
}

static double extra_per_missed_ns(const struct count *count)
{
	return count_missed_ns(count) > 0 ? count->extra / count_missed_ns(count) : 0;
}

void count_add_mux(struct count *sum, const struct count *one)
{
	if (sum->quality == QUALITY_NONE ||
	    (quality_has_value(one->quality) && !quality_has_value(sum->quality))) {
		*sum = *one;
		return;
	}
	/* a count of the whole window is complete */
	if (!quality_has_value(one->quality) || sum->quality == QUALITY_OK)
		return;

	double per_ns = extra_per_missed_ns(sum) + extra_per_missed_ns(one);

	add_counted(sum, one);
	sum->extra = per_ns * count_missed_ns(sum);
	sum->quality = quality_worst(sum->quality, one->quality);
}

/* A task's events are enabled only while it is on a core. */
bool count_was_asked(const struct count *count)
{
	if (count->quality == QUALITY_NOT_COUNTED)
		return count->enabled_ns;
	return count->quality != QUALITY_NONE && count->quality != QUALITY_OFF &&
	       count->quality != QUALITY_PENDING;
}

static enum quality quality_of_both(const struct count *a, const struct count *b)
{
	if (count_was_asked(a) != count_was_asked(b))
		return count_was_asked(a) ? a->quality : b->quality;
	if (count_was_asked(a) && quality_has_value(a->quality) != quality_has_value(b->quality))
		return QUALITY_SCALED;
	return quality_worst(a->quality, b->quality);
}

void count_add_window(struct count *sum, const struct count *one)
{
	sum->quality = quality_of_both(sum, one);
	if (count_was_asked(one))
		sum->enabled_ns += one->enabled_ns;
	if (quality_has_value(one->quality))
		add_counted(sum, one);
	if (one->n_summed > sum->n_summed)
		sum->n_summed = one->n_summed;
	if (sum->n_summed > 1 && sum->running_ns)
		sum->rates = over(sum, sum->n_summed * 1e9, sum->running_ns).value;
}

void count_add_core(struct count *sum, const struct count *one)
{
	if (one->quality == QUALITY_NONE || one->quality == QUALITY_OFF)
		return;
	add_counted(sum, one);
	sum->enabled_ns += one->enabled_ns;
	sum->quality = quality_worst(sum->quality, one->quality);
	sum->n_summed += one->n_summed ? one->n_summed : 1;
	sum->rates += count_rate(one).value;
}

void count_widen(struct count *count, uint64_t window_ns)
{
	double share =
		count->enabled_ns ? (double)count->running_ns / (double)count->enabled_ns : 1;

	if (!quality_has_value(count->quality))
		return;
	count->enabled_ns = window_ns;
	count->running_ns =
		count->quality == QUALITY_OK ? window_ns : (uint64_t)(share * (double)window_ns);
	count->n_summed = 1;
}

const struct count *count_without_value(const struct count *count, struct count *ret)
{
	if (!quality_has_value(count->quality))
		return count;
	*ret = (struct count){ .enabled_ns = count->enabled_ns,
			       .n_summed = count->n_summed,
			       .quality = QUALITY_NOT_COUNTED };
	return ret;
}

/* ---- windows by the columns that have a value ---- */

static unsigned n_different(const struct count *a, const struct count *b, unsigned n)
{
	unsigned n_different = 0;

	for (unsigned i = 0; i < n; i++)
		n_different += quality_has_value(a[i].quality) != quality_has_value(b[i].quality);
	return n_different;
}

/* Lay the parts out for more columns or one part more. @return 0 or -ENOMEM */
static int windows_resize(struct count_windows *windows, unsigned n, unsigned n_columns)
{
	struct count *count = calloc((size_t)n * n_columns + 1, sizeof(*count));

	if (!count)
		return -ENOMEM;
	for (unsigned i = 0; i < windows->n && windows->n_columns; i++)
		memcpy(count + (size_t)i * n_columns,
		       windows->count + (size_t)i * windows->n_columns,
		       windows->n_columns * sizeof(*count));
	free(windows->count);
	*windows = (struct count_windows){ count, n, n_columns };
	return 0;
}

/* Find the part with the most similar choice of columns. */
static struct count *find_part(const struct count_windows *windows, const struct count *column,
			       unsigned *ret_different)
{
	struct count *best = NULL;

	*ret_different = UINT32_MAX;
	for (unsigned i = 0; i < windows->n && *ret_different; i++) {
		struct count *part = count_windows_part(windows, i);
		unsigned differs = n_different(part, column, windows->n_columns);

		if (differs >= *ret_different)
			continue;
		*ret_different = differs;
		best = part;
	}
	return best;
}

int count_windows_add(struct count_windows *windows, const struct count *column, unsigned n)
{
	unsigned differs;
	struct count *part, unused;

	if (n > windows->n_columns && windows_resize(windows, windows->n, n))
		return -ENOMEM;
	part = find_part(windows, column, &differs);
	if (differs && windows->n < COUNT_WINDOWS_PARTS) {
		if (windows_resize(windows, windows->n + 1, n))
			return -ENOMEM;
		memcpy(count_windows_part(windows, windows->n - 1), column, n * sizeof(*column));
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		bool has_both =
			quality_has_value(part[i].quality) == quality_has_value(column[i].quality);

		if (!has_both)
			part[i] = *count_without_value(&part[i], &unused);
		count_add_window(&part[i],
				 has_both ? &column[i] : count_without_value(&column[i], &unused));
	}
	return 0;
}

int count_windows_join(struct count_windows *windows, const struct count_windows *other)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < other->n; i++)
		rc = count_windows_add(windows, count_windows_part(other, i), other->n_columns);
	return rc;
}

void count_windows_fini(struct count_windows *windows)
{
	if (windows)
		free(windows->count);
}
