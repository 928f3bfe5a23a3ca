#include "pmu/sim/sim.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/backend.h"
#include "pmu/machine.h"
#include "pmu/sim/functions.h"
#include "pmu/sim/load.h"
#include "pmu/sim/machine.h"
#include "pmu/sim/options.h"
#include "pmu/sim/run.h"

uint64_t sim_now(const struct sim_backend *sim)
{
	if (!sim->base.virtual_clock)
		return clock_now_ns() - sim->origin_ns;
	/* acquire: a thread that sees the new time sees the faults injected before it */
	return atomic_load_explicit(&sim->now_ns, memory_order_acquire);
}

struct sim_load sim_load_of(const struct sim_backend *sim, unsigned core)
{
	unsigned cpu = sim->base.machine.core[core].cpu;

	return (struct sim_load){
		.seed = sim->options.seed,
		.cpu = cpu,
		.type = cpu < sim->options.cores / 2 ? SIM_E : SIM_P,
		.schedule = sim->options.tasks ? &sim->schedule : NULL,
		.shape = sim->options.shape,
	};
}

const struct sim_event *sim_event_of(const struct sim_backend *sim, uint64_t id)
{
	return sim->options.hidden ? sim_hidden_event(sim->options.seed, id) : sim_event_find(id);
}

/* ---- groups: counters of one core, opened for one set ---- */

/* Counter of a device: its registers are not simulated, only its count. */
struct device_counter {
	unsigned device;
	uint64_t config[CONFIG_WORDS];
	uint64_t value;
};

struct group {
	struct sim_backend *sim;
	struct sim_load load;
	uint64_t pmc[SIM_COUNTERS]; /* SIM_WIDTH bits each */
	uint8_t id[SIM_COUNTERS];
	enum privilege privilege[SIM_COUNTERS];
	uint64_t opened_ns;
	uint64_t counted_ns;    /* events up to this time are in the registers */
	struct sim_phase whole; /* phase of the last of them, see sim_load_next */
	uint64_t enabled_ns;
	uint64_t running_ns[SIM_COUNTERS];
	const struct sim_event *event[SIM_COUNTERS]; /* NULL: never counts */
	uint16_t counters;                           /* in use, as bits */
	uint16_t legal; /* counters that can count their event, as bits */
	bool is_counting;
	unsigned n_slots;
	uint8_t state[SLOTS_MAX];
	uint8_t counter[SLOTS_MAX]; /* counter of the core, DEVICE + index or MONITOR + event */
	bool has_monitors;          /* some slots are activity monitors */
	uint64_t monitor[N_ACTIVITY_EVENTS];
	struct sim_recorder *recorder; /* NULL: switches are not recorded */
	uint64_t stream, n_switches;
	struct {
		unsigned counter; /* SIM_COUNTERS: no event is sampled */
		const struct event *event;
		const _Atomic uint64_t *period; /* 0: the event's first one */
		uint64_t left;                  /* events until the next sample */
		uint64_t n;                     /* samples so far */
		uint64_t n_lost;                /* not reported yet */
		bool chains;                    /* samples have callers */
		uint32_t mapped
			[256]; /* processes whose functions were recorded lately, by id modulo 256 */
	} hits;
	unsigned n_devices;
	struct device_counter device[];
};

/* Values of a counter. */
#define SIM_VALUES (UINT64_C(1) << SIM_WIDTH)

enum { DEVICE = SIM_COUNTERS, MONITOR = DEVICE + SLOTS_MAX };

/* ---- records of context switches ---- */

enum record_kind { RECORD_SWITCH, RECORD_NOTE, RECORD_HIT };

struct record {
	enum record_kind kind;
	union {
		struct {
			struct task_note note;
			struct sim_function function; /* NOTE_MAP */
		};
		struct {
			struct code_hit hit;
			uint64_t caller[SIM_CALLERS];
		};
		struct {
			struct task_switch one;
			uint64_t value[CORE_SLOTS_MAX];
		};
	};
};

/* Ring of records; one writer, the core's thread, and one reader. Full: further records are lost. */
struct sim_recorder {
	size_t mask;
	atomic_size_t tail; /* written by the core's thread */
	atomic_size_t head; /* written by the reader */
	struct record record[];
};

