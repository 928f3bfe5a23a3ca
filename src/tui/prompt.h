/* prompt.h: one line of input in place of the status line */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "tui/input.h"

struct tui;
struct overlay;

struct prompt {
	const char *question;
	const char *hint;
	struct input input;
	void (*done)(struct tui *tui, const char *text); /* Enter */
	void (*changed)(struct tui *tui, const char *text);
	void (*left)(struct tui *tui);
};

/** Draw a line of input: what is asked, what was typed, a hint, how to end it. */
void prompt_line_draw(int y, const char *question, const struct input *input, const char *hint);

extern const struct overlay prompt_overlay;

/** Ask; `done` is called with the text on Enter, not at all on Esc. */
void prompt_open(struct tui *tui, const char *question, const char *hint,
		 void (*done)(struct tui *tui, const char *text));

/** After prompt_open: what happens while one types, and on Esc. */
void prompt_follow(struct tui *tui, void (*changed)(struct tui *tui, const char *text),
		   void (*left)(struct tui *tui));

#endif
