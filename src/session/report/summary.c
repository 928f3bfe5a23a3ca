#include "session/report/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "pmu/set.h"
#include "session/format/row_name.h"
#include "session/reader.h"

/* Sums of a row while a set lasts, which all its figures use */

/* ---- creation ---- */

/* ---- use ---- */

static int reserve_inputs(struct summary_inputs *inputs, const struct metric_program *program)
{
	if (inputs->count)
		return 0;
	while (metric_input(program, inputs->n))
		inputs->n++;
	inputs->count = calloc(inputs->n + 1, sizeof(*inputs->count));
	inputs->n_sources = calloc(inputs->n + 1, sizeof(*inputs->n_sources));
	inputs->scale = calloc(inputs->n + 1, sizeof(*inputs->scale));
	return inputs->count && inputs->n_sources && inputs->scale ? 0 : -ENOMEM;
}

/* Get the value of source_count() for these columns, as for one window. */
static unsigned n_sources(const struct metric_binding *binding, const struct column_set *columns,
			  const struct count *slot, const struct count *sum)
{
	if (!column_set_meets(columns, &binding->sources))
		return 1;
	if (column_set_meets(columns, &binding->gathered))
		return metric_n_devices(columns, slot);
	return sum->n_summed > 1 ? sum->n_summed : 1;
}

static int settle_inputs(const struct summary_row *row, bool lacks_last,
			 const struct metric_program *program, const struct metric_binding *binding,
			 struct summary_inputs *inputs)
{
	struct count slot[COLUMNS_MAX];
	int rc = reserve_inputs(inputs, program);

	memset(slot, 0, row->bound->n_slots * sizeof(slot[0]));
	metric_add_windows(program, binding, &row->windows, slot);
	for (unsigned i = 0; !rc && i < inputs->n; i++) {
		struct column_set columns = metric_input_columns(binding, i);
		struct count sum;
		unsigned n;

		if (metric_input_count(binding, i, slot, &sum) < 0)
			continue;
		if (lacks_last && sum.quality == QUALITY_OK)
			sum.quality = QUALITY_PARTIAL;
		count_add_window(&inputs->count[i], &sum);
		inputs->scale[i] = binding->scale[i];
		n = n_sources(binding, &columns, slot, &sum);
		if (n > inputs->n_sources[i])
			inputs->n_sources[i] = n;
	}
	return rc;
}

/* Add the inputs of a metric and of its threshold. */
static int settle_metric(const struct summary *summary, struct summary_row *row, unsigned column,
			 bool lacks_last)
{
	struct summary_figure *figure = &row->figure[row->of_metric[column]];
	const struct metric *metric = &summary->metrics->metric[figure->metric];
	const struct metric_binding *alarm = row->bound->alarm[row->type][column];
	int rc = settle_inputs(row, lacks_last, metric->program[row->type],
			       row->bound->binding[row->type][column], &figure->inputs);

	if (!rc && alarm)
		rc = settle_inputs(row, lacks_last, metric->alarm[row->type], alarm,
				   &figure->alarm_inputs);
	return rc;
}

/* Add the sums to the figures and remove them. @return 0 or -ENOMEM */
static int summary_settle_row(const struct summary *summary, struct summary_row *row)
{
	bool lacks_last = false; /* a core was late at the end */
	int rc = 0;

	for (size_t i = 0; i < row->n_sums; i++) {
		lacks_last |= row->sum[i].count.quality == QUALITY_PENDING;
		count_end(&row->sum[i].count);
		count_add_window(&row->figure[row->sum[i].figure].sum, &row->sum[i].count);
	}
	for (unsigned i = 0; !rc && row->bound && i < row->bound->n; i++)
		if (row->of_metric[i] >= 0)
			rc = settle_metric(summary, row, i, lacks_last);
	row->n_sums = 0;
	row->bound = NULL;
	count_windows_fini(&row->windows);
	row->windows = (struct count_windows){ 0 };
	return rc;
}

/* ---- mapping of columns to figures ---- */

