/* collector.c: makes frames from samples: decides when ticks are due, notes missing ones, fills the queues */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/activity.h"
#include "pmu/sensors.h"
#include "sampler/tasks/attribution.h"
#include "sampler/threads/internal.h"

/* ---- windows ---- */

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

/* @return whether something was counted */
static bool add_column(struct core_window *window, const struct sample *now, unsigned column,
		       unsigned slot, const struct core_type *type, const struct event *event)
{
	const struct sample *prev = &window->prev;
	struct count *sum = &window->sum[column];
	const struct raw *a = &prev->raw[slot], *b = &now->raw[slot];
	uint64_t delta = counter_delta(a->value, b->value, type->width);

	if (now->state[slot] == RAW_EMPTY) {
		column_set_add(&window->empty, column);
		return false;
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
		return true;
	}
	return false;
}

/* Note the rates of a mux group's run. @counted  its columns with a count */
static void add_round(struct core_window *window, const struct sample *now,
		      const struct column_set *counted, const struct core_type *type,
		      unsigned type_number, const struct set *set)
{
	const struct raw *a = window->prev.raw, *b = now->raw;
	uint16_t cycles[MUX_MAX] = { 0 };
	bool has_cycles = set_find_cycles(set, type_number, cycles);
	unsigned by = set_slot_of(set, cycles[set_mux_of(set, now->first)]);

	column_set_each(counted, column) {
		unsigned slot = set_slot_of(set, (unsigned)column);
		uint64_t base = b[slot].running_ns - a[slot].running_ns;

		if (has_cycles && set->type[type_number].event[column]->needs_counter)
			base = counter_delta(a[by].value, b[by].value, type->width);
		mux_spread_add(&window->spread[column],
			       counter_delta(a[slot].value, b[slot].value, type->width), base);
	}
}

