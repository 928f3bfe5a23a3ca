/* A recorded session on the screen: pace, seeking, markers; without a terminal. */
#include "rig/sampler_rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/player.h"
#include "session/sink.h"
#include "tui/counters/rotation.h"
#include "tui/term/key.h"
#include "tui/history/playing.h"
#include "tui/screen/state.h"
#include "tui/model/model.h"

enum { FRAMES = 999 };

#define INTERVAL_NS (100 * NS_PER_MS)

static char path[] = "/tmp/m1top-playing-XXXXXX.csv";

/* The values of every frame of the file: what a picture of that number must show. */
static uint64_t truth[FRAMES + 2];

static struct scene {
	struct player *player;
	struct sampler *sampler;
	struct messages messages;
	struct tui_config config;
	struct tui tui;
	struct playing playing;
	struct rotation rotation;
	uint64_t now_ns; /* the clock of the wall */
} scene;

static uint64_t value_of(const struct frame *frame)
{
	return frame_counts(frame, 5)[1].value;
}

static void take(struct rig *rig, struct format_context *context, struct text *text)
{
	const struct frame *frame;

	while ((frame = queue_pop(rig->queue, NULL))) {
		assert_true(frame->number < ARRAY_SIZE(truth));
		truth[frame->number] = value_of(frame);
		format_csv.frame(context, frame, text);
		frame_unref(frame);
	}
}

/* A hundred seconds; markers in frames 40, 41 and 900; another event from frame 500 on. */
static int record(void **state)
{
	struct rig rig;
	struct format_context context;
	struct text text = { 0 };
	struct sink *sink;
	struct err err = { "" };

	(void)state;
	rig_up(&rig, "clock=virtual,seed=3", INTERVAL_NS);
	format_context_init(&context, rig.sampler, &rig.metrics);
	format_csv.begin(&context, &text);
	for (unsigned i = 1; i <= FRAMES; i++) {
		if (i == 40 || i == 41 || i == 900)
			format_csv.mark(&context, i * INTERVAL_NS - 10 * NS_PER_MS,
					i == 900  ? "late"
					: i == 40 ? "one"
						  : "two",
					&text);
		assert_int_equal(sampler_step(rig.sampler), 0);
		if (i == 500)
			rig_change(&rig, 6, "INST_BRANCH_CALL");
		take(&rig, &context, &text);
	}
	rig_down(&rig);
	close(mkstemps(path, 4));
	must(sink_open(path, SINK_FORCE, &sink, &err), &err);
	must(sink_write(sink, text.bytes, text.n, &err), &err);
	must(sink_close(sink, &err), &err);
	text_fini(&text);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	return unlink(path);
}

static bool drain(struct tui *tui)
{
	const struct frame *frame;
	bool any = false;

	while ((frame = queue_pop(tui->queue, NULL))) {
		playing_frame(tui, frame);
		model_feed(&tui->model, frame);
		any = true;
	}
	return any;
}

/* As tui_run does, but for the terminal. */
static void begin(size_t history_bytes)
{
	static struct err said;
	struct err err = { "" };

	scene = (struct scene){ .now_ns = 1000 * NS_PER_S };
	must(player_open(path, 0, NULL, NULL, &scene.player, &said, &err), &err);
	scene.config.recorded = (struct recorded){
		.player = scene.player, .name = "test.csv", .reason = said.text, .speed = 1
	};

	const struct recording *recording = &scene.player->recording;
	struct metrics *metrics = reader_metrics(scene.player->reader);
	const struct sampler_config sampler = {
		.backend = &scene.player->backend,
		.recording = recording,
		.metrics = metrics,
		.interval_ns = recording->interval_ns,
	};

	must(sampler_new(&sampler, &scene.sampler, &err), &err);
	scene.config.sampler = scene.sampler;
	scene.config.messages = &scene.messages;
	scene.tui.config = &scene.config;
	scene.tui.drain = drain;
	scene.tui.playing = &scene.playing;
	scene.tui.rotation = &scene.rotation;
	must(sampler_subscribe(scene.sampler, 256, &scene.tui.queue, &err), &err);
	must(sampler_start(scene.sampler, NULL, &err), &err);
	assert_int_equal(model_init(&scene.tui.model, &sampler.backend->machine, metrics,
				    sampler_set(scene.sampler), BY_CORE, history_bytes),
			 0);
	playing_start(&scene.tui);
}

static void end(void)
{
	playing_stop(&scene.tui);
	model_fini(&scene.tui.model);
	sampler_free(scene.sampler);
	player_close(scene.player);
}

static void press(int key)
{
	const struct key *row = keys_find(playing_keys, key);

	assert_non_null(row);
	row->act(&scene.tui, key);
}

/* So much time passes on the wall, in small turns. */
static void pass(uint64_t ns)
{
	uint64_t end_ns = scene.now_ns + ns, next;

	while (scene.now_ns < end_ns) {
		scene.now_ns += 5 * NS_PER_MS;
		playing_turn(&scene.tui, scene.now_ns, &next);
	}
}

static void assert_at(uint64_t number)
{
	const struct frame *shown = scene.tui.model.shown;

	assert_int_equal(shown->number, number);
	assert_int_equal(value_of(shown), truth[number]);
	assert_int_equal(scene.tui.model.set->number, shown->set->number);
}

static uint64_t number(void)
{
	return scene.tui.model.shown->number;
}

