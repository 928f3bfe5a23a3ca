/* core_window.c: combines the samples of one core into the window of a frame, its delays into a histogram */
#include <string.h>

#include "base/clock.h"
#include "sampler/tasks/attribution.h"
#include "sampler/threads/internal.h"

#define OWN_SHARE_EVERY_NS NS_PER_S

/* Whether a difference is plausible. In a long window a register may wrap more than once, and a
 * register written by other software may look wrapped. Values accumulated by the kernel have
 * neither problem. */
static bool is_credible(const struct event *event, const struct core_type *type, uint64_t delta,
			uint64_t window_ns)
{
	unsigned max_per_ns = event_max_per_ns(event);

	if (type->width < 64 && window_ns > (UINT64_C(1) << type->width) / max_per_ns)
		return false;
	return !type->slot_is_counter || delta / max_per_ns <= window_ns;
}

/* Whether a window can begin with the value of this sample. */
static bool begins_window(uint8_t state)
{
	return state == RAW_OK || state == RAW_RESTARTED;
}

static void add_column(struct core_window *window, const struct sample *now, unsigned column,
		       unsigned slot, const struct core_type *type, const struct event *event)
{
	const struct sample *prev = &window->prev;
	struct count *sum = &window->sum[column];
	const struct raw *a = &prev->raw[slot], *b = &now->raw[slot];
	uint64_t delta = counter_delta(a->value, b->value, type->width);

	if (now->state[slot] == RAW_EMPTY) {
		window->empty |= UINT64_C(1) << column;
		return;
	}
	if (now->state[slot] == RAW_UNSUPPORTED) {
		sum->quality = quality_worst(sum->quality, QUALITY_NOT_SUPPORTED);
	} else if (now->state[slot] != RAW_OK || !begins_window(prev->state[slot]) ||
		   !is_credible(event, type, delta, now->t_ns - prev->t_ns) ||
		   b->running_ns < a->running_ns || b->enabled_ns < a->enabled_ns) {
		sum->quality = quality_worst(sum->quality, QUALITY_LOST);
	} else {
		sum->value += delta;
		sum->enabled_ns += b->enabled_ns - a->enabled_ns;
		sum->running_ns += b->running_ns - a->running_ns;
		sum->quality = quality_worst(sum->quality, QUALITY_OK);
		mux_spread_add(&window->spread[column], delta, b->running_ns - a->running_ns);
	}
}

static void restart(struct core_window *window, const struct set *set, uint64_t t_ns)
{
	memset(window->sum, 0, set->n_slots * sizeof(window->sum[0]));
	window->begin_ns = window->end_ns = t_ns;
	window->fresh = false;
}

/* Compute the thread's share of CPU time over a second or more: its CPU time is not read at every tick. */
static void take_own_share(struct core_window *window, const struct sample *sample)
{
	uint64_t window_ns = sample->t_ns - window->own_from_ns;
	uint32_t wakeups = sample->wakeups - window->own_wakeups;

	if (window->own_from_ns && window_ns < OWN_SHARE_EVERY_NS)
		return;
	if (window->own_from_ns) {
		window->own_share = (float)(sample->cpu_ns - window->own_cpu_ns) / (float)window_ns;
		window->own_wakeups_per_s = (float)wakeups * NS_PER_S / (float)window_ns;
	}
	window->own_from_ns = sample->t_ns;
	window->own_cpu_ns = sample->cpu_ns;
	window->own_wakeups = sample->wakeups;
}

/* Whether an interval has ended since the previous sample. */
static bool ends_interval(const struct core_window *window, const struct sample *sample,
			  unsigned n_ticks)
{
	uint64_t before = window->prev.plan == sample->plan ? window->prev.tick : 0;

	return sample->tick / n_ticks > before / n_ticks;
}

/* Add the columns of the mux group that was read. Slots beyond the sample's do not exist on its core. */
static void add_columns(struct core_window *window, const struct sample *sample,
			const struct machine *machine, unsigned type, const struct set *set)
{
	unsigned mux = set_mux_of(set, sample->first);
	unsigned end = set_n_mux(set) > 1 ? set->first[mux + 1] : set->n_slots;

	for (unsigned column = sample->first; column < end; column++) {
		unsigned slot = set_slot_of(set, column);

		if (slot < sample->n_slots)
			add_column(window, sample, column, slot, &machine->type[type],
				   set->type[type].event[column]);
		else
			window->empty |= UINT64_C(1) << column;
	}
}

static void end_part(struct core_window *window, const struct sample *sample,
		     const struct machine *machine, unsigned type, const struct set *set,
		     unsigned n_ticks)
{
	/* else the mux group's first or last sample did not fit into the ring: its count is lost */
	if (window->prev.epoch == sample->epoch) {
		add_columns(window, sample, machine, type, set);
		if (window->tasks)
			core_tasks_end(window->tasks, &window->prev, sample);
	} else if (window->tasks) {
		core_tasks_go_back(window->tasks, &window->prev);
	}
	window->end_ns = sample->t_ns;
	window->fresh |= ends_interval(window, sample, n_ticks);
}