static void window_restart(struct core_window *window, const struct set *set, uint64_t t_ns)
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
	bool is_multiplexed = set_n_mux(set) > 1;
	unsigned end =
		is_multiplexed ? set->first[set_mux_of(set, sample->first) + 1] : set->n_slots;
	struct column_set counted = { 0 };

	for (unsigned column = sample->first; column < end; column++) {
		unsigned slot = set_slot_of(set, column);

		if (slot >= sample->n_slots)
			column_set_add(&window->empty, column);
		else if (add_column(window, sample, column, slot, &machine->type[type],
				    set->type[type].event[column]) &&
			 is_multiplexed)
			column_set_add(&counted, column);
	}
	if (is_multiplexed)
		add_round(window, sample, &counted, &machine->type[type], type, set);
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
static void window_drop(struct core_window *window, const struct set *set, uint64_t t_ns)
{
	window_restart(window, set, t_ns);
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
		window_drop(window, set, sample->t_ns);
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
		window_drop(window, set, sample->t_ns);
		window->empty = (struct column_set){ { 0 } };
		if (set_n_mux(set) > 1)
			memset(window->spread, 0, set->n_slots * sizeof(window->spread[0]));
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

/* Count the time in which the kernel stopped the group, as it sampled too often, as time without the counters. */
static void leave_out_throttled(const struct core_window *window, const struct set *set,
				struct count *ret)
{
	uint64_t stopped_ns =
		window->tasks ? core_tasks_throttled_ns(window->tasks, window->end_ns) : 0;
	unsigned mux = stopped_ns ? set_mux_of(set, set->sampled) : 0;

	for (unsigned i = 0; stopped_ns && i < set->n_slots; i++)
		if (set_mux_of(set, i) == mux && tasks_have_column(set, i))
			ret[i].running_ns -=
				stopped_ns < ret[i].running_ns ? stopped_ns : ret[i].running_ns;
}

static void close_counts(struct core_window *window, const struct set *set, unsigned type,
			 struct count *ret)
{
	bool is_multiplexed = set_n_mux(set) > 1;
	struct mux_coverage coverage[COLUMNS_MAX];

	memcpy(ret, window->sum, set->n_slots * sizeof(*ret));
	leave_out_throttled(window, set, ret);
	for (unsigned i = 0; i < set->n_slots; i++) {
		if ((is_multiplexed && !column_set_has(&window->empty, i)) ||
		    ret[i].quality == QUALITY_LOST)
			scale_to_window(&ret[i], set->type[type].event[i],
					window->end_ns - window->begin_ns);
		if (ret[i].quality == QUALITY_OK)
			ret[i].quality = quality_of_times(ret[i].enabled_ns, ret[i].running_ns);
		if (!quality_has_value(ret[i].quality))
			ret[i].value = 0;
		ret[i].n_summed = 1;
	}
	if (!is_multiplexed)
		return;
	set_estimate(set, type, ret, coverage);
	for (unsigned i = 0; i < set->n_slots; i++)
		ret[i].error = mux_spread_close(&window->spread[i], &ret[i], &coverage[i]);
}

void core_window_close(struct core_window *window, const struct set *set, unsigned type,
		       uint64_t start_ns, struct frame_core *ret_core, struct count *ret_count)
{
	ret_core->own_share = window->own_share;
	if (window->off || !window->fresh) {
		ret_core->state = window->off ? CORE_OFF : CORE_LATE;
		memset(ret_count, 0, set->n_slots * sizeof(*ret_count));
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
	window_restart(window, set, window->end_ns);
}

/* ---- delays of wake-ups ---- */

static unsigned latency_bucket_of(uint32_t value)
{
	if (value < SPREAD_STEPS)
		return value;

	unsigned octave = 31u - (unsigned)__builtin_clz(value); /* ≥ 3 */
	unsigned step = value >> (octave - 3) & (SPREAD_STEPS - 1);

	return (octave - 2) * SPREAD_STEPS + step;
}

static uint32_t latency_upper_bound(unsigned bucket)
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
	histogram->bucket[latency_bucket_of(value_ns)]++;
	histogram->n++;
}

uint32_t latency_histogram_percentile(const struct latency_histogram *histogram, double pct)
{
	double wanted = (double)histogram->n * pct / 100;
	double seen = 0;

	for (unsigned i = 0; i < SPREAD_BUCKETS; i++) {
		seen += histogram->bucket[i];
		if (seen >= wanted && seen > 0)
			return latency_upper_bound(i);
	}
	return 0;
}

/* ---- frames ---- */

/* Longest wait for samples after a tick; short intervals wait for half an interval. */
#define GRACE_NS       (50 * NS_PER_MS)
/* The same for the last frame. */
#define LAST_GRACE_NS  NS_PER_S
/* Default for the age of frames at short intervals. */
#define LAG_NS         (50 * NS_PER_MS)
/* Delay of the first check after a tick at long intervals: normally all cores have answered. */
#define FIRST_LOOK_NS  (2 * NS_PER_MS)
/* Shortest period of checks until all cores have switched to a new plan. */
#define SWITCHING_NS   (1 * NS_PER_MS)
#define LATENESS_NS    NS_PER_S
/* Shortest time between reads of the sensors, less the lateness of a tick. */
#define SENSE_NS       (NS_PER_S - 50 * NS_PER_MS)
/* Shortest suspend: smaller differences are the time between reading the two clocks. */
#define SUSPEND_MIN_NS (10 * NS_PER_MS)

/* Whether nobody takes a frame after the next one. */
static bool is_last(const struct sampler *sampler)
{
	return sampler->collector.n_frames + 1 ==
	       atomic_load_explicit(&sampler->last_frame, memory_order_relaxed);
}

static uint64_t grace_ns(const struct sampler *sampler)
{
	uint64_t half_ns = sampler->collector.plan->interval_ns / 2;

	if (is_last(sampler))
		return LAST_GRACE_NS;
	return half_ns < GRACE_NS ? half_ns : GRACE_NS;
}

/* Get the plan after the collector's own; main links plans newest first. */
static const struct plan *next_plan(const struct sampler *sampler)
{
	const struct plan *plan = atomic_load_explicit(&sampler->plan, memory_order_acquire);
	const struct plan *own = sampler->collector.plan;

	while (plan != own && plan->next != own)
		plan = plan->next;
	return plan == own ? NULL : plan;
}

static bool sample_is_before(const struct sample *sample, const struct plan *plan, uint64_t tick)
{
	return sample->plan < plan->number ||
	       (sample->plan == plan->number && sample->tick <= tick);
}

static void take_until(struct sampler *sampler, unsigned core, uint64_t tick)
{
	struct collector *c = &sampler->collector;
	struct core_window *window = &c->window[core];
	unsigned type = sampler->machine->core[core].type;
	struct sample *sample;

	/* an entry of the ring is the collector's until it is released */
	while ((sample = (struct sample *)ring_peek(window->ring)) &&
	       sample_is_before(sample, c->plan, tick)) {
		activity_stat_complete(c->stat, core, sample);
		if (sample->kind == SAMPLE_TICK && sample->tick != TICK_CLOSING)
			latency_histogram_add(&c->lateness, sample->late_ns);
		if (window->tasks && !core_tasks_may_take(window->tasks)) {
			attribution_drain(c->tasks, sampler_clock_ns(sampler));
			core_tasks_may_take(window->tasks);
		}
		core_window_sample(window, sample, sampler->machine, type,
				   &c->plan->active->of->set, c->plan->n_ticks);
		ring_release(window->ring);
	}
}

/* Get the tick that closes a tick's frame: with multiplexing the last one of the interval. */
static uint64_t last_tick(const struct sampler *sampler, uint64_t tick)
{
	const struct plan *plan = sampler->collector.plan, *next = next_plan(sampler);
	uint64_t to_go = (plan->n_ticks - tick % plan->n_ticks) % plan->n_ticks;

	if (tick == TICK_CLOSING || !to_go)
		return tick;
	/* the next plan may begin before that */
	return next && plan_deadline_ns(plan, tick + to_go) > next->t0_ns ? TICK_CLOSING
									  : tick + to_go;
}

/* Prefetch what the turn of a core a few cores later needs: windows and rings of a thousand cores are in no cache.
 * @is_closing  it will be read, not only looked at */
static void prefetch_later(const struct sampler *sampler, unsigned core, bool is_closing)
{
	const struct core_window *window = &sampler->collector.window[core];
	unsigned n_left = sampler->machine->n_cores - core;

	if (n_left > 12)
		__builtin_prefetch(&window[12]);
	if (n_left > 8)
		ring_prefetch(window[8].ring);
	if (n_left <= 4 || !is_closing)
		return;
	ring_prefetch_entry(window[4].ring);
	for (size_t i = 0; i < 8; i++) {
		__builtin_prefetch(&window[4].prev.raw[2 * i]);
		__builtin_prefetch(&window[4].sum[i]);
	}
}

/* Find the earliest tick after the last closed one for which a core has a sample. On the way, take
 * samples that belong to the next frame in any case: late ones, baselines (tick 0), mux groups.
 * @ret_all  whether all cores have a sample of this or a later tick */
static bool earliest_tick(struct sampler *sampler, uint64_t *ret, bool *ret_all)
{
	struct collector *c = &sampler->collector;
	bool found = false;

	*ret_all = true;
	for (unsigned core = 0; core < sampler->machine->n_cores; core++) {
		prefetch_later(sampler, core, false);
		take_until(sampler, core, c->closed_tick + c->plan->n_ticks - 1);
		const struct sample *sample = ring_peek(c->window[core].ring);

		*ret_all &= sample != NULL;
		if (!sample || sample->plan != c->plan->number)
			continue;
		if (!found || sample->tick < *ret)
			*ret = sample->tick;
		found = true;
	}
	return found;
}

static bool all_have(const struct sampler *sampler, uint64_t tick)
{
	const struct collector *c = &sampler->collector;

	for (unsigned core = 0; core < sampler->machine->n_cores; core++) {
		const struct sample *sample = ring_peek(c->window[core].ring);

		if (!sample || (sample->plan == c->plan->number && sample->tick < tick))
			return false;
	}
	return true;
}

/* Whether all cores have switched to the next plan, or had GRACE_NS to. Never to the final plan: no
 * later frame could take late samples, so sampler_stop drains after all threads have ended. */
static bool has_switched(const struct sampler *sampler, const struct plan *next)
{
	return next && !next->stop &&
	       (sampler_clock_ns(sampler) >= next->t0_ns + GRACE_NS ||
		plan_is_on_cores(sampler, sampler->collector.plan->number + 1));
}

/* @has_all  all cores are known to have the tick's sample, or a later one */
static bool is_due(const struct sampler *sampler, uint64_t tick, bool has_all)
{
	const struct collector *c = &sampler->collector;

	if (tick == TICK_CLOSING)
		return false; /* drain_plan gets `all` when it is */
	return has_all || all_have(sampler, tick) ||
	       sampler_clock_ns(sampler) >= plan_deadline_ns(c->plan, tick) + grace_ns(sampler);
}

/* Get the CPU time not spent on frames. It grows while such a thread works on frames and falls
 * again when that work is reported. */
static uint64_t excluded_ns(const struct sampler *sampler)
{
	/* relaxed: a counter, orders nothing */
	uint64_t ns = 0 - atomic_load_explicit(&sampler->for_frames_ns, memory_order_relaxed);

	for (unsigned i = 0; i < sampler->n_apart; i++)
		ns += clock_ns(sampler->apart[i]);
	return ns + symbols_cpu_ns(sampler->symbols);
}

static void take_own_total(struct sampler *sampler, uint64_t now_ns)
{
	struct collector *c = &sampler->collector;

	if (now_ns - c->own_from_ns < NS_PER_S || sampler->backend->virtual_clock)
		return;

	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), apart_ns = excluded_ns(sampler);
	float window_ns = (float)(now_ns - c->own_from_ns);

	c->own_total_share = (float)(cpu_ns - c->own_cpu_ns) / window_ns;
	c->own_apart_share = (float)(int64_t)(apart_ns - c->own_apart_ns) / window_ns;
	c->own_from_ns = now_ns;
	c->own_cpu_ns = cpu_ns;
	c->own_apart_ns = apart_ns;
	c->own_known = true;
}

