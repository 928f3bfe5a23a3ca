#include "tui/screen/screen.h"

#include <stdarg.h>
#include <stdio.h>

#include "tui/screen/log_control.h"
#include "tui/screen/state.h"
#include "tui/term/key.h"
#include "tui/term/keymap.h"

void tui_say(struct tui *tui, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(tui->status, sizeof(tui->status), fmt, args);
	va_end(args);
	tui->status_role = role;
}

void tui_refuse(struct tui *tui, const struct err *err)
{
	/* to be read in full, but nothing to be told again on leaving */
	messages_add(tui->config->messages, MESSAGE_INFO, "%s", err->text);
	tui->messages_seen = tui->config->messages->n;
	tui_say(tui, ROLE_ERROR, "%s", err->text);
}

struct key_text tui_key(const struct tui *tui, int code)
{
	struct key_text text;

	keymap_key_text(tui->config->keymap, code, text.name, sizeof(text.name));
	return text;
}

const struct view *tui_view(const struct tui *tui)
{
	return tui->views[tui->view];
}

bool tui_has_nothing_for(const struct tui *tui, enum view_id view)
{
	return tui->views[view]->is_empty && tui->views[view]->is_empty(tui);
}

void tui_show(struct tui *tui, enum view_id view)
{
	tui->view = view;
	tui->scroll = 0;
	if (tui_view(tui)->enter)
		tui_view(tui)->enter(tui);
}

unsigned tui_selected(const struct tui *tui, struct series ret[2])
{
	unsigned n = tui->views[tui->acted]->selected(tui, ret);

	return n ? n : tui->views[VIEW_CORES]->selected(tui, ret);
}

void tui_select(struct tui *tui, const struct quantity *quantity)
{
	for (enum view_id id = 0; id < N_VIEWS; id++) {
		if (tui->views[id]->select && tui->views[id]->select(tui, quantity)) {
			tui->acted = id;
			return;
		}
	}
}

void tui_refresh_log(struct tui *tui)
{
	struct err err = { 0 };

	if (!tui->config->log)
		return;

	if (log_control_text(tui->config->log, tui->log, sizeof(tui->log), &err) < 0)
		messages_add(tui->config->messages, MESSAGE_ERROR, "%s", err.text);
	log_control_tell(tui->config->log, tui->config->messages);
}

bool tui_is_playing(const struct tui *tui)
{
	return tui->config->recorded.player;
}
