#include "tui/history/playing.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/player.h"
#include "sampler/sampler.h"
#include "tui/term/key.h"
#include "tui/history/time_keys.h"
#include "tui/screen/state.h"

enum {
	STEPS_MAX = 64, /* frames per turn of the loop */
	/* Up to this many core windows ahead every frame is played; farther ahead the file is searched. As
	 * many are played before the time of a search, for curves and the way back. */
	NEAR_WINDOWS = 8000,
	NEAR_FRAMES_MIN = 64,
	WAIT_MAX_S = 5, /* longest wait for a gap in the session, s */
};

static const double speed_ladder[] = { 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100 };

void playing_start(struct tui *tui)
{
	const struct recorded *recorded = &tui->config->recorded;
	const struct frame *first;

	if (!tui_is_playing(tui))
		return;
	tui->drain(tui); /* the sampler has already played the first frame */
	first = tui->model.newest;
	*tui->playing = (struct playing){
		.speed = recorded->speed,
		.begin_ns = history_bucket(tui->model.history, 0)->begin_ns,
		.first_number = first->number,
		.costing = tui->playing->costing,
	};
	if (*recorded->reason)
		messages_add(tui->config->messages, MESSAGE_WARNING, "%s", recorded->reason);
}

void playing_stop(struct tui *tui)
{
	frame_unref(tui->playing->costing);
	tui->playing->costing = NULL;
}

void playing_frame(struct tui *tui, const struct frame *frame)
{
	struct model *model = &tui->model;

	if (!tui_is_playing(tui))
		return;
	if (frame->set->number != model->loaded.number)
		model_load(model, frame->set, &model->chosen);
	if (!frame->own_known)
		return;
	frame_unref(tui->playing->costing);
	tui->playing->costing = frame_ref(frame);
}

/* ---- position ---- */

static uint64_t now_at(const struct tui *tui)
{
	return tui->model.shown ? tui->model.shown->t_ns : tui->playing->begin_ns;
}

static uint64_t interval_of(const struct tui *tui)
{
	return tui->model.shown ? tui->model.shown->interval_ns : NS_PER_S;
}

static uint64_t near_frames(const struct tui *tui)
{
	unsigned n = NEAR_WINDOWS / tui->model.machine->n_cores;

	return n > NEAR_FRAMES_MIN ? n : NEAR_FRAMES_MIN;
}

/* Return the end of the frame after the shown one. @return UINT64_MAX at the end */
static uint64_t next_ns(const struct tui *tui)
{
	const struct recorded *recorded = &tui->config->recorded;

	if (scrub_is_on(&tui->model))
		return history_bucket(tui->model.history, scrub_at(&tui->model) + 1)->t_ns;
	return recorded->player->next ? recorded->player->next->t_ns : UINT64_MAX;
}

static bool has_first(const struct tui *tui)
{
	return history_bucket(tui->model.history, 0)->number == tui->playing->first_number;
}

static void tell_mark(struct tui *tui, const struct player_mark *mark)
{
	char when[32];

	duration_text(mark->t_ns - tui->playing->begin_ns, when, sizeof(when));
	tui_say(tui, ROLE_GOOD, "● %s  %s", when, mark->note);
}

/* Count the markers up to a time. */
static size_t n_marks_until(const struct player *player, uint64_t t_ns)
{
	size_t i = 0;

	while (i < player->n_marks && player->mark[i].t_ns <= t_ns)
		i++;
	return i;
}

/* Show the last marker that was passed. */
static void tell_marks(struct tui *tui, uint64_t from_ns, uint64_t to_ns)
{
	const struct player *player = tui->config->recorded.player;
	size_t i = n_marks_until(player, to_ns);

	if (i && player->mark[i - 1].t_ns > from_ns)
		tell_mark(tui, &player->mark[i - 1]);
}

static void say_end(struct tui *tui)
{
	const struct recorded *recorded = &tui->config->recorded;

	if (*recorded->reason)
		tui_say(tui, ROLE_WARN, "the end of the readable part: %s", recorded->reason);
	else
		tui_say(tui, ROLE_TEXT, "the end of %s; %s: start over", recorded->name,
			tui_key(tui, KEY_HOME).name);
}

/* ---- moving ---- */

/* Show a cell of the history. The newest one is at the position in the file: resume. */
static int show_cell(struct tui *tui, size_t i)
{
	if (i + 1 < history_n(tui->model.history))
		return scrub_to(&tui->model, i);
	if (tui->model.frozen)
		model_freeze(&tui->model, false);
	return 0;
}

/* Advance by one frame. @return 0; -ENODATA at the end; -ENOMEM */
static int forward(struct tui *tui)
{
	uint64_t from_ns = now_at(tui);
	int r = 0;

	if (scrub_is_on(&tui->model))
		r = show_cell(tui, scrub_at(&tui->model) + 1);
	else
		r = sampler_step(tui->config->sampler);
	tui->drain(tui);
	if (r == 0)
		tell_marks(tui, from_ns, now_at(tui));
	return r;
}