static float own_wakeups_per_s(const struct sampler *sampler)
{
	float sum = 0;

	for (unsigned i = 0; i < sampler->n_core_threads; i++)
		sum += sampler->collector.window[i].own_wakeups_per_s;
	return sum;
}

/* Fill in m1top's own cost. Threads other than core threads may run anywhere: they are added to the
 * most loaded core. */
static void note_own(const struct sampler *sampler, struct frame *frame)
{
	const struct collector *c = &sampler->collector;
	float most = 0, threads = 0;

	for (unsigned i = 0; i < sampler->n_core_threads; i++) {
		float share = c->window[i].own_share; /* core i is the first one of core thread i */

		threads += share;
		most = share > most ? share : most;
	}
	float others = c->own_total_share - threads, for_frames = others - c->own_apart_share;

	frame->own_known = c->own_known;
	frame->own_total_share = c->own_total_share;
	frame->own_core_share = most + (others > 0 ? others : 0);
	frame->own_budget_share = most + (for_frames > 0 ? for_frames : 0);
}

static void note_gap(struct sampler *sampler, struct frame *frame, uint64_t tick)
{
	struct collector *c = &sampler->collector;
	uint64_t suspended_ns = clock_suspended_ns();
	bool suspended =
		!sampler->backend->virtual_clock && suspended_ns > c->suspended_ns + SUSPEND_MIN_NS;

	if (tick != TICK_CLOSING && tick > c->closed_tick + c->plan->n_ticks) {
		frame->n_missed = (tick - c->closed_tick) / c->plan->n_ticks - 1;
		frame->gap = GAP_MISSED;
	}
	if (suspended)
		frame->gap = GAP_SUSPENDED;
	c->suspended_ns = suspended_ns;
}

