#include "tui/tally.h"

#include "base/clock.h"

void tally_add(struct tally *tally, const struct frame_row *row, unsigned slot)
{
	const struct count *count = &row->count[slot];
	struct reading total = count_total(count), rate = count_rate(count);

	if (!quality_has_value(rate.quality) || !quality_has_value(total.quality))
		return;
	tally->min = !tally->n || rate.value < tally->min ? rate.value : tally->min;
	tally->max = !tally->n || rate.value > tally->max ? rate.value : tally->max;
	tally->estimated |= total.quality == QUALITY_SCALED;
	tally->total += total.value;
	/* of summed cores the mean of their windows, as count_rate has it */
	tally->window_ns += count->enabled_ns / (count->n_summed > 1 ? count->n_summed : 1);
	tally->n++;
}

double tally_mean(const struct tally *tally)
{
	if (!tally->window_ns)
		return 0;
	return tally->total * (double)NS_PER_S / (double)tally->window_ns;
}
