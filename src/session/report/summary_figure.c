/* summary_figure.c: windows added up, and what a session gives of them */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/report/summary_internal.h"

/* ---- which figure a column is ---- */

static int add_figure(struct summary_row *row, const struct summary_figure *figure)
{
	int rc = array_reserve((void **)&row->figure, &row->cap, row->n, sizeof(*figure));

	if (rc)
		return rc;
	row->figure[row->n] = *figure;
	return (int)row->n++;
}

/* @return its number; -ENOMEM */
static int find_event(struct summary_row *row, const struct event *event, unsigned nth)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct summary_figure *figure = &row->figure[i];

		if (figure->event && figure->nth == nth && event_is_same(figure->event, event))
			return (int)i;
	}
	return add_figure(row, &(struct summary_figure){ .event = event, .nth = nth });
}

static int find_metric(struct summary_row *row, unsigned metric, bool is_of_devices)
{
	for (size_t i = 0; i < row->n; i++)
		if (!row->figure[i].event && row->figure[i].metric == metric)
			return (int)i;
	return add_figure(
		row, &(struct summary_figure){ .metric = metric, .is_of_devices = is_of_devices });
}

/* The type whose events are the row's: of a device the one that counts it. */
static unsigned type_of(const struct summary *summary, const struct summary_row *row,
			const struct set *set, unsigned column)
{
	unsigned type = row->type;

	if (!row->device)
		return type;
	while (type + 1 < summary->machine->n_types && !set->type[type].event[column])
		type++;
	return type;
}

static unsigned first_of_mux(const struct set *set, unsigned column)
{
	return set_n_mux(set) > 1 ? set->first[set_mux_of(set, column)] : 0;
}

static int map_column(struct summary *summary, struct summary_row *row, const struct set *set,
		      unsigned column)
{
	const struct placement *placement = &set->type[type_of(summary, row, set, column)];
	const struct event *event = placement->event[column];
	unsigned nth = 0;

	if (!event || (row->device && event->pmu != row->device))
		return -1;
	for (unsigned i = first_of_mux(set, column); i < column; i++)
		nth += placement->event[i] && event_is_same(placement->event[i], event);
	return find_event(row, event, nth);
}

static bool is_wanted(const struct summary *summary, unsigned metric)
{
	const struct metrics_selection *wanted = summary->wanted;

	for (size_t i = 0; wanted && i < wanted->n; i++)
		if (wanted->number[i] == metric)
			return true;
	return !wanted;
}

/* Devices' metrics have rows of their own; of all devices together they stand with the type. */
static bool has_metric(const struct summary_row *row, bool is_of_devices)
{
	return row->device ? is_of_devices : !is_of_devices || row->by == BY_TYPE;
}

static int map_metric(struct summary *summary, struct summary_row *row, const struct frame *frame,
		      unsigned column)
{
	const struct metrics_bound *bound = frame->bound;
	unsigned metric = bound->number[column];
	bool is_of_devices = metrics_is_of_devices(bound, column);

	if (!bound->binding[row->type][column] || !is_wanted(summary, metric) ||
	    !has_metric(row, is_of_devices))
		return -1;
	return find_metric(row, metric, is_of_devices);
}

/* An event of several mux groups is one figure. */
static int map_columns(struct summary *summary, struct summary_row *row, const struct frame *frame)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < frame->n_slots; i++) {
		int at = map_column(summary, row, frame->set, i);
		size_t k = 0;

		if (at < 0) {
			rc = at == -1 ? 0 : at;
			continue;
		}
		while (k < row->n_sums && row->sum[k].figure != at)
			k++;
		if (k < row->n_sums)
			row->sum[k].columns |= UINT64_C(1) << i;
		else
			rc = summary_add_sum(row, UINT64_C(1) << i, false, at);
	}
	return rc;
}

