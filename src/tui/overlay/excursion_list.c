/* excursion_list.c: what went beyond its threshold while nobody looked; Enter goes to that moment */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "sampler/excursions.h"
#include "sampler/sampler.h"
#include "tui/history/playing.h"
#include "tui/history/time_keys.h"
#include "tui/overlay/chooser.h"
#include "tui/screen/state.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* Get an item of the list, the newest first; later ones are not in it. */
static const struct excursion *excursion_item(const struct tui *tui, unsigned item)
{
	return excursions_at(tui->config->excursions, tui->excursions_seen - 1 - item);
}

/* Format a line: "03:57:34   12 s  cpu4   stall_share 81.2 > 20   mcf". @return buf */
static const char *excursion_line(const struct tui *tui, unsigned item, char *buf, size_t size)
{
	const struct excursion *excursion = excursion_item(tui, item);
	char when[32], length[32], what[96];

	buf[0] = '\0';
	if (excursion)
		snprintf(buf, size, "%-10s %10s%s  %-10s %s  %s",
			 time_of_picture(tui, excursion->t_ns, when, sizeof(when)),
			 duration_text(excursion->beyond_ns, length, sizeof(length)),
			 excursion->is_over ? " " : "+", excursion->row,
			 excursion_text(tui->config->excursions, excursion, what, sizeof(what)),
			 excursion->task);
	return buf;
}

static unsigned excursion_rank(const struct tui *tui, unsigned item, const char *search)
{
	char line[256];

	return match_has(excursion_line(tui, item, line, sizeof(line)), search);
}

static void excursion_draw(const struct tui *tui, unsigned item, bool is_chosen, int y, int x,
			   int width)
{
	char line[256];

	draw_text(y, x, width, is_chosen ? ROLE_SELECTED : ROLE_TEXT,
		  excursion_line(tui, item, line, sizeof(line)));
}

static void excursion_foot(const struct tui *tui UNUSED, int y, int x, int width)
{
	int end = x + width;

	x = chooser_hint(y, x, end, "Enter", "go to that moment");
	x = chooser_hint(y, x, end, "Esc", "leave");
	draw_text(y, x, end - x, ROLE_DIM, "+ still beyond it");
}

/* List the conditions that would be listed: those whose metric is counted. */
static const char *excursion_none(const struct tui *tui)
{
	static char ret[512];
	const struct excursions *list = tui->config->excursions;
	const struct metrics_bound *bound = sampler_bound(tui->config->sampler);
	const struct condition *condition;
	size_t n = (size_t)snprintf(ret, sizeof(ret), "none; these limits are watched:");

	if (*tui->chooser->search.text)
		return "no excursion matches";
	for (unsigned i = 0; (condition = excursions_condition(list, i)) && n < sizeof(ret); i++)
		if (metrics_column(bound, condition->metric) >= 0)
			n += (size_t)snprintf(ret + n, sizeof(ret) - n, "  %s %c %g",
					      tui->config->metrics->metric[condition->metric].name,
					      condition->compare, condition->limit);
	return ret;
}

static void excursion_go(struct tui *tui, uint64_t t_ns)
{
	chooser_close(tui);
	playing_go(tui, t_ns);
	if (tui->model.shown && tui->model.shown->t_ns - frame_window_ns(tui->model.shown) > t_ns)
		tui_say(tui, ROLE_WARN, "that moment is no longer kept: this is the oldest");
}

static bool excursion_key(struct tui *tui, int key)
{
	int item = chooser_item(tui);
	const struct excursion *excursion = item < 0 ? NULL : excursion_item(tui, (unsigned)item);

	if (!key_is_enter(key))
		return false;
	if (excursion)
		excursion_go(tui, excursion->t_ns);
	return true;
}

static const struct chooser_ops ops = {
	.name = "Excursions",
	.rank = excursion_rank,
	.draw = excursion_draw,
	.foot = excursion_foot,
	.n_foot = 1,
	.none = excursion_none,
	.key = excursion_key,
};

void act_excursions(struct tui *tui, int key UNUSED)
{
	uint64_t n = excursions_n(tui->config->excursions);

	tui->excursions_seen = n;
	chooser_open(tui, &ops, n < EXCURSIONS_KEPT ? (unsigned)n : EXCURSIONS_KEPT);
}
