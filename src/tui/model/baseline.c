#include "tui/model/baseline.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "tui/model/model.h"

enum { NOT_THERE = -1 };

/* An event with counts in the baseline. */
struct baseline_event {
	char name[EVENT_NAME_MAX];
	char device[sizeof(((struct pmu *)NULL)->name)]; /* PMU device that counts it; "": a core */
	enum privilege privilege;
	struct count *count; /* [core]: NONE if not counted */
};

struct baseline {
	const struct machine *machine, *from;
	const struct metrics *metrics;
	char name[64];
	int core_of[CORES_MAX]; /* index: core of `from`; NOT_THERE if there is no such core */
	struct baseline_event *event;
	size_t n, cap;
	struct count_windows *windows; /* [core]: by event, for the metrics */
	const struct set *added;       /* set of the last baseline_add */
	int added_at[TYPES_MAX]
		    [COLUMNS_MAX]; /* its kept events by core type and slot, or NOT_THERE */
	const struct frame *frame; /* the baseline as a frame of the last requested set */
	const struct frame *tasks; /* see baseline_tasks */
};

static int find_core(const struct machine *machine, const struct machine *from, unsigned core)
{
	const struct core *is = &from->core[core];
	const char *type = from->type[is->type].name;

	for (unsigned i = 0; i < machine->n_cores; i++)
		if (machine->core[i].cpu == is->cpu &&
		    strcmp(machine->type[machine->core[i].type].name, type) == 0)
			return (int)i;
	return NOT_THERE;
}

int baseline_new(const struct machine *machine, const struct metrics *metrics,
		 const struct machine *from, struct baseline **ret)
{
	struct baseline *baseline = calloc(1, sizeof(*baseline));

	if (!baseline)
		return -ENOMEM;
	baseline->windows = calloc(machine->n_cores, sizeof(*baseline->windows));
	if (!baseline->windows) {
		free(baseline);
		return -ENOMEM;
	}
	baseline->machine = machine;
	baseline->metrics = metrics;
	baseline->from = from;
	for (unsigned core = 0; core < from->n_cores; core++)
		baseline->core_of[core] =
			machine == from ? (int)core : find_core(machine, from, core);
	*ret = baseline;
	return 0;
}

void baseline_free(struct baseline *baseline)
{
	if (!baseline)
		return;
	for (size_t i = 0; i < baseline->n; i++)
		free(baseline->event[i].count);
	for (unsigned core = 0; core < baseline->machine->n_cores; core++)
		count_windows_fini(&baseline->windows[core]);
	free(baseline->windows);
	free(baseline->event);
	frame_unref(baseline->frame);
	frame_unref(baseline->tasks);
	free(baseline);
}

void baseline_call(struct baseline *baseline, const char *name)
{
	snprintf(baseline->name, sizeof(baseline->name), "%s", name);
}

const char *baseline_name(const struct baseline *baseline)
{
	return baseline->name;
}

/* ---- adding ---- */

static const char *baseline_device_of(const struct event *event)
{
	return event_is_of_device(event) ? event->pmu->name : "";
}

static int baseline_find_event(const struct baseline *baseline, const struct event *event)
{
	for (size_t i = 0; i < baseline->n; i++)
		if (baseline->event[i].privilege == event->privilege &&
		    strcmp(baseline->event[i].name, event->name) == 0 &&
		    strcmp(baseline->event[i].device, baseline_device_of(event)) == 0)
			return (int)i;
	return NOT_THERE;
}

static int keep_event(struct baseline *baseline, const struct event *event, int *ret)
{
	struct baseline_event *kept;

	*ret = baseline_find_event(baseline, event);
	if (*ret != NOT_THERE)
		return 0;
	if (array_reserve((void **)&baseline->event, &baseline->cap, baseline->n, sizeof(*kept)))
		return -ENOMEM;
	kept = &baseline->event[baseline->n];
	*kept = (struct baseline_event){ .privilege = event->privilege };
	memcpy(kept->name, event->name, sizeof(kept->name));
	snprintf(kept->device, sizeof(kept->device), "%s", baseline_device_of(event));
	kept->count = calloc(baseline->machine->n_cores, sizeof(*kept->count));
	if (!kept->count)
		return -ENOMEM;
	*ret = (int)baseline->n++;
	return 0;
}

