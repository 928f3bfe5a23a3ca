#include "tui/view/figures.h"

#include <curses.h>
#include <math.h>

#include "tui/model/baseline.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"
#include "tui/model/task_list.h"
#include "tui/term/draw.h"

/* Visible figure columns, in order. */
struct figures {
	unsigned n;
	struct column at[COLUMNS_MAX]; /* without a place */
};

/* @tasks  set whose columns tasks must have; NULL: all columns */
static void find_figures(const struct model *model, const struct set *tasks, struct figures *ret)
{
	const struct columns *columns = &model->columns;

	ret->n = 0;
	for (unsigned i = columns->n_fixed; i < columns->n && ret->n < COLUMNS_MAX; i++) {
		const struct shown *item = &columns->item[i];
		bool has = !tasks ||
			   (item->kind == SHOWN_SLOT && tasks_have_column(tasks, item->number));

		if (has && !item->is_hidden && model_has_column(model, item))
			ret->at[ret->n++] =
				(struct column){ .kind = item->kind == SHOWN_SLOT ? COLUMN_SLOT
										  : COLUMN_METRIC,
						 .slot = item->number };
	}
}

static void want_figures(const struct model *model, const struct figures *figures,
			 struct layout_want *want)
{
	want->slot = figures->at;
	want->n_slots = figures->n;
	want->selected = figures->n; /* none: the column may be hidden or scrolled away */
	want->first = model->first;
	for (unsigned i = 0; i < figures->n; i++) {
		const struct column *at = &figures->at[i];
		const struct event *event =
			at->kind == COLUMN_SLOT ? set_event(model->set, at->slot) : NULL;

		want->has_units |= event && *event->unit;
		if (at->kind == COLUMN_SLOT && at->slot == model->slot &&
		    model->scrolled_from == COLUMNS_MAX)
			want->selected = i;
	}
}

/* Request the leading columns Utilisation and Frequency, if they are counted and not the primary
 * metric. */
static void want_leading(const struct model *model, struct layout_want *want)
{
	static const char *const names[LAYOUT_LEADING_MAX] = { "Utilisation", "Frequency" };

	for (unsigned i = 0; i < LAYOUT_LEADING_MAX; i++) {
		int number = metrics_find(model->metrics, names[i]);

		if (number >= 0 && number != model->primary_metric &&
		    metric_list_has(&model->metric, (unsigned)number))
			want->leading[want->n_leading++] = (unsigned)number;
	}
}

/* Complete what is wanted by the figures, and compute the layout. @tasks  as find_figures */
static void fit(const struct model *model, const struct set *tasks, struct layout_want want,
		struct layout *ret)
{
	struct figures figures;

	find_figures(model, tasks, &figures);
	want_figures(model, &figures, &want);
	want.has_units = (!tasks && want.has_units) || model->baseline; /* "%": a change */
	want.primary_metric = (unsigned)model->primary_metric;
	layout_make(&want, ret);
}

void figures_fit(struct tui *tui)
{
	struct model *model = &tui->model;
	const struct columns *columns = &model->columns;
	bool has_metric = model->primary_metric >= 0;
	struct layout_want want = {
		.width = COLS,
		.height = LINES,
		.name_min = model->name_brief,
		.name_max = model->name_full,
		.has_primary_metric = has_metric && columns_shows(columns, "ipc"),
		.has_bar = has_metric && columns_shows(columns, "bar"),
		.has_sparkline = columns_shows(columns, "history"),
		.has_task = model->shown && model->shown->tasks &&
			    !model->shown->tasks->own_window_ns && columns_shows(columns, "task"),
	};

	if (model->scrolled_from != model->slot)
		model->scrolled_from = COLUMNS_MAX;
	want.has_power = model->machine->sensors ||
			 model->machine->type[model->machine->n_types - 1].max_mhz;
	want.has_parts = want.has_bar && model_has_parts(model);
	want_leading(model, &want);
	fit(model, NULL, want, &tui->layout);
	if (!tui->layout.too_small)
		model->first = tui->layout.first;
}