/* Return a core's recorder; create it on first use. @return NULL without memory */
static struct sim_recorder *recorder_of(_Atomic(struct sim_recorder *) *place, size_t n)
{
	struct sim_recorder *recorder = atomic_load_explicit(place, memory_order_relaxed);
	size_t size = 1;

	if (recorder)
		return recorder;
	while (size < n)
		size *= 2;
	recorder = calloc(1, sizeof(*recorder) + size * sizeof(recorder->record[0]));
	if (recorder)
		recorder->mask = size - 1;
	/* release: a thread that finds the recorder sees it complete */
	atomic_store_explicit(place, recorder, memory_order_release);
	return recorder;
}

/* Whether half of the ring is free: samples leave the rest to switches. */
static bool recorder_has_half(struct sim_recorder *recorder)
{
	size_t tail = atomic_load_explicit(&recorder->tail, memory_order_relaxed);

	return tail - atomic_load_explicit(&recorder->head, memory_order_relaxed) <=
	       recorder->mask / 2;
}

/* Reserve the next record. @return NULL if the ring is full */
static struct record *recorder_claim(struct sim_recorder *recorder)
{
	size_t tail = atomic_load_explicit(&recorder->tail, memory_order_relaxed);
	/* acquire: the reader has finished with the record */
	size_t head = atomic_load_explicit(&recorder->head, memory_order_acquire);

	return tail - head > recorder->mask ? NULL : &recorder->record[tail & recorder->mask];
}

static void recorder_commit(struct sim_recorder *recorder)
{
	/* release: the record is written before it becomes visible */
	atomic_fetch_add_explicit(&recorder->tail, 1, memory_order_release);
}

static void record_switch(struct sim_recorder *recorder, const struct task_switch *one)
{
	struct record *record = recorder_claim(recorder);

	assert(one->n_slots <= CORE_SLOTS_MAX);
	if (!record)
		return;
	record->kind = RECORD_SWITCH;
	record->one = *one;
	memcpy(record->value, one->value, one->n_slots * sizeof(one->value[0]));
	record->one.value = record->value;
	recorder_commit(recorder);
}

static void sim_switches_drain(struct backend *backend, unsigned core,
			       const struct switch_sink *sink)
{
	/* acquire: the recorder is complete */
	struct sim_recorder *recorder = atomic_load_explicit(
		&((struct sim_backend *)backend)->recorder[core], memory_order_acquire);

	if (!recorder)
		return;

	size_t head = atomic_load_explicit(&recorder->head, memory_order_relaxed);
	/* acquire: the records are written */
	size_t tail = atomic_load_explicit(&recorder->tail, memory_order_acquire);

	for (; head != tail; head++) {
		const struct record *record = &recorder->record[head & recorder->mask];

		if (record->kind == RECORD_NOTE)
			sink->take_note(sink->data, &record->note);
		else if (record->kind == RECORD_HIT && sink->take_hit)
			sink->take_hit(sink->data, &record->hit);
		else if (record->kind == RECORD_SWITCH &&
			 !sink->take_switch(sink->data, &record->one))
			break;
	}
	/* release: the records can be overwritten */
	atomic_store_explicit(&recorder->head, head, memory_order_release);
}

/* ---- counting up to a time ---- */

static uint16_t group_counters_of(const struct sim_backend *sim, uint64_t id)
{
	return sim->options.hidden ? sim_hidden_id(sim->options.seed, id).counters
				   : sim_event_counters(id);
}

static const struct sim_faults *faults(const struct group *group)
{
	return &group->sim->options.faults;
}

static void add_events(struct group *group, unsigned counter, uint64_t events)
{
	group->pmc[counter] = (group->pmc[counter] + events) & (SIM_VALUES - 1);
}

static bool is_dead(const struct group *group, uint64_t t_ns)
{
	return sim_faults_within(faults(group), FAULT_OFFLINE, group->load.cpu, 0, group->opened_ns,
				 t_ns);
}