static int add_figure(struct summary_row *row, const struct summary_figure *figure)
{
	int rc = ARRAY_APPEND(row->figure, row->cap, row->n, *figure);

	return rc ? rc : (int)row->n - 1;
}

/* @return its index; -ENOMEM */
static int summary_figure_find_event(struct summary_row *row, const struct event *event,
				     unsigned nth)
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

/* Get the type that has the event of a column: the row's; of a device the one that counts it. */
static unsigned summary_figure_type_of(const struct summary *summary, const struct summary_row *row,
				       const struct set *set, unsigned column)
{
	unsigned type = row->type;

	if (!row->device)
		return type;
	while (type + 1 < summary->machine->n_types && !set->type[type].event[column])
		type++;
	return type;
}

static int map_column(struct summary *summary, struct summary_row *row, const struct set *set,
		      unsigned column)
{
	const struct placement *placement =
		&set->type[summary_figure_type_of(summary, row, set, column)];
	const struct event *event = placement->event[column];
	unsigned first = set_n_mux(set) > 1 ? set->first[set_mux_of(set, column)] : 0, nth = 0;

	if (!event || (row->device && event->pmu != row->device))
		return -1;
	for (unsigned i = first; i < column; i++)
		nth += placement->event[i] && event_is_same(placement->event[i], event);
	return summary_figure_find_event(row, event, nth);
}

static bool is_wanted(const struct summary *summary, unsigned metric)
{
	const struct metrics_selection *wanted = summary->wanted;

	for (size_t i = 0; wanted && i < wanted->n; i++)
		if (wanted->number[i] == metric)
			return true;
	return !wanted;
}

static int map_metric(struct summary *summary, struct summary_row *row, const struct frame *frame,
		      unsigned column)
{
	const struct metrics_bound *bound = frame->bound;
	unsigned metric = bound->number[column];
	bool is_of_devices = metrics_is_of_devices(bound, column);

	/* metrics of devices are in rows of devices; those of all devices together are in rows of types */
	if (!bound->binding[row->type][column] || !is_wanted(summary, metric) ||
	    !(row->device ? is_of_devices : !is_of_devices || row->by == BY_TYPE))
		return -1;
	return find_metric(row, metric, is_of_devices);
}

/* Map columns to figures; an event in several mux groups is one figure. */
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

		struct summary_sum sum = { .only = (int)i, .figure = at };

		if (k == row->n_sums)
			rc = ARRAY_APPEND(row->sum, row->cap_sums, row->n_sums, sum);
		else
			row->sum[k].only = -1;
		if (!rc)
			column_set_add(&row->sum[k].columns, i);
	}
	return rc;
}

static int map_metrics(struct summary *summary, struct summary_row *row, const struct frame *frame)
{
	const struct metrics_bound *bound = frame->bound;
	int rc = 0;

	memset(row->of_metric, -1, sizeof(row->of_metric));
	for (unsigned i = 0; !rc && i < bound->n; i++) {
		int at = map_metric(summary, row, frame, i);

		if (at < 0) {
			rc = at == -1 ? 0 : at;
			continue;
		}
		row->of_metric[i] = (int16_t)at;
	}
	return rc;
}

/* Map the columns and metrics of a frame to figures of the row, adding new ones. @return 0 or -ENOMEM */
static int summary_map_row(struct summary *summary, struct summary_row *row,
			   const struct frame *frame)
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
	return distribution_add(&figure->distribution, value);
}

static int summary_figure_add_event(struct summary *summary, struct summary_figure *figure,
				    const struct count *count)
{
	struct reading rate = count_rate(count);

	figure->n_intervals[count->quality]++;
	figure->requested_s +=
		(double)count->enabled_ns / 1e9 / (count->n_summed > 1 ? count->n_summed : 1);
	if (!quality_has_value(rate.quality))
		return 0;
	return add_value(summary, figure, rate.value * figure->event->scale);
}

static int add_to_sum(struct summary *summary, struct summary_row *row, struct summary_sum *sum,
		      const struct count *column)
{
	const struct count *count;
	struct count several, window;

	if (sum->only < 0)
		several = metric_add_columns(&sum->columns, false, column);
	count = sum->only < 0 ? &several : &column[sum->only];
	window = count_open(count);
	count_add_last(&sum->count, &window);
	return summary_figure_add_event(summary, &row->figure[sum->figure], count);
}

