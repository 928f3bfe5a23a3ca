#include "tui/model/series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pmu/set.h"
#include "tui/model/model.h"
#include "tui/model/names.h"

/* ---- metrics and rates ---- */

struct quantity quantity_of_metric(unsigned number)
{
	return (struct quantity){ .metric = (int)number };
}

struct quantity quantity_of_slot(const struct model *model, unsigned slot)
{
	struct quantity quantity = { .metric = -1 };

	for (unsigned type = 0; type < model->machine->n_types; type++)
		quantity.event[type] = model->set->type[type].event[slot];
	return quantity;
}

bool quantity_is(const struct quantity *a, const struct quantity *b)
{
	bool is_same = a->metric == b->metric;

	for (unsigned type = 0; a->metric < 0 && type < TYPES_MAX; type++)
		is_same &= a->event[type] == b->event[type];
	return is_same;
}

static const struct event *any_event(const struct quantity *quantity)
{
	for (unsigned type = 0; type < TYPES_MAX; type++)
		if (quantity->event[type])
			return quantity->event[type];
	return NULL;
}

struct label quantity_name(const struct model *model, const struct quantity *quantity)
{
	const struct event *event = any_event(quantity);
	unsigned number = (unsigned)quantity->metric;

	if (quantity->metric < 0)
		return label_printf("%s", event_label(event).text);
	return label_printf("%s%s", name_metric(model, number), name_level(model, number));
}

struct label quantity_unit(const struct model *model, const struct quantity *quantity)
{
	if (quantity->metric < 0)
		return figure_unit(any_event(quantity), SHOW_RATE);
	return label_printf("%s", model->metrics->metric[quantity->metric].unit);
}

bool quantity_says_unit(const struct model *model, const struct quantity *quantity)
{
	return quantity->metric >= 0 &&
	       metric_label_has_unit(&model->metrics->metric[quantity->metric]);
}

struct label quantity_text(const struct quantity *quantity, struct reading reading)
{
	if (quantity->metric < 0)
		return figure_text(reading, 7);
	return figure_metric(reading, figure_decimals(reading.value), 7);
}

double quantity_scale(const struct model *model, const struct quantity *quantity,
		      const struct line *line)
{
	const struct event *event =
		quantity->metric < 0 ? quantity->event[model_type(model, line)] : NULL;

	return event ? event->scale : 1;
}

/* ---- series ---- */

const struct pmu *quantity_device(const struct quantity *quantity)
{
	const struct event *event = quantity->metric < 0 ? any_event(quantity) : NULL;

	return event && event_is_of_device(event) ? event->pmu : NULL;
}

struct history_query series_query(const struct model *model, const struct series *series)
{
	const struct pmu *device = quantity_device(&series->quantity);
	struct line line = series->line;

	/* a device's counts are in the row of the type of the core that reads it */
	for (unsigned i = model->machine->n_cores; device && i-- > 0;)
		if (cpus_has(&device->cpus, model->machine->core[i].cpu))
			line = (struct line){ .by = BY_TYPE,
					      .index = model->machine->core[i].type };

	return (struct history_query){
		.by = line.by,
		.index = line.index,
		.metric = series->quantity.metric,
		.event = series->quantity.metric < 0
				 ? series->quantity.event[model_type(model, &line)]
				 : NULL,
		.task = series->task,
	};
}

struct history_value series_value(const struct model *model, const struct series *series)
{
	const struct history_query query = series_query(model, series);
	double scale = quantity_scale(model, &series->quantity, &series->line);
	struct history_value value = { .quality = QUALITY_NONE };

	if (model->shown && history_n(model->history))
		value = history_value(model->history, scrub_at(model), &query);
	value.min *= scale;
	value.mean *= scale;
	value.max *= scale;
	return value;
}

static bool is_same_line(const struct line *a, const struct line *b)
{
	return a->by == b->by && a->index == b->index;
}

bool series_is(const struct series *a, const struct series *b)
{
	return is_same_line(&a->line, &b->line) && quantity_is(&a->quantity, &b->quantity) &&
	       task_id_is(&a->task, &b->task);
}

void series_step_row(const struct model *model, int step, struct series *series)
{
	const struct line *line = &series->line;
	unsigned at = 0;

	while (at < model->n_lines && !is_same_line(&model->line[at], line))
		at++;
	if (at == model->n_lines || series->task.is_task)
		at = 0;
	else
		at = (at + model->n_lines + (unsigned)step) % model->n_lines;
	series->line = model->line[at];
	series->task.is_task = false;
}

/* Format a task's name with its core type: "clang 4711 P". */
static struct label task_row_name(const struct model *model, const struct series *series)
{
	const struct machine *machine = model->machine;
	const struct task_id *id = &series->task;
	unsigned number = id->by == BY_THREAD ? id->like.tid : id->like.pid;
	char digits[16] = "";

	if (id->by != BY_COMMAND && number)
		snprintf(digits, sizeof(digits), " %u", number);
	return label_printf("%s%s%s%s",
			    id->by == BY_CGROUP && id->like.cgroup ? id->like.cgroup->name
								   : id->like.comm,
			    digits, machine->n_types > 1 ? " " : "",
			    machine->n_types > 1 ? machine->type[series->line.index].name : "");
}