void figures_fit_tasks(const struct tui *tui, int leading, int share, struct layout *ret)
{
	const struct model *model = &tui->model;
	const struct columns *columns = &model->columns;
	bool has_metric = task_list_has_metric(model, model->primary_metric);
	bool has_parts = has_metric && model_has_parts(model) && columns_shows(columns, "bar");
	struct layout_want want = {
		.width = COLS - share,
		.height = LINES,
		.name_min = leading,
		.name_max = leading,
		.has_primary_metric = has_metric && columns_shows(columns, "ipc"),
		.has_bar = has_parts,
		.has_parts = has_parts,
		.is_bar_selected = model_is_selected(model, ORDER_BAR, 0),
	};

	fit(model, model->set, want, ret);
}

unsigned figures_orders(const struct tui *tui, struct order *ret)
{
	const struct layout *layout = &tui->layout;
	struct figures figures;
	unsigned n = 0;

	for (unsigned i = 1; i < layout->n_columns; i++) {
		const struct column *column = &layout->column[i];

		if (column->kind == COLUMN_METRIC && i <= layout->n_leading)
			ret[n++] = (struct order){ .by = ORDER_METRIC, .number = column->slot };
		if (column->kind == COLUMN_HEADLINE)
			ret[n++] = (struct order){ .by = ORDER_HEADLINE };
		if (column->kind == COLUMN_BAR && layout->has_parts)
			ret[n++] = (struct order){ .by = ORDER_BAR };
	}
	find_figures(&tui->model, NULL, &figures);
	for (unsigned i = 0; i < figures.n; i++)
		ret[n++] = (struct order){ .by = figures.at[i].kind == COLUMN_SLOT ? ORDER_SLOT
										   : ORDER_METRIC,
					   .number = figures.at[i].slot };
	return n;
}

unsigned figures_n(const struct tui *tui)
{
	struct figures figures;

	find_figures(&tui->model, NULL, &figures);
	return figures.n;
}

struct table_heading figures_heading(const struct layout *layout, const struct column *column)
{
	return (struct table_heading){ .y = layout->heading_y,
				       .x = column->x,
				       .width = column->width,
				       .above_y = layout->number_y,
				       .unit_y = layout->units_y };
}

void figures_slot_heading(const struct tui *tui, const struct layout *layout,
			  const struct column *column, const char *arrow, mouse_act *click)
{
	const struct model *model = &tui->model;
	const struct event *event = set_event(model->set, column->slot);
	struct table_heading heading = figures_heading(layout, column);
	int top = layout->number_y >= 0 ? layout->number_y : layout->heading_y;
	const struct label number = name_number(model, column->slot, column->width);
	const struct label unit = figure_unit(event, model->show);

	heading.above = number.text;
	heading.text = event ? event->short_name : "-";
	heading.unit = tui_shows_changes(tui) ? baseline_unit(unit.text) : unit.text;
	heading.is_selected = model_is_selected(model, ORDER_SLOT, column->slot);
	heading.arrow = arrow;
	table_heading_draw(&heading);
	mouse_area(top, column->x - 1, layout->rows_y + layout->n_rows - top, column->width + 1,
		   click, (int)column->slot);
}

struct label figures_text(const struct tui *tui, const struct column *column,
			  struct reading reading)
{
	const struct model *model = &tui->model;
	unsigned width = lesser((unsigned)column->width, LAYOUT_CELL_WIDTH);

	if (column->kind == COLUMN_SLOT)
		return figure_steady(reading, width,
				     scrub_is_on(model) ? UINT8_MAX
							: model->borders[column->slot].is_up);
	if (column->kind == COLUMN_HEADLINE && model_is_primary_share(model))
		return figure_metric(reading, 1, width);
	return figure_ratio(reading, width);
}

void figures_curve(int y, int x, const float *value, unsigned n, double max)
{
	static const wchar_t level[] = L"▁▂▃▄▅▆▇█";
	wchar_t glyph[CURVE_MAX];
	enum role role = ROLE_LEVEL;
	unsigned from = 0; /* first character that is not drawn yet; all of them have that role */

	for (unsigned i = 0; i < n; i++) {
		double share = max > 0 ? (double)value[i] / max : 0;

		if (!isnan(share) && theme_level(share) != role) {
			draw_glyphs(y, x + (int)from, (int)(i - from), role, glyph + from);
			role = theme_level(share);
			from = i;
		}
		glyph[i] = isnan(share) ? L' ' : level[(int)fmin(7, fmax(0, floor(share * 8)))];
	}
	draw_glyphs(y, x + (int)from, (int)(n - from), role, glyph + from);
}
