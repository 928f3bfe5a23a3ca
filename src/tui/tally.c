#include "tui/tally.h"

void tally_add(struct tally *tally, const struct frame_row *row, unsigned slot)
{
	const struct count *count = &row->count[slot];
	struct reading total = count_total(count), rate = count_rate(count);

	if (!quality_has_value(rate.quality) || !quality_has_value(total.quality))
		return;
	/* of summed cores the mean of their windows, as count_rate has it */
	uint64_t window_ns = count->enabled_ns / (count->n_summed > 1 ? count->n_summed : 1);

	if (!tally->n || rate.value < tally->min.value)
		tally->min = rate;
	if (!tally->n || rate.value > tally->max.value)
		tally->max = rate;
	tally->estimated |= total.quality == QUALITY_SCALED;
	tally->total += total.value;
	tally->area += rate.value * (double)window_ns;
	tally->window_ns += window_ns;
	tally->n++;
}

double tally_mean(const struct tally *tally)
{
	if (!tally->window_ns)
		return 0;
	return tally->area / (double)tally->window_ns;
}