/* Add the activity of a window inside one phase. @value  N_ACTIVITY_EVENTS sums */
static void sim_activity_add(const struct sim_phase *phase, uint64_t from_ns, uint64_t to_ns,
			     uint64_t *value)
{
	value[ACTIVITY_CYCLES] += sim_phase_count(phase, sim_event_find(SIM_ID_CYCLES),
						  PRIVILEGE_BOTH, from_ns, to_ns);
	value[ACTIVITY_TIME] += sim_phase_busy_ns(phase, from_ns, to_ns);
	value[ACTIVITY_INSTRUCTIONS] += sim_phase_count(phase, sim_event_find(SIM_ID_INSTRUCTIONS),
							PRIVILEGE_BOTH, from_ns, to_ns);
}

static void record_hits(struct group *group, const struct sim_phase *phase, uint64_t from_ns,
			uint64_t to_ns, uint64_t events);

/* Count a window that lies in one phase and in which no fault begins or ends. */
static void count_piece(struct group *group, const struct sim_phase *phase, uint64_t from_ns,
			uint64_t to_ns)
{
	for (unsigned n = 0; n < SIM_COUNTERS; n++) {
		uint64_t events = 0;

		if (!(group->counters & 1U << n) ||
		    sim_faults_at(faults(group), FAULT_STEAL, group->load.cpu, n, from_ns))
			continue;
		if (!group->sim->base.is_probing) /* else only workloads count */
			events = sim_phase_count(phase, group->event[n], group->privilege[n],
						 from_ns, to_ns);
		add_events(group, n, events);
		if (group->recorder && n == group->hits.counter)
			record_hits(group, phase, from_ns, to_ns, events);
		group->running_ns[n] += to_ns - from_ns;
	}
	if (group->has_monitors && phase->busy_permille)
		sim_activity_add(phase, from_ns, to_ns, group->monitor);
}

/* Faults do not affect devices. */
static void count_devices(struct group *group, uint64_t from_ns, uint64_t to_ns)
{
	for (unsigned i = 0; i < group->n_devices; i++) {
		struct device_counter *counter = &group->device[i];

		counter->value += sim_device_count(group->load.seed, counter->device,
						   counter->config, from_ns, to_ns);
	}
}

static struct switch_point point_of(const struct group *group, const struct sim_phase *slice)
{
	return (struct switch_point){
		.stream = group->stream,
		.n = group->n_switches,
		.enabled_ns = group->enabled_ns,
		.running_ns = group->enabled_ns,
		.pid = slice->pid,
		.tid = slice->tid,
		.cgroup = slice->cgroup,
	};
}

static bool is_attributable(const struct group *group, unsigned slot)
{
	return group->state[slot] == RAW_OK && group->counter[slot] < DEVICE;
}

static void record_note(void *data, const struct task_note *note)
{
	struct group *group = data;
	struct record *record = recorder_claim(group->recorder);

	if (!record)
		return;
	record->kind = RECORD_NOTE;
	record->note = *note;
	record->note.t_ns += group->sim->origin_ns;
	if (note->kind == NOTE_EXIT && group->hits.mapped[note->pid % 256] == note->pid)
		group->hits.mapped[note->pid % 256] = 0;
	recorder_commit(group->recorder);
}

/* ---- samples ---- */

static void record_function(struct group *group, unsigned i, uint32_t pid, uint64_t t_ns)
{
	const struct sim_backend *sim = group->sim;
	struct record *record = recorder_claim(group->recorder);

	if (!record)
		return;
	record->kind = RECORD_NOTE;
	record->note = (struct task_note){ .kind = NOTE_MAP, .map = &record->function.map };
	sim_function_of(i, sim->options.functions, pid, sim_load_comm(&sim->schedule, pid),
			&record->function);
	record->note.t_ns = record->function.map.t_ns = t_ns;
	recorder_commit(group->recorder);
}

/* Record the functions of a process before its first sample, and those of the kernel. */
static void record_functions(struct group *group, uint32_t pid, uint64_t t_ns)
{
	if (group->hits.n && group->hits.mapped[pid % 256] == pid)
		return;
	group->hits.mapped[pid % 256] = pid;
	for (unsigned i = 0;
	     i <= group->sim->options.functions + (group->hits.chains ? SIM_CALLERS : 0); i++)
		record_function(group, i, pid, t_ns);
}