static void note_lateness(struct sampler *sampler, struct frame *frame, uint64_t now_ns)
{
	struct collector *c = &sampler->collector;

	if (now_ns - c->lateness_from_ns >= LATENESS_NS) {
		c->late_p99_ns = latency_histogram_percentile(&c->lateness, 99);
		c->lateness = (struct latency_histogram){ 0 };
		c->lateness_from_ns = now_ns;
	}
	frame->late_p99_ns = c->late_p99_ns;
	for (unsigned core = 0; core < frame->n_cores; core++) {
		if (frame->core[core].late_ns > frame->late_max_ns)
			frame->late_max_ns = frame->core[core].late_ns;
	}
}

/* Take the first read after the last frame's tick, of a core that has missed the tick. */
static void take_late(struct sampler *sampler, unsigned core)
{
	const struct core_window *window = &sampler->collector.window[core];
	const struct sample *sample;

	while (!window->fresh && !window->off && (sample = ring_peek(window->ring)) &&
	       sample->plan == sampler->collector.plan->number)
		take_until(sampler, core, sample->tick);
}

static void eval_core(const struct sampler *sampler, struct frame *frame, unsigned core)
{
	struct reading *metric = frame->metric + (size_t)core * frame->n_metrics;

	if (frame->core[core].state == CORE_ON)
		metrics_eval(sampler->metrics, &sampler->collector.plan->active->of->bound,
			     sampler->machine->core[core].type, frame_counts(frame, core), metric);
	else
		memset(metric, 0, frame->n_metrics * sizeof(*metric));
}

