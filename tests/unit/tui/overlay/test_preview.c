/* The picker's trial of an event: counted beside the set in force, and taken back in every case. */
#include "rig/harness.h"

#include <string.h>

#include "rig/sampler_rig.h"
#include "tui/counters/by_task.h"
#include "tui/counters/assign.h"
#include "tui/counters/rotation.h"
#include "tui/overlay/chooser.h"
#include "tui/overlay/picker.h"
#include "tui/view/views.h"
#include "tui/term/key.h"
#include "tui/screen/state.h"

enum { REST_MS = 1000 }; /* longer than the cursor has to rest */

struct screen {
	struct rig rig;
	struct tui_config config;
	struct tui tui;
	struct chooser chooser;
	struct picker picker;
	struct preview preview;
	struct rotation rotation;
	struct by_task by_task;
	uint64_t now_ns; /* what the loop believes the time to be */
};

static void open_screen(struct screen *screen, const char *options)
{
	const struct machine *machine;
	struct set with;

	*screen = (struct screen){ .now_ns = NS_PER_S };
	rig_up(&screen->rig, options, 40 * NS_PER_MS);
	with = *sampler_set(screen->rig.sampler);
	set_add_activity(screen->rig.events, &with); /* as the live screen does */
	assert_int_equal(sampler_load(screen->rig.sampler, &with, NULL), 0);
	machine = &screen->rig.backend->machine;
	screen->config = (struct tui_config){ .sampler = screen->rig.sampler,
					      .events = screen->rig.events,
					      .metrics = &screen->rig.metrics };
	screen->tui.config = &screen->config;
	screen->tui.views = view_table;
	screen->tui.chooser = &screen->chooser;
	screen->tui.picker = &screen->picker;
	screen->tui.preview = &screen->preview;
	screen->tui.rotation = &screen->rotation;
	screen->tui.by_task = &screen->by_task;
	assert_int_equal(model_init(&screen->tui.model, machine, &screen->rig.metrics,
				    sampler_set(screen->rig.sampler), BY_CORE, 1 << 20),
			 0);
	screen->tui.model.slot = 5;
	preview_turn(&screen->tui, screen->now_ns);
}

static void close_screen(struct screen *screen)
{
	chooser_close(&screen->tui);
	model_fini(&screen->tui.model);
	rig_down(&screen->rig);
}

static void press(struct screen *screen, int key)
{
	screen->tui.overlay->key(&screen->tui, key);
	preview_turn(&screen->tui, screen->now_ns);
}

/* Open the picker and search; the cursor is then on the event found first. */
static void search(struct screen *screen, const char *text)
{
	act_pick(&screen->tui, 'e');
	for (; *text; text++)
		press(screen, *text);
}

static void rest(struct screen *screen)
{
	screen->now_ns += REST_MS * NS_PER_MS;
	preview_turn(&screen->tui, screen->now_ns);
}

static void take_frame(struct screen *screen)
{
	const struct frame *frame = wait_for_frame(&screen->rig);

	preview_frame(&screen->tui, frame);
	model_feed(&screen->tui.model, frame);
}

static struct reading shown(const struct screen *screen)
{
	return screen->tui.picker->list.choice[chooser_item(&screen->tui)].preview;
}

static bool is_as_before(const struct screen *screen, const struct set *before)
{
	return set_counts_same(sampler_set(screen->rig.sampler), before) &&
	       screen->tui.model.set->number == sampler_set(screen->rig.sampler)->number &&
	       !screen->tui.preview->set;
}

static void wait_for_figure(struct screen *screen)
{
	for (int i = 0; i < 2000 && !quality_has_value(shown(screen).quality); i++)
		take_frame(screen);
}

static void a_rate_after_a_moment(void **state)
{
	struct screen screen;
	struct set before;

	(void)state;
	open_screen(&screen, "seed=7");
	before = *sampler_set(screen.rig.sampler);
	search(&screen, "inst_branch_taken");
	assert_true(screen.tui.preview->due_ns > screen.now_ns);
	assert_true(is_as_before(&screen, &before));
	rest(&screen);
	assert_int_equal(shown(&screen).quality, QUALITY_PENDING);
	assert_int_equal(set_n_mux(sampler_set(screen.rig.sampler)), 2);
	assert_non_null(strstr(screen.tui.status, "previewing INST_BRANCH_TAKEN on PMC5"));
	wait_for_figure(&screen);
	assert_int_equal(shown(&screen).quality, QUALITY_SCALED);
	assert_true(is_as_before(&screen, &before));
	assert_string_equal(screen.tui.status, "");
	assert_int_equal(screen.tui.model.n_undo, 0);
	assert_int_equal(screen.tui.preview->due_ns, 0);
	close_screen(&screen);
}

/* Taken branches of the first row, beside all branches of the same frame: a rate, not a count. */
static void the_rate_is_true(void **state)
{
	struct screen screen;
	struct frame_row row;
	double taken, all;

	(void)state;
	open_screen(&screen, "seed=7");
	search(&screen, "inst_branch_taken");
	rest(&screen);
	wait_for_figure(&screen);
	taken = shown(&screen).value;
	assert_true(model_row(&screen.tui.model, &screen.tui.model.line[0], &row));
	all = model_figure(&screen.tui.model, &row, 5, SHOW_RATE).value;
	print_message("taken %g of %g\n", taken, all);
	assert_true(taken > 0.3 * all && taken < 1.2 * all);
	close_screen(&screen);
}

