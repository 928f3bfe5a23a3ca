#include "tui/screen/screen.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "tui/tui.h"
#include "tui/model/baseline.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"
#include "tui/keys.h"

const enum role message_role[] = {
	[MESSAGE_NOTE] = ROLE_TEXT,    [MESSAGE_INFO] = ROLE_TEXT,   [MESSAGE_RESULT] = ROLE_GOOD,
	[MESSAGE_WARNING] = ROLE_WARN, [MESSAGE_ERROR] = ROLE_ERROR,
};

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
	/* kept in the message list, but not printed again on exit */
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

const struct key *view_find_key(const struct view *view, int key)
{
	const struct key *row = NULL;

	for (size_t i = 0; !row && view->keys[i]; i++)
		row = keys_find(view->keys[i], key);
	return row;
}

bool tui_has_nothing_for(const struct tui *tui, enum view_id view)
{
	return tui->views[view]->is_empty && tui->views[view]->is_empty(tui);
}

void tui_show(struct tui *tui, enum view_id view)
{
	if (!tui_view(tui)->is_text)
		tui->back = tui->view;
	tui->view = view;
	tui->scroll = 0;
	tui->find[0] = '\0';
	if (tui_view(tui)->enter)
		tui_view(tui)->enter(tui);
}

unsigned tui_selected(const struct tui *tui, struct series ret[2])
{
	unsigned n = tui->views[tui->acted]->selected(tui, ret);

	return n ? n : tui->views[VIEW_CORES]->selected(tui, ret);
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

bool tui_is_of_this_machine(const struct tui *tui)
{
	return !tui->model.machine->simulated && !tui_is_playing(tui);
}

bool tui_shows_changes(const struct tui *tui)
{
	bool is_of_tasks = tui->view == VIEW_TASKS || tui->view == VIEW_TASK;

	return tui->model.baseline && tui_view(tui)->parts & CHANGES &&
	       (!is_of_tasks || baseline_tasks(tui->model.baseline));
}

/* ---- prompt ---- */

/* Draw the question, the typed text, a hint and how to end it. */
static void prompt_draw(struct tui *tui)
{
	static const char keys[] = "Enter: done   Esc: leave";
	const struct prompt *prompt = &tui->prompt;
	int x = 1, y = tui->layout.status_y;
	char all[160];

	move(y, 0);
	clrtoeol();
	x += draw_printf(y, x, COLS - x, ROLE_KEY, "%s: ", prompt->question);
	x += draw_tail(y, x, COLS - x - 1, ROLE_INPUT, prompt->input.text);
	draw_text(y, x, 1, ROLE_INPUT, " ");
	x += 3;
	snprintf(all, sizeof(all), "%s   %s", prompt->hint, keys);
	if (COLS - x >= draw_columns(all))
		draw_text(y, x, COLS - x, ROLE_DIM, all);
	else if (COLS - x >= draw_columns(keys))
		draw_text(y, x, COLS - x, ROLE_DIM, keys);
}

static void prompt_key(struct tui *tui, int key)
{
	struct prompt *prompt = &tui->prompt;

	if (key_is_enter(key)) {
		tui->overlay = NULL;
		if (prompt->done)
			prompt->done(tui, prompt->input.text);
	} else if (key == KEYS_ESCAPE) {
		tui->overlay = NULL;
		if (prompt->changed)
			prompt->changed(tui, "");
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

/* ---- text views ---- */

int pager_title(const struct tui *tui, const char *title, const char *enter)
{
	int y = tui->layout.n_header + (tui->layout.n_header > 1);

	if (tui->find[0])
		draw_printf(y, 1, COLS - 2, ROLE_TITLE, "%s: lines with \"%s\"   Esc: all%s", title,
			    tui->find, enter);
	else
		draw_printf(y, 1, COLS - 2, ROLE_TITLE, "%s   Esc or q: back   /: search%s", title,
			    COLS < 90 ? "" : "   j k PgDn PgUp: scroll");
	return y + 2;
}

unsigned pager_fit(struct tui *tui, int y, unsigned n_items)
{
	unsigned room = tui->layout.status_y > y ? (unsigned)(tui->layout.status_y - y) : 0;
	unsigned last = n_items > room ? n_items - room : 0;

	if (tui->scroll > last)
		tui->scroll = last;
	return tui->scroll;
}

static void pager_find(struct tui *tui, const char *text)
{
	snprintf(tui->find, sizeof(tui->find), "%s", text);
	tui->scroll = 0;
}

static void pager_back(struct tui *tui, int key)
{
	if (key == KEYS_ESCAPE && tui->find[0])
		pager_find(tui, "");
	else
		tui_show(tui, tui->back);
}

bool pager_key(struct tui *tui, int key)
{
	unsigned page = LINES > 8 ? (unsigned)LINES - 6 : 2;

	switch (key) {
	case KEYS_ESCAPE:
	case 'q': pager_back(tui, key); return true;
	case '/':
	case KEY_F(3):
		prompt_open(tui, &(struct prompt){ .question = "search",
						   .hint = "words of a line",
						   .changed = pager_find });
		return true;
	case 'j':
	case KEY_DOWN: tui->scroll++; return true;
	case 'k':
	case KEY_UP: tui->scroll -= tui->scroll > 0; return true;
	case KEY_NPAGE: tui->scroll += page; return true;
	case KEY_PPAGE: tui->scroll -= page < tui->scroll ? page : tui->scroll; return true;
	case 'g':
	case KEY_HOME: tui->scroll = 0; return true;
	case 'G':
	case KEY_END: tui->scroll = 1u << 20; return true;
	default: return false;
	}
}