static int keep_events(struct baseline *baseline, const struct set *set)
{
	for (unsigned type = 0; type < baseline->from->n_types; type++) {
		for (unsigned i = 0; i < set->n_slots; i++) {
			const struct event *event = set->type[type].event[i];
			int *at = &baseline->added_at[type][i];

			*at = NOT_THERE;
			if (event && keep_event(baseline, event, at))
				return -ENOMEM;
		}
	}
	baseline->added = set;
	return 0;
}

int baseline_add(struct baseline *baseline, const struct set *set, unsigned core,
		 const struct count *count)
{
	int to = baseline->core_of[core];
	const int *at = baseline->added_at[baseline->from->core[core].type];

	AUTO_FREE struct count *window = NULL;

	assert(set);
	if (baseline->added != set && keep_events(baseline, set))
		return -ENOMEM;
	window = calloc(baseline->n + 1, sizeof(*window));
	if (!window)
		return -ENOMEM;
	for (unsigned i = 0; to != NOT_THERE && i < set->n_slots; i++) {
		struct count one = count[i];
		unsigned other = 0;

		while (other < i && at[other] != at[i])
			other++;
		if (at[i] == NOT_THERE || other < i)
			continue;
		/* other mux groups may count the event too */
		for (other = i + 1; other < set->n_slots; other++)
			if (at[other] == at[i])
				count_add_mux(&one, &count[other]);
		count_add_window(&baseline->event[at[i]].count[to], &one);
		window[at[i]] = one;
	}
	return to == NOT_THERE
		       ? 0
		       : count_windows_add(&baseline->windows[to], window, (unsigned)baseline->n);
}

static int add_bucket(struct baseline *baseline, const struct history *history, size_t i)
{
	const struct set *set = history_bucket(history, i)->set;
	struct count count[COLUMNS_MAX];
	int rc = 0;

	for (unsigned core = 0; !rc && core < baseline->machine->n_cores; core++) {
		history_counts(history, i, core, count);
		rc = baseline_add(baseline, set, core, count);
	}
	return rc;
}

/* Sum the frames with tasks of some buckets. @return NULL: none, or out of memory */
static const struct frame *sum_tasks(const struct model *model, size_t first, size_t last)
{
	enum { DOUBLINGS_MAX = 32 }; /* what cannot be merged stays apart */
	const struct frame *frame;
	struct history *sum;

	if (history_new_even(model->machine, model->metrics, 8, SIZE_MAX, &sum))
		return NULL;
	for (size_t i = first; i <= last; i++) {
		frame = history_frame(model->history, i);
		if (frame && frame->tasks)
			history_add(sum, frame);
		frame_unref(frame);
	}
	for (unsigned i = 0; i < DOUBLINGS_MAX && history_n(sum) > 1; i++)
		history_thin(sum);
	frame = history_n(sum) ? history_frame(sum, history_n(sum) - 1) : NULL;
	history_free(sum);
	return frame;
}

const struct frame *baseline_tasks(const struct baseline *baseline)
{
	return baseline ? baseline->tasks : NULL;
}

int baseline_of_shown(const struct model *model, uint64_t most_ns, struct baseline **ret,
		      uint64_t *ret_ns)
{
	const struct history *history = model->history;
	struct baseline *baseline;
	int rc;

	if (!model->shown || !history_n(history))
		return -ENOENT;

	size_t last = scrub_at(model), first = last;
	const struct bucket *newest = history_bucket(history, last), *bucket;

	if (!newest->set->n_slots) /* yielded */
		return -ENOENT;
	rc = baseline_new(model->machine, model->metrics, model->machine, &baseline);
	if (rc)
		return rc;
	while (first && (bucket = history_bucket(history, first - 1))->set == newest->set &&
	       newest->t_ns - bucket->begin_ns <= most_ns)
		first--;
	*ret_ns = newest->t_ns - history_bucket(history, first)->begin_ns;
	for (size_t i = first; !rc && i <= last; i++)
		rc = add_bucket(baseline, history, i);
	if (rc) {
		baseline_free(baseline);
		return rc;
	}
	baseline->tasks = sum_tasks(model, first, last);
	*ret = baseline;
	return 0;
}

