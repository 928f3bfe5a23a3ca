#include "tui/view/cores_fit.h"

#include "tui/term/draw.h"
#include "tui/model/names.h"
#include "tui/screen/state.h"

enum { METRIC_HEADING_MAX = 10 };

/* Visible columns of figures, in order. */
struct figures {
	unsigned n;
	const struct shown *item[COLUMNS_MAX];
};

static void find_figures(const struct model *model, struct figures *ret)
{
	const struct columns *columns = &model->columns;

	ret->n = 0;
	for (unsigned i = SHOWN_FIXED; i < columns->n && ret->n < COLUMNS_MAX; i++)
		if (!columns->item[i].is_hidden &&
		    columns_is_there(&columns->item[i], model->primary_metric >= 0,
				     model_n_slots(model), &model->metric))
			ret->item[ret->n++] = &columns->item[i];
}

static int heading_width(const struct model *model, const struct shown *item)
{
	char text[48];

	if (item->kind == SHOWN_SLOT)
		return draw_columns(name_heading(model, item->number, text, sizeof(text)));

	int width = draw_columns(name_metric(model, item->number));

	return width < METRIC_HEADING_MAX ? width : METRIC_HEADING_MAX;
}

static void want_figures(const struct model *model, const struct figures *figures,
			 struct layout_want *want)
{
	want->n_slots = figures->n;
	want->selected = figures->n; /* it may be hidden */
	want->first = model->first;
	for (unsigned i = 0; i < figures->n; i++) {
		const struct shown *item = figures->item[i];
		const struct event *event =
			item->kind == SHOWN_SLOT ? set_event(model->set, item->number) : NULL;

		want->heading[i] = (uint8_t)heading_width(model, item);
		want->has_units |= event && *event->unit;
		if (item->kind == SHOWN_SLOT && item->number == model->slot)
			want->selected = i;
	}
}

/* From places in the order to what stands there. */
static void name_columns(const struct figures *figures, struct layout *layout)
{
	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct column *column = &layout->column[i];

		if (column->kind != COLUMN_SLOT)
			continue;

		const struct shown *item = figures->item[column->slot];

		column->kind = item->kind == SHOWN_SLOT ? COLUMN_SLOT : COLUMN_METRIC;
		column->slot = item->number;
	}
}

void fit_make(struct tui *tui)
{
	struct model *model = &tui->model;
	struct figures figures;
	struct layout_want want = {
		.width = COLS,
		.height = LINES,
		.name_min = model->name_brief,
		.name_max = model->name_full,
	};

	find_figures(model, &figures);
	want.has_primary_metric =
		model->primary_metric >= 0 && columns_shows(&model->columns, SHOWN_HEADLINE, 0);
	want.has_bar = model->primary_metric >= 0 && columns_shows(&model->columns, SHOWN_BAR, 0);
	want.has_sparkline = columns_shows(&model->columns, SHOWN_HISTORY, 0);
	want_figures(model, &figures, &want);
	layout_make(&want, &tui->layout);
	if (tui->layout.too_small)
		return;
	model->first = tui->layout.first;
	name_columns(&figures, &tui->layout);
}

unsigned fit_n_columns(const struct tui *tui)
{
	struct figures figures;

	find_figures(&tui->model, &figures);
	return figures.n;
}