static int summary_figure_add_metric(struct summary *summary, struct summary_figure *figure,
				     struct reading reading, enum metric_alarm alarm)
{
	figure->n_intervals[reading.quality]++;
	if (!quality_has_value(reading.quality))
		return 0;
	figure->n_beyond += alarm == ALARM_BEYOND;
	return add_value(summary, figure, reading.value);
}

/* Add one window to the figures of a row. @return 0 or -ENOMEM */
static int summary_add_row(struct summary *summary, struct summary_row *row,
			   const struct frame_row *from)
{
	enum metric_alarm alarm[METRICS_BOUND_MAX];
	struct count window[COLUMNS_MAX];
	int rc;

	for (unsigned i = 0; i < from->bound->n_slots; i++)
		window[i] = count_open(&from->count[i]);
	rc = count_windows_add(&row->windows, window, from->bound->n_slots);
	metrics_judge_all(summary->metrics, from->bound, from->type, from->count, alarm);
	row->bound = from->bound;
	for (size_t i = 0; !rc && i < row->n_sums; i++)
		rc = add_to_sum(summary, row, &row->sum[i], from->count);
	for (unsigned i = 0; !rc && i < from->bound->n; i++)
		if (row->of_metric[i] >= 0)
			rc = summary_figure_add_metric(summary, &row->figure[row->of_metric[i]],
						       from->metric[i], alarm[i]);
	return rc;
}

/* Note that all cores of a row were late in a window: the next one has their part. */
static void summary_add_late(struct summary_row *row)
{
	for (size_t i = 0; i < row->n_sums; i++)
		count_add_last(&row->sum[i].count, &(struct count){ .quality = QUALITY_PENDING });
}

/* ---- results ---- */

static void finish_event(const struct summary_row *row, struct summary_figure *figure)
{
	const struct count *sum = &figure->sum;

	figure->total = count_total(sum);
	figure->total.value *= figure->event->scale;
	figure->mean = figure->total;
	if (quality_has_value(figure->total.quality) && figure->requested_s > 0)
		figure->mean.value = figure->total.value / figure->requested_s;
	if (row->watched_ns)
		figure->counted_pct = 100 * (double)sum->running_ns / (double)row->watched_ns;
}

/* Bind inputs by number; those never counted are missing. */
static void bind_inputs(const struct summary_inputs *inputs, struct metric_binding *ret)
{
	*ret = (struct metric_binding){ .n_sources = inputs->n_sources };
	for (unsigned i = 0; i < inputs->n; i++) {
		bool is_there = inputs->count[i].quality != QUALITY_NONE;

		ret->scale[i] = inputs->scale[i];
		ret->slot[i] = is_there ? (uint16_t)i : BINDING_MISSING;
		if (is_there)
			column_set_add(&ret->slots, i);
	}
}

static void finish_metric(const struct summary *summary, const struct summary_row *row,
			  struct summary_figure *figure)
{
	const struct metric *metric = &summary->metrics->metric[figure->metric];
	struct metric_binding binding;

	figure->mean = (struct reading){ .quality = QUALITY_NOT_COUNTED };
	if (figure->inputs.count) {
		bind_inputs(&figure->inputs, &binding);
		figure->mean = metric_in_unit(metric, metric_eval(metric->program[row->type],
								  &binding, figure->inputs.count));
	}
	if (figure->alarm_inputs.count) {
		bind_inputs(&figure->alarm_inputs, &binding);
		figure->alarm = metric_judge(metric->alarm[row->type], &binding,
					     figure->alarm_inputs.count);
	}
}

static void inputs_fini(struct summary_inputs *inputs)
{
	free(inputs->count);
	free(inputs->n_sources);
	free(inputs->scale);
}

/* ---- names ---- */

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

/* Annotations of a session */