static void leaving_takes_it_back(void **state)
{
	static const int leave[] = { KEY_DOWN, KEYS_ESCAPE, 'x' };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(leave); i++) {
		struct screen screen;
		struct set before;

		print_message("key %d\n", leave[i]);
		open_screen(&screen, "seed=7");
		before = *sampler_set(screen.rig.sampler);
		search(&screen, "inst_branch");
		press(&screen, KEY_DOWN);
		rest(&screen);
		assert_non_null(screen.tui.preview->set);
		press(&screen, leave[i]);
		assert_true(is_as_before(&screen, &before));
		close_screen(&screen);
	}
}

static void placing_it_keeps_it(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen, "seed=7");
	search(&screen, "inst_branch_taken");
	rest(&screen);
	press(&screen, '\r');
	assert_null(screen.tui.overlay);
	assert_null(screen.tui.preview->set);
	assert_int_equal(set_n_mux(sampler_set(screen.rig.sampler)), 1);
	assert_string_equal(set_event(sampler_set(screen.rig.sampler), 5)->name,
			    "INST_BRANCH_TAKEN");
	assert_string_equal(screen.tui.recents.name[0], "INST_BRANCH_TAKEN");
	close_screen(&screen);
}

static void nothing_is_tried_twice_or_in_vain(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen, "seed=7");
	search(&screen, "inst_branch");
	rest(&screen); /* counted as it is */
	assert_null(screen.tui.preview->set);
	press(&screen, KEY_DOWN);
	rest(&screen);
	wait_for_figure(&screen);
	press(&screen, KEY_UP);
	press(&screen, KEY_DOWN);
	rest(&screen);
	assert_null(screen.tui.preview->set);
	assert_true(quality_has_value(shown(&screen).quality));
	close_screen(&screen);
}

/* Not a software event where the machine has none of them. */
static void what_cannot_be_counted_is_not_tried(void **state)
{
	struct screen screen;
	uint32_t number;

	(void)state;
	open_screen(&screen, "seed=7");
	number = sampler_set(screen.rig.sampler)->number;
	search(&screen, "cpu-clock");
	rest(&screen);
	assert_int_equal(sampler_set(screen.rig.sampler)->number, number);
	close_screen(&screen);
}

static void never_while_it_would_harm(void **state)
{
	enum { OFF, LOG, FROZEN, ROTATION, N };

	(void)state;
	for (int i = 0; i < N; i++) {
		struct screen screen;

		print_message("case %d\n", i);
		open_screen(&screen, "seed=7");
		screen.tui.preview->is_off = i == OFF;
		if (i == LOG)
			snprintf(screen.tui.log, sizeof(screen.tui.log), "run.csv");
		screen.tui.model.frozen = i == FROZEN;
		screen.tui.rotation->is_on = i == ROTATION;
		search(&screen, "inst_branch_taken");
		rest(&screen);
		assert_non_null(preview_why_not(&screen.tui));
		assert_null(screen.tui.preview->set);
		assert_int_equal(shown(&screen).quality, QUALITY_NONE);
		close_screen(&screen);
	}
}

static void not_in_virtual_time(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen, "seed=7,clock=virtual");
	search(&screen, "inst_branch_taken");
	rest(&screen);
	assert_null(screen.tui.preview->set);
	close_screen(&screen);
}

static void tab_chooses_the_counter(void **state)
{
	struct screen screen;

	(void)state;
	open_screen(&screen, "seed=7");
	search(&screen, "inst_branch_taken");
	press(&screen, '\t');
	assert_int_equal(screen.tui.picker->slot, 6);
	assert_int_equal(screen.tui.model.slot, 5);
	press(&screen, '\r');
	assert_int_equal(screen.tui.model.slot, 6);
	assert_string_equal(set_event(sampler_set(screen.rig.sampler), 6)->name,
			    "INST_BRANCH_TAKEN");
	close_screen(&screen);
}

static void recent_choices_stand_first(void **state)
{
	static const char *const kept[] = { "ST_UNIT_UOP", "INST_BRANCH_RET" };
	struct screen screen;
	const struct event_list *list = &screen.picker.list;
	const struct found *found = &screen.chooser.found;
	unsigned n = 0;

	(void)state;
	open_screen(&screen, "seed=7");
	recents_set(&screen.tui.recents, kept, 2);
	search(&screen, "");
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(list->choice[found->at[i].item].event->name, kept[i]);
	for (unsigned i = 0; i < list->n; i++)
		n += list->choice[i].pmu != NULL;
	assert_true(n > 0 && n < list->n); /* it has no devices, nor a kernel's events */
	assert_int_equal(found->n, n);
	close_screen(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_after_a_moment),
		cmocka_unit_test(the_rate_is_true),
		cmocka_unit_test(leaving_takes_it_back),
		cmocka_unit_test(placing_it_keeps_it),
		cmocka_unit_test(nothing_is_tried_twice_or_in_vain),
		cmocka_unit_test(what_cannot_be_counted_is_not_tried),
		cmocka_unit_test(never_while_it_would_harm),
		cmocka_unit_test(not_in_virtual_time),
		cmocka_unit_test(tab_chooses_the_counter),
		cmocka_unit_test(recent_choices_stand_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
