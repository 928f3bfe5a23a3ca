#include "tui/moment.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "tui/change.h"
#include "tui/interval.h"
#include "tui/keys.h"
#include "tui/playing.h"
#include "tui/state.h"
#include "tui/walk.h"

/* How far a key goes, in frames, or in cells where older frames were put together. */
static const struct {
	int key;
	int step;
} step_table[] = {
	{ KEY_LEFT, -1 }, { KEY_RIGHT, 1 }, { ',', -10 }, { '.', 10 }, { '{', -100 }, { '}', 100 },
};

int moment_step(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(step_table); i++)
		if (step_table[i].key == key)
			return step_table[i].step;
	return 0;
}

/* Let the picture go on, of what is counted now. */
static void live(struct tui *tui)
{
	model_freeze(&tui->model, false);
	rotation_thaw(tui);
}

void moment_go(struct tui *tui, size_t i)
{
	int r = playing_is_on(tui) ? playing_go(tui, past_cell(tui->model.past, i)->t_ns)
				   : walk_to(&tui->model, i);

	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
}

bool moment_may_change(struct tui *tui)
{
	struct err err = { 0 };

	if (!playing_is_on(tui)) {
		if (walk_is_on(&tui->model))
			live(tui);
		return true;
	}
	/* which says why not */
	sampler_load(tui->config->sampler, tui->model.set, &err);
	change_refused(tui, &err);
	return false;
}

static const char *depth(const struct tui *tui, char *buf, size_t size)
{
	return duration_text(walk_depth_ns(&tui->model), buf, size);
}

unsigned act_freeze(struct tui *tui, int key)
{
	char text[32];

	(void)key;
	if (tui->model.frozen) {
		live(tui);
		tui_say(tui, ROLE_TEXT, "live again");
		return DID_REDRAW;
	}
	model_freeze(&tui->model, true);
	tui_say(tui, ROLE_TEXT, "picture frozen; counting and logging go on; %s goes back, %s kept",
		tui_key(tui, KEY_LEFT).name, depth(tui, text, sizeof(text)));
	return DID_REDRAW;
}

unsigned act_walk(struct tui *tui, int key)
{
	int step = moment_step(key), r;

	r = walk_by(&tui->model, step);
	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
	else if (r && step < 0)
		tui_say(tui, ROLE_WARN, "this is the oldest that is kept");
	else if (r && tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "this is the newest; %s goes back to live",
			tui_key(tui, KEY_END).name);
	else if (r)
		tui_say(tui, ROLE_TEXT, "this is the newest");
	return DID_REDRAW;
}

unsigned act_oldest(struct tui *tui, int key)
{
	(void)key;
	if (past_n(tui->model.past) && walk_to(&tui->model, 0) < 0)
		tui_say(tui, ROLE_ERROR, "out of memory");
	return DID_REDRAW;
}

unsigned act_newest(struct tui *tui, int key)
{
	(void)key;
	if (tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "live again");
	live(tui);
	return DID_REDRAW;
}

const char *moment_text(const struct tui *tui, bool is_brief, char *buf, size_t size)
{
	const struct model *model = &tui->model;
	char back[32], kept[32], frames[48] = "";

	buf[0] = '\0';
	if (!walk_is_on(model))
		return buf;
	duration_text(model->newest->t_ns - model->shown->t_ns, back, sizeof(back));
	if (model->at.n_frames > 1)
		snprintf(frames, sizeof(frames), "  %u frames in one",
			 (unsigned)model->at.n_frames);
	if (is_brief)
		snprintf(buf, size, "−%s", back);
	else
		snprintf(buf, size, "−%s of %s kept%s", back, depth(tui, kept, sizeof(kept)),
			 frames);
	return buf;
}

static const char *size_text(size_t bytes, char *buf, size_t size)
{
	if (bytes < 1024 * 1024)
		snprintf(buf, size, "%zu KiB", bytes / 1024);
	else
		snprintf(buf, size, "%.1f MiB", (double)bytes / (1024 * 1024));
	return buf;
}

const char *moment_depth_text(const struct tui *tui, char *buf, size_t size)
{
	const struct past *past = tui->model.past;
	char kept[32], used[16], most[16];

	snprintf(buf, size, "%s in %s; at most %s (--history)", depth(tui, kept, sizeof(kept)),
		 size_text(past_bytes(past), used, sizeof(used)),
		 size_text(tui->model.history_bytes, most, sizeof(most)));
	return buf;
}