/* Add an annotation. Takes ownership of the text, also on failure. */
static int summary_add(struct summary *summary, uint64_t t_ns, enum annotation_kind kind,
		       struct text *text)
{
	const struct annotation annotation = { .t_ns = t_ns, .kind = kind, .text = text->bytes };
	bool is_full = summary->n_annotations == SUMMARY_ANNOTATIONS_MAX;
	int rc = text->failed || !text->bytes ? -ENOMEM : 0;

	if (!rc && !is_full)
		rc = ARRAY_APPEND(summary->annotation, summary->cap_annotations,
				  summary->n_annotations, annotation);
	summary->n_annotations_more += !rc && is_full;
	if (rc || is_full)
		text_fini(text);
	return rc;
}

static const char *name_in(const struct set *set, unsigned type, unsigned slot)
{
	const struct event *event = set->type[type].event[slot];

	return event ? event->name : "";
}

static bool summary_is_changed(const struct set *from, const struct set *to, unsigned type,
			       unsigned slot)
{
	const struct event *a = from->type[type].event[slot], *b = to->type[type].event[slot];

	return strcmp(name_in(from, type, slot), name_in(to, type, slot)) != 0 ||
	       (a && b && a->privilege != b->privilege);
}

static bool is_same_change(const struct set *from, const struct set *to, unsigned a, unsigned b,
			   unsigned slot)
{
	return summary_is_changed(from, to, a, slot) && summary_is_changed(from, to, b, slot) &&
	       strcmp(name_in(from, a, slot), name_in(from, b, slot)) == 0 &&
	       strcmp(name_in(to, a, slot), name_in(to, b, slot)) == 0;
}

/* Describe a change, "E, P: slot 5: A → B", once for all types that have it. */
static void describe_change(const struct machine *machine, const struct set *from,
			    const struct set *to, unsigned type, unsigned slot, struct text *text)
{
	static const char *const privilege[] = { "", " (user)", " (kernel)" };
	const struct event *now = to->type[type].event[slot];
	const char *was = name_in(from, type, slot);

	for (unsigned i = 0; i < type; i++)
		if (is_same_change(from, to, i, type, slot))
			return;
	text_printf(text, "%s", text->n ? "; " : "");
	for (unsigned i = type; machine->n_types > 1 && i < machine->n_types; i++)
		if (is_same_change(from, to, type, i, slot))
			text_printf(text, "%s%s", i > type ? ", " : "", machine->type[i].name);
	text_printf(text, "%sslot %u: %s → %s%s", machine->n_types > 1 ? " " : "", slot,
		    *was ? was : "nothing", now ? now->name : "nothing",
		    now ? privilege[now->privilege] : "");
}

static int note_events(struct summary *summary, const struct frame *frame)
{
	const struct set *from = summary->set, *to = frame->set;
	unsigned n = from->n_slots > to->n_slots ? from->n_slots : to->n_slots;
	struct text text = { 0 };

	for (unsigned slot = 0; slot < n; slot++)
		for (unsigned type = 0; type < summary->machine->n_types; type++)
			if (summary_is_changed(from, to, type, slot))
				describe_change(summary->machine, from, to, type, slot, &text);
	if (!text.n)
		text_printf(&text, "loaded again");
	return summary_add(summary, frame->t_ns, ANNOTATION_EVENTS, &text);
}

static int note_interval(struct summary *summary, const struct frame *frame)
{
	struct text text = { 0 };

	text_printf(&text, "every %g ms", (double)frame->interval_ns / (double)NS_PER_MS);
	return summary_add(summary, frame->t_ns, ANNOTATION_INTERVAL, &text);
}

/* Find the annotation before, if that is a gap for the same reason. */
static struct annotation *gap_before(const struct summary *summary, const char *why)
{
	size_t n = summary->n_annotations;
	struct annotation *last = n ? &summary->annotation[n - 1] : NULL;

	if (!last || last->kind != ANNOTATION_GAP || summary->n_annotations_more)
		return NULL;
	return strcmp(strstr(last->text, ": ") + 2, why) == 0 ? last : NULL;
}

