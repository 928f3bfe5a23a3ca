/* When counts are attributed to tasks: while somebody looks and within the budget, or when it is insisted. */
#include "rig/harness.h"

#include <string.h>
#include <time.h>

#include "rig/tasks_rig.h"
#include "tui/counters/by_task.h"
#include "tui/counters/rotation.h"
#include "tui/screen/state.h"

enum { BUDGET_PCT = 5 };

struct screen {
	struct rig rig;
	struct messages messages;
	struct tui_config config;
	struct tui tui;
	struct rotation rotation;
	struct by_task by_task;
	uint64_t now_ns; /* what the loop believes the time to be */
};

static void open_screen(struct screen *screen)
{
	*screen = (struct screen){ .now_ns = NS_PER_S };
	rig_up(&screen->rig, "clock=virtual,seed=3", NS_PER_S);
	screen->config = (struct tui_config){ .sampler = screen->rig.sampler,
					      .events = screen->rig.events,
					      .metrics = &screen->rig.metrics,
					      .messages = &screen->messages };
	assert_int_equal(watch_new(screen->rig.sampler, BUDGET_PCT, &screen->messages,
				   &screen->config.watch),
			 0);
	screen->tui.config = &screen->config;
	screen->tui.rotation = &screen->rotation;
	screen->tui.by_task = &screen->by_task;
	assert_int_equal(model_init(&screen->tui.model, &screen->rig.backend->machine,
				    &screen->rig.metrics, sampler_set(screen->rig.sampler), BY_CORE,
				    1 << 20),
			 0);
}

static void close_screen(struct screen *screen)
{
	model_fini(&screen->tui.model);
	watch_free(screen->config.watch);
	rig_down(&screen->rig);
}

/* The machine is one whose switches can be counted beforehand. */
static void be_real(struct screen *screen)
{
	screen->rig.backend->machine.simulated = false;
}

static bool turn(struct screen *screen, bool is_shown)
{
	return by_task_update(&screen->tui, is_shown, false, screen->now_ns);
}

static bool is_on(const struct screen *screen)
{
	assert_int_equal(sampler_set(screen->rig.sampler)->by_task, screen->by_task.is_on);
	return screen->by_task.is_on;
}

/* A second later: a frame, in which attributing has cost so much of a core. */
static void look(struct screen *screen, double cost_pct)
{
	const struct frame *frame;

	assert_int_equal(sampler_step(screen->rig.sampler), 0);
	frame = queue_pop(screen->rig.queue, NULL);
	assert_non_null(frame);
	if (frame->tasks) {
		struct frame_tasks *tasks = (struct frame_tasks *)frame->tasks;

		tasks->cost_share = (float)(cost_pct / 100);
	}
	by_task_frame(&screen->tui, frame);
	model_feed(&screen->tui.model, frame);
}

static void only_while_somebody_looks(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	assert_false(turn(&screen, false));
	assert_true(turn(&screen, true));
	assert_true(is_on(&screen));
	assert_false(turn(&screen, true));
	for (unsigned i = 0; i < 9; i++) {
		look(&screen, 0.1);
		assert_false(turn(&screen, false));
	}
	assert_false(turn(&screen, true)); /* who comes back finds it on */
	for (unsigned i = 0; i < 10; i++) {
		assert_false(turn(&screen, false));
		assert_true(is_on(&screen));
		look(&screen, 0.1);
	}
	assert_true(turn(&screen, false));
	assert_false(is_on(&screen));
	close_screen(&screen);
}

static void insisting_keeps_it_on(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	act_force_attribution(&screen.tui, 'T');
	assert_true(turn(&screen, false));
	for (unsigned i = 0; i < 20; i++) {
		look(&screen, 4 * BUDGET_PCT);
		assert_false(turn(&screen, false));
		assert_true(is_on(&screen));
	}
	act_force_attribution(&screen.tui, 'T');
	assert_false(turn(&screen, false));
	for (unsigned i = 0; i < 10; i++)
		look(&screen, 0.1);
	assert_true(turn(&screen, false));
	assert_false(is_on(&screen));
	close_screen(&screen);
}

/* Switches are counted before it is begun; once it is known what it costs nothing is due any more. */
static void it_looks_before_it_begins(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	be_real(&screen);
	screen.by_task.switch_ns = 1e-9;
	assert_false(turn(&screen, true));
	assert_true(by_task_due_ns(&screen.tui) > screen.now_ns);
	assert_false(is_on(&screen));
	screen.now_ns = by_task_due_ns(&screen.tui);
	assert_true(turn(&screen, true));
	assert_true(is_on(&screen));
	assert_int_equal(by_task_due_ns(&screen.tui), 0);
	close_screen(&screen);
}

/* Nothing is left due that would wake the loop for ever. */
static void nothing_stays_due(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	be_real(&screen);
	turn(&screen, true);
	screen.tui.model.frozen = true;
	assert_false(turn(&screen, true));
	assert_int_equal(by_task_due_ns(&screen.tui), 0);
	screen.tui.model.frozen = false;
	turn(&screen, true);
	assert_true(by_task_due_ns(&screen.tui) > 0);
	act_force_attribution(&screen.tui, 'T');
	assert_true(turn(&screen, true));
	assert_true(is_on(&screen));
	assert_int_equal(by_task_due_ns(&screen.tui), 0);
	close_screen(&screen);
}

