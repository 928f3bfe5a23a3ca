#include "tui/metrics_view.h"

#include <stdio.h>
#include <string.h>

#include "tui/names.h"

unsigned metrics_n_subtotals(const struct model *model)
{
	return model->machine->n_types;
}

/* Cores stand in the order of the Cores view, without the clusters between them but those that are
 * folded. */
static unsigned n_parts(const struct model *model)
{
	unsigned n = 0;

	if (model->by != BY_CORE && model->by != BY_CLUSTER)
		return 0;
	for (unsigned i = 0; i < model->n_lines; i++)
		n += !model->line[i].is_heading;
	return n;
}

unsigned metrics_n_columns(const struct model *model)
{
	return metrics_n_subtotals(model) + n_parts(model);
}

struct line metrics_column_line(const struct model *model, unsigned column)
{
	unsigned part = column - metrics_n_subtotals(model);

	if (column < metrics_n_subtotals(model))
		return (struct line){ .by = BY_TYPE, .index = column };
	for (unsigned i = 0; i < model->n_lines; i++)
		if (!model->line[i].is_heading && part-- == 0)
			return model->line[i];
	return (struct line){ .by = BY_TYPE };
}

const char *metrics_heading(const struct model *model, unsigned column, char *buf, size_t size)
{
	struct line line = metrics_column_line(model, column);
	char name[32];

	if (line.by == BY_TYPE)
		snprintf(buf, size, "%s",
			 model->machine->n_types > 1 ? model->machine->type[line.index].name
						     : "all");
	else
		snprintf(buf, size, "%s",
			 name_line(model, &line, true, name, sizeof(name)) + strspn(name, " "));
	return buf;
}

struct reading metrics_figure(const struct model *model, const struct frame_row *row,
			      unsigned number)
{
	struct reading reading = { .quality = QUALITY_PENDING };

	if (!row)
		return reading;

	bool is_bound = metrics_column(row->bound, (int)number) >= 0;

	if (is_bound || row->state == CORE_OFF || model->yielded)
		reading = model_metric(model, row, (int)number);
	if (reading.quality == QUALITY_NONE)
		reading.quality = model->metrics->metric[number].program[row->type]
					  ? QUALITY_NOT_COUNTED
					  : QUALITY_NOT_SUPPORTED;
	return reading;
}
