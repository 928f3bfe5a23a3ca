#include "tui/event_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/dots.h"
#include "tui/draw.h"
#include "tui/layout.h"

int event_n_dots(const struct machine *machine)
{
	return (int)(event_end_counter(machine) - event_first_counter(machine));
}

static int text_at(const struct event_rows *rows, enum event_column which, int y, enum role role,
		   const char *text)
{
	return draw_text(y, rows->columns.at[which].x, rows->columns.at[which].width, role, text);
}

/* A text with the letters that the search means. */
static void draw_found(const struct event_rows *rows, enum event_column which, int y,
		       enum role role, const char *text)
{
	bool letter[256];
	size_t n = strlen(text) < sizeof(letter) ? strlen(text) : sizeof(letter);
	int used = text_at(rows, which, y, role, text);

	match_letters(rows->search, text, which == EVENT_NAME, letter, n);
	draw_marks(y, rows->columns.at[which].x, used, text, letter, n);
}

void event_head_draw(const struct event_rows *rows, int y)
{
	text_at(rows, EVENT_NAME, y, ROLE_HEADING, "event");
	text_at(rows, EVENT_ID, y, ROLE_HEADING, "id");
	dots_head_draw(y, rows->columns.at[EVENT_DOTS].x, rows->columns.at[EVENT_DOTS].width,
		       event_first_counter(rows->model->machine),
		       set_slot_of(rows->model->set, rows->slot));
	text_at(rows, EVENT_WHERE, y, ROLE_HEADING, "on");
	draw_right(y, rows->columns.at[EVENT_RATE].x, rows->columns.at[EVENT_RATE].width,
		   ROLE_HEADING, rows->rate);
	text_at(rows, EVENT_BRIEF, y, ROLE_HEADING, "what it counts");
	text_at(rows, EVENT_TOPIC, y, ROLE_HEADING, "topic");
}

/* Nothing for events that take no counter. */
static void draw_dots(const struct event_rows *rows, const struct catalog_event *event, int y)
{
	unsigned first = event_first_counter(rows->model->machine);
	int width = rows->columns.at[EVENT_DOTS].width;
	uint64_t legal = 0;

	for (int i = 0; i < width; i++)
		legal |= (uint64_t)event_is_legal(event, first + (unsigned)i)
			 << (first + (unsigned)i);
	if (!*event->pmu)
		dots_draw(y, rows->columns.at[EVENT_DOTS].x, width, first, legal);
}

/* What is counted all the time needs no trial. */
static struct reading rate_of(const struct event_rows *rows, const struct choice *choice,
			      int column)
{
	const struct model *model = rows->model;
	struct frame_row row;

	if (column < 0 || model->row.at >= model->n_lines ||
	    !model_row(model, &model->line[model->row.at], &row))
		return choice->preview;
	return model_figure(model, &row, (unsigned)column, SHOW_RATE);
}

static void draw_rate(const struct event_rows *rows, const struct choice *choice, int column, int y)
{
	struct reading rate = rate_of(rows, choice, column);
	bool has_value = quality_has_value(rate.quality);
	const char *unit = choice->event->unit;
	char figure[32], text[64];

	if (rate.quality == QUALITY_NONE)
		return;
	figure_text(rate, LAYOUT_CELL_WIDTH, figure, sizeof(figure));
	snprintf(text, sizeof(text), "%s%s%s", figure, has_value ? unit : "",
		 has_value ? "/s" : "");
	if (draw_columns(text) > EVENT_RATE_WIDTH) /* rather no unit than half of one */
		snprintf(text, sizeof(text), "%s", figure);
	draw_right(y, rows->columns.at[EVENT_RATE].x, rows->columns.at[EVENT_RATE].width,
		   has_value ? ROLE_TEXT : ROLE_DIM, text);
}

void event_row_draw(const struct event_rows *rows, const struct choice *choice, bool is_chosen,
		    int y)
{
	const struct catalog_event *event = choice->event;
	int column = event_column_of(rows->model, event);
	enum role role = choice->fits ? ROLE_TEXT : ROLE_DIM;
	char text[32];

	draw_found(rows, EVENT_NAME, y, is_chosen ? ROLE_SELECTED : role, event->name);
	snprintf(text, sizeof(text), "%#" PRIx64, event->id);
	if (!*event->pmu)
		draw_found(rows, EVENT_ID, y, ROLE_DIM, text);
	draw_dots(rows, event, y);
	snprintf(text, sizeof(text), "●%u",
		 column < 0 ? 0 : set_slot_of(rows->model->set, (unsigned)column));
	if (column >= 0)
		text_at(rows, EVENT_WHERE, y, ROLE_GOOD, text);
	draw_rate(rows, choice, column, y);
	draw_found(rows, EVENT_BRIEF, y, role, event->brief);
	text_at(rows, EVENT_TOPIC, y, ROLE_DIM, event_group(event));
}
