#include "tui/history/time_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampler/sampler.h"
#include "session/player.h"
#include "session/writer.h"
#include "tui/model/baseline.h"
#include "tui/screen/state.h"
#include "tui/widget/axis.h"

/* Steps of the keys in frames, or in cells where older frames are merged. */
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

struct label time_text(const struct tui *tui, uint64_t t_ns)
{
	const struct sampler *sampler = tui->config->sampler;
	time_t s = (time_t)((sampler_started_wall_ns(sampler) + t_ns) / NS_PER_S);
	struct label label;
	struct tm tm;

	if (sampler_backend(sampler)->virtual_clock && !sampler_is_recording(sampler))
		return label_printf("t %.1f s", (double)t_ns / 1e9);
	localtime_r(&s, &tm);
	strftime(label.text, sizeof(label.text), "%H:%M:%S", &tm);
	return label;
}

struct label age_text(const struct tui *tui, bool is_brief)
{
	const struct model *model = &tui->model;
	char back[32], kept[32], frames[48] = "";

	if (!scrub_is_on(model))
		return (struct label){ "" };
	duration_text(model->newest->t_ns - model->shown->t_ns, back, sizeof(back));
	if (model->at.n_frames > 1)
		snprintf(frames, sizeof(frames), "  %u frames in one",
			 (unsigned)model->at.n_frames);
	if (is_brief)
		return label_printf("%s−%s", COLS < 60 ? "" : "PAST ", back);
	return label_printf("−%s of %s kept%s", back,
			    duration_text(scrub_depth_ns(model), kept, sizeof(kept)), frames);
}

/* ---- writing the history ---- */

enum { WRITE_MS = 10 }; /* time between two checks of the keys */

/* Close the file and release the history. @rc  result of the writing */
static void writing_end(struct tui *tui, int rc, struct err *err)
{
	struct err message = { "" };
	int closed = history_file_close(tui->writing->file, &message, rc ? NULL : err);

	tui->writing->file = NULL;
	history_hold(tui->model.history, false);
	if (rc || closed)
		messages_add(tui->config->messages, MESSAGE_ERROR, "%s", err->text);
	else
		messages_add(tui->config->messages, MESSAGE_RESULT, "%s", message.text);
}

static void name_typed(struct tui *tui, const char *path)
{
	struct player *player = tui->config->recorded.player;
	struct format_context context;
	struct err err = { 0 };

	if (!*path)
		return;
	if (player)
		reader_format_context(player->reader, &context);
	else
		format_context_init(&context, tui->config->sampler, tui->config->metrics);
	if (history_file_open(tui->model.history, &context, 0, path, &tui->writing->file, &err) <
	    0) {
		tui_say(tui, ROLE_ERROR, "%s", err.text);
		return;
	}
	history_hold(tui->model.history, true);
	snprintf(tui->writing->path, sizeof(tui->writing->path), "%s", path);
	tui_say(tui, ROLE_TEXT, "writing %s …", path);
}

void act_write(struct tui *tui, int key UNUSED)
{
	struct input *input = &tui->prompt.input;

	if (tui->writing->file) {
		tui_say(tui, ROLE_WARN, "%s is still being written", tui->writing->path);
	} else if (!history_n(tui->model.history)) {
		tui_say(tui, ROLE_WARN, "nothing has been counted yet");
	} else {
		prompt_open(tui, &(struct prompt){ .question = "write history to",
						   .hint = "compressed as NAME.zst",
						   .done = name_typed });
		log_default_path(input->text, sizeof(input->text));
		input->n = strlen(input->text);
	}
}

bool writing_turn(struct tui *tui)
{
	struct err err = { 0 };
	int rc;

	if (!tui->writing->file)
		return false;
	rc = history_file_write(tui->writing->file, WRITE_MS * NS_PER_MS, &err);
	if (rc > 0)
		return true;
	writing_end(tui, rc, &err);
	return false;
}

/* ---- baseline ---- */

/* length of the baseline: one window may be an outlier, older windows may be of other work */
#define BASELINE_NS (10 * NS_PER_S)

void baseline_end(struct tui *tui)
{
	if (tui->model.baseline != tui->config->baseline)
		baseline_free(tui->model.baseline);
	tui->model.baseline = NULL;
}

static void baseline_begin(struct tui *tui)
{
	struct model *model = &tui->model;
	uint64_t span_ns = 0;
	int rc = baseline_of_shown(model, BASELINE_NS, &model->baseline, &span_ns);

	if (rc) {
		tui_say(tui, ROLE_WARN, "%s",
			rc == -ENOENT ? "nothing has been counted to compare with"
				      : "out of memory");
		return;
	}

	struct label at = time_text(tui, model->shown->t_ns);

	baseline_call(model->baseline, at.text);
	tui_say(tui, ROLE_TEXT, "cells show the change from the mean of the %s to %s; %s ends that",
		axis_span(span_ns).text, at.text, tui_key(tui, 'B').name);
}

void act_baseline(struct tui *tui, int key UNUSED)
{
	if (tui->model.baseline) {
		baseline_end(tui);
		tui_say(tui, ROLE_TEXT, "cells show figures again");
	} else {
		baseline_begin(tui);
	}
}
