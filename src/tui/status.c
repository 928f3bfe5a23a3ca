#include "tui/status.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "tui/term/draw.h"
#include "tui/term/keymap.h"
#include "tui/screen/list.h"
#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/pager.h"
#include "tui/screen/state.h"
#include "tui/counting/by_task.h"
#include "tui/model/scrub.h"
#include "tui/time/playing.h"
#include "tui/view/cores_bar.h"

enum { RANGE_MIN_WIDTH = 60 };

/* The event of the selected slot on the selected row's type. */
static const struct event *selected_event(const struct tui *tui)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);

	if (!line)
		return set_event(model->set, model->slot);
	return model->set->type[model_type(model, line)].event[model->slot];
}

/* Where the event may and will be counted: "legal on PMC5-7  driver will use PMC5" */
static const char *legal_text(const struct tui *tui, const struct event *event, char *buf,
			      size_t size)
{
	const struct line *line = model_selected(&tui->model);
	unsigned type = line ? model_type(&tui->model, line) : 0;
	const struct core_type *core_type = &tui->model.machine->type[type];
	uint8_t counter = tui->model.set->type[type].counter[tui->model.slot];
	char legal[64];

	buf[0] = '\0';
	if (!event->needs_counter)
		return buf;
	if (event->counters)
		snprintf(legal, sizeof(legal), "%s %s",
			 event->is_forced ? "forced onto" : "legal on",
			 counters_text(event->counters, buf, size));
	else
		snprintf(legal, sizeof(legal), "legal on any counter");
	if (core_type->first_fit && counter != COUNTER_NONE)
		snprintf(buf, size, "%s   driver will use PMC%u", legal, counter);
	else
		snprintf(buf, size, "%s", legal);
	return buf;
}

static void draw_event(const struct tui *tui, int y)
{
	const struct event *event = selected_event(tui);
	char slot[32], id[32], legal[160];
	int x = 1, end = COLS - 1;

	x += draw_text(y, x, end - x, ROLE_SELECTED,
		       name_slot(&tui->model, tui->model.slot, slot, sizeof(slot)));
	x += 2;
	if (!event) {
		draw_printf(y, x, end - x, ROLE_DIM, "counts nothing: press %s to choose an event",
			    tui_key(tui, 'e').name);
		return;
	}
	legal_text(tui, event, legal, sizeof(legal));
	if (end - x - draw_columns(legal) < 30)
		legal[0] = '\0';
	end -= draw_columns(legal);
	draw_text(y, end, COLS - end, ROLE_DIM, legal);
	x += draw_text(y, x, end - x - 2, ROLE_TOTAL, event->name) + 1;
	x += draw_text(y, x, end - x - 2, ROLE_TEXT, name_id(event, id, sizeof(id))) + 2;
	if (*event->refused)
		draw_text(y, x, end - x - 2, ROLE_WARN, event->refused);
	else if (event->known)
		draw_text(y, x, end - x - 2, ROLE_DIM, event->known->brief);
}

static int draw_labelled(int y, int x, const char *label, struct reading reading, const char *unit)
{
	char text[64];
	int end = COLS - 1;

	if (end - x < 8 + draw_columns(label))
		return x;
	figure_with_unit(reading, unit, 8, text, sizeof(text));
	x += draw_text(y, x, end - x, ROLE_DIM, label);
	x += draw_text(y, x, end - x, ROLE_TEXT, text);
	return x + 3;
}

/* Of a cell that several frames were put together to: between what it was. */
static void draw_range(const struct tui *tui, int y, int x, const struct line *line,
		       const char *unit)
{
	const struct series series = { .line = *line,
				       .quantity = quantity_of_slot(&tui->model, tui->model.slot) };
	const struct history_value value = series_value(&tui->model, &series);

	if (tui->model.at.n_frames < 2)
		return;
	x = draw_labelled(y, x, "min ", (struct reading){ value.min, value.quality }, unit);
	x = draw_labelled(y, x, "max ", (struct reading){ value.max, value.quality }, unit);
	draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "in %u frames", (unsigned)tui->model.at.n_frames);
}

/* Totals since z, in the event's unit. */
static void draw_stats(const struct tui *tui, int y, int x, const struct line *line,
		       const struct event *event, const char *unit)
{
	const struct running_stats *running_stats = model_stats(&tui->model, line, tui->model.slot);
	struct reading total = count_total(&running_stats->sum);
	struct {
		const char *label;
		struct reading reading;
		const char *unit;
	} part[] = {
		{ "min ", running_stats->min, unit },
		{ "mean ", { running_stats_mean(running_stats), total.quality }, unit },
		{ "max ", running_stats->max, unit },
		{ "total ", total, event->unit },
	};

	for (size_t i = 0; running_stats->n && i < ARRAY_SIZE(part); i++) {
		part[i].reading.value *= event->scale;
		x = draw_labelled(y, x, part[i].label, part[i].reading, part[i].unit);
	}
}

