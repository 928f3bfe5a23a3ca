#include "sampler/notices.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pmu/event.h"
#include "pmu/sensors.h"
#include "sampler/threads/budget.h"
#include "sampler/threads/internal.h"
#include "symbols/symbols.h"

/* number of consecutive frames without a running counter after which a core is called starved */
#define STARVED_FRAMES  2
#define LOSSES_PAUSE_NS (10 * NS_PER_S)
/* A short burst of switches does not pause tasks. */
#define STORM_NS        (3 * NS_PER_S)
#define TASKS_PAUSE_NS  (30 * NS_PER_S)

/* Repeated losses: the first is reported at once, later ones as a sum every few seconds. */
struct losses {
	uint64_t n; /* number not reported yet */
	uint64_t next_ns;
};

struct watch {
	struct sampler *sampler;
	const struct machine *machine;
	struct messages *messages;
	struct budget budget;
	uint64_t n_dropped; /* n_dropped of the previous frame */
	struct losses missed, dropped;
	uint32_t starved_set;      /* number of the set whose starvation was reported */
	struct set noted;          /* set whose uncountable events were reported; number 0: none */
	uint32_t idle_set;         /* number of the set whose idle devices were reported */
	uint8_t idle[COLUMNS_MAX]; /* consecutive idle frames */
	bool off[CORES_MAX];
	bool is_missed[SENSORS_MAX]; /* sensors reported as missing */
	uint8_t starved[CORES_MAX];  /* consecutive starved frames */
	bool pauses_tasks;
	uint64_t storm_ns;      /* time since which tasks cost too much; 0: they do not */
	uint64_t tasks_from_ns; /* end of the pause */
};

int watch_new(struct sampler *sampler, double budget_pct, struct messages *messages,
	      struct watch **ret)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	watch->sampler = sampler;
	watch->machine = &sampler_backend(sampler)->machine;
	watch->messages = messages;
	watch->budget.pct = budget_pct;
	*ret = watch;
	return 0;
}

void watch_pauses_tasks(struct watch *watch)
{
	watch->pauses_tasks = true;
}

void watch_free(struct watch *watch)
{
	free(watch);
}

static void say_cpus(struct watch *watch, const struct cpus *cpus, const char *what)
{
	char list[128];

	if (cpus_count(cpus))
		messages_add(watch->messages, MESSAGE_WARNING, "cpu %s %s",
			     cpus_format(cpus, list, sizeof(list)), what);
}

static void watch_cores(struct watch *watch, const struct frame *frame)
{
	struct cpus gone = { 0 }, back = { 0 };

	for (unsigned i = 0; i < frame->n_cores; i++) {
		bool off = frame->core[i].state == CORE_OFF;

		if (off && !watch->off[i])
			cpus_add(&gone, watch->machine->core[i].cpu);
		if (!off && watch->off[i])
			cpus_add(&back, watch->machine->core[i].cpu);
		watch->off[i] = off;
	}
	say_cpus(watch, &gone, "went offline: shown as off until it returns");
	say_cpus(watch, &back, "is online again: its counters were reopened");
}

/* Report each sensor that cannot be read, once. */
static void watch_sensors(struct watch *watch, const struct sensed *sensed)
{
	const struct sensors *sensors = watch->machine->sensors;

	for (unsigned i = 0; sensed && i < sensors->n; i++) {
		if (!isnan(sensed->value[i]) || watch->is_missed[i])
			continue;
		watch->is_missed[i] = true;
		messages_add(watch->messages, MESSAGE_WARNING,
			     "%s cannot be read: missing until it can", sensors->sensor[i].name);
	}
}

/* Whether the core has events on hardware counters and none of them ran. */
static bool is_starved(const struct watch *watch, const struct frame *frame, unsigned core)
{
	const struct placement *placement = &frame->set->type[watch->machine->core[core].type];
	const struct count *count = frame_counts(frame, core);
	bool wanted = false;

	if (frame->core[core].state != CORE_ON)
		return false;
	for (unsigned i = 0; i < frame->n_slots; i++) {
		if (!placement->event[i] || !placement->event[i]->needs_counter)
			continue;
		if (quality_has_value(count[i].quality))
			return false;
		/* tasks that slept throughout needed no counter */
		wanted |= count[i].quality == QUALITY_NOT_COUNTED && count[i].enabled_ns;
	}
	return wanted;
}

