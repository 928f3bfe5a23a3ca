#include "tui/tally.h"

#include "base/clock.h"

void tally_add(struct tally *tally, const struct frame_row *row, unsigned slot)
{
	struct reading total = count_total(&row->count[slot]);

	if (!quality_has_value(total.quality) || !row->window_ns)
		return;

	double rate = count_rate(&row->count[slot]).value;

	tally->min = !tally->n || rate < tally->min ? rate : tally->min;
	tally->max = !tally->n || rate > tally->max ? rate : tally->max;
	tally->estimated |= total.quality == QUALITY_SCALED;
	tally->total += total.value;
	tally->window_ns += row->window_ns;
	tally->n++;
}

double tally_mean(const struct tally *tally)
{
	if (!tally->window_ns)
		return 0;
	return tally->total * (double)NS_PER_S / (double)tally->window_ns;
}