static void record_hit(struct group *group, const struct sim_phase *phase, uint64_t period,
		       uint64_t t_ns)
{
	const struct sim_backend *sim = group->sim;
	unsigned n = sim->options.functions;
	uint64_t drawn =
		sim_hash(group->load.seed, group->load.cpu, group->stream << 32, group->hits.n);
	uint64_t rhythm_ns = sim->options.rhythm_us * NS_PER_US;
	unsigned i = !phase->tid ? n
		     : rhythm_ns ? sim_function_turn(t_ns, rhythm_ns, n)
				 : sim_function_draw(drawn, n);
	struct sim_function function;
	struct record *record;

	if (!recorder_has_half(group->recorder)) {
		group->hits.n_lost++;
		return;
	}
	if (group->hits.n_lost)
		record_note(group,
			    &(struct task_note){ .kind = NOTE_LOST, .n_lost = group->hits.n_lost });
	group->hits.n_lost = 0;
	record_functions(group, phase->pid, t_ns);
	group->hits.n++;
	sim_function_of(i, n, phase->pid, NULL, &function);
	record = recorder_claim(group->recorder);
	if (!record)
		return;
	record->kind = RECORD_HIT;
	record->hit = (struct code_hit){
		.t_ns = t_ns,
		.ip = function.map.start + (drawn >> 32) % function.map.size,
		.period = period,
		.pid = phase->pid,
		.tid = phase->tid,
		.cgroup = phase->cgroup,
		.stream = group->stream,
		.is_kernel = !function.map.pid,
		.chain = record->caller,
	};
	if (group->hits.chains && phase->tid)
		record->hit.n_chain = sim_function_callers(drawn >> 16, n, record->caller);
	recorder_commit(group->recorder);
}

/* Record a sample for each `period` events of a piece, at its time in it. */
static void record_hits(struct group *group, const struct sim_phase *phase, uint64_t from_ns,
			uint64_t to_ns, uint64_t events)
{
	/* relaxed: the number alone is shared */
	uint64_t period = atomic_load_explicit(group->hits.period, memory_order_relaxed);
	uint64_t at = 0;

	if (!period)
		period = event_first_period(group->hits.event, &group->sim->base.sample_rate);
	if (!group->hits.left || group->hits.left > period)
		group->hits.left = period;
	while (events - at >= group->hits.left) {
		at += group->hits.left;
		group->hits.left = period;
		record_hit(group, phase, period,
			   group->sim->origin_ns + from_ns +
				   (uint64_t)((double)(to_ns - from_ns) * (double)at /
					      (double)events));
	}
	group->hits.left -= events - at;
}

static void sim_sample_every(struct backend *backend, unsigned core, uint64_t stream,
			     uint64_t period)
{
	(void)stream;
	/* relaxed: the number alone is shared */
	atomic_store_explicit(&((struct sim_backend *)backend)->period[core], period,
			      memory_order_relaxed);
}

static void end_slice(struct group *group, const struct sim_phase *slice)
{
	uint64_t value[CORE_SLOTS_MAX] = { 0 };
	struct task_switch one = {
		.t_ns = group->sim->origin_ns + slice->to_ns,
		.n_slots = group->n_slots < CORE_SLOTS_MAX ? group->n_slots : CORE_SLOTS_MAX,
		.value = value,
	};
	group->n_switches++;
	one.at = point_of(group, slice);
	for (unsigned slot = 0; slot < one.n_slots; slot++)
		if (is_attributable(group, slot))
			value[slot] = group->pmc[group->counter[slot]];
	record_switch(group->recorder, &one);
}

