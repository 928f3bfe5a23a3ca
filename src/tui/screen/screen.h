/* screen.h: what everything on the screen may ask of it */
#ifndef TUI_SCREEN_SCREEN_H
#define TUI_SCREEN_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/screen/view.h"
#include "tui/term/theme.h"

struct tui;

/** Say what just happened. */
void tui_say(struct tui *tui, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Say an error; the messages keep it. */
void tui_refuse(struct tui *tui, const struct err *err);

/** What a key is called, for a sentence. */
struct key_text {
	char name[16];
};

/** The first key in effect for a code of the table: `tui_key(tui, 'l').name`. */
struct key_text tui_key(const struct tui *tui, int code);

/** The view that is the picture. */
const struct view *tui_view(const struct tui *tui);

/** Has this machine nothing for a view? */
bool tui_has_nothing_for(const struct tui *tui, enum view_id view);

/** Make a view the picture. */
void tui_show(struct tui *tui, enum view_id view);

/** The figures that are selected in the view that was used last. @return how many: 0 … 2 */
unsigned tui_selected(const struct tui *tui, struct series ret[2]);

/** What was selected in one view is selected in the others. */
void tui_select(struct tui *tui, const struct quantity *quantity);

/** Ask the log how it stands, for the header; what has become of it is a message. */
void tui_refresh_log(struct tui *tui);

/** Is it a recorded session that is played? */
bool tui_is_playing(const struct tui *tui);

#endif
