#include "tui/screen/event_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/term/draw.h"
#include "tui/widget/layout.h"
#include "tui/widget/table.h"

/* ---- columns ---- */

enum { NAME_MIN = 16, ID_WIDTH = 6, WHERE_WIDTH = 3, BRIEF_MIN = 12, BRIEF_USUAL = 40 };

/* Give a column its width. @return false: there is no room for it */
static bool event_row_take(struct event_columns *columns, enum event_column which, int width,
			   int *left)
{
	return table_widen(left, TABLE_GAP, &columns->at[which].width, width, width);
}

static int event_row_least(int a, int b)
{
	return a < b ? a : b;
}

void event_columns_make(const struct event_want *want, int x, struct event_columns *ret)
{
	struct event_columns columns = { .at = { { 0 } } };
	int name = event_row_least(event_row_least(want->name, NAME_MIN), want->width);
	int left = want->width - name;

	bool has_all = event_row_take(&columns, EVENT_DOTS, want->n_dots, &left) &&
		       event_row_take(&columns, EVENT_ID, ID_WIDTH, &left) &&
		       event_row_take(&columns, EVENT_WHERE, WHERE_WIDTH, &left) &&
		       event_row_take(&columns, EVENT_RATE, want->rate, &left);
	int more = event_row_least(left, want->name - name);

	left -= more;
	columns.at[EVENT_NAME].width = name + more;
	if (has_all && left >= want->topic + BRIEF_USUAL + 2 * TABLE_GAP)
		event_row_take(&columns, EVENT_TOPIC, want->topic, &left);
	if (has_all && left >= BRIEF_MIN + TABLE_GAP)
		event_row_take(&columns, EVENT_BRIEF, left - TABLE_GAP, &left);
	for (int i = 0; i < N_EVENT_COLUMNS; i++) {
		columns.at[i].x = x;
		x += columns.at[i].width ? columns.at[i].width + TABLE_GAP : 0;
	}
	*ret = columns;
}

/* ---- lines ---- */

int event_n_dots(const struct machine *machine)
{
	return (int)(columns_n_counters(machine) - event_first_counter(machine));
}

static int text_at(const struct event_rows *rows, enum event_column which, int y, enum role role,
		   const char *text)
{
	return draw_text(y, rows->columns.at[which].x, rows->columns.at[which].width, role, text);
}

/* Draw a text and mark the letters that match the search. */
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
	counter_mask_head_draw(y, rows->columns.at[EVENT_DOTS].x,
			       rows->columns.at[EVENT_DOTS].width,
			       event_first_counter(rows->model->machine),
			       set_slot_of(rows->model->set, rows->slot));
	text_at(rows, EVENT_WHERE, y, ROLE_HEADING, "on");
	draw_right(y, rows->columns.at[EVENT_RATE].x, rows->columns.at[EVENT_RATE].width,
		   ROLE_HEADING, rows->rate);
	text_at(rows, EVENT_BRIEF, y, ROLE_HEADING, "what it counts");
	text_at(rows, EVENT_TOPIC, y, ROLE_HEADING, "topic");
}

/* Draw the counter mask; empty for events that take no counter. */
static void draw_dots(const struct event_rows *rows, const struct catalog_event *event, int y)
{
	unsigned first = event_first_counter(rows->model->machine);
	int width = rows->columns.at[EVENT_DOTS].width;
	uint64_t legal = 0;

	for (int i = 0; i < width; i++)
		legal |= (uint64_t)event_is_legal(event, first + (unsigned)i)
			 << (first + (unsigned)i);
	if (!*event->pmu)
		counter_mask_draw(y, rows->columns.at[EVENT_DOTS].x, width, first, legal);
}

/* Get the event's rate: the current one if it is counted, else that of its trial. */
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
	char text[64];

	if (rate.quality == QUALITY_NONE)
		return;

	struct label figure = figure_text(rate, LAYOUT_CELL_WIDTH);

	snprintf(text, sizeof(text), "%s%s%s", figure.text, has_value ? unit : "",
		 has_value ? "/s" : "");
	if (draw_columns(text) > EVENT_RATE_WIDTH) /* no unit rather than a truncated one */
		snprintf(text, sizeof(text), "%s", figure.text);
	draw_right(y, rows->columns.at[EVENT_RATE].x, rows->columns.at[EVENT_RATE].width,
		   has_value ? ROLE_TEXT : ROLE_DIM, text);
}

void event_row_draw(const struct event_rows *rows, const struct choice *choice, bool is_chosen,
		    int y)
{
	const struct catalog_event *event = choice->event;
	int column = event_column_of(rows->model, event);
	enum role role = choice->fits ? ROLE_TEXT : ROLE_DIM;
	const char *alias = event_found_alias(event, rows->search); /* shown if it matches */
	char text[32], brief[512];

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
	snprintf(brief, sizeof(brief), "%s%s%s%s", alias ? "also " : "", alias ? alias : "",
		 alias ? ": " : "", event->brief);
	draw_found(rows, EVENT_BRIEF, y, role, brief);
	text_at(rows, EVENT_TOPIC, y, ROLE_DIM, event_group(event));
}
