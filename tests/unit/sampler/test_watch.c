/* What the user is told of what happens to cores and counters, and what the budget does. */
#include <string.h>

#include "sampler/notices.h"
#include "rig/sim_control.h"
#include "rig/sampler_rig.h"

/* A core that goes and comes back while real threads count. */
static void core_returns(void **state)
{
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;
	enum core_state seen = CORE_ON;

	(void)state;
	rig_up(&rig, "seed=5,cores=4", 5 * NS_PER_MS);
	assert_int_equal(watch_new(rig.sampler, 100, &messages, &watch), 0);
	sim_core_offline(rig.backend, 2, true);
	for (unsigned i = 0; i < 2000 && seen != CORE_OFF; i++) {
		const struct frame *frame = wait_for_frame(&rig);

		seen = frame->core[2].state;
		watch_frame(watch, frame);
		frame_unref(frame);
	}
	assert_int_equal(seen, CORE_OFF);
	sim_core_offline(rig.backend, 2, false);
	for (unsigned i = 0; i < 2000 && seen != CORE_ON; i++) {
		const struct frame *frame = wait_for_frame(&rig);

		seen = frame->core[2].state;
		watch_frame(watch, frame);
		frame_unref(frame);
	}
	assert_int_equal(seen, CORE_ON);

	bool gone = false, back = false;

	for (uint64_t i = 0; i < messages.n; i++) {
		gone |= strstr(messages_at(&messages, i)->text, "cpu 2 went offline") != NULL;
		back |= strstr(messages_at(&messages, i)->text, "cpu 2 is online again") != NULL;
	}
	assert_true(gone && back);
	watch_free(watch);
	rig_down(&rig);
}

static bool names_tasks(const struct frame *frame)
{
	bool names = false;

	for (size_t i = 0; i < frame->tasks->n; i++)
		names |= frame->tasks->task[i].kind == TASK_THREAD;
	return names;
}

/* Switches that cost more than the budget end counting by task for a while, and change no interval. */
static void storm_pauses_tasks(void **state)
{
	enum { FRAMES = 400, PAUSE_FRAMES = 300 };
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;
	unsigned n_paused = 0, n_named = 0, n_back = 0;

	(void)state;
	rig_make(&rig, "clock=virtual,seed=6,cores=2,tasks=8,short=2000", 100 * NS_PER_MS);
	rig.first.by_task = true;
	rig_start(&rig);
	assert_int_equal(watch_new(rig.sampler, .01, &messages, &watch), 0);
	watch_pauses_tasks(watch);
	for (unsigned i = 0; i < FRAMES; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(rig.sampler), 0);
		frame = wait_for_frame(&rig);
		watch_frame(watch, frame);
		if (!names_tasks(frame))
			n_paused++;
		else if (n_paused)
			n_back++;
		else
			n_named++;
		frame_unref(frame);
	}
	assert_in_range(n_paused, PAUSE_FRAMES - 2, PAUSE_FRAMES + 40);
	assert_in_range(n_named, 30, 35);
	assert_true(n_back > 0);
	assert_int_equal(sampler_interval(rig.sampler), 100 * NS_PER_MS);
	assert_int_equal(messages.n, 1);
	assert_int_equal(messages_at(&messages, 0)->times, 2);
	assert_non_null(strstr(messages_at(&messages, 0)->text,
			       "the budget is 0.01 %: it pauses for 30 s, "
			       "whose counts are [unattributed]"));
	watch_free(watch);
	rig_down(&rig);
}

static int refuse_to_open(struct backend *backend, unsigned core, const struct set *set,
			  struct group **ret, struct err *err)
{
	(void)backend;
	(void)set;
	(void)ret;
	return err_set(err, EMFILE, "no descriptor for core %u", core);
}

/* What keeps a core from being counted when it is back is said, once, however often it is tried. */
static void failed_return_is_told(void **state)
{
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;
	unsigned told = 0;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=5,cores=4,offline=2@0.1-0.3", 50 * NS_PER_MS);
	assert_int_equal(watch_new(rig.sampler, 100, &messages, &watch), 0);

	struct backend_ops refusing = *rig.backend->ops;

	refusing.group_open = refuse_to_open;
	rig.backend->ops = &refusing;
	for (unsigned i = 0; i < 20; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(rig.sampler), 0);
		sampler_service(rig.sampler);
		frame = queue_pop(rig.queue, NULL);
		watch_frame(watch, frame);
		frame_unref(frame);
	}
	for (uint64_t i = 0; i < messages.n; i++) {
		const struct message *message = messages_at(&messages, i);

		if (strcmp(message->text, "cpu 2 is online again, but cannot be counted: "
					  "no descriptor for core 2") == 0)
			told += message->times;
	}
	assert_int_equal(told, 1);
	watch_free(watch);
	rig_down(&rig);
}

