/* model_columns.c: which columns of counters there are */
#include <string.h>

#include "event/set_devices.h"
#include "tui/model/model.h"

unsigned model_n_slots(const struct model *model)
{
	unsigned n = columns_n_counters(model->machine);

	n = n > DIGIT_COLUMNS ? n : DIGIT_COLUMNS;
	return n > model->set->n_slots ? n : model->set->n_slots;
}

/* Does it count nothing, or what a column before it does? */
static bool is_idle(const struct set *set, unsigned column)
{
	const struct event *event = set_event(set, column);
	unsigned i = 0;

	while (i < column && set_event(set, i) != event)
		i++;
	return !event || i < column;
}

bool model_has_column(const struct model *model, const struct shown *column)
{
	bool is_counter =
		set_n_mux(model->set) == 1 && column->number < columns_n_counters(model->machine);

	const struct event *event =
		column->kind == SHOWN_SLOT ? set_event(model->set, column->number) : NULL;

	/* Utilisation and Frequency say it */
	if (event && event_is_activity(event) && column->number != model->slot)
		return false;
	if (column->kind == SHOWN_SLOT && column->number != model->slot && !is_counter &&
	    is_idle(model->set, column->number))
		return false;
	if (column->kind == SHOWN_SLOT && set_is_of_device(model->set, column->number))
		return false;
	return columns_is_there(column, model->primary_metric >= 0, model_n_slots(model),
				&model->metric);
}

unsigned model_column(const struct model *model, unsigned slot)
{
	unsigned column = set_column_of(model->set, 0, slot);

	return set_slot_of(model->set, column) == slot ? column : COLUMNS_MAX;
}

bool model_is_primary_share(const struct model *model)
{
	return model->primary_metric >= 0 &&
	       metric_is_share(&model->metrics->metric[model->primary_metric]);
}
