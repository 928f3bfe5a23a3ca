#include "session/frame_sum.h"

static struct frame *begin(const struct frame *frame)
{
	struct frame *sum = frame_new(frame->n_cores, frame->n_slots, frame->n_metrics);

	if (!sum)
		return NULL;
	sum->set = frame->set;
	sum->bound = frame->bound;
	sum->interval_ns = frame->interval_ns;
	for (unsigned i = 0; i < sum->n_cores; i++)
		sum->core[i].state = CORE_OFF;
	return sum;
}

static bool was_asked(enum quality quality)
{
	return quality != QUALITY_NONE && quality != QUALITY_OFF && quality != QUALITY_PENDING;
}

/* A window without a value among some that have one leaves time that was not counted. */
static enum quality join(enum quality sum, enum quality one)
{
	if (!was_asked(one))
		return was_asked(sum) ? sum : quality_worst(sum, one);
	if (!was_asked(sum))
		return one;
	if (quality_has_value(sum) != quality_has_value(one))
		return QUALITY_SCALED;
	return quality_worst(sum, one);
}

static void add_count(struct count *sum, const struct count *one, uint64_t window_ns)
{
	bool has_value = quality_has_value(one->quality);

	if (was_asked(one->quality) && one->quality != QUALITY_NOT_SUPPORTED)
		sum->enabled_ns += one->enabled_ns ? one->enabled_ns : window_ns;
	if (has_value) {
		sum->value += one->value;
		sum->running_ns += one->running_ns;
	}
	sum->quality = join(sum->quality, one->quality);
}

static void add_core(struct frame *sum, const struct frame *frame, unsigned core)
{
	const struct frame_core *from = &frame->core[core];
	struct frame_core *to = &sum->core[core];

	if (from->state < to->state)
		to->state = from->state;
	if (from->t_ns > to->t_ns)
		to->t_ns = from->t_ns;
	if (from->state == CORE_ON)
		to->window_ns += from->window_ns;
	for (unsigned i = 0; i < sum->n_slots; i++)
		add_count(&sum->count[core * sum->n_slots + i], &frame_counts(frame, core)[i],
			  from->window_ns);
}

struct frame *frame_sum_add(struct frame *sum, const struct frame *frame)
{
	if (!sum)
		sum = begin(frame);
	if (!sum || frame->set != sum->set)
		return sum;
	sum->number++;
	sum->t_ns = frame->t_ns;
	for (unsigned core = 0; core < sum->n_cores; core++)
		add_core(sum, frame, core);
	return sum;
}

void frame_sum_end(struct frame *sum, const struct machine *machine, const struct metrics *metrics)
{
	for (unsigned core = 0; core < sum->n_cores; core++)
		metrics_eval(metrics, sum->bound, machine->core[core].type,
			     &sum->count[(size_t)core * sum->n_slots],
			     &sum->metric[(size_t)core * sum->n_metrics]);
}
