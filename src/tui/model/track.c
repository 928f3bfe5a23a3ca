#include "tui/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void track_fini(struct track *track)
{
	if (track)
		free(track->value);
}

static bool is_same_query(const struct past_query *a, const struct past_query *b)
{
	return a->by == b->by && a->index == b->index && a->metric == b->metric &&
	       a->event == b->event;
}

static int64_t begin_of(const struct bins *bins, unsigned i)
{
	return (bins->first + i) * (int64_t)bins->bin_ns;
}

/* What is known already goes to its new place. @return so many of the first bins */
static unsigned reuse(struct track *track, const struct past_query *query, const struct bins *bins)
{
	int64_t gone = bins->first - track->bins.first;

	if (!is_same_query(&track->query, query) || track->bins.bin_ns != bins->bin_ns ||
	    gone < 0 || gone >= track->n_final)
		return 0;
	memmove(track->value, track->value + gone,
		(track->n_final - (size_t)gone) * sizeof(*track->value));
	track->n_final -= (unsigned)gone;
	return track->n_final < bins->n ? track->n_final : bins->n;
}

/* Works its way through the cells. */
struct walk {
	const struct past *past;
	const struct past_query *query;
	size_t cell, n;          /* the first that does not end before the bin, all */
	size_t held;             /* the cell whose value is known, n: none */
	struct past_value value; /* its */
};

static struct past_value held_value(struct walk *walk)
{
	if (walk->held != walk->cell)
		walk->value = past_value(walk->past, walk->cell, walk->query);
	walk->held = walk->cell;
	return walk->value;
}

static struct past_value value_between(struct walk *walk, int64_t begin_ns, int64_t end_ns)
{
	size_t first;

	while (walk->cell < walk->n && (int64_t)past_cell(walk->past, walk->cell)->t_ns <= begin_ns)
		walk->cell++;
	first = walk->cell;
	while (walk->cell < walk->n && (int64_t)past_cell(walk->past, walk->cell)->t_ns <= end_ns)
		walk->cell++;
	if (walk->cell > first)
		return past_value_over(walk->past, first, walk->cell - first, walk->query);
	if (first < walk->n && (int64_t)past_cell(walk->past, first)->begin_ns < end_ns)
		return held_value(walk);
	return (struct past_value){ .quality = QUALITY_NONE };
}

int track_fill(struct track *track, const struct past *past, const struct past_query *query,
	       const struct bins *bins)
{
	struct walk walk = { .past = past, .query = query, .n = past_n(past) };
	int64_t newest_ns = walk.n ? (int64_t)past_cell(past, walk.n - 1)->t_ns : 0;
	unsigned i = reuse(track, query, bins);

	if (array_reserve((void **)&track->value, &track->cap, bins->n, sizeof(*track->value)))
		return -ENOMEM;
	track->query = *query;
	track->bins = *bins;
	track->n_final = i;
	walk.cell = begin_of(bins, i) > 0 ? past_find(past, (uint64_t)begin_of(bins, i)) : 0;
	walk.held = walk.n;
	for (; i < bins->n; i++) {
		track->value[i] = value_between(&walk, begin_of(bins, i), begin_of(bins, i + 1));
		if (begin_of(bins, i + 1) <= newest_ns)
			track->n_final = i + 1;
	}
	return 0;
}