static int map_metrics(struct summary *summary, struct summary_row *row, const struct frame *frame)
{
	const struct metrics_bound *bound = frame->bound;
	int rc = 0;

	memset(row->of_metric, -1, sizeof(row->of_metric));
	for (unsigned i = 0; !rc && i < bound->n; i++) {
		const struct metric *metric = &summary->metrics->metric[bound->number[i]];
		const struct metric_binding *alarm = bound->alarm[row->type][i];
		int at = map_metric(summary, row, frame, i);

		if (at < 0) {
			rc = at == -1 ? 0 : at;
			continue;
		}
		row->of_metric[i] = (int16_t)at;
		rc = summary_add_input_sums(row, metric->program[row->type],
					    bound->binding[row->type][i]);
		if (!rc && alarm)
			rc = summary_add_input_sums(row, metric->alarm[row->type], alarm);
	}
	return rc;
}

int summary_map_row(struct summary *summary, struct summary_row *row, const struct frame *frame)
{
	int rc = summary_settle_row(summary, row);

	if (!rc)
		rc = map_columns(summary, row, frame);
	return rc ? rc : map_metrics(summary, row, frame);
}

/* ---- adding ---- */

static int add_value(struct summary *summary, struct summary_figure *figure, double value)
{
	summary->n_exact++;
	return digest_add(&figure->digest, value);
}

static int add_event(struct summary *summary, struct summary_figure *figure,
		     const struct count *count)
{
	struct reading rate = count_rate(count);

	figure->n_intervals[count->quality]++;
	figure->asked_s +=
		(double)count->enabled_ns / 1e9 / (count->n_summed > 1 ? count->n_summed : 1);
	if (!quality_has_value(rate.quality))
		return 0;
	return add_value(summary, figure, rate.value * figure->event->scale);
}

static int add_to_sum(struct summary *summary, struct summary_row *row, struct summary_sum *sum,
		      const struct count *column)
{
	const struct count *count = &column[__builtin_ctzll(sum->columns)];
	struct count several;

	if (sum->columns & (sum->columns - 1)) {
		several = metric_add_columns(sum->columns, sum->is_of_devices, column);
		count = &several;
		if (sum->is_of_devices && metric_n_devices(sum->columns, column) > sum->n_devices)
			sum->n_devices = metric_n_devices(sum->columns, column);
	}
	count_add_window(&sum->count, count);
	return sum->figure < 0 ? 0 : add_event(summary, &row->figure[sum->figure], count);
}

static int add_metric(struct summary *summary, struct summary_figure *figure, unsigned column,
		      const struct frame_row *from)
{
	const struct metric_binding *alarm = from->bound->alarm[from->type][column];
	const struct metric *metric = &summary->metrics->metric[figure->metric];
	struct reading reading = from->metric[column];

	figure->n_intervals[reading.quality]++;
	if (!quality_has_value(reading.quality))
		return 0;
	if (alarm)
		figure->n_beyond +=
			metric_judge(metric->alarm[from->type], alarm, from->count) == ALARM_BEYOND;
	return add_value(summary, figure, reading.value);
}

int summary_add_row(struct summary *summary, struct summary_row *row, const struct frame_row *from)
{
	int rc = 0;

	row->bound = from->bound;
	for (size_t i = 0; !rc && i < row->n_sums; i++)
		rc = add_to_sum(summary, row, &row->sum[i], from->count);
	for (unsigned i = 0; !rc && i < from->bound->n; i++)
		if (row->of_metric[i] >= 0)
			rc = add_metric(summary, &row->figure[row->of_metric[i]], i, from);
	return rc;
}

/* ---- what it comes to ---- */

static void finish_event(const struct summary_row *row, struct summary_figure *figure)
{
	const struct count *sum = &figure->sum;

	figure->total = count_total(sum);
	figure->total.value *= figure->event->scale;
	figure->mean = figure->total;
	if (quality_has_value(figure->total.quality) && figure->asked_s > 0)
		figure->mean.value = figure->total.value / figure->asked_s;
	if (row->watched_ns)
		figure->counted_pct = 100 * (double)sum->running_ns / (double)row->watched_ns;
}