/* m1top's own share of it, while counts are attributed to tasks. */
static int draw_own(const struct tui *tui, int y, int x, const struct line *line)
{
	double share;

	if (COLS - x < 16 || !by_task_own_share(tui, line, &share))
		return x;
	x += draw_text(y, x, COLS - 1 - x, ROLE_DIM, "own ");
	return x + draw_printf(y, x, COLS - 1 - x, ROLE_TEXT, "%.2f %%", share * 100) + 3;
}

/* A core's other threads: they share what it counts on. */
static int draw_siblings(const struct tui *tui, int y, int x, const struct line *line)
{
	char cpus[32] = "";

	if (line->by == BY_CORE)
		machine_siblings(tui->model.machine, line->index, cpus, sizeof(cpus));
	if (!*cpus)
		return x;
	return x + 3 +
	       draw_printf(y, x, COLS - 1 - x, ROLE_DIM, "%s cpu%s",
			   COLS < 100 ? "sibling" : "SMT sibling of", cpus);
}

static void draw_row(const struct tui *tui, int y)
{
	const struct model *model = &tui->model;
	const struct line *line = model_selected(model);
	const struct event *event = selected_event(tui);
	struct frame_row row;
	char name[32], unit[48], error[16], with_error[sizeof(unit) + sizeof(error)];

	if (!line || !event)
		return;

	int x = 1 +
		draw_text(y, 1, COLS - 2, ROLE_TOTAL,
			  name_row(model, line, false, name, sizeof(name))) +
		2;

	x = draw_siblings(tui, y, x, line);
	if (!model_row(model, line, &row))
		return;
	figure_unit(event, SHOW_RATE, unit, sizeof(unit));

	struct reading now = model_figure(model, &row, model->slot, SHOW_RATE);

	double is_off_by = /* a frame of other columns has no such count */
		now.quality == QUALITY_SCALED ? count_error(&row.count[model->slot]) : 0;

	num_error(is_off_by, false, error, sizeof(error));
	snprintf(with_error, sizeof(with_error), "%s%s%s", unit, *error ? " " : "", error);
	x = draw_labelled(y, x, "", now, with_error);
	if (now.quality == QUALITY_PENDING)
		return; /* what is kept is of the event before */
	if (model->baseline) {
		struct reading before = baseline_slot(model, &row, model->slot, SHOW_RATE);

		x = draw_labelled(y, x, "baseline ", before, unit);
	}

	struct reading per_ki = model_figure(model, &row, model->slot, SHOW_PER_KI);

	if (quality_has_value(per_ki.quality))
		x = draw_labelled(y, x, "", per_ki, COLS < 100 ? "/ki" : "per 1000 instructions");
	x = draw_own(tui, y, x, line);
	if (scrub_is_on(model))
		draw_range(tui, y, x, line, unit);
	else
		draw_stats(tui, y, x, line, event, unit);
}

/* What may be done about the moment comes before what the view offers. */
static const struct hint *hints(const struct tui *tui)
{
	static const struct hint walking[] = { { "?", "help" },
					       { "End", "live" },
					       { "← →", "back, forward" },
					       { "w", "write" },
					       { 0 } };

	if (tui_view(tui)->key == pager_key)
		return tui_view(tui)->hint;
	if (tui_is_playing(tui))
		return playing_hints;
	return scrub_is_on(&tui->model) ? walking : tui_view(tui)->hint;
}

/* Where in a list the picture is, then keys. */
static void draw_hints(struct tui *tui, int y, int x)
{
	int end = COLS - 1;
	char range[32];

	if (COLS >= RANGE_MIN_WIDTH && *list_range(tui, tui->n_seen, range, sizeof(range)) &&
	    end - x > draw_columns(range)) {
		draw_right(y, x, end - x, ROLE_DIM, range);
		end -= draw_columns(range) + 2;
	}
	hints_draw(hints(tui), tui->config->keymap, y, x, end);
}

/* A sentence that is longer than the line takes the lines above it too. */
static void draw_status(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	int width = COLS - 2, most = layout->n_detail + 1;
	int n_lines = draw_wrapped(-1, 1, width, most, tui->status_role, tui->status);

	if (n_lines <= 1) {
		int used = draw_text(layout->status_y, 1, width, tui->status_role, tui->status);

		draw_hints(tui, layout->status_y, used + 3);
		return;
	}
	for (int y = layout->status_y - n_lines + 1; y <= layout->status_y; y++)
		draw_printf(y, 0, COLS, ROLE_TEXT, "%*s", COLS, "");
	draw_wrapped(layout->status_y - n_lines + 1, 1, width, most, tui->status_role, tui->status);
}

void status_draw(struct tui *tui)
{
	const struct layout *layout = &tui->layout;
	int y = layout->detail_y;

	if (tui_view(tui)->has_detail && layout->n_detail > 2)
		cores_bar_detail(tui, y++);
	if (tui_view(tui)->has_detail)
		draw_event(tui, y++);
	if (tui_view(tui)->has_detail && y < layout->status_y)
		draw_row(tui, y);
	draw_status(tui);
}