static void it_goes_at_its_pace(void **state)
{
	static const struct {
		double speed;
		uint64_t after_s;
		uint64_t number;
	} row[] = { { 1, 2, 20 }, { 0.1, 20, 20 }, { 10, 5, 500 }, { 100, 1, 998 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		begin(32 << 20);
		scene.tui.playing->speed = row[i].speed;
		pass(row[i].after_s * NS_PER_S);
		assert_in_range(number(), row[i].number - 2, row[i].number + 2);
		assert_at(number());
		end();
	}
}

static void keys_change_speed_and_pause(void **state)
{
	(void)state;
	begin(32 << 20);
	for (int i = 0; i < 20; i++)
		press('+');
	assert_true(scene.tui.playing->speed > 99 && scene.tui.playing->speed < 101);
	for (int i = 0; i < 5; i++)
		press('-');
	assert_true(scene.tui.playing->speed > 1.99 && scene.tui.playing->speed < 2.01);
	pass(NS_PER_S);
	assert_in_range(number(), 19, 22);
	assert_non_null(strstr(playing_text(&scene.tui).text, "2×"));
	press(' ');
	pass(NS_PER_S);
	assert_in_range(number(), 19, 22);
	assert_non_null(strstr(playing_text(&scene.tui).text, "paused"));
	press(' ');
	pass(NS_PER_S);
	assert_in_range(number(), 38, 43);
	end();
}

static void keys_go_frame_by_frame(void **state)
{
	(void)state;
	begin(32 << 20);
	assert_at(1);
	press(KEY_LEFT);
	assert_at(1);
	press('.');
	assert_at(11);
	press(KEY_RIGHT);
	assert_at(12);
	press(',');
	assert_at(2);
	press('}');
	press('}');
	assert_at(202);
	press(KEY_LEFT);
	assert_at(201);
	/* playing goes on from the picture */
	press(' ');
	pass(NS_PER_S);
	assert_in_range(number(), 209, 213);
	assert_false(scrub_is_on(&scene.tui.model));
	end();
}

/* With little memory older frames are looked up in the file: exact, wherever. */
static void every_moment_is_exact(void **state)
{
	(void)state;
	begin(256 * 1024);
	press(KEY_END);
	assert_at(FRAMES);
	for (uint64_t at = FRAMES - 100; at > 100; at -= 100) {
		press('{');
		assert_at(at);
		assert_int_equal(scene.tui.model.at.n_frames > 1, 0);
	}
	press(KEY_HOME);
	assert_at(1);
	press('}');
	assert_at(101);
	press(',');
	assert_at(91);
	end();
}

static void markers_are_found_and_told(void **state)
{
	(void)state;
	begin(32 << 20);
	press('n');
	assert_at(40);
	assert_non_null(strstr(scene.tui.status, "one"));
	press('n');
	assert_at(41);
	press('n');
	assert_non_null(strstr(scene.tui.status, "late"));
	assert_at(900);
	press('n');
	assert_non_null(strstr(scene.tui.status, "no marker"));
	press('N');
	assert_at(41);
	press('N');
	assert_at(40);
	press('N');
	assert_non_null(strstr(scene.tui.status, "no marker"));
	press(KEY_HOME);
	scene.tui.status[0] = '\0';
	press(' '); /* seeking to it has not paused it: now it is */
	press(' ');
	pass(4200 * NS_PER_MS);
	assert_non_null(strstr(scene.tui.status, "two"));
	end();
}

static void at_its_end_it_stays_or_begins_again(void **state)
{
	(void)state;
	begin(32 << 20);
	press(KEY_END);
	pass(3 * NS_PER_S);
	assert_at(FRAMES);
	assert_non_null(strstr(scene.tui.status, "the end of test.csv"));
	press(' ');
	assert_at(1);
	pass(NS_PER_S);
	assert_in_range(number(), 9, 13);
	press(KEY_END);
	press('L');
	press(KEY_LEFT);
	press(' ');
	pass(NS_PER_S);
	assert_in_range(number(), 7, 13);
	end();
}

static void a_hole_is_not_waited_for(void **state)
{
	(void)state;
	begin(32 << 20);
	pass(NS_PER_S);
	assert_in_range(number(), 9, 12);
	/* as if the next frame came eleven seconds after the one that is shown */
	scene.tui.playing->speed = 0.1;
	scene.tui.playing->from_ns = 0;
	scene.tui.playing->wall_ns = scene.now_ns;
	pass(4900 * NS_PER_MS);
	assert_in_range(number(), 9, 12);
	pass(1200 * NS_PER_MS);
	assert_in_range(number(), 10, 14);
	end();
}

static void other_metrics_may_be_asked_for(void **state)
{
	struct player *player;
	struct err err = { "" }, said;

	(void)state;
	must(player_open(path, 0, NULL, "branch_mpki,x=1000*INST_BRANCH/INST_ALL", &player, &said,
			 &err),
	     &err);
	assert_int_equal(player->selection.n, 2);

	const struct metrics *metrics = reader_metrics(player->reader);
	const struct frame *frame;
	int x = metrics_find(metrics, "x");

	must(player->recording.next(player, &frame, &err), &err);
	assert_true(metrics_column(frame->bound, x) >= 0);
	frame_unref(frame);
	player_close(player);
	assert_true(player_open(path, 0, NULL, "no_such_metric", &player, &said, &err) < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_at_its_pace),
		cmocka_unit_test(keys_change_speed_and_pause),
		cmocka_unit_test(keys_go_frame_by_frame),
		cmocka_unit_test(every_moment_is_exact),
		cmocka_unit_test(markers_are_found_and_told),
		cmocka_unit_test(at_its_end_it_stays_or_begins_again),
		cmocka_unit_test(a_hole_is_not_waited_for),
		cmocka_unit_test(other_metrics_may_be_asked_for),
	};

	return cmocka_run_group_tests(tests, record, forget);
}