static void watch_starving(struct watch *watch, const struct frame *frame)
{
	struct cpus starved = { 0 };

	for (unsigned i = 0; i < frame->n_cores; i++) {
		uint8_t frames = watch->starved[i];

		if (!is_starved(watch, frame, i))
			frames = 0;
		else if (frames < STARVED_FRAMES)
			frames++;
		watch->starved[i] = frames;
		if (frames == STARVED_FRAMES)
			cpus_add(&starved, watch->machine->core[i].cpu);
	}
	if (!cpus_count(&starved) || watch->starved_set == frame->set->number)
		return;
	watch->starved_set = frame->set->number;

	struct backend *backend = (struct backend *)sampler_backend(watch->sampler);
	char list[128], holders[256] = "";

	/* with dropped privileges the holders may be unknown */
	if (backend->ops->holders && !*backend->ops->holders(backend, holders, sizeof(holders)))
		snprintf(holders, sizeof(holders), "sudo m1top doctor may name it");
	messages_add(watch->messages, MESSAGE_WARNING,
		     "cpu %s: the counters do not run, %sanother tool holds them%s%s",
		     cpus_format(&starved, list, sizeof(list)),
		     frame->set->samples ? "the kernel stopped sampling or " : "",
		     *holders ? ": " : "", holders);
}

/* Whether a device's event was requested and its counter ran on no core. */
static bool notices_is_idle(const struct frame *frame, unsigned slot)
{
	const struct event *event = set_event(frame->set, slot);
	bool wanted = false;

	if (!event || !event_is_of_device(event))
		return false;
	for (unsigned i = 0; i < frame->n_cores; i++) {
		enum quality quality = frame_counts(frame, i)[slot].quality;

		if (quality_has_value(quality))
			return false;
		wanted |= quality == QUALITY_NOT_COUNTED;
	}
	return wanted;
}

static void watch_devices(struct watch *watch, const struct frame *frame)
{
	const struct event *event = NULL;

	for (unsigned i = 0; i < frame->n_slots; i++) {
		watch->idle[i] = notices_is_idle(frame, i) ? (uint8_t)(watch->idle[i] + 1) : 0;
		if (watch->idle[i] < STARVED_FRAMES)
			continue;
		watch->idle[i] = STARVED_FRAMES;
		event = event ? event : set_event(frame->set, i);
	}
	if (!event || watch->idle_set == frame->set->number)
		return;
	watch->idle_set = frame->set->number;
	messages_add(watch->messages, MESSAGE_WARNING,
		     "%s does not run: another tool holds the counters of %s%s", event->name,
		     event->pmu->name,
		     stream_can_filter(event->pmu)
			     ? ", or counts other streams with their only filter"
			     : "");
}

/* Report events that were refused without asking the kernel, once for all core types. */
static void say_refused(struct watch *watch, const struct set *set)
{
	const char *last = "";

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		for (unsigned type = 0; type < watch->machine->n_types; type++) {
			const struct event *event = set->type[type].event[slot];

			if (!event || !event->refused[0] || strcmp(event->refused, last) == 0)
				continue;
			last = event->refused;
			messages_add(watch->messages, MESSAGE_WARNING, "%s is not counted: %s",
				     event->name, event->refused);
		}
	}
}

/* Whether the same events were counted before. Then nothing is reported twice. */
static bool notices_is_reported(struct watch *watch, const struct set *set)
{
	const struct set *before = &watch->noted;

	if (!before->number || !set_counts_same(before, set))
		return false;
	if (watch->starved_set == before->number)
		watch->starved_set = set->number;
	if (watch->idle_set == before->number)
		watch->idle_set = set->number;
	watch->noted = *set;
	return true;
}

static void watch_set(struct watch *watch, const struct frame *frame)
{
	const struct active_set *active = plan_newest(watch->sampler)->active;

	if (frame->set->number == watch->noted.number ||
	    frame->set->number != sampler_set(watch->sampler)->number ||
	    notices_is_reported(watch, frame->set))
		return;
	watch->noted = *frame->set;
	say_refused(watch, frame->set);
	if (active && *active->note.text)
		messages_add(watch->messages, MESSAGE_WARNING, "%s", active->note.text);
}

/* Add n losses. @return number to report now; 0: none */
static uint64_t lose(struct losses *losses, uint64_t n, uint64_t t_ns)
{
	n += losses->n;
	losses->n = n;
	if (!n || t_ns < losses->next_ns)
		return 0;
	*losses = (struct losses){ .next_ns = t_ns + LOSSES_PAUSE_NS };
	return n;
}

static void say_losses(struct watch *watch, uint64_t n_missed, uint64_t n_dropped)
{
	if (n_missed)
		messages_add(watch->messages, MESSAGE_NOTE, "%llu tick%s missed",
			     (unsigned long long)n_missed, n_missed == 1 ? "" : "s");
	if (n_dropped)
		messages_add(watch->messages, MESSAGE_WARNING,
			     "%llu sample%s dropped: the collector was too slow",
			     (unsigned long long)n_dropped, n_dropped == 1 ? "" : "s");
}

static void watch_losses(struct watch *watch, const struct frame *frame)
{
	uint64_t n_missed = frame->gap == GAP_MISSED ? frame->n_missed : 0;
	uint64_t n_dropped =
		frame->n_dropped > watch->n_dropped ? frame->n_dropped - watch->n_dropped : 0;

	if (frame->gap == GAP_SUSPENDED)
		messages_add(watch->messages, MESSAGE_INFO, "the machine was suspended");
	watch->n_dropped = frame->n_dropped;
	say_losses(watch, lose(&watch->missed, n_missed, frame->t_ns),
		   lose(&watch->dropped, n_dropped, frame->t_ns));
}