/* Discard the counts of the window. */
static void drop(struct core_window *window, const struct set *set, uint64_t t_ns)
{
	restart(window, set, t_ns);
	if (window->tasks)
		core_tasks_clear(window->tasks);
}

void core_window_sample(struct core_window *window, const struct sample *sample,
			const struct machine *machine, unsigned type, const struct set *set,
			unsigned n_ticks)
{
	take_own_share(window, sample);
	if (sample->kind == SAMPLE_OFF) {
		window->off = true;
		window->has_prev = false;
		drop(window, set, sample->t_ns);
		return;
	}
	window->off = false;
	if (sample->set != set->number) { /* from the previous set, too late for its last frame */
		window->has_prev = false;
		return;
	}
	/* another set without a baseline (it did not fit into the ring): no difference across the change */
	if (sample->kind == SAMPLE_BASELINE ||
	    (window->has_prev && window->prev.set != sample->set)) {
		drop(window, set, sample->t_ns);
		window->empty = 0;
		memset(window->spread, 0, sizeof(window->spread));
	} else if (sample->kind == SAMPLE_TICK && window->has_prev) {
		end_part(window, sample, machine, type, set, n_ticks);
	}
	if (sample->late_ns > window->late_ns)
		window->late_ns = sample->late_ns;
	memcpy(&window->prev, sample, sample_size(sample->n_slots));
	window->has_prev = true;
	if (window->tasks)
		core_tasks_begin(window->tasks, sample);
}

/* Set enabled_ns of a multiplexed column to the window: its group ran for a part of it. This includes lost counts. */
static void scale_to_window(struct count *count, const struct event *event, uint64_t window_ns)
{
	if (!event)
		return;
	if (count->quality == QUALITY_NONE) /* its mux group did not run */
		count->quality = *event->refused ? QUALITY_NOT_SUPPORTED : QUALITY_NOT_COUNTED;
	if (count->quality != QUALITY_NOT_SUPPORTED && count->enabled_ns < window_ns)
		count->enabled_ns = window_ns;
}

static void close_counts(struct core_window *window, const struct set *set, unsigned type,
			 struct count *ret)
{
	bool is_multiplexed = set_n_mux(set) > 1;

	for (unsigned i = 0; i < set->n_slots; i++) {
		ret[i] = window->sum[i];
		if ((is_multiplexed && !(window->empty >> i & 1)) || ret[i].quality == QUALITY_LOST)
			scale_to_window(&ret[i], set->type[type].event[i],
					window->end_ns - window->begin_ns);
		if (ret[i].quality == QUALITY_OK)
			ret[i].quality = quality_of_times(ret[i].enabled_ns, ret[i].running_ns);
		if (!quality_has_value(ret[i].quality))
			ret[i].value = 0;
		ret[i].n_summed = 1;
		if (is_multiplexed)
			ret[i].error = mux_spread_close(&window->spread[i], &ret[i]);
	}
}

void core_window_close(struct core_window *window, const struct set *set, unsigned type,
		       uint64_t start_ns, struct frame_core *ret_core, struct count *ret_count)
{
	ret_core->own_share = window->own_share;
	if (window->off || !window->fresh) {
		ret_core->state = window->off ? CORE_OFF : CORE_LATE;
		for (unsigned i = 0; i < set->n_slots; i++)
			ret_count[i].quality = window->off ? QUALITY_OFF : QUALITY_NONE;
		return;
	}
	ret_core->state = CORE_ON;
	ret_core->t_ns = window->end_ns - start_ns;
	ret_core->window_ns = window->end_ns - window->begin_ns;
	ret_core->late_ns = window->late_ns;
	close_counts(window, set, type, ret_count);
	window->late_ns = 0;
	restart(window, set, window->end_ns);
}

/* ---- delays of wake-ups ---- */

static unsigned bucket_of(uint32_t value)
{
	if (value < SPREAD_STEPS)
		return value;

	unsigned octave = 31u - (unsigned)__builtin_clz(value); /* ≥ 3 */
	unsigned step = value >> (octave - 3) & (SPREAD_STEPS - 1);

	return (octave - 2) * SPREAD_STEPS + step;
}

static uint32_t upper_bound(unsigned bucket)
{
	if (bucket < SPREAD_STEPS)
		return bucket;

	unsigned octave = bucket / SPREAD_STEPS + 2;
	uint64_t first = ((uint64_t)SPREAD_STEPS + bucket % SPREAD_STEPS) << (octave - 3);
	uint64_t last = first + (UINT64_C(1) << (octave - 3)) - 1;

	return last > UINT32_MAX ? UINT32_MAX : (uint32_t)last;
}

void latency_histogram_add(struct latency_histogram *histogram, uint32_t value_ns)
{
	histogram->bucket[bucket_of(value_ns)]++;
	histogram->n++;
}

uint32_t latency_histogram_percentile(const struct latency_histogram *histogram, double pct)
{
	double wanted = (double)histogram->n * pct / 100;
	double seen = 0;

	for (unsigned i = 0; i < SPREAD_BUCKETS; i++) {
		seen += histogram->bucket[i];
		if (seen >= wanted && seen > 0)
			return upper_bound(i);
	}
	return 0;
}
