#include "tui/time/time_keys.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "tui/counting/assign.h"
#include "tui/time/interval.h"
#include "tui/term/key.h"
#include "tui/time/playing.h"
#include "tui/screen/state.h"
#include "tui/model/scrub.h"
#include "tui/counting/rotation.h"

/* How far a key goes, in frames, or in cells where older frames were put together. */
static const struct {
	int key;
	int step;
} step_table[] = {
	{ KEY_LEFT, -1 }, { KEY_RIGHT, 1 }, { ',', -10 }, { '.', 10 }, { '{', -100 }, { '}', 100 },
};

int time_step(int key)
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

void time_go(struct tui *tui, size_t i)
{
	int r = tui_is_playing(tui) ? playing_go(tui, history_bucket(tui->model.history, i)->t_ns)
				    : scrub_to(&tui->model, i);

	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
}

bool time_may_change(struct tui *tui)
{
	struct err err = { 0 };

	if (!tui_is_playing(tui)) {
		if (scrub_is_on(&tui->model))
			live(tui);
		return true;
	}
	/* which says why not */
	sampler_load(tui->config->sampler, tui->model.set, &err);
	tui_refuse(tui, &err);
	return false;
}

static const char *depth(const struct tui *tui, char *buf, size_t size)
{
	return duration_text(scrub_depth_ns(&tui->model), buf, size);
}

void act_freeze(struct tui *tui, int key)
{
	char text[32];

	(void)key;
	if (tui->model.frozen) {
		live(tui);
		tui_say(tui, ROLE_TEXT, "live again");
		return;
	}
	model_freeze(&tui->model, true);
	tui_say(tui, ROLE_TEXT,
		"picture frozen; counting and logging continue; %s goes back, %s kept",
		tui_key(tui, KEY_LEFT).name, depth(tui, text, sizeof(text)));
}

void act_scrub(struct tui *tui, int key)
{
	int step = time_step(key), r;

	r = scrub_by(&tui->model, step);
	if (r == -ENOMEM)
		tui_say(tui, ROLE_ERROR, "out of memory");
	else if (r && step < 0)
		tui_say(tui, ROLE_WARN, "this is the oldest frame kept");
	else if (r && tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "this is the newest; %s returns to live",
			tui_key(tui, KEY_END).name);
	else if (r)
		tui_say(tui, ROLE_TEXT, "this is the newest");
}

void act_oldest(struct tui *tui, int key)
{
	(void)key;
	if (history_n(tui->model.history))
		time_go(tui, 0);
}

void act_newest(struct tui *tui, int key)
{
	(void)key;
	if (tui->model.frozen)
		tui_say(tui, ROLE_TEXT, "live again");
	live(tui);
}

const char *time_of_picture(const struct tui *tui, uint64_t t_ns, char *buf, size_t size)
{
	const struct sampler *sampler = tui->config->sampler;
	time_t s = (time_t)((sampler_started_wall_ns(sampler) + t_ns) / NS_PER_S);
	struct tm tm;

	if (sampler_backend(sampler)->virtual_clock && !sampler_is_recording(sampler)) {
		snprintf(buf, size, "t %.1f s", (double)t_ns / 1e9);
		return buf;
	}
	localtime_r(&s, &tm);
	strftime(buf, size, "%H:%M:%S", &tm);
	return buf;
}

const char *time_text(const struct tui *tui, bool is_brief, char *buf, size_t size)
{
	const struct model *model = &tui->model;
	char back[32], kept[32], frames[48] = "";

	buf[0] = '\0';
	if (!scrub_is_on(model))
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

const char *time_depth_text(const struct tui *tui, char *buf, size_t size)
{
	const struct history *history = tui->model.history;
	char kept[32], used[16], most[16];

	snprintf(buf, size, "%s in %s; at most %s (--history)", depth(tui, kept, sizeof(kept)),
		 size_text(history_bytes(history), used, sizeof(used)),
		 size_text(tui->model.history_bytes, most, sizeof(most)));
	return buf;
}