/* Add a gap, or make it one with the gap before it. @return 0 or -ENOMEM */
static int note_gap(struct summary *summary, uint64_t t_ns, uint64_t n, const char *why)
{
	struct annotation *last = gap_before(summary, why);
	struct text text = { 0 };

	if (last)
		n += last->n_missed;
	text_printf(&text, "%" PRIu64 " interval%s missing", n, n == 1 ? "" : "s");
	if (last)
		text_printf(&text, " in %u gaps until %.3f s", ++last->n_gaps, (double)t_ns / 1e9);
	text_printf(&text, ": %s", why);
	if (last && !text.failed) {
		free(last->text);
		last->text = text.bytes;
	} else {
		int rc = summary_add(summary, t_ns, ANNOTATION_GAP, &text);

		if (rc)
			return rc;
		last = &summary->annotation[summary->n_annotations - 1];
		last->n_gaps = 1;
	}
	last->n_missed = n;
	return 0;
}

static int note_core(struct summary *summary, const struct frame *frame, unsigned core)
{
	bool is_off = frame->core[core].state == CORE_OFF;
	struct text text = { 0 };

	if (is_off == summary->is_off[core])
		return 0;
	summary->is_off[core] = is_off;
	text_printf(&text, "cpu%u %s", summary->machine->core[core].cpu, is_off ? "off" : "on");
	return summary_add(summary, frame->t_ns, is_off ? ANNOTATION_OFF : ANNOTATION_ON, &text);
}

/* Record changes since the last frame: events, interval, cores; and gaps. @return 0 or -ENOMEM */
static int summary_note_frame(struct summary *summary, const struct frame *frame)
{
	int rc = 0;

	if (summary->set && summary->set != frame->set)
		rc = note_events(summary, frame);
	if (!rc && summary->interval_ns && summary->interval_ns != frame->interval_ns)
		rc = note_interval(summary, frame);
	if (!rc && frame->gap != GAP_NONE) {
		summary->n_missed += frame->n_missed;
		rc = note_gap(summary, frame->t_ns, frame->n_missed, gap_name[frame->gap]);
	}
	for (unsigned i = 0; !rc && i < frame->n_cores; i++)
		rc = note_core(summary, frame, i);
	summary->set = frame->set;
	summary->interval_ns = frame->interval_ns;
	return rc;
}

/* Record a mark or a gap of the writer. @return 0 or -ENOMEM */
static int summary_note_item(struct summary *summary, const struct session_item *item)
{
	struct text text = { 0 };

	if (item->what == SESSION_GAP)
		return note_gap(summary, item->t_ns, item->n, item->text);
	text_printf(&text, "%s", item->text);
	return summary_add(summary, item->t_ns, ANNOTATION_MARK, &text);
}

/* ---- rows ---- */

static void describe_row(const struct summary *summary, struct summary_row *row)
{
	const struct machine *machine = summary->machine;
	struct frame_row is = { .by = row->by, .index = row->index, .device = row->device };
	char name[48];

	frame_row_name(machine, &is, name, sizeof(name));
	if (machine->n_types > 1 && row->by < BY_TYPE)
		snprintf(row->name, sizeof(row->name), "%s %s", machine->type[row->type].name,
			 name);
	else
		snprintf(row->name, sizeof(row->name), "%s", name);
}

static void find_members(const struct summary *summary, struct summary_row *row)
{
	const struct machine *machine = summary->machine;

	frame_row_each(machine, row->by, row->index, core) {
		cpus_add(&row->cpus, machine->core[core].cpu);
		row->type = machine->core[core].type;
	}
}

/* @return NULL: out of memory */
static struct summary_row *report_summary_add_row(struct summary *summary, enum frame_by by,
						  unsigned index)
{
	const struct summary_row row = { .by = by, .index = index };

	if (ARRAY_APPEND(summary->row, summary->cap_rows, summary->n_rows, row))
		return NULL;
	return &summary->row[summary->n_rows - 1];
}

static int add_rows(struct summary *summary, enum frame_by by)
{
	for (unsigned i = 0; i < frame_n_own_rows(summary->machine, by); i++) {
		struct summary_row *row = report_summary_add_row(summary, by, i);

		if (!row)
			return -ENOMEM;
		find_members(summary, row);
		describe_row(summary, row);
	}
	return 0;
}

