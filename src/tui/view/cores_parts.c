#include "tui/view/cores_parts.h"

#include <string.h>

bool parts_are_known(const struct metrics *metrics)
{
	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (metrics->part[i].number < 0)
			return false;
	return metrics->n_parts > 0;
}

bool parts_are_counted(const struct model *model)
{
	const struct metrics *metrics = model->metrics;

	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (!metric_list_has(&model->metric, (unsigned)metrics->part[i].number))
			return false;
	return parts_are_known(metrics);
}

/* "%", in Linux's files "percent of slots" */
static double share_of(const struct metric *metric, double value)
{
	bool is_percent = metric->unit[0] == '%' || strncmp(metric->unit, "percent", 7) == 0;
	double share = is_percent ? value / 100 : value;

	return share > 0 ? share : 0;
}

bool parts_of_row(const struct model *model, const struct frame_row *row, struct row_parts *ret)
{
	const struct metrics *metrics = model->metrics;
	struct row_parts parts = { .n = metrics->n_parts, .loss = -1 };

	for (unsigned i = 0; i < parts.n; i++) {
		const struct metric_part *part = &metrics->part[i];
		struct reading reading = model_metric(model, row, part->number);

		if (part->number < 0 || !quality_has_value(reading.quality))
			return false;
		parts.share[i] = share_of(&metrics->metric[part->number], reading.value);
		parts.sum += parts.share[i];
		parts.is_estimate |= reading.quality == QUALITY_SCALED;
		if (part->known->preset && parts.share[i] > 0 &&
		    (parts.loss < 0 || parts.share[i] > parts.share[parts.loss]))
			parts.loss = (int)i;
	}
	*ret = parts;
	return parts.n > 0;
}

static bool has_preset(const struct machine *machine, const char *name)
{
	for (unsigned type = 0; type < machine->n_types; type++)
		if (catalog_preset_find(machine->type[type].catalog, name))
			return true;
	return false;
}

/* Where in its list the preset that is counted stands. @return -1: nowhere */
static int counted_in(const struct model *model, unsigned part)
{
	const char *const *preset = model->metrics->part[part].known->preset;

	for (int i = 0; preset && preset[i]; i++)
		if (strcmp(preset[i], model->set->preset) == 0)
			return i;
	return -1;
}

int parts_explained(const struct model *model)
{
	for (unsigned i = 0; i < model->metrics->n_parts; i++)
		if (counted_in(model, i) >= 0)
			return (int)i;
	return -1;
}

const char *parts_preset(const struct model *model, unsigned part)
{
	const char *const *preset = model->metrics->part[part].known->preset;
	int at = counted_in(model, part), n = 0;

	while (preset && preset[n])
		n++;
	for (int i = 1; i <= n; i++) {
		int next = (at + i) % n;

		if (next != at && has_preset(model->machine, preset[next]))
			return preset[next];
	}
	return NULL;
}
