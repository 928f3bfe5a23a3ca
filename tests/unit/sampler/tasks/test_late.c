/*
 * Samples that come late, while the switches behind them are so many that they cannot wait: on a core of
 * its own making, whose counters all stand at ten a switch.
 */
#include <string.h>

#include "rig/sampler_rig.h"
#include "rig/tasks_check.h"
#include "sampler/tasks/attribution.h"

/* So many switches are more than half of what a core may keep waiting. */
enum { STREAM = 77, TID = 1000, MANY = 8000, NS_A_SWITCH = 1000 };

struct late {
	struct rig rig;
	struct backend_ops ops;
	struct core_window *window;
	const struct frame_set *of;
};

/* The switches of core 0 that the kernel has recorded and nobody has fetched. */
static uint64_t next, last;

static struct switch_point point(uint64_t n, uint32_t tid)
{
	return (struct switch_point){ .stream = STREAM,
				      .n = n,
				      .enabled_ns = n * NS_A_SWITCH,
				      .running_ns = n * NS_A_SWITCH,
				      .pid = tid,
				      .tid = tid };
}

static void drain(struct backend *backend, unsigned core, const struct switch_sink *sink)
{
	uint64_t value[CORE_SLOTS_MAX];

	(void)backend;
	for (; core == 0 && next <= last; next++) {
		for (unsigned i = 0; i < CORE_SLOTS_MAX; i++)
			value[i] = 10 * next;

		const struct task_switch one = { .at = point(next, TID + (uint32_t)next % 2),
						 .t_ns = next * NS_A_SWITCH,
						 .n_slots = CORE_SLOTS_MAX,
						 .value = value };

		if (!sink->take_switch(sink->data, &one))
			return;
	}
}

/* From now on there are n. */
static void record(struct late *late, uint64_t n)
{
	last = n;
	attribution_drain(late->rig.sampler->collector.tasks, last * NS_A_SWITCH);
}

/* A read of core 0 by a task of its own, right after switch n. */
static struct sample sample_at(const struct late *late, enum sample_kind kind, uint64_t tick,
			       uint64_t n)
{
	const struct set *set = &late->of->set;
	struct sample sample = { .t_ns = n * NS_A_SWITCH,
				 .tick = tick,
				 .set = set->number,
				 .kind = (uint8_t)kind,
				 .epoch = 1,
				 .n_slots = (uint8_t)set->n_slots,
				 .at = point(n, TID + 2),
				 .attributable = UINT64_MAX };

	for (unsigned i = 0; i < set->n_slots; i++) {
		sample.state[i] = set->type[0].event[i] ? RAW_OK : RAW_EMPTY;
		sample.raw[i] = (struct raw){ 10 * n, n * NS_A_SWITCH, n * NS_A_SWITCH, 0 };
	}
	return sample;
}

static void take(struct late *late, const struct sample *sample)
{
	core_window_sample(late->window, sample, &late->rig.backend->machine, 0, &late->of->set, 1);
}

static void take_at(struct late *late, enum sample_kind kind, uint64_t tick, uint64_t n)
{
	struct sample sample = sample_at(late, kind, tick, n);

	take(late, &sample);
}

/* @n  switches of the window  @ret_unattributed  of them */
static void close_window(struct late *late, uint64_t n, uint64_t *ret_unattributed)
{
	struct sampler *sampler = late->rig.sampler;
	struct frame *frame = frame_new(sampler->machine->n_cores, (struct frame_set *)late->of);

	for (unsigned i = 0; i < sampler->machine->n_cores; i++)
		core_window_close(&late->window[i], &late->of->set, sampler->machine->core[i].type,
				  0, &frame->core[i], &frame->count[i * frame->n_slots]);
	assert_int_equal(frame->core[0].state, CORE_ON);
	assert_int_equal(frame_counts(frame, 0)[0].value, 10 * n);
	attribution_close(sampler->collector.tasks, frame);
	check_conservation(frame);
	assert_int_equal(sampler->collector.n_task_faults, 0);
	*ret_unattributed = tasks_of_kind(frame, TASK_UNATTRIBUTED, 0) / 10;
	assert_int_equal(frame->tasks->n_switches, n);

	uint64_t time_ns = 0;

	for (size_t i = 0; i < frame->tasks->n; i++)
		if (frame->tasks->task[i].core == 0)
			time_ns += core_task_time_ns(frame->tasks, i);
	assert_int_equal(time_ns, n * NS_A_SWITCH);
	frame_unref(frame);
}