/* Search the file for the first frame that ends at t_ns or later. */
static int search(struct tui *tui, uint64_t t_ns)
{
	const struct recorded *recorded = &tui->config->recorded;
	uint64_t lead_ns = near_frames(tui) * interval_of(tui);
	struct err err = { 0 };
	int r;

	tui->drain(tui);
	r = player_seek(recorded->player, t_ns > lead_ns ? t_ns - lead_ns : 0, &err);
	if (r < 0) {
		tui_say(tui, ROLE_ERROR, "%s", err.text);
		return r;
	}
	r = model_restart(&tui->model);
	if (r < 0)
		return r;
	do {
		r = sampler_step(tui->config->sampler);
		tui->drain(tui);
	} while (r == 0 && tui->model.newest->t_ns < t_ns);
	return r;
}

static int go_ahead(struct tui *tui, uint64_t t_ns)
{
	int r = 0;

	if ((t_ns - tui->model.newest->t_ns) / interval_of(tui) > near_frames(tui))
		return search(tui, t_ns);
	if (tui->model.frozen)
		model_freeze(&tui->model, false);
	while (r == 0 && tui->model.newest->t_ns < t_ns)
		r = forward(tui);
	return r;
}

static int go_to(struct tui *tui, uint64_t t_ns)
{
	const struct history *history = tui->model.history;
	size_t i = history_find(history, t_ns);

	tui->playing->is_at_end = false;
	tui->playing->wall_ns = 0;
	if (i == history_n(history))
		return go_ahead(tui, t_ns);
	/* exact cells are shown; for merged or dropped ones the file is searched */
	if (history_bucket(history, i)->n_frames == 1 && (i > 0 || has_first(tui)))
		return show_cell(tui, i);
	return search(tui, t_ns);
}

void playing_go(struct tui *tui, uint64_t t_ns)
{
	int r;

	if (tui_is_playing(tui)) {
		tui->playing->is_paused = true;
		r = go_to(tui, t_ns);
	} else {
		r = scrub_to(&tui->model, history_find(tui->model.history, t_ns));
	}
	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
}

/* Go back to a frame by its number. Exact cells of the history are shown; for merged or dropped ones the
 * file is read from shortly before the frame. */
static int go_back(struct tui *tui, uint64_t number)
{
	const struct history *history = tui->model.history;
	const struct bucket *cell;
	size_t i = scrub_at(&tui->model);
	uint64_t before_ns;
	int r;

	while (i > 0 && history_bucket(history, i)->number > number)
		i--;
	cell = history_bucket(history, i);
	if (cell->n_frames == 1 && (cell->number <= number || has_first(tui)))
		return show_cell(tui, i);
	before_ns = cell->number > number ? (cell->number - number + 1) * cell->interval_ns : 0;
	r = search(tui, cell->begin_ns > before_ns ? cell->begin_ns - before_ns : 0);
	while (r == 0 && tui->model.newest->number < number)
		r = forward(tui);
	return r;
}

static void act_frames(struct tui *tui, int key)
{
	int n = time_step(key);
	struct playing *playing = tui->playing;
	uint64_t was = tui->model.shown->number;
	int r = 0;

	playing->is_paused = true;
	playing->is_at_end = false;
	for (int i = 0; i < n && r == 0; i++)
		r = forward(tui);
	if (n < 0)
		r = go_back(tui, was > (uint64_t)-n ? was - (uint64_t)-n : 1);
	if (n < 0 && tui->model.shown->number == was)
		tui_say(tui, ROLE_TEXT, "this is the beginning");
	if (n > 0 && r == -ENODATA)
		say_end(tui);
}

static void act_edge(struct tui *tui, int key)
{
	if (key == KEY_HOME) {
		go_to(tui, tui->playing->begin_ns);
		return;
	}
	go_to(tui, tui->config->recorded.player->end_ns);
	tui->playing->is_at_end = true;
	say_end(tui);
}

static void act_play(struct tui *tui, int key UNUSED)
{
	struct playing *playing = tui->playing;

	if (playing->is_at_end)
		go_to(tui, playing->begin_ns);
	else
		playing->is_paused = !playing->is_paused;
	playing->wall_ns = 0;
}

/* ---- pace ---- */

/* Return when to show the next frame, on CLOCK_MONOTONIC. */
static uint64_t due_ns(struct tui *tui, uint64_t next, uint64_t now_ns)
{
	struct playing *playing = tui->playing;
	uint64_t at_ns = now_at(tui);
	double wait_ns, longest_ns = (double)interval_of(tui) / playing->speed;

	if (!playing->wall_ns) {
		playing->wall_ns = now_ns;
		playing->from_ns = at_ns;
	}
	if (longest_ns < WAIT_MAX_S * 1e9)
		longest_ns = WAIT_MAX_S * 1e9;
	wait_ns = (double)(next - playing->from_ns) / playing->speed;
	if (wait_ns - (double)(now_ns - playing->wall_ns) > longest_ns) {
		playing->wall_ns = now_ns;
		playing->from_ns = next - (uint64_t)(longest_ns * playing->speed);
		wait_ns = longest_ns;
	}
	return playing->wall_ns + (uint64_t)wait_ns;
}

