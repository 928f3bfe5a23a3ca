/* summary_sums.c: what a row counts of each event while a set lasts, for all figures made of it */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "session/report/summary_internal.h"

/* ---- which there are ---- */

static struct summary_sum *find(const struct summary_row *row, uint64_t columns, bool is_of_devices)
{
	for (size_t i = 0; i < row->n_sums; i++)
		if (row->sum[i].columns == columns && row->sum[i].is_of_devices == is_of_devices)
			return &row->sum[i];
	return NULL;
}

int summary_add_sum(struct summary_row *row, uint64_t columns, bool is_of_devices, int figure)
{
	const struct summary_sum sum = {
		.columns = columns, .is_of_devices = is_of_devices, .n_devices = 1, .figure = figure
	};

	return array_append((void **)&row->sum, &row->cap_sums, &row->n_sums, &sum, sizeof(sum));
}

/* A column alone is the same of devices as of mux groups. */
static bool is_of_devices(const struct metric_binding *binding, uint64_t columns)
{
	return (columns & (columns - 1)) && (columns & binding->gathered);
}

int summary_add_input_sums(struct summary_row *row, const struct metric_program *program,
			   const struct metric_binding *binding)
{
	int rc = 0;

	for (unsigned i = 0; !rc && metric_input(program, i); i++) {
		uint64_t columns = metric_input_columns(binding, i);

		if (columns && !find(row, columns, is_of_devices(binding, columns)))
			rc = summary_add_sum(row, columns, is_of_devices(binding, columns), -1);
	}
	return rc;
}

/* ---- what becomes of them ---- */

static int reserve_inputs(struct summary_inputs *inputs, const struct metric_program *program)
{
	if (inputs->count)
		return 0;
	while (metric_input(program, inputs->n))
		inputs->n++;
	inputs->count = calloc(inputs->n + 1, sizeof(*inputs->count));
	inputs->n_sources = calloc(inputs->n + 1, sizeof(*inputs->n_sources));
	return inputs->count && inputs->n_sources ? 0 : -ENOMEM;
}

/* What source_count() says of these columns, as it does of one window. */
static unsigned n_sources(const struct metric_binding *binding, const struct summary_sum *sum)
{
	if (!(sum->columns & binding->sources))
		return 1;
	return sum->columns & binding->gathered ? sum->n_devices
	       : sum->count.n_summed > 1        ? sum->count.n_summed
						: 1;
}

static int settle_inputs(const struct summary_row *row, const struct metric_program *program,
			 const struct metric_binding *binding, struct summary_inputs *inputs)
{
	int rc = reserve_inputs(inputs, program);

	for (unsigned i = 0; !rc && i < inputs->n; i++) {
		uint64_t columns = metric_input_columns(binding, i);
		const struct summary_sum *sum = find(row, columns, is_of_devices(binding, columns));

		if (!columns)
			continue;
		count_add_window(&inputs->count[i], &sum->count);
		if (n_sources(binding, sum) > inputs->n_sources[i])
			inputs->n_sources[i] = n_sources(binding, sum);
	}
	return rc;
}

/* A threshold looks at what else was counted beside its metric. */
static int settle_metric(const struct summary *summary, struct summary_row *row, unsigned column)
{
	struct summary_figure *figure = &row->figure[row->of_metric[column]];
	const struct metric *metric = &summary->metrics->metric[figure->metric];
	const struct metric_binding *alarm = row->bound->alarm[row->type][column];
	int rc = settle_inputs(row, metric->program[row->type],
			       row->bound->binding[row->type][column], &figure->inputs);

	if (!rc && alarm)
		rc = settle_inputs(row, metric->alarm[row->type], alarm, &figure->alarm_inputs);
	return rc;
}

int summary_settle_row(const struct summary *summary, struct summary_row *row)
{
	int rc = 0;

	for (size_t i = 0; i < row->n_sums; i++)
		if (row->sum[i].figure >= 0)
			count_add_window(&row->figure[row->sum[i].figure].sum, &row->sum[i].count);
	for (unsigned i = 0; !rc && row->bound && i < row->bound->n; i++)
		if (row->of_metric[i] >= 0)
			rc = settle_metric(summary, row, i);
	row->n_sums = 0;
	row->bound = NULL;
	return rc;
}