/* Find or add the row of a device. Devices are known from the sets that count them, where their numbers may differ. */
static int find_device(struct summary *summary, const struct pmu *pmu, unsigned index)
{
	struct summary_row *row = NULL;

	for (size_t i = 0; i < summary->n_rows && !row; i++)
		if (summary->row[i].device == pmu)
			row = &summary->row[i];
	if (!row) {
		row = report_summary_add_row(summary, BY_DEVICE, index);
		if (!row)
			return -ENOMEM;
		row->device = pmu;
		describe_row(summary, row);
	}
	row->index = index;
	return 0;
}

static int find_devices(struct summary *summary, const struct frame *frame)
{
	struct set_devices devices;
	int rc = 0;

	set_devices(frame->set, &devices);
	for (size_t i = 0; i < summary->n_rows; i++)
		if (summary->row[i].by == BY_DEVICE)
			summary->row[i].index = UINT_MAX;
	for (unsigned i = 0; !rc && i < devices.n; i++)
		rc = find_device(summary, devices.pmu[i], i);
	return rc;
}

static int map_rows(struct summary *summary, const struct frame *frame)
{
	int rc = find_devices(summary, frame);

	for (size_t i = 0; !rc && i < summary->n_rows; i++)
		rc = summary_map_row(summary, &summary->row[i], frame);
	return rc;
}

/* ---- frames ---- */

static int coarsen(struct summary *summary)
{
	int rc = 0;

	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; !rc && k < summary->row[i].n; k++)
			rc = distribution_coarsen(&summary->row[i].figure[k].distribution);
	summary->is_coarse = true;
	summary->n_exact = 0;
	return rc;
}

static int add_to_rows(struct summary *summary, const struct frame *frame)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < summary->n_rows; i++) {
		struct summary_row *row = &summary->row[i];
		struct frame_row from;

		if (row->index == UINT_MAX)
			continue; /* a device that the present set does not count */
		frame_row(frame, summary->machine, summary->metrics, row->by, row->index, &from);
		if (from.state == CORE_ON)
			rc = summary_add_row(summary, row, &from);
		else if (from.state == CORE_LATE)
			summary_add_late(row);
	}
	return rc;
}

static void add_own(struct summary_own *own, const struct frame *frame)
{
	double core_pct = (double)frame->own_core_share * 100;
	double total_pct = (double)frame->own_total_share * 100;

	if (!frame->own_known)
		return;
	own->n++;
	own->core_pct += core_pct;
	own->total_pct += total_pct;
	own->wakeups_per_s += (double)frame->own_wakeups_per_s;
	own->core_pct_max = fmax(own->core_pct_max, core_pct);
	own->total_pct_max = fmax(own->total_pct_max, total_pct);
	own->late_p99_us_max = fmax(own->late_p99_us_max, frame->late_p99_ns / 1e3);
	own->late_max_us = fmax(own->late_max_us, frame->late_max_ns / 1e3);
	own->n_dropped = frame->n_dropped;
}

/* Get the beginning of a frame's windows; it is 0 for the first tick of a session. */
static uint64_t begin_of(const struct frame *frame)
{
	uint64_t longest_ns = frame_window_ns(frame);

	if (frame->number <= 1 || longest_ns >= frame->t_ns)
		return 0;
	return frame->t_ns - longest_ns;
}

static int add_tasks(struct summary *summary, const struct frame *frame)
{
	struct summary_switches *switches = &summary->switches;
	int rc = task_sums_add(&summary->commands, frame);

	switches->n_frames++;
	switches->n += frame->tasks->n_switches;
	switches->n_lost += frame->tasks->n_lost;
	switches->cost_pct += (double)frame->tasks->cost_share * 100;
	for (size_t i = 0; i < frame->tasks->n && !summary->has_cgroups; i++)
		summary->has_cgroups = frame->tasks->task[i].cgroup;
	rc = rc ? rc : task_sums_add(&summary->processes, frame);
	rc = rc ? rc : task_sums_add(&summary->cgroups, frame);
	return rc || !frame->hot ? rc
				 : function_sums_add(&summary->functions, summary->machine, frame);
}