static void group_count_until(struct group *group, uint64_t t_ns)
{
	const struct switch_sink sink = { .data = group, .take_note = record_note };
	bool has_notes = group->recorder && group->load.schedule;
	uint64_t from_ns = group->counted_ns;

	if (!group->is_counting)
		return;
	count_devices(group, from_ns, t_ns);
	while (from_ns < t_ns) {
		struct sim_phase phase;

		sim_load_next(&group->load, from_ns, &group->whole, &phase);

		uint64_t end_ns = phase.to_ns < t_ns ? phase.to_ns : t_ns;

		if (has_notes && from_ns == phase.from_ns)
			sim_schedule_begin(&phase, &sink);
		end_ns = sim_faults_edge(faults(group), group->load.cpu, from_ns, end_ns);
		count_piece(group, &phase, from_ns, end_ns);
		group->enabled_ns += end_ns - from_ns;
		from_ns = end_ns;
		if (has_notes && end_ns == phase.to_ns)
			sim_schedule_end(&group->load, &phase, &sink);
		if (group->recorder && end_ns == phase.to_ns)
			end_slice(group, &phase);
	}
	group->counted_ns = from_ns;
}

/* ---- opening ---- */

/* Draw a start value; with wrap=near the counter wraps within 8 s of this event. */
static uint64_t start_value(const struct group *group, unsigned counter, const struct event *event,
			    uint32_t set)
{
	uint64_t drawn = sim_hash(group->load.seed, group->load.cpu, counter, UINT64_MAX - set);

	if (!group->sim->options.wrap_near)
		return drawn % SIM_VALUES;

	const struct sim_event *habits = sim_event_of(group->sim, event->config[0]);
	uint64_t soon = habits ? sim_load_count(&group->load, habits->id, event->privilege,
						group->opened_ns, group->opened_ns + 8 * NS_PER_S)
			       : 0;

	return SIM_VALUES - 1 - drawn % (soon + 1);
}

/* Return the counters that an event can be set to. With sim:hidden, while probing or if forced, PMC2-9
 * can be set to an event that they do not count; the fixed counters take only their own events. */
static uint16_t settable(const struct sim_backend *sim, const struct event *event)
{
	bool is_anywhere = sim->base.is_probing || sim->options.hidden || event->is_forced;

	return group_counters_of(sim, event->config[0]) | (is_anywhere ? SIM_COUNTERS_ANY : 0);
}

static int check_slot(const struct group *group, const struct core_type *type, unsigned counter,
		      const struct event *event, struct err *err)
{
	char legal[64];

	if (event->pmu != type->pmu)
		return err_set(err, EINVAL, "%s is not an event of %s", event->name,
			       type->pmu->name);
	if (event->config[0] > UINT8_MAX)
		return err_set(err, EINVAL, "%s: event ids of this core have 8 bits", event->name);
	if (counter >= SIM_COUNTERS || !(settable(group->sim, event) & 1U << counter))
		return err_set(
			err, EINVAL, "%s cannot count on PMC%u of a %s core: it is legal on %s",
			event->name, counter, type->name,
			counters_text(sim_event_counters(event->config[0]), legal, sizeof(legal)));
	if (group->counters & 1U << counter)
		return err_set(err, ENOSPC, "%s: PMC%u is taken by another event of the set",
			       event->name, counter);
	return 0;
}

static void program(struct group *group, unsigned counter, const struct event *event, uint32_t set)
{
	const uint16_t bit = (uint16_t)(1U << counter);

	group->pmc[counter] = start_value(group, counter, event, set);
	group->id[counter] = (uint8_t)event->config[0];
	group->privilege[counter] = event->privilege;
	group->counters |= bit;
	if (!(group_counters_of(group->sim, event->config[0]) & bit))
		return;
	group->legal |= bit;
	group->event[counter] = sim_event_of(group->sim, event->config[0]);
}

/* Open a device's counter on the CPU of its cpumask; on other CPUs the slot stays empty. */
static void open_device(struct group *group, const struct event *event, unsigned slot)
{
	struct device_counter *counter = &group->device[group->n_devices];

	if (!cpus_has(&event->pmu->cpus, group->load.cpu))
		return;
	*counter = (struct device_counter){ .device = (unsigned)sim_device_of(event->pmu) };
	memcpy(counter->config, event->config, sizeof(counter->config));
	group->counter[slot] = (uint8_t)(DEVICE + group->n_devices++);
	group->state[slot] = RAW_OK;
}

static int open_slot(struct group *group, const struct core_type *type,
		     const struct placement *placement, unsigned slot, uint32_t set,
		     struct err *err)
{
	const struct event *event = placement->event[slot];
	unsigned counter = placement->counter[slot];

