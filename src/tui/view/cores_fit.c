#include "tui/view/cores_fit.h"

#include <curses.h>

#include "tui/view/cores_parts.h"
#include "tui/screen/state.h"

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
		if (!columns->item[i].is_hidden && model_has_column(model, &columns->item[i]))
			ret->item[ret->n++] = &columns->item[i];
}

static void want_figures(const struct model *model, const struct figures *figures,
			 struct layout_want *want)
{
	want->has_units = model->baseline; /* they tell changes from figures */
	want->n_slots = figures->n;
	want->selected = figures->n; /* it may be hidden, or scrolled away from */
	want->first = model->first;
	for (unsigned i = 0; i < figures->n; i++) {
		const struct shown *item = figures->item[i];
		const struct event *event =
			item->kind == SHOWN_SLOT ? set_event(model->set, item->number) : NULL;

		want->has_units |= event && *event->unit;
		if (item->kind == SHOWN_SLOT && item->number == model->slot &&
		    model->scrolled_from == COLUMNS_MAX)
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

/* How busy the cores are and how fast, where that is counted and does not lead anyway. */
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

	if (model->scrolled_from != model->slot)
		model->scrolled_from = COLUMNS_MAX;
	find_figures(model, &figures);
	want.has_primary_metric =
		model->primary_metric >= 0 && columns_shows(&model->columns, SHOWN_HEADLINE, 0);
	want.has_bar = model->primary_metric >= 0 && columns_shows(&model->columns, SHOWN_BAR, 0);
	want.has_parts = want.has_bar && parts_are_counted(model);
	want.has_sparkline = columns_shows(&model->columns, SHOWN_HISTORY, 0);
	want.has_task = model->shown && model->shown->tasks &&
			columns_shows(&model->columns, SHOWN_TASK, 0);
	want_leading(model, &want);
	want_figures(model, &figures, &want);
	layout_make(&want, &tui->layout);
	if (tui->layout.too_small)
		return;
	model->first = tui->layout.first;
	name_columns(&figures, &tui->layout);
}

static void drop_others(const struct set *set, struct figures *figures)
{
	unsigned n = 0;

	for (unsigned i = 0; i < figures->n; i++)
		if (figures->item[i]->kind == SHOWN_SLOT &&
		    tasks_have_column(set, figures->item[i]->number))
			figures->item[n++] = figures->item[i];
	figures->n = n;
}

void fit_make_tasks(const struct tui *tui, const struct fit_tasks *tasks, struct layout *ret)
{
	const struct model *model = &tui->model;
	const struct columns *columns = &model->columns;
	bool has_parts = tasks->has_headline && parts_are_counted(model) &&
			 columns_shows(columns, SHOWN_BAR, 0);
	struct figures figures;
	struct layout_want want = {
		.width = COLS - tasks->share,
		.height = LINES,
		.name_min = tasks->leading,
		.name_max = tasks->leading,
		.has_primary_metric =
			tasks->has_headline && columns_shows(columns, SHOWN_HEADLINE, 0),
		.has_bar = has_parts,
		.has_parts = has_parts,
	};

	find_figures(model, &figures);
	drop_others(model->set, &figures);
	want_figures(model, &figures, &want);
	want.has_units = false;
	layout_make(&want, ret);
	name_columns(&figures, ret);
}

unsigned fit_n_columns(const struct tui *tui)
{
	struct figures figures;

	find_figures(&tui->model, &figures);
	return figures.n;
}