static int summary_add_frame(struct summary *summary, const struct frame *frame)
{
	bool is_new_set = frame->set != summary->set;
	int rc = summary_note_frame(summary, frame);

	if (!rc && is_new_set)
		rc = map_rows(summary, frame);
	if (!rc)
		rc = add_to_rows(summary, frame);
	if (!rc && frame->sensed && frame->sensed->t_ns != summary->sensed_ns)
		rc = distribution_add_sensed(summary->sensor, summary->machine->sensors->n,
					     frame->sensed);
	summary->sensed_ns = frame->sensed ? frame->sensed->t_ns : 0;
	if (!rc && frame->tasks)
		rc = add_tasks(summary, frame);
	if (!rc && summary->n_exact > SUMMARY_EXACT_FIGURES)
		rc = coarsen(summary);
	if (rc)
		return rc;
	for (unsigned i = 0; i < frame->n_cores; i++)
		if (frame->core[i].state == CORE_ON)
			summary->core_watched_ns[i] += frame->core[i].window_ns;
	add_own(&summary->own, frame);
	/* a window over several ticks, merged or late, includes them all */
	if (summary->n_frames && frame->number > summary->last_number + 1 &&
	    begin_of(frame) > summary->last_end_ns + frame->interval_ns / 2)
		summary->n_absent += frame->number - summary->last_number - 1;
	summary->last_number = frame->number;
	summary->last_end_ns = frame->t_ns;
	if (!summary->n_frames++)
		summary->begin_ns = begin_of(frame);
	if (frame->t_ns > summary->begin_ns + summary->duration_ns)
		summary->duration_ns = frame->t_ns - summary->begin_ns;
	return 0;
}

static int summary_add_item(struct summary *summary, const struct session_item *item)
{
	if (item->what == SESSION_FRAME)
		return summary_add_frame(summary, item->frame);
	if (item->what == SESSION_GAP) {
		summary->n_lost += item->n;
		summary->last_number += item->n;
	}
	return item->what == SESSION_END ? 0 : summary_note_item(summary, item);
}

/* ---- the session ---- */

static void watched(const struct summary *summary, struct summary_row *row)
{
	if (row->device)
		row->cpus = row->device->cpus;
	for (unsigned i = 0; i < summary->machine->n_cores; i++)
		if (cpus_has(&row->cpus, summary->machine->core[i].cpu))
			row->watched_ns += summary->core_watched_ns[i];
}

/* Add the remaining sums to the figures. */
static int settle(struct summary *summary)
{
	int rc = summary->is_coarse ? coarsen(summary) : 0;

	if (!rc)
		rc = function_sums_end(&summary->functions);
	for (size_t i = 0; !rc && i < summary->n_rows; i++)
		rc = summary_settle_row(summary, &summary->row[i]);
	return rc;
}

static void summary_finish(struct summary *summary)
{
	struct summary_own *own = &summary->own;

	for (size_t i = 0; i < summary->n_rows; i++) {
		struct summary_row *row = &summary->row[i];

		watched(summary, row);
		for (size_t k = 0; k < row->n; k++)
			if (row->figure[k].event)
				finish_event(row, &row->figure[k]);
			else
				finish_metric(summary, row, &row->figure[k]);
	}
	if (own->n) {
		own->core_pct /= (double)own->n;
		own->total_pct /= (double)own->n;
		own->wakeups_per_s /= (double)own->n;
	}
	if (summary->switches.n_frames)
		summary->switches.cost_pct /= (double)summary->switches.n_frames;
	task_sums_end(&summary->commands);
	task_sums_end(&summary->processes);
	task_sums_end(&summary->cgroups);
	summary->is_cut = reader_is_cut(summary->reader);
	summary->has_more = reader_has_more(summary->reader);
	summary->leaves_older =
		summary->begin_ns && !summary->with_older && rotated_files_are_there(summary->path);
}

