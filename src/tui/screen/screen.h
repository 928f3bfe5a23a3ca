/* screen.h: functions for all parts of the screen: status line, views, selection, prompt, text views */
#ifndef TUI_SCREEN_SCREEN_H
#define TUI_SCREEN_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/screen/view.h"
#include "tui/theme.h"
#include "tui/widget/input.h"

struct tui;

/** Show a message in the status line. */
void tui_say(struct tui *tui, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Role of a message, by its level. */
extern const enum role message_role[];

/** Show an error in the status line, and keep it in the messages. */
void tui_refuse(struct tui *tui, const struct err *err);

/** Name of a key, for use in a sentence. */
struct key_text {
	char name[16];
};

/** Get the first key bound to a code of the key table: `tui_key(tui, 'l').name`. */
struct key_text tui_key(const struct tui *tui, int code);

/** Get the displayed view. */
const struct view *tui_view(const struct tui *tui);

/** Find the row of a view's own tables that has a key. @return NULL: none */
const struct key *view_find_key(const struct view *view, int key);

/** Whether this machine has no data for a view. */
bool tui_has_nothing_for(const struct tui *tui, enum view_id view);

/** Display a view. */
void tui_show(struct tui *tui, enum view_id view);

/** Get the selected series of the view in which the user last selected one.
 * @return number of series, 0 … 2 */
unsigned tui_selected(const struct tui *tui, struct series ret[2]);

/** Update the log's text for the header; report an ended log as a message. */
void tui_refresh_log(struct tui *tui);

/** Whether a recorded session is played. */
bool tui_is_playing(const struct tui *tui);

/** Whether the figures are of this machine as it is now: neither simulated nor recorded. */
bool tui_is_of_this_machine(const struct tui *tui);

/** Whether cells show changes since the baseline instead of figures. */
bool tui_shows_changes(const struct tui *tui);

/* ---- one line of input in place of the status line ---- */

struct prompt {
	const char *question;
	const char *hint;
	struct input input;
	void (*done)(struct tui *tui, const char *text); /* Enter; optional */
	void (*changed)(struct tui *tui,
			const char *text); /* after each change, "" after Esc; optional */
};

/** Open the prompt, which closes on Enter or Esc. */
void prompt_open(struct tui *tui, const struct prompt *prompt);

/* ---- common parts of text views: title, scrolling, return ---- */

/** Draw the title, with the keys of text views. @enter  what Enter does after a search; ""  @return first free line */
int pager_title(const struct tui *tui, const char *title, const char *enter);

/** Keep the scroll position in range. @y  first line of text  @return first visible item */
unsigned pager_fit(struct tui *tui, int y, unsigned n_items);

/** Handle a key: j k arrows PgUp PgDn g G scroll, / shows only lines with some words, Esc all again; Esc and q
 * return. @return false: key not handled */
bool pager_key(struct tui *tui, int key);

#endif
