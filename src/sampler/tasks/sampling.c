/* sampling.c: how often a core's event is sampled, and what samples cannot tell */
#include "base/cleanup.h"
#include "sampler/tasks/core_tasks.h"

/* @return NULL: there is none on this core */
static const struct event *sampled_event(const struct core_tasks *core)
{
	const struct attribution *attribution = core->of;
	const struct machine *machine = attribution->sampler->machine;
	unsigned type = machine->core[core_tasks_index(core)].type;
	const struct event *event = attribution->set.type[type].event[attribution->set.sampled];

	return event_no_samples(event) ? NULL : event;
}

static const struct sample_rate *rate_of(const struct core_tasks *core)
{
	return &core->of->sampler->backend->sample_rate;
}

/* Get the core's present period. */
static uint64_t period_of(const struct core_tasks *core)
{
	return core->period ? core->period : event_first_period(sampled_event(core), rate_of(core));
}

/* A new period costs part of one, so it is drawn after at least so many samples. */
enum { SAMPLES_A_DRAW = 64 };

static void draw_period(struct core_tasks *core)
{
	struct backend *backend = core->of->sampler->backend;
	uint64_t period = core->period == backend->sample_rate.period
				  ? core->period
				  : event_draw_period(core->period, &core->random);

	backend->ops->sample_every(backend, core_tasks_index(core), core->sampled_stream, period);
	core->n_drawn = 0;
}

/* Set the mean period of the core's sampled event from now on. */
static void sample_every(struct core_tasks *core, uint64_t period)
{
	bool is_due = period != rate_of(core)->period && core->n_drawn >= SAMPLES_A_DRAW;

	if (!core->sampled_stream || (period == core->period && !is_due))
		return;
	core->period = period;
	draw_period(core);
}

void sampling_begin(struct core_tasks *core, uint64_t stream)
{
	const struct set *set = &core->of->set;

	if (!set->samples || core->sampled_stream == stream ||
	    core->mux != set_mux_of(set, set->sampled))
		return;
	core->sampled_stream = stream;
	if (core->period)
		draw_period(core);
}

/* Find the rate of an event on a core in the last frame, per second. @return 0: unknown */
static double last_rate(const struct frame *last, unsigned core, unsigned type,
			const struct event *event)
{
	for (unsigned i = 0; last && i < last->n_slots; i++) {
		const struct count *count = &frame_counts(last, core)[i];

		if (last->set->type[type].event[i] == event && quality_has_value(count->quality) &&
		    count->running_ns)
			return (double)count->value * 1e9 / (double)count->running_ns;
	}
	return 0;
}

void sampling_start(struct core_tasks *core)
{
	const struct machine *machine = core->of->sampler->machine;
	const struct frame *last = core->of->sampler->collector.last;
	unsigned index = core_tasks_index(core), type = machine->core[index].type;
	const struct event *event = core->of->set.samples ? sampled_event(core) : NULL;
	double most = 0;

	core->sampled_stream = core->period = 0;
	core->random = index;
	for (unsigned i = 0; event && i < machine->n_cores; i++) {
		double rate = machine->core[i].type == type ? last_rate(last, i, type, event) : 0;

		most = rate > most ? rate : most;
	}
	if (most > 0)
		core->period = event_next_period(event, event_first_period(event, rate_of(core)),
						 last_rate(last, index, type, event) + 1, most,
						 rate_of(core));
}

void sampling_limit(struct core_tasks *core, uint64_t now_ns)
{
	double since_s = (double)(now_ns - core->hits_from_ns) / 1e9;
	unsigned wanted = sample_rate_wanted(rate_of(core));

	/* far above it: the rate has grown, and the kernel would stop the group; of tasks it is that of many cores */
	if (core->n_hits <= 2 * wanted || !sampled_event(core) || is_of_tasks(core) ||
	    (double)core->n_hits <= 10 * wanted * since_s)
		return;
	sample_every(core, 8 * period_of(core) + 1);
	core->n_hits = 0;
	core->hits_from_ns = now_ns;
}

/* Choose the period for the core's next window by the rates of this one. */
static void adapt_period(struct core_tasks *core, const struct frame *frame)
{
	unsigned column = frame->set->sampled, mux = set_mux_of(frame->set, column);
	const struct count *count = &frame_counts(frame, core_tasks_index(core))[column];
	const uint64_t *idle = tally_values(&core->tally, ROW_IDLE);
	uint64_t idle_value = idle[set_n_mux(frame->set) + column];
	const struct event *event = sampled_event(core);
	double busy_ns = (double)count->running_ns - (double)idle[mux];
	double busy = (double)count->value - (double)idle_value, per_s, busy_per_s;

	core->n_hits = 0;
	if (core->throttled_ns || core->throttled_from_ns) {
		sample_every(core, 4 * period_of(core) + 1);
		return;
	}
	if (!quality_has_value(count->quality) || !count->running_ns)
		return;
	per_s = (double)count->value * 1e9 / (double)count->running_ns;
	busy_per_s = busy_ns > 1e6 ? busy * 1e9 / busy_ns : per_s;
	sample_every(core,
		     event_next_period(event, period_of(core), per_s, busy_per_s, rate_of(core)));
}

/* Add idle time, in which the kernel does not sample its clocks, and time of which no record tells: of tasks that of the
 * kernel, if it may not be sampled, and what a task ran after its last sample. */
static void fill_idle(struct core_tasks *core, const struct frame *frame)
{
	static const size_t rows[] = { ROW_IDLE, ROW_UNATTRIBUTED };
	size_t value = set_n_mux(frame->set) + frame->set->sampled;
	unsigned index = core_tasks_index(core);

	for (unsigned i = 0; event_is_clock(sampled_event(core)) && i < ARRAY_SIZE(rows); i++) {
		double missing = (double)frame_counts(frame, index)[frame->set->sampled].value -
				 hits_weight(core->of->hits, index);
		double most = (double)tally_values(&core->tally, rows[i])[value];

		hits_fill(core->of->hits, index, rows[i], missing < most ? missing : most,
			  period_of(core),
			  is_of_tasks(core) ? "[not sampled]"
					    : task_kind_name[fixed_kind[rows[i]]]);
	}
}

void sampling_close(struct core_tasks *core, const struct frame *frame)
{
	/* the kernel does not tell which records it had no room for */
	hits_lost(core->of->hits, core_tasks_index(core),
		  core->n_lost_records * core->n_window_hits /
			  (core->n_window_hits + core->n_switches + 1));
	core->n_drawn += core->n_window_hits;
	core->n_window_hits = 0;
	core->hits_from_ns = sampler_clock_ns(core->of->sampler);
	if (!sampled_event(core))
		return;
	fill_idle(core, frame);
	adapt_period(core, frame);
}