	if (!event)
		return 0;
	/* only the CPU that counts the device has room for these slots in its samples */
	if (slot >= CORE_SLOTS_MAX && !(event->pmu && cpus_has(&event->pmu->cpus, group->load.cpu)))
		return 0;
	if (event->refused[0]) {
		group->state[slot] = RAW_UNSUPPORTED;
		return 0;
	}
	if (sim_device_of(event->pmu) >= 0) {
		open_device(group, event, slot);
		return 0;
	}
	if (event->pmu->kind == PMU_ACTIVITY) {
		group->counter[slot] = (uint8_t)(MONITOR + event->config[0]);
		group->state[slot] = RAW_OK;
		group->has_monitors = true;
		return 0;
	}

	int result = check_slot(group, type, counter, event, err);

	if (result < 0)
		return result;
	program(group, counter, event, set);
	group->counter[slot] = (uint8_t)counter;
	group->state[slot] = RAW_OK;
	return 0;
}

static int record_switches(struct sim_backend *sim, unsigned core, struct group *group)
{
	group->recorder = recorder_of(&sim->recorder[core], sim->options.records);
	group->stream = ++sim->n_streams;
	group->load.is_sliced = true;
	return group->recorder ? 0 : -ENOMEM;
}

/* Sample the set's event, if this core counts it. */
static void sample_slot(struct sim_backend *sim, unsigned core, const struct set *set,
			struct group *group)
{
	unsigned slot = set->sampled;

	group->hits.counter = SIM_COUNTERS;
	if (!group->recorder || !set->samples || slot >= set->n_slots ||
	    !is_attributable(group, slot))
		return;
	group->hits.counter = group->counter[slot];
	group->hits.chains = set->chains;
	group->hits.event = set->type[sim->base.machine.core[core].type].event[slot];
	group->hits.period = &sim->period[core];
	atomic_store(&sim->period[core], 0);
}

static struct group *group_new(const struct placement *placement)
{
	size_t n_devices = 0;

	for (unsigned slot = 0; slot < SLOTS_MAX; slot++)
		n_devices += placement->event[slot] && event_is_of_device(placement->event[slot]);
	return calloc(1, sizeof(struct group) + n_devices * sizeof(struct device_counter));
}

static int sim_group_open(struct backend *backend, unsigned core, const struct set *set,
			  struct group **ret, struct err *err)
{
	struct sim_backend *sim = (struct sim_backend *)backend;
	const struct core_type *type = &backend->machine.type[backend->machine.core[core].type];
	const struct placement *placement = &set->type[backend->machine.core[core].type];
	struct group *group = group_new(placement);
	int result = 0;

	if (!group)
		return err_set(err, ENOMEM, "no memory for the counters of a core");
	group->sim = sim;
	group->load = sim_load_of(sim, core);
	group->opened_ns = sim_now(sim);
	if (sim_faults_at(faults(group), FAULT_OFFLINE, group->load.cpu, 0, group->opened_ns))
		result = err_set(err, ENODEV, "cpu%u is offline", group->load.cpu);
	if (result == 0 && set->by_task && record_switches(sim, core, group))
		result = err_set(err, ENOMEM, "no memory for the switches of a core");
	for (unsigned slot = 0; slot < set->n_slots && result == 0; slot++)
		result = open_slot(group, type, placement, slot, set->number, err);
	if (result < 0) {
		free(group);
		return result;
	}
	group->n_slots = sample_n_slots(group->state, set->n_slots);
	sample_slot(sim, core, set, group);
	*ret = group;
	return 0;
}

static void sim_group_close(struct group *group)
{
	free(group);
}

/* ---- counting ---- */

static int group_switch(struct group *group, bool is_counting)
{
	uint64_t t_ns = sim_now(group->sim);

	if (is_dead(group, t_ns))
		return -ENODEV;
	group_count_until(group, t_ns);
	group->counted_ns = t_ns;
	group->is_counting = is_counting;
	return 0;
}

static int sim_group_enable(struct group *group)
{
	return group_switch(group, true);
}

static int sim_group_disable(struct group *group)
{
	return group_switch(group, false);
}