static uint64_t fill_cores(struct sampler *sampler, struct frame *frame, uint64_t tick)
{
	struct collector *c = &sampler->collector;
	const struct active_set *active = c->plan->active;
	uint64_t latest_ns = 0;

	for (unsigned core = 0; core < frame->n_cores; core++) {
		struct count *count = frame->count + (size_t)core * frame->n_slots;
		unsigned type = sampler->machine->core[core].type;

		prefetch_later(sampler, core, true);
		take_until(sampler, core, tick);
		if (is_last(sampler))
			take_late(sampler, core);
		core_window_close(&c->window[core], &active->of->set, type, sampler->start_ns,
				  &frame->core[core], count);
		eval_core(sampler, frame, core);
		if (frame->core[core].t_ns > latest_ns)
			latest_ns = frame->core[core].t_ns;
		frame->n_dropped += ring_dropped(c->window[core].ring);
	}
	if (c->window[0].tasks)
		attribution_close(c->tasks, frame);
	else if (c->own)
		frame->tasks = own_tasks_close(c->own, frame);
	if (c->schedstat)
		schedstat_close(c->schedstat, frame, sampler_clock_ns(sampler));
	for (unsigned core = 0; c->schedstat && core < frame->n_cores; core++)
		eval_core(sampler, frame, core);
	return latest_ns;
}

void collector_publish(struct sampler *sampler, const struct frame *frame)
{
	pthread_mutex_lock(&sampler->consumers_lock);
	for (unsigned i = 0; i < CONSUMERS_MAX; i++) {
		if (sampler->consumer[i])
			queue_push(sampler->consumer[i], frame);
	}
	pthread_mutex_unlock(&sampler->consumers_lock);
	frame_unref(frame);
}

/* Read the sensors, unless they were in the last second. Not a core thread's task: it may take milliseconds. */
static void take_sensors(struct sampler *sampler, uint64_t now_ns)
{
	struct collector *c = &sampler->collector;
	struct sensors *sensors = sampler->machine->sensors;
	struct sensed *sensed;

	if (!sensors || sampler->recording || (c->sensed && now_ns < c->sensed_ns + SENSE_NS) ||
	    !(sensed = sensed_new(sensors->n)))
		return;
	sensors_read(sensors, now_ns, sensed->value);
	sensed->t_ns = now_ns - sampler->start_ns;
	sensed_unref(c->sensed);
	c->sensed = sensed;
	c->sensed_ns = now_ns;
}

static void close_frame(struct sampler *sampler, uint64_t tick)
{
	struct collector *c = &sampler->collector;
	struct frame *frame = frame_new_unset(sampler->machine->n_cores, c->plan->active->of);

	uint64_t unclosed_ns = atomic_load_explicit(&c->unclosed_ns, memory_order_relaxed);

	if (!frame) { /* out of memory: the samples stay and the next window is longer */
		if (!unclosed_ns)
			atomic_store_explicit(&c->unclosed_ns, sampler_clock_ns(sampler),
					      memory_order_relaxed);
		return;
	}
	if (unclosed_ns)
		atomic_store_explicit(&c->unclosed_ns, 0, memory_order_relaxed);
	note_gap(sampler, frame, tick);
	frame->interval_ns = c->plan->interval_ns;
	frame->t_ns = fill_cores(sampler, frame, tick);
	if (tick != TICK_CLOSING)
		frame->t_ns = plan_deadline_ns(c->plan, tick) - sampler->start_ns;
	c->closed_tick = tick;

	uint64_t now_ns = sampler_clock_ns(sampler);

	take_sensors(sampler, now_ns);
	frame->sensed = sensed_ref(c->sensed);
	take_own_total(sampler, now_ns);
	note_lateness(sampler, frame, now_ns);
	note_own(sampler, frame);
	frame->own_wakeups_per_s = own_wakeups_per_s(sampler);
	if (tick == TICK_CLOSING && !frame_window_ns(frame)) {
		frame_unref(frame);
		return;
	}
	frame->number = ++c->n_frames;
	frame_unref(c->last);
	c->last = frame_ref(frame);
	collector_publish(sampler, frame);
}