struct label series_row_name(const struct model *model, const struct series *series)
{
	const struct pmu *device = quantity_device(&series->quantity);

	if (series->task.is_task)
		return task_row_name(model, series);
	return label_printf("%s",
			    device ? device->name : name_row(model, &series->line, true).text);
}

unsigned series_of_line(const struct model *model, const struct line *line, struct series ret[2])
{
	unsigned n = 0;
	int metric = model_selected_metric(model, line);

	if (model->primary_metric >= 0 &&
	    metric_list_has(&model->metric, (unsigned)model->primary_metric))
		ret[n++] = (struct series){ .line = *line,
					    .quantity = quantity_of_metric(
						    (unsigned)model->primary_metric) };
	if (metric >= 0 && metric != model->primary_metric &&
	    metric_list_has(&model->metric, (unsigned)metric))
		ret[n++] = (struct series){ .line = *line,
					    .quantity = quantity_of_metric((unsigned)metric) };
	if (model->selected.by == ORDER_SLOT && set_event(model->set, model->slot) &&
	    !set_is_of_device(model->set, model->slot))
		ret[n++] = (struct series){ .line = *line,
					    .quantity = quantity_of_slot(model, model->slot) };
	return n;
}

/* ---- tracks ---- */

void track_fini(struct track *track)
{
	if (track)
		free(track->value);
}

bool tracks_keep(struct tracks *tracks, unsigned n)
{
	if (tracks->n == n)
		return true;
	tracks_fini(tracks);
	tracks->track = calloc(n, sizeof(*tracks->track));
	tracks->n = tracks->track ? n : 0;
	return tracks->track;
}

void tracks_fini(struct tracks *tracks)
{
	for (unsigned i = 0; i < tracks->n; i++)
		track_fini(&tracks->track[i]);
	free(tracks->track);
	*tracks = (struct tracks){ 0 };
}

static int64_t begin_of(const struct bins *bins, unsigned i)
{
	return (bins->first + i) * (int64_t)bins->bin_ns;
}

/* Move values that are still valid to their new positions.
 * @return number of valid bins, from the first one */
static unsigned reuse(struct track *track, const struct history_query *query,
		      const struct bins *bins)
{
	const struct history_query *was = &track->query;
	int64_t gone = bins->first - track->bins.first;

	if (was->by != query->by || was->index != query->index || was->metric != query->metric ||
	    was->event != query->event || !task_id_is(&was->task, &query->task) ||
	    track->bins.bin_ns != bins->bin_ns || gone < 0 || gone >= track->n_final)
		return 0;
	memmove(track->value, track->value + gone,
		(track->n_final - (size_t)gone) * sizeof(*track->value));
	track->n_final -= (unsigned)gone;
	return track->n_final < bins->n ? track->n_final : bins->n;
}

/* Position while stepping through the history cells. */
struct walk {
	const struct history *history;
	const struct history_query *query;
	size_t cell, n; /* first cell that ends after the bin's begin; number of cells */
	size_t held;    /* cell that `value` is of; n: none */
	struct history_value value; /* value of cell `held` */
};

static struct history_value held_value(struct walk *walk)
{
	if (walk->held != walk->cell)
		walk->value = history_value(walk->history, walk->cell, walk->query);
	walk->held = walk->cell;
	return walk->value;
}

static struct history_value value_between(struct walk *walk, int64_t begin_ns, int64_t end_ns)
{
	size_t first;

	while (walk->cell < walk->n &&
	       (int64_t)history_bucket(walk->history, walk->cell)->t_ns <= begin_ns)
		walk->cell++;
	first = walk->cell;
	while (walk->cell < walk->n &&
	       (int64_t)history_bucket(walk->history, walk->cell)->t_ns <= end_ns)
		walk->cell++;
	if (walk->cell > first)
		return history_value_over(walk->history, first, walk->cell - first, walk->query);
	if (first < walk->n && (int64_t)history_bucket(walk->history, first)->begin_ns < end_ns)
		return held_value(walk);
	return (struct history_value){ .quality = QUALITY_NONE };
}

int track_fill(struct track *track, const struct history *history,
	       const struct history_query *query, const struct bins *bins)
{
	struct walk walk = { .history = history, .query = query, .n = history_n(history) };
	int64_t newest_ns = walk.n ? (int64_t)history_bucket(history, walk.n - 1)->t_ns : 0;
	unsigned i = reuse(track, query, bins);

	if (array_reserve((void **)&track->value, &track->cap, bins->n, sizeof(*track->value)))
		return -ENOMEM;
	track->query = *query;
	track->bins = *bins;
	track->n_final = i;
	walk.cell = begin_of(bins, i) > 0 ? history_find(history, (uint64_t)begin_of(bins, i)) : 0;
	walk.held = walk.n;
	for (; i < bins->n; i++) {
		track->value[i] = value_between(&walk, begin_of(bins, i), begin_of(bins, i + 1));
		if (begin_of(bins, i + 1) <= newest_ns)
			track->n_final = i + 1;
	}
	return 0;
}