/* The sampler only lends what it has: it does not go on. */
static void up(struct late *late)
{
	rig_make(&late->rig, "clock=virtual,cores=2", NS_PER_S);
	late->rig.first.by_task = true;
	rig_start(&late->rig);
	late->ops = *late->rig.backend->ops;
	late->ops.switches_drain = drain;
	late->rig.backend->ops = &late->ops;
	late->window = late->rig.sampler->collector.window;
	late->of = late->rig.sampler->collector.plan->active->of;
	next = 1;
	last = 0;
	take_at(late, SAMPLE_BASELINE, 0, 0);
}

static void in_time(void **state)
{
	struct late late;
	uint64_t unattributed;

	(void)state;
	up(&late);
	for (uint64_t tick = 1; tick < 4; tick++) {
		record(&late, 100 * tick);
		take_at(&late, SAMPLE_TICK, tick, 100 * tick);
		close_window(&late, 100, &unattributed);
		assert_int_equal(unattributed, 0);
	}
	rig_down(&late.rig);
}

/* Not before switches behind it were attributed: of its window no more is known, nor of what comes first in
 * the next. */
static void later_than_its_switches(void **state)
{
	struct late late;
	uint64_t unattributed;

	(void)state;
	up(&late);
	record(&late, MANY);
	take_at(&late, SAMPLE_TICK, 1, 5);
	close_window(&late, 5, &unattributed);
	assert_int_equal(unattributed, 5);
	take_at(&late, SAMPLE_TICK, 2, MANY);
	close_window(&late, MANY - 5, &unattributed);
	assert_in_range(unattributed, 1, MANY - 6);
	record(&late, MANY + 100);
	take_at(&late, SAMPLE_TICK, 3, MANY + 100);
	close_window(&late, 100, &unattributed);
	assert_int_equal(unattributed, 0);
	rig_down(&late.rig);
}

/* Its sample has come, but more switches behind it than can wait have been fetched before the frame is
 * closed: while samples of other cores were waited for. */
static void more_before_the_frame_is_closed(void **state)
{
	struct late late;
	uint64_t unattributed;

	(void)state;
	up(&late);
	record(&late, 100);
	take_at(&late, SAMPLE_TICK, 1, 100);
	record(&late, 100 + MANY);
	close_window(&late, 100, &unattributed);
	take_at(&late, SAMPLE_TICK, 2, 100 + MANY);
	close_window(&late, MANY, &unattributed);
	assert_in_range(unattributed, 1, MANY - 1);
	rig_down(&late.rig);
}

/* A mux group's first read found no room, and so does its part not count. */
static void part_that_does_not_count(void **state)
{
	struct late late;
	uint64_t unattributed;

	(void)state;
	up(&late);
	record(&late, 100);
	take_at(&late, SAMPLE_TICK, 1, 100);
	record(&late, 100 + MANY);

	struct sample sample = sample_at(&late, SAMPLE_TICK, 2, 100 + MANY);

	sample.epoch++;
	take(&late, &sample);
	close_window(&late, 100, &unattributed);
	rig_down(&late.rig);
}

/* The thread that reads was preempted within the read. */
static void times_older_than_the_last_switch(void **state)
{
	struct late late;
	uint64_t unattributed;

	(void)state;
	up(&late);
	record(&late, 100);

	struct sample sample = sample_at(&late, SAMPLE_TICK, 1, 100);

	sample.at.enabled_ns -= 10;
	sample.at.running_ns -= 10;
	take(&late, &sample);
	close_window(&late, 100, &unattributed);
	assert_int_equal(unattributed, 0);
	rig_down(&late.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_time),
		cmocka_unit_test(later_than_its_switches),
		cmocka_unit_test(more_before_the_frame_is_closed),
		cmocka_unit_test(part_that_does_not_count),
		cmocka_unit_test(times_older_than_the_last_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