static void budget_lengthens_interval_for_a_while(void **state)
{
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=1,cores=2", 10 * NS_PER_MS);
	assert_int_equal(watch_new(rig.sampler, 5, &messages, &watch), 0);
	assert_int_equal(sampler_step(rig.sampler), 0);

	struct frame *frame = (struct frame *)queue_pop(rig.queue, NULL);

	frame->t_ns = 10 * NS_PER_S;
	frame->own_core_share = 0.2f; /* answers to clients are no reason */
	frame->own_budget_share = 0.04f;
	watch_frame(watch, frame);
	frame->t_ns += 4 * NS_PER_S;
	watch_frame(watch, frame);
	assert_int_equal(sampler_interval(rig.sampler), 10 * NS_PER_MS);
	frame->own_budget_share = 0.2f;
	watch_frame(watch, frame);
	assert_int_equal(sampler_interval(rig.sampler), 20 * NS_PER_MS);
	assert_int_equal(watch_requested_interval(watch), 10 * NS_PER_MS);
	assert_string_equal(messages_at(&messages, messages.n - 1)->text,
			    "m1top used 20.0 % of a core, its budget is 5.0 %: interval now 20 ms");
	frame->t_ns += 4 * NS_PER_S;
	frame->interval_ns = 20 * NS_PER_MS;
	frame->own_budget_share = 0.02f;
	watch_frame(watch, frame);
	assert_int_equal(sampler_interval(rig.sampler), 10 * NS_PER_MS);
	assert_string_equal(
		messages_at(&messages, messages.n - 1)->text,
		"m1top used 2.0 % of a core, its budget is 5.0 %: interval now 10 ms again");
	watch_free(watch);

	/* a small budget is not rounded to nothing */
	assert_int_equal(watch_new(rig.sampler, 0.01, &messages, &watch), 0);
	frame->interval_ns = 10 * NS_PER_MS;
	frame->own_budget_share = 0.00042f;
	watch_frame(watch, frame);
	frame->t_ns += 4 * NS_PER_S;
	watch_frame(watch, frame);
	assert_string_equal(
		messages_at(&messages, messages.n - 1)->text,
		"m1top used 0.04 % of a core, its budget is 0.01 %: interval now 20 ms");
	frame_unref(frame);
	watch_free(watch);
	rig_down(&rig);
}

/* Every counter of a core stolen for two ticks is told, once. */
static void starving_is_told(void **state)
{
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;

	(void)state;
	rig_up(&rig, "clock=virtual,seed=1,cores=4", 10 * NS_PER_MS);
	assert_int_equal(watch_new(rig.sampler, 100, &messages, &watch), 0);
	for (unsigned slot = 0; slot < 10; slot++)
		sim_steal(rig.backend, 1, slot, true);
	for (unsigned i = 1; i <= 5; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(rig.sampler), 0);
		frame = queue_pop(rig.queue, NULL);
		watch_frame(watch, frame);
		frame_unref(frame);
		assert_int_equal(messages.n, i < 2 ? 0 : 1);
	}
	assert_non_null(strstr(messages_at(&messages, 0)->text, "cpu 1: the counters do not run"));
	watch_free(watch);
	rig_down(&rig);
}

/* How often the first message was told, three intervals on. */
static unsigned told_after_three(struct rig *rig, struct watch *watch, struct messages *messages)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct frame *frame;

		assert_int_equal(sampler_step(rig->sampler), 0);
		while ((frame = queue_pop(rig->queue, NULL))) {
			watch_frame(watch, frame);
			frame_unref(frame);
		}
	}
	assert_non_null(messages_at(messages, 0));
	return messages_at(messages, 0)->times;
}

/* The same events loaded again, as after a preview, are no news; others are. */
static void nothing_is_told_twice(void **state)
{
	struct rig rig;
	struct messages messages = { 0 };
	struct watch *watch;
	struct err err = { "" };

	(void)state;
	rig_up(&rig, "clock=virtual,seed=1,cores=4", 10 * NS_PER_MS);
	assert_int_equal(watch_new(rig.sampler, 100, &messages, &watch), 0);
	rig_change(&rig, 10, "active-cycles:u");

	assert_int_equal(told_after_three(&rig, watch, &messages), 1);
	assert_non_null(strstr(messages_at(&messages, 0)->text, ":u is ignored"));

	const struct set again = *sampler_set(rig.sampler);

	must(sampler_load(rig.sampler, &again, &err), &err);
	assert_int_equal(told_after_three(&rig, watch, &messages), 1);
	rig_change(&rig, 6, "INST_BRANCH_CALL");
	assert_int_equal(told_after_three(&rig, watch, &messages), 2);
	watch_free(watch);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_returns),
		cmocka_unit_test(storm_pauses_tasks),
		cmocka_unit_test(failed_return_is_told),
		cmocka_unit_test(budget_lengthens_interval_for_a_while),
		cmocka_unit_test(starving_is_told),
		cmocka_unit_test(nothing_is_told_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