static int summary_begin(struct summary *summary)
{
	unsigned n_cores = summary->machine->n_cores;
	int rc = 0;

	for (unsigned by = BY_TYPE + 1; !rc && by-- > BY_CORE;)
		rc = add_rows(summary, by);
	summary->core_watched_ns = calloc(n_cores, sizeof(*summary->core_watched_ns));
	summary->is_off = calloc(n_cores, sizeof(*summary->is_off));
	if (!summary->core_watched_ns || !summary->is_off)
		return -ENOMEM;
	return rc;
}

/* Read to the end of the session, or to a line that cannot be read. */
static int summary_read_all(struct summary *summary, summary_frame_fn *watch, void *data)
{
	struct session_item item;
	int rc;

	do {
		item = (struct session_item){ .what = SESSION_END };
		if (reader_next(summary->reader, &item, &summary->last_error))
			return 0;
		rc = summary_add_item(summary, &item);
		if (!rc && item.frame && watch)
			watch(data, item.frame);
		frame_unref(item.frame);
	} while (!rc && item.what != SESSION_END);
	return rc;
}

int summary_make(struct reader *reader, const char *path, unsigned part,
		 const struct metrics_selection *wanted, summary_frame_fn *watch, void *data,
		 struct summary *ret, struct err *err)
{
	struct summary summary = {
		.path = path,
		.part = part == READER_WITH_OLDER ? 0 : part,
		.with_older = part == READER_WITH_OLDER,
		.reader = reader,
		.machine = reader_machine(reader),
		.metrics = reader_metrics(reader),
		.wanted = wanted,
		.commands = { .tasks.by = BY_COMMAND,
			      .max = TASK_SUMS_MAX,
			      .machine = reader_machine(reader) },
		.processes = { .tasks.by = BY_PROCESS,
			       .max = TASK_SUMS_MAX,
			       .machine = reader_machine(reader) },
		.cgroups = { .tasks.by = BY_CGROUP,
			     .max = TASK_SUMS_MAX,
			     .machine = reader_machine(reader) },
	};
	int rc = summary_begin(&summary);

	if (!rc)
		rc = summary_read_all(&summary, watch, data);
	if (!rc)
		rc = settle(&summary);
	if (rc) {
		summary_fini(&summary);
		return err_set(err, -rc, "%s: %s", path, strerror(-rc));
	}
	summary_finish(&summary);
	*ret = summary;
	return 0;
}

void summary_fini(struct summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n_rows; i++) {
		for (size_t k = 0; k < summary->row[i].n; k++) {
			struct summary_figure *figure = &summary->row[i].figure[k];

			distribution_fini(&figure->distribution);
			inputs_fini(&figure->inputs);
			inputs_fini(&figure->alarm_inputs);
		}
		free(summary->row[i].figure);
		free(summary->row[i].sum);
		count_windows_fini(&summary->row[i].windows);
	}
	for (size_t i = 0; i < summary->n_annotations; i++)
		free(summary->annotation[i].text);
	task_sums_fini(&summary->commands);
	task_sums_fini(&summary->processes);
	task_sums_fini(&summary->cgroups);
	function_sums_fini(&summary->functions);
	free(summary->row);
	free(summary->annotation);
	for (unsigned i = 0; i < SENSORS_MAX; i++)
		distribution_fini(&summary->sensor[i]);
	free(summary->core_watched_ns);
	free(summary->is_off);
	*summary = (struct summary){ 0 };
}

static bool summary_is_there(const struct summary *summary, unsigned metric)
{
	for (size_t i = 0; i < summary->n_rows; i++)
		for (size_t k = 0; k < summary->row[i].n; k++)
			if (!summary->row[i].figure[k].event &&
			    summary->row[i].figure[k].metric == metric)
				return true;
	return false;
}

const struct metric *summary_missing_metric(const struct summary *summary, size_t i)
{
	for (size_t k = 0; summary->wanted && k < summary->wanted->n; k++) {
		unsigned metric = summary->wanted->number[k];

		if (!summary_is_there(summary, metric) && !i--)
			return &summary->metrics->metric[metric];
	}
	return NULL;
}
