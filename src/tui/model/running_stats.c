#include "tui/model/running_stats.h"

struct reading running_stats_add(struct running_stats *running_stats, const struct frame_row *row,
				 unsigned slot)
{
	const struct count *count = &row->count[slot];
	struct reading rate = count_rate(count);

	count_add_window(&running_stats->sum, count);
	if (!quality_has_value(rate.quality))
		return rate;
	/* of summed cores the mean of their windows, as count_rate has it */
	uint64_t window_ns = count->enabled_ns / (count->n_summed > 1 ? count->n_summed : 1);

	if (!running_stats->n || rate.value < running_stats->min.value)
		running_stats->min = rate;
	if (!running_stats->n || rate.value > running_stats->max.value)
		running_stats->max = rate;
	running_stats->area += rate.value * (double)window_ns;
	running_stats->window_ns += window_ns;
	running_stats->n++;
	return rate;
}

double running_stats_mean(const struct running_stats *running_stats)
{
	if (!running_stats->window_ns)
		return 0;
	return running_stats->area / (double)running_stats->window_ns;
}
