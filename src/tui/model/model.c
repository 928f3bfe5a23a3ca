#include "tui/model/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sampler/excursions.h"
#include "pmu/set.h"
#include "tui/model/series.h"

struct reading running_stats_add(struct running_stats *running_stats, const struct frame_row *row,
				 unsigned slot)
{
	const struct count *count = &row->count[slot], window = count_open(count);
	struct reading rate = count_rate(count);

	count_add_window(&running_stats->sum, &window);
	if (!quality_has_value(rate.quality))
		return rate;
	/* for summed cores their mean window, as in count_rate */
	uint64_t window_ns = count->enabled_ns / (count->n_summed > 1 ? count->n_summed : 1);

	if (!running_stats->n || rate.value < running_stats->min.value)
		running_stats->min = rate;
	if (!running_stats->n || rate.value > running_stats->max.value)
		running_stats->max = rate;
	running_stats->area += rate.value * (double)window_ns;
	running_stats->window_ns += window_ns;
	running_stats->n++;
	return rate;
}

/* ---- columns of the displayed set ---- */

unsigned model_n_slots(const struct model *model)
{
	unsigned n = columns_n_counters(model->machine);

	n = n > DIGIT_COLUMNS ? n : DIGIT_COLUMNS;
	return n > model->set->n_slots ? n : model->set->n_slots;
}

/* Whether the column counts nothing, or the same as an earlier column. */
static bool is_idle(const struct set *set, unsigned column)
{
	const struct event *event = set_event(set, column);
	unsigned i = 0;

	while (i < column && set_event(set, i) != event)
		i++;
	return !event || i < column;
}

static bool model_has_slot(const struct model *model, unsigned slot)
{
	const struct event *event = set_event(model->set, slot);
	bool is_counter = set_n_mux(model->set) == 1 && slot < columns_n_counters(model->machine);

	if (slot >= model_n_slots(model) || set_is_of_device(model->set, slot))
		return false;
	if (slot == model->slot)
		return true;
	if (event && event_is_activity(event)) /* Utilisation and Frequency show it */
		return false;
	return is_counter || !is_idle(model->set, slot);
}

