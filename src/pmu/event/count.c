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
	[QUALITY_PARTIAL] = { "partial", ">" },
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

double count_error_below(const struct count *count)
{
	double error = count_error(count);

	return error > 0 ? fmin(error, fmax(0, 1 - (double)count->value / count_total(count).value))
			 : 0;
}

static double extra_per_missed_ns(const struct count *count)
{
	return count_missed_ns(count) > 0 ? count->extra / count_missed_ns(count) : 0;
}

/* Get the quality of what was counted, whether or not a core was late. */
static enum quality standing(const struct count *count)
{
	return count->quality == QUALITY_PENDING && count->running_ns
		       ? quality_of_times(count->enabled_ns, count->running_ns)
		       : count->quality;
}

static bool has_counts(const struct count *count)
{
	return quality_has_value(standing(count));
}

void count_add_mux(struct count *sum, const struct count *one)
{
	if (sum->quality == QUALITY_NONE || (has_counts(one) && !has_counts(sum))) {
		*sum = *one;
		return;
	}
	/* a count of the whole window is complete */
	if (!has_counts(one) || quality_is_exact(standing(sum)))
		return;

	double per_ns = extra_per_missed_ns(sum) + extra_per_missed_ns(one);

	count_add_counted(sum, one);
	sum->rates += one->rates;
	sum->extra = per_ns * count_missed_ns(sum);
	sum->quality = quality_worst(sum->quality, one->quality);
}

/* A task's events are enabled only while it is on a core. */
bool count_is_requested(const struct count *count)
{
	if (count->quality == QUALITY_NOT_COUNTED || count->quality == QUALITY_PENDING)
		return count->enabled_ns;
	return count->quality != QUALITY_NONE && count->quality != QUALITY_OFF;
}

static enum quality quality_of_both(const struct count *a, const struct count *b)
{
	if (count_is_requested(a) != count_is_requested(b))
		return count_is_requested(a) ? standing(a) : standing(b);
	if (count_is_requested(a) && has_counts(a) != has_counts(b))
		return QUALITY_SCALED;
	return quality_worst(standing(a), standing(b));
}

void count_add_window(struct count *sum, const struct count *one)
{
	bool is_exact = sum->quality == one->quality && quality_is_exact(one->quality); /* usual */

	if (!is_exact)
		sum->quality = quality_of_both(sum, one);
	if (is_exact || count_is_requested(one))
		sum->enabled_ns += one->enabled_ns;
	if (is_exact || has_counts(one)) {
		count_add_counted(sum, one);
		sum->rates += one->rates;
	}
	if (one->n_summed > sum->n_summed)
		sum->n_summed = one->n_summed;
	if (sum->n_summed > 1 && sum->running_ns)
		sum->rates = count_scale(sum, sum->n_summed * 1e9, sum->running_ns).value;
}

void count_add_last(struct count *sum, const struct count *one)
{
	count_add_window(sum, one);
	if (one->quality == QUALITY_PENDING && has_counts(sum))
		sum->quality = QUALITY_PENDING;
}

void count_end(struct count *sum)
{
	if (sum->quality == QUALITY_PENDING && has_counts(sum))
		sum->quality = quality_worst(standing(sum), QUALITY_PARTIAL);
}

void count_add_late(struct count *sum)
{
	sum->quality = quality_worst(sum->quality, QUALITY_PENDING);
	sum->n_summed++;
}

uint64_t count_task_window_ns(const struct count *count, uint64_t longest_ns)
{
	return count->rates > 0 ? (uint64_t)llround((double)count->value * 1e9 / count->rates)
				: longest_ns;
}

void count_widen(struct count *count, uint64_t window_ns)
{
	double share =
		count->enabled_ns ? (double)count->running_ns / (double)count->enabled_ns : 1;

	if (!quality_has_value(count->quality))
		return;
	count->enabled_ns = window_ns;
	count->running_ns = quality_is_exact(count->quality)
				    ? window_ns
				    : (uint64_t)(share * (double)window_ns);
	count->n_summed = 1;
}

const struct count *count_without_value(const struct count *count, struct count *ret)
{
	if (!has_counts(count))
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
		n_different += has_counts(&a[i]) != has_counts(&b[i]);
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
		part = count_windows_part(windows, windows->n - 1);
		memcpy(part, column, n * sizeof(*column));
		for (unsigned i = 0; i < n; i++)
			part[i].quality = standing(&part[i]);
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		bool has_both = has_counts(&part[i]) == has_counts(&column[i]);

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
