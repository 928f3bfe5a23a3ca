#include "tui/list.h"

#include <stdio.h>
#include <string.h>

#include "tui/keys.h"
#include "tui/match.h"
#include "tui/mouse.h"
#include "tui/state.h"

static struct cursor *list_of(struct tui *tui, unsigned *ret_n)
{
	*ret_n = 0;
	return tui->view->list ? tui->view->list(tui, ret_n) : NULL;
}

static unsigned click_item(void *screen, int item)
{
	struct tui *tui = screen;
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	if (cursor && (unsigned)item < n)
		cursor->at = (unsigned)item;
	return DID_REDRAW;
}

void list_area(int y, unsigned item)
{
	mouse_area(y, 0, 1, COLS, click_item, (int)item);
}

const char *list_range(struct tui *tui, unsigned n_seen, char *buf, unsigned size)
{
	unsigned n;
	const struct cursor *cursor = list_of(tui, &n);

	buf[0] = '\0';
	if (cursor && n_seen && n > n_seen)
		snprintf(buf, size, "%u–%u of %u", cursor->top + 1, cursor->top + n_seen, n);
	return buf;
}

static bool has(const struct tui *tui, unsigned item, const char *search)
{
	char text[256];

	return match_has(tui->view->item(tui, item, text, sizeof(text)), search);
}

/* From an item on, round and round. @step  1 or -1  @return false: nothing has it */
static bool find(struct tui *tui, unsigned from, int step)
{
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	for (unsigned i = 0; cursor && i < n; i++) {
		unsigned at = step > 0 ? (from + i) % n : (from + n - i) % n;

		if (!has(tui, at, tui->search.text))
			continue;
		cursor->at = at;
		return true;
	}
	return false;
}

static void go_back(struct tui *tui)
{
	unsigned n;
	struct cursor *cursor = list_of(tui, &n);

	if (cursor)
		cursor->at = tui->search.before;
}

static void typed(struct tui *tui, const char *text)
{
	snprintf(tui->search.text, sizeof(tui->search.text), "%s", text);
	if (!*text || !find(tui, tui->search.before, 1))
		go_back(tui);
}

static void say_missing(struct tui *tui)
{
	tui_say(tui, ROLE_WARN, "nothing here has \"%s\"", tui->search.text);
}

static void entered(struct tui *tui, const char *text)
{
	if (*text && !find(tui, tui->search.before, 1))
		say_missing(tui);
}

unsigned act_search(struct tui *tui, int key)
{
	unsigned n;
	const struct cursor *cursor = list_of(tui, &n);

	(void)key;
	if (!cursor) {
		tui_say(tui, ROLE_WARN, "there is nothing to search in this view");
		return DID_REDRAW;
	}
	tui->search.before = cursor->at;
	prompt_open(tui, "search", "then n, N: next, previous", entered);
	prompt_follow(tui, typed, go_back);
	return DID_REDRAW;
}

unsigned act_search_again(struct tui *tui, int key)
{
	unsigned n;
	const struct cursor *cursor = list_of(tui, &n);
	int step = key == 'n' ? 1 : -1;

	if (!tui->search.text[0])
		tui_say(tui, ROLE_WARN, "nothing has been searched for: %s does",
			tui_key(tui, '/').name);
	else if (cursor && n && !find(tui, (cursor->at + n + (unsigned)step) % n, step))
		say_missing(tui);
	return DID_REDRAW;
}