/* Report bounds of the symbols, and files that are not read. */
static void watch_symbols(struct watch *watch)
{
	struct err warning;

	while (symbols_take_warning(&warning))
		messages_add(watch->messages, MESSAGE_WARNING, "%s", warning.text);
}

void watch_end(struct watch *watch)
{
	if (!watch)
		return;
	watch_symbols(watch);
	say_losses(watch, watch->missed.n, watch->dropped.n);
	watch->missed.n = watch->dropped.n = 0;
}

static void say_interval(struct watch *watch, uint64_t interval_ns, double used_pct)
{
	const struct budget *budget = &watch->budget;
	int places = budget->pct < 1 ? 2 : 1; /* --budget takes 0.01 */
	bool is_shorter = interval_ns < budget->chosen_ns;

	messages_add(watch->messages, is_shorter ? MESSAGE_INFO : MESSAGE_WARNING,
		     "m1top used %.*f %% of a core, its budget is %.*f %%: interval now %g ms%s",
		     places, used_pct, places, budget->pct, (double)interval_ns / NS_PER_MS,
		     interval_ns == budget->requested_ns ? " again" : "");
}

/* Pause the attribution to tasks for a time: records of switches are left in their rings and cost
 * nothing once the rings are full. Any thread. */
/* Pause tasks that cost too much: the cost of switches depends on the machine's tasks, not on the interval. */
static void watch_tasks(struct watch *watch, const struct frame *frame)
{
	double pct = frame->tasks ? (double)frame->tasks->cost_share * 100 : 0;

	if (!watch->pauses_tasks || frame->t_ns < watch->tasks_from_ns)
		return;
	if (pct <= watch->budget.pct)
		watch->storm_ns = 0;
	else if (!watch->storm_ns)
		watch->storm_ns = frame->t_ns;
	else if (frame->t_ns - watch->storm_ns >= STORM_NS) {
		watch->storm_ns = 0;
		watch->tasks_from_ns = frame->t_ns + TASKS_PAUSE_NS;
		atomic_store_explicit(&watch->sampler->tasks_from_ns,
				      sampler_clock_ns(watch->sampler) + TASKS_PAUSE_NS,
				      memory_order_relaxed);
		messages_add(watch->messages, MESSAGE_WARNING,
			     "counting by task cost %.1f %% of a core, the budget is %g %%: it "
			     "pauses for %d s, whose counts are [unattributed]",
			     pct, watch->budget.pct, (int)(TASKS_PAUSE_NS / NS_PER_S));
	}
}

static void watch_budget(struct watch *watch, const struct frame *frame)
{
	double used_pct = (double)frame->own_budget_share * 100;
	uint64_t interval_ns = sampler_interval(watch->sampler), next_ns;

	if (frame->interval_ns != interval_ns)
		return;
	next_ns = budget_choose(&watch->budget, interval_ns, used_pct, frame->t_ns);
	if (next_ns == interval_ns || sampler_set_interval(watch->sampler, next_ns, NULL))
		return;
	say_interval(watch, next_ns, used_pct);
	budget_take(&watch->budget, next_ns, frame->t_ns);
}

double watch_budget_pct(const struct watch *watch)
{
	return watch->budget.pct;
}

void watch_set_budget(struct watch *watch, double pct)
{
	watch->budget.pct = pct;
}

uint64_t watch_requested_interval(const struct watch *watch)
{
	uint64_t interval_ns = sampler_interval(watch->sampler);

	return interval_ns == watch->budget.chosen_ns ? watch->budget.requested_ns : interval_ns;
}

static void watch_backend(struct watch *watch)
{
	struct backend *backend = (struct backend *)sampler_backend(watch->sampler);
	char text[256] = "";

	if (backend->ops->faults && *backend->ops->faults(backend, text, sizeof(text)))
		messages_add(watch->messages, MESSAGE_WARNING, "%s", text);
}

/* Get and clear the error of a core that came back but cannot be counted, or of a recording.
 * @ret  "" if there is no new error */
static void watch_last_error(struct watch *watch)
{
	struct err *last_error = &watch->sampler->last_error;

	if (last_error->text[0])
		messages_add(watch->messages, MESSAGE_WARNING, "%s", last_error->text);
	last_error->text[0] = '\0';
}

void watch_frame(struct watch *watch, const struct frame *frame)
{
	watch_symbols(watch);
	watch_backend(watch);
	watch_last_error(watch);
	watch_cores(watch, frame);
	watch_sensors(watch, frame->sensed);
	watch_set(watch, frame);
	watch_starving(watch, frame);
	watch_devices(watch, frame);
	watch_losses(watch, frame);
	watch_tasks(watch, frame);
	watch_budget(watch, frame);
}