/* Delay a slow read in real time, even if the simulation's clock is virtual. */
static void take_time(const struct group *group, uint64_t *t_ns)
{
	const struct sim_fault *slow =
		sim_faults_at(faults(group), FAULT_SLOW, group->load.cpu, 0, *t_ns);

	if (!slow)
		return;

	uint64_t until_ns = clock_now_ns() + slow->slow_ns;
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S),
		.tv_nsec = (long)(until_ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	*t_ns = sim_now(group->sim);
}

static struct raw group_raw_of(const struct group *group, unsigned counter)
{
	bool is_core = counter < DEVICE;

	return (struct raw){
		.value = is_core             ? group->pmc[counter]
			 : counter < MONITOR ? group->device[counter - DEVICE].value
					     : group->monitor[counter - MONITOR],
		.enabled_ns = group->enabled_ns,
		.running_ns = is_core ? group->running_ns[counter] : group->enabled_ns,
	};
}

static void group_fill(const struct group *group, bool is_lost, struct sample *ret)
{
	ret->n_slots = (uint8_t)group->n_slots;
	for (unsigned slot = 0; slot < group->n_slots; slot++) {
		ret->state[slot] = group->state[slot];
		ret->raw[slot] = (struct raw){ 0 };
		if (group->state[slot] != RAW_OK)
			continue;
		if (is_lost)
			ret->state[slot] = RAW_LOST;
		else
			ret->raw[slot] = group_raw_of(group, group->counter[slot]);
	}
}

static void say_who_runs(const struct group *group, uint64_t t_ns, struct sample *ret)
{
	struct sim_phase slice;

	sim_load_phase(&group->load, t_ns, &slice);
	ret->at = point_of(group, &slice);
	ret->attributable = 0;
	for (unsigned slot = 0; slot < group->n_slots && slot < CORE_SLOTS_MAX; slot++)
		if (is_attributable(group, slot))
			ret->attributable |= UINT64_C(1) << slot;
}

static int sim_group_read(struct group *group, struct sample *ret)
{
	uint64_t t_ns = sim_now(group->sim);

	take_time(group, &t_ns);
	if (is_dead(group, t_ns))
		return -ENODEV;
	group_count_until(group, t_ns);
	ret->t_ns = group->sim->origin_ns + t_ns;
	if (group->recorder)
		say_who_runs(group, t_ns, ret);
	group_fill(group, sim_faults_at(faults(group), FAULT_LOST, group->load.cpu, 0, t_ns), ret);
	return 0;
}

/* ---- workloads ---- */

static unsigned sim_group_run(struct group *group, const struct workload *workload)
{
	uint64_t t_ns = sim_now(group->sim);
	/* relaxed: only the number itself is shared */
	const struct sim_run run = {
		.seed = group->load.seed,
		.type = group->load.type,
		.is_hidden = group->sim->options.hidden,
		.workload = workload,
		.number = atomic_fetch_add_explicit(&group->sim->n_runs, 1, memory_order_relaxed),
	};

	if (is_dead(group, t_ns))
		return 0;
	group_count_until(group, t_ns);
	for (unsigned n = 0; n < SIM_COUNTERS; n++) {
		if (!group->is_counting || !(group->legal & 1U << n) ||
		    sim_faults_at(faults(group), FAULT_STEAL, group->load.cpu, n, t_ns))
			continue;
		add_events(group, n, sim_run_count(&run, group->id[n], group->privilege[n]));
	}
	return sim_run_interrupts(&run);
}

/* ---- the backend ---- */