/* Close all due frames of the collector's plan. @return false if a tick is not due yet */
static bool drain_plan(struct sampler *sampler, bool all)
{
	uint64_t first = 0;
	bool has_all;

	while (sampler->collector.closed_tick != TICK_CLOSING &&
	       earliest_tick(sampler, &first, &has_all)) {
		uint64_t closed = sampler->collector.closed_tick, tick = last_tick(sampler, first);

		if (!all && !is_due(sampler, tick, has_all && tick == first))
			return false;
		close_frame(sampler, tick);
		if (sampler->collector.closed_tick == closed)
			return false; /* out of memory */
	}
	return true;
}

void collector_wake_consumers(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->consumers_lock);
	for (unsigned i = 0; i < CONSUMERS_MAX; i++) {
		if (sampler->consumer[i])
			queue_wake(sampler->consumer[i]);
	}
	pthread_mutex_unlock(&sampler->consumers_lock);
}

static bool wants_tasks(const struct plan *plan)
{
	return plan->active && plan->active->of->set.by_task;
}

static void go_to_plan(struct sampler *sampler, const struct plan *next)
{
	struct collector *c = &sampler->collector;
	bool was_off = !c->window[0].tasks, is_new = next->active != c->plan->active;
	/* without memory there are no tasks */
	bool has_tasks = is_new && wants_tasks(next) && !sampler->backend->without_rights &&
			 !attribution_start(&c->tasks, sampler, &next->active->of->set, was_off);

	for (unsigned i = 0; is_new && i < sampler->machine->n_cores; i++)
		c->window[i].tasks = has_tasks ? attribution_core(c->tasks, i) : NULL;
	if (is_new && sampler->backend->without_rights)
		own_tasks_start(&c->own, sampler, &next->active->of->set);
	if (is_new && !sampler->backend->without_rights)
		schedstat_start(&c->schedstat, sampler->backend,
				wants_tasks(next) ? &next->active->of->set : NULL,
				sampler->start_ns, sampler_clock_ns(sampler));
	c->plan = next;
	c->closed_tick = 0;
	/* release: main may free the previous plan and close its groups */
	atomic_store_explicit(&c->plan_seen, next->number, memory_order_release);
}

void collector_drain(struct sampler *sampler, bool all)
{
	for (;;) {
		const struct plan *next = next_plan(sampler);
		bool switched = next && (all || has_switched(sampler, next));

		if (!drain_plan(sampler, all || switched) || !switched)
			break;
		go_to_plan(sampler, next);
	}
	collector_wake_consumers(sampler);
}

/* Get the time that fills half a ring. A mux group pushes two samples: its first and its last. */
static uint64_t half_ring_ns(const struct sampler *sampler, const struct plan *plan)
{
	unsigned in_interval = plan->n_mux > 1 ? 2 * plan->n_ticks : 1;

	return sampler->ring_depth / 2 * plan->interval_ns / in_interval;
}

/* Get the time of the next of several checks since a time: ever rarer, as each reads all cores. */
static uint64_t look_again_ns(uint64_t shortest_ns, uint64_t since_ns, uint64_t now_ns)
{
	return now_ns + shortest_ns + (now_ns > since_ns ? (now_ns - since_ns) / 2 : 0);
}

