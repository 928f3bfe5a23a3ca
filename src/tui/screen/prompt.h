/* prompt.h: one line of input in place of the status line */
#ifndef TUI_SCREEN_PROMPT_H
#define TUI_SCREEN_PROMPT_H

#include "tui/widget/input.h"

struct tui;

struct prompt {
	const char *question;
	const char *hint;
	struct input input;
	void (*done)(struct tui *tui, const char *text);    /* Enter */
	void (*changed)(struct tui *tui, const char *text); /* while one types; optional */
	void (*left)(struct tui *tui);                      /* Esc; optional */
};

/** Ask. */
void prompt_open(struct tui *tui, const struct prompt *prompt);

#endif