/* @return whether the screen must be drawn again */
static bool reach_end(struct tui *tui)
{
	if (tui->playing->loops)
		return go_to(tui, tui->playing->begin_ns) == 0;
	tui->playing->is_at_end = true;
	say_end(tui);
	return true;
}

bool playing_turn(struct tui *tui, uint64_t now_ns, uint64_t *ret_next_ns)
{
	struct playing *playing = tui->playing;
	bool has_moved = false;

	*ret_next_ns = 0;
	for (int i = 0; i < STEPS_MAX && !playing->is_paused && !playing->is_at_end; i++) {
		uint64_t next = next_ns(tui);

		if (next == UINT64_MAX) {
			has_moved |= reach_end(tui);
			continue;
		}
		*ret_next_ns = due_ns(tui, next, now_ns);
		if (*ret_next_ns > now_ns)
			return has_moved;
		if (*ret_next_ns + NS_PER_S < now_ns)
			playing->wall_ns = 0; /* playback is too slow, or the process was stopped */
		if (forward(tui) < 0)
			break;
		has_moved = true;
	}
	return has_moved;
}

/* ---- keys ---- */

static void act_speed(struct tui *tui, int key)
{
	struct playing *playing = tui->playing;
	const size_t n = ARRAY_SIZE(speed_ladder);
	double speed = playing->speed;

	for (size_t i = 0; key != '-' && i < n && playing->speed <= speed; i++)
		if (speed_ladder[i] > speed * 1.001)
			playing->speed = speed_ladder[i];
	for (size_t i = n; key == '-' && i > 0 && playing->speed >= speed; i--)
		if (speed_ladder[i - 1] < speed * 0.999)
			playing->speed = speed_ladder[i - 1];
	playing->wall_ns = 0;
	tui_say(tui, ROLE_TEXT, "%g× the speed it was recorded at", playing->speed);
}

static void act_mark(struct tui *tui, int key)
{
	bool is_next = key == 'n';
	uint64_t at_ns =
		is_next ? now_at(tui)
			: history_bucket(tui->model.history, scrub_at(&tui->model))->begin_ns;
	const struct player *player = tui->config->recorded.player;
	size_t i = n_marks_until(player, at_ns);

	if (is_next ? i == player->n_marks : !i) {
		tui_say(tui, ROLE_TEXT, "no marker %s this moment", is_next ? "behind" : "before");
		return;
	}
	i -= !is_next;
	go_to(tui, player->mark[i].t_ns);
	tell_mark(tui, &player->mark[i]);
}

static void act_loop(struct tui *tui, int key UNUSED)
{
	tui->playing->loops = !tui->playing->loops;
	tui_say(tui, ROLE_TEXT,
		tui->playing->loops ? "loop: at the end, start over" : "no loop: stop at the end");
}

static const char recording[] = "Recorded session";

const struct key playing_keys[] = {
	OWN_KEY("Space", recording, "pause, resume", act_play, ' '),
	OWN_KEY("← →", recording, "a frame back, forward, and pause", act_frames, KEY_LEFT,
		KEY_RIGHT),
	OWN_KEY(", .  { }", recording, "ten, a hundred frames", act_frames, ',', '.', '{', '}'),
	OWN_KEY("Home End", recording, "to the beginning, to the end", act_edge, KEY_HOME, KEY_END),
	OWN_KEY("n N", recording, "to the next marker, the previous one", act_mark, 'n', 'N'),
	OWN_KEY("+ -", recording, "faster, slower: 0.1 to 100 times", act_speed, '+', '=', '-'),
	OWN_KEY("L", recording, "loop or stop at the end", act_loop, 'L'),
	{ 0 },
};

const struct hint playing_hints[] = { { "?", "help" },      { "Space", "pause" },
				      { "n N", "markers" }, { "← →", "frames" },
				      { "+ -", "speed" },   { 0 } };

/* ---- header ---- */

struct label playing_text(const struct tui *tui)
{
	const struct playing *playing = tui->playing;
	uint64_t length_ns = tui->config->recorded.player->end_ns - playing->begin_ns;
	char at[32], length[32], state[32];

	duration_text(now_at(tui) - playing->begin_ns, at, sizeof(at));
	duration_text(length_ns, length, sizeof(length));
	if (playing->is_at_end)
		snprintf(state, sizeof(state), "end");
	else if (playing->is_paused)
		snprintf(state, sizeof(state), "paused");
	else
		snprintf(state, sizeof(state), "▸ %g×", playing->speed);
	return label_printf("%s%s  %s of %s", state, playing->loops ? " loop" : "", at, length);
}

const struct frame *playing_cost(const struct tui *tui)
{
	const struct frame *frame = tui->playing->costing;
	uint64_t now_ns = now_at(tui);

	if (!frame || frame->t_ns > now_ns || frame->t_ns + 2 * NS_PER_S < now_ns)
		return NULL;
	return frame;
}