/* Get the next time at which a frame may be due. */
static uint64_t next_frame_ns(const struct sampler *sampler, uint64_t now_ns)
{
	const struct plan *plan = sampler->collector.plan, *next = next_plan(sampler);
	uint64_t since_ns = now_ns > plan->t0_ns ? now_ns - plan->t0_ns : 0;
	uint64_t tick = since_ns / plan->interval_ns * plan->n_ticks; /* tick of the last frame */
	uint64_t look_ns = plan_deadline_ns(plan, tick + plan->n_ticks) + FIRST_LOOK_NS;
	uint64_t half_ns = half_ring_ns(sampler, next ? next : plan), again_ns;

	if (next) { /* its samples fill the rings of the cores that have switched */
		again_ns = look_again_ns(SWITCHING_NS, next->t0_ns, now_ns);
		return again_ns < now_ns + half_ns ? again_ns : now_ns + half_ns;
	}
	if (plan->interval_ns < LAG_NS) /* a batch: half a ring of ticks, at most lag_ns */
		return now_ns + (half_ns < sampler->lag_ns ? half_ns : sampler->lag_ns);
	if (tick > sampler->collector.closed_tick) /* some core was later than the first check */
		return is_last(sampler)
			       ? look_again_ns(FIRST_LOOK_NS, plan_deadline_ns(plan, tick), now_ns)
			       : plan_deadline_ns(plan, tick) + grace_ns(sampler);
	if (plan->n_mux > 1 && now_ns + half_ns < look_ns)
		return now_ns + half_ns;
	return look_ns;
}

static uint64_t next_look_ns(const struct sampler *sampler, uint64_t now_ns)
{
	uint64_t look_ns = next_frame_ns(sampler, now_ns);

	if (look_ns <= now_ns) /* grace passed without any sample: wait for the next tick */
		look_ns = now_ns + LAG_NS;
	return look_ns;
}

/* Sleep until a frame may be due, a plan is published or half of a ring of switch records is full.
 * Such a ring of 512 KiB per core then has room for 27 ms of 100 000 switches a second with ten
 * counters. */
static void collector_wait(struct sampler *sampler)
{
	struct collector *c = &sampler->collector;
	const struct backend_ops *ops = sampler->backend->ops;
	bool has_fd = c->window[0].tasks && ops->switches_fd;
	struct pollfd fd[] = {
		{ .fd = c->wake_fd, .events = POLLIN },
		{ .fd = has_fd ? ops->switches_fd(sampler->backend) : -1, .events = POLLIN },
	};
	uint64_t now_ns = clock_now_ns(), wait_ns = next_look_ns(sampler, now_ns) - now_ns;
	struct timespec wait = { .tv_sec = (time_t)(wait_ns / NS_PER_S),
				 .tv_nsec = (long)(wait_ns % NS_PER_S) };
	eventfd_t cleared;

	ppoll(fd, ARRAY_SIZE(fd), &wait, NULL);
	eventfd_read(c->wake_fd, &cleared); /* fails if it did not wake */
}

void collector_wake(const struct sampler *sampler)
{
	eventfd_write(sampler->collector.wake_fd, 1);
}

void *collector_main(void *data)
{
	struct sampler *sampler = data;

	while (!atomic_load(&sampler->stop_collector)) {
		collector_wait(sampler);
		if (sampler->collector.window[0].tasks)
			attribution_drain(sampler->collector.tasks, clock_now_ns());
		collector_drain(sampler, false);
	}
	return NULL;
}

int collector_init(struct sampler *sampler)
{
	struct collector *c = &sampler->collector;
	unsigned n = sampler->machine->n_cores;

	if (!sampler->lag_ns)
		sampler->lag_ns = LAG_NS;
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake_fd < 0)
		return -errno;
	c->window = mmap(NULL, n * sizeof(*c->window), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->window == MAP_FAILED)
		c->window = NULL;
	if (!c->window || (!sampler->recording && activity_stat_new(sampler->machine, &c->stat))) {
		if (c->window)
			munmap(c->window, n * sizeof(*c->window));
		c->window = NULL;
		close(c->wake_fd);
		return -ENOMEM;
	}
	c->suspended_ns = clock_suspended_ns();
	c->own_from_ns = c->lateness_from_ns = sampler->start_ns;
	c->own_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return 0;
}

void collector_fini(struct sampler *sampler)
{
	struct collector *c = &sampler->collector;

	if (!c->window)
		return;
	attribution_free(c->tasks);
	sensed_unref(c->sensed);
	frame_unref(c->last);
	own_tasks_free(c->own);
	schedstat_free(c->schedstat);
	activity_stat_free(c->stat);
	munmap(c->window, sampler->machine->n_cores * sizeof(*c->window));
	close(c->wake_fd);
}
