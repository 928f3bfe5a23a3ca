#include "tui/writing.h"

#include <stdio.h>
#include <string.h>

#include "tui/keys.h"
#include "tui/state.h"

/* Close the file and let the past go on. @rc  how the writing went */
static void end(struct tui *tui, int rc, struct err *err)
{
	const struct tui_writer *writer = &tui->config->writer;
	struct err ignored;
	char said[256] = "";
	int closed = writer->end(writer->data, said, sizeof(said), rc ? &ignored : err);

	tui->writing.is_on = false;
	past_hold(tui->model.past, false);
	if (rc || closed)
		messages_add(tui->config->messages, MESSAGE_ERROR, "%s", err->text);
	else
		messages_add(tui->config->messages, MESSAGE_INFO, "%s", said);
}

static void name_typed(struct tui *tui, const char *path)
{
	const struct tui_writer *writer = &tui->config->writer;
	struct err err = { 0 };

	if (!*path)
		return;
	if (writer->begin(writer->data, path, tui->model.past, &err) < 0) {
		tui_say(tui, ROLE_ERROR, "%s", err.text);
		return;
	}
	past_hold(tui->model.past, true);
	tui->writing.is_on = true;
	snprintf(tui->writing.path, sizeof(tui->writing.path), "%s", path);
	tui_say(tui, ROLE_TEXT, "writing %s …", path);
}

unsigned act_write(struct tui *tui, int key)
{
	const struct tui_writer *writer = &tui->config->writer;
	struct input *input = &tui->prompt.input;

	(void)key;
	if (tui->writing.is_on) {
		tui_say(tui, ROLE_WARN, "%s is being written", tui->writing.path);
	} else if (!past_n(tui->model.past)) {
		tui_say(tui, ROLE_WARN, "nothing has been counted yet");
	} else {
		prompt_open(tui, "write the past to", "compressed as NAME.zst", name_typed);
		writer->name(writer->data, input->text, sizeof(input->text));
		input->n = strlen(input->text);
	}
	return DID_REDRAW;
}

bool writing_turn(struct tui *tui)
{
	const struct tui_writer *writer = &tui->config->writer;
	struct err err = { 0 };
	int rc;

	if (!tui->writing.is_on)
		return false;
	rc = writer->go_on(writer->data, &err);
	if (rc > 0)
		return true;
	end(tui, rc, &err);
	return false;
}

void writing_finish(struct tui *tui)
{
	while (writing_turn(tui))
		;
}
