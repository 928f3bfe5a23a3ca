#include "tui/time/history_writer.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "session/read/player.h"
#include "session/write/history_file.h"
#include "session/write/log.h"
#include "tui/screen/state.h"
#include "tui/term/key.h"

enum { WRITE_MS = 10 }; /* between two looks at the keys */

/* Close the file and let the history go on. @rc  how the writing went */
static void end(struct tui *tui, int rc, struct err *err)
{
	struct err said = { "" };
	int closed = history_file_close(tui->writing->file, &said, rc ? NULL : err);

	tui->writing->file = NULL;
	history_hold(tui->model.history, false);
	if (rc || closed)
		messages_add(tui->config->messages, MESSAGE_ERROR, "%s", err->text);
	else
		messages_add(tui->config->messages, MESSAGE_RESULT, "%s", said.text);
}

static void name_typed(struct tui *tui, const char *path)
{
	struct player *player = tui->config->recorded.player;
	struct format_context context;
	struct err err = { 0 };

	if (!*path)
		return;
	if (player)
		reader_format_context(player_reader(player), &context);
	else
		format_context_init(&context, tui->config->sampler, tui->config->metrics);
	if (history_file_open(tui->model.history, &context, path, &tui->writing->file, &err) < 0) {
		tui_say(tui, ROLE_ERROR, "%s", err.text);
		return;
	}
	history_hold(tui->model.history, true);
	snprintf(tui->writing->path, sizeof(tui->writing->path), "%s", path);
	tui_say(tui, ROLE_TEXT, "writing %s …", path);
}

void act_write(struct tui *tui, int key)
{
	struct input *input = &tui->prompt.input;

	(void)key;
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
	end(tui, rc, &err);
	return false;
}

void writing_finish(struct tui *tui)
{
	while (writing_turn(tui))
		;
}
