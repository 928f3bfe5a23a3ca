#include "tui/screen/prompt.h"

#include <stdio.h>

#include "tui/term/key.h"
#include "tui/screen/state.h"

static void prompt_draw(struct tui *tui)
{
	input_draw_line(tui->layout.status_y, tui->prompt.question, &tui->prompt.input,
			tui->prompt.hint);
}

static void prompt_key(struct tui *tui, int key)
{
	struct prompt *prompt = &tui->prompt;

	if (key_is_enter(key)) {
		tui->overlay = NULL;
		prompt->done(tui, prompt->input.text);
	} else if (key == KEYS_ESCAPE) {
		tui->overlay = NULL;
		if (prompt->left)
			prompt->left(tui);
	} else if (input_key(&prompt->input, key) && prompt->changed) {
		prompt->changed(tui, prompt->input.text);
	}
}

static const struct overlay prompt_overlay = { .draw = prompt_draw, .key = prompt_key };

void prompt_open(struct tui *tui, const struct prompt *prompt)
{
	tui->prompt = *prompt;
	tui->overlay = &prompt_overlay;
}
