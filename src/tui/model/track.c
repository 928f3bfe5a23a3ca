#include "tui/model/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void track_fini(struct track *track)
{
	if (track)
		free(track->value);
}

void track_clear(struct track *track)
{
	track->n_final = 0;
}

static bool is_same_query(const struct history_query *a, const struct history_query *b)
{
	return a->by == b->by && a->index == b->index && a->metric == b->metric &&
	       a->event == b->event && task_id_is(&a->task, &b->task);
}

static int64_t begin_of(const struct bins *bins, unsigned i)
{
	return (bins->first + i) * (int64_t)bins->bin_ns;
}

/* What is known already goes to its new place. @return so many of the first bins */
static unsigned reuse(struct track *track, const struct history_query *query,
		      const struct bins *bins)
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
	const struct history *history;
	const struct history_query *query;
	size_t cell, n;             /* the first that does not end before the bin, all */
	size_t held;                /* the cell whose value is known, n: none */
	struct history_value value; /* its */
};

static struct history_value held_value(struct walk *walk)
{
	if (walk->held != walk->cell)
		walk->value = history_value(walk->history, walk->cell, walk->query);
	walk->held = walk->cell;
	return walk->value;
}

static struct history_value value_between(struct walk *walk, int64_t begin_ns, int64_t end_ns)
{
	size_t first;

	while (walk->cell < walk->n &&
	       (int64_t)history_bucket(walk->history, walk->cell)->t_ns <= begin_ns)
		walk->cell++;
	first = walk->cell;
	while (walk->cell < walk->n &&
	       (int64_t)history_bucket(walk->history, walk->cell)->t_ns <= end_ns)
		walk->cell++;
	if (walk->cell > first)
		return history_value_over(walk->history, first, walk->cell - first, walk->query);
	if (first < walk->n && (int64_t)history_bucket(walk->history, first)->begin_ns < end_ns)
		return held_value(walk);
	return (struct history_value){ .quality = QUALITY_NONE };
}

int track_fill(struct track *track, const struct history *history,
	       const struct history_query *query, const struct bins *bins)
{
	struct walk walk = { .history = history, .query = query, .n = history_n(history) };
	int64_t newest_ns = walk.n ? (int64_t)history_bucket(history, walk.n - 1)->t_ns : 0;
	unsigned i = reuse(track, query, bins);

	if (array_reserve((void **)&track->value, &track->cap, bins->n, sizeof(*track->value)))
		return -ENOMEM;
	track->query = *query;
	track->bins = *bins;
	track->n_final = i;
	walk.cell = begin_of(bins, i) > 0 ? history_find(history, (uint64_t)begin_of(bins, i)) : 0;
	walk.held = walk.n;
	for (; i < bins->n; i++) {
		track->value[i] = value_between(&walk, begin_of(bins, i), begin_of(bins, i + 1));
		if (begin_of(bins, i + 1) <= newest_ns)
			track->n_final = i + 1;
	}
	return 0;
}