bool model_has_column(const struct model *model, const struct shown *column)
{
	switch (column->kind) {
	case SHOWN_SLOT: return model_has_slot(model, column->number);
	case SHOWN_METRIC: return metric_list_has(&model->metric, column->number);
	default:
		return model->primary_metric >= 0 ||
		       !model->columns.fixed[column->number]->is_of_metric;
	}
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

/* Get the first slot with an event other than cycles and instructions, or else the first
 * programmable counter. */
static unsigned first_slot(const struct model *model)
{
	unsigned n = model_n_slots(model);
	unsigned usual = machine_has_core_pmu(model->machine) ? 2 : 0;

	for (unsigned slot = usual; slot < n; slot++) {
		const struct event *event = set_event(model->set, slot);

		if (event && !event_is_of_device(event) && !event_is_activity(event))
			return slot;
	}
	return usual;
}

void model_select(struct model *model, enum order_by by, unsigned number)
{
	model->has_selected = true;
	model->selected = (struct order){ .by = by };
	if (by == ORDER_SLOT)
		model->slot = number;
	else
		model->selected.number = number;
}

bool model_is_selected(const struct model *model, enum order_by by, unsigned number)
{
	if (by != model->selected.by)
		return false;
	if (by == ORDER_SLOT)
		return number == model->slot;
	return by != ORDER_METRIC || number == model->selected.number;
}

bool model_parts(const struct model *model, const struct frame_row *row, struct row_parts *ret)
{
	const struct metrics *metrics = model->metrics;
	struct row_parts parts = { .n = metrics->n_parts, .loss = -1 };

	for (unsigned i = 0; i < parts.n; i++) {
		struct reading reading = model_part(model, row, i);

		if (!quality_has_value(reading.quality))
			return false;
		parts.share[i] = reading.value;
		parts.sum += parts.share[i];
		parts.is_estimate |= reading.quality == QUALITY_SCALED;
		if (metrics->part[i].known->preset && parts.share[i] > 0 &&
		    (parts.loss < 0 || parts.share[i] > parts.share[parts.loss]))
			parts.loss = (int)i;
	}
	*ret = parts;
	return parts.n > 0;
}

int model_selected_metric(const struct model *model, const struct line *line)
{
	const struct order *selected = &model->selected;
	struct row_parts parts;
	struct frame_row row;

	if (selected->by == ORDER_HEADLINE)
		return model->primary_metric;
	if (selected->by == ORDER_METRIC)
		return (int)selected->number;
	if (selected->by != ORDER_BAR || !model_row(model, line, &row) ||
	    !model_parts(model, &row, &parts) || parts.loss < 0)
		return -1;
	return model->metrics->part[parts.loss].number;
}

/* Find the column of the metric's first event in code that is not of every metric. */
static int slot_of_metric(const struct model *model, const struct frame_row *row, int number)
{
	int column = metrics_column(row->bound, number);
	const struct metric_binding *binding =
		column < 0 ? NULL : row->bound->binding[row->type][column];
	struct count count;

	for (unsigned i = 0;
	     binding && metric_input(model->metrics->metric[number].program[row->type], i); i++) {
		int slot = metric_input_count(binding, i, row->count, &count);
		const struct event *event =
			slot < 0 ? NULL : model->shown->set->type[row->type].event[slot];

		if (event && !event_no_samples(event) && !event->is_cycles &&
		    !event->is_instructions)
			return slot;
	}
	return -1;
}

unsigned model_sampled_slot(const struct model *model, const struct line *line)
{
	const struct placement *placement = &model->set->type[model_type(model, line)];
	int number = model_selected_metric(model, line), slot = -1;
	struct frame_row row;

	if (model->selected.by == ORDER_SLOT)
		return model->slot;
	if (number >= 0 && model_row(model, line, &row) &&
	    model->shown->set->number == model->set->number)
		slot = slot_of_metric(model, &row, number);
	for (unsigned i = 0; slot < 0 && i < model->set->n_slots; i++) {
		const struct event *event = placement->event[i];

		if (event && !event_no_samples(event) &&
		    (event->is_cycles || event_is_clock(event)))
			slot = (int)i;
	}
	return slot < 0 ? COLUMNS_MAX : (unsigned)slot;
}

bool model_has_parts(const struct model *model)
{
	const struct metrics *metrics = model->metrics;

	for (unsigned i = 0; i < metrics->n_parts; i++)
		if (metrics->part[i].number < 0 ||
		    !metric_list_has(&model->metric, (unsigned)metrics->part[i].number))
			return false;
	return metrics->n_parts > 0;
}

struct reading model_part(const struct model *model, const struct frame_row *row, unsigned part)
{
	struct reading reading = model_metric(model, row, model->metrics->part[part].number);

	if (quality_has_value(reading.quality))
		reading.value = metrics_share_of(model->metrics, part, reading.value);
	return reading;
}

struct reading model_cycles(const struct model *model, const struct frame_row *row)
{
	const struct set *set = model->shown->set;

	for (unsigned slot = 0; slot < set->n_slots; slot++) {
		const struct event *event = set->type[row->type].event[slot];

		if (event && event->is_cycles)
			return count_rate(&row->count[slot]);
	}
	return (struct reading){ .quality = QUALITY_NOT_COUNTED };
}

struct reading model_lost(const struct model *model, const struct frame_row *row)
{
	struct reading cycles = model_cycles(model, row), lost = { .quality = cycles.quality };

	for (unsigned i = 0; i < model->metrics->n_parts; i++) {
		struct reading part = model_part(model, row, i);

		if (!quality_has_value(part.quality))
			return part;
		lost.quality = quality_worst(lost.quality, part.quality);
		if (model->metrics->part[i].known->preset)
			lost.value += part.value * cycles.value;
	}
	return lost;
}

/* Return what a user would ask for first: where cycles are lost, unless events were named; without
 * hardware counters how busy each core is; else the selected counter. */
static enum order_by first_column(const struct model *model)
{
	if (model_has_parts(model) && *model->set->preset)
		return ORDER_BAR;
	if (model_is_primary_share(model) ||
	    (model->primary_metric >= 0 && !set_event(model->set, model->slot)))
		return ORDER_HEADLINE;
	return ORDER_SLOT;
}

int model_init(struct model *model, const struct machine *machine, const struct metrics *metrics,
	       const struct set *first, enum frame_by by, size_t history_bytes)
{
	*model = (struct model){
		.machine = machine, .metrics = metrics, .set = first, .history_bytes = history_bytes
	};
	for (unsigned i = 0; i < BY_DEVICE; i++) {
		model->base[i] = model->n_rows;
		model->n_rows += frame_n_own_rows(machine, i);
	}
	model->slot = first_slot(model);
	model->scrolled_from = COLUMNS_MAX;

	model->running_stats =
		calloc((size_t)model->n_rows * COLUMNS_MAX, sizeof(*model->running_stats));
	model->sparkline = calloc(model->n_rows, sizeof(*model->sparkline));
	if (!model->running_stats || !model->sparkline || model_group(model, by) < 0 ||
	    model_load(model, first, &model->chosen) < 0 ||
	    history_new(machine, metrics, history_bytes, &model->history) < 0) {
		model_fini(model);
		return -ENOMEM;
	}
	return 0;
}

void model_fini(struct model *model)
{
	if (!model)
		return;
	frame_unref(model->shown);
	frame_unref(model->newest);
	frame_unref(model->earlier);
	history_free(model->history);
	for (unsigned row = 0; model->sparkline && row < model->n_rows; row++)
		track_fini(&model->sparkline[row]);
	free(model->sparkline);
	free(model->running_stats);
	free(model->frozen_stats);
	free(model->line);
	*model = (struct model){ 0 };
}

void model_reset_columns(struct model *model)
{
	model->columns.n = 0;
	columns_update(&model->columns, model_n_slots(model), &model->metric);
}

/* Display a set. @set  outlives its display @return 0 or -ENOMEM */
static int model_show_set(struct model *model, const struct set *set)
{
	model->set = set;

	int r = metric_list_of_set(model->metrics, set, &model->chosen, &model->metric);

	if (r < 0)
		return r;
	model->primary_metric = metric_list_primary(model->metrics, &model->metric);
	columns_update(&model->columns, model_n_slots(model), &model->metric);
	return 0;
}

int model_load(struct model *model, const struct set *set, const struct metric_list *chosen)
{
	int r;

	model->loaded = *set;
	model->chosen = *chosen;
	r = model_show_set(model, &model->loaded);
	if (model->slot >= model_n_slots(model)) /* the slot's mux group was removed */
		model->slot = first_slot(model);
	if (!model->has_selected)
		model->selected.by = first_column(model);
	if (model->selected.by == ORDER_BAR && !model_has_parts(model))
		model_select(model, ORDER_SLOT, model->slot);
	return r;
}

void model_set_history_bytes(struct model *model, size_t bytes)
{
	model->history_bytes = bytes;
	history_set_budget(model->history, bytes);
}

int model_restart(struct model *model)
{
	struct history *history;

	if (history_new(model->machine, model->metrics, model->history_bytes, &history) < 0)
		return -ENOMEM;
	model_freeze(model, false);
	history_free(model->history);
	model->history = history;
	frame_unref(model->shown);
	frame_unref(model->newest);
	frame_unref(model->earlier);
	model->shown = model->newest = model->earlier = NULL;
	model->fed.number = 0;
	for (unsigned row = 0; row < model->n_rows; row++)
		model->sparkline[row].n_final = 0;
	model_zero(model);
	return 0;
}

static unsigned row_number(const struct model *model, const struct line *line)
{
	return model->base[frame_by_same(model->machine, line->by)] + line->index;
}

static size_t cell_of(const struct model *model, unsigned row, unsigned slot)
{
	return (size_t)slot * model->n_rows + row;
}

/* Clear the statistics of slots that now count another event on any core type. */
static void forget_changed(struct model *model, const struct set *set)
{
	for (unsigned slot = 0; model->fed.number && slot < COLUMNS_MAX; slot++) {
		bool changed = false;

		for (unsigned type = 0; type < model->machine->n_types; type++)
			changed |= model->fed.type[type].event[slot] != set->type[type].event[slot];
		if (!changed)
			continue;
		model->borders[slot] = (struct figure_borders){ 0 };
		for (unsigned row = 0; row < model->n_rows; row++)
			model->running_stats[cell_of(model, row, slot)] =
				(struct running_stats){ 0 };
	}
	memset(model->decimals, 0, sizeof(model->decimals));
	model->fed = *set;
}

/* Largest figure of each metric, by its column. */
struct tops {
	double of[METRICS_BOUND_MAX];
	unsigned n;
};

static void feed_tops(const struct frame_row *from, struct tops *tops)
{
	tops->n = from->bound->n;
	for (unsigned column = 0; column < tops->n; column++) {
		const struct reading *reading = &from->metric[column];

		if (quality_has_value(reading->quality) && reading->value > tops->of[column])
			tops->of[column] = reading->value;
	}
}

static void feed_decimals(struct model *model, const struct tops *tops)
{
	for (unsigned column = 0; column < tops->n; column++) {
		uint8_t *decimals = &model->decimals[column];
		double top = tops->of[column];

		*decimals = (uint8_t)(1 + (*decimals ? figure_decimals_steady(top, *decimals - 1u)
						     : figure_decimals(top)));
	}
}

static void feed_row(struct model *model, const struct frame *frame, enum frame_by by, unsigned i,
		     struct tops *tops)
{
	struct frame_row from;
	unsigned row = model->base[by] + i;

	frame_row(frame, model->machine, model->metrics, by, i, &from);
	feed_tops(&from, tops);
	for (unsigned slot = 0; slot < frame->n_slots; slot++) {
		const struct placement *placement = &frame->set->type[from.type];
		size_t cell = cell_of(model, row, slot);
		struct reading figure = running_stats_add(&model->running_stats[cell], &from, slot);

		if (model->frozen) /* a frozen display keeps its prefixes */
			continue;
		if (model->show != SHOW_RATE)
			figure = figure_of(&from, frame->set, slot, model->show);
		else if (placement->event[slot])
			figure.value *= placement->event[slot]->scale;
		figure_follow(figure, &model->borders[slot]);
	}
}

void model_feed(struct model *model, const struct frame *frame)
{
	struct tops tops = { .n = 0 };

	/* yielded counters later return with the same events */
	if (frame->set->number != model->fed.number && frame->set->n_slots)
		forget_changed(model, frame->set);
	for (unsigned by = 0; by < BY_DEVICE; by++)
		for (unsigned i = 0; i < frame_n_own_rows(model->machine, by); i++)
			feed_row(model, frame, by, i, &tops);
	for (unsigned slot = 0; !model->frozen && slot < frame->n_slots; slot++)
		figure_borders_end(&model->borders[slot]);
	if (!model->frozen)
		feed_decimals(model, &tops);
	history_add(model->history, frame);
	if (model->newest && !frame_late_types(model->newest, model->machine, NULL)) {
		frame_unref(model->earlier);
		model->earlier = frame_ref(model->newest);
	}
	frame_unref(model->newest);
	model->newest = frame;
	if (!model->frozen) {
		frame_unref(model->shown);
		model->shown = frame_ref(frame);
	}
}

void model_show(struct model *model, enum show show)
{
	model->show = show;
	memset(model->borders, 0, sizeof(model->borders));
}

static void thaw(struct model *model)
{
	free(model->frozen_stats);
	model->frozen_stats = NULL;
	if (model->at.n_frames) {
		model->at.n_frames = 0;
		model_show_set(model, &model->loaded);
	}
	frame_unref(model->shown);
	model->shown = model->newest ? frame_ref(model->newest) : NULL;
}

void model_freeze(struct model *model, bool frozen)
{
	size_t size = (size_t)model->n_rows * COLUMNS_MAX * sizeof(*model->running_stats);

	model->frozen = frozen;
	if (!frozen) {
		thaw(model);
		return;
	}
	free(model->frozen_stats);
	model->frozen_stats = malloc(size);
	if (model->frozen_stats)
		memcpy(model->frozen_stats, model->running_stats, size);
}

void model_zero(struct model *model)
{
	size_t size = (size_t)model->n_rows * COLUMNS_MAX * sizeof(*model->running_stats);

	memset(model->running_stats, 0, size);
	if (model->frozen_stats)
		memset(model->frozen_stats, 0, size);
}

int model_group(struct model *model, enum frame_by by)
{
	const struct machine *machine = model->machine;
	size_t n = 2 * machine->n_cores + machine->n_types; /* upper limit, with headings */
	const struct line *was = model_selected(model);
	unsigned core = was ? frame_first_core(machine, was->by, was->index) : 0;

	if (!model->line)
		model->line = calloc(n, sizeof(*model->line));
	if (!model->line)
		return -ENOMEM;
	model->by = by;
	model->row.top = 0;
	rows_make(model);
	if (was)
		rows_select(model, by, frame_row_of_core(machine, by, core));
	return 0;
}

const struct line *model_selected(const struct model *model)
{
	return model->row.at < model->n_lines ? &model->line[model->row.at] : NULL;
}

unsigned model_type(const struct model *model, const struct line *line)
{
	unsigned core = frame_first_core(model->machine, line->by, line->index);

	return model->machine->core[core].type;
}

static bool has_late_core(const struct model *model, const struct line *line)
{
	frame_row_each(model->machine, line->by, line->index, core)
		if (model->shown->core[core].state == CORE_LATE)
			return true;
	return false;
}

bool model_row(const struct model *model, const struct line *line, struct frame_row *ret)
{
	const struct frame *from = model->shown, *earlier = model->earlier;

	if (!from)
		return false;

	bool is_earlier = from == model->newest && earlier && earlier->of == from->of &&
			  line->by != BY_DEVICE && has_late_core(model, line);

	frame_row(is_earlier ? earlier : from, model->machine, model->metrics, line->by,
		  line->index, ret);
	ret->is_earlier = is_earlier;
	return true;
}

struct reading model_figure(const struct model *model, const struct frame_row *row, unsigned slot,
			    enum show show)
{
	const struct placement *now = &model->set->type[row->type];
	const struct placement *then = &model->shown->set->type[row->type];

	if (row->state != CORE_OFF && model->yielded)
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	if (row->state != CORE_OFF && now->event[slot] != then->event[slot])
		return (struct reading){ .quality = QUALITY_PENDING };
	return figure_of(row, model->shown->set, slot, show);
}

static bool counts(const struct placement *placement, const struct event *event)
{
	for (unsigned i = 0; i < COLUMNS_MAX; i++)
		if (placement->event[i] == event)
			return true;
	return false;
}

/* Whether the frame's metric depends on an event that is no longer counted. */
static bool is_outdated(const struct model *model, const struct frame_row *row, int column)
{
	const struct metric_program *program =
		model->metrics->metric[row->bound->number[column]].program[row->type];
	const struct metric_binding *binding = row->bound->binding[row->type][column];
	const struct placement *now = &model->set->type[row->type];
	const struct placement *then = &model->shown->set->type[row->type];
	struct count count;

	if (model->shown->set->number == model->set->number)
		return false;
	for (unsigned i = 0; binding && metric_input(program, i); i++) {
		int slot = metric_input_count(binding, i, row->count, &count);

		if (slot >= 0 && !counts(now, then->event[slot]))
			return true;
	}
	return false;
}

struct reading model_metric(const struct model *model, const struct frame_row *row, int number)
{
	int column = metrics_column(row->bound, number);

	if (row->state == CORE_OFF)
		return (struct reading){ .quality = QUALITY_OFF };
	if (model->yielded)
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	if (column < 0)
		return (struct reading){ .quality = QUALITY_NONE };
	if (is_outdated(model, row, column))
		return (struct reading){ .quality = QUALITY_PENDING };
	return row->metric[column];
}

struct reading model_metric_cell(const struct model *model, const struct frame_row *row,
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

bool model_is_beyond(const struct model *model, const struct frame_row *row, int number)
{
	struct reading reading = model_metric(model, row, number);

	return quality_has_value(reading.quality) &&
	       metrics_judge(model->metrics, row->bound, number, row->type, row->count) ==
		       ALARM_BEYOND &&
	       excursions_is_busy(model->excursions, row);
}

const struct running_stats *model_stats(const struct model *model, const struct line *line,
					unsigned slot)
{
	const struct running_stats *all =
		model->frozen_stats ? model->frozen_stats : model->running_stats;

	return &all[cell_of(model, row_number(model, line), slot)];
}

void model_past(const struct model *model, const struct series *series, uint64_t bin_ns,
		struct track *track, float *ret, unsigned n)
{
	const struct history_query query = series_query(model, series);
	double scale = quantity_scale(model, &series->quantity, &series->line);
	struct bins bins = { .bin_ns = bin_ns, .n = n };
	bool is_known = model->shown != NULL;

	/* the last bin ends with the displayed frame; of several frames it appears when it is full, but a long
	 * one while it fills */
	if (is_known)
		bins.first =
			(int64_t)((model->shown->t_ns +
				   (bin_ns < NS_PER_S ? model->shown->interval_ns : bin_ns) - 1) /
				  bin_ns) -
			n;
	is_known = is_known && track_fill(track, model->history, &query, &bins) == 0;
	for (unsigned i = 0; i < n; i++)
		ret[i] = is_known && quality_has_value(track->value[i].quality)
				 ? (float)(track->value[i].mean * scale)
				 : NAN;
}

void model_sparkline(const struct model *model, const struct line *line, float *ret, unsigned n)
{
	const struct series series = {
		.line = *line,
		.quantity = model->primary_metric >= 0
				    ? quantity_of_metric((unsigned)model->primary_metric)
				    : quantity_of_slot(model, model->slot)
	};

	model_past(model, &series, model_cell_ns(model), &model->sparkline[row_number(model, line)],
		   ret, n);
}

uint64_t model_cell_ns(const struct model *model)
{
	const struct frame *frame = scrub_is_on(model) ? model->shown : model->newest;
	uint64_t interval_ns = frame ? frame->interval_ns : 0;

	return interval_ns > HISTORY_CELL_MS * NS_PER_MS ? interval_ns
							 : HISTORY_CELL_MS * NS_PER_MS;
}

void model_now(const struct model *model, struct change *ret)
{
	*ret = (struct change){ .set = *model->set,
				.chosen = model->chosen,
				.privilege = model->privilege,
				.opened = model->opened };
}

void model_undo_push(struct model *model, const struct change *before)
{
	if (model->n_undo == UNDO_MAX) {
		memmove(model->undo, model->undo + 1, (UNDO_MAX - 1) * sizeof(*model->undo));
		model->n_undo--;
	}
	model->undo[model->n_undo++] = *before;
}

bool scrub_is_on(const struct model *model)
{
	return model->at.n_frames;
}

size_t scrub_at(const struct model *model)
{
	const struct history *history = model->history;
	size_t n = history_n(history);
	size_t i = history_find(history, model->shown->t_ns);

	/* a frame that a change ended may have the same time as the previous one */
	while (i < n && history_bucket(history, i)->number + history_bucket(history, i)->n_frames <=
				model->shown->number)
		i++;
	return i < n || !n ? i : n - 1;
}

int scrub_to(struct model *model, size_t i)
{
	const struct frame *frame = history_frame(model->history, i);

	if (!frame)
		return -ENOMEM;
	if (!model->frozen)
		model_freeze(model, true);
	frame_unref(model->shown);
	model->shown = frame;
	model->at = *history_bucket(model->history, i);
	return model_show_set(model, frame->set);
}

int scrub_by(struct model *model, long n)
{
	size_t last = history_n(model->history) - 1, at, to;

	if (!model->shown || !history_n(model->history))
		return -ENOENT;
	at = scrub_at(model);
	if (n < 0)
		to = (size_t)-n < at ? at - (size_t)-n : 0;
	else
		to = (size_t)n < last - at ? at + (size_t)n : last;
	return to == at ? -ENOENT : scrub_to(model, to);
}

uint64_t scrub_depth_ns(const struct model *model)
{
	if (!model->newest || !history_n(model->history))
		return 0;
	return model->newest->t_ns - history_bucket(model->history, 0)->begin_ns;
}
