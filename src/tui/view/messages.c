
#include <time.h>

#include "base/clock.h"
#include "tui/term/draw.h"
#include "tui/screen/state.h"
#include "tui/widget/match.h"

/* Draw a message's time and number of repetitions. @return columns used */
static int draw_when(const struct tui *tui, int y, const struct message *message)
{
	time_t s = (time_t)(message->wall_ns / NS_PER_S);
	struct tm tm;
	char when[16];
	int x = 1;

	localtime_r(&s, &tm);
	strftime(when, sizeof(when), "%H:%M:%S  ", &tm);
	if (!sampler_backend(tui->config->sampler)->virtual_clock)
		x += draw_text(y, x, COLS - x, ROLE_DIM, when);
	if (message->times > 1)
		x += draw_printf(y, x, COLS - x, ROLE_DIM, "%u × ", message->times);
	return x;
}

/* Draw a message. @return lines used; long messages are wrapped */
static int draw_message(const struct tui *tui, int y, const struct message *message)
{
	int x = draw_when(tui, y, message), most = tui->layout.status_y - y;

	return draw_wrapped(y, x, COLS - 1 - x, most, message_role[message->level], message->text);
}

static void messages_draw(struct tui *tui)
{
	const struct messages *messages = tui->config->messages;
	const struct message *found[MESSAGES_MAX];
	unsigned n = 0;
	int y = pager_title(tui, "Messages, the newest first", "");

	for (uint64_t i = messages->n; i-- > 0 && messages->n - i <= MESSAGES_MAX;)
		if (match_has(messages_at(messages, i)->text, tui->find))
			found[n++] = messages_at(messages, i);
	if (tui->scroll >= n)
		tui->scroll = n ? n - 1 : 0;
	if (!n)
		draw_text(y, 1, COLS - 2, ROLE_DIM,
			  tui->find[0] ? "nothing found" : "nothing to report");
	for (unsigned i = tui->scroll; i < n && y < tui->layout.status_y; i++)
		y += draw_message(tui, y, found[i]);
}

const struct view view_messages = {
	.name = "Messages",
	.what = "messages of this session",
	.is_text = true,
	.hint = { { "Esc", "back" }, { "Tab", "view" } },
	.draw = messages_draw,
	.key = pager_key,
};