unsigned baseline_n_cores(const struct baseline *baseline)
{
	unsigned n = 0;

	for (unsigned core = 0; core < baseline->from->n_cores; core++)
		n += baseline->core_of[core] != NOT_THERE;
	return n;
}

unsigned baseline_n_events(const struct baseline *baseline, const struct set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct event *event = set_event(set, i);

		n += event && baseline_find_event(baseline, event) != NOT_THERE;
	}
	return n;
}

/* ---- as a frame ---- */

/* Get the count of an event: NOT_COUNTED if the baseline lacks it, so that sums that include it have
 * no value either. @part  of the windows of the core; NULL: all */
static struct count count_of(const struct baseline *baseline, const struct event *event,
			     unsigned core, const struct count *part)
{
	int at = event ? baseline_find_event(baseline, event) : NOT_THERE;
	struct count count = { .quality = QUALITY_NONE };

	if (at != NOT_THERE)
		count = baseline->event[at].count[core];
	if (part && count.quality != QUALITY_NONE)
		count = part[at];
	if (event && !event_is_of_device(event) && count.quality == QUALITY_NONE)
		count.quality = QUALITY_NOT_COUNTED;
	return count;
}

static struct frame *make_frame(const struct baseline *baseline, struct frame_set *of)
{
	struct frame *frame = frame_new(baseline->machine->n_cores, of);

	for (unsigned core = 0; frame && core < frame->n_cores; core++) {
		unsigned type = baseline->machine->core[core].type;
		struct count *count = frame->count + (size_t)core * frame->n_slots;

		frame->core[core].state = CORE_ON;
		for (unsigned i = 0; i < frame->n_slots; i++)
			count[i] = count_of(baseline, frame->set->type[type].event[i], core, NULL);
		metrics_eval(baseline->metrics, frame->bound, type, count,
			     frame->metric + (size_t)core * frame->n_metrics);
	}
	return frame;
}

/* Whether a core of the row has windows that lack some events. */
static bool has_losses(const struct baseline *baseline, const struct frame_row *row)
{
	frame_row_each(baseline->machine, row->by, row->index, core)
		if (baseline->windows[core].n > 1)
			return true;
	return false;
}

/* Evaluate a metric of a row of cores, each core's from the windows with all inputs. */
static struct reading metric_with_losses(const struct baseline *baseline, const struct frame *frame,
					 const struct frame_row *row, const struct metric *metric,
					 const struct metric_binding *binding)
{
	const struct placement *placement = &frame->set->type[row->type];
	const struct metric_program *program = metric->program[row->type];
	struct count sum[COLUMNS_MAX] = { { 0 } };

	frame_row_each(baseline->machine, row->by, row->index, core) {
		const struct count_windows *windows = &baseline->windows[core];
		struct count own[COLUMNS_MAX] = { { 0 } }, one[COLUMNS_MAX];

		for (unsigned i = 0; i < windows->n; i++) {
			for (unsigned slot = 0; slot < frame->n_slots; slot++)
				one[slot] =
					count_of(baseline, placement->event[slot], (unsigned)core,
						 count_windows_part(windows, i));
			metric_add_window(program, binding, one, own);
		}
		for (unsigned slot = 0; slot < frame->n_slots; slot++)
			count_add_core(&sum[slot], &own[slot]);
	}
	return metric_in_unit(metric, metric_eval(program, binding, sum));
}

/* Get the baseline's row. @return false: out of memory */
static bool baseline_row_of(const struct model *model, const struct frame_row *row,
			    struct frame_row *ret)
{
	struct baseline *baseline = model->baseline;
	struct frame_set *of = model->shown->of;