static void refused_until_insisted(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	be_real(&screen);
	screen.by_task.switch_ns = 1e10; /* one a second is too many */
	turn(&screen, true);
	nanosleep(&(struct timespec){ .tv_nsec = NS_PER_MS }, NULL); /* a switch at least */
	screen.now_ns = by_task_due_ns(&screen.tui);
	turn(&screen, true);
	assert_non_null(
		strstr(screen.by_task.refused, "more than the budget of 5 %: T attributes"));
	assert_false(is_on(&screen));
	assert_int_equal(by_task_due_ns(&screen.tui), 0);
	act_force_attribution(&screen.tui, 'T');
	assert_true(turn(&screen, true));
	assert_true(is_on(&screen));
	close_screen(&screen);
}

static void a_moment_may_cost_more(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	assert_true(turn(&screen, true));
	for (unsigned i = 0; i < 20; i++) {
		look(&screen, i % 3 ? 2 * BUDGET_PCT : 0.1);
		assert_true(is_on(&screen));
	}
	for (unsigned i = 0; i < 2000 && is_on(&screen); i++)
		look(&screen, 2 * BUDGET_PCT);
	assert_false(is_on(&screen));
	assert_non_null(strstr(screen.by_task.refused, "cost 10.0 % of a core"));
	assert_false(turn(&screen, true)); /* not again while it is looked at */
	assert_false(is_on(&screen));
	turn(&screen, false);
	assert_string_equal(screen.by_task.refused, "");
	close_screen(&screen);
}

static void a_backend_that_cannot_says_why(void **state)
{
	struct screen screen;
	struct backend_ops ops;

	(void)state;
	open_screen(&screen);
	ops = *screen.rig.backend->ops;
	ops.switches_drain = NULL;
	screen.rig.backend->ops = &ops;
	assert_true(turn(&screen, true));
	assert_false(is_on(&screen));
	assert_string_equal(screen.by_task.refused,
			    "the backend sim cannot tell tasks apart: it does not learn of context "
			    "switches; perf does (--backend perf)");
	assert_false(turn(&screen, true));
	close_screen(&screen);
}

/* Return the column that is sampled. */
static unsigned sampled(const struct screen *screen)
{
	const struct set *set = sampler_set(screen->rig.sampler);

	return set->samples ? set->sampled : COLUMN_NONE;
}

static void turn_hot(struct screen *screen, bool is_shown)
{
	by_task_update(&screen->tui, true, is_shown, screen->now_ns);
}

static void the_selected_counter_is_sampled(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	turn_hot(&screen, false);
	assert_int_equal(sampled(&screen), COLUMN_NONE);
	for (unsigned slot = 0; slot < 2; slot++) {
		model_select(&screen.tui.model, ORDER_SLOT, slot);
		turn_hot(&screen, true);
		assert_int_equal(sampled(&screen), slot);
	}
	for (unsigned i = 0; i < 10; i++) { /* whoever comes back finds it on */
		turn_hot(&screen, false);
		assert_int_equal(sampled(&screen), 1);
		look(&screen, 0.1);
	}
	turn_hot(&screen, false);
	assert_int_equal(sampled(&screen), COLUMN_NONE);
	assert_true(is_on(&screen));
	close_screen(&screen);
}

static void other_selected_counters_end_sampling(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen);
	model_select(&screen.tui.model, ORDER_SLOT, 1);
	turn_hot(&screen, true);
	turn_hot(&screen, false);
	assert_int_equal(sampled(&screen), 1);
	model_select(&screen.tui.model, ORDER_SLOT, 2);
	turn_hot(&screen, false);
	assert_int_equal(sampled(&screen), COLUMN_NONE);
	close_screen(&screen);
}

static void what_cannot_be_sampled_says_why(void **state)
{
	struct screen screen;
	struct backend_ops ops;

	(void)state;
	open_screen(&screen);
	ops = *screen.rig.backend->ops;
	ops.sample_every = NULL;
	screen.rig.backend->ops = &ops;
	turn_hot(&screen, false);
	turn_hot(&screen, true);
	assert_int_equal(sampled(&screen), COLUMN_NONE);
	assert_non_null(strstr(screen.by_task.refused, "cannot sample"));
	assert_true(is_on(&screen));
	turn_hot(&screen, false);
	assert_string_equal(screen.by_task.refused, "");
	assert_true(is_on(&screen));
	close_screen(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_while_somebody_looks),
		cmocka_unit_test(insisting_keeps_it_on),
		cmocka_unit_test(it_looks_before_it_begins),
		cmocka_unit_test(nothing_stays_due),
		cmocka_unit_test(refused_until_insisted),
		cmocka_unit_test(a_moment_may_cost_more),
		cmocka_unit_test(a_backend_that_cannot_says_why),
		cmocka_unit_test(the_selected_counter_is_sampled),
		cmocka_unit_test(other_selected_counters_end_sampling),
		cmocka_unit_test(what_cannot_be_sampled_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