/* Inputs stand by number, those that nothing counted missing. More than a binding's bits can say are
 * the business of metric_eval_inputs. */
static void bind_inputs(const struct summary_inputs *inputs, struct metric_binding *ret)
{
	*ret = (struct metric_binding){ .n_sources = inputs->n_sources };
	for (unsigned i = 0; i < inputs->n && i < 64; i++) {
		bool is_there = inputs->count[i].quality != QUALITY_NONE;

		ret->slot[i] = is_there ? (uint8_t)i : BINDING_MISSING;
		if (is_there)
			ret->slots |= UINT64_C(1) << i;
	}
}

static struct reading evaluate(const struct metric_program *program,
			       const struct summary_inputs *inputs)
{
	struct metric_binding binding;

	if (inputs->n > 64)
		return metric_eval_inputs(program, inputs->count);
	bind_inputs(inputs, &binding);
	return metric_eval(program, &binding, inputs->count);
}

static void finish_metric(const struct summary *summary, const struct summary_row *row,
			  struct summary_figure *figure)
{
	const struct metric *metric = &summary->metrics->metric[figure->metric];
	struct metric_binding binding;

	figure->mean = (struct reading){ .quality = QUALITY_NOT_COUNTED };
	if (figure->inputs.count)
		figure->mean = metric_in_unit(
			metric, evaluate(metric->program[row->type], &figure->inputs));
	if (figure->alarm_inputs.count && figure->alarm_inputs.n <= 64) {
		bind_inputs(&figure->alarm_inputs, &binding);
		figure->alarm = metric_judge(metric->alarm[row->type], &binding,
					     figure->alarm_inputs.count);
	}
}

void summary_finish_figure(const struct summary *summary, const struct summary_row *row,
			   struct summary_figure *figure)
{
	if (figure->event)
		finish_event(row, figure);
	else
		finish_metric(summary, row, figure);
}

static void inputs_fini(struct summary_inputs *inputs)
{
	free(inputs->count);
	free(inputs->n_sources);
}

void summary_figure_fini(struct summary_figure *figure)
{
	digest_fini(&figure->digest);
	inputs_fini(&figure->inputs);
	inputs_fini(&figure->alarm_inputs);
}

/* ---- what it is called ---- */

const char *summary_figure_name(const struct summary *summary, const struct summary_figure *figure,
				char *buf, size_t size)
{
	static const char *const suffix[] = {
		[PRIVILEGE_BOTH] = "", [PRIVILEGE_USER] = ":u", [PRIVILEGE_KERNEL] = ":k"
	};
	const struct event *event = figure->event;
	const char *name = event ? event->name : summary->metrics->metric[figure->metric].name;
	const char *behind = event ? suffix[event->privilege] : "";
	size_t n = strlen(name);

	if (n > 2 && strcmp(name + n - 2, behind) == 0)
		behind = "";
	snprintf(buf, size, "%s%s", name, behind);
	return buf;
}

const char *summary_figure_unit(const struct summary *summary, const struct summary_figure *figure)
{
	return figure->event ? figure->event->unit : summary->metrics->metric[figure->metric].unit;
}

bool summary_figure_is_counted(const struct summary_figure *figure)
{
	return figure->n_intervals[QUALITY_OK] || figure->n_intervals[QUALITY_SCALED] ||
	       quality_has_value(figure->total.quality);
}

bool summary_figure_is_shown(const struct summary_row *row, const struct summary_figure *figure)
{
	uint64_t n = 0;

	if (figure->is_of_devices)
		return summary_figure_is_counted(figure);
	if (!row->device && figure->event && event_is_of_device(figure->event))
		return false;
	for (enum quality i = QUALITY_OK; i < N_QUALITIES; i++)
		n += figure->n_intervals[i];
	return n > 0;
}
