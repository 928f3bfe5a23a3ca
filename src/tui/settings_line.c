#include "tui/settings_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tui/actions.h"
#include "tui/draw.h"
#include "tui/interval.h"
#include "tui/playing.h"
#include "tui/rows_keys.h"
#include "tui/walk.h"

enum { PARTS_MAX = 8, STAYS = 0 };

struct part {
	int gives_way; /* 1: the first to go; STAYS */
	char text[160];
	char brief[32]; /* what stays of it then */
};

struct sentence {
	struct part part[PARTS_MAX];
	unsigned n;
};

/* @return it, for a brief form */
static struct part *add(struct sentence *sentence, int gives_way, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static struct part *add(struct sentence *sentence, int gives_way, const char *fmt, ...)
{
	struct part *part = &sentence->part[sentence->n++];
	va_list args;

	*part = (struct part){ .gives_way = gives_way };
	va_start(args, fmt);
	vsnprintf(part->text, sizeof(part->text), fmt, args);
	va_end(args);
	return part;
}

static void add_rows(struct sentence *sentence, const struct model *model)
{
	const char *filter = model->rows.filter.text;
	unsigned n = rows_n_cores(model), all = model->machine->n_cores;
	char order[64];

	if (*filter) {
		struct part *part = add(sentence, 4, "filter: %s (%u of %u)", filter, n, all);

		snprintf(part->brief, sizeof(part->brief), "%u of %u cores", n, all);
	}
	if (*rows_order_text(model, order, sizeof(order)))
		add(sentence, 2, "%s", order);
}

/* What is counted, where it has a name, and for how long yet. */
static void add_counted(struct sentence *sentence, const struct tui *tui)
{
	const struct model *model = &tui->model;
	uint64_t left_ns = rotation_left_ns(tui);
	unsigned n_turns = set_n_turns(model->set);

	if (*model->set->preset)
		add(sentence, 5, "%s", model->set->preset);
	else if (model->chosen.n)
		add(sentence, 5, "%u metric%s", model->chosen.n, model->chosen.n > 1 ? "s" : "");
	if (left_ns && !model->frozen)
		add(sentence, STAYS, "next in %u s",
		    (unsigned)((left_ns + NS_PER_S - 1) / NS_PER_S));
	if (n_turns > 1)
		add(sentence, 6, "%u sets in turn", n_turns);
}

static void collect(const struct tui *tui, struct sentence *sentence)
{
	const struct model *model = &tui->model;
	uint64_t interval_ns = walk_is_on(model) ? model->shown->interval_ns
						 : sampler_interval(tui->config->sampler);
	char interval[32];

	add_rows(sentence, model);
	add(sentence, STAYS, "every %s", interval_text(interval_ns, interval, sizeof(interval)));
	add_counted(sentence, tui);
	if (!playing_is_on(tui))
		add(sentence, model->levels == LEVELS_BOTH ? 3 : 7, "%s",
		    levels_name[model->levels]);
	add(sentence, 1, "by %s", frame_by_name[model->by]);
}

static const char *join(const struct sentence *sentence, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < sentence->n && n < size; i++)
		if (*sentence->part[i].text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " · " : "",
					      sentence->part[i].text);
	return buf;
}

static void leave_out(struct sentence *sentence, int gives_way)
{
	for (unsigned i = 0; i < sentence->n; i++) {
		struct part *part = &sentence->part[i];

		if (part->gives_way == gives_way)
			memcpy(part->text, part->brief, sizeof(part->brief));
	}
}

const char *settings_text(const struct tui *tui, int room, char *buf, size_t size)
{
	struct sentence sentence = { .n = 0 };

	collect(tui, &sentence);
	for (int next = 1; draw_columns(join(&sentence, buf, size)) > room && next <= PARTS_MAX;
	     next++)
		leave_out(&sentence, next);
	return buf;
}