	if (!baseline->frame || baseline->frame->of != of) {
		frame_unref(baseline->frame);
		baseline->frame = make_frame(baseline, of);
	}
	if (baseline->frame)
		frame_row(baseline->frame, model->machine, model->metrics, row->by, row->index,
			  ret);
	return baseline->frame;
}

struct reading baseline_slot(const struct model *model, const struct frame_row *row, unsigned slot,
			     enum show show)
{
	struct frame_row before;

	if (!baseline_row_of(model, row, &before))
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	return figure_of(&before, model->shown->set, slot, show == SHOW_COUNT ? SHOW_RATE : show);
}

struct reading baseline_metric(const struct model *model, const struct frame_row *row,
			       unsigned number)
{
	struct frame_row before;

	if (!baseline_row_of(model, row, &before))
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };

	int column = metrics_column(before.bound, (int)number);
	const struct metric_binding *binding =
		column < 0 ? NULL : before.bound->binding[before.type][column];

	if (!binding || before.by == BY_DEVICE || !has_losses(model->baseline, &before))
		return frame_row_metric(&before, (int)number);
	return metric_with_losses(model->baseline, model->baseline->frame, &before,
				  &model->metrics->metric[number], binding);
}

/* ---- changes ---- */

double baseline_least_change(const struct model *model, const struct frame_row *row, unsigned slot)
{
	const struct count now = frame_row_event(row, model->shown->set, slot);
	struct reading a = count_rate(&now), b;
	struct frame_row before;
	double change;

	if (!baseline_row_of(model, row, &before))
		return 0;
	b = count_rate(&before.count[slot]);
	if (!quality_has_value(a.quality) || !quality_has_value(b.quality))
		return 0;
	change = fabs(log((a.value + 1) / (b.value + 1))) - log1p(count_error(&now)) -
		 log1p(count_error(&before.count[slot]));
	return change > 0 ? change : 0;
}

struct reading baseline_change(struct reading now, struct reading before, bool is_share)
{
	struct reading change = { .quality = quality_worst(now.quality, before.quality) };

	if (!quality_has_value(now.quality))
		return now;
	if (!quality_has_value(before.quality))
		return (struct reading){ .quality = QUALITY_NOT_COUNTED };
	if (is_share)
		change.value = now.value - before.value;
	else if (before.value != 0)
		change.value = (now.value - before.value) / fabs(before.value) * 100;
	else if (now.value != 0)
		change.quality = QUALITY_UNDEFINED;
	return change;
}

struct reading baseline_slot_cell(const struct model *model, const struct frame_row *row,
				  unsigned slot)
{
	enum show show = model->baseline && model->show == SHOW_COUNT ? SHOW_RATE : model->show;
	struct reading now = model_figure(model, row, slot, show);

	if (!model->baseline || !quality_has_value(now.quality))
		return now;
	return baseline_change(now, baseline_slot(model, row, slot, show), false);
}

struct reading baseline_metric_cell(const struct model *model, const struct frame_row *row,
				    unsigned number)
{
	struct reading now = model_metric_cell(model, row, number);

	if (!model->baseline || !quality_has_value(now.quality))
		return now;
	return baseline_change(now, baseline_metric(model, row, number),
			       metric_is_share(&model->metrics->metric[number]));
}

const char *baseline_unit(const char *unit)
{
	return strcmp(unit, "%") == 0 ? "pp" : "%";
}

struct label baseline_text(struct reading change, unsigned width)
{
	const char *mark = quality_mark(change.quality);
	double much = fabs(change.value);
	char number[32];

	if (!quality_has_value(change.quality))
		return label_printf("%s", mark);
	if (change.value >= 899.5)
		return label_printf("%s×%s", mark,
				    num_si(1 + change.value / 100, 2,
					   width - 1 - (unsigned)strlen(mark), number,
					   sizeof(number)));
	if (much >= 999.5)
		return label_printf("%s", num_si(change.value, 2, width, number, sizeof(number)));
	if (much < BASELINE_SHOWN)
		return label_printf("%s0.0", mark);
	return label_printf("%s%+.*f", mark, much < 9.95, change.value);
}