static int sim_probe(const struct backend_config *config UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int backend_make(struct sim_backend *sim, const struct backend_config *config,
			struct err *err)
{
	struct backend *base = &sim->base;
	long n_host = sysconf(_SC_NPROCESSORS_ONLN);
	int result = sim_options_parse(config->options, &sim->options, err);

	if (result < 0)
		return result;
	result = sim_machine_make(&sim->options, config->events_dir, &base->machine, err);
	if (result == 0 && config->cpus)
		result = machine_keep(&base->machine, config->cpus, err);
	if (result < 0)
		return result;
	sim->schedule = (struct sim_schedule){ .seed = sim->options.seed,
					       .n_cores = sim->options.cores,
					       .n_tasks = sim->options.tasks,
					       .n_short = sim->options.short_tasks,
					       .n_cgroups = sim->options.cgroups };
	if (!sim->options.cgroups)
		err_set(&base->no_cgroups, 0,
			"the simulation has no cgroups: sim:tasks=20,cgroups=8");
	base->virtual_clock = sim->options.virtual_clock;
	base->halt_after = sim->options.halt_after;
	base->n_threads = base->machine.n_cores;
	if (n_host > 0 && (unsigned long)n_host < base->n_threads)
		base->n_threads = (unsigned)n_host;
	sim->origin_ns = base->virtual_clock ? 0 : clock_now_ns();
	return 0;
}

static void sim_close(struct backend *backend)
{
	for (unsigned i = 0; i < backend->machine.n_cores; i++)
		free(atomic_load(&((struct sim_backend *)backend)->recorder[i]));
	machine_fini(&backend->machine);
	free(backend);
}

static int sim_open(const struct backend_config *config, struct backend **ret, struct err *err)
{
	struct sim_backend *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return err_set(err, ENOMEM, "no memory for the simulation");
	sim->base.ops = &backend_sim;

	int result = backend_make(sim, config, err);

	if (result < 0)
		sim_close(&sim->base);
	else
		*ret = &sim->base;
	return result;
}

static void sim_advance(struct backend *backend, uint64_t t_ns)
{
	/* release: a thread that sees the new time sees the faults injected before it */
	if (backend->virtual_clock)
		atomic_store_explicit(&((struct sim_backend *)backend)->now_ns, t_ns,
				      memory_order_release);
}

static bool is_online(struct backend *backend, unsigned core)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;

	return !sim_faults_at(&sim->options.faults, FAULT_OFFLINE, backend->machine.core[core].cpu,
			      0, sim_now(sim));
}

static int task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	const char *comm = sim_load_comm(&((struct sim_backend *)backend)->schedule, tid);

	if (!comm)
		return -ESRCH;
	snprintf(ret_comm, TASK_COMM_SIZE, "%s", comm);
	return 0;
}

static void sim_cgroups(struct backend *backend, const struct switch_sink *sink)
{
	sim_schedule_cgroups(&((struct sim_backend *)backend)->schedule, sink);
}

const struct backend_ops backend_sim = {
	.name = "sim",
	.what = "a simulated Apple M1, for tests and for a first look (--demo)",
	.only_by_name = true,
	.probe = sim_probe,
	.open = sim_open,
	.close = sim_close,
	.group_open = sim_group_open,
	.group_close = sim_group_close,
	.group_enable = sim_group_enable,
	.group_disable = sim_group_disable,
	.group_read = sim_group_read,
	.core_online = is_online,
	.advance = sim_advance,
	.run_workload = sim_group_run,
	.tasks_open = sim_tasks_open,
	.tasks_read = sim_tasks_read,
	.tasks_close = sim_tasks_close,
	.switches_drain = sim_switches_drain,
	.sample_every = sim_sample_every,
	.task_comm = task_comm,
	.cgroups = sim_cgroups,
};

/* ---- the truth that discover has to find ---- */

bool sim_is_hidden(const struct backend *backend)
{
	return backend->ops == &backend_sim &&
	       ((const struct sim_backend *)backend)->options.hidden;
}

struct sim_answer sim_truth_of_id(const struct backend *backend, unsigned type, uint64_t id,
				  const char *kernel)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	struct sim_load load = sim_load_of(sim, machine_first_core(&backend->machine, type));
	struct sim_answer answer = sim_hidden_id(load.seed, id);

	answer.k = sim_hidden_k(load.seed, load.type, id, kernel);
	return answer;
}

double sim_truth_of_workload(const struct backend *backend, unsigned type, uint64_t id,
			     const struct workload *workload)
{
	const struct sim_backend *sim = (const struct sim_backend *)backend;
	struct sim_load load = sim_load_of(sim, machine_first_core(&backend->machine, type));
	const struct sim_run run = {
		.seed = load.seed,
		.type = load.type,
		.is_hidden = sim->options.hidden,
		.workload = workload,
	};

	return sim_run_mean(&run, id);
}
