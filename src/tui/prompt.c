#include "tui/prompt.h"

#include <stdio.h>

#include "tui/draw.h"
#include "tui/keys.h"
#include "tui/state.h"

void prompt_line_draw(int y, const char *question, const struct input *input, const char *hint)
{
	static const char keys[] = "Enter: done   Esc: leave";
	char all[160];
	int x = 1;

	move(y, 0);
	clrtoeol();
	x += draw_printf(y, x, COLS - x, ROLE_KEY, "%s: ", question);
	x += draw_tail(y, x, COLS - x - 1, ROLE_INPUT, input->text);
	draw_text(y, x, 1, ROLE_INPUT, " ");
	x += 3;
	snprintf(all, sizeof(all), "%s   %s", hint, keys);
	if (COLS - x >= draw_columns(all))
		draw_text(y, x, COLS - x, ROLE_DIM, all);
	else if (COLS - x >= draw_columns(keys))
		draw_text(y, x, COLS - x, ROLE_DIM, keys);
}

static void prompt_draw(struct tui *tui)
{
	prompt_line_draw(tui->layout.status_y, tui->prompt.question, &tui->prompt.input,
			 tui->prompt.hint);
}

static unsigned prompt_key(struct tui *tui, int key)
{
	enum { CTRL_C = 3 };
	struct prompt *prompt = &tui->prompt;

	if (key == CTRL_C)
		return DID_QUIT;
	if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		tui->overlay = NULL;
		prompt->done(tui, prompt->input.text);
	} else if (key == KEYS_ESCAPE) {
		tui->overlay = NULL;
		if (prompt->left)
			prompt->left(tui);
	} else if (input_key(&prompt->input, key) && prompt->changed) {
		prompt->changed(tui, prompt->input.text);
	}
	return DID_REDRAW;
}

const struct overlay prompt_overlay = { .draw = prompt_draw, .key = prompt_key };

void prompt_open(struct tui *tui, const char *question, const char *hint,
		 void (*done)(struct tui *tui, const char *text))
{
	tui->prompt = (struct prompt){ .question = question, .hint = hint, .done = done };
	tui->overlay = &prompt_overlay;
}

void prompt_follow(struct tui *tui, void (*changed)(struct tui *tui, const char *text),
		   void (*left)(struct tui *tui))
{
	tui->prompt.changed = changed;
	tui->prompt.left = left;
}
